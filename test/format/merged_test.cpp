// Parts of the merging of several traces, and the merged source against a sorted list.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "binary/layout.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "clc/io/sink.hpp"
#include "common/checksum.hpp"
#include "merged/arena.hpp"
#include "merged/heads.hpp"
#include "merged/parts.hpp"
#include "support.hpp"

using namespace clc;
using namespace clc::formats;
using namespace format_test;

TEST_CASE("heads come by time, equal ones by trace, and the second is the next one") {
  std::mt19937_64 random(1);
  // Close together, far apart, and as far as times can be.
  const auto some_time = [&random](int round) {
    const auto number = static_cast<std::int64_t>(random());
    if (round % 3 == 0) return number >> 58;
    if (round % 3 == 1) return number >> (random() % 64);
    return std::array{Time::earliest(), Time(0), Time::latest()}[random() % 3].ticks();
  };
  int kept = 0;  // the first one stays, and that is known before
  int told = 0;  // the second one is known
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = random() % 20 + 1;
    // The times of a trace need not rise: that of its next record decides.
    std::map<std::size_t, std::vector<std::int64_t>> traces;
    std::vector<Head> begins;
    for (std::size_t i = 0; i < count; ++i) {
      if (random() % 4 == 0) continue;
      for (std::size_t records = random() % 30 + 1; records > 0; --records) traces[i].push_back(some_time(round));
      if (round % 2 == 0) std::sort(traces[i].rbegin(), traces[i].rend());
      begins.push_back({Time(traces[i].back()), i});
    }
    Heads heads(begins, count);
    while (!traces.empty()) {
      REQUIRE(!heads.empty());
      const auto first = std::min_element(traces.begin(), traces.end(), [](const auto& a, const auto& b) {
        return a.second.back() != b.second.back() ? a.second.back() < b.second.back() : a.first < b.first;
      });
      REQUIRE(heads.first() == first->first);
      const Time until = heads.until();
      if (traces.size() > 1 && first->second.back() < until.ticks()) {
        const auto next = std::min_element(traces.begin(), traces.end(), [&first](const auto& a, const auto& b) {
          const auto place = [&first](const auto& trace) {
            return std::tuple(trace.first == first->first, trace.second.back(), trace.first);
          };
          return place(a) < place(b);
        });
        if (heads.second() == next->first) ++told;
      }
      first->second.pop_back();
      if (first->second.empty()) {
        traces.erase(first);
        heads.pop();
        continue;
      }
      const auto mine = std::pair(first->second.back(), first->first);
      const bool stays = std::all_of(traces.begin(), traces.end(), [&mine](const auto& trace) {
        return mine <= std::pair(trace.second.back(), trace.first);
      });
      // It may leave the decision to the next comparison of all, but never lets another one wait.
      if (Time(mine.first) < until) REQUIRE(stays);
      if (stays && Time(mine.first) < until) ++kept;
      heads.replace(Time(mine.first));
    }
    REQUIRE(heads.empty());
  }
  CHECK(kept > 1000);
  CHECK(told > 1000);
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

namespace {

/// Traces in text, each of one or two processes, whose clocks may be set back; definitions of others stand at the
/// beginning, or ahead of their first use.
std::vector<std::string> random_traces(std::mt19937_64& random) {
  const std::size_t count = random() % 8 + 1;
  std::vector<std::string> traces;
  for (std::size_t trace = 0; trace < count; ++trace) {
    const std::size_t own = random() % 2 + 1;
    std::string text = "%clc-trace 1\n%group 7\n";
    std::set<std::size_t> defined;
    const auto define = [&](std::size_t process) {
      if (defined.insert(process).second) text += "%process " + std::to_string(process) + '\n';
    };
    if (random() % 2 == 0)
      for (std::size_t process = 0; process < 2 * count; ++process) define(process);
    auto time = static_cast<std::int64_t>(random() % 100);
    std::int64_t newest = time;
    std::set<std::size_t> reached;  // processes with a record at that time, who may go back
    for (std::size_t i = random() % 1000; i > 0; --i) {
      const std::size_t process = 2 * trace + random() % own;
      const std::size_t peer = random() % (2 * count);
      define(process);
      define(peer);
      if (random() % 200 == 0) text += "# a note\n";
      time += static_cast<std::int64_t>(random() >> (random() % 24 + 40));
      if (random() % 30 == 0) time = newest - 1000;
      if (reached.count(process) == 0) time = std::max(time, newest);
      if (time > newest) reached.clear();
      newest = std::max(time, newest);
      if (time == newest) reached.insert(process);
      text += std::to_string(time) + ' ' + std::to_string(process);
      switch (random() % 6) {
        case 0:
          text += " E " + std::string(random() % 200, 'f') + "main\n";
          break;
        case 1:
          text += " I anything else\n";
          break;
        case 2:
          text += " B\n";
          break;
        case 3:
          text += " X bcast 7 1 8 16 call=2 further\n";
          break;
        default:
          text += (random() % 2 == 0 ? " S " : " R ") + std::to_string(peer) + " 7 " + std::to_string(random() % 300) +
                  " 8" + (random() % 4 == 0 ? " @=17" : "") + '\n';
      }
    }
    traces.push_back(std::move(text));
  }
  return traces;
}

/// A trace in binary, in blocks of a few records.
void write_in_blocks(const std::string& from, const std::string& to, std::mt19937_64& random) {
  const OpenedSource opened = open_source(from, {});
  SinkOptions options = as(Format::binary);
  options.sync = false;
  options.body_format = opened.format;
  options.decoder = &opened.source->decoder();
  const std::unique_ptr<Sink> sink = open_sink(to, opened.source->definitions(), options);
  Batch batch;
  for (bool more = true; more;) {
    more = opened.source->read(batch);
    auto note = batch.notes.begin();
    for (std::size_t i = 0; i <= batch.events.size(); ++i) {
      for (; note != batch.notes.end() && note->before == i; ++note) sink->note(note->line);
      if (i == batch.events.size()) break;
      const Corrected record{batch.events[i].time, batch.events[i].time, batch.events[i].process, batch.bodies[i]};
      sink->events({&record, 1});
      if (random() % 300 == 0) sink->flush();
    }
  }
  sink->close();
}

/// Changes a byte in a block of records, and the checksum with it; some files end there.
void damage(const std::string& path, std::mt19937_64& random) {
  namespace b = binary;
  std::string bytes = read_file(path);
  std::vector<std::size_t> blocks;
  for (std::size_t at = b::file_head_size; std::string_view(bytes).substr(at, 4) == b::data_block;
       at += b::block_head_size + b::load<std::uint32_t>(bytes.data() + at + 4) + b::checksum_size)
    blocks.push_back(at);
  const std::size_t block = blocks[random() % blocks.size()];
  const std::size_t size = b::load<std::uint32_t>(bytes.data() + block + 4);
  const std::size_t begin = block + b::block_head_size;
  const std::size_t from_end = random() % 2 == 0 ? random() % std::min<std::size_t>(size, 20) : random() % size;
  const std::size_t at = begin + size - 1 - from_end;
  if (random() % 4 == 0) {
    bytes.resize(at);
  } else {
    bytes[at] = static_cast<char>(random() >> (random() % 8 + 56));
    b::store(bytes.data() + begin + size, checksum(std::string_view(bytes).substr(begin, size)));
  }
  write_file(path, bytes);
}

}  // namespace

