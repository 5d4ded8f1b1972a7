// The binary format: every way to damage a file is noticed, all before the damage is delivered.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <thread>

#include "binary/layout.hpp"
#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "common/checksum.hpp"
#include "record/numbers.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;
namespace b = clc::formats::binary;

namespace {

/// The small trace in binary, in several blocks so that damage between them is met too.
std::string small_binary(std::size_t records_per_block = 4) {
  write_file("small.clct", small_text());
  const OpenedSource opened = open_source("small.clct");
  SinkOptions options = as(Format::binary);
  options.body_format = Format::text;
  options.decoder = &opened.source->decoder();
  const std::unique_ptr<Sink> sink = open_sink("small.clcb", opened.source->definitions(), options);
  Batch batch;
  std::size_t written = 0;
  while (opened.source->read(batch)) {
    std::size_t note = 0;
    for (std::size_t i = 0; i <= batch.events.size(); ++i) {
      for (; note < batch.notes.size() && batch.notes[note].before == i; ++note) sink->note(batch.notes[note].line);
      if (i == batch.events.size()) break;
      const Corrected corrected{batch.events[i].time, batch.events[i].time, batch.events[i].process, batch.bodies[i]};
      sink->events({&corrected, 1});
      if (++written % records_per_block == 0) sink->flush();
    }
  }
  sink->close();
  return read_file("small.clcb");
}

bool is_prefix(const Trace& part, const Trace& whole) {
  return part.events.size() <= whole.events.size() && part.bodies.size() <= whole.bodies.size() &&
         std::equal(part.events.begin(), part.events.end(), whole.events.begin()) &&
         std::equal(part.bodies.begin(), part.bodies.end(), whole.bodies.begin()) &&
         part.notes.size() <= whole.notes.size() &&
         std::equal(part.notes.begin(), part.notes.end(), whole.notes.begin());
}

/// A file head.
std::string file_head(std::uint32_t version = b::version) {
  std::string head(b::magic);
  head.resize(b::file_head_size);
  b::store(head.data() + 8, version);
  b::store(head.data() + 12, static_cast<std::uint32_t>(clc::formats::checksum({head.data(), 12})));
  return head;
}

std::string block(std::string_view type, std::uint64_t first, std::uint32_t records, std::string_view payload,
                  std::int64_t time = 0) {
  std::string bytes(type);
  bytes.resize(b::block_head_size);
  b::store(bytes.data() + 4, static_cast<std::uint32_t>(payload.size()));
  b::store(bytes.data() + 8, first);
  b::store(bytes.data() + 16, static_cast<std::uint64_t>(time));
  b::store(bytes.data() + 24, records);
  b::store(bytes.data() + 28, static_cast<std::uint32_t>(clc::formats::checksum({bytes.data(), 28})));
  bytes += payload;
  bytes.resize(bytes.size() + b::checksum_size);
  b::store(bytes.data() + bytes.size() - b::checksum_size, clc::formats::checksum(payload));
  return bytes;
}

std::string varint(std::uint64_t number) {
  std::string bytes(formats::longest_varint, '\0');
  bytes.resize(static_cast<std::size_t>(formats::put_varint(bytes.data(), number) - bytes.data()));
  return bytes;
}

std::string note(std::string_view line) { return varint(0) + varint(line.size()) + std::string(line); }

std::string end_mark(std::uint64_t records, std::uint64_t notes) {
  std::string count(8, '\0');
  b::store(count.data(), notes);
  return block(b::end_block, records, 0, count);
}

/// One process, one communicator, then the entries; everything else right.
std::string file_with(const std::string& entries, std::uint32_t records) {
  return file_head() + block(b::data_block, 0, records, note("%process 0 a") + note("%group 0 0") + entries) +
         end_mark(records, 2);
}

}  // namespace

