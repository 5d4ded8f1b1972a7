// The command lines of the programs: the first byte chooses the program, words stand in lines.
#include "check/options.hpp"

#include <iostream>
#include <sstream>

#include "clc/error.hpp"
#include "filter/options.hpp"
#include "fuzz.hpp"
#include "tracegen/options.hpp"

namespace {

using namespace clc;

std::vector<const char*> pointers(const std::vector<std::string>& words) {
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  return list;
}

std::optional<filter::Options> parse_filter(const std::vector<std::string>& words) {
  return filter::parse(static_cast<int>(words.size()), pointers(words).data());
}

/// What changes the result can be typed again and means the same.
void require_effective(const filter::Options& options) {
  const std::string once = filter::effective(options, options.parameters.min_delay_us.value_or(1));
  std::vector<std::string> words{"clc-filter"};
  std::istringstream stream(once);
  for (std::string word; stream >> word;) words.push_back(word);
  const auto again = parse_filter(words);
  fuzz::require(again.has_value(), "the effective options are no options");
  const std::string twice = filter::effective(*again, again->parameters.min_delay_us.value_or(1));
  if (once != twice) fuzz::broken("effective options " + once + " become " + twice);
}

void parse(std::size_t program, const std::vector<std::string>& words) {
  if (program == 0) {
    if (const auto options = parse_filter(words)) require_effective(*options);
  } else if (program == 1) {
    check::Options options;
    tool::CommandLine line = check::command_line(options);
    if (line.parse(static_cast<int>(words.size()), pointers(words).data())) check::validate(options);
  } else {
    tracegen::Options options;
    if (tracegen::parse(static_cast<int>(words.size()), pointers(words).data(), options))
      fuzz::require_message(tracegen::provenance(options));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::string> words{"program"};
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  for (std::string word; std::getline(lines, word);) words.push_back(word.substr(0, word.find('\0')));
  std::ostringstream nowhere;
  std::streambuf* const before = std::cout.rdbuf(nowhere.rdbuf());
  try {
    parse(data[0] % 3, words);
  } catch (const UsageError& error) {
    fuzz::require(error.what()[0] != '\0', "an empty message");
  }
  std::cout.rdbuf(before);
  return 0;
}
