// The text format: what is accepted, and one clear line for what is not.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

struct Bad {
  const char* what;
  std::string text;
  std::size_t events;  ///< delivered before the error
  const char* message;
};

const std::string text_head = "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 4 0 1\n";

/// Behind the four lines of the head and one good record on line 5.
std::string after_good(const std::string& lines) { return text_head + "100 0 E main\n" + lines; }

std::vector<Bad> bad_texts() {
  using namespace std::string_literals;
  return {
      {"empty", "", 0, "t.clct: is empty, expected a trace; check the program that wrote it"},
      {"no trace at all", "hello world, this is no trace", 0,
       "t.clct: found \"hello world, thi\" at the start, expected a trace in text (\"%clc-trace 1\"), in binary, in "
       "paje (\"%EventDef\"), or one of them in zstd; check the name, or name the format with SourceOptions::format"},
      {"gzip", "\x1f\x8b\x08xxxx", 0,
       "t.clct: found \"\\x1f\\x8b\\x08xxxx\" at the start, expected a trace in text (\"%clc-trace 1\"), in binary, in "
       "paje (\"%EventDef\"), or one of them in zstd; it is compressed with gzip: use gzip -dc FILE | ..."},
      {"byte order mark", "\xef\xbb\xbf" + text_head, 0,
       "t.clct: found \"\\u{feff}%clc-trace 1\\x0a\" at the start, expected a trace in text (\"%clc-trace 1\"), "
       "in binary, in paje (\"%EventDef\"), or one of them in zstd; remove the byte order mark in front of it"},
      {"wrong version", "%clc-trace 2\n", 0,
       "t.clct:1: found version \"2\" of the text format, expected 1; use a newer version of this program"},
      {"no version", "%clc-trace\n", 0,
       "t.clct:1: found no version of the text format, expected a first line \"%clc-trace 1\"; correct the line"},
      {"cut ahead of the version", "%clc-trace", 0,
       "t.clct:1: found no version of the text format, expected a first line \"%clc-trace 1\"; correct the line (the "
       "last line has no newline: the file may be truncated)"},
      {"version with a zero in front", "%clc-trace 01\n", 0,
       "t.clct:1: found \"01\" as version of the text format, expected a first line \"%clc-trace 1\"; correct the "
       "line"},
      {"version 0", "%clc-trace 0\n", 0,
       "t.clct:1: found \"0\" as version of the text format, expected a first line \"%clc-trace 1\"; correct the "
       "line"},
      {"version is no number", "%clc-trace 1.0\n", 0,
       "t.clct:1: found \"1.0\" as version of the text format, expected a first line \"%clc-trace 1\"; correct the "
       "line"},
      {"misspelled header", "%clc-tracer 1\n", 0,
       "t.clct:1: found \"%clc-tracer 1\", expected a first line \"%clc-trace 1\"; check that this is a text trace"},
      {"a second trace behind the first", after_good("%clc-trace 1\n"), 1,
       "t.clct:6: found a second header \"%clc-trace 1\", expected one trace in a file; split the file before this "
       "line "
       "and read the parts one by one"},
      {"unsorted", after_good("90 1 L main\n"), 1,
       "t.clct:6: found time 90 after time 100 (t.clct:5), expected records sorted by time; sort the trace, or accept "
       "the disorder with SourceOptions::sort_window_us 0.01"},
      {"garbage line", after_good("garbage\n200 0 I\n"), 1,
       "t.clct:6: found \"garbage\" as time, expected whole ticks from -9223372036854775808 to 9223372036854775807; "
       "correct or remove the line"},
      {"binary garbage", after_good("\x01\x02\xff\x7f\n"), 1,
       "t.clct:6: found \"\\x01\\x02\\xff\\x7f\" as time, expected whole ticks from -9223372036854775808 to "
       "9223372036854775807; correct or remove the line"},
      {"time too large", after_good("9223372036854775808 0 I\n"), 1,
       "t.clct:6: found \"9223372036854775808\" as time, expected whole ticks from -9223372036854775808 to "
       "9223372036854775807; correct or remove the line"},
      {"time far too large", after_good("99999999999999999999999999999999999999999999999999 0 I\n"), 1,
       "t.clct:6: found \"9999999999999999999999999999999999999999...\" as time, expected whole ticks from "
       "-9223372036854775808 to 9223372036854775807; correct or remove the line"},
      {"decimal time", after_good("100.5 0 I\n"), 1,
       "t.clct:6: found \"100.5\" as time, expected whole ticks from -9223372036854775808 to 9223372036854775807; "
       "correct or remove the line"},
      {"time with plus", after_good("+100 0 I\n"), 1,
       "t.clct:6: found \"+100\" as time, expected whole ticks from -9223372036854775808 to 9223372036854775807; "
       "correct "
       "or remove the line"},
      {"only a sign", after_good("- 0 I\n"), 1,
       "t.clct:6: found \"-\" as time, expected whole ticks from -9223372036854775808 to 9223372036854775807; correct "
       "or "
       "remove the line"},
      {"no process", after_good("100\n"), 1,
       "t.clct:6: found no process, expected a process number from 0 to 18446744073709551615; correct or remove the "
       "line"},
      {"process is no number", after_good("100 rank0 E main\n"), 1,
       "t.clct:6: found \"rank0\" as process, expected a process number from 0 to 18446744073709551615; correct or "
       "remove the line"},
      {"process too large", after_good("100 18446744073709551616 E main\n"), 1,
       "t.clct:6: found \"18446744073709551616\" as process, expected a process number from 0 to 18446744073709551615; "
       "correct or remove the line"},
      {"unknown process", after_good("100 2 E main\n"), 1,
       "t.clct:6: process 2 is not defined, expected a line \"%process 2 NAME\" before its first use; add it to the "
       "head "
       "of the trace"},
      {"definition behind first use", after_good("100 2 E main\n%process 2 c\n"), 1,
       "t.clct:6: process 2 is not defined, expected a line \"%process 2 NAME\" before its first use; add it to the "
       "head "
       "of the trace"},
      {"no kind", after_good("100 0\n"), 1,
       "t.clct:6: found no kind, expected a word such as E, L, S, R, B, X or I; correct or remove the line"},
      {"send without fields", after_good("100 0 S\n"), 1,
       "t.clct:6: found no receiver, expected a process number from 0 to 18446744073709551615, or - for anybody; "
       "correct "
       "or remove the line"},
      {"send to unknown process", after_good("100 0 S 9 4 1 2\n"), 1,
       "t.clct:6: process 9 is not defined, expected a line \"%process 9 NAME\" before its first use; add it to the "
       "head "
       "of the trace"},
      {"receive from unknown process", after_good("100 0 R 9 4 1 2\n"), 1,
       "t.clct:6: process 9 is not defined, expected a line \"%process 9 NAME\" before its first use; add it to the "
       "head "
       "of the trace"},
      {"receive from no number", after_good("100 0 R any 4 1 2\n"), 1,
       "t.clct:6: found \"any\" as sender, expected a process number from 0 to 18446744073709551615, or - for anybody; "
       "correct or remove the line"},
      {"bad delay of a communicator", after_good("%group 6 0 min-delay=-1\n"), 1,
       "t.clct:6: found \"-1\" as minimum message delay of communicator 6, expected ticks, 0 or more; correct or "
       "remove "
       "it"},
      {"unknown communicator", after_good("100 0 S 1 5 1 2\n"), 1,
       "t.clct:6: communicator 5 is not defined, expected a line \"%group 5 MEMBERS...\" before its first use; add it "
       "to "
       "the head of the trace"},
      {"no communicator", after_good("100 0 S 1\n"), 1,
       "t.clct:6: found no communicator, expected a communicator number from 0 to 18446744073709551615; correct or "
       "remove the line"},
      {"tag too large", after_good("100 0 S 1 4 9223372036854775808 2\n"), 1,
       "t.clct:6: found \"9223372036854775808\" as tag, expected a number from -9223372036854775808 to "
       "9223372036854775807; correct or remove the line"},
      {"no length", after_good("100 0 S 1 4 77\n"), 1,
       "t.clct:6: found no length, expected bytes from 0 to 18446744073709551615; correct or remove the line"},
      {"negative length", after_good("100 0 S 1 4 77 -1\n"), 1,
       "t.clct:6: found \"-1\" as length, expected bytes from 0 to 18446744073709551615; correct or remove the line"},
      {"cut in the last line", after_good("100 0 S 1 4"), 1,
       "t.clct:6: found no tag, expected a number from -9223372036854775808 to 9223372036854775807; correct or remove "
       "the line (the last line has no newline: the file may be truncated)"},
      {"end without operation", after_good("100 0 X\n"), 1,
       "t.clct:6: found no operation, expected a word such as barrier, bcast, reduce or allreduce; correct or remove "
       "the "
       "line"},
      {"end on unknown communicator", after_good("100 0 X barrier 7 - 0 0\n"), 1,
       "t.clct:6: communicator 7 is not defined, expected a line \"%group 7 MEMBERS...\" before its first use; add it "
       "to "
       "the head of the trace"},
      {"root out of range", after_good("100 0 X bcast 4 4294967295 0 0\n"), 1,
       "t.clct:6: found \"4294967295\" as root, expected a rank from 0 to 4294967294, or - for none; correct or remove "
       "the line"},
      {"negative root", after_good("100 0 X bcast 4 -1 0 0\n"), 1,
       "t.clct:6: found \"-1\" as root, expected a rank from 0 to 4294967294, or - for none; correct or remove the "
       "line"},
      {"no length received", after_good("100 0 X bcast 4 0 8\n"), 1,
       "t.clct:6: found no length received, expected bytes from 0 to 18446744073709551615; correct or remove the line"},
      {"no length sent", after_good("100 0 X bcast 4 0\n"), 1,
       "t.clct:6: found no length sent, expected bytes from 0 to 18446744073709551615; correct or remove the line"},
      {"bad call id", after_good("100 0 B call=first\n"), 1,
       "t.clct:6: found \"call=first\" as call id, expected call= and a number from -9223372036854775808 to "
       "9223372036854775807; correct or remove the line"},
      {"zero byte", after_good("100 0 E ma\0in\n200 0 I\n"s), 1,
       "t.clct:6: found a zero byte, expected text; the file is damaged or incomplete, write or copy it again"},
      {"zero byte in a comment", after_good("# \0\n"s), 1,
       "t.clct:6: found a zero byte, expected text; the file is damaged or incomplete, write or copy it again"},
      {"zero bytes at the end", after_good(std::string(5000, '\0')), 1,
       "t.clct:6: found a zero byte, expected text; the file is damaged or incomplete, write or copy it again"},
      {"zero byte in the first line", "%clc-trace 1 \0\n"s, 0,
       "t.clct:1: found a zero byte, expected text; the file is damaged or incomplete, write or copy it again"},
      {"line too long", after_good("100 0 I " + std::string(10'000'000, 'x') + "\n200 0 I\n"), 1,
       "t.clct:6: found a line of more than 1048576 bytes, expected shorter ones; check that the file is a trace and "
       "is "
       "not damaged"},
      {"line too long without end", after_good(std::string(10'000'000, '1')), 1,
       "t.clct:6: found a line of more than 1048576 bytes, expected shorter ones; check that the file is a trace and "
       "is "
       "not damaged"},
      {"first line too long", "%clc-trace 1 " + std::string(3'000'000, 'x'), 0,
       "t.clct:1: found a line of more than 1048576 bytes, expected shorter ones; check that the file is a trace and "
       "is "
       "not damaged"},
      {"resolution is no number", "%clc-trace 1\n%resolution fast\n", 0,
       "t.clct:2: found \"fast\" as resolution, expected ticks per second from 1 to 1000000000000; correct the line"},
      {"resolution 0", "%clc-trace 1\n%resolution 0\n", 0,
       "t.clct:2: found \"0\" as resolution, expected ticks per second from 1 to 1000000000000; correct the line"},
      {"resolution too large", "%clc-trace 1\n%resolution 1000000000001\n", 0,
       "t.clct:2: found \"1000000000001\" as resolution, expected ticks per second from 1 to 1000000000000; correct "
       "the "
       "line"},
      {"two resolutions", "%clc-trace 1\n%resolution 5\n%resolution 6\n", 0,
       "t.clct:3: found a resolution of 6 ticks per second after one of 5, expected one resolution before the first "
       "record; remove the line or convert the times"},
      {"late resolution", after_good("%resolution 1000\n"), 1,
       "t.clct:6: found a resolution of 1000 ticks per second after records with 1000000000, expected one resolution "
       "before the first record; remove the line or convert the times"},
      {"late minimum delay", after_good("%min-delay 1000\n"), 1,
       "t.clct:6: found a minimum message delay after the first record, expected it before; move the line up or "
       "remove it"},
      {"negative minimum delay", "%clc-trace 1\n%min-delay -1\n", 0,
       "t.clct:2: found \"-1\" as minimum message delay, expected ticks, 0 or more; correct or remove the line"},
      {"bad minimum delay within a node", "%clc-trace 1\n%min-delay 5 node=x\n", 0,
       "t.clct:2: found \"x\" as minimum message delay within a node, expected ticks, 0 or more; correct or remove it"},
      {"process definition without number", "%clc-trace 1\n%process\n", 0,
       "t.clct:2: found no process number, expected a number from 0 to 18446744073709551615; correct the line"},
      {"negative process number", "%clc-trace 1\n%process -1 a\n", 0,
       "t.clct:2: found \"-1\" as process number, expected a number from 0 to 18446744073709551615; correct the line"},
      {"group number too large", "%clc-trace 1\n%group 18446744073709551616\n", 0,
       "t.clct:2: found \"18446744073709551616\" as communicator number, expected a number from 0 to "
       "18446744073709551615; correct the line"},
      {"group member is no number", text_head + "%group 5 0 1x\n", 0,
       "t.clct:5: found \"1x\" as member of communicator 5, expected a process number; correct the line"},
      {"group member is negative", text_head + "%group 5 -1 name=world\n", 0,
       "t.clct:5: found \"-1\" as member of communicator 5, expected a process number; correct the line"},
      {"group member behind further fields", text_head + "%group 5 0 q min-delay=1 name=x 1\n", 0,
       "t.clct:5: found \"1\" as member of communicator 5 after \"q\", expected all members before additional fields; "
       "correct the line"},
      {"bad delay behind further fields", text_head + "%group 5 0 1 name=world min-delay=x\n", 0,
       "t.clct:5: found \"x\" as minimum message delay of communicator 5, expected ticks, 0 or more; correct or remove "
       "it"},
      {"group with unknown member", text_head + "%group 5 0 2\n", 0,
       "t.clct:5: member of communicator 5: process 2 is not defined, expected a line \"%process 2 NAME\" before its "
       "first use; add it to the head of the trace"},
      {"group with a member twice", text_head + "%group 5 0 1 0\n", 0,
       "t.clct:5: found process 0 twice among the members of communicator 5, expected each member once; correct the "
       "line"},
  };
}

}  // namespace

