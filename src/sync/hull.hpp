// The lower convex hulls of the delays between two clocks: in each window of time, all points that a straight line
// below them can touch.
//
// Place    One for each ordered pair of clocks; see collector.hpp.
// Units    Ticks as recorded. The coordinates of a point are the middle of its two times, and its apparent delay
//          received - sent.
// Form     The vertices of all windows lie one after the other.
// Memory   At most `most` vertices in a window. Beyond that, the vertex whose loss raises the hull least is dropped, so
//          that all vertices are real messages.
// Source   Duda et al. 1987; estimation A.3.2: for any rates of the clocks, the smallest delay without drift is that
//          of a vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clc/time.hpp"

namespace clc::sync {

/// The two times of an edge, each on the clock of its end.
struct Sighting {
  Time sent;
  Time received;
  bool waited = false;  ///< the receiver was waiting, so the delay is that of the network

  [[nodiscard]] Ticks delay() const noexcept { return received - sent; }
  /// Middle of both times.
  [[nodiscard]] Time middle() const noexcept { return sent + delay() / 2; }

  friend bool operator==(const Sighting&, const Sighting&) = default;
};

class Hulls {
 public:
  static constexpr std::size_t most = 16;

  /// A point of a window, whose points are all later than those of windows with lower indexes. O(most) if it is of the
  /// last window or the one before; points may come in any order.
  void add(std::int64_t window, const Sighting& point);
  /// Windows are twice as long: their indexes are halved.
  void double_windows();
  /// Forgets the windows with lower indexes.
  void forget_before(std::int64_t window);
  /// By their middle.
  [[nodiscard]] const std::vector<Sighting>& vertices() const noexcept { return vertices_; }
  [[nodiscard]] bool empty() const noexcept { return vertices_.empty(); }

 private:
  struct Window {
    std::int64_t index;
    std::size_t begin;  ///< of its vertices
  };
  void add_last(std::size_t begin, const Sighting& point);
  void insert(std::size_t begin, std::size_t end, const Sighting& point);
  /// The place of the last vertex is free then.
  void drop_one(std::size_t begin, std::size_t end);

  std::vector<Sighting> vertices_;
  std::vector<Window> windows_;
};

}  // namespace clc::sync
