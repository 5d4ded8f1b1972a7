// Parts of reading and writing OTF2 archives by themselves: the spool, events in it, clock offsets, times between
// corrected ones, numbers of attributes, events without libotf2.
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <tuple>

#include "clc/error.hpp"
#include "clc/time.hpp"
#include "common/spool.hpp"
#include "common/varint.hpp"
#include "otf2/attribute_mapping.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/event_spool.hpp"
#include "otf2/mapped_offsets.hpp"
#include "otf2/number_tables.hpp"
#include "otf2/plain_events.hpp"
#include "otf2/texts.hpp"
#include "otf2/times.hpp"
#include "support.hpp"

using namespace clc;
using namespace clc::formats;
using namespace clc::otf2;
using namespace format_test;

namespace {

/// An environment variable for the time of a test.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::vector<std::int64_t> all_of(const ClockOffsets& offsets, const std::vector<std::int64_t>& times) {
  LocationClock clock(offsets);
  std::vector<std::int64_t> result;
  for (const std::int64_t time : times) result.push_back(clock.at(time));
  return result;
}

constexpr std::uint64_t chunk_size = 128;

/// Chunks of an event file in the byte order of this machine.
class EventFile {
 public:
  /// Begins the next chunk.
  EventFile& chunk() {
    if (!bytes_.empty()) bytes_.resize((bytes_.size() + chunk_size - 1) / chunk_size * chunk_size);
    bytes_ += '\3';
    bytes_ += 'B';
    bytes_.append(16, '\0');
    return *this;
  }
  EventFile& time(std::uint64_t time) {
    bytes_ += '\5';
    bytes_.append(reinterpret_cast<const char*>(&time), sizeof time);
    return *this;
  }
  EventFile& operator<<(std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) bytes_ += static_cast<char>(byte);
    return *this;
  }
  /// "KIND@TIME NUMBER NUMBER ..." of the events with that many numbers, then why it stops.
  [[nodiscard]] std::string read(std::size_t numbers, std::size_t count = 100) const {
    const Folder folder;
    write_file("events", bytes_);
    PlainEvents events("events", chunk_size);
    std::string all;
    const auto take = [&](std::uint8_t kind, std::uint64_t time, const char* begin, const char* end) {
      PackedFields fields(begin, end);
      std::string one = std::to_string(kind) + '@' + std::to_string(time);
      for (std::size_t i = 0; i < numbers; ++i)
        one += ' ' + (i == 0 ? std::to_string(fields.next32()) : std::to_string(fields.next64()));
      if (!fields.valid()) return false;
      all += one + ", ";
      return true;
    };
    const PlainEvents::Stop stop = events.read(count, take);
    return all + (stop == PlainEvents::Stop::end ? "end" : stop == PlainEvents::Stop::count ? "count" : "other");
  }

 private:
  std::string bytes_;
};

}  // namespace

TEST_CASE("OTF2: a spool gives back what it got, from memory and from its file") {
  constexpr std::size_t streams = 3;
  for (const std::size_t blocks_in_memory : {std::size_t{0}, std::size_t{2}, std::size_t{1000}}) {
    const Folder folder;
    const Setting place("TMPDIR", ".");
    Spool spool(1, blocks_in_memory * Spool::block_size);
    spool.grow(streams);
    std::mt19937_64 random(blocks_in_memory + 1);
    std::array<std::vector<std::uint64_t>, streams> numbers;
    for (int i = 0; i < 80'000; ++i) {  // three groups of blocks, and some of a fourth one
      const std::uint64_t number = random() >> random() % 64;
      const std::size_t stream = random() % streams;
      numbers[stream].push_back(number);
      spool.append_varint(stream, number);
    }
    const std::string text(3 * Spool::block_size, 'x');
    spool.append(1, text.data(), text.size());
    CHECK(folder.files().empty());  // nobody else sees the file
    for (int again = 0; again < 2; ++again) {
      for (std::size_t stream = 0; stream < streams; ++stream) {
        Spool::Reader reader(spool, stream);
        std::vector<std::uint64_t> read(numbers[stream].size());
        for (std::uint64_t& number : read) REQUIRE(reader.varint(number));
        CHECK(read == numbers[stream]);
        std::string bytes;
        CHECK(reader.bytes(stream == 1 ? text.size() : 0, bytes));
        CHECK(bytes == (stream == 1 ? text : ""));
        std::uint64_t more = 0;
        CHECK_FALSE(reader.varint(more));
        CHECK_FALSE(reader.bytes(1, bytes));
      }
    }
  }
}