TEST_CASE("bad text gets one line that says where, what, and what to do") {
  const Folder folder;
  for (const Bad& bad : bad_texts()) {
    CAPTURE(bad.what);
    write_file("t.clct", bad.text);
    const Trace trace = read_trace("t.clct");
    CHECK(trace.error == bad.message);
    CHECK(trace.events.size() == bad.events);
    CHECK(trace.error.find('\n') == std::string::npos);
  }
}

TEST_CASE("notes before a bad line are delivered") {
  const Folder folder;
  write_file("t.clct", text_head + "%group 5 0 2\n# behind\n");
  const Trace trace = read_trace("t.clct");
  CHECK(trace.notes.size() == 4);
  write_file("t.clct", after_good("# one\nbad\n# two\n"));
  CHECK(read_trace("t.clct").notes.back() == std::pair<std::size_t, std::string>(1, "# one"));
}

TEST_CASE("a source stays failed after an error") {
  const Folder folder;
  write_file("t.clct", after_good("bad\n200 0 I\n"));
  const OpenedSource opened = open_source("t.clct");
  Batch batch;
  CHECK(opened.source->read(batch));
  CHECK(opened.source->read(batch));
  CHECK_THROWS_AS(opened.source->read(batch), InputError);
  CHECK(batch.events.empty());
  CHECK_THROWS_AS(opened.source->read(batch), InputError);
}

