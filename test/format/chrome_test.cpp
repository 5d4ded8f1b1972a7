// JSON for Perfetto: times, names of any bytes, slices that do not nest, messages without their other end.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "chrome/json.hpp"
#include "clc/error.hpp"
#include "support.hpp"

using namespace clc;
using namespace format_test;

namespace {

std::string converted(const std::string& text, bool both = false) {
  const Folder folder;
  write_file("a.clct", text);
  SinkOptions options = as(Format::chrome);
  options.keep_original = both;
  CHECK(copy_trace("a.clct", "a.json", options) == "");
  return read_file("a.json");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

const std::string head = "%clc-trace 1\n%process 0 a\n%process 1 b\n%group 4 0 1\n";

}  // namespace

TEST_CASE("Chrome: strings of any bytes") {
  const auto string = [](std::string_view text) {
    std::string to(formats::chrome::most_in_string(text.size()), '?');
    return std::string(to.data(), formats::chrome::put_string(to.data(), text));
  };
  CHECK(string("") == "\"\"");
  CHECK(string("say \"hi\" \\ \t\x7f") == "\"say \\\"hi\\\" \\\\ \\u0009\\u007f\"");
  CHECK(string("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82") ==
        "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82\"");
  for (const char* wrong : {"\x80", "\xc0\xaf", "\xc3", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                            "\xf4\x90\x80\x80", "\xff"}) {
    const std::string shown = string(wrong);
    CHECK(shown.starts_with("\"\\ufffd"));
    CHECK(count(shown, "\\ufffd") == (shown.size() - 2) / 6);
  }
  CHECK(string("\xc3(") == "\"\\ufffd(\"");
}

TEST_CASE("Chrome: times are exact microseconds") {
  const auto times = [](const std::string& resolution, const std::string& time) {
    const std::string json =
        converted("%clc-trace 1\n%resolution " + resolution + "\n%process 0 a\n" + time + " 0 I\n");
    const std::size_t at = json.find("\"ts\":") + 5;
    return json.substr(at, json.find(',', at) - at);
  };
  CHECK(times("1000000000", "0") == "0");
  CHECK(times("1000000000", "1") == "0.001");
  CHECK(times("1000000000", "1234567890123") == "1234567890.123");
  CHECK(times("1000000000000", "1") == "0.000001");
  CHECK(times("3", "1") == "333333.333333");
  CHECK(times("1", "5") == "5000000");
  CHECK(times("1000000", "4503599627370495") == "4503599627370495");
  // Beyond 52 bits, and below 0: from one hour on.
  CHECK(times("1000000000", "1700000000000000001") == "3600000000");
  CHECK(times("1000000000", "-1") == "3600000000");
  CHECK(times("1000000000", "-9223372036854775808") == "3600000000");
  CHECK(converted("%clc-trace 1\n%process 0 a\n-9223372036854775808 0 I\n")
            .find("\"shiftInTicks\":-9223375636854775808}") != std::string::npos);
  CHECK(
      converted("%clc-trace 1\n%process 0 a\n1700000000000000000 0 I\n").find("\"shiftInTicks\":1699996400000000000") !=
      std::string::npos);
}

TEST_CASE("Chrome: recorded times begin at one day, and those before keep their distance") {
  const std::string json =
      converted(head + "-5 0 E f @=-5\n10 0 L f @=-7200000000005\n20 0 I @=-86400000001005\n", true);
  CHECK(json.find("\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":86400000000,") != std::string::npos);
  CHECK(json.find("\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":79200000000}") != std::string::npos);
  CHECK(json.find("\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":-1,") != std::string::npos);
  CHECK(json.find("\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":86400000000.015}") != std::string::npos);
}

TEST_CASE("Chrome: slices nest whatever the records do") {
  const std::string json = converted(head +
                                     "1 0 L x\n2 0 X barrier 4 - 0 0\n3 0 E f\n4 0 B\n5 0 E g\n6 0 X barrier 4 - 0 0\n"
                                     "7 0 L g\n8 0 L f\n9 0 E\n");
  CHECK(count(json, "\"ph\":\"B\"") == 4);
  CHECK(count(json, "\"ph\":\"E\"") == 3);
  CHECK(count(json, "\"ph\":\"i\"") == 3);
  CHECK(count(json, "\"operation\":\"barrier\"") == 1);
  CHECK(count(json, "\"name\":\"?\"") == 1);
  std::string deep = head;
  for (int i = 0; i < 5000; ++i) deep += "1 0 E f\n";
  for (int i = 0; i < 5000; ++i) deep += "2 0 L f\n";
  const std::string shown = converted(deep);
  CHECK(count(shown, "\"ph\":\"B\"") == 4096);
  CHECK(count(shown, "\"ph\":\"E\"") == 4096);
  CHECK(count(shown, "\"ph\":\"i\"") == 2 * (5000 - 4096));
}

TEST_CASE("Chrome: both ends of a message have its number, and the one written last its delay") {
  const std::string json = converted(head + "10 1 R 0 4 7 8\n30 0 S 1 4 7 8\n40 0 S 1 4 7 8\n50 0 S 1 4 9 8\n");
  CHECK(count(json, "\"id\":1") == 2);
  CHECK(count(json, "\"id\":2") == 1);
  CHECK(json.find("\"name\":\"send (after its receive)\",\"args\":{\"communicator\":4,\"receiver\":1,\"tag\":7,"
                  "\"bytes\":8,\"delay_us\":-0.02}") != std::string::npos);
  // A receive that overtakes two others: the third send is its own.
  const std::string overtaking =
      converted(head + "10 0 S 1 4 7 8\n20 0 S 1 4 7 8\n30 0 S 1 4 7 8\n40 1 R 0 4 7 8 overtakes=2\n50 1 R 0 4 7 8\n");
  const auto joined = [&](const std::string& start, const std::string& number) {
    return count(overtaking, start + ",\"cat\":\"message\",\"name\":\"message\",\"id\":" + number) == 1;
  };
  CHECK(joined("{\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":0.03", "3"));
  CHECK(joined("{\"ph\":\"f\",\"pid\":3,\"tid\":3,\"ts\":0.04", "3"));
  CHECK(joined("{\"ph\":\"f\",\"pid\":3,\"tid\":3,\"ts\":0.05", "1"));
  // Recorded times of an earlier correction.
  const std::string both = converted(head + "30 0 S 1 4 7 8\n31 1 R 0 4 7 8 @=10\n", true);
  CHECK(both.find("\"tid\":4,\"ts\":0.01,\"name\":\"receive (before its send)\"") != std::string::npos);
  CHECK(both.find("\"tid\":3,\"ts\":0.031,\"name\":\"receive\"") != std::string::npos);
  CHECK(both.find("\"name\":\"correction\",\"args\":{\"us\":0.021}") != std::string::npos);
  CHECK(count(both, "\"ph\":\"s\"") == 2);
}

TEST_CASE("Chrome: processes without records and nodes have their names") {
  const std::string json = converted("%clc-trace 1\n%process 7 \"a\" node=n\n%process 8\n");
  CHECK(json.find("\"process_name\",\"args\":{\"name\":\"\\\"a\\\"\"}") != std::string::npos);
  CHECK(json.find("\"process_name\",\"args\":{\"name\":\"8\"}") != std::string::npos);
  CHECK(json.find("\"process_labels\",\"args\":{\"labels\":\"n\"}") != std::string::npos);
}

TEST_CASE("Chrome: is not read") {
  const Folder folder;
  write_file("a.json", "{\"traceEvents\":[]}");
  SourceOptions options;
  options.format = Format::chrome;
  CHECK_THROWS_AS(open_source("a.json", options), UsageError);
  CHECK_THROWS_WITH(open_source("a.json"), Catch::Contains("is a Chrome trace, which can only be written"));
}