TEST_CASE("numbers of any length are read without a branch on it as with one") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 10'000; ++round) {
    const std::uint64_t number = random() >> (random() % 64);
    const std::string bytes = varint(number) + "\xff\x7f\xff\xff\xff";
    b::Cursor plain(bytes.data());
    b::Cursor uneven(bytes.data());
    REQUIRE(plain.varint() == number);
    REQUIRE(uneven.uneven_varint() == number);
    REQUIRE(uneven.at() == plain.at());
    REQUIRE(uneven.good());
  }
  const std::string endless(b::longest_entry, '\xff');
  b::Cursor uneven(endless.data());
  static_cast<void>(uneven.uneven_varint());
  CHECK(!uneven.good());
}

TEST_CASE("a binary trace cut anywhere gives all complete records and says where it ends") {
  const Folder folder;
  const std::string whole_bytes = small_binary();
  const Trace whole = read_trace("small.clcb");
  REQUIRE(whole.error.empty());
  for (std::size_t size = 0; size < whole_bytes.size(); ++size) {
    CAPTURE(size);
    write_file("cut.clcb", whole_bytes.substr(0, size));
    const Trace cut = read_trace("cut.clcb");
    REQUIRE(is_prefix(cut, whole));
    REQUIRE_FALSE(cut.error.empty());
    // A record is complete when the next one, or what ends its block, begins before the cut.
    std::size_t complete = 0;
    for (std::size_t i = 0; i < whole.events.size(); ++i) {
      const std::size_t behind_head = 2;  // process and time difference: at least a byte each
      if (whole.places[i] + behind_head + whole.bodies[i].size() + 10 <= size) complete = i + 1;
    }
    CHECK(cut.events.size() >= complete);
    if (size >= 4) CHECK(cut.error.find("offset " + std::to_string(size)) != std::string::npos);
  }
}

TEST_CASE("a binary trace with any byte changed gives an error and only what is right before it") {
  const Folder folder;
  const std::string whole_bytes = small_binary();
  const Trace whole = read_trace("small.clcb");
  for (std::size_t at = 0; at < whole_bytes.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU, 0x20U}) {
      CAPTURE(at, flip);
      std::string bytes = whole_bytes;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      write_file("bad.clcb", bytes);
      const Trace bad = read_trace("bad.clcb");
      REQUIRE_FALSE(bad.error.empty());
      REQUIRE(is_prefix(bad, whole));
    }
  }
}

TEST_CASE("a block that is lost, repeated or exchanged is noticed") {
  const Folder folder;
  const std::string one =
      file_head() + block(b::data_block, 0, 1, note("%process 0 a") + varint(1) + varint(0) + "\x05");
  const std::string two = block(b::data_block, 1, 1, varint(1) + varint(2) + "\x05");
  const std::string end = end_mark(2, 1);
  write_file("t", one + two + end);
  CHECK(read_trace("t").error.empty());
  write_file("t", one + end);
  CHECK(read_trace("t").error ==
        "t: offset 73: found record 2 at the start of a block, expected record 1: blocks are missing or repeated; "
        "everything before was read, the file is damaged, write or copy it again");
  write_file("t", one + two + two + end);
  CHECK_THAT(read_trace("t").error, Catch::StartsWith("t: offset 116: found record 1 at the start of a block"));
  write_file("t", one + two + end_mark(2, 5));
  CHECK_THAT(read_trace("t").error, Catch::StartsWith("t: offset 116: the end mark counts 5 notes, expected 1"));
}

