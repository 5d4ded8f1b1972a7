// Facts of real traces, measured independently. They are other people's data and not part of the
// project: looked for in $CLC_DATA, else in ../shared/data beside the source.
#include <catch2/catch.hpp>
#include <iostream>
#include <optional>

#include "run_check.hpp"

using Catch::Contains;
using clc::test::check;
using clc::test::Run;

namespace {

std::optional<std::string> trace(const std::string& name) {
  const char* const place = std::getenv("CLC_DATA");
  const std::filesystem::path directory =
      place != nullptr ? std::filesystem::path(place) : std::filesystem::path(CLC_SOURCE_DIR) / "../shared/data";
  const std::string path = (directory / name).string();
  if (std::filesystem::exists(path)) return path;
  std::cout << "skipped: no " << path << '\n';
  return std::nullopt;
}

/// The line of the report that starts with the words.
std::string row(const Run& run, const std::string& words) {
  const std::size_t at = run.out.find("\n  " + words);
  if (at == std::string::npos) return "no line: " + words;
  std::string line = run.out.substr(at + 3 + words.size(), run.out.find('\n', at + 1) - at - 3 - words.size());
  std::string plain;
  for (const char c : line)
    if (c != ' ' || (!plain.empty() && plain.back() != ' ')) plain += c;
  return plain;
}

}  // namespace

TEST_CASE("CloverLeaf on two nodes with drifting clocks") {
  const auto path = trace("cloverleaf-drift.clct.zst");
  if (!path) return;
  const Run run = check(*path + " -mmd 1");
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("137,954 events of 6 processes"));
  CHECK(row(run, "messages") == "302 10 12 -10.2156");
  CHECK(row(run, "collective operations (104)") == "188 71 71 -36.9368");
  CHECK_THAT(run.out, Contains("Not matched: nothing"));
}

TEST_CASE("a ring recorded by EZTrace, each clock from its own zero") {
  const auto path = trace("eztrace-ring.clct.zst");
  if (!path) return;
  const Run run = check(*path + " -mmd 0.5");
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("78,760 events of 4 processes"));
  CHECK(row(run, "messages") == "12,000 5,996 5,996 -40898");
  CHECK_THAT(row(run, "collective operations (301)"), Catch::StartsWith("3,612 "));
  CHECK(row(run, "sends never received") == "240");
}

TEST_CASE("a 4-D stencil on two nodes without violation") {
  const auto path = trace("stencil4d-32.clct.zst");
  if (!path) return;
  const Run run = check(*path + " -mmd 1");
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("4,324 events of 32 processes"));
  CHECK(row(run, "messages") == "512 0 0 18.2484");
  CHECK_THAT(run.out, Contains("Not matched: nothing"));
}
