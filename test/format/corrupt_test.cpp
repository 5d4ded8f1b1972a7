// Files under data/corrupt that once hurt or could: each with the message it must give, in messages.txt
// ("NAME<TAB>MESSAGE" a line, the name of the file in the message).
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "support.hpp"

using namespace format_test;

TEST_CASE("every file in data/corrupt gives its message") {
  const Folder folder;
  const std::string place = CLC_DATA_DIR "/corrupt/";
  std::istringstream lines(read_file(place + "messages.txt"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const std::string name = line.substr(0, tab);
    write_file(name, read_file(place + name));
    CHECK(read_trace(name).error == line.substr(tab + 1));
  }
  CHECK(count >= 15);
}
