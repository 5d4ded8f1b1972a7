#include "matching/lost/doubtful_match.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace clc::matching {

namespace {

constexpr std::size_t most_lone = 128;
constexpr int enough = 20;  // points
/// Sums of what is at most that do not overflow.
constexpr Ticks most_summed = ticks_max / 4096;

/// A clock's tick: what all differences of its times are multiples of.
Ticks tick_of(const std::vector<Time>& times) {
  Ticks tick = 0;
  for (std::size_t k = 1; k < times.size(); ++k) tick = std::gcd(tick, times[k] - times[k - 1]);
  return tick;
}

bool stands_still(const std::vector<Time>& times) {
  return std::adjacent_find(times.begin(), times.end()) != times.end();
}

}  // namespace

std::optional<std::size_t> DoubtfulMatch::by_floor() const {
  for (std::size_t lone = 1; lone < most_lone; ++lone) {
    std::size_t s = backlog ? lone : 0;
    std::size_t r = backlog ? 0 : lone;
    if (s >= sent.size() || r >= received.size()) return std::nullopt;
    const auto above = [&] { return subtract_saturating(received[r] - sent[s], floor.delay); };
    if (above() < -around) continue;
    int points = 0;
    for (; s < sent.size() && r < received.size() && points < enough && points > -enough; ++r) {
      const Ticks apart = above();
      points -= 2;
      if (size_of(apart) <= around) {
        Ticks room = floor.usual_gap();
        if (s > 0) room = std::min(room, sent[s] - sent[s - 1]);
        if (r > 0) room = std::min(room, received[r] - received[r - 1]);
        for (room /= std::max<Ticks>(1, 2 * size_of(apart)); room >= 2; room /= 2) ++points;
      }
      s += apart >= -around;
    }
    if (points >= enough) {
      if (stands_still(sent) || stands_still(received)) return 0;
      if (add_saturating(tick_of(sent), tick_of(received)) > around) return std::nullopt;
      return lone;
    }
    if (!backlog) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t DoubtfulMatch::by_spread() const {
  if (why == Doubt::early || stands_still(sent) || stands_still(received)) return 0;
  const std::size_t width = matches() >= 128 + spare ? 128 : matches() >= 64 + spare ? 64 : 32;
  if (matches() < width) return 0;
  const bool well = floor.is_well_known();
  // By what the sum has to become smaller, in quarters.
  const Ticks ratio = well || width == 32 ? 12 : width == 64 ? 10 : 6;
  const auto wide = static_cast<Ticks>(width);
  const Ticks longest = 2 * wide * floor.usual_gap();
  if (floor.gap > 0 && (sent[width - 1] - sent[0] > longest || received[width - 1] - received[0] > longest)) return 0;
  std::size_t best = 0;
  Ticks least = 0;
  for (std::size_t lone = why == Doubt::first ? 2 : 1; lone < most_lone; ++lone) {
    const std::size_t s = backlog ? lone : 0;
    const std::size_t r = backlog ? 0 : lone;
    if (s + width > sent.size() || r + width > received.size()) break;
    if (well && !fits(s, r, width)) continue;
    const Ticks sum = apart(s, r, width);
    if (best != 0 && sum >= least) continue;
    best = lone;
    least = sum;
  }
  if (best == 0) return 0;
  const Ticks ticks = add_saturating(tick_of(sent), tick_of(received));
  const Ticks limit =
      add_saturating(ratio * std::min(least, ticks_max / 16) / 4, 2 * wide * std::min(ticks, ticks_max / 512));
  return limit < apart(0, 0, width) ? best : 0;
}

bool DoubtfulMatch::fits(std::size_t first_send, std::size_t first_receive, std::size_t width) const {
  std::size_t hits = 0;
  std::array<std::size_t, 4> of_quarter{};
  for (std::size_t k = 0; k < width; ++k) {
    const Ticks above = subtract_saturating(received[first_receive + k] - sent[first_send + k], floor.delay);
    if (above < -around && k < width / 4) return false;
    hits += size_of(above) <= around;
    of_quarter[k / (width / 4)] += size_of(above) <= around;
  }
  return hits >= std::max<std::size_t>(3, width / 8) && of_quarter[0] > 0 && of_quarter[1] > 0;
}

Ticks DoubtfulMatch::apart(std::size_t first_send, std::size_t first_receive, std::size_t width) const {
  std::vector<Ticks> all;
  for (std::size_t k = 1; k < width; ++k) {
    const std::size_t s = first_send + k;
    const std::size_t r = first_receive + k;
    const Ticks more = subtract_saturating(received[r] - sent[s], received[r - 1] - sent[s - 1]);
    all.push_back(std::min(size_of(more), most_summed));
  }
  std::sort(all.begin(), all.end());
  Ticks sum = 0;
  for (std::size_t k = 0; k < all.size() * 3 / 4; ++k) sum = add_saturating(sum, all[k]);
  return sum;
}

}  // namespace clc::matching
