// Lost records: which ends of a channel have lost their other end.
//
// Place     Asked by Messages at each match. A match in doubt waits while LookAhead is shown the input that follows; it
//           decides from recorded times and their order alone, never from corrected ones.
// Rule      clc-algorithm(7), "Lost records".
// Units     Ticks of recorded time. A delay is C(receive) - C(send); it contains the difference of the clocks.
// Cost      Some instructions per message, 32 bytes per channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "clc/event.hpp"
#include "clc/time.hpp"

namespace clc {

class Messages;

/// Why a match is looked at.
enum class Doubt : std::uint8_t {
  none,
  first,  ///< of its channel, where one side is ahead by two or more
  early,  ///< far below a floor that is not known well
  below,  ///< far below the floor: sends may be lost
  above,  ///< above the floor for some messages: receives may be lost
  sure,   ///< earlier than clocks can explain: a send is lost
};

/// The floor of a channel: how small its delays get, again and again, while its messages are matched rightly.
class Floor {
 public:
  static constexpr Ticks longest = ticks_max / 4;  ///< delay that is told from others

  /// Is that delay at the floor? Then it is learnt. margin: of delays that count as the same.
  [[gnu::always_inline]] bool hit(Ticks delay, Time now, Ticks margin) noexcept {
    const std::uint64_t since_hit = ticks_since_hit(now);
    const auto drift = static_cast<Ticks>(since_hit >> drift_shift);
    const auto around = static_cast<std::uint64_t>(tolerance(margin) + drift);
    const auto apart = static_cast<std::uint64_t>(delay) - static_cast<std::uint64_t>(delay_);
    if (apart + around > 2 * around || !known_) [[unlikely]]
      return false;
    if (!is_soon(since_hit)) [[unlikely]] {
      since_ = now;
      // After a pause as long as that, a delay farther away can be at the floor by drift, or anywhere by chance.
      if (drift > gap() / 4 && gap() > 0 && !is_within(this->apart(delay), tolerance(margin))) {
        start(delay, now);
        return true;
      }
    }
    if (hits_ < each_learnt || hits_ % each_learnt == 0) learn_gap(since_hit);
    hits_ = static_cast<std::uint8_t>(hits_ < most_hits ? hits_ + 1 : most_hits + 1 - each_learnt);
    delay_ = std::min(delay, delay_ + drift);
    hit_ = now;
    run_ = 0;
    return true;
  }
  /// The same for most delays above the floor, which are not to be looked at.
  [[gnu::always_inline]] bool pass(Ticks delay) noexcept {
    const std::int8_t run = run_;
    if (run < 0 || run == first_look || run + 1 >= longest_above || hits_ < trusted_hits || delay <= delay_)
      return false;
    run_ = static_cast<std::int8_t>(run + 1);
    return true;
  }
  /// A delay that is not at the floor, and whose match holds.
  void miss(Ticks delay, Time now, Ticks margin) noexcept;
  /// Should a match of that delay, which is not at the floor, be looked at?
  [[nodiscard]] Doubt doubts(Ticks delay, Time now, Ticks margin) const noexcept;
  /// Sends were taken out; again: the next match is looked at, too, unless it is at the floor.
  void taken_out(bool again) noexcept { run_ = again ? first_look : 0; }

