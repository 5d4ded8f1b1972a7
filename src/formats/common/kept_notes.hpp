// Notes that stand before the first record, kept until the first read.
//
// Cost     The bytes of the lines. Places take memory only where they do not count up from line to line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clc/io/batch.hpp"

namespace clc::formats {

class KeptNotes {
 public:
  /// place: as Batch::Note has it.
  void keep(Body line, std::uint64_t place) {
    if (place != expected_) runs_.push_back({text_.size(), place});
    expected_ = after(place);
    text_.append(line).append(1, '\n');
  }
  /// Bytes, also of those that were given.
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
  /// Adds the next notes to the batch until it has `most`; they point into this object. False: all were given.
  [[nodiscard]] bool give(Batch& batch, std::size_t most) {
    if (at_ == text_.size()) {
      *this = {};
      return false;
    }
    for (; at_ < text_.size() && batch.notes.size() < most; place_ = after(place_)) {
      if (run_ < runs_.size() && runs_[run_].begin == at_) place_ = runs_[run_++].place;
      const std::size_t end = text_.find('\n', at_);
      batch.notes.push_back({0, Body(text_).substr(at_, end - at_), place_});
      at_ = end + 1;
    }
    return true;
  }

 private:
  /// Lines from text_[begin] on have places that count up from this one, or none if it is 0.
  struct Run {
    std::size_t begin;
    std::uint64_t place;
  };
  static std::uint64_t after(std::uint64_t place) noexcept { return place == 0 ? 0 : place + 1; }

  std::string text_;  ///< each line with a newline
  std::vector<Run> runs_;
  std::uint64_t expected_ = 0;  ///< place of the next line that is kept, unless a run begins there
  std::size_t at_ = 0;          ///< in text_: the next line that is given
  std::size_t run_ = 0;         ///< the next run
  std::uint64_t place_ = 0;     ///< of the next line, unless a run begins there
};

}  // namespace clc::formats