TEST_CASE("what is unusual in text but means something is accepted") {
  const Folder folder;
  const auto accepted = [](const std::string& text) {
    write_file("t.clct", text);
    const Trace trace = read_trace("t.clct");
    CAPTURE(text);
    CHECK(trace.error.empty());
    return trace.events;
  };
  CHECK(accepted("%clc-trace 1").empty());
  CHECK(accepted("%clc-trace 1 written by hand\n").empty());
  CHECK(accepted("%clc-trace 1\n%resolution 1000000000                 ticks per second\n").empty());
  CHECK(accepted("%clc-trace 1\n%resolution 5\n%resolution 5\n").empty());
  CHECK(accepted(text_head + "%group 4 1 0\n%process 0 renamed node=x\n").empty());
  CHECK(accepted(text_head + "%group 5\n").empty());
  CHECK(accepted(text_head + "100 0 E main").size() == 1);
  CHECK(accepted(text_head + "-9223372036854775808 0 I\n9223372036854775807 0 I\n").size() == 2);
  CHECK(accepted(text_head + "-5 0 I\n").front().time == Time(-5));
  CHECK(accepted(after_good("100 0 S 0 4 1 2\n")).size() == 2);    // to itself: the clock counts it
  CHECK(accepted(after_good("100 0 SX 1\n")).size() == 2);         // an unknown kind
  CHECK(accepted(after_good("100 0 X fence 9 x\n")).size() == 2);  // an unknown operation
  CHECK(accepted(after_good("100 0 X fence 9 x\n"))[1].role == Role::internal);
  CHECK(accepted(after_good("%resolution 1000000000\n")).size() == 1);
  CHECK(accepted(after_good("%process 2 c\n100 2 I\n")).size() == 2);
  CHECK(accepted(after_good("%anything at all\n#\n\n \n\t# x\n100 0 I\n")).size() == 2);
  CHECK(accepted(after_good("100 0 I " + std::string(1'048'568, 'x') + "\n200 0 I\n")).size() == 3);
}