TEST_CASE("OTF2: a spool that ends within a number says so") {
  Spool spool(1);
  spool.append(0, "\xff\xff", 2);
  Spool::Reader reader(spool, 0);
  std::uint64_t number = 0;
  CHECK_FALSE(reader.varint(number));
  Spool endless(1);
  endless.append(0, std::string(20, '\xff').data(), 20);
  Spool::Reader of_endless(endless, 0);
  CHECK_FALSE(of_endless.varint(number));  // more than 64 bits
}

TEST_CASE("OTF2: a spool without room says what to do") {
  const std::string group(Spool::group * Spool::block_size, 'x');
  const Folder folder;
  {
    const Setting place("TMPDIR", "missing");
    Spool spool(1, 0);
    CHECK_THROWS_WITH(spool.append(0, group.data(), group.size()),
                      "temporary file: cannot be created: No such file or directory; make room, or name another "
                      "folder in TMPDIR");
  }
  const Setting place("TMPDIR", ".");
  struct rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  struct rlimit small = before;
  small.rlim_cur = group.size() + Spool::block_size;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  Spool spool(1, 0);
  spool.append(0, (group + 'y').data(), group.size() + 1);
  std::string message;
  try {
    spool.append(0, group.data(), group.size());
  } catch (const OutputError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(message == "temporary file: cannot be written: File too large; make room, or name another folder in TMPDIR");
}

TEST_CASE("OTF2: a spool gives back entries that lie across blocks, at any length and with bytes between them") {
  for (const std::size_t blocks_in_memory : {std::size_t{0}, std::size_t{3}, std::size_t{1000}}) {
    const Folder folder;
    const Setting place("TMPDIR", ".");
    std::mt19937_64 random(blocks_in_memory + 1);
    for (std::size_t entries = 0; entries < 2000; entries = 2 * entries + 1) {
      Spool spool(2, blocks_in_memory * Spool::block_size);
      std::array<std::vector<std::string>, 2> all;
      for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t stream = random() % 2;
        std::string& entry = all[stream].emplace_back(1 + random() % Spool::longest_entry, 'x');
        for (char& letter : entry) letter = static_cast<char>(random());
        entry.front() = static_cast<char>(entry.size());
        spool.append_entry(stream, [&](char* to) { return std::copy(entry.begin(), entry.end(), to); });
        if (entry.size() % 4 == 0) spool.append(stream, entry.data(), entry.size());
      }
      for (std::size_t stream = 0; stream < 2; ++stream) {
        spool.complete(stream);
        Spool::Reader reader(spool, stream);
        for (const std::string& entry : all[stream]) {
          const char* const at = reader.entry();
          REQUIRE(at != nullptr);
          REQUIRE(std::string(at, static_cast<std::size_t>(*at)) == entry);
          reader.go_on(at + entry.size());
          std::string bytes;
          if (entry.size() % 4 != 0) continue;
          REQUIRE(reader.bytes(entry.size(), bytes));
          REQUIRE(bytes == entry);
        }
        CHECK(reader.entry() == nullptr);
      }
    }
  }
}

TEST_CASE("OTF2: numbers whose lengths are written elsewhere") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = i == 0 ? 0 : random() >> random() % 64;
    const unsigned bytes = formats::bytes_of(number);
    CHECK((bytes == 8 || number >> (8 * bytes) == 0));
    CHECK((bytes == 1 || number >> (8 * (bytes - 1)) > 0));
    std::array<char, 16> place;
    place.fill(static_cast<char>(random()));
    CHECK(formats::put_number(place.data(), number, bytes) == place.data() + bytes);
    const char* at = place.data();
    CHECK(formats::take_number(at, bytes) == number);
    CHECK(at == place.data() + bytes);
    char* const end = formats::put_varint(place.data(), number);
    at = place.data();
    CHECK(formats::take_varint(at) == number);
    CHECK(at == end);
  }
}

