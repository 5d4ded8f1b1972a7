// Parts of the merging of several traces, and the merged source against a sorted list.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "merged/arena.hpp"
#include "merged/heads.hpp"
#include "merged/parts.hpp"
#include "support.hpp"

using namespace clc;
using namespace clc::formats;
using namespace format_test;

TEST_CASE("heads come by time, equal ones by trace, and the second is the next one") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % 20 + 1;
    std::vector<std::vector<std::int64_t>> traces(count);
    std::vector<std::pair<std::int64_t, std::size_t>> expected;
    for (std::size_t i = 0; i < count; ++i) {
      traces[i].resize(random() % 30 + 1);
      for (std::int64_t& time : traces[i]) time = static_cast<std::int64_t>(random() % 50);
      std::sort(traces[i].begin(), traces[i].end());
      for (const std::int64_t time : traces[i]) expected.emplace_back(time, i);
    }
    std::sort(expected.begin(), expected.end());
    Heads heads;
    std::vector<std::size_t> next(count, 0);
    for (std::size_t i = 0; i < count; ++i) heads.push({Time(traces[i][0]), i});
    for (const auto& [time, trace] : expected) {
      REQUIRE(!heads.empty());
      const Head head = heads.first();
      REQUIRE(head.time == Time(time));
      REQUIRE(head.input == trace);
      if (const Head* const second = heads.second()) REQUIRE(head.before(*second));
      if (++next[trace] < traces[trace].size())
        heads.replace(Time(traces[trace][next[trace]]));
      else
        heads.pop();
    }
    REQUIRE(heads.empty());
  }
}

TEST_CASE("bodies in an arena stay where they are until it is cleared") {
  std::mt19937_64 random(2);
  std::pmr::monotonic_buffer_resource memory;
  Arena arena(memory);
  for (int round = 0; round < 3; ++round) {
    arena.clear();
    std::vector<std::pair<const char*, std::string>> taken;
    for (int i = 0; i < 3000; ++i) {
      const std::size_t most = i % 500 == 0 ? 100'000 : random() % 100;
      std::string text(random() % (most + 1), static_cast<char>('a' + i % 26));
      char* const at = arena.room(most);
      arena.take(std::copy(text.begin(), text.end(), at));
      taken.emplace_back(at, std::move(text));
    }
    for (const auto& [at, text] : taken) REQUIRE(std::string_view(at, text.size()) == text);
  }
}

TEST_CASE("a renumbered body has another peer and communicator, and is else the same") {
  std::mt19937_64 random(3);
  const auto index = [&random] { return static_cast<std::uint32_t>(random() >> (random() % 31 + 33)); };
  for (int round = 0; round < 2000; ++round) {
    Record record;
    record.kind = std::vector{Kind::send, Kind::receive, Kind::collective_end}[random() % 3];
    record.event.role = record.kind == Kind::send      ? Role::send
                        : record.kind == Kind::receive ? Role::receive
                                                       : Role::collective_end;
    record.event.communicator = index();
    record.event.bytes = random() >> (random() % 64);
    record.event.tag = static_cast<std::int64_t>(random() % 3);
    if (record.kind != Kind::collective_end) {
      record.event.peer = index();
      record.event.overtakes = static_cast<std::uint16_t>(record.kind == Kind::receive ? random() % 3 : 0);
    } else {
      record.event.root = index();
      record.event.received = random() >> (random() % 64);
    }
    record.text = std::string_view("a text that is longer than a line of the cache, to be copied in another way")
                      .substr(0, random() % 76);
    if (random() % 4 == 0) record.recorded = Time(static_cast<std::int64_t>(random()));
    std::string before;
    const Body body = encode_body(record, before);
    record.event.communicator = index();
    if (record.kind != Kind::collective_end) record.event.peer = index();
    std::string after;
    static_cast<void>(encode_body(record, after));
    std::string made(body.size() + longest_renumbering, '?');
    const char* const end = renumber_body(body, record.event, made.data());
    REQUIRE(std::string_view(made.data(), static_cast<std::size_t>(end - made.data())) == after);
  }
}