TEST_CASE("binary heads that are wrong get a message of their own") {
  const Folder folder;
  const auto error = [](const std::string& bytes) {
    write_file("t", bytes);
    return read_trace("t").error;
  };
  const std::string good = file_head() + end_mark(0, 0);
  CHECK(error(good).empty());
  CHECK(error(file_head(2)) ==
        "t: offset 8: found version 2 of the binary format, expected 1; use a newer version of this program");
  CHECK(
      error(file_head(0x01000000)) ==
      "t: offset 8: found the version in the wrong byte order, expected little-endian numbers; the program that wrote "
      "the file must be corrected");
  std::string damaged = good;
  damaged[9] = 7;
  CHECK(error(damaged) ==
        "t: offset 8: the header of the file does not match its checksum; the file is damaged, write or copy it again");
  std::string unix_lines = good;
  unix_lines.erase(4, 1);
  CHECK(error(unix_lines) ==
        "t: offset 0: found \"\\x89CLC\\x0a\\x1a\\x0a\\x01\", expected the first bytes of a binary trace; the line "
        "ends in the "
        "file were converted: transfer it in binary mode");
  std::string seven_bits = good;
  seven_bits[0] = 9;
  CHECK(error(seven_bits) ==
        "t: offset 0: found \"\\x09CLC\\x0d\\x0a\\x1a\\x0a\", expected the first bytes of a binary trace; the eighth "
        "bits of the "
        "file were lost: transfer it in binary mode");
  CHECK(error(good.substr(0, 10)) ==
        "t: offset 10: the file ends inside its header, expected 16 bytes; the file is truncated, write or copy it "
        "again");
  CHECK(error(file_head()) ==
        "t: offset 16: the file ends without its end mark, expected more; everything before was read, the file is "
        "truncated or still being written");
  CHECK(error(good.substr(0, 30)) ==
        "t: offset 30: the file ends inside the header of a block, expected more; everything before was read, the file "
        "is "
        "truncated or still being written");
  CHECK(
      error(good.substr(0, 60)) ==
      "t: offset 60: the file ends inside a block, expected more; everything before was read, the file is truncated or "
      "still being written");
  CHECK(error(good + "x") ==
        "t: offset 64: found more bytes, \"x\", after the end mark, expected one trace in a file; split the file here");
  CHECK(error(good + good) ==
        "t: offset 64: found a second trace after the end mark, expected one trace in a file; split the file here");
  CHECK(error(file_head() + block("NEXT", 0, 0, "")) ==
        "t: offset 16: found a block of type \"NEXT\", expected DATA or END.; use a newer version of this program");
  std::string huge = block(b::data_block, 0, 0, "");
  b::store(huge.data() + 4, std::uint32_t{0xffffffff});
  b::store(huge.data() + 28, static_cast<std::uint32_t>(clc::formats::checksum({huge.data(), 28})));
  CHECK(
      error(file_head() + huge) ==
      "t: offset 16: found a block of 4294967295 bytes, expected at most 2097152; the program that wrote the file must "
      "be corrected");
  std::string payload = file_with("", 0);
  payload[50] = 'x';
  CHECK(
      error(payload) ==
      "t: offset 16: a block of 26 bytes does not match its checksum; everything before was read, the file is damaged, "
      "write or copy it again");
  SourceOptions forced;
  forced.format = Format::binary;
  write_file("t", small_text());
  CHECK(
      read_trace("t", forced).error ==
      "t: offset 0: found \"%clc-tra\", expected the first bytes of a binary trace; check that this is a binary trace");
  forced.format = Format::text;
  write_file("t", good);
  CHECK_THAT(read_trace("t", forced).error, Catch::StartsWith("t:1: found"));
}

