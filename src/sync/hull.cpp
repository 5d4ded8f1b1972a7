#include "sync/hull.hpp"

namespace clc::sync {

namespace {

/// b lies below the line from a to c; a.middle() < c.middle().
bool is_corner(const Sighting& a, const Sighting& b, const Sighting& c) noexcept {
  __extension__ using Wide = __int128;
  const Time begin = a.middle();
  const Ticks start = a.delay();
  return Wide{b.delay() - start} * (c.middle() - begin) < Wide{c.delay() - start} * (b.middle() - begin);
}

/// By how much.
double depth(const Sighting& a, const Sighting& b, const Sighting& c) noexcept {
  const auto run = static_cast<double>(c.middle() - a.middle());
  const auto part = static_cast<double>(b.middle() - a.middle());
  const auto rise = static_cast<double>(c.delay() - a.delay());
  return rise * (part / run) - static_cast<double>(b.delay() - a.delay());
}

/// What no longer is a corner before a point that is later than all of them: returns where the others end.
std::size_t end_of_corners(const Sighting* vertices, std::size_t begin, std::size_t end, const Sighting& point) {
  while (end - begin >= 2 && !is_corner(vertices[end - 2], vertices[end - 1], point)) --end;
  return end;
}

}  // namespace

void Hulls::add(std::int64_t window, const Sighting& point) {
  if (windows_.empty()) first_ = window;
  const auto index = static_cast<std::int32_t>(window - first_);
  auto at = windows_.end();
  while (at != windows_.begin() && (at - 1)->index > index) --at;
  const std::size_t end = at == windows_.end() ? vertices_.size() : at->begin;
  if (at == windows_.begin() || (at - 1)->index != index) {
    make_room();
    vertices_.insert(vertices_.begin() + static_cast<std::ptrdiff_t>(end), point);
    at = windows_.insert(at, {index, static_cast<std::uint32_t>(end)}) + 1;
    for (; at != windows_.end(); ++at) ++at->begin;
    return;
  }
  const std::size_t begin = (at - 1)->begin;
  if (at == windows_.end() && vertices_.back().middle() < point.middle()) return add_last(begin, point);
  const std::size_t before = vertices_.size();
  insert(begin, end, point);
  const auto more = static_cast<std::uint32_t>(vertices_.size() - before);  // or fewer, modulo 2^32
  for (; at != windows_.end(); ++at) at->begin += more;
}

/// For one more. Each clock has many vertices: half as much again, not twice.
void Hulls::make_room() {
  if (vertices_.size() == vertices_.capacity()) vertices_.reserve(vertices_.size() + vertices_.size() / 2 + 4);
}

/// As most points come: in the order of time.
void Hulls::add_last(std::size_t begin, const Sighting& point) {
  const std::size_t end = end_of_corners(vertices_.data(), begin, vertices_.size(), point);
  if (end < vertices_.size()) {
    vertices_.resize(end + 1);
    vertices_.back() = point;
  } else {
    make_room();
    vertices_.push_back(point);
  }
  if (vertices_.size() - begin <= most) return;
  drop_one(begin, vertices_.size());
  vertices_.pop_back();
}

void Hulls::insert(std::size_t begin, std::size_t end, const Sighting& point) {
  const auto iterator = [this](std::size_t i) { return vertices_.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto found = std::lower_bound(iterator(begin), iterator(end), point.middle(),
                                      [](const Sighting& vertex, Time middle) { return vertex.middle() < middle; });
  auto at = static_cast<std::size_t>(found - vertices_.begin());
  if (at != end && found->middle() == point.middle()) {
    if (found->delay() <= point.delay()) return;
    *found = point;
  } else {
    if (at != begin && at != end && !is_corner(vertices_[at - 1], point, vertices_[at])) return;
    vertices_.insert(found, point);
    ++end;
  }
  // What no longer is a corner, to both sides.
  const std::size_t left = end_of_corners(vertices_.data(), begin, at, point);
  std::size_t right = at + 1;
  while (right + 1 < end && !is_corner(point, vertices_[right], vertices_[right + 1])) ++right;
  vertices_.erase(iterator(at + 1), iterator(right));
  vertices_.erase(iterator(left), iterator(at));
  end -= right - (at + 1) + (at - left);
  if (end - begin <= most) return;
  drop_one(begin, end);
  vertices_.erase(iterator(end - 1));
}

void Hulls::double_windows() {
  std::size_t windows = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    std::size_t from = windows_[i].begin;
    const std::size_t last = i + 1 < windows_.size() ? windows_[i + 1].begin : vertices_.size();
    const auto index = static_cast<std::int32_t>(((first_ + windows_[i].index) >> 1) - (first_ >> 1));
    if (windows == 0 || windows_[windows - 1].index != index) {
      windows_[windows++] = {index, static_cast<std::uint32_t>(end)};
    } else {
      // Where two in a row were kept, the rest are corners as before.
      const std::size_t begin = windows_[windows - 1].begin;
      const bool all_fit = end - begin + (last - from) <= most;
      for (bool settled = false; from < last && !(settled && all_fit); ++from) {
        const std::size_t before = end;
        const Sighting point = vertices_[from];
        end = end_of_corners(vertices_.data(), begin, end, point);
        settled = end == before && from != windows_[i].begin;
        vertices_[end++] = point;
        if (end - begin > most) drop_one(begin, end--);
      }
    }
    for (; from < last; ++from) vertices_[end++] = vertices_[from];
  }
  first_ >>= 1;
  windows_.resize(windows);
  vertices_.resize(end);
  vertices_.shrink_to_fit();
  windows_.shrink_to_fit();
}

void Hulls::forget_before(std::int64_t window) {
  const auto kept = std::ranges::find_if(windows_, [&](const Window& one) { return first_ + one.index >= window; });
  const std::size_t gone = kept == windows_.end() ? vertices_.size() : kept->begin;
  vertices_.erase(vertices_.begin(), vertices_.begin() + static_cast<std::ptrdiff_t>(gone));
  windows_.erase(windows_.begin(), kept);
  for (Window& one : windows_) one.begin -= static_cast<std::uint32_t>(gone);
}

void Hulls::drop_one(std::size_t begin, std::size_t end) {
  std::size_t least = begin + 1;
  double loss = depth(vertices_[begin], vertices_[begin + 1], vertices_[begin + 2]);
  for (std::size_t i = begin + 2; i + 1 < end; ++i) {
    const double of_this = depth(vertices_[i - 1], vertices_[i], vertices_[i + 1]);
    if (of_this >= loss) continue;
    loss = of_this;
    least = i;
  }
  std::copy(vertices_.begin() + static_cast<std::ptrdiff_t>(least + 1),
            vertices_.begin() + static_cast<std::ptrdiff_t>(end),
            vertices_.begin() + static_cast<std::ptrdiff_t>(least));
}

}  // namespace clc::sync
