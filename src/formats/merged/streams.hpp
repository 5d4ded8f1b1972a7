// The next records of all traces, each of which is another miss in the caches: they are fetched before their turn
// comes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "merged/indexes.hpp"
#include "merged/stream.hpp"

namespace clc::formats {

class Streams {
 public:
  explicit Streams(std::size_t traces)
      : streams_(std::bit_ceil(traces + 1)),
        lines_(streams_.size()),
        places_(streams_.size(), reinterpret_cast<const char*>(lines_.data())) {}

  [[nodiscard]] Stream& operator[](std::size_t trace) noexcept { return streams_[trace]; }
  [[nodiscard]] const Stream& operator[](std::size_t trace) const noexcept { return streams_[trace]; }
  /// After records were taken.
  void place(std::size_t trace) noexcept { places_[trace] = streams_[trace].at(); }
  /// The table, whose numbers are copied to where they are fetched if they are few. Many are shared with other traces
  /// that have the same: else, a table for each trace would displace all from the caches.
  [[nodiscard]] Indexes indexes(std::size_t trace, const IndexTable& table) {
    const std::vector<std::uint32_t>& numbers = table.numbers();
    Line& line = lines_[trace];
    if (numbers.size() > line.numbers.size()) {
      if (shared_.empty()) shared_ = numbers;
      return Indexes((numbers == shared_ ? shared_ : numbers).data());
    }
    std::copy(numbers.begin(), numbers.end(), line.numbers.begin());
    return Indexes(line.numbers.data());
  }

  /// Before many records are taken.
  void fetch_all() const noexcept {
    for (std::size_t trace = 0; trace < streams_.size(); ++trace) fetch(trace);
  }
  /// Before several records of a trace are taken.
  void fetch_run(std::size_t trace) const noexcept {
    fetch(trace);
    __builtin_prefetch(places_[trace] + sizeof(Line));
  }

 private:
  struct alignas(64) Line {
    std::array<std::uint32_t, 16> numbers;
  };

  void fetch(std::size_t trace) const noexcept {
    __builtin_prefetch(&streams_[trace]);
    __builtin_prefetch(&lines_[trace]);
    __builtin_prefetch(places_[trace]);
  }

  // By trace, as many as Heads has places.
  std::vector<Stream> streams_;
  std::vector<Line> lines_;
  std::vector<const char*> places_;
  std::vector<std::uint32_t> shared_;  ///< the first table with many numbers
};

}  // namespace clc::formats
