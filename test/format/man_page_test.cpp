// clc-trace(5) shows a small binary trace byte by byte: what it shows must be true.
#include <catch2/catch.hpp>
#include <sstream>

#include "support.hpp"

using namespace format_test;

namespace {

/// The lines between two comments of the page, with the escapes of mdoc undone.
std::string example(const std::string& page, const std::string& name) {
  const std::string begin = ".\\\" begin " + name + "\n";
  const std::string end = ".\\\" end " + name + "\n";
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  std::istringstream lines(page.substr(from + begin.size(), to - from - begin.size()));
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.empty() || line.front() != '.') text += line + "\n";
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\\') plain += text[i];
  return plain;
}

std::string bytes_of_dump(const std::string& dump) {
  std::istringstream lines(dump);
  std::string bytes;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string offset;
    fields >> offset;
    REQUIRE(std::stoul(offset, nullptr, 16) == bytes.size());
    std::string field;
    for (int column = 0; column < 16 && fields >> field && field.size() == 2; ++column)
      bytes += static_cast<char>(std::stoi(field, nullptr, 16));
  }
  return bytes;
}

}  // namespace

TEST_CASE("the hex dump in clc-trace(5) is the text trace above it") {
  const Folder folder;
  const std::string page = read_file(CLC_MAN_DIR "/clc-trace.5");
  const std::string text = example(page, "text");
  const std::string bytes = bytes_of_dump(example(page, "dump"));
  write_file("t.clct", text);
  REQUIRE(copy_trace("t.clct", "t.clcb", as(clc::Format::binary)).empty());
  CHECK(read_file("t.clcb") == bytes);
  write_file("u.clcb", bytes);
  REQUIRE(copy_trace("u.clcb", "u.clct", as(clc::Format::text)).empty());
  CHECK(read_file("u.clct") == text);
}
