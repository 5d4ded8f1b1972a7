// Text, binary and zstd into each other and back: nothing is lost, nothing is changed.
#include <catch2/catch.hpp>
#include <map>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

void check_all_ways(const std::string& text) {
  const Folder folder;
  write_file("a.clct", text);
  REQUIRE(copy_trace("a.clct", "b.clct", as(Format::text)).empty());
  CHECK(read_file("b.clct") == text);
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("a.clcb", "b.clcb", as(Format::binary)).empty());
  CHECK(read_file("a.clcb") == read_file("b.clcb"));
  REQUIRE(copy_trace("a.clcb", "c.clct", as(Format::text)).empty());
  CHECK(read_file("c.clct") == text);
  SinkOptions compressed = as(Format::binary);
  compressed.zstd_level = 1;
  REQUIRE(copy_trace("c.clct", "c.zst", compressed).empty());
  REQUIRE(copy_trace("c.zst", "d.clcb", as(Format::binary)).empty());
  CHECK(read_file("d.clcb") == read_file("a.clcb"));

  // The clock sees the same whatever the format.
  const Trace from_text = read_trace("a.clct");
  const Trace from_binary = read_trace("c.zst");
  CHECK(from_text.events == from_binary.events);
  CHECK(from_text.notes.size() == from_binary.notes.size() + 1);  // the first line
}

}  // namespace

TEST_CASE("a small trace goes through all formats unchanged") { check_all_ways(small_text()); }

TEST_CASE("traces without records go through all formats unchanged") {
  check_all_ways("%clc-trace 1\n");
  check_all_ways("%clc-trace 1\n%resolution 5\n");
  check_all_ways("%clc-trace 1\n\n\n# nothing else\n");
}

TEST_CASE("random traces go through all formats unchanged") {
  const std::uint64_t seeds = in_depth() ? 60 : 10;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    check_all_ways(random_text(seed, seed % 10 == 0 ? 20000 : 200));
  }
}

TEST_CASE("times at both ends of 64 bits keep their values in binary") {
  check_all_ways(
      "%clc-trace 1\n%process 0 a\n-9223372036854775808 0 I\n-1 0 I\n0 0 I\n9223372036854775807 0 I\n"
      "9223372036854775807 0 I\n");
}

TEST_CASE("a definition that replaces another holds for the records behind it") {
  const Folder folder;
  write_file("a.clct",
             "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 0 0 1\n"
             "100 0 I\n101 0 I\n%group 1 0\n102 0 I\n%group 0 0 1 min-delay=5\n103 0 I\n%process 1 c\n104 0 I\n");
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  for (const char* name : {"a.clct", "a.clcb"}) {
    CAPTURE(name);
    const OpenedSource opened = open_source(name);
    const Definitions& definitions = opened.source->definitions();
    std::map<Ticks, std::pair<Ticks, std::string>> seen;
    Batch batch;
    for (bool more = true; more;) {
      more = opened.source->read(batch);
      for (const Event& event : batch.events)
        seen[event.time.ticks()] = {definitions.communicators()[0].min_delay, definitions.processes()[1].name};
    }
    CHECK(seen == std::map<Ticks, std::pair<Ticks, std::string>>{
                      {100, {0, "b"}}, {101, {0, "b"}}, {102, {0, "b"}}, {103, {5, "b"}}, {104, {5, "c"}}});
    CHECK(definitions.changes() == 1);  // another name changes nothing for the clock
  }
}

