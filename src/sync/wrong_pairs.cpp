#include "sync/wrong_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "sync/steps.hpp"

namespace clc::sync {

namespace {

constexpr std::size_t contradictions = 2;  // a step makes one
constexpr double longer = 4;               // delays of a program that goes on as before differ by less
constexpr double late = 2.0 / 3;           // of the windows: those with knots that are still to be fixed
constexpr std::size_t enough = 5;          // of these with messages both ways: fewer may have long ones only

struct Trip {
  double height;  ///< of the smallest delays of both directions
  double apart;   ///< of their times
  std::uint32_t window;
};

std::vector<Trip> trips_of(const Direction& up, const Direction& down) {
  std::vector<Trip> trips;
  auto back = down.minima.begin();
  for (const Minimum& forth : up.minima) {
    while (back != down.minima.end() && back->window < forth.window) ++back;
    if (back == down.minima.end()) break;
    if (back->window == forth.window)
      trips.push_back({forth.delay + back->delay, std::abs(forth.time - back->time), forth.window});
  }
  return trips;
}

}  // namespace

WrongPairs find_wrong_pairs(const std::vector<Direction>& directions, const Windows& windows, double tick,
                            std::map<ClockPair, double>& trips) {
  WrongPairs wrong;
  std::map<ClockPair, const Direction*> by_ends;
  for (const Direction& direction : directions) by_ends[{direction.from, direction.to}] = &direction;
  for (const auto& [ends, up] : by_ends) {
    const auto down = by_ends.find({ends.second, ends.first});
    if (ends.first > ends.second || down == by_ends.end()) continue;
    std::size_t contradicting = 0;
    double least = infinity;
    double least_late = infinity;
    std::size_t lately = 0;
    for (const Trip& trip : trips_of(*up, *down->second)) {
      if (trip.height < -std::max(4 * tick, fastest_slew * trip.apart)) ++contradicting;
      // By so much the clocks may have changed between the two messages.
      const double room = fastest_slew * trip.apart;
      least = std::min(least, trip.height + room);
      if (trip.window < late * static_cast<double>(windows.count)) continue;
      ++lately;
      least_late = std::min(least_late, trip.height - room);
    }
    if (contradicting >= contradictions) {
      wrong.contradicting.insert(ends);
      continue;
    }
    double& known = trips.try_emplace(ends, infinity).first->second;
    if (lately >= enough && least_late > longer * known + 4 * tick) wrong.longer.insert(ends);
    if (contradicting == 0) known = std::min(known, std::max(0.0, least));
  }
  return wrong;
}

}  // namespace clc::sync
