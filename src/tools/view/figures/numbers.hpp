// The numbers of a figure, for those who do not see it: a table, which may leave out what would make it endless.
#pragma once

#include <string>
#include <vector>

namespace clc::view {

struct Numbers {
  static constexpr std::size_t most_rows = 64;

  std::string title;              ///< where a figure has several; else empty
  std::vector<std::string> head;  ///< the first column names the row
  std::vector<std::vector<std::string>> rows;
  std::string note;  ///< what is left out; empty: nothing
};

}  // namespace clc::view