TEST_CASE("definitions of a trace are the same from text and binary") {
  const Folder folder;
  write_file("a.clct", small_text());
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  for (const char* path : {"a.clct", "a.clcb"}) {
    const OpenedSource opened = open_source(path);
    const Definitions& definitions = opened.source->definitions();
    // Known before the first read.
    CHECK(definitions.resolution.per_second() == 1'000'000'000);
    CHECK(definitions.min_delay == 1000);
    REQUIRE(definitions.processes().size() == 2);
    CHECK(definitions.processes()[1].number == 4294967296);
    CHECK(definitions.processes()[1].name == "rank1");
    CHECK(definitions.nodes() == std::vector<std::string>{"a", "b"});
    REQUIRE(definitions.communicators().size() == 1);
    CHECK(definitions.communicators()[0].members == std::vector<ProcessIndex>{0, 1});
  }
}

TEST_CASE("communicators with a delay of their own, and messages to anybody, from text and binary") {
  const Folder folder;
  write_file("a.clct",
             "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 7 0 min-delay=10 1\n5 0 S - 7 3 8\n6 1 R - 7 3 8\n");
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  for (const char* path : {"a.clct", "a.clcb"}) {
    const OpenedSource opened = open_source(path);
    Batch batch;
    while (opened.source->read(batch) && batch.events.empty()) {
    }
    REQUIRE(batch.events.size() == 2);
    for (const Event& event : batch.events) CHECK(event.peer == no_process);
    CHECK(batch.events[0].tag == 3);
    const Communicator& communicator = opened.source->definitions().communicators().at(0);
    CHECK(communicator.min_delay == 10);
    CHECK(communicator.members == std::vector<ProcessIndex>{0, 1});
  }
}

TEST_CASE("receives that overtake others, in text and binary") {
  const Folder folder;
  const std::string text =
      "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 7 0 1\n"
      "5 1 R 0 7 3 8 overtakes=65535\n6 1 R 0 7 3 8 overtakes=2 more @=4\n7 1 R 0 7 3 8 overtaken\n"
      "8 1 R 0 7 3 8 overtakes=0 overtakes=1\n9 1 R 0 7 3 8 overtakes=0\n9 0 S 1 7 3 8 overtakes=1\n"
      "9 0 B call=0\n9 0 X barrier 7 - 0 0 call=0 more\n9 0 B call=0 call=7\n";
  write_file("a.clct", text);
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  for (const char* path : {"a.clct", "a.clcb"}) {
    const Trace trace = read_trace(path);
    REQUIRE(trace.error.empty());
    REQUIRE(trace.events.size() == 9);
    const std::vector<unsigned> expected{65535, 2, 0, 0, 0, 0, 0, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(trace.events[i].overtakes == expected[i]);
  }
  REQUIRE(copy_trace("a.clcb", "b.clct", as(Format::text)).empty());
  CHECK(read_file("b.clct") == text);
  for (const char* wrong : {"65536", "-1", "x", ""}) {
    write_file("c.clct",
               "%clc-trace 1\n%process 0 a\n%group 7 0\n5 0 R 0 7 3 8 overtakes=" + std::string(wrong) + '\n');
    CHECK(read_trace("c.clct").error.find("expected overtakes= and a number from 0 to 65535") != std::string::npos);
  }
}

TEST_CASE("a text trace means the events that it says") {
  const Folder folder;
  write_file("a.clct", small_text());
  const Trace trace = read_trace("a.clct");
  REQUIRE(trace.error.empty());
  REQUIRE(trace.events.size() == 10);
  const Event& send = trace.events[1];
  CHECK(send.time == Time(1200));
  CHECK(send.process == 0);
  CHECK(send.role == Role::send);
  CHECK(send.peer == 1);
  CHECK(send.communicator == 0);
  CHECK(send.tag == 77);
  CHECK(send.bytes == 8192);
  CHECK(trace.events[0].role == Role::internal);
  CHECK(trace.events[2].role == Role::receive);
  CHECK(trace.events[3].role == Role::collective_begin);
  CHECK(trace.events[3].tag == 0);
  CHECK(trace.events[4].tag == 2);
  const Event& end = trace.events[6];
  CHECK(end.role == Role::collective_end);
  CHECK(end.operation == Operation::bcast);
  CHECK(end.root == 1);
  CHECK(end.bytes == 8);
  CHECK(end.received == 16);
  CHECK(end.tag == 2);
  CHECK(trace.events[5].root == no_rank);
  CHECK(trace.bodies[0] == " 0 E main");
  CHECK(trace.places[0] == 8);
  CHECK(trace.places[5] == 14);
  CHECK(trace.notes.back() == std::pair<std::size_t, std::string>(5, "%later unknown line"));
}

TEST_CASE("carriage returns and blanks stay in text and are no part of fields") {
  const Folder folder;
  const std::string text =
      "%clc-trace 1\r\n%process 0 a node=n\r\n\r\n%group 1 0\r\n10\t0  E  main \r\n11 0 S\t0 1 2 3\r\n12 0 I\r\n";
  write_file("a.clct", text);
  const Trace trace = read_trace("a.clct");
  REQUIRE(trace.error.empty());
  CHECK(trace.events[1].bytes == 3);
  REQUIRE(copy_trace("a.clct", "b.clct", as(Format::text)).empty());
  CHECK(read_file("b.clct") == text);
  CHECK(open_source("a.clct").source->definitions().nodes() == std::vector<std::string>{"n"});
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("a.clcb", "c.clct", as(Format::text)).empty());
  CHECK(read_file("c.clct") ==
        "%clc-trace 1\n%process 0 a node=n\r\n\r\n%group 1 0\r\n10 0 E main\n11 0 S 0 1 2 3\n12 0 I\n");
  SinkOptions keep = as(Format::text);
  keep.keep_original = true;
  REQUIRE(copy_trace("a.clct", "d.clct", keep).empty());
  CHECK(read_file("d.clct").find("11 0 S\t0 1 2 3 @=11\r\n") != std::string::npos);
}

TEST_CASE("blanks in front of a time and superfluous zeros are not kept") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n  007 0 I\n-0 0 I x\n00000000000000000000000000012 0 I\n");
  SourceOptions any_order;
  any_order.any_order = true;
  REQUIRE(copy_trace("a.clct", "b.clct", as(Format::text), any_order).empty());
  CHECK(read_file("b.clct") == "%clc-trace 1\n%process 0 a\n7 0 I\n0 0 I x\n12 0 I\n");
}

