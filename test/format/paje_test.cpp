// Paje: what is read, that only times change, and every kind of damage with its message.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "paje/body.hpp"
#include "paje/decimal.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

// Fields in an unusual order, names of former times, fields nobody knows, an event nobody knows.
const std::string paje_head =
    "# written by hand\n"
    "%EventDef PajeDefineContainerType 1\n"
    "% Alias string\n"
    "%\tContainerType string\n"
    "% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 2\n"
    "% Alias string\n% ContainerType string\n% SourceContainerType string\n% DestContainerType string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n% Name string\n% Alias string\n% Type string\n% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 10\n"
    "% Name string\n% Container string\n% Type string\n% Time date\n% Alias string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 11\n% Name string\n% Type string\n% Time date\n%EndEventDef\n"
    "%EventDef PajePushState 12\n% Container string\n% Time date\n% Type string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 13\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeStartLink 14\n"
    "% Key string\n% Time date\n% Type string\n% Container string\n% SourceContainer string\n% Value string\n"
    "% Size int\n% Where hex\n"
    "%EndEventDef\n"
    "%EventDef PajeEndLink 15\n"
    "% Time date\n% Type string\n% Container string\n% DestContainer string\n% Value string\n% Key string\n"
    "%EndEventDef\n"
    "%EventDef PajeRemark 16\n% Time date\n% Text string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 17\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef Nothing n\n% Text string\n%EndEventDef\n"
    "1 MA 0 Machine\n"
    "1 PR MA Process\n"
    "1 TH PR Thread\n"
    "2 LI 0 PR PR \"a link\"\n"
    "3 ST TH \"State of thread\"\n"
    "3 SP PR State\n"
    "4 \"MPI Send\" snd SP \"1 0 0\"\n";

const std::string small = paje_head +
                          "10 \"machine one\" 0 MA 0.000 m\n"
                          "10 \"rank 0\" m PR 0.000 p0\n"
                          "10 rank1 m PR 0.000 p1\n"
                          "10 thread p1 TH 0.000 t1  # a comment with \"quotes\"\n"
                          "\n"
                          "n \"carried along\"\n"
                          "12 p0 0.500 SP snd\n"
                          "14 \"k 1\" 0.600 LI 0 p0 message 64 0xff\n"
                          "13 0.700 SP p0\n"
                          "16 0.8 \"an event of its own\"\n"
                          "17 0.9 V m 3.5\n"
                          "12 t1 1.000 ST working\n"
                          "15 1.100 LI 0 p1 message \"k 1\"\n"
                          "11 p0 PR 2.000\n"
                          "11 t1 TH 2.000\n"
                          "11 p1 PR 2.000\n"
                          "11 m MA 2.000\n";

/// Copies with all times of process `process` later by `by` ticks, in the order of the input.
std::string shifted(const std::string& text, ProcessIndex process, Ticks by) {
  const Folder folder;
  write_file("a.trace", text);
  const OpenedSource opened = open_source("a.trace");
  SinkOptions options = as(Format::paje);
  options.body_format = opened.format;
  options.decoder = &opened.source->decoder();
  const auto sink = open_sink("b.trace", opened.source->definitions(), options);
  Batch batch;
  bool more = true;
  while (more) {
    more = opened.source->read(batch);
    std::size_t note = 0;
    for (std::size_t i = 0; i <= batch.events.size(); ++i) {
      for (; note < batch.notes.size() && batch.notes[note].before == i; ++note) sink->note(batch.notes[note].line);
      if (i == batch.events.size()) break;
      const Event& event = batch.events[i];
      const Corrected corrected{event.process == process ? event.time + by : event.time, event.time, event.process,
                                batch.bodies[i]};
      sink->events({&corrected, 1});
    }
  }
  sink->close();
  return read_file("b.trace");
}

std::string copied(const std::string& text) {
  const Folder folder;
  write_file("a.trace", text);
  CHECK(copy_trace("a.trace", "b.trace", as(Format::paje)) == "");
  return read_file("b.trace");
}

Trace read(const std::string& text, const SourceOptions& options = {}) {
  const Folder folder;
  write_file("t.trace", text);
  return read_trace("t.trace", options);
}

Definitions definitions_of(const std::string& text, std::int64_t units = 1) {
  const Folder folder;
  write_file("t.trace", text);
  SourceOptions options;
  options.units_per_second = units;
  const OpenedSource opened = open_source("t.trace", options);
  Batch batch;
  while (opened.source->read(batch)) {
  }
  return opened.source->definitions();
}

std::string after(const std::string& text, const std::string& from, const std::string& to) {
  std::string result = text;
  const std::size_t at = result.find(from);
  REQUIRE(at != std::string::npos);
  return result.replace(at, from.size(), to);
}

/// One message; the time of the container comes first.
std::string with_times(const std::string& first, const std::string& send, const std::string& receive) {
  return paje_head + "10 a 0 PR " + first + " p0\n10 b 0 PR " + first + " p1\n14 k " + send + " LI 0 p0 v 1 0\n15 " +
         receive + " LI 0 p1 v k\n";
}

TEST_CASE("a unit of time that is no power of ten is refused, and so is a delay between threads that is none") {
  const Folder folder;
  write_file("t", "");
  for (const std::int64_t units : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{7}, std::int64_t{10'000'000'000}}) {
    SourceOptions options;
    options.units_per_second = units;
    CHECK_THROWS_AS(open_source("t", options), UsageError);
  }
  SourceOptions options;
  options.thread_delay_us = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(open_source("t", options), UsageError);
}

}  // namespace

