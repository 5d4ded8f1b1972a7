// Order of records in time: checked, or restored within a window, for every format.
#include "common/order.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "common/aligned.hpp"
#include "common/decorator.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

const std::string order_head = "%clc-trace 1\n%resolution 1000000\n%process 0 a\n";  // a tick is a microsecond
const std::string head_of_three = order_head + "%process 1 b\n%process 2 c\n";

SourceOptions window(double us) {
  SourceOptions options;
  options.sort_window_us = us;
  return options;
}

}  // namespace

TEST_CASE("disorder is an error that names the window that would accept it, in text and binary") {
  const Folder folder;
  write_file("t.clct", head_of_three + "100 0 I a\n# between\n70 1 I b\n200 0 I c\n");
  const Trace text = read_trace("t.clct");
  CHECK(text.error ==
        "t.clct:8: found time 70 after time 100 (t.clct:6), expected records sorted by time; sort the trace, or accept "
        "the disorder with SourceOptions::sort_window_us 30");
  CHECK(text.events.size() == 1);
  CHECK(text.notes.back().second == "# between");
  SourceOptions any_order;
  any_order.any_order = true;
  CHECK(read_trace("t.clct", any_order).events.size() == 3);
  REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary), any_order).empty());
  const Trace binary = read_trace("t.clcb");
  CHECK(binary.error ==
        "t.clcb: offset 129: found time 70 after time 100 (t.clcb: offset 111), expected records sorted by time; sort "
        "the trace, or accept the disorder with SourceOptions::sort_window_us 30");
  CHECK(binary.events.size() == 1);
  CHECK(read_trace("t.clct", window(30)).error.empty());
  CHECK(read_trace("t.clcb", window(30)).error.empty());
}

TEST_CASE("disorder beyond the window is an error, all before it is delivered in order") {
  const Folder folder;
  write_file("t.clct", head_of_three + "100 0 I a\n90 1 I b\n69 2 I c\n300 0 I d\n");
  const Trace trace = read_trace("t.clct", window(30));
  CHECK(trace.error ==
        "t.clct:8: found time 69 after time 100 (t.clct:6), expected disorder of at most 30 us; sort the trace, or "
        "accept the disorder with SourceOptions::sort_window_us 31");
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.bodies[0] == " 1 I b");
  CHECK(trace.bodies[1] == " 0 I a");
}

namespace {

/// A source that must not be read after its end.
class Strict final : public formats::Decorator {
 public:
  explicit Strict(std::unique_ptr<Source> source) : Decorator(std::move(source)) {}
  bool read(Batch& batch) override {
    REQUIRE_FALSE(ended_);
    ended_ = !inner().read(batch);
    return !ended_;
  }

