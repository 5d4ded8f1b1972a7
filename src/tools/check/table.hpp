// Rows of words in columns, as the reports for people have them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace clc::check {

/// Rows of words in columns: the first column to the left, the others to the right.
class Table {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      if (widths.size() < row.size()) widths.resize(row.size(), 0);
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      out += ' ';
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string padding(widths[i] - row[i].size(), ' ');
        const bool last = i + 1 == row.size();
        if (i == 0)
          out += ' ' + row[i] + (last ? "" : padding);
        else
          out += "  " + padding + row[i];
      }
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace clc::check
