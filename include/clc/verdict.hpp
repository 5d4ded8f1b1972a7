// The verdict on a run: good, doubtful or bad, with the reasons and a remedy for each; and the round trips that show
// whether the minimum message delay fits.
//
// Place    Report::verdict, Analysis::short_trips.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/time.hpp"

namespace clc {

enum class Judgement : std::uint8_t { good, doubtful, bad };
[[nodiscard]] constexpr std::string_view name_of(Judgement judgement) noexcept {
  constexpr std::array<std::string_view, 3> names{"good", "doubtful", "bad"};
  return names[static_cast<std::size_t>(judgement)];
}

/// A reason why a run is not good.
struct Reason {
  Judgement judgement;
  std::string_view key;  ///< for programs
  std::string text;      ///< fact, size and remedy in one line
  std::vector<std::pair<std::string_view, double>> figures;
  std::optional<std::uint64_t> process = std::nullopt;  ///< number in the trace, which a double may not hold
};

struct Verdict {
  Judgement judgement = Judgement::good;
  std::vector<Reason> reasons;  ///< the worst first
};

/// How the map that is applied before the correction changes the offset of a clock.
struct MappedClock {
  std::uint64_t process = 0;  ///< its number in the trace
  double change_us = 0;       ///< from the first to the last point of the map
  double length_us = 0;       ///< between these
};

/// Figures of such a map.
struct MapFigures {
  std::vector<MappedClock> clocks;
  /// Amount by which measured offsets may be wrong: a minimum delay, and two ticks of coarse clocks.
  double slack_us = 0;
  /// By how much edges end before they begin: the most of each sender and receiver, or of each process that ends
  /// collective operations, summed.
  struct Early {
    double mapped_us = 0;    ///< in mapped times, where it exceeds slack_us
    double recorded_us = 0;  ///< in recorded times
    double largest_us = 0;   ///< that of mapped times
  };
  Early messages;
  Early operations;
  /// The process of which all sent messages, or all received ones, are early in mapped times, by at least half of the
  /// largest; and the most of messages between the others.
  std::optional<std::uint64_t> alone = std::nullopt;
  double others_us = 0;
  // Shares of the binding edges that are below the minimum delay, and the worst of these, if a first pass found clearly
  // more and larger violations in mapped times; 0: it did not.
  double below_recorded = 0;
  double below_mapped = 0;
  double below_worst_us = 0;
};

/// Measured offsets and round trips of clocks that an estimate used, and those that it did not use because the messages
/// contradict them.
struct MeasuredCounts {
  std::uint64_t offsets = 0;
  std::uint64_t offsets_contradicting = 0;
  std::uint64_t round_trips = 0;
  std::uint64_t round_trips_contradicting = 0;

  [[nodiscard]] bool any() const noexcept {
    return offsets + offsets_contradicting + round_trips + round_trips_contradicting > 0;
  }
};

/// Round trips of messages, which limit the minimum message delay from above; ticks.
class RoundTripStatistics {
 public:
  /// A trip contradicts the minimum delays if their sum exceeds the trip by more than near_factor; drift of 1e-4 and
  /// clock jitter can explain less. Beyond far_factor they are far too large.
  static constexpr double near_factor = 1.25;
  static constexpr double far_factor = 2;
  /// The largest rate at which two clocks drift apart while they are slewed, by 500 ppm each: a part of a trip's span.
  static constexpr std::uint64_t slew_part = 1000;

  [[nodiscard]] std::uint64_t trips() const noexcept { return trips_; }
  /// Trips that prove their minimum delays too large, by more than near_factor and the clock's tick.
  [[nodiscard]] std::uint64_t near() const noexcept { return near_; }
  /// Those that do so by more than far_factor.
  [[nodiscard]] std::uint64_t far() const noexcept { return far_; }
  /// Trips of negative length: a clock was set in between. About as many others are then too short.
  [[nodiscard]] std::uint64_t impossible() const noexcept { return impossible_; }
  /// Smallest trip, divided by the number of its messages, ticks; 0: no trips.
  [[nodiscard]] double smallest() const noexcept { return trips_ == 0 ? 0 : static_cast<double>(shortest_) / 2; }
  /// The same, if clocks were slewed: no minimum delay above this is correct.
  [[nodiscard]] double smallest_at_most() const noexcept { return trips_ == 0 ? 0 : static_cast<double>(longest_) / 2; }
  /// Of the trips that contradict: their minimum delays, the mean for a message, ticks; 0: no trips.
  [[nodiscard]] double contradicted_delay() const noexcept {
    return near_ == 0 ? 0 : near_delays_ / static_cast<double>(near_);
  }
  /// The most frequent trip of two messages, ticks: the begin of the fullest class, where classes are sixteenths of
  /// powers of two; of equally full ones, the first; 0: no trips. Of many trips, some are classified.
  [[nodiscard]] double most_frequent() const noexcept;
  /// Greatest common divisor of all durations as recorded: the granularity of the clocks.
  [[nodiscard]] std::uint64_t granularity() const noexcept {
    return recorded_granularity_ != 0 ? recorded_granularity_ : granularity_;
  }

 private:
  friend class RoundTripRecorder;

  std::uint64_t trips_ = 0;
  std::uint64_t near_ = 0;
  std::uint64_t far_ = 0;
  std::uint64_t impossible_ = 0;
  double near_delays_ = 0;      // of a message, sum
  Ticks shortest_ = ticks_max;  // scaled to two messages
  Ticks longest_ = ticks_max;   // how long the shortest one may have been
  std::uint64_t granularity_ = 0;
  std::uint64_t recorded_granularity_ = 0;  // where clocks are mapped
  static constexpr unsigned class_bits = 4;
  std::array<std::uint64_t, std::size_t{64} << class_bits> classes_{};  // trips by length, scaled to two messages
};

}  // namespace clc