TEST_CASE("records that are wrong in spite of right checksums are errors") {
  const Folder folder;
  const auto error = [](const std::string& entries, std::uint32_t records = 1) {
    write_file("t", file_with(entries, records));
    return read_trace("t").error;
  };
  const std::string at_process = varint(1) + varint(0);
  const std::string too_long(10, '\xff');
  CHECK(error(at_process + "\x05").empty());
  CHECK_THAT(error(at_process + "\x05", 2), Catch::Contains("found 1 records in a block, expected 2"));
  write_file("t", file_head() +
                      block(b::data_block, 0, 2, note("%process 0 a") + at_process + "\x05" + at_process + "\x05") +
                      block(b::data_block, 2, 2, at_process + "\x05"));
  CHECK_THAT(read_trace("t").error, Catch::Contains("found 1 records in a block, expected 2"));
  CHECK_THAT(error(varint(2) + varint(0) + "\x05"), Catch::Contains("found a process that is not defined"));
  CHECK_THAT(error(at_process + "\x07"), Catch::Contains("found an unknown kind of record"));
  CHECK_THAT(error(at_process + "\x45"), Catch::Contains("found an unknown kind of record"));
  CHECK_THAT(error(at_process + "\x03" + varint(1) + varint(0) + varint(0) + varint(0)),
             Catch::Contains("found a process that is not defined"));
  CHECK_THAT(error(at_process + "\x04" + varint(0) + varint(1) + varint(0) + varint(0)),
             Catch::Contains("found a communicator that is not defined"));
  CHECK_THAT(error(at_process + "\x06" + varint(17) + varint(0) + varint(0) + varint(0) + varint(0)),
             Catch::Contains("found an unknown collective operation"));
  CHECK_THAT(error(at_process + "\x06" + varint(1) + varint(0) + varint(0x100000000) + varint(0) + varint(0)),
             Catch::Contains("found a root out of range"));
  CHECK_THAT(error(varint(1) + too_long + "\x05"), Catch::Contains("found a number of more than 64 bits"));
  CHECK_THAT(error(at_process + "\x03"), Catch::Contains("reaches beyond the end of its block"));
  CHECK_THAT(error(at_process + "\x01" + varint(5) + "main"), Catch::Contains("reaches beyond the end of its block"));
  CHECK_THAT(error(at_process + "\x01" + varint(UINT64_MAX) + "main"), Catch::Contains("reaches beyond the end"));
  CHECK_THAT(error(note("x").substr(0, 2)), Catch::Contains("reaches beyond the end of its block"));
  CHECK_THAT(error(varint(0) + varint(UINT64_MAX)), Catch::Contains("reaches beyond the end of its block"));
  CHECK_THAT(error(note("%group 1 7")), Catch::Contains("t: offset 74: member of communicator 1: process 7 is not"));
  CHECK_THAT(error(note("# two\nlines")), Catch::Contains("found \"# two\\x0alines\" as a note, expected one line"));
  CHECK_THAT(error(note(" 17 0 B")), Catch::Contains("found \" 17 0 B\" as a note, expected one line of text that is"));
  CHECK_THAT(error(note("%clc-trace 1")), Catch::Contains("found a second header"));
}

TEST_CASE("any payload with a right checksum is read or refused, and can be converted") {
  const Folder folder;
  std::mt19937 random(17);
  const auto byte = [&] {
    // Mostly small numbers, so that many entries are valid.
    return static_cast<char>(random() % 4 == 0 ? random() % 256 : random() % 8);
  };
  const int rounds = in_depth() ? 1500 : 200;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::string entries;
    for (std::size_t size = random() % 60; size > 0; --size) entries += byte();
    // Without the end mark: as many records as there are.
    std::string bytes =
        file_head() +
        block(b::data_block, 0, 0, note("%process 0 a") + note("%process 1 b") + note("%group 0 0 1") + entries);
    if (round % 2 == 0) bytes.resize(bytes.size() - b::checksum_size - random() % 3);
    write_file("t", bytes);
    SourceOptions any_order;
    any_order.any_order = true;
    CHECK_FALSE(read_trace("t", any_order).error.empty());
    CHECK_FALSE(copy_trace("t", "u", as(Format::text), any_order).empty());
    CHECK_FALSE(copy_trace("t", "v", as(Format::binary), any_order).empty());
  }
}

TEST_CASE("bodies of any bytes can be decoded") {
  std::mt19937 random(18);
  for (int round = 0; round < 20000; ++round) {
    std::string body;
    for (std::size_t size = 1 + random() % 40; size > 0; --size)
      body += static_cast<char>(random() % 3 == 0 ? random() % 256 : random() % 64);
    const Record record = body_decoder().decode(body);
    CHECK(record.text.size() <= body.size());
  }
}

TEST_CASE("binary arriving byte by byte is the same trace") {
  const Folder folder;
  write_file("t.clct", random_text(4, 500));
  REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary)).empty());
  const std::string bytes = read_file("t.clcb");
  const Trace whole = read_trace("t.clcb");
  REQUIRE(whole.error.empty());
  Pipe pipe;
  std::thread writer([&] {
    for (const char c : bytes) pipe.write({&c, 1});
    pipe.close_write();
  });
  const Trace slow = read_trace(pipe.read_path());
  writer.join();
  CHECK(slow.error.empty());
  CHECK(slow.events == whole.events);
  CHECK(slow.bodies == whole.bodies);
  CHECK(slow.notes == whole.notes);
}

