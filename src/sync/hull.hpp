// The lower convex hull of the delays between two clocks: all points that a straight line below them can touch.
//
// Place    One for each ordered pair of clocks and window of time; see collector.hpp.
// Units    Ticks as recorded. The coordinates of a point are the middle of its two times, and its apparent delay
//          received - sent.
// Memory   At most `most` vertices. Beyond that, the vertex whose loss raises the hull least is dropped, so that all
//          vertices are real messages.
// Source   Duda et al. 1987; estimation A.3.2: for any rates of the clocks, the smallest delay without drift is that
//          of a vertex.
#pragma once

#include <cstddef>
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

class Hull {
 public:
  static constexpr std::size_t most = 16;

  /// O(most). Points may come in any order.
  void add(const Sighting& point);
  void add(const Hull& other);
  /// By their middle.
  [[nodiscard]] const std::vector<Sighting>& vertices() const noexcept { return vertices_; }

 private:
  void add_last(const Sighting& point);
  void drop_one();

  std::vector<Sighting> vertices_;
};

}  // namespace clc::sync