TEST_CASE("each written record belongs to the trace that it was read from") {
  std::mt19937_64 random(4);
  Parts parts([](const std::string&) { return OpenedSource{nullptr, Format::text, std::nullopt}; }, 0);
  constexpr std::size_t processes = 3;
  std::vector<std::deque<std::size_t>> read(processes);  // the trace of each record
  std::vector<std::size_t> last(processes, ~std::size_t{0});
  std::map<std::pair<ProcessIndex, std::size_t>, Parts::Channel> known;
  for (int i = 0; i < 5000; ++i) {
    const auto process = static_cast<ProcessIndex>(random() % processes);
    if (random() % 3 != 0) {
      const std::size_t part = random() % 10 == 0 || last[process] == ~std::size_t{0} ? random() % 4 : last[process];
      if (part != last[process]) parts.begin(process, part);
      last[process] = part;
      parts.read(process);
      read[process].push_back(part);
    } else if (!read[process].empty()) {
      const Parts::Channel channel = parts.next(process);
      const std::size_t part = read[process].front();
      read[process].pop_front();
      REQUIRE(parts.channels_of(part).at(process) == channel);
      REQUIRE(known.emplace(std::pair(process, part), channel).first->second == channel);
    }
  }
}

TEST_CASE("several traces are one, sorted by time and then by trace, with the indexes of all") {
  const Folder folder;
  std::mt19937_64 random(5);
  struct Line {
    std::int64_t time;
    std::size_t trace;
    std::string text;
  };
  for (int round = 0; round < 30; ++round) {
    const std::size_t count = random() % 5 + 2;
    std::vector<Line> expected;
    SourceOptions options;
    for (std::size_t trace = 0; trace < count; ++trace) {
      std::string text = "%clc-trace 1\n%process " + std::to_string(trace) + " p\n";
      for (std::size_t other = count; other-- > 0;)
        if (other != trace) text += "%process " + std::to_string(other) + "\n";
      text += "%group 7\n";
      std::int64_t time = 0;
      for (std::size_t i = random() % 300; i > 0; --i) {
        time += static_cast<std::int64_t>(random() % 3);
        const std::size_t peer = (trace + 1 + random() % (count - 1)) % count;
        const std::string line =
            std::to_string(trace) + " S " + std::to_string(peer) + " 7 " + std::to_string(i) + " 8";
        text += std::to_string(time) + ' ' + line + '\n';
        expected.push_back({time, trace, std::to_string(time) + ' ' + line});
      }
      const std::string path = std::to_string(trace) + (trace % 2 == 0 ? ".clct" : ".clcb");
      write_file("text", text);
      REQUIRE(copy_trace("text", path, as(trace % 2 == 0 ? Format::text : Format::binary)).empty());
      options.further.push_back(path);
    }
    std::stable_sort(expected.begin(), expected.end(), [](const Line& a, const Line& b) {
      return a.time != b.time ? a.time < b.time : a.trace < b.trace;
    });
    const OpenedSource opened = open_source("", options);
    std::vector<std::string> found;
    Batch batch;
    for (bool more = true; more;) {
      more = opened.source->read(batch);
      const auto& processes = opened.source->definitions().processes();
      for (std::size_t i = 0; i < batch.events.size(); ++i) {
        const Event& event = batch.events[i];
        const Event decoded = opened.source->decoder().decode(batch.bodies[i]).event;
        REQUIRE(decoded.peer == event.peer);
        REQUIRE(decoded.communicator == event.communicator);
        REQUIRE(processes[event.process].name == "p");
        found.push_back(std::to_string(event.time.ticks()) + ' ' + std::to_string(processes[event.process].number) +
                        " S " + std::to_string(processes[event.peer].number) + " 7 " + std::to_string(event.tag) +
                        " 8");
      }
    }
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == expected[i].text);
  }
}