TEST_CASE("binary traces are merged like the same traces in text") {
  const Folder folder;
  std::mt19937_64 random(6);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    SourceOptions text;
    SourceOptions binary;
    text.as_set = binary.as_set = true;  // a trace alone is merged, too
    for (const std::string& trace : random_traces(random)) {
      const std::string number = std::to_string(text.further.size());
      write_file(number + ".clct", trace);
      write_in_blocks(number + ".clct", number + ".clcb", random);
      text.further.push_back(number + ".clct");
      binary.further.push_back(number + ".clcb");
    }
    const Trace expected = read_trace("", text);
    const Trace found = read_trace("", binary);
    REQUIRE(expected.error.empty());
    REQUIRE(found.error.empty());
    REQUIRE(found.events == expected.events);
    REQUIRE(found.bodies == expected.bodies);
    REQUIRE(found.notes == expected.notes);
  }
}

TEST_CASE("a damaged binary trace is merged up to where it is read by itself, with the same message") {
  const Folder folder;
  std::mt19937_64 random(7);
  int damaged = 0;
  const int rounds = in_depth() ? 200 : 60;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::vector<std::string> traces = random_traces(random);
    SourceOptions options;
    for (const std::string& trace : traces) {
      const std::string path = std::to_string(options.further.size()) + ".clcb";
      write_file("text", trace);
      write_in_blocks("text", path, random);
      options.further.push_back(path);
    }
    const std::size_t which = random() % traces.size();
    damage(options.further[which], random);
    const Trace alone = read_trace(options.further[which]);
    options.keep_going = true;
    const Trace merged = read_trace("", options);
    REQUIRE(merged.error == alone.error);
    damaged += alone.error.empty() ? 0 : 1;
    std::vector<std::uint64_t> places;
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < merged.places.size(); ++i) {
      if (merged.places[i] >> 44 != which) continue;
      places.push_back(merged.places[i] & ((std::uint64_t{1} << 44) - 1));
      kinds.push_back(merged.bodies[i].substr(0, 1));
    }
    REQUIRE(places == alone.places);
    for (std::size_t i = 0; i < kinds.size(); ++i) REQUIRE(kinds[i] == alone.bodies[i].substr(0, 1));
  }
  CHECK(damaged > rounds / 4);
}

TEST_CASE("a definition that is replaced at the end of a trace takes effect between the records of others") {
  const Folder folder;
  write_file("0.clct", "%clc-trace 1\n%process 0 a\n5 0 B\n%process 0 b\n");
  write_file("1.clct", "%clc-trace 1\n%process 1 c\n4 1 B\n9 1 B\n");
  for (const Format format : {Format::text, Format::binary}) {
    SourceOptions options;
    for (const std::string name : {"0", "1"}) {
      options.further.push_back(name + ".copy");
      REQUIRE(copy_trace(name + ".clct", options.further.back(), as(format)).empty());
    }
    const Trace trace = read_trace("", options);
    CHECK(trace.error.empty());
    REQUIRE(trace.events.size() == 3);
    REQUIRE(!trace.notes.empty());
    CHECK(trace.notes.back() == std::pair(std::size_t{2}, std::string("%process 0 b")));
  }
}