namespace {

/// An event of any role. few: its fields have few values.
Event any_event(ProcessIndex process, bool few, std::mt19937_64& random) {
  const auto number = [&](std::uint64_t most) { return random() % (few ? 3 : most); };
  const std::array<CommunicatorIndex, 3> communicators{0, 5, no_communicator};
  Event event;
  event.process = process;
  event.time = Time(static_cast<std::int64_t>(few ? number(3) : random()));
  event.role = static_cast<Role>(random() % 5);
  if (event.role == Role::internal) return event;
  event.tag = static_cast<std::int64_t>(number(~std::uint64_t{0})) - 1;
  if (event.role == Role::collective_begin) return event;
  event.communicator = communicators[number(3)];
  event.bytes = number(~std::uint64_t{0});
  if (event.role == Role::collective_end) {
    event.operation = static_cast<Operation>(number(operations.size()));
    event.root = number(3) == 0 ? no_rank : static_cast<Rank>(number(70'000));
    event.received = number(~std::uint64_t{0});
  } else {
    event.peer = number(9) == 0 ? no_process : static_cast<ProcessIndex>(number(70'000));
    if (event.role == Role::receive && number(4) == 0) event.overtakes = static_cast<std::uint16_t>(number(65'536));
  }
  return event;
}

}  // namespace

TEST_CASE("OTF2: packed events are those that were put in") {
  constexpr std::size_t streams = 3;
  for (const bool bodies : {false, true}) {
    std::mt19937_64 random(bodies ? 1 : 2);
    EventSpool spool(streams, bodies);
    std::array<Run, streams> all;
    for (std::size_t stream = 0; stream < streams; ++stream) {
      EventSpool::Writer writer(spool, stream);
      for (std::size_t events = 0; events < 20'000;) {
        Run run;
        for (std::size_t i = random() % 40; i-- > 0;) {
          run.events.push_back(any_event(static_cast<ProcessIndex>(stream), stream < 2 || random() % 20 > 0, random));
          run.added.push_back(random() % 9 == 0 ? 1 : 0);
          if (bodies) run.bytes.append(random() % 100 == 0 ? 5000 : random() % 7, static_cast<char>(random()));
          if (bodies) run.ends.push_back(run.bytes.size());
        }
        events += run.events.size();
        writer.append(run);
        for (std::size_t i = 0; i < run.events.size(); ++i) {
          all[stream].events.push_back(run.events[i]);
          all[stream].added.push_back(run.is_added(i) ? 1 : 0);
          if (bodies) all[stream].bytes += run.body(i);
          if (bodies) all[stream].ends.push_back(all[stream].bytes.size());
        }
      }
      writer.complete();
    }
    for (std::size_t stream = 0; stream < streams; ++stream) {
      EventSpool::Reader reader(spool, stream, static_cast<ProcessIndex>(stream));
      Run run;
      std::size_t at = 0;
      while (reader.read(1 + random() % 60, run)) {
        for (std::size_t i = 0; i < run.events.size(); ++i, ++at) {
          REQUIRE(at < all[stream].events.size());
          REQUIRE(run.events[i] == all[stream].events[at]);
          REQUIRE(run.is_added(i) == all[stream].is_added(at));
          if (bodies) REQUIRE(run.body(i) == all[stream].body(at));
        }
      }
      CHECK(at == all[stream].events.size());
    }
  }
}

TEST_CASE("OTF2: messages that differ in their peer alone come out of a spool as they went in") {
  std::mt19937 random(5);
  EventSpool spool(1, false);
  EventSpool::Writer writer(spool, 0);
  Run all;
  for (std::uint32_t round = 0; round < 20; ++round)
    for (ProcessIndex peer = 1; peer < 400; ++peer) {
      Event& event = all.events.emplace_back();
      event.role = random() % 100 == 0 ? Role::receive : Role::send;
      event.peer = peer;
      event.communicator = 3;
      event.tag = random() % 50 == 0 ? 7 : 2;
      event.bytes = random() % 200 == 0 ? 9 : 8;
      event.time = Time(round);
    }
  writer.append(all);
  writer.complete();
  EventSpool::Reader reader(spool, 0, 0);
  bool added = false;
  Event event;
  for (const Event& expected : all.events) {
    REQUIRE(reader.read(event, added));
    REQUIRE(event == expected);
  }
  CHECK_FALSE(reader.read(event, added));
}

TEST_CASE("OTF2: packed messages are counted by kind, unless their order may matter") {
  std::mt19937_64 random(1);
  for (const unsigned kinds : {1U, 16U, 40U, 5000U}) {
    for (const bool with_call : {false, true}) {
      Run run;
      std::map<std::tuple<Role, ProcessIndex, std::int64_t>, std::uint64_t> expected;
      for (int i = 0; i < 5000; ++i) {
        // Of many kinds one after the other, so that few make room for others.
        const auto kind = static_cast<ProcessIndex>(kinds * static_cast<unsigned>(i) / 5000 + random() % 2);
        Event event{Time(i), 0, random() % 2 == 0 ? Role::send : Role::receive};
        event.peer = kind;
        event.communicator = 0;
        event.tag = kind % 3;
        event.bytes = random() % 2;
        run.events.push_back(event);
        run.events.push_back({Time(i), 0, Role::internal});
        ++expected[{event.role, event.peer, event.tag}];
      }
      if (with_call) run.events.push_back({Time(5000), 0, Role::collective_begin});
      EventSpool spool(1, false);
      EventSpool::Writer writer(spool, 0);
      writer.append(run);
      writer.complete();
      const auto messages = writer.messages();
      CHECK(messages.has_value() == (!with_call && kinds < 100));
      if (!messages) continue;
      for (const auto& [kind, count] : *messages) expected[{kind.role, kind.peer, kind.tag}] -= count;
      for (const auto& [kind, missing] : expected) CHECK(missing == 0);
    }
  }
  EventSpool spool(1, false);
  EventSpool::Writer writer(spool, 0);
  Run run;
  run.events.push_back({Time(0), 0, Role::receive});
  run.events.back().overtakes = 1;
  writer.append(run);
  CHECK_FALSE(writer.messages());
}

TEST_CASE("OTF2: strings are found by their numbers, in whatever order they were defined") {
  Texts texts;
  CHECK_FALSE(texts.find(0).has_value());
  for (const auto& [ref, text] : {std::pair(7U, "seven"), {2U, ""}, {900U, "other"}, {2U, "two"}, {7U, "last"}})
    texts.add(ref, text);
  texts.settle();
  CHECK(texts.size() == 3);
  CHECK(texts.find(2) == "two");
  CHECK(texts.find(7) == "last");
  CHECK(texts.find(900) == "other");
  for (const OTF2_StringRef none : {0U, 3U, 901U}) CHECK_FALSE(texts.find(none).has_value());
}

TEST_CASE("OTF2: signed numbers of a spool") {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, ticks_max, ticks_min})
    CHECK(formats::unzigzag(formats::zigzag(value)) == value);
  CHECK(formats::zigzag(-1) == 1);
  CHECK(formats::zigzag(1) == 2);
}

TEST_CASE("OTF2: clock offsets are interpolated, and go on outside of their points") {
  ClockOffsets offsets;
  CHECK(offsets.empty());
  CHECK(all_of(offsets, {-5, 7}) == std::vector<std::int64_t>{-5, 7});
  offsets.add(1000, 50);
  CHECK(all_of(offsets, {0, 1000, 5000}) == std::vector<std::int64_t>{50, 1050, 5050});
  offsets.add(3000, 100);
  offsets.add(1000, 0);  // the last of one time counts
  CHECK(offsets.points().size() == 2);
  // 1 tick in 20, halves up.
  CHECK(all_of(offsets, {1000, 1009, 1010, 1021, 3000, 3400, 200}) ==
        std::vector<std::int64_t>{1000, 1009, 1011, 1022, 3100, 3520, 160});
  offsets.add(2000, 0);  // in between, after them
  CHECK(all_of(offsets, {1500, 2010, 900, 3000}) == std::vector<std::int64_t>{1500, 2011, 900, 3100});
}

TEST_CASE("OTF2: clock offsets make no times that are negative or overflow") {
  ClockOffsets back;
  back.add(0, 0);
  back.add(10, -20);
  LocationClock clock(back);
  CHECK(clock.next(0) == 0);
  CHECK(clock.next(5) == 0);   // -5
  CHECK(clock.next(10) == 0);  // -10
  CHECK(clock.below_zero() == 2);
  CHECK(clock.at(10) == 0);
  ClockOffsets falling;
  falling.add(100, 50);
  falling.add(110, 30);
  LocationClock behind(falling);
  CHECK(behind.next(100) == 150);
  CHECK(behind.next(105) == 145);  // the clock was set back
  CHECK(behind.next(110) == 140);

  ClockOffsets steep;
  steep.add(10, ticks_min);
  steep.add(11, ticks_max);
  CHECK(all_of(steep, {0, 10, 11, 12, ticks_max}) == std::vector<std::int64_t>{0, 0, ticks_max, ticks_max, ticks_max});
  ClockOffsets down;
  down.add(10, ticks_max);
  down.add(11, ticks_min);
  CHECK(all_of(down, {0, 10, 11, ticks_max}) == std::vector<std::int64_t>{ticks_max, ticks_max, 0, 0});
}

TEST_CASE("OTF2: a map as clock offsets gives the mapped times, within a tick") {
  std::mt19937_64 random(7);
  const auto pick = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  std::int64_t most_alone = 0;
  std::int64_t most_after_own = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    // Clocks within a thousandth of each other; times around the events, which begin late in every second round.
    const std::int64_t begin = round % 2 == 0 ? 1'000'000 : 4'000'000'000'000'000'000;
    const std::int64_t length = pick(1, 20'000);
    const auto time = [&] { return begin + pick(-length, 2 * length); };
    ClockOffsets own;
    const bool has_own = round % 4 > 1;
    for (std::int64_t i = has_own ? pick(1, 4) : 0; i > 0; --i) own.add(begin + i * length / 3, pick(-9, 9));
    std::vector<OffsetPoint> points;
    for (std::int64_t i = pick(1, 5); i > 0; --i)
      points.push_back({Time(time()), pick(-9, 9) + round, static_cast<double>(pick(0, 999)) / 1000});
    const OffsetLine line(points);
    const ClockOffsets mapped = mapped_offsets(own, line, begin, begin + length);
    CHECK(mapped.points().size() >= 2);
    CHECK(mapped.points().front().time == begin);
    CHECK(mapped.points().back().time == begin + length);
    LocationClock before(own);
    LocationClock after(mapped);
    for (std::int64_t at = begin; at <= begin + length; at += 1 + length / 500) {
      const std::int64_t error = after.at(at) - line.at(Time(before.at(at))).ticks();
      std::int64_t& most = has_own ? most_after_own : most_alone;
      most = std::max(most, error < 0 ? -error : error);
    }
  }
  CHECK(most_alone == 1);
  CHECK(most_after_own <= 2);
}

TEST_CASE("OTF2: a map as clock offsets bends where the map does, and where the archive's own ones do") {
  ClockOffsets own;
  own.add(0, 100);
  own.add(1000, 100);
  own.add(2000, 300);
  const auto times = [&](const OffsetLine& line, std::int64_t first, std::int64_t last) {
    const ClockOffsets mapped = mapped_offsets(own, line, first, last);
    std::vector<std::pair<std::int64_t, std::int64_t>> result;
    for (const auto& point : mapped.points()) result.emplace_back(point.time, point.offset);
    return result;
  };
  using Points = std::vector<std::pair<std::int64_t, std::int64_t>>;
  // 600 is read as 700, 1500 as 1700.
  const OffsetLine line({{Time(0), 0, 0}, {Time(700), 70, 0}, {Time(1700), 1070, 0.5}, {Time(9000), 0, 0}});
  CHECK(times(line, 200, 1600) == Points{{200, 130}, {600, 170}, {1000, 570}, {1500, 1271}, {1600, 1273}});
  // A single time, and a constant.
  CHECK(times(OffsetLine({{Time(5), -3, 0.75}}), 500, 500) == Points{{500, 98}, {501, 98}});
  CHECK(times(OffsetLine(), 500, 600) == Points{{500, 100}, {600, 100}});
}

TEST_CASE("OTF2: a time between two events moves between them") {
  const TimePair a{100, 150};
  const TimePair b{200, 350};
  CHECK(between(a, b, 100) == 150);
  CHECK(between(a, b, 150) == 250);
  CHECK(between(a, b, 199) == 348);
  CHECK(between(a, b, 200) == 350);
  CHECK(between(a, b, 260) == 410);       // parallel
  CHECK(between(a, b, 40) == 90);         // parallel
  CHECK(between({100, 20}, b, 10) == 0);  // never negative
  CHECK(between({0, 0}, {ticks_max, ticks_max}, ticks_max - 1) == ticks_max - 1);
  // Of any 64 bits, which clock offsets may make of times.
  const std::int64_t far = ticks_max / 4 * 3;
  CHECK(between({-far, 0}, {far, far}, 0) == far / 2);
  CHECK(between({ticks_min, ticks_min}, {ticks_max, ticks_max}, 1) == 1);
  CHECK(between({-far, 0}, {10 - far, 10}, far) == ticks_max);
  CHECK(between({far, far}, {far, far}, -far) == 0);
}

TEST_CASE("OTF2: a location gets a number for a further attribute that it uses for no other") {
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const auto further = [](OTF2_IdMapMode mode, const Pairs& pairs, OTF2_AttributeRef attribute) {
    const std::unique_ptr<OTF2_IdMap, decltype(&OTF2_IdMap_Free)> known(OTF2_IdMap_Create(mode, pairs.size()),
                                                                        &OTF2_IdMap_Free);
    for (const auto& [local, global] : pairs) CHECK(OTF2_IdMap_AddIdPair(known.get(), local, global) == OTF2_SUCCESS);
    const AttributeMapping mapping(known.get(), attribute);
    REQUIRE(mapping.map() != nullptr);
    OTF2_IdMapMode same = OTF2_ID_MAP_SPARSE;
    CHECK(OTF2_IdMap_GetMode(mapping.map(), &same) == OTF2_SUCCESS);
    CHECK(same == mode);
    Pairs all = pairs;
    all.emplace_back(mapping.local(), attribute);
    for (const auto& [local, global] : all) {
      std::uint64_t found = 0;
      CHECK(OTF2_IdMap_GetGlobalId(mapping.map(), local, &found) == OTF2_SUCCESS);
      CHECK(found == global);
    }
    return mapping.local();
  };
  CHECK(further(OTF2_ID_MAP_DENSE, {{0, 4}, {1, 2}}, 7) == 2);
  CHECK(further(OTF2_ID_MAP_DENSE, {{0, 4}, {1, 7}, {2, 0}}, 7) == 1);
  CHECK(further(OTF2_ID_MAP_SPARSE, {{3, 0}}, 7) == 7);
  CHECK(further(OTF2_ID_MAP_SPARSE, {{7, 0}, {12, 1}}, 7) == 13);
  CHECK(further(OTF2_ID_MAP_SPARSE, {{7, 0}, {12, 7}}, 7) == 12);
}

TEST_CASE("OTF2: events straight from a file") {
  if (std::endian::native != std::endian::little) return;  // libotf2 reads there
  SECTION("as they are written, over chunks") {
    EventFile file;
    file.chunk().time(100) << std::initializer_list<unsigned>{12, 1, 7, 13, 2, 0x34, 0x12};
    file.time(258) << std::initializer_list<unsigned>{12, 0};
    file.chunk() << std::initializer_list<unsigned>{12, 0xff};  // the largest; the time goes on
    file.time(300) << std::initializer_list<unsigned>{13, 1, 1, 2};
    CHECK(file.read(1) == "12@100 7, 13@100 4660, 12@258 0, 12@258 4294967295, 13@300 1, end");
    CHECK(file.read(1, 3) == "12@100 7, 13@100 4660, 12@258 0, count");
  }
  SECTION("numbers of any length, within the record") {
    EventFile file;
    file.chunk().time(1) << std::initializer_list<unsigned>{14, 12, 0xff, 8, 1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 9};
    file << std::initializer_list<unsigned>{14, 2, 0, 0xff, 2};
    CHECK(file.read(2) == "14@1 4294967295 9223372036854775809, 14@1 0 18446744073709551615, end");
    CHECK(file.read(3) == "14@1 4294967295 9223372036854775809 18446744073709551615, other");
  }
  SECTION("a record with a long length, and one of the largest number") {
    EventFile file;
    file.chunk().time(1) << std::initializer_list<unsigned>{14, 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 1, 5, 16, 0xff, 2};
    CHECK(file.read(1) == "14@1 5, 16@1 4294967295, end");
  }
  SECTION("attributes are passed over") {
    EventFile file;
    // 3: a byte, a double, a number.
    file.chunk().time(1) << std::initializer_list<unsigned>{6, 21, 1, 3, 0, 1, 77, 1, 1,  10, 1, 2, 3, 4,
                                                            5, 6,  7, 8, 1, 2, 4,  1, 77, 12, 1, 5, 2};
    CHECK(file.read(1) == "12@1 5, end");
  }
  SECTION("what is not as expected is left to libotf2") {
    const auto only = [](std::initializer_list<unsigned> bytes) {
      EventFile file;
      file.chunk().time(1) << bytes;
      return file.read(1);
    };
    CHECK(only({12, 1, 5, 2}) == "12@1 5, end");
    CHECK(only({12, 1, 5}) == "other");                                // nothing behind it
    CHECK(only({12, 5, 1, 2, 3, 4, 5, 2}) == "other");                 // 5 bytes for 32 bits
    CHECK(only({14, 1, 2, 5, 2}) == "other");                          // the number is longer than the record
    CHECK(only({14, 200, 1, 5, 2}) == "other");                        // the record is longer than the chunk
    CHECK(only({14, 0xff, 200, 0, 0, 0, 0, 0, 0, 0, 2}) == "other");   // the same
    CHECK(only({14, 0xff, 200, 0, 2}) == "other");                     // its length, too
    CHECK(only({12, 1, 5, 1}) == "12@1 5, other");                     // the end of a buffer
    CHECK(only({12, 1, 5, 7, 2}) == "12@1 5, other");                  // no kind of event
    CHECK(only({12, 1, 5, 0}) == "12@1 5, other");                     // another chunk should follow
    CHECK(only({5, 1, 2}) == "other");                                 // a time that is cut off
    CHECK(only({6, 7, 1, 2, 0, 1, 1, 0, 1, 12, 1, 5, 2}) == "other");  // one attribute twice
    CHECK(only({6, 4, 1, 1, 0, 3, 12, 1, 5, 2}) == "other");           // an attribute that is cut off
    CHECK(only({6, 1, 0, 12, 1, 5, 6, 1, 0, 12, 1, 6, 2}) == "12@1 5, 12@1 6, end");
    CHECK(only({6, 1, 0, 6, 1, 0, 12, 1, 5, 2}) == "other");           // two lists of attributes
    CHECK(only({6, 7, 0, 0, 0, 0, 0, 0, 0, 12, 1, 5, 2}) == "other");  // longer than its attributes
    EventFile untimed;
    untimed.chunk() << std::initializer_list<unsigned>{12, 1, 5, 2};
    CHECK(untimed.read(1) == "other");
    EventFile early;
    early.chunk().time(1) << std::initializer_list<unsigned>{12, 1, 5, 2};
    early.chunk() << std::initializer_list<unsigned>{12, 1, 5, 2};
    CHECK(early.read(1) == "12@1 5, other");
    CHECK(EventFile().read(1) == "other");
    EventFile swapped;
    swapped << std::initializer_list<unsigned>{3, '#', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    swapped.time(1) << std::initializer_list<unsigned>{12, 1, 5, 2};
    CHECK(swapped.read(1) == "other");
  }
}

TEST_CASE("OTF2: numbers of a location by tables") {
  NumberTables tables;
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const auto add_all = [&](OTF2_MappingType type, const Pairs& pairs) {
    const std::unique_ptr<OTF2_IdMap, decltype(&OTF2_IdMap_Free)> map(
        OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, pairs.size()), &OTF2_IdMap_Free);
    for (const auto& [own, global] : pairs) CHECK(OTF2_IdMap_AddIdPair(map.get(), own, global) == OTF2_SUCCESS);
    tables.add(type, map.get());
  };
  const auto add = [&](OTF2_MappingType type, std::uint64_t own, std::uint64_t global) {
    add_all(type, {{own, global}});
  };
  add(OTF2_MAPPING_REGION, 3, 8);
  add(OTF2_MAPPING_STRING, 3, 9);  // nobody asks for them
  add(OTF2_MAPPING_STRING, 3, 9);
  CHECK(tables.global<OTF2_MAPPING_REGION>(3) == 8);
  CHECK(tables.global<OTF2_MAPPING_REGION>(2) == 2);
  CHECK(tables.global<OTF2_MAPPING_REGION>(4) == 4);
  CHECK(tables.global<OTF2_MAPPING_REGION>(OTF2_UNDEFINED_REGION) == OTF2_UNDEFINED_REGION);
  CHECK(tables.global<OTF2_MAPPING_COMM>(3) == 3);
  CHECK(tables.complete());
  CHECK(!tables.of_attributes());
  add(OTF2_MAPPING_ATTRIBUTE, 7, 1);
  CHECK(tables.of_attributes());
  Pairs many{{1000, 1000}};
  for (std::uint64_t i = 0; i < 100; ++i) many.emplace_back(8 * i, i);
  many.emplace_back(std::uint64_t{1} << 40U, std::uint64_t{1} << 40U);
  add_all(OTF2_MAPPING_GROUP, many);
  CHECK(tables.global<OTF2_MAPPING_GROUP>(792) == 99);
  CHECK(tables.global<OTF2_MAPPING_GROUP>(791) == 791);
  CHECK(tables.global<OTF2_MAPPING_GROUP>(1000) == 1000);
  CHECK(tables.complete());
  SECTION("a large number") { add(OTF2_MAPPING_COMM, 100, 1); }
  SECTION("one beyond 32 bits") { add(OTF2_MAPPING_COMM, std::uint64_t{1} << 32U, 1); }
  SECTION("a second of a kind") { add(OTF2_MAPPING_REGION, 4, 1); }
  CHECK(!tables.complete());
}

TEST_CASE("otf2: an event file that changes between the two readings is noticed") {
  Corrections corrections(1);
  for (std::int64_t time = 0; time < 3; ++time) Corrections::Writer(corrections, 0).add(time, time + 10);
  corrections.finish();
  const ClockOffsets offsets;
  for (std::int64_t events = 0; events < 5; ++events) {
    LocationTimes times(offsets, corrections, 0);
    for (std::int64_t time = 0; time < events; ++time) static_cast<void>(times.next(time));
    if (events == 3)
      CHECK_NOTHROW(times.check_count("0.evt"));
    else
      CHECK_THROWS_WITH(times.check_count("0.evt"), std::string("0.evt: has ") + (events < 3 ? "fewer" : "more") +
                                                        " events than before; another program is writing to the "
                                                        "archive");
  }
}
