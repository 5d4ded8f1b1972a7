// The lower convex hulls of the delays between two clocks: in each window of time, all points that a straight line
// below them can touch.
//
// Place    One for each ordered pair of clocks; see collector.hpp.
// Units    Ticks as recorded. The coordinates of a point are the middle of its two times, and its apparent delay
//          received - sent.
// Form     The vertices of all windows lie one after the other.
// Memory   16 bytes a vertex, 8 a window. At most `most` vertices in a window. Beyond that, the vertex whose loss
//          raises the hull least is dropped, so that all vertices are real messages.
// Source   Duda et al. 1987; clc-sync(1), "The method": for any rates of the clocks, the smallest delay without drift
//          is that of a vertex.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc::sync {

/// The two times of an edge, each on the clock of its end. Delays are kept up to 2^62 ticks.
class Sighting {
 public:
  Sighting() noexcept = default;
  /// waited: the receiver was waiting, so the delay is that of the network.
  Sighting(Time sent, Time received, bool waited = false) noexcept
      : sent_(sent), delay_and_waited_(std::clamp(received - sent, -longest, longest) * 2 + (waited ? 1 : 0)) {}

  [[nodiscard]] Time sent() const noexcept { return sent_; }
  [[nodiscard]] Time received() const noexcept { return sent_ + delay(); }
  [[nodiscard]] bool waited() const noexcept { return (delay_and_waited_ & 1) != 0; }
  [[nodiscard]] Ticks delay() const noexcept { return delay_and_waited_ >> 1; }
  /// Middle of both times.
  [[nodiscard]] Time middle() const noexcept { return sent_ + delay() / 2; }

  /// Twice the delay; odd: waited.
  [[nodiscard]] std::int64_t packed() const noexcept { return delay_and_waited_; }
  [[nodiscard]] static Sighting unpacked(Time sent, std::int64_t packed) noexcept {
    Sighting sighting;
    sighting.sent_ = sent;
    sighting.delay_and_waited_ = packed;
    return sighting;
  }

  friend bool operator==(const Sighting&, const Sighting&) = default;

 private:
  static constexpr Ticks longest = (Ticks{1} << 62) - 1;

  Time sent_;
  Ticks delay_and_waited_ = 0;
};
static_assert(sizeof(Sighting) == 16, "most of the memory of an estimate");

class Hulls {
 public:
  static constexpr std::size_t most = 16;

  Hulls() = default;
  /// With these vertices, to which none are added.
  explicit Hulls(std::vector<Sighting> vertices) : vertices_(std::move(vertices)) {}

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
    std::int32_t index;   ///< less first_
    std::uint32_t begin;  ///< of its vertices
  };
  void make_room();
  void add_last(std::size_t begin, const Sighting& point);
  void insert(std::size_t begin, std::size_t end, const Sighting& point);
  /// The place of the last vertex is free then.
  void drop_one(std::size_t begin, std::size_t end);

  std::vector<Sighting> vertices_;
  std::int64_t first_ = 0;  ///< about the index of the first window
  std::vector<Window> windows_;
};

}  // namespace clc::sync
