// Joining traces record by record.
#include "matching/pairing.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

namespace {

struct Seen final : PairObserver {
  std::vector<std::string> matches;
  std::vector<std::string> extras;
  void matched(const std::array<Sighting, columns>& s) override {
    matches.push_back(std::to_string(s[0].event.process) + ':' + std::string(s[0].body) + '=' + std::string(s[1].body) +
                      '=' + std::string(s[2].body));
  }
  void unmatched(Column file, Column missing_in, const Sighting& s) override {
    extras.push_back(std::to_string(file) + '-' + std::to_string(missing_in) + ':' + std::string(s.body));
  }
};

}  // namespace

TEST_CASE("the k-th records of a process belong together, whatever the order of the files") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t files = 2 + random() % 2;
    const std::vector<Definitions> worlds(3, world(4));
    Seen seen;
    std::vector<const Definitions*> definitions;
    for (std::size_t i = 0; i < files; ++i) definitions.push_back(&worlds[i]);
    Pairing pairing(definitions, seen);
    std::array<std::array<int, 4>, columns> next{};
    for (;;) {
      std::vector<std::pair<Column, ProcessIndex>> choices;
      for (std::size_t file = 0; file < files; ++file)
        for (ProcessIndex process = 0; process < 4; ++process)
          if (next[file][process] < 20) choices.emplace_back(static_cast<Column>(file), process);
      if (choices.empty()) break;
      const auto [file, process] = choices[random() % choices.size()];
      pairing.add(file, internal(0, process), std::to_string(next[file][process]++), 0);
    }
    for (std::size_t file = 0; file < files; ++file) pairing.end(static_cast<Column>(file));
    CHECK(seen.extras.empty());
    for (const Column file : {recorded, corrected, truth}) CHECK(pairing.waiting(file) == 0);
    REQUIRE(seen.matches.size() == 80);
    std::array<int, 4> expected{};
    for (const std::string& match : seen.matches) {
      const auto process = static_cast<std::size_t>(match[0] - '0');
      const std::string body = std::to_string(expected[process]++);
      REQUIRE(match.substr(2) == body + '=' + body + '=' + (files == 3 ? body : ""));
    }
  }
}

TEST_CASE("processes are joined by number, not by index") {
  Definitions a;
  a.add_process(5, "five");
  a.add_process(9, "nine");
  Definitions b;
  b.add_process(9, "nine");
  b.add_process(5, "five");
  Seen seen;
  Pairing pairing({&a, &b}, seen);
  pairing.add(recorded, internal(0, 1), "nine", 0);
  pairing.add(corrected, internal(0, 0), "nine too", 0);
  REQUIRE(seen.matches.size() == 1);
  CHECK(seen.matches[0] == "1:nine=nine too=");
}

TEST_CASE("records without counterpart are told, and not kept, once a file has ended") {
  const Definitions definitions = world(2);
  Seen seen;
  Pairing pairing({&definitions, &definitions}, seen);
  pairing.add(recorded, internal(0, 0), "a", 0);
  pairing.add(recorded, internal(0, 0), "b", 0);
  pairing.add(corrected, internal(0, 0), "a", 0);
  pairing.end(corrected);
  CHECK(pairing.waiting(recorded) == 0);
  for (int i = 0; i < 3; ++i) {
    pairing.add(recorded, internal(0, 1), "c", 0);
    for (const Column file : {recorded, corrected, truth}) CHECK(pairing.waiting(file) == 0);
  }
  pairing.end(recorded);
  CHECK(seen.matches == std::vector<std::string>{"0:a=a="});
  CHECK(seen.extras == std::vector<std::string>{"0-1:b", "0-1:c", "0-1:c", "0-1:c"});
}
