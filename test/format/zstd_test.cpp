// zstd around the formats: frames, damage, streaming.
#include <zstd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "clc/error.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

std::string compressed(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

const std::string skippable{"\x5a\x2a\x4d\x18\x03\x00\x00\x00xyz", 11};

/// Several zstd blocks, hard to compress.
std::string long_text() {
  std::string text = "%clc-trace 1\n%process 0 a\n";
  std::uint64_t noise = 1;
  for (int i = 0; i < 30000; ++i) {
    noise = noise * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(i) + " 0 I " + std::to_string(noise) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("windows are read up to 512 MiB, beyond that it is not damage") {
  const Folder folder;
  const std::string text = small_text();
  REQUIRE(text.size() < 1024);
  // A frame with one stored block. The byte of the window: its logarithm less 10, and eighths of it.
  const auto with_window = [&](int log, int eighths) {
    std::string bytes("\x28\xb5\x2f\xfd\x00", 5);
    bytes += static_cast<char>((log - 10) * 8 + eighths);
    const auto block = static_cast<unsigned>(text.size()) << 3U | 1U;
    bytes += static_cast<char>(block & 0xffU);
    bytes += static_cast<char>(block >> 8U);
    return bytes + '\0' + text;
  };
  for (const int log : {20, 27, 28, 29}) {
    CAPTURE(log);
    write_file("t.zst", with_window(log, 0));
    REQUIRE(copy_trace("t.zst", "t.clct", as(Format::text)).empty());
    CHECK(read_file("t.clct") == text);
  }
  const std::string message =
      "t.zst: found a zstd frame with a window of more than 512 MiB, expected a smaller one; decompress it on the way: "
      "zstd -dc --long=31 FILE | ...";
  write_file("t.zst", with_window(29, 1));
  CHECK(read_trace("t.zst").error == message);
  write_file("t.zst", with_window(31, 0));
  CHECK(read_trace("t.zst").error == message);
  write_file("t.zst", compressed(text) + with_window(31, 0));  // what stands ahead of it is read
  const Trace trace = read_trace("t.zst");
  CHECK(trace.error == message);
  CHECK(trace.events.size() == read_trace("t.clct").events.size());
}

TEST_CASE("several frames and skippable frames are one trace") {
  const Folder folder;
  const std::string text = small_text();
  const std::string first = compressed(text.substr(0, 100));
  const std::string second = compressed(text.substr(100));
  for (const std::string& bytes :
       {first + second, skippable + first + skippable + compressed("") + second + skippable}) {
    write_file("t.zst", bytes);
    const OpenedSource opened = open_source("t.zst");
    CHECK(opened.format == Format::text);
    CHECK(opened.zstd_level);
    REQUIRE(copy_trace("t.zst", "t.clct", as(Format::text)).empty());
    CHECK(read_file("t.clct") == text);
  }
}

TEST_CASE("a zstd frame cut anywhere gives what was complete and says so") {
  const Folder folder;
  const std::string text = small_text();
  const std::string bytes = compressed(text.substr(0, 150)) + compressed(text.substr(150));
  write_file("t.zst", bytes);
  const Trace whole = read_trace("t.zst");
  REQUIRE(whole.error.empty());
  const std::size_t first = compressed(text.substr(0, 150)).size();
  for (std::size_t size = 4; size < bytes.size(); ++size) {
    if (size == first) continue;  // between two frames: the text is cut, not the frame
    CAPTURE(size);
    write_file("t.zst", bytes.substr(0, size));
    const Trace cut = read_trace("t.zst");
    CHECK(cut.error == "t.zst: ends inside a zstd frame at compressed offset " + std::to_string(size) +
                           ", expected its end; everything before it was read, the file is truncated");
    CHECK(cut.events.size() <= whole.events.size());
    CHECK(std::equal(cut.events.begin(), cut.events.end(), whole.events.begin()));
  }
}

TEST_CASE("damage in zstd data: the blocks before it are delivered") {
  const Folder folder;
  const std::string text = long_text();
  const std::string bytes = compressed(text);
  write_file("t.zst", bytes);
  const Trace whole = read_trace("t.zst");
  REQUIRE(whole.error.empty());
  std::size_t most = 0;
  for (std::size_t at = bytes.size() / 20; at < bytes.size(); at += bytes.size() / 20) {
    CAPTURE(at);
    std::string damaged = bytes;
    for (std::size_t i = at; i < std::min(at + 2000, damaged.size()); ++i) damaged[i] = '\x55';
    write_file("t.zst", damaged);
    const Trace trace = read_trace("t.zst");
    REQUIRE_FALSE(trace.error.empty());
    CHECK(trace.events.size() < whole.events.size());
    most = std::max(most, trace.events.size());
  }
  CHECK(most > whole.events.size() / 2);
  write_file("t.zst", bytes + "garbage!");
  const Trace behind = read_trace("t.zst");
  CHECK(behind.events.size() == whole.events.size());
  CHECK(behind.error ==
        "t.zst: damaged zstd data at compressed offset " + std::to_string(bytes.size()) +
            " (Unknown frame descriptor); everything before it was read, the file needs to be copied or "
            "written again");
}

TEST_CASE("what stands before a wrong checksum at the end of a zstd frame is read") {
  const Trace trace = read_trace(CLC_DATA_DIR "/corrupt/wrong-checksum.clct.zst");
  CHECK(trace.events.size() == 13);
  CHECK(trace.error.find("doesn't match checksum") != std::string::npos);
}

TEST_CASE("zstd output has one frame with a checksum") {
  const Folder folder;
  write_file("t.clct", long_text());
  SinkOptions options = as(Format::text);
  options.zstd_level = 3;
  REQUIRE(copy_trace("t.clct", "t.zst", options).empty());
  std::string bytes = read_file("t.zst");
  CHECK(ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) == bytes.size());
  REQUIRE(copy_trace("t.zst", "u.clct", as(Format::text)).empty());
  CHECK(read_file("u.clct") == long_text());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file("t.zst", bytes);
  CHECK_THAT(read_trace("t.zst").error, Catch::Contains("checksum"));
}

TEST_CASE("levels out of range are refused") {
  const Folder folder;
  SinkOptions options = as(Format::text);
  options.zstd_level = 23;
  CHECK_THROWS_AS(open_sink("t", Definitions{}, options), UsageError);
  CHECK(folder.files().empty());
}

TEST_CASE("an empty frame and data that is no trace") {
  const Folder folder;
  write_file("t.zst", compressed(""));
  CHECK(read_trace("t.zst").error == "t.zst: is empty, expected a trace; check the program that wrote it");
  write_file("t.zst", compressed("hello"));
  CHECK_THAT(read_trace("t.zst").error, Catch::StartsWith("t.zst: found \"hello\" at the start"));
}

TEST_CASE("zstd arriving byte by byte is the same trace") {
  const Folder folder;
  const std::string text = long_text();
  const std::string bytes = compressed(text.substr(0, 70000)) + skippable + compressed(text.substr(70000));
  write_file("t.zst", bytes);
  const Trace whole = read_trace("t.zst");
  Pipe pipe;
  std::thread writer([&] {
    for (const char c : bytes) pipe.write({&c, 1});
    pipe.close_write();
  });
  const Trace slow = read_trace(pipe.read_path());
  writer.join();
  CHECK(slow.error.empty());
  CHECK(slow.events == whole.events);
}