TEST_CASE("further fields of a communicator are kept and mean nothing") {
  const Folder folder;
  for (const std::string fields :
       {"0 1 name=world", "0 1 min-delay=7 name=world", "0 1 name=world min-delay=7", "min-delay=7 0 1",
        "0 min-delay=7 1 a -2 4x =", "0 1 World of min-delay=7 all\r", "0 1 min-delay=0"}) {
    CAPTURE(fields);
    const std::string text = text_head + "%group 5 " + fields + "\n100 0 S 1 5 1 2\n";
    write_file("t.clct", text);
    const OpenedSource opened = open_source("t.clct");
    Batch batch;
    while (opened.source->read(batch)) {
    }
    const Communicator& world = opened.source->definitions().communicators().back();
    CHECK(world.members == std::vector<ProcessIndex>{0, 1});
    const bool is_zero = fields.ends_with("=0");  // one tick, as 0 is everywhere
    CHECK(world.min_delay == (fields.find("=7") != std::string::npos ? 7 : is_zero ? 1 : 0));
    REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary)).empty());
    REQUIRE(copy_trace("t.clcb", "u.clct", as(Format::text)).empty());
    CHECK(read_file("u.clct") == text);
  }
}

TEST_CASE("numbers of every length are read exactly") {
  const Folder folder;
  std::string text = "%clc-trace 1\n%process 0 a\n%group 0 0\n";
  std::vector<std::uint64_t> values;
  for (std::uint64_t power = 1, digits = 1; digits <= 20; ++digits, power *= 10)
    for (const std::uint64_t value : {power - 1, power, power + 1, power / 9 * 2}) values.push_back(value);
  values.push_back(UINT64_MAX);
  for (const std::uint64_t value : values) text += "1 0 S 0 0 1 " + std::to_string(value) + "\n";
  for (std::int64_t value = -1'000'000; value < 1'000'000; value += 1237)
    text += "1 0 S 0 0 " + std::to_string(value) + " 0\n";
  write_file("t.clct", text);
  const Trace trace = read_trace("t.clct");
  REQUIRE(trace.error.empty());
  std::size_t i = 0;
  for (const std::uint64_t value : values) CHECK(trace.events[i++].bytes == value);
  for (std::int64_t value = -1'000'000; value < 1'000'000; value += 1237) CHECK(trace.events[i++].tag == value);
}