  /// Well enough to tell something.
  [[nodiscard]] bool is_trusted(Ticks margin) const noexcept {
    return known_ && hits_ >= trusted_hits && gap() > 0 && tolerance(margin) <= gap() / 4;
  }
  [[nodiscard]] bool has_hits() const noexcept { return hits_ >= trusted_hits; }
  [[nodiscard]] Ticks delay() const noexcept { return delay_; }
  /// What a delay may be away from the floor and still be at it.
  [[nodiscard]] Ticks around(Time now, Ticks margin) const noexcept {
    return tolerance(margin) + static_cast<Ticks>(ticks_since_hit(now) >> drift_shift);
  }
  /// A delay less the floor.
  [[nodiscard]] Ticks apart(Ticks delay) const noexcept { return subtract_saturating(delay, delay_); }
  [[nodiscard]] bool is_at(Ticks delay, Time now, Ticks margin) const noexcept {
    return is_within(apart(delay), around(now, margin));
  }
  [[nodiscard]] static constexpr bool is_within(Ticks apart, Ticks around) noexcept {
    return apart >= -around && apart <= around;
  }
  /// Usual time between two messages; 0: not known.
  [[nodiscard]] Ticks gap() const noexcept { return Ticks{gap_} * static_cast<Ticks>(gap_unit); }
  [[nodiscard]] Time last_hit() const noexcept { return hit_; }
  /// Is a hit that long after another one soon enough for the channel to be steady?
  [[nodiscard]] bool is_soon(std::uint64_t since_hit) const noexcept {
    return since_hit <= steady_gaps * gap_unit * gap_;
  }
  /// On the clock of the channel's sender or receiver, of a time at which a match at the floor was complete.
  [[nodiscard]] Time own(Time time, bool sender) const noexcept {
    return time - std::max<Ticks>(sender ? delay_ : -delay_, 0);
  }
  /// Since when it is where it is, and is hit soon again and again.
  [[nodiscard]] Time since() const noexcept { return since_; }

 private:
  static constexpr std::uint8_t trusted_hits = 3;
  static constexpr std::uint8_t each_learnt = 8;  // hits; later every eighth one tells of the gap
  static constexpr std::uint8_t most_hits = 255;
  static constexpr std::int8_t first_look = 3;
  static constexpr int longest_above = 64;  // run after which the floor is where it was
  static constexpr std::uint64_t gap_unit = 16;
  static constexpr std::uint64_t steady_gaps = 3;
  static constexpr int drift_shift = 10;  // clocks drift by at most 1/1024
  [[nodiscard]] Ticks tolerance(Ticks margin) const noexcept { return std::max(margin, Ticks{gap_ >> 1U}); }
  void start(Ticks delay, Time now) noexcept;
  /// now: not before that.
  [[nodiscard]] std::uint64_t ticks_since_hit(Time now) const noexcept {
    return static_cast<std::uint64_t>(now.ticks()) - static_cast<std::uint64_t>(hit_.ticks());
  }
  [[gnu::always_inline]] void learn_gap(std::uint64_t since_hit) noexcept {
    std::uint64_t gap = since_hit / gap_unit;
    if (run_ != 0) [[unlikely]] {
      gap /= static_cast<std::uint64_t>(1 + (run_ < 0 ? -run_ : run_));
    }
    const auto next =
        static_cast<std::int64_t>(std::min<std::uint64_t>(gap, std::numeric_limits<std::uint32_t>::max()));
    gap_ = static_cast<std::uint32_t>(gap_ == 0 ? next : gap_ + ((next - std::int64_t{gap_}) >> 3));
  }

  Ticks delay_ = 0;  // within a quarter of the range of ticks
  Time hit_;         // last one
  Time since_;
  std::uint32_t gap_ = 0;  // in gap_unit
  std::int8_t run_ = 0;    // matches in a row that are below (negative) or above
  std::uint8_t hits_ = 0;  // from most_hits on, the last eight again and again
  bool known_ = false;
};
static_assert(sizeof(Floor) == 32, "of each channel");

/// What is known of a channel.
struct ChannelState {
  Floor floor;
  std::uint32_t oldest = ~std::uint32_t{0};  ///< message that waits for its other end; ~0: none
  bool receives = false;                     ///< what waits
  bool in_order = true;                      ///< and nothing else comes before
};

/// Judges a match in doubt by the input that follows.
class LookAhead {
 public:
  enum class Verdict : std::uint8_t { open, keep, lost };

  explicit LookAhead(const Messages& messages) : messages_(messages) {}