TEST_CASE("Paje: decimal numbers are exact") {
  using namespace formats::paje;
  const auto value = [](std::string_view field, unsigned decimals) {
    const std::optional<Decimal> number = split(field);
    REQUIRE(number);
    return scaled(*number, decimals);
  };
  CHECK(value("1", 9) == 1'000'000'000);
  CHECK(value("1.5", 0) == 1);
  CHECK(value("-1.5", 1) == -15);
  CHECK(value("+0.000000001", 9) == 1);
  CHECK(value("0.0000000019", 9) == 1);
  CHECK(value("1.25e-05", 9) == 12'500);
  CHECK(value("1.2345678901234e+02", 12) == 123'456'789'012'340);
  CHECK(value("12E3", 0) == 12'000);
  CHECK(value(".5", 1) == 5);
  CHECK(value("5.", 1) == 50);
  CHECK(value("9223372036.854775807", 9) == ticks_max);
  CHECK(value("-9223372036.854775807", 9) == -ticks_max);
  CHECK(!value("9223372036.854775808", 9));
  CHECK(value("-9223372036.854775808", 9) == -ticks_max - 1);
  CHECK(!value("-9223372036.854775809", 9));
  CHECK(!value("1e99999", 9));
  CHECK(value("0e99999999", 9) == 0);
  CHECK(value("1e-99999999", 9) == 0);
  for (const char* wrong : {"", "-", ".", "1e", "1e+-1", "1.2.3", "1x", "nan", "inf", "0x10", " 1", "1,5"})
    CHECK(!split(wrong));

  const auto text = [](std::int64_t number, unsigned decimals, std::int64_t places) {
    std::array<char, longest_decimal> to{};
    return std::string(to.data(), put(to.data(), number, decimals, places));
  };
  CHECK(text(1'500'000'000, 9, 6) == "1.500000");
  CHECK(text(1'500'000'001, 9, 6) == "1.500000001");
  CHECK(text(1'000'000'000, 9, 0) == "1");
  CHECK(text(-5, 9, 0) == "-0.000000005");
  CHECK(text(ticks_min, 0, 3) == "-9223372036854775808");
  CHECK(text(ticks_max, 12, 99) == "9223372.036854775807");
}

TEST_CASE("Paje: every byte passes where no time changes") {
  for (const std::string& text :
       {small, after(small, "11 m MA 2.000\n", "11 m MA 2.000"), paje_head, std::string("#\n") + paje_head + "\n\n",
        with_times("0", "0.1", "0.2"), with_times("1.0e+00", "1.00000000000001", "2."),
        with_times("-1", "-0.5", "+0.5"), small + "n \"the last line is not ended\""})
    CHECK(copied(text) == text);
  std::string windows;
  for (const char c : small) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(copied(windows) == windows);
}

TEST_CASE("Paje: what is read") {
  const Trace trace = read(small);
  CHECK(trace.error.empty());
  REQUIRE(trace.events.size() == 15);
  const Definitions definitions = definitions_of(small);
  REQUIRE(definitions.processes().size() == 4);
  CHECK(definitions.resolution.per_second() == 1'000'000'000);
  // Machine and root are processes of their own; the thread belongs to its process.
  CHECK(definitions.processes()[1].name == "rank_0");
  CHECK(definitions.processes()[1].number == 0);
  CHECK(definitions.processes()[2].number == 1);
  const std::vector<ProcessIndex> processes{0, 1, 2, 2, 1, 1, 1, 3, 0, 2, 2, 1, 2, 2, 0};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    CAPTURE(i);
    CHECK(trace.events[i].process == processes[i]);
    CHECK(trace.events[i].role == (i == 5 ? Role::send : i == 10 ? Role::receive : Role::internal));
  }
  CHECK(trace.events[5].time == Time(600'000'000));
  CHECK(trace.events[5].bytes == 64);
  CHECK(trace.events[5].peer == no_process);
  CHECK(trace.events[5].tag == trace.events[10].tag);
  CHECK(trace.events[5].communicator == trace.events[10].communicator);
  CHECK(trace.places[0] == 86);
}

TEST_CASE("Paje: ends of links match by type, value and key") {
  const auto tags = [](const std::string& value, const std::string& key, const std::string& type) {
    const Trace trace =
        read(after(small, "15 1.100 LI 0 p1 message \"k 1\"", "15 1.100 " + type + " 0 p1 " + value + ' ' + key));
    REQUIRE(trace.events.size() == 15);
    return trace.events[5].tag == trace.events[10].tag && trace.events[5].communicator == trace.events[10].communicator;
  };
  CHECK(tags("message", "\"k 1\"", "LI"));
  CHECK(tags("message", "\"k 1\"", "\"a link\""));  // by name
  CHECK(!tags("message", "k", "LI"));
  CHECK(!tags("other", "\"k 1\"", "LI"));
  CHECK(!tags("message", "\"k 1\"", "other"));
  // SimGrid's picture of the platform is no message.
  const Trace trace = read(after(small, "p0 message 64", "p0 topology 64"));
  CHECK(trace.events[5].role == Role::internal);
}

TEST_CASE("Paje: the number of a process follows from its alias, not from the order of records") {
  const auto number = [](const std::string& head, const std::string& name, std::vector<std::string> aliases) {
    std::string text = head;
    for (const std::string& alias : aliases) text += "10 a 0 PR 0 " + alias + '\n';
    const Definitions definitions = definitions_of(text);
    for (std::size_t i = 0; i < aliases.size(); ++i)
      if (aliases[i] == name) return definitions.processes()[i].number;
    return std::uint64_t{0};
  };
  const std::string numeric = after(after(paje_head, "1 MA 0 Machine", "1 1 0 Machine"), "PR MA", "PR 1");
  for (const std::string& head : {paje_head, numeric})
    for (const char* alias : {"1", "p1", "a"}) {
      CAPTURE(alias);
      const std::uint64_t alone = number(head, alias, {alias});
      for (const auto& order : {std::vector<std::string>{"1", "p1", "a"}, {"p1", "a", "1"}, {"a", "1", "p1"}})
        CHECK(number(head, alias, order) == alone);
      CHECK((alone == 1) == (std::string(alias) == (head == numeric ? "1" : "p1")));
    }
}

TEST_CASE("Paje: types of links have the numbers of their order in the header") {
  const auto numbers = [](const std::string& lines) {
    const std::string types = after(paje_head, "2 LI 0 PR PR \"a link\"\n",
                                    "2 LI 0 PR PR \"a link\"\n2 LJ 0 PR PR second\n2 LI 0 PR PR \"a link\"\n");
    const Definitions definitions = definitions_of(types + "10 a 0 PR 0 p0\n10 b 0 PR 0 p1\n" + lines);
    std::vector<std::uint64_t> all;
    for (const Communicator& communicator : definitions.communicators()) all.push_back(communicator.number);
    return all;
  };
  const std::string first = "14 k 0.1 LI 0 p0 v 1 0\n";
  const std::string second = "14 k 0.1 second 0 p0 v 1 0\n";
  const std::string unknown = "14 k 0.1 x 0 p0 v 1 0\n";
  CHECK(numbers(first) == std::vector<std::uint64_t>{0});
  CHECK(numbers(first + second) == std::vector<std::uint64_t>{0, 1});
  CHECK(numbers(second + first) == std::vector<std::uint64_t>{1, 0});
  const std::vector<std::uint64_t> with_unknown = numbers(unknown + second + first);
  REQUIRE(with_unknown.size() == 3);
  CHECK(numbers(second + unknown) == std::vector<std::uint64_t>{1, with_unknown[0]});
}

TEST_CASE("Paje: links that draw a simulated platform are no messages, and its hosts no processes") {
  // As old versions of SimGrid began a trace: a zone with hosts, a router and links, then processes on the hosts.
  const std::string events =
      "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeDefineLinkType 1\n% Alias string\n% Type string\n% StartContainerType string\n"
      "% EndContainerType string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n"
      "% Name string\n%EndEventDef\n"
      "%EventDef PajeStartLink 3\n% Time date\n% Type string\n% Container string\n% Value string\n"
      "% StartContainer string\n% Key string\n%EndEventDef\n"
      "%EventDef PajeEndLink 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
      "% EndContainer string\n% Key string\n%EndEventDef\n"
      "0 1 0 L1\n0 2 1 HOST\n0 3 1 LINK\n0 4 1 ROUTER\n0 5 2 PROCESS\n";
  const std::string containers =
      "2 0 1 1 0 zone\n2 0 2 2 1 host1\n2 0 3 2 1 host2\n2 0 4 3 1 link\n2 0 5 5 2 a\n2 0 6 5 2 b\n2 0 7 5 3 c\n";
  const std::string message = "3 1.0 8 0 M 5 k\n4 1.2 8 0 M 6 k\n3 1.5 8 0 M 6 l\n4 1.7 8 0 M 7 l\n";
  struct Case {
    const char* types;
    const char* links;
  };
  for (const Case& topology : {Case{"1 6 1 2 3 L1-HOST2-LINK3\n", "3 0 6 1 G 2 0\n4 0 6 1 G 4 0\n"},
                               Case{"1 6 1 2 3 L1-HOST-LINK\n", "3 0 6 1 x 2 0\n4 0 6 1 x 4 0\n"},
                               Case{"1 6 1 2 2 edge\n", "3 0 6 1 topology 2 0\n4 0 6 1 topology 3 0\n"},
                               Case{"1 6 1 2 2 edge\n", "3 0 6 1 G 2 0\n4 0 6 1 G 3 0\n"},
                               Case{"1 G 1 2 2 G\n", "3 0 G 1 x 2 0\n4 0 G 1 x 3 0\n"}}) {
    INFO(topology.types << topology.links);
    const Trace trace =
        read(events + topology.types + "1 8 0 5 5 PROCESS_LINK\n" + containers + topology.links + message);
    REQUIRE(trace.error.empty());
    std::vector<ProcessIndex> ends;
    for (const Event& event : trace.events)
      if (event.role != Role::internal) ends.push_back(event.process);
    REQUIRE(ends.size() == 4);
    CHECK(trace.remarks == std::vector<std::string>{"1 links describe the platform of a simulation; they are ignored"});
    // With names of ends the hosts are no processes, so that those on one host are told apart.
    const bool named = std::string(topology.types).find("-HOST") != std::string::npos;
    CHECK((ends[0] != ends[1]) == named);
    CHECK(ends[0] != ends[3]);
  }
  // Messages of other programs between hosts, and of other names, stay messages.
  for (const Case& messages : {Case{"1 6 1 2 2 L1-messages\n", "3 0 6 1 G1 2 0\n4 0.1 6 1 G1 3 0\n"},
                               Case{"1 6 1 5 5 L1-PROCESS-PROCESS\n", "3 0 6 1 x 5 0\n4 0.1 6 1 x 6 0\n"},
                               Case{"1 G 0 5 5 G\n", "3 0 G 0 G 5 0\n4 0.1 G 0 G 6 0\n"}}) {
    INFO(messages.types << messages.links);
    const Trace trace =
        read(events + messages.types + "1 8 0 5 5 PROCESS_LINK\n" + containers + messages.links + message);
    CHECK(std::count_if(trace.events.begin(), trace.events.end(),
                        [](const Event& event) { return event.role != Role::internal; }) == 6);
    CHECK(trace.remarks.empty());
  }
}

TEST_CASE("Paje: only the time changes, in place") {
  // 500 ns later, which the three digits of the trace do not hold.
  std::string expected = small;
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"10 \"rank 0\" m PR 0.000", "10 \"rank 0\" m PR 0.0000005"},
                                                        {"12 p0 0.500", "12 p0 0.5000005"},
                                                        {"14 \"k 1\" 0.600", "14 \"k 1\" 0.6000005"},
                                                        {"13 0.700", "13 0.7000005"},
                                                        {"11 p0 PR 2.000", "11 p0 PR 2.0000005"}})
    expected = after(expected, from, to);
  CHECK(shifted(small, 1, 500) == expected);
  // Digits stay where fewer would do; the form with an exponent becomes one without.
  CHECK(shifted(with_times("0.000000", "0.100000", "0.2"), 0, 1'000'000) ==
        after(after(with_times("0.000000", "0.100000", "0.2"), "0.000000", "0.001000"), "0.100000", "0.101000"));
  CHECK(shifted(with_times("0.0e0", "1.50e-1", "0.2"), 0, 1'000'000) ==
        after(after(with_times("0.0e0", "1.50e-1", "0.2"), "0.0e0", "0.001"), "1.50e-1", "0.151"));
}

TEST_CASE("Paje: a container around processes is destroyed after them") {
  std::string expected = small;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"10 rank1 m PR 0.000", "10 rank1 m PR 0.100"},
           {"10 thread p1 TH 0.000", "10 thread p1 TH 0.100"},
           {"12 t1 1.000", "12 t1 1.100"},
           {"15 1.100", "15 1.200"},
           {"11 t1 TH 2.000\n11 p1 PR 2.000\n11 m MA 2.000\n", "11 t1 TH 2.100\n11 p1 PR 2.100\n11 m MA 2.000\n"}})
    expected = after(expected, from, to);
  CHECK(shifted(small, 2, 100'000'000) == expected);

  // As the merge hands it over: the machine's end first.
  const Folder folder;
  write_file("a.trace", small);
  const OpenedSource opened = open_source("a.trace");
  SinkOptions options = as(Format::paje);
  options.body_format = Format::paje;
  const auto sink = open_sink("b.trace", opened.source->definitions(), options);
  Batch batch;
  while (opened.source->read(batch) && batch.events.empty()) {
  }
  REQUIRE(batch.events.size() == 15);
  const auto give = [&](std::size_t i, Ticks later) {
    const Event& event = batch.events[i];
    const Corrected corrected{event.time + later, event.time, event.process, batch.bodies[i]};
    sink->events({&corrected, 1});
  };
  for (std::size_t i = 0; i < 12; ++i) give(i, 0);
  give(14, 0);
  give(12, 100'000'000);
  give(13, 100'000'000);
  sink->close();
  const std::string text = read_file("b.trace");
  CHECK(text.substr(text.find("11 p0")) == "11 p0 PR 2.000\n11 t1 TH 2.100\n11 p1 PR 2.100\n11 m MA 2.100\n");
}

/// The records of a trace in another order, each with its time later by some ticks: {place, ticks}.
std::string reordered(const std::string& text, const std::vector<std::pair<std::size_t, Ticks>>& order) {
  const Folder folder;
  write_file("a.trace", text);
  SourceOptions as_input;
  as_input.as_input = true;
  const OpenedSource opened = open_source("a.trace", as_input);
  SinkOptions options = as(Format::paje);
  options.body_format = Format::paje;
  const auto sink = open_sink("b.trace", opened.source->definitions(), options);
  Batch batch;
  while (opened.source->read(batch) && batch.events.empty()) {
  }
  for (const auto& [i, later] : order) {
    const Event& event = batch.events.at(i);
    const Corrected corrected{event.time + later, event.time, event.process, batch.bodies[i]};
    sink->events({&corrected, 1});
  }
  sink->close();
  return read_file("b.trace");
}

TEST_CASE("Paje: a container around processes is created before them") {
  const std::string text = paje_head +
                           "10 \"the site\" 0 MA 1.000 s\n10 machine s MA 2.000 m\n10 a m PR 3.000 p0\n"
                           "10 b m PR 3.000 p1\n17 4.000 V m 3.5\n";
  const auto tail = [](const std::string& all) { return all.substr(all.find("10 \"the site")); };
  constexpr Ticks second = 1'000'000'000;
  // As recorded; a process before its machine; before the site, too.
  CHECK(tail(reordered(text, {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}})) == tail(text));
  CHECK(tail(reordered(text, {{0, 0}, {2, -second * 3 / 2}, {1, 0}, {3, 0}, {4, 0}})) ==
        "10 \"the site\" 0 MA 1.000 s\n10 machine s MA 1.500 m\n10 a m PR 1.500 p0\n10 b m PR 3.000 p1\n"
        "17 4.000 V m 3.5\n");
  CHECK(tail(reordered(text, {{3, -3 * second}, {2, -second * 5 / 2}, {0, 0}, {1, 0}, {4, 0}})) ==
        "10 \"the site\" 0 MA 0.000 s\n10 machine s MA 0.000 m\n10 b m PR 0.000 p1\n10 a m PR 0.500 p0\n"
        "17 4.000 V m 3.5\n");
  // Created again: once more for each life. A line that creates what is there stays.
  const std::string again = paje_head +
                            "10 machine 0 MA 1.000 m\n10 machine 0 MA 1.000 m\n11 m MA 2.000\n10 machine 0 MA 3.000 m\n"
                            "10 a m PR 4.000 p0\n";
  CHECK(copied(again) == again);
  const std::string before = reordered(again, {{0, 0}, {1, 0}, {2, 0}, {4, -second * 3 / 2}, {3, 0}});
  CHECK(before.substr(before.find("11 m")) == "11 m MA 2.000\n10 machine 0 MA 2.500 m\n10 a m PR 2.500 p0\n");
}

TEST_CASE("Paje: links that are defined after the containers make them processes all the same") {
  const std::string link_type = "2 LI 0 PR PR \"a link\"\n";
  const std::string head = after(paje_head, link_type, "");
  const std::string containers =
      "10 machine 0 MA 0.000 m\n10 a m PR 0.000 p0\n10 b m PR 0.000 p1\n10 thread p1 TH 0.000 t1\n"
      "10 more p1 TH 0.000 t2\n";
  const std::string events =
      "14 k 0.600 LI 0 p0 v 64 0\n12 t1 1.000 ST working\n15 1.100 LI 0 t2 v k\n12 p1 1.200 SP snd\n"
      "11 p0 PR 2.000\n11 t1 TH 2.000\n11 p1 PR 2.000\n11 m MA 2.000\n";
  const auto owners = [](const std::string& text) {
    std::vector<std::uint64_t> all;
    const Trace trace = read(text);
    CHECK(trace.error.empty());
    const Definitions definitions = definitions_of(text);
    for (const Event& event : trace.events) all.push_back(definitions.processes()[event.process].number);
    return std::vector<std::uint64_t>(all.begin() + 5, all.end());
  };
  const std::string late = head + containers + link_type + events;
  CHECK(owners(late) == owners(head + link_type + containers + events));
  CHECK(copied(late) == late);
  // The machine still ends after its processes, and a thread is created after its process.
  constexpr Ticks second = 1'000'000'000;
  const std::string moved = reordered(late, {{0, 0},
                                             {1, 0},
                                             {3, 0},
                                             {2, second / 10},
                                             {4, 0},
                                             {5, 0},
                                             {6, 0},
                                             {7, 0},
                                             {8, 0},
                                             {9, 0},
                                             {12, 0},
                                             {10, second},
                                             {11, second}});
  CHECK(moved.substr(moved.find("10 machine"), 100).find("10 b m PR 0.000 p1\n10 thread") != std::string::npos);
  CHECK(moved.ends_with("11 t1 TH 3.000\n11 p1 PR 3.000\n11 m MA 3.000\n"));
  // A thread that had events before.
  const auto warnings = [](const std::string& text) {
    const Folder folder;
    write_file("t.trace", text);
    const OpenedSource opened = open_source("t.trace");
    for (Batch batch; opened.source->read(batch);) {
    }
    return opened.source->warnings();
  };
  CHECK(warnings(late).empty());
  CHECK(warnings(head + containers + "12 t1 0.000 ST early\n12 p0 0.000 SP early\n" + link_type + events) ==
        std::vector<std::string>{"t.trace: 1 containers had events before a type of links made them part of a process; "
                                 "these events are not corrected with it. Define all types before the containers"});
  // What is created again belongs to its process, too.
  const std::string again = head + containers +
                            "11 t1 TH 0.100\n11 p1 PR 0.100\n11 m MA 0.100\n10 machine 0 MA 0.200 m\n" + link_type +
                            "10 b m PR 0.300 p1\n10 thread p1 TH 0.400 t1\n12 t1 1.000 ST working\n";
  const Trace trace = read(again);
  REQUIRE(trace.events.size() == 12);
  CHECK(trace.events[11].process == trace.events[9].process);
}

TEST_CASE("Paje: a container that is created again is destroyed after the processes that were created since") {
  const Folder folder;
  write_file("a.trace",
             small + "10 again 0 MA 3.000 m\n10 rank1 m PR 3.000 p1\n11 p1 PR 4.000\n11 m MA 4.000\n11 m MA 5.000\n");
  const OpenedSource opened = open_source("a.trace");
  std::vector<std::size_t> waited;
  for (Batch batch; opened.source->read(batch);)
    for (const Body body : batch.bodies) {
      Body rest;
      const auto parts = formats::paje::take_apart(body, rest);
      if (parts.line.starts_with("11 m")) waited.push_back(parts.processes.size());
    }
  CHECK(waited == std::vector<std::size_t>{2, 1, 0});
}

TEST_CASE("Paje: the resolution follows the digits and the unit of the first time") {
  const auto resolution = [](const std::string& first, std::int64_t units = 1) {
    return definitions_of(with_times(first, first, first), units).resolution.per_second();
  };
  CHECK(resolution("0") == 1'000'000'000);
  CHECK(resolution("0.000001") == 1'000'000'000);
  CHECK(resolution("0.00000000001") == 100'000'000'000);
  CHECK(resolution("0.0000000000000e+00") == 1'000'000'000'000);
  CHECK(resolution("1700000000.0000000000000") == 1'000'000'000);  // seconds since 1970
  for (const std::string sign : {"", "-"})  // picoseconds are too fine for this time, whatever its sign
    CHECK(resolution(sign + "6000000.123456789012") == 100'000'000'000);
  CHECK(resolution("0.000000000", 1000) == 1'000'000'000'000);  // StarPU: milliseconds
  CHECK(resolution("0", 1'000'000'000) == 1'000'000'000);
  SourceOptions options;
  options.units_per_second = 1000;
  CHECK(read(with_times("0", "1.5", "2"), options).events[2].time == Time(1'500'000));
}

TEST_CASE("Paje: records for other formats, and back") {
  const Folder folder;
  write_file("a.trace", small);
  SinkOptions text = as(Format::text);
  REQUIRE(copy_trace("a.trace", "a.clct", text).empty());
  const std::string clct = read_file("a.clct");
  CHECK(clct.find("500000000 0 E MPI Send\n") != std::string::npos);
  CHECK(clct.find("700000000 0 L\n") != std::string::npos);
  CHECK(clct.find(" 64 key=k 1\n") != std::string::npos);
  CHECK(clct.find("1000000000 1 I PushState t1 ST working\n") != std::string::npos);
  CHECK(clct.find("#paje n \"carried along\"\n") != std::string::npos);
  REQUIRE(copy_trace("a.clct", "b.trace", as(Format::paje)).empty());
  const Trace there = read_trace("a.trace");
  const Trace back = read_trace("b.trace");
  CHECK(back.error.empty());
  std::vector<Event> first;
  std::vector<Event> second;
  for (const Event& event : there.events)
    if (event.role != Role::internal) first.push_back(event);
  for (const Event& event : back.events)
    if (event.role != Role::internal) second.push_back(event);
  REQUIRE(second.size() == first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(second[i].time == first[i].time);
    CHECK(second[i].bytes == first[i].bytes);
  }
  CHECK(second[0].tag == second[1].tag);
}

TEST_CASE("Paje: the recorded time beside a corrected one is read again") {
  const Folder folder;
  write_file("a.clct",
             "%clc-trace 1\n%resolution 1000000000\n%process 0 p0\n%process 1 p1\n%group 0 0 1\n"
             "-5 0 E main @=-7\n0 0 S 1 0 3 5 @=-1\n7 1 R 0 0 3 5 @=0\n8 1 I anything @=8\n9 0 L main @=2\n");
  REQUIRE(copy_trace("a.clct", "kept.trace",
                     [] {
                       SinkOptions options = as(Format::paje);
                       options.keep_original = true;
                       return options;
                     }())
              .empty());
  REQUIRE(copy_trace("kept.trace", "kept.clct", as(Format::text)).empty());
  const std::string kept = read_file("kept.clct");
  for (const char* line : {"-5 0 E main @=-7\n", " key=0:1:0:3:1 @=-1\n", " key=0:1:0:3:1 @=0\n",
                           "8 1 I NewEvent E p1 I anything @=8\n", "9 0 L @=2\n"})
    CHECK(kept.find(line) != std::string::npos);
  CHECK(kept.find("I CreateContainer p0 P 0 p0\n") != std::string::npos);
  // What only looks like one is a field like others.
  for (const auto& [type, field] : {std::pair("date", "soon"), std::pair("date", "1e99"), std::pair("string", "0.5")}) {
    const std::string text = std::string("%EventDef PajeMark 1\n% Time date\n% Recorded ") + type +
                             "\n% Text string\n%EndEventDef\n1 0.25 " + field + " text\n";
    write_file("b.trace", text);
    REQUIRE(copy_trace("b.trace", "b.clct", as(Format::text)).empty());
    CHECK(read_file("b.clct").find(std::string(" I Mark ") + field + " text\n") != std::string::npos);
  }
  write_file("c.trace",
             "%EventDef PajeMark 1\n% Time date\n% Recorded date\n% Text string\n%EndEventDef\n1 0.25 0.125 text\n"
             "1 0.25\n");
  REQUIRE(copy_trace("c.trace", "c.clct", as(Format::text)).empty());
  CHECK(read_file("c.clct").find(" I Mark text @=125000000\n") != std::string::npos);
  CHECK(read_file("c.clct").find(" I Mark\n") != std::string::npos);
}

TEST_CASE("Paje: written from text") {
  const Folder folder;
  write_file("a.clct",
             "%clc-trace 1\n%resolution 3\n%process 7 a\n%process 8 b\n%group 4 7 8\n# a comment\n"
             "-1 7 E say \"hi\"\n0 7 S 8 4 77 5\n1 7 S 8 4 77 6\n1 8 L never entered\n2 8 R 7 4 77 5\n2 8 B\n2 7 L x\n"
             "2 8 X barrier 4 - 0 0\n2 7 X bcast 4 0 0 0\n3 8 R 7 4 77 6 @=1\n4 7 I anything\n");
  SinkOptions options = as(Format::paje);
  options.keep_original = true;
  REQUIRE(copy_trace("a.clct", "b.trace", options).empty());
  const std::string text = read_file("b.trace");
  CHECK(text.substr(text.find("# a comment")) ==
        "# a comment\n"
        "4 -0.333333333334 p7 P 0 \"a\"\n"
        "4 -0.333333333334 p8 P 0 \"b\"\n"
        "6 -0.333333333334 F p7 \"say 'hi'\" -0.333333333334\n"
        "9 0.000000000000 M 0 p7 4:77 7:8:4:77:1 5 0.000000000000\n"
        "9 0.333333333333 M 0 p7 4:77 7:8:4:77:2 6 0.333333333333\n"
        "8 0.333333333333 E p8 \"leave never entered\" 0.333333333333\n"
        "10 0.666666666666 M 0 p8 4:77 7:8:4:77:1 5 0.666666666666\n"
        "6 0.666666666666 C p8 \"collective\" 0.666666666666\n"
        "7 0.666666666666 F p7 0.666666666666\n"
        "7 0.666666666666 C p8 0.666666666666\n"
        "8 0.666666666666 E p7 \"bcast\" 0.666666666666\n"
        "10 1.000000000000 M 0 p8 4:77 7:8:4:77:2 6 0.333333333333\n"
        "8 1.333333333333 E p7 \"I anything\" 1.333333333333\n"
        "5 1.333333333333 P p7\n"
        "5 1.333333333333 P p8\n");
  CHECK(read_trace("b.trace").error.empty());
  // No records: all processes all the same.
  write_file("c.clct", "%clc-trace 1\n%process 7 a\n");
  REQUIRE(copy_trace("c.clct", "c.trace", as(Format::paje)).empty());
  const std::string empty = read_file("c.trace");
  CHECK(empty.substr(empty.find("4 0.000000000 ")) == "4 0.000000000 p7 P 0 \"a\"\n5 0.000000000 P p7\n");
}

TEST_CASE("Paje: times are rounded down, also negative ones") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%resolution 1001\n%process 7 a\n-1001 7 I\n-1 7 I\n1 7 I\n");
  REQUIRE(copy_trace("a.clct", "b.trace", as(Format::paje)).empty());
  const std::string text = read_file("b.trace");
  CHECK(text.substr(text.find("\n8 ") + 1) ==
        "8 -1.000000000000 E p7 \"I\"\n"
        "8 -0.000999001000 E p7 \"I\"\n"
        "8 0.000999000999 E p7 \"I\"\n"
        "5 0.000999000999 P p7\n");
}

TEST_CASE("Paje: containers may be named like the clock or the node of a process") {
  const std::string text = paje_head +
                           "10 clock=x 0 PR 0 p0\n10 clock=0 0 PR 0 p1\n10 node=a 0 PR 0 p2\n10 \"node= b\" 0 PR 0 p3\n"
                           "14 k 0.1 LI 0 p0 v 1 0\n15 0.2 LI 0 p1 v k\n";
  CHECK(copied(text) == text);
  const Folder folder;
  write_file("a.trace", text);
  for (const Format format : {Format::paje, Format::text, Format::binary}) {
    if (format != Format::paje) REQUIRE(copy_trace("a.trace", "b", as(format)).empty());
    const OpenedSource opened = open_source(format == Format::paje ? "a.trace" : "b");
    for (Batch batch; opened.source->read(batch);) {
    }
    const Definitions& all = opened.source->definitions();
    REQUIRE(all.processes().size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(all.processes()[i].name == std::array{"clock_x", "clock_0", "node_a", "node__b"}[i]);
      CHECK(all.processes()[i].node == no_node);
    }
    CHECK(all.clocks() == 4);
  }
}

TEST_CASE("Paje: bad traces get one line that says where, what, and what to do") {
  struct Bad {
    const char* what;
    std::string text;
    std::size_t events;
    std::string error;
  };
  const std::string good = paje_head + "10 rank0 0 PR 0 p0\n";
  const std::vector<Bad> all{
      {"no header", "# hello\n1 2 3\n", 0,
       "t.trace:2: found \"1\", expected \"%EventDef NAME NUMBER\" before all events; check that this is a Paje "
       "trace"},
      {"nothing but comments", "# hello\n", 0,
       "t.trace:2: found the end of the trace, expected \"%EventDef NAME NUMBER\"; check that this is a Paje trace"},
      {"a definition without number", "%EventDef PajePopState\n", 0,
       "t.trace:1: found \"%EventDef PajePopState\", expected \"%EventDef NAME NUMBER\"; correct the line"},
      {"a definition in a definition", "%EventDef PajePopState 1\n%EventDef PajePushState 2\n", 0,
       "t.trace:2: found a definition inside that of PajePopState, expected \"%EndEventDef\"; the trace is damaged"},
      {"an end without begin", "# x\n%EndEventDef\n", 0,
       "t.trace:2: found \"%EndEventDef\" outside of a definition, expected \"%EventDef\" before it; the trace is "
       "damaged"},
      {"an event in a definition", "%EventDef PajePopState 1\n% Time date\n1 0.5\n", 0,
       "t.trace:3: found \"1 0.5\" in the definition of PajePopState, expected a field (\"% Time date\") or "
       "\"%EndEventDef\"; the trace is damaged or no Paje trace"},
      {"a field without type", "%EventDef PajePopState 1\n% Time\n", 0,
       "t.trace:2: found \"% Time\" in the definition of PajePopState, expected a name and a type such as \"% Time "
       "date\"; correct the line"},
      {"a definition that lacks a field", "%EventDef PajeStartLink 1\n% Time date\n% Type string\n%EndEventDef\n", 0,
       "t.trace:4: found no field StartContainer in the definition of PajeStartLink, expected one; add it or rename "
       "the "
       "event"},
      {"the end in a definition", "%EventDef PajePopState 1\n% Time date\n", 0,
       "t.trace:3: found the end of the trace in the definition of PajePopState, expected \"%EndEventDef\"; the trace "
       "is "
       "incomplete, write or copy it again"},
      {"an event without definition", good + "99 0.5\n", 1,
       "t.trace:87: found event \"99\", expected the number of an \"%EventDef\" above; correct or remove the line"},
      {"no time", good + "13\n", 1,
       "t.trace:87: found no time of PajePopState, expected a decimal number; correct or remove the line"},
      {"a bad time", good + "13 0.5s SP p0\n", 1,
       "t.trace:87: found \"0.5s\" as time of PajePopState, expected a decimal number; correct or remove the line"},
      {"a time too large", good + "13 9223372036.9 SP p0\n", 1,
       "t.trace:87: found \"9223372036.9\" as time, expected one that fits into 64 bits at 1000000000 ticks per "
       "second; "
       "check the line, or the unit of time with SourceOptions::units_per_second"},
      {"an unknown container", good + "13 1 SP p7\n", 1,
       "t.trace:87: found \"p7\" as Container of PajePopState, expected a container that was created above; correct or "
       "remove the line"},
      {"an unknown end", good + "15 1 LI 0 p7 v k\n", 1,
       "t.trace:87: found \"p7\" as EndContainer of PajeEndLink, expected a container that was created above; correct "
       "or "
       "remove the line"},
      {"a container in an unknown one", good + "10 x p7 PR 1 y\n", 1,
       "t.trace:87: found \"p7\" as Container of PajeCreateContainer, expected a container that was created above; "
       "correct or remove the line"},
      {"a container without name", good + "10 \"\" 0 PR 1 \"\"\n", 1,
       "t.trace:87: found no name of the container, expected one; correct or remove the line"},
      {"the end of an unknown container", good + "11 p7 PR 1\n", 1,
       "t.trace:87: found \"p7\" as Name of PajeDestroyContainer, expected a container that was created above; correct "
       "or "
       "remove the line"},
      {"cut in a line", good + "13 1 SP", 1,
       "t.trace:87: found no Container of PajePopState, expected a container that was created above; correct or remove "
       "the line (the last line has no newline: the file may be truncated)"},
      {"unsorted", good + "10 rank1 0 PR 0 p1\n13 2 SP p0\n13 1 SP p1\n", 3,
       "t.trace:89: found time 1000000000 after time 2000000000 (t.trace:88), expected records sorted by time; sort "
       "the "
       "trace, or accept the disorder with SourceOptions::sort_window_us 1000000"},
      {"a zero byte", good + std::string("13 2\0 SP p0\n", 12), 1,
       "t.trace:87: found a zero byte, expected text; the file is damaged or incomplete, write or copy it again"},
      {"a long line", good + "13 2 SP p0 " + std::string(1 << 20, 'x') + '\n', 1,
       "t.trace:87: found a line of more than 1048576 bytes, expected shorter ones; check that the file is a trace and "
       "is not damaged"},
      {"too many fields",
       "%EventDef PajePopState 1\n" +
           [] {
             std::string fields;
             for (int i = 0; i < 70; ++i) fields += "% X int\n";
             return fields;
           }(),
       0,
       "t.trace:66: found more than 64 fields in the definition of PajePopState, expected fewer; check that the trace "
       "is "
       "not damaged"},
  };
  for (const Bad& bad : all) {
    CAPTURE(bad.what);
    const Trace trace = read(bad.text);
    CHECK(trace.error == bad.error);
    CHECK(trace.events.size() == bad.events);
  }
}

TEST_CASE("Paje: what is unusual but means something is accepted") {
  for (const std::string& text : {
           std::string("%EventDef PajePopState 1 \n%Time date\n% Container string  # words\n %EndEventDef\n1 0.5 0\n"),
           std::string("%EventDef A 1\n% Time date\n%EndEventDef\n%EventDef A 1\n% X int\n% Time date\n%EndEventDef\n"
                       "1 7 0.5 and more than it has\n%other lines\n"),
           std::string("%EventDef A 1\n% Time date\n%EndEventDef\n1 0.5 \"no end of the quote\n"),
       }) {
    CAPTURE(text);
    const Trace trace = read(text);
    CHECK(trace.error.empty());
    REQUIRE(trace.events.size() == 1);
    CHECK(trace.events[0].time == Time(500'000'000));
    CHECK(copied(text) == text);
  }
  // A container that comes again is the same process.
  const Trace again = read(paje_head + "10 a 0 PR 0 p0\n11 p0 PR 1\n10 a 0 PR 2 p0\n11 p0 PR 3\n");
  CHECK(again.error.empty());
  REQUIRE(again.events.size() == 4);
  for (const Event& event : again.events) CHECK(event.process == 0);
}

TEST_CASE("Paje: cut or changed anywhere, a trace gives what is before and at most one error") {
  const Trace whole = read(small);
  const Folder folder;
  for (std::size_t size = 1; size < small.size(); size += size < paje_head.size() ? 7U : 1U) {
    CAPTURE(size);
    write_file("t.trace", small.substr(0, size));
    Trace trace;
    try {
      trace = read_trace("t.trace");
    } catch (const InputError& error) {
      trace.error = error.what();
    }
    CHECK((trace.error.empty() || trace.error.starts_with("t.trace")));
    // All whole lines; the last one, without newline, as far as it makes sense.
    const std::string lines = small.substr(0, small.rfind('\n', size - 1) + 1);
    std::size_t sure = 0;
    while (sure < whole.events.size() &&
           whole.places[sure] <= static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n')))
      ++sure;
    CHECK(trace.events.size() >= sure);
    CHECK(trace.events.size() <= sure + 1);
    for (std::size_t i = 0; i < sure && i < trace.events.size(); ++i) CHECK(trace.events[i] == whole.events[i]);
  }
  for (std::size_t at = 0; at < small.size(); at += 5) {
    CAPTURE(at);
    std::string changed = small;
    changed[at] = "#%\"9 \nx"[at % 7];
    write_file("t.trace", changed);
    std::string error;
    try {
      error = copy_trace("t.trace", "u.trace", as(Format::paje));
    } catch (const InputError& refused) {
      error = refused.what();
    }
    CHECK((error.empty() || error.starts_with("t.trace")));
    if (error.empty()) CHECK(read_file("u.trace") == changed);
  }
}

TEST_CASE("Paje: a second time has no place in lines that are copied") {
  const Folder folder;
  write_file("a.trace", small);
  SinkOptions options = as(Format::paje);
  options.keep_original = true;
  CHECK_THROWS_AS(copy_trace("a.trace", "b.trace", options), UsageError);
}

TEST_CASE("Paje: times finer than a tick are counted") {
  const Folder folder;
  // Digits behind the last that is not zero are not finer.
  write_file("t.trace", with_times("0", "0.12345678901", "2.0000000009") + "11 b PR 3.00000000000000\n");
  const OpenedSource opened = open_source("t.trace");
  CHECK(opened.source->warnings().empty());
  Batch batch;
  while (opened.source->read(batch)) {
  }
  CHECK(opened.source->warnings() ==
        std::vector<std::string>{"t.trace: 2 times are finer than a tick of 1/1000000000 s; finer digits are lost in "
                                 "corrected times"});
}

TEST_CASE("Paje: an empty input that was named so") {
  SourceOptions options;
  options.format = Format::paje;
  CHECK(read("", options).error == "t.trace: is empty, expected a Paje trace; check the program that wrote it");
}

TEST_CASE("Paje and Chrome: what was written has left after a flush") {
  for (const Format format : {Format::paje, Format::chrome}) {
    const Folder folder;
    write_file("a.clct", "%clc-trace 1\n%process 0 a\n5 0 E main\n");
    const OpenedSource opened = open_source("a.clct");
    SinkOptions options = as(format);
    options.body_format = opened.format;
    options.decoder = &opened.source->decoder();
    Pipe pipe;
    const auto sink = open_sink(pipe.write_path(), opened.source->definitions(), options);
    pipe.close_write();
    const auto waiting = [&] {
      const int end = ::open(pipe.read_path().c_str(), O_RDONLY | O_CLOEXEC);
      int bytes = 0;
      REQUIRE(::ioctl(end, FIONREAD, &bytes) == 0);
      ::close(end);
      return bytes;
    };
    CHECK(waiting() == 0);
    sink->flush();
    const int begin = waiting();
    CHECK(begin > 0);  // header and definitions
    Batch batch;
    while (batch.events.empty()) REQUIRE(opened.source->read(batch));
    const Corrected event{batch.events[0].time, batch.events[0].time, 0, batch.bodies[0]};
    sink->events({&event, 1});
    CHECK(waiting() == begin);
    sink->flush();
    CHECK(waiting() > begin);
    sink->close();
  }
}