TEST_CASE("times of every length are read and written exactly") {
  const Folder folder;
  std::string text = "%clc-trace 1\n%process 0 a\n";
  std::int64_t power = 1;
  for (int digits = 1; digits <= 18; ++digits, power *= 10)
    for (const std::int64_t value : {power - 1, power, power + 1, power * 9 + power / 7})
      text += std::to_string(value) + " 0 I\n" + std::to_string(-value) + " 0 I\n";
  write_file("t.clct", text);
  SourceOptions any_order;
  any_order.any_order = true;
  REQUIRE(copy_trace("t.clct", "u.clct", as(Format::text), any_order).empty());
  CHECK(read_file("u.clct") == text);
}

TEST_CASE("only a field of its own is a recorded time that was kept") {
  const Folder folder;
  write_file("t.clct", text_head + "0 0 I word@=55\n1 0 I word @=55\n2 0 I @=55\n");
  SinkOptions options = as(Format::text);
  options.keep_original = true;
  REQUIRE(copy_trace("t.clct", "u.clct", options).empty());
  CHECK(read_file("u.clct") == text_head + "0 0 I word@=55 @=0\n1 0 I word @=55\n2 0 I @=55\n");
}

TEST_CASE("a recorded time that was kept may have blanks after it, and no kind word is one") {
  const Folder folder;
  const std::string kept = "3 0 E main @=1 \n4 0 S 1 4 5 8 @=2\t \r\n";
  write_file("t.clct", text_head + kept + "5 0 @=3\n6 0 @=4 @=5 \n7 0 X @=6\n8 0 E @=7\n");
  SinkOptions options = as(Format::text);
  options.keep_original = true;
  REQUIRE(copy_trace("t.clct", "u.clct", options).empty());
  CHECK(read_file("u.clct") == text_head + kept + "5 0 @=3 @=5\n6 0 @=4 @=5 \n7 0 X @=6\n8 0 E @=7\n");
  // The same by way of binary, where no blanks are kept.
  REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("t.clcb", "v.clct", options).empty());
  const std::string trimmed = "3 0 E main @=1\n4 0 S 1 4 5 8 @=2\n5 0 @=3 @=5\n6 0 @=4 @=5\n7 0 I X @=6\n8 0 E @=7\n";
  CHECK(read_file("v.clct") == text_head + trimmed);
}