  /// The next match of the event's channel is in doubt; nothing of it is matched yet. first: time of the first record
  /// of the event's process.
  [[nodiscard]] Verdict begin(const Event& event, Doubt doubt, Time first);
  /// The next event of the input.
  [[nodiscard]] Verdict look(const Event& event);
  /// No more events can be looked at.
  [[nodiscard]] Verdict end() { return by_spread(); }
  /// With the verdict `lost`: ends without their other end, in the order of the channel, from the doubtful match on.
  [[nodiscard]] std::size_t lone() const noexcept { return lone_; }
  /// These are sends.
  [[nodiscard]] bool sends_are_lone() const noexcept { return backlog_; }

 private:
  static constexpr std::size_t most_ends = 272;  // of the channel that are looked at, each
  static constexpr std::size_t most_lone = 128;
  static constexpr std::size_t most_behind = 8;  // ends whose other ends may not have been seen yet
  static constexpr std::size_t most_matches = 128 + most_behind;
  static constexpr std::size_t enough_hits = 3;
  static constexpr int least_away_matches = 3;
  static constexpr int enough_points = 20;  // 2^10
  static constexpr Ticks healthy_gaps = 8;
  static constexpr Ticks looked_at_gaps = 160;
  using Key = std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int64_t>;
  /// Another channel of one of the processes.
  struct Line {
    Floor floor;
    bool is_known = false;  // its matches are, and its floor was trusted
    bool tells = false;
    bool receives = false;
    Time hit;              // last one
    int away = 0;          // matches since the doubt, as long as none of them hits the floor; negative: one did
    Ticks least_away = 0;  // the smallest of them, less the floor
    std::deque<Time> waiting;
  };

  [[nodiscard]] bool clocks_go_on() const noexcept { return sender_goes_on_ && receiver_goes_on_; }

  /// Does the channel lead from the receiver to the sender?
  [[nodiscard]] bool is_reverse(ProcessIndex from, ProcessIndex to) const noexcept {
    return from == receiver_ && to == sender_;
  }
  [[nodiscard]] Verdict look_at_own(const Event& event);
  [[nodiscard]] bool is_steady(const Floor& other, ProcessIndex from, ProcessIndex to) const;
  void look_at_other(const Event& event);
  void testify(ProcessIndex from, ProcessIndex to, Time sent, Time received) noexcept;
  void note_away(Line& line, Time sent, Time received, bool hits) const noexcept;
  [[nodiscard]] bool round_trip_stays() const;
  [[nodiscard]] Verdict by_floor();
  [[nodiscard]] Ticks between(std::size_t send, std::size_t receive) const;
  [[nodiscard]] Verdict by_spread();
  [[nodiscard]] bool fits_floor(std::size_t send, std::size_t receive, std::size_t width) const;
  [[nodiscard]] Ticks spread(std::size_t send, std::size_t receive, std::size_t width);
  [[nodiscard]] Verdict found(std::size_t lone) noexcept;
  [[nodiscard]] bool is_at_floor(Ticks delay) const noexcept { return Floor::is_within(floor_.apart(delay), around_); }
  [[nodiscard]] bool stands_still() const;
  [[nodiscard]] Ticks ticks() const;

  const Messages& messages_;
  Event event_;
  Doubt doubt_ = Doubt::none;
  ProcessIndex sender_ = no_process;
  ProcessIndex receiver_ = no_process;
  Floor floor_;
  Ticks around_ = 0;
  Time latest_;
  bool begins_soon_ = false;     // after the channel's last hit
  bool backlog_ = false;         // receives may be lost, not sends
  bool sender_goes_on_ = false;  // its clock was not set
  bool receiver_goes_on_ = false;
  std::size_t lone_ = 0;
  std::vector<Time> sent_;      // of the channel, from the doubt on
  std::vector<Time> received_;  // the same
  std::map<Key, Line> lines_;
  std::vector<Ticks> differences_;  // room for spread()
};

}  // namespace clc