TEST_CASE("a binary trace can be read while it is being written") {
  Pipe pipe;
  Definitions definitions;
  definitions.add_process(0, "a");
  SinkOptions options = as(Format::binary);
  options.body_format = Format::binary;
  for (const bool compressed : {false, true}) {
    if (compressed) options.zstd_level = 1;
    Pipe own;
    const std::unique_ptr<Sink> sink = open_sink(own.write_path(), definitions, options);
    std::string storage;
    const Body body = encode_body(Record{}, storage);
    sink->note("%process 0 a");
    Corrected corrected{Time(5), Time(5), 0, body};
    sink->events({&corrected, 1});
    sink->flush();
    const OpenedSource opened = open_source(own.read_path());
    Batch batch;
    CHECK(opened.source->read(batch));
    CHECK(batch.notes.size() == 1);
    CHECK(opened.source->read(batch));
    CHECK(batch.events.size() == 1);
    for (int i = 0; i < 3; ++i) {
      corrected.time = Time(10 + i);
      sink->events({&corrected, 1});
      sink->flush();
      CHECK(opened.source->read(batch));
      REQUIRE(batch.events.size() == 1);
      CHECK(batch.events[0].time == corrected.time);
    }
    sink->close();
    own.close_write();
    CHECK_FALSE(opened.source->read(batch));
  }
}

TEST_CASE("long notes and names make blocks of their own") {
  const Folder folder;
  const std::string text = "%clc-trace 1\n%process 0 a\n# " + std::string(1'000'000, 'c') + "\n1 0 E " +
                           std::string(1'040'000, 'n') + "\n2 0 I\n";
  write_file("t.clct", text);
  REQUIRE(copy_trace("t.clct", "t.clcb", as(Format::binary)).empty());
  REQUIRE(copy_trace("t.clcb", "u.clct", as(Format::text)).empty());
  CHECK(read_file("u.clct") == text);

  // Longer than any reader accepts.
  Definitions definitions;
  definitions.add_process(0, "a");
  SinkOptions options;
  options.format = options.body_format = Format::binary;
  options.decoder = &body_decoder();
  const auto sink = open_sink("v.clcb", definitions, options);
  sink->note("%process 0 a");
  std::string storage;
  const std::string name(3'000'000, 'n');
  const Corrected corrected{Time(1), Time(1), 0, encode_body(Record{Kind::enter, {}, name, {}}, storage)};
  CHECK_THROWS_AS(sink->events({&corrected, 1}), OutputError);
}

TEST_CASE("the kinds and operations of the recorder have the numbers of the binary format") {
  namespace b = clc::formats::binary;
  using clc::record::Kind;
  using clc::record::Operation;
  CHECK(static_cast<unsigned>(Kind::other) == b::other);
  CHECK(static_cast<unsigned>(Kind::enter) == b::enter);
  CHECK(static_cast<unsigned>(Kind::leave) == b::leave);
  CHECK(static_cast<unsigned>(Kind::send) == b::send);
  CHECK(static_cast<unsigned>(Kind::receive) == b::receive);
  CHECK(static_cast<unsigned>(Kind::begin) == b::begin);
  CHECK(static_cast<unsigned>(Kind::end) == b::end);
#define CLC_SAME(NAME) CHECK(static_cast<unsigned>(Operation::NAME) == static_cast<unsigned>(clc::Operation::NAME))
  CLC_SAME(barrier);
  CLC_SAME(bcast);
  CLC_SAME(scatter);
  CLC_SAME(scatterv);
  CLC_SAME(reduce);
  CLC_SAME(gather);
  CLC_SAME(gatherv);
  CLC_SAME(allreduce);
  CLC_SAME(allgather);
  CLC_SAME(allgatherv);
  CLC_SAME(alltoall);
  CLC_SAME(alltoallv);
  CLC_SAME(alltoallw);
  CLC_SAME(reduce_scatter);
  CLC_SAME(reduce_scatter_block);
  CLC_SAME(scan);
  CLC_SAME(exscan);
#undef CLC_SAME
}