TEST_CASE("text cut anywhere gives its complete lines and at most one error") {
  const Folder folder;
  const std::string text = small_text();
  write_file("t.clct", text);
  const Trace whole = read_trace("t.clct");
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    write_file("t.clct", text.substr(0, size));
    const Trace cut = read_trace("t.clct");
    const auto lines =
        static_cast<std::size_t>(std::count_if(whole.places.begin(), whole.places.end(), [&](std::uint64_t line) {
          return line <= static_cast<std::uint64_t>(
                             std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
        }));
    CHECK(cut.events.size() >= lines);
    CHECK(cut.events.size() <= lines + 1);
    for (std::size_t i = 0; i < lines; ++i) CHECK(cut.events[i] == whole.events[i]);
  }
}

TEST_CASE("a last line without newline is read with a warning") {
  const Folder folder;
  std::vector<std::string> warnings;
  const auto error = [&](const std::string& text, SourceOptions options = {}) -> std::string {
    write_file("t.clct", text);
    warnings.clear();
    try {
      const OpenedSource opened = open_source("t.clct", options);
      try {
        Batch batch;
        while (opened.source->read(batch)) {
        }
      } catch (const InputError& damage) {
        warnings = opened.source->warnings();
        return damage.what();
      }
      warnings = opened.source->warnings();
    } catch (const InputError& damage) {
      return damage.what();
    }
    return {};
  };
  const auto cut = [](std::size_t line) {
    return std::vector<std::string>{"t.clct:" + std::to_string(line) +
                                    ": the last line has no newline and may be truncated; it was read anyway"};
  };
  CHECK(error(after_good("200 0 S 1 4 5 102")).empty());
  CHECK(warnings == cut(6));
  CHECK(error(after_good("# comm")).empty());
  CHECK(warnings == cut(6));
  CHECK(error("%clc-trace 1").empty());
  CHECK(warnings == cut(1));
  // An error has said so already, or stands ahead of it.
  CHECK_FALSE(error(after_good("200 0 S 1 4 5")).empty());
  CHECK(warnings.empty());
  CHECK_FALSE(error(after_good("bad\n200 0 S 1 4 5 102")).empty());
  CHECK(warnings.empty());

  const std::string text = small_text();
  for (std::size_t size = 1; size <= text.size(); ++size) {
    CAPTURE(size);
    const bool whole = !error(text.substr(0, size)).empty() || text[size - 1] == '\n';
    CHECK(warnings.empty() == whole);
  }
  std::string many = text_head;  // several batches
  for (int i = 0; i < 20'000; ++i) many += std::to_string(i) + " 0 I\n";
  many.pop_back();
  for (const unsigned threads : {1U, 3U}) {
    SourceOptions options;
    options.threads = std::make_shared<Threads>(threads);
    CHECK(error(many, options).empty());
    CHECK(warnings == cut(20'004));
  }
}

TEST_CASE("text arriving byte by byte is the same text") {
  const Folder folder;
  const std::string text = random_text(3, 500);
  write_file("t.clct", text);
  const Trace whole = read_trace("t.clct");
  const Pipe pipe;
  std::thread writer([&] {
    for (const char c : text) pipe.write({&c, 1});
    const_cast<Pipe&>(pipe).close_write();
  });
  const Trace slow = read_trace(pipe.read_path());
  writer.join();
  CHECK(slow.error == whole.error);
  CHECK(slow.events == whole.events);
  CHECK(slow.bodies == whole.bodies);
  CHECK(slow.notes == whole.notes);
}

TEST_CASE("records are delivered while the input pauses") {
  Pipe pipe;
  pipe.write(text_head + "100 0 E main\n");
  const OpenedSource opened = open_source(pipe.read_path());
  Batch batch;
  CHECK(opened.source->read(batch));
  CHECK(batch.notes.size() == 4);
  CHECK(opened.source->read(batch));
  CHECK(batch.events.size() == 1);
  pipe.write("200 0 L main\n300 0 ");
  CHECK(opened.source->read(batch));
  CHECK(batch.events.size() == 1);
  pipe.write("I x\n");
  CHECK(opened.source->read(batch));
  CHECK(batch.bodies[0] == " 0 I x");
  pipe.close_write();
  CHECK_FALSE(opened.source->read(batch));
  CHECK(opened.source->bytes_total() == 0);
  CHECK(opened.source->bytes_read() > 0);
}

TEST_CASE("a note knows its line, however the trace is read") {
  const Folder folder;
  std::map<std::string, std::string> texts{{"a.clct", random_text(5, 9000)}};
  const std::string& text = texts["a.clct"];
  const std::size_t resolution = text.find("%resolution");
  texts["b.clct"] =
      "%clc-trace 1\n\n" +
      (resolution == std::string::npos ? std::string()
                                       : text.substr(resolution, text.find('\n', resolution) + 1 - resolution)) +
      "%sync 1 0 1 2 3 4\n# a\n%process 7654321 b\n5 7654321 I x\n\n# b\n7 7654321 I x\n%offset 1 2 3\n";
  std::map<std::string, std::string> lines;  // by "a.clct:1"
  for (const auto& [name, content] : texts) {
    write_file(name, content);
    std::istringstream input(content);
    std::string line;
    for (int number = 1; std::getline(input, line); ++number) lines[name + ':' + std::to_string(number)] = line;
  }
  const auto known = [&](const SourceOptions& options) {
    const OpenedSource opened = open_source("a.clct", options);
    std::set<std::string> places;
    Batch batch;
    for (bool more = true; more;) {
      more = opened.source->read(batch);
      for (const Batch::Note& note : batch.notes) {
        if (note.place == 0) continue;
        const std::string place = opened.source->describe(note.place);
        REQUIRE(lines.at(place) == note.line);
        CHECK(places.insert(place).second);
      }
    }
    return places;
  };
  const std::set<std::string> places = known({});
  CHECK(places.size() > 100);
  SourceOptions sorted;
  sorted.sort_window_us = 1;
  CHECK(known(sorted) == places);
  SourceOptions in_threads;
  in_threads.threads = std::make_shared<Threads>(3U);
  CHECK(known(in_threads) == places);
  SourceOptions both;
  both.further = {"b.clct"};
  const std::set<std::string> of_both = known(both);
  for (const char* place : {"b.clct:2", "b.clct:4", "b.clct:5", "b.clct:6"}) CHECK(of_both.contains(place));
}
