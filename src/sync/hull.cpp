#include "sync/hull.hpp"

#include <algorithm>

namespace clc::sync {

namespace {

/// By how much b lies above the line from a to c; a.middle() < c.middle().
double above(const Sighting& a, const Sighting& b, const Sighting& c) noexcept {
  const auto run = static_cast<double>(c.middle() - a.middle());
  const auto part = static_cast<double>(b.middle() - a.middle());
  const auto rise = static_cast<double>(c.delay() - a.delay());
  return static_cast<double>(b.delay() - a.delay()) - rise * (part / run);
}

}  // namespace

void Hull::add(const Sighting& point) {
  if (vertices_.empty() || vertices_.back().middle() < point.middle()) return add_last(point);
  auto next = std::lower_bound(vertices_.begin(), vertices_.end(), point.middle(),
                               [](const Sighting& vertex, Time middle) { return vertex.middle() < middle; });
  if (next != vertices_.end() && next->middle() == point.middle()) {
    if (next->delay() <= point.delay()) return;
    *next = point;
  } else {
    if (next != vertices_.begin() && next != vertices_.end() && above(*(next - 1), point, *next) >= 0) return;
    next = vertices_.insert(next, point);
  }
  // What no longer is a corner, to both sides.
  auto at = next - vertices_.begin();
  const auto vertex = [this](std::ptrdiff_t i) -> const Sighting& { return vertices_[static_cast<std::size_t>(i)]; };
  while (at >= 2 && above(vertex(at - 2), vertex(at - 1), vertex(at)) >= 0) {
    vertices_.erase(vertices_.begin() + at - 1);
    --at;
  }
  while (at + 2 < std::ssize(vertices_) && above(vertex(at), vertex(at + 1), vertex(at + 2)) >= 0)
    vertices_.erase(vertices_.begin() + at + 1);
  if (vertices_.size() > most) drop_one();
}

/// As most points come: in the order of time.
void Hull::add_last(const Sighting& point) {
  constexpr std::size_t usual = 4;  // unless there is only one
  if (vertices_.size() == 1 && vertices_.capacity() < usual) vertices_.reserve(usual);
  std::size_t corners = vertices_.size();
  while (corners >= 2 && above(vertices_[corners - 2], vertices_[corners - 1], point) >= 0) --corners;
  vertices_.resize(corners);
  vertices_.push_back(point);
  if (vertices_.size() > most) drop_one();
}

void Hull::add(const Hull& other) {
  for (const Sighting& point : other.vertices_) add(point);
}

void Hull::drop_one() {
  std::size_t least = 1;
  double loss = -above(vertices_[0], vertices_[1], vertices_[2]);
  for (std::size_t i = 2; i + 1 < vertices_.size(); ++i) {
    const double of_this = -above(vertices_[i - 1], vertices_[i], vertices_[i + 1]);
    if (of_this >= loss) continue;
    loss = of_this;
    least = i;
  }
  vertices_.erase(vertices_.begin() + static_cast<std::ptrdiff_t>(least));
}

}  // namespace clc::sync
