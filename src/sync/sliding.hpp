// The estimator in one pass: clocks are estimated from a stretch of the trace that slides along it, and the map grows
// at its end.
//
//     Sliding sliding(definitions, look_ahead, options);
//     for (event : records) sliding.add(event), for (point : sliding.take()) ...;   // the map up to fixed_until()
//     sliding.finish();                                                             // the rest of the map
//
// Method   The look-ahead is 8 windows. Whenever a window is complete, all parts of the estimator run over the last 25
//          windows; the knot that is 8 windows old is fixed, and the last two fixed knots enter as known. The first
//          estimate waits for 16 windows, as straight lines need them. Nothing is mapped until
//          windows hold a message from one process to another: of fewer, most have none both ways.
// Gauge    The mean of the offsets of a group, as in two passes; when clocks join a group, those known keep their mean,
//          whatever is estimated for the new ones.
//          No clock is mapped to before its first record by the first estimate.
// Units    Ticks; the look-ahead in recorded time. It must be far longer than the differences of the clocks.
// Memory   That of a collector of 25 windows: it does not grow with the length of the trace.
// Results  Depend only on the sequence of events. Steps: while the stretch holds the moment at which a clock was set,
//          nothing is mapped after it; the offsets go on in a straight line.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sync/matcher.hpp"
#include "sync/stretch.hpp"

namespace clc {
struct Event;
}  // namespace clc

namespace clc::sync {

class Sliding {
 public:
  static constexpr std::int64_t ahead = 8;          ///< windows that a knot waits for
  static constexpr std::int64_t behind = 16;        ///< windows before a knot that are still used
  static constexpr std::int64_t before_first = 16;  ///< windows of the first estimate

  /// definitions: of the events; they may grow. look_ahead: at least 8 ticks. options: methods smooth and line.
  Sliding(const Definitions& definitions, Ticks look_ahead, const Options& options);

  /// Events by recorded time.
  void add(const Event& event);
  /// No more events. Fixes the map to its end.
  void finish();

  /// A point of a clock's map, after those before it.
  struct Fixed {
    ClockIndex clock = 0;
    OffsetPoint point;
  };
  /// The points fixed since the last call. A clock without messages so far has none, and keeps its times.
  [[nodiscard]] std::vector<Fixed> take();
  /// The map of recorded times before this does not change any more. earliest: nothing is fixed yet.
  [[nodiscard]] Time fixed_until() const noexcept { return fixed_until_; }
  /// Clocks that were set, and when first, so far.
  [[nodiscard]] const std::map<ClockIndex, Time>& steps() const noexcept { return steps_; }
  /// Pairs of clocks whose messages contradict themselves, and since when.
  [[nodiscard]] const std::map<ClockPair, Time>& wrong() const noexcept { return wrong_; }
  /// Messages from one process to another in a window: of the pairs, the median; of all estimates, the mean. None: the
  /// trace has none, or is shorter than the look-ahead.
  [[nodiscard]] std::optional<double> messages_in_window() const noexcept {
    if (is_short_ || estimates_ == 0 || !received_) return std::nullopt;
    return messages_ / static_cast<double>(estimates_);
  }
  [[nodiscard]] double window_seconds() const noexcept { return seconds(1); }
  /// Some clock is mapped.
  [[nodiscard]] bool maps() const noexcept { return applied_; }
  /// Stretches estimated so far.
  [[nodiscard]] std::size_t estimates() const noexcept { return estimates_; }

 private:
  /// Of the pairs of a stretch, in a window. As long as these are few, all of them are kept.
  [[nodiscard]] double count_messages(std::size_t windows) const;
  /// From the windows before `complete`, fixes the knots before `knot`. begun: windows that a clock has at least.
  void slide(std::int64_t complete, std::int64_t knot, std::int64_t begun);
  [[nodiscard]] double seconds(std::int64_t window) const noexcept;
  [[nodiscard]] Time begin_of(std::int64_t window) const noexcept;
  /// A clock is not known more than a window before its first record: few messages say little of times far away.
  void forget_before_first(StretchEstimate& found) const;
  /// Nor is one whose offset changes as that of no clock does.
  static void forget_impossible(StretchEstimate& found);
  /// Maps no clock to before the first record.
  void lift(const StretchEstimate& found);
  /// The moments as they go on from the last one that is fixed, which is the first of them and is removed; by clocks
  /// that are known before and all along, which keep their mean.
  void join(StretchEstimate& found) const;
  /// Where offsets that are not known would be if the clock goes on as before.
  void carry_on(Moment& moment) const;
  void fix(Moment moment);

  const Definitions& definitions_;
  Ticks window_;
  Options options_;
  Collector collector_;
  Matcher matcher_;
  std::optional<Time> zero_;  ///< the first record
  Time newest_;
  std::int64_t complete_ = 0;        ///< windows whose records have all been read
  std::int64_t next_knot_ = 0;       ///< stands at the begin of the window with this number
  std::deque<std::uint64_t> edges_;  ///< up to the end of each of the last windows
  std::deque<Moment> known_;         ///< the last of the fixed ones
  bool applied_ = false;             ///< once clocks are mapped they are to the end
  bool rates_ = false;
  double lift_ = 0;                ///< added to mapped times, in seconds
  std::vector<Time> last_points_;  ///< of each clock
  std::vector<Fixed> points_;
  Time fixed_until_ = Time::earliest();
  std::size_t estimates_ = 0;
  std::map<ClockIndex, Time> steps_;
  std::map<ClockPair, double> trips_;  ///< the shortest round trips so far
  std::map<ClockPair, Time> wrong_;
  double messages_ = 0;    ///< of pairs in windows, the sum of all estimates
  bool received_ = false;  ///< something was, from another clock; what it matches may be forgotten by then
  bool is_short_ = false;  ///< the trace: shorter than the look-ahead
};

}  // namespace clc::sync
