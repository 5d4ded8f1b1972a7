// Maps the times in the event file of a location to those to be written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "clc/error.hpp"
#include "clc/time.hpp"
#include "common/corrections.hpp"
#include "otf2/archive.hpp"

namespace clc::otf2 {

/// A time before and after the correction.
struct TimePair {
  std::int64_t recorded = 0;  ///< clock offsets applied
  std::int64_t corrected = 0;
};

/// Linear between two pairs, rounded down; a constant correction outside of them, saturating at 64 bits. Never
/// decreases with time.
[[nodiscard]] inline std::int64_t between(const TimePair& a, const TimePair& b, std::int64_t time) noexcept {
  __extension__ using Wide = __int128;
  __extension__ using Product = unsigned __int128;
  if (time <= a.recorded) return static_cast<std::int64_t>(std::max<Wide>(0, Wide{a.corrected} - a.recorded + time));
  if (time >= b.recorded)
    return static_cast<std::int64_t>(std::min<Wide>(ticks_max, Wide{b.corrected} - b.recorded + time));
  const Product share =
      Product{ticks_between(Time(a.corrected), Time(b.corrected))} * ticks_between(Time(a.recorded), Time(time));
  const Product part = share / ticks_between(Time(a.recorded), Time(b.recorded));
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a.corrected) + static_cast<std::uint64_t>(part));
}

/// Corrects the times of one location: its events in order, and other times that belong to it.
class LocationTimes {
 public:
  /// offsets: applied to times in the file; must outlive this. raise: added to all corrected times.
  LocationTimes(const ClockOffsets& offsets, formats::Corrections& corrections, ProcessIndex index, Ticks raise = 0)
      : clock_(offsets), corrections_(corrections, index), raise_(raise), more_(corrections_.next(correction_)) {}

  /// The corrected time of the next event; time as in the file.
  [[nodiscard, gnu::always_inline]] std::int64_t next(std::int64_t time) {
    const std::int64_t recorded = clock_.next(time);
    if (!plain_) [[unlikely]]
      return next_slowly(recorded);
    last_.recorded = recorded;
    last_.corrected = in_order(own_time(recorded));
    return last_.corrected;
  }
  /// The recorded time of the latest event, clock offsets applied.
  [[nodiscard]] std::int64_t recorded() const noexcept { return last_.recorded; }
  /// Corrects a time within the latest event: after the event, and not after the next one.
  [[nodiscard]] std::int64_t within(std::int64_t time) {
    const std::int64_t recorded = clock_.at(time);
    const std::int64_t correction = more_ ? std::min(last_correction_, correction_) : last_correction_;
    return std::max(last_.corrected, raised(add_saturating(recorded, correction)));
  }
  /// Requests, before the first event, the correction of a time that is not that of an event. answer_of returns it
  /// after the last event.
  void ask(std::int64_t recorded) { answers_.emplace(recorded, recorded); }
  /// The same for a time as in the file.
  void ask_file(std::int64_t time) { ask(clock_.at(time)); }
  void finish() {
    for (; open_ != answers_.end(); ++open_)
      open_->second = begun_ ? between(last_, last_, open_->first) : raised(open_->first);
  }
  void begin() {
    open_ = answers_.begin();
    plain_ = false;
  }
  [[nodiscard]] std::int64_t answer_of(std::int64_t recorded) const {
    const auto found = answers_.find(recorded);
    return found == answers_.end() ? raised(recorded) : found->second;
  }
  [[nodiscard]] std::int64_t answer_of_file(std::int64_t time) { return answer_of(clock_.at(time)); }

  /// A corrected time that is earlier than that of the event before it, if there was one: (that, it). Later times are
  /// wrong then.
  [[nodiscard]] const std::optional<std::pair<std::int64_t, std::int64_t>>& decrease() const noexcept {
    return decrease_;
  }
  /// All events were read. Throws InputError if they are more than there were before, or fewer.
  void check_count(const std::string& where) const {
    if (missing_ || more_)
      throw InputError(where + ": has " + (missing_ ? "more" : "fewer") +
                       " events than before; another program is writing to the archive");
  }
  [[nodiscard]] bool any() const noexcept { return begun_; }
  [[nodiscard]] std::int64_t lowest() const noexcept { return lowest_; }
  [[nodiscard]] std::int64_t highest() const noexcept { return last_.corrected; }

 private:
  /// Applies the next correction.
  [[nodiscard, gnu::always_inline]] std::int64_t own_time(std::int64_t recorded) {
    last_correction_ = correction_;
    if (more_) [[likely]]
      more_ = corrections_.next(correction_);
    else
      missing_ = true;
    return raised(add_saturating(recorded, last_correction_));
  }
  [[nodiscard, gnu::always_inline]] std::int64_t in_order(std::int64_t corrected) noexcept {
    if (corrected >= last_.corrected) [[likely]]
      return corrected;
    if (begun_ && !decrease_) decrease_.emplace(last_.corrected, corrected);
    return last_.corrected;
  }
  [[nodiscard]] std::int64_t raised(std::int64_t time) const noexcept { return add_saturating(time, raise_); }
  [[nodiscard, gnu::noinline]] std::int64_t next_slowly(std::int64_t recorded) {
    TimePair now{recorded, own_time(recorded)};
    now.corrected = in_order(now.corrected);
    if (open_ != answers_.end()) answer(now);
    if (!begun_) lowest_ = now.corrected;
    last_ = now;
    begun_ = true;
    plain_ = open_ == answers_.end();
    return now.corrected;
  }
  void answer(const TimePair& now) {
    for (; open_ != answers_.end() && open_->first < now.recorded; ++open_)
      open_->second = between(begun_ ? last_ : now, now, open_->first);
  }

  LocationClock clock_;
  formats::Corrections::Reader corrections_;
  Ticks raise_;
  std::int64_t correction_ = 0;  ///< of the next event
  std::int64_t last_correction_ = 0;
  bool more_ = false;  ///< correction_ is one
  bool missing_ = false;
  bool begun_ = false;
  bool plain_ = false;  ///< begun, and nothing is asked for any more
  TimePair last_;
  std::optional<std::pair<std::int64_t, std::int64_t>> decrease_;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();  ///< that of the first event
  std::map<std::int64_t, std::int64_t> answers_;                    ///< recorded to corrected
  std::map<std::int64_t, std::int64_t>::iterator open_ = answers_.begin();
};

}  // namespace clc::otf2