TEST_CASE("a missing last newline is added") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n7 0 I");
  REQUIRE(copy_trace("a.clct", "b.clct", as(Format::text)).empty());
  CHECK(read_file("b.clct") == "%clc-trace 1\n%process 0 a\n7 0 I\n");
  write_file("a.clct", "%clc-trace 1");
  REQUIRE(copy_trace("a.clct", "b.clct", as(Format::text)).empty());
  CHECK(read_file("b.clct") == "%clc-trace 1\n");
}

TEST_CASE("the recorded time is kept once, and survives conversion") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%process 0 a\n%group 0 0\n5 0 E main\n6 0 S 0 0 1 2\n7 0 S 0 0 1 2 @=3\n8 0 B\n");
  const std::string expected =
      "%clc-trace 1\n%process 0 a\n%group 0 0\n5 0 E main @=5\n6 0 S 0 0 1 2 @=6\n7 0 S 0 0 1 2 @=3\n8 0 B @=8\n";
  SinkOptions text = as(Format::text);
  text.keep_original = true;
  SinkOptions binary = as(Format::binary);
  binary.keep_original = true;
  REQUIRE(copy_trace("a.clct", "b.clct", text).empty());
  CHECK(read_file("b.clct") == expected);
  REQUIRE(copy_trace("b.clct", "c.clct", text).empty());
  CHECK(read_file("c.clct") == expected);
  REQUIRE(copy_trace("a.clct", "a.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("a.clcb", "b.clcb", binary).empty());
  REQUIRE(copy_trace("a.clct", "c.clcb", binary).empty());
  CHECK(read_file("b.clcb") == read_file("c.clcb"));
  REQUIRE(copy_trace("b.clcb", "d.clct", as(Format::text)).empty());
  CHECK(read_file("d.clct") == expected);
  REQUIRE(copy_trace("a.clcb", "e.clct", text).empty());
  CHECK(read_file("e.clct") == expected);
  REQUIRE(copy_trace("b.clcb", "f.clcb", binary).empty());
  CHECK(read_file("f.clcb") == read_file("b.clcb"));
  // Text that only looks like it.
  write_file("g.clct", "%clc-trace 1\n%process 0 a\n5 0 E x@=5\n6 0 E @=y\n7 0 I @=\n8 0 @=8\n");
  REQUIRE(copy_trace("g.clct", "g.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("g.clcb", "h.clct", as(Format::text)).empty());
  CHECK(read_file("h.clct").find("5 0 E x@=5\n6 0 E @=y\n7 0 I @=\n") != std::string::npos);
}

TEST_CASE("names that end like a recorded time are read again as they were") {
  const Folder folder;
  const std::string head =
      "%EventDef PajeCreateContainer 0\n% Time date\n% Alias string\n% Type string\n% Container string\n"
      "% Name string\n%EndEventDef\n%EventDef PajePushState 1\n% Time date\n% Type string\n% Container string\n"
      "% Value string\n%EndEventDef\n%EventDef PajeRemark 2\n% Time date\n% Text string\n%EndEventDef\n";
  write_file("a.trace", head +
                            "0 0 p0 P 0 p0\n1 0 S p0 \"g @=5\"\n1 0 S p0 @=6\n1 0 S p0 \"g @=7 \"\n1 0 S p0 g@=8\n"
                            "2 0 @=9\n1 0 S p0 \"@=3 @=4\"\n");
  const auto texts = [](const std::string& path, Format output) {
    SourceOptions options;
    options.output = output;
    const OpenedSource opened = open_source(path, options);
    std::vector<std::string> all;
    for (Batch batch; opened.source->read(batch);)
      for (const Body body : batch.bodies) all.emplace_back(opened.source->decoder().decode(body).text);
    return all;
  };
  const std::vector<std::string> expected{
      "I CreateContainer p0 P 0 p0", "g @=5", "@=6", "g @=7", "g@=8", "I Remark @=9", "@=3 @=4"};
  SinkOptions text = as(Format::text);
  REQUIRE(copy_trace("a.trace", "a.clcb", as(Format::binary)).empty());
  for (const char* from : {"a.trace", "a.clcb"}) {
    for (const bool keep : {false, true}) {
      text.keep_original = keep;
      REQUIRE(copy_trace(from, "b.clct", text).empty());
      CHECK(texts("b.clct", Format::binary) == expected);
      REQUIRE(copy_trace("b.clct", "b.clcb", as(Format::binary)).empty());
      CHECK(texts("b.clcb", Format::text) == expected);
    }
  }
}

TEST_CASE("provenance stands right behind the first line, earlier provenance stays") {
  const Folder folder;
  write_file("a.clct", "%clc-trace 1\n%provenance first 1\n%process 0 a\n7 0 I\n");
  SinkOptions text = as(Format::text);
  text.provenance = {"second 2 -x", "its second line"};
  SinkOptions binary = as(Format::binary);
  binary.provenance = text.provenance;
  const std::string expected =
      "%clc-trace 1\n%provenance second 2 -x\n%provenance its second line\n%provenance first 1\n%process 0 a\n7 0 I\n";
  REQUIRE(copy_trace("a.clct", "b.clct", text).empty());
  CHECK(read_file("b.clct") == expected);
  REQUIRE(copy_trace("a.clct", "b.clcb", binary).empty());
  REQUIRE(copy_trace("b.clcb", "c.clct", as(Format::text)).empty());
  CHECK(read_file("c.clct") == expected);
}

TEST_CASE("programs can make records of their own") {
  const Folder folder;
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(7, "b");
  definitions.add_communicator(3, {0, 1});
  for (const Format format : {Format::text, Format::binary}) {
    SinkOptions options = as(format);
    options.body_format = Format::binary;
    options.decoder = &body_decoder();
    const std::unique_ptr<Sink> sink = open_sink("out", definitions, options);
    for (const char* line : {"%process 0 a", "%process 7 b", "%group 3 0 7"}) sink->note(line);
    std::string storage;
    Record record;
    record.kind = Kind::send;
    record.event.peer = 1;
    record.event.communicator = 0;
    record.event.tag = -5;
    record.event.bytes = 100;
    const Body body = encode_body(record, storage);
    const Corrected corrected{Time(12), Time(11), 0, body};
    sink->events({&corrected, 1});
    sink->close();
    if (format == Format::binary) REQUIRE(copy_trace("out", "out.clct", as(Format::text)).empty());
    CHECK(read_file(format == Format::text ? "out" : "out.clct") ==
          "%clc-trace 1\n%process 0 a\n%process 7 b\n%group 3 0 7\n12 0 S 7 3 -5 100\n");
  }
}

TEST_CASE("a binary sink refuses a process without definition") {
  const Folder folder;
  Definitions definitions;
  definitions.add_process(5, "a");
  const std::unique_ptr<Sink> sink = open_sink("out", definitions, as(Format::text));
  SinkOptions options = as(Format::binary);
  options.body_format = Format::binary;
  const std::unique_ptr<Sink> binary = open_sink("out.clcb", definitions, options);
  std::string storage;
  const Corrected corrected{Time(1), Time(1), 0, encode_body(Record{}, storage)};
  CHECK_THROWS_WITH(binary->events({&corrected, 1}),
                    "process 5 has no line \"%process\" in the order of its index before its first record");
}

TEST_CASE("sinks refuse records that name what is not defined") {
  const Folder folder;
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(7, "b");
  definitions.add_communicator(3, {0, 1});
  const auto refusal = [&](Format format, ProcessIndex process, Kind kind, const Event& event) -> std::string {
    SinkOptions options = as(format);
    options.body_format = Format::binary;
    options.decoder = &body_decoder();
    const std::unique_ptr<Sink> sink = open_sink("out", definitions, options);
    for (const char* line : {"%process 0 a", "%process 7 b", "%group 3 0 7"}) sink->note(line);
    std::string storage;
    const Corrected corrected{Time(12), Time(11), process, encode_body(Record{kind, event, {}, {}}, storage)};
    try {
      sink->events({&corrected, 1});
    } catch (const OutputError& error) {
      return error.what();
    }
    return {};
  };
  const auto names = [](const char* what, std::uint32_t index, int defined) {
    return std::string("a record names ") + what + " index " + std::to_string(index) + ", expected one below " +
           std::to_string(defined) + "; add_" + what + "() before the record";
  };
  std::vector<Format> formats{Format::text, Format::paje, Format::chrome};
  if (available(Format::otf2)) formats.push_back(Format::otf2);
  for (const ProcessIndex process : {2U, 0xffff'fffeU}) {
    CHECK(refusal(Format::binary, process, Kind::enter, {}) == names("process", process, 2));
    for (const Format format : formats) {
      CHECK(refusal(format, process, Kind::enter, {}) == names("process", process, 2));
      for (const Kind kind : {Kind::send, Kind::receive}) {
        CHECK(refusal(format, 0, kind, {.time = {}, .peer = process, .communicator = 0}) ==
              names("process", process, 2));
        CHECK(refusal(format, 0, kind, {.time = {}, .peer = 1, .communicator = process}) ==
              names("communicator", process, 1));
      }
    }
    for (const Format format : formats)
      if (format != Format::paje && format != Format::chrome)  // which name none here
        CHECK(refusal(format, 0, Kind::collective_end, {.time = {}, .communicator = process}) ==
              names("communicator", process, 1));
  }
}
