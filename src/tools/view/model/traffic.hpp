// Messages by sender and receiver.
//
// Memory   A matrix of fixed size, whatever the number of processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "view/model/edges_drawn.hpp"

namespace clc::view {

/// Messages from some processes to some others.
struct Traffic {
  struct Side {
    std::uint64_t backward = 0;
    double delays = 0;  ///< sum, ticks
    Ticks smallest = ticks_max;
  };
  std::uint64_t messages = 0;
  double bytes = 0;
  Both<Side> side{};
  void add(const Arrow& arrow) noexcept;
  void merge(const Traffic& other) noexcept;
};

/// Traffic by sender and receiver, at most size times size entries; beyond that neighbours become one.
class TrafficMatrix {
 public:
  static constexpr std::size_t most = 64;
  Traffic& at(std::size_t from, std::size_t to);
  /// 0: no messages.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t group() const noexcept { return group_; }
  [[nodiscard]] const Traffic& cell(std::size_t from, std::size_t to) const { return cells_[from * most + to]; }

 private:
  std::vector<Traffic> cells_;
  std::size_t size_ = 0;
  std::size_t group_ = 1;
};

}  // namespace clc::view