 private:
  bool ended_ = false;
};

/// The error of reading all.
std::string error_of(Source& source) {
  Batch batch;
  try {
    while (source.read(batch)) {
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("disorder in the last batch: nothing is read after the end") {
  const Folder folder;
  write_file("t.clct", head_of_three + "100 0 I a\n60 1 I b\n");
  SourceOptions any_order;
  any_order.any_order = true;
  const auto open = [&] { return std::make_unique<Strict>(std::move(open_source("t.clct", any_order).source)); };
  CHECK_THAT(error_of(*formats::checked(open())), Catch::EndsWith("SourceOptions::sort_window_us 40"));
  CHECK_THAT(error_of(*formats::sorted_within(open(), 30, 1U << 20U)),
             Catch::EndsWith("SourceOptions::sort_window_us 40"));
}

TEST_CASE("the window in the message is in microseconds, rounded up") {
  const Folder folder;
  write_file("t.clct", "%clc-trace 1\n%resolution 2500001159\n%process 0 a\n%process 1 b\n100 0 I\n99 1 I\n");
  CHECK_THAT(read_trace("t.clct").error, Catch::EndsWith("SourceOptions::sort_window_us 0.0004"));
  CHECK(read_trace("t.clct", window(0.0004)).error.empty());
  write_file(
      "t.clct",
      "%clc-trace 1\n%resolution 1\n%process 0 a\n%process 1 b\n9223372036854775807 0 I\n-9223372036854775808 1 I\n");
  CHECK_THAT(read_trace("t.clct").error, Catch::EndsWith("SourceOptions::sort_window_us 9223372036854775807000000"));
}

TEST_CASE("a sort window must be a size") {
  const Folder folder;
  write_file("t.clct", order_head);
  CHECK_THROWS_AS(open_source("t.clct", window(-1)), UsageError);
}

TEST_CASE("sorting within a window is a stable sort, notes stay ahead of what they stood ahead of") {
  const Folder folder;
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    std::string text = head_of_three;
    struct Record {
      std::int64_t key;  // the largest time of its process so far
      std::int64_t time;
      std::string body;
      int number;
    };
    std::vector<Record> records;
    std::array<std::int64_t, 3> largest{};
    largest.fill(std::numeric_limits<std::int64_t>::min());
    std::int64_t now = 0;
    std::int64_t latest = 0;
    const std::int64_t size = round % 3 == 0 ? 5 : 2000;
    for (int i = 0; i < 20000; ++i) {
      now += static_cast<std::int64_t>(random() % 7);
      const std::int64_t time =
          std::max(now - static_cast<std::int64_t>(random() % static_cast<unsigned>(size)), latest - size);
      latest = std::max(latest, time);
      const std::size_t process = random() % largest.size();
      largest[process] = std::max(largest[process], time);
      const std::string body = ' ' + std::to_string(process) + " I " + std::to_string(i);
      records.push_back({largest[process], time, body, i});
      if (random() % 50 == 0) text += "# before " + std::to_string(i) + "\n";
      text += std::to_string(time) + body + "\n";
    }
    write_file("t.clct", text);
    std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    const Trace trace = read_trace("t.clct", window(static_cast<double>(size)));
    REQUIRE(trace.error.empty());
    REQUIRE(trace.events.size() == records.size());
    std::vector<std::size_t> place(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      REQUIRE(trace.events[i].time.ticks() == records[i].time);
      REQUIRE(trace.bodies[i] == records[i].body);
      place[static_cast<std::size_t>(records[i].number)] = i;
    }
    int last = -1;
    for (const auto& [before, line] : trace.notes) {
      if (line.front() != '#') continue;
      const int record = std::stoi(line.substr(9));
      REQUIRE(record > last);
      last = record;
      REQUIRE(before <= place[static_cast<std::size_t>(record)]);
    }
  }
}

TEST_CASE("a definition stays ahead of a record that is sorted forward") {
  const Folder folder;
  write_file("t.clct", order_head + "100 0 I\n%process 1 b\n90 1 I\n");
  REQUIRE(copy_trace("t.clct", "u.clct", as(Format::text), window(10)).empty());
  CHECK(read_file("u.clct") == order_head + "%process 1 b\n90 1 I\n100 0 I\n");
}

TEST_CASE("a window that does not fit into memory") {
  const Folder folder;
  SourceOptions little = window(1e9);
  little.sort_memory = 100'000;
  std::string text = head_of_three;
  std::string expected = head_of_three;
  const auto record = [](int i) { return std::to_string(1000 + i) + (i % 2 == 0 ? " 0 I\n" : " 1 I\n"); };
  for (int i = 0; i < 20'000; ++i) text += record(i ^ 1);
  for (int i = 0; i < 20'000; ++i) expected += record(i);
  SECTION("where what comes is later than what had to leave") {
    write_file("t.clct", text);
    REQUIRE(copy_trace("t.clct", "u.clct", as(Format::text), little).empty());
    CHECK((read_file("u.clct") == expected));
  }
  SECTION("where it is earlier") {
    write_file("t.clct", text + "999 2 I\n");
    const Trace trace = read_trace("t.clct", little);
    CHECK(trace.events.size() == 20'000);
    CHECK_THAT(trace.error,
               Catch::StartsWith("t.clct:20006: found time 999 after time ") &&
                   Catch::Contains(
                       "which was emitted before the end of its sort window because more than 100000 bytes "
                       "were buffered, expected less disorder; raise SourceOptions::sort_memory, or sort the trace"));
    CHECK(read_trace("t.clct", window(1e9)).error.empty());
  }
}

TEST_CASE("a sorted trace is the same through a window") {
  const Folder folder;
  write_file("t.clct", small_text());
  REQUIRE(copy_trace("t.clct", "u.clct", as(Format::text), window(1000)).empty());
  CHECK(read_file("u.clct") == small_text());
}

TEST_CASE("damage behind a window: all before it is delivered") {
  const Folder folder;
  write_file("t.clct", order_head + "100 0 I a\n90 0 I b\nbad\n");
  const Trace trace = read_trace("t.clct", window(50));
  CHECK(trace.events.size() == 2);
  CHECK_THAT(trace.error, Catch::StartsWith("t.clct:6: found \"bad\" as time"));
}

TEST_CASE("the window in the message suffices for the whole file") {
  const Folder folder;
  write_file("t.clct", head_of_three + "100 0 I a\n90 1 I b\n300 0 I c\n260 1 I d\n400 0 I e\n");
  CHECK_THAT(read_trace("t.clct").error, Catch::StartsWith("t.clct:7: found time 90 after time 100") &&
                                             Catch::EndsWith("SourceOptions::sort_window_us 40"));
  CHECK_THAT(read_trace("t.clct", window(20)).error, Catch::EndsWith("SourceOptions::sort_window_us 40"));
  CHECK(read_trace("t.clct", window(40)).error.empty());
  // Damage behind it does not hide it.
  write_file("t.clct", head_of_three + "100 0 I a\n90 1 I b\n300 0 I c\n285 1 I d\ndamaged\n200 1 I e\n");
  CHECK_THAT(read_trace("t.clct").error, Catch::EndsWith("SourceOptions::sort_window_us 15"));
}

namespace {

/// A communicator, 4, that is defined anew again and again while nobody uses it, beside records of others, whose clock
/// is ahead. Bytes sent on it are the number of the definition.
struct Reuse {
  std::string text;
  std::vector<std::vector<ProcessIndex>> members;
  std::vector<Ticks> delays;
};

constexpr Ticks ahead = 5000;  // of the clock of process 3

/// mapped: sorted by recorded times, of which those of process 3 are ahead. Otherwise its records come as much later in
/// the input than they should.
Reuse reuse_of(std::mt19937_64& random, bool mapped) {
  Reuse reuse;
  std::vector<std::pair<Ticks, std::string>> lines;  // place in the input
  const auto below = [&](std::uint64_t limit) { return static_cast<Ticks>(random() % limit); };
  Ticks time = ahead;
  for (std::size_t phase = 0; phase < 40; ++phase) {
    std::vector<ProcessIndex> members{0, 1, 2};
    std::shuffle(members.begin(), members.end(), random);
    members.resize(1 + random() % 3);
    reuse.members.push_back(members);
    reuse.delays.push_back(random() % 2 == 0 ? 0 : 1 + below(9));
    std::string line = "%group 4";
    for (const ProcessIndex member : members) line += ' ' + std::to_string(member);
    if (reuse.delays.back() > 0) line += " min-delay=" + std::to_string(reuse.delays.back());
    lines.emplace_back(time, line);
    for (std::uint64_t left = random() % 6; left > 0; --left) {
      const Ticks at = time + 1 + below(100);
      lines.emplace_back(at, std::to_string(at) + ' ' + std::to_string(members[random() % members.size()]) +
                                 " X barrier 4 - " + std::to_string(phase) + " 0");
    }
    for (std::uint64_t left = random() % 4; left > 0; --left) {
      const Ticks at = time + below(200);
      lines.emplace_back(at + ahead, std::to_string(mapped ? at + ahead : at) + " 3 X barrier 5 - 0 0");
    }
    if (random() % 4 == 0) lines.emplace_back(time + 1, "%process 3 renamed" + std::to_string(phase));
    time += 200 + below(random() % 8 == 0 ? 20'000 : 100);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  reuse.text = head_of_three + "%process 3 d\n%group 5 3\n";
  for (const auto& [place, line] : lines) reuse.text += line + '\n';
  return reuse;
}

/// The number of records on the communicator that is defined anew. Each must come with its definition, which must be
/// the last one among the notes, too, and the same from one read to the next.
std::size_t with_own_definitions(Source& source, const Reuse& reuse) {
  std::size_t count = 0;
  Time last = Time::earliest();
  std::string line;
  Batch batch;
  for (bool more = true; more;) {
    more = source.read(batch);
    auto note = batch.notes.begin();
    for (std::size_t i = 0; i < batch.events.size(); ++i) {
      for (; note != batch.notes.end() && note->before <= i; ++note)
        if (note->line.starts_with("%group 4")) line = note->line;
      const Event& event = batch.events[i];
      REQUIRE(event.time >= last);
      last = event.time;
      const Communicator& communicator = source.definitions().communicators()[event.communicator];
      if (communicator.number != 4) continue;
      REQUIRE(communicator.members == Members(reuse.members[event.bytes]));
      REQUIRE(communicator.min_delay == reuse.delays[event.bytes]);
      std::string wanted = "%group 4";
      for (const ProcessIndex member : reuse.members[event.bytes]) wanted += ' ' + std::to_string(member);
      if (communicator.min_delay > 0) wanted += " min-delay=" + std::to_string(communicator.min_delay);
      REQUIRE(line == wanted);
      ++count;
    }
    for (; note != batch.notes.end(); ++note)
      if (note->line.starts_with("%group 4")) line = note->line;
  }
  return count;
}

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("records that are sorted keep the definitions before which they were read") {
  const Folder folder;
  for (std::uint64_t seed = 1; seed <= (in_depth() ? 500 : 50); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const bool mapped = random() % 2 == 0;
    const Reuse reuse = reuse_of(random, mapped);
    write_file("t.clct", reuse.text);
    SourceOptions options;
    REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary),
                       [] {
                         SourceOptions any;
                         any.any_order = true;
                         return any;
                       }())
                .empty());
    if (!mapped || random() % 2 == 0) options.sort_window_us = ahead + 200;
    options.threads = std::make_shared<Threads>(1 + random() % 3);
    RecordedTimes recorded;
    const Offsets maps{{3, OffsetLine(std::vector<OffsetPoint>{{Time(0), -ahead, 0}})}};
    const std::size_t wanted = occurrences(reuse.text, " X barrier 4");
    for (const std::string name : {"t.clct", "t.clcb"}) {
      std::unique_ptr<Source> source = open_source(name, options).source;
      if (mapped) source = aligned(std::move(source), maps, recorded);
      CHECK(with_own_definitions(*source, reuse) == wanted);
      const Communicator& last = source->definitions().communicators()[*source->definitions().find_communicator(4)];
      CHECK(last.members == Members(reuse.members.back()));
      CHECK(last.min_delay == reuse.delays.back());
    }
  }
}

TEST_CASE("definitions that are replaced very often take no memory behind a window") {
  const Folder folder;
  std::string text = head_of_three + "%group 4 0 1\n";
  for (int i = 0; i < 20'000; ++i)
    text += (i % 2 == 0 ? "%group 4 1 2\n" : "%group 4 2 1 0\n") + std::to_string(i) + " 0 I e\n";
  write_file("t.clct", text);
  SourceOptions options = window(10);
  options.sort_memory = 1U << 16U;
  const OpenedSource opened = open_source("t.clct", options);
  const std::uint64_t before = opened.source->definitions().memory();
  std::size_t notes = 0;
  Batch batch;
  for (bool more = true; more; notes += batch.notes.size()) {
    more = opened.source->read(batch);
    REQUIRE(opened.source->definitions().memory() < before + 10'000);
  }
  CHECK(notes == occurrences(text, "%"));
  CHECK(opened.source->definitions().communicators().front().changes == 20'000);
}
