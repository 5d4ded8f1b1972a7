#include "clock/losses.hpp"

#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "clock/messages.hpp"

namespace clc {

// ---- the floor of a channel -------------------------------------------------------------------

void Floor::miss(Ticks delay, Time now, Ticks margin) noexcept {
  if (!known_) return start(delay, now);
  const bool below = apart(delay) < -around(now, margin);
  if (below && hits_ == 0) return start(delay, now);
  const std::int8_t step = below ? -1 : 1;
  const bool goes_on = below ? run_ < 0 : run_ > 0;
  run_ = static_cast<std::int8_t>(goes_on ? run_ + step : step);
  const int most = below ? (has_hits() ? 32 : 6) : (has_hits() ? longest_above : 8);
  if (run_ * step >= most) start(delay, now);
}

void Floor::start(Ticks delay, Time now) noexcept {
  delay_ = delay;
  hit_ = since_ = now;
  hits_ = 0;
  run_ = 0;
  known_ = true;
}

Doubt Floor::doubts(Ticks delay, Time now, Ticks margin) const noexcept {
  if (!known_) return Doubt::first;
  const auto is_one_of = [this](std::initializer_list<int> runs) {
    return std::find(runs.begin(), runs.end(), run_) != runs.end();
  };
  const Ticks apart = this->apart(delay);
  if (!has_hits()) {
    const bool fine = gap() == 0 || tolerance(margin) <= gap() / 4;
    return fine && apart < -around(now, margin) && is_one_of({-3, -5}) ? Doubt::early : Doubt::none;
  }
  if (!is_trusted(margin)) return Doubt::none;
  const Ticks least = std::max(around(now, margin), gap() / 4);
  if (apart < -least) return run_ >= 0 || is_one_of({-1, -2, -4}) ? Doubt::below : Doubt::none;
  return apart > least && run_ == first_look ? Doubt::above : Doubt::none;
}

// ---- looking ahead ----------------------------------------------------------------------------

LookAhead::Verdict LookAhead::begin(const Event& event, Doubt doubt, Time first) {
  event_ = event;
  doubt_ = doubt;
  backlog_ = false;
  if (doubt == Doubt::sure) return found(1);
  const bool is_send = event.role == Role::send;
  sender_ = sender_of(event);
  receiver_ = receiver_of(event);
  sent_.clear();
  received_.clear();
  lines_.clear();
  sender_goes_on_ = receiver_goes_on_ = false;
  const ChannelState channel = messages_.channel_of(event);
  floor_ = channel.floor;
  around_ = floor_.around(event.time, messages_.margin());
  backlog_ = doubt == Doubt::above || (doubt == Doubt::first && !is_send);
  latest_ = floor_.gap() == 0 ? Time::latest() : event.time + looked_at_gaps * floor_.gap();
  (is_send ? sent_ : received_).push_back(event.time);
  std::vector<Time>& others = is_send ? received_ : sent_;
  for (MessageId id = channel.oldest; id != no_message && others.size() < most_ends; id = messages_[id].next)
    others.push_back(messages_[id].sent);
  begins_soon_ =
      doubt == Doubt::early || (doubt != Doubt::first && event.time - floor_.last_hit() <= healthy_gaps * floor_.gap());
  if (doubt != Doubt::first) return Verdict::open;
  // One side is ahead: the other one was recorded late, or it is only slow.
  return backlog_ && others[1] >= first ? Verdict::keep : Verdict::open;
}

LookAhead::Verdict LookAhead::look(const Event& event) {
  if (event.time > latest_) return end();
  if ((event.role != Role::send && event.role != Role::receive) || event.peer == no_process ||
      event.other_end == OtherEnd::missing)
    return Verdict::open;
  const ProcessIndex from = sender_of(event);
  const ProcessIndex to = receiver_of(event);
  if (from == sender_ && to == receiver_ && event.communicator == event_.communicator && event.tag == event_.tag)
    return look_at_own(event);
  if (!begins_soon_ || (clocks_go_on() && !is_reverse(from, to))) return Verdict::open;
  if (from != sender_ && from != receiver_ && to != sender_ && to != receiver_) return Verdict::open;
  look_at_other(event);
  return clocks_go_on() ? by_floor() : Verdict::open;
}

LookAhead::Verdict LookAhead::look_at_own(const Event& event) {
  const bool is_send = event.role == Role::send;
  if (!is_send && event.overtakes != 0) return Verdict::keep;
  std::vector<Time>& ends = is_send ? sent_ : received_;
  if (ends.size() == most_ends) return end();
  ends.push_back(event.time);
  const std::size_t matches = std::min(sent_.size(), received_.size());
  if (doubt_ != Doubt::first) {
    const bool comes_back = matches > 1 && is_at_floor(received_[matches - 1] - sent_[matches - 1]);
    if (comes_back) return Verdict::keep;
    if (clocks_go_on())
      if (const Verdict verdict = by_floor(); verdict != Verdict::open) return verdict;
  }
  if (ends.size() != matches || (matches != 32 + most_behind && matches != 64 + most_behind && matches != most_matches))
    return Verdict::open;
  const Verdict verdict = by_spread();
  return verdict == Verdict::keep && matches < most_matches ? Verdict::open : verdict;
}

/// Was that channel steady before the last hit of the doubtful one, by the clocks of the processes of both?
bool LookAhead::is_steady(const Floor& other, ProcessIndex from, ProcessIndex to) const {
  const auto since_before = [&](ProcessIndex process, bool sends) {
    if (process != from && process != to) return true;
    return other.own(other.since(), process == from) + floor_.gap() < floor_.own(floor_.last_hit(), sends);
  };
  return since_before(sender_, true) && since_before(receiver_, false);
}

/// A steady channel tells that the clocks of its processes go on, once it hits its floor half a gap after the doubtful
/// match on them. Half a gap, because a clock that was set back stands still at first.
void LookAhead::look_at_other(const Event& event) {
  const bool is_send = event.role == Role::send;
  const ProcessIndex from = sender_of(event);
  const ProcessIndex to = receiver_of(event);
  const auto [place, is_new] = lines_.try_emplace(Key{from, to, event.communicator, event.tag});
  Line& line = place->second;
  if (is_new) {
    const ChannelState known = messages_.channel_of(event);
    line.floor = known.floor;
    line.hit = known.floor.last_hit();
    line.is_known = known.in_order && known.floor.is_trusted(messages_.margin());
    line.receives = known.receives;
    for (MessageId id = known.oldest; line.is_known && id != no_message; id = messages_[id].next) {
      if (line.waiting.size() == most_ends) line.is_known = false;
      line.waiting.push_back(messages_[id].sent);
    }
    line.tells = line.is_known && is_steady(known.floor, from, to);
    if (line.tells) testify(from, to, line.floor.own(line.hit, true), line.floor.own(line.hit, false));
  }
  if (!is_send && event.overtakes != 0) line.is_known = false;
  if (!line.is_known) return;
  if (line.waiting.empty()) line.receives = !is_send;
  if (line.receives != is_send) {
    line.waiting.push_back(event.time);
    return;
  }
  const Time other = line.waiting.front();
  line.waiting.pop_front();
  const Time sent = is_send ? event.time : other;
  const Time received = is_send ? other : event.time;
  const bool hits = line.floor.is_at(received - sent, event.time, messages_.margin());
  if (is_reverse(from, to)) note_away(line, sent, received, hits);
  if (!hits) {
    line.tells &= line.floor.apart(received - sent) > 0;
    return;
  }
  line.tells = line.tells && line.floor.is_soon(static_cast<std::uint64_t>(event.time - line.hit));
  if (!line.tells) return;
  line.hit = event.time;
  testify(from, to, sent, received);
}

/// A steady channel hits its floor at that time.
void LookAhead::testify(ProcessIndex from, ProcessIndex to, Time sent, Time received) noexcept {
  const auto goes_on = [&](ProcessIndex process, Time begin) {
    const Time late = begin + floor_.gap() / 2;
    return (process == from && sent >= late) || (process == to && received >= late);
  };
  sender_goes_on_ |= goes_on(sender_, sent_.front());
  receiver_goes_on_ |= goes_on(receiver_, received_.front());
}

/// A match of a channel the other way.
void LookAhead::note_away(Line& line, Time sent, Time received, bool hits) const noexcept {
  if (sent < received_.front() && received < sent_.front()) return;
  if (hits) line.away = -1;
  if (line.away < 0) return;
  const Ticks apart = line.floor.apart(received - sent);
  line.least_away = line.away == 0 ? apart : std::min(line.least_away, apart);
  ++line.away;
}

/// Did a channel the other way move as much the other way? A clock that is set does that, a lost record does not.
bool LookAhead::round_trip_stays() const {
  Ticks moved = ticks_max;
  for (std::size_t k = 0; k < sent_.size() && k < received_.size(); ++k)
    moved = std::min(moved, floor_.apart(received_[k] - sent_[k]));
  const Ticks around = std::max(around_, (moved < 0 ? subtract_saturating(0, moved) : moved) / 4);
  return std::any_of(lines_.begin(), lines_.end(), [&](const auto& entry) {
    const auto& [key, line] = entry;
    return is_reverse(std::get<0>(key), std::get<1>(key)) && line.is_known && line.away >= least_away_matches &&
           Floor::is_within(add_saturating(line.least_away, moved), around);
  });
}

LookAhead::Verdict LookAhead::found(std::size_t lone) noexcept {
  lone_ = lone;
  return Verdict::lost;
}

/// A clock that stands still tells nothing.
bool LookAhead::stands_still() const {
  return std::adjacent_find(sent_.begin(), sent_.end()) != sent_.end() ||
         std::adjacent_find(received_.begin(), received_.end()) != received_.end();
}

/// Sums of what is at most that do not overflow.
constexpr Ticks most_summed = ticks_max / 4096;

/// Of both clocks: what all differences of their times are multiples of.
Ticks LookAhead::ticks() const {
  Ticks sum = 0;
  for (const std::vector<Time>* times : {&sent_, &received_}) {
    Ticks tick = 0;
    for (std::size_t k = 1; k < times->size(); ++k) tick = std::gcd(tick, (*times)[k] - (*times)[k - 1]);
    sum += std::min(tick, most_summed);
  }
  return sum;
}

/// How much a delay that hits a floor tells, in halves of bits. Were it there by chance, it would be as near as that
/// with probability p = 2 apart / between; 1 / (2 sqrt(p)), multiplied over all delays, then rarely becomes large.
constexpr int points_of(Ticks apart, Ticks between) {
  const auto inverse = static_cast<std::uint64_t>(between / std::max<Ticks>(1, 2 * apart));
  return std::max(static_cast<int>(std::bit_width(inverse)) - 1, 0) - 2;
}

/// The least time between two ends there, or usually.
Ticks LookAhead::between(std::size_t send, std::size_t receive) const {
  Ticks least = floor_.gap();
  if (send > 0) least = std::min(least, sent_[send] - sent_[send - 1]);
  if (receive > 0) least = std::min(least, received_[receive] - received_[receive - 1]);
  return least;
}

/// The clocks go on: without how many ends are the delays at the floor again?
LookAhead::Verdict LookAhead::by_floor() {
  const Ticks low = subtract_saturating(floor_.delay(), around_);
  for (std::size_t lone = 1; lone < most_lone; ++lone) {
    std::size_t send = backlog_ ? lone : 0;
    std::size_t receive = backlog_ ? 0 : lone;
    if (send >= sent_.size() || receive >= received_.size()) break;
    if (received_[receive] - sent_[send] < low) continue;
    int points = 0;
    while (send < sent_.size() && receive < received_.size() && points < enough_points && points > -enough_points) {
      const Ticks delay = received_[receive] - sent_[send];
      points += is_at_floor(delay) ? points_of(std::abs(floor_.apart(delay)), between(send, receive)) : -2;
      ++receive;
      send += delay >= low;
    }
    if (points < enough_points) {
      if (!backlog_) break;
      continue;
    }
    if (stands_still()) return Verdict::keep;
    if (ticks() > around_) return Verdict::open;
    return round_trip_stays() ? Verdict::keep : found(lone);
  }
  return Verdict::open;
}

/// Are the delays at the floor now and then, also in each of the first two quarters, and those of the first quarter not
/// below it, when that many sends and receives are left out?
bool LookAhead::fits_floor(std::size_t send, std::size_t receive, std::size_t width) const {
  std::size_t hits = 0;
  std::size_t before = 0;  // this quarter
  for (std::size_t k = 0; k < width; ++k) {
    if (k == width / 4 || k == width / 2)
      if (std::exchange(before, hits) == hits) return false;
    const Ticks delay = received_[receive + k] - sent_[send + k];
    if (k < width / 4 && floor_.apart(delay) < -around_) return false;
    hits += is_at_floor(delay);
  }
  return hits >= std::max<std::size_t>(enough_hits, width / 8);
}

/// How unlike successive delays are when that many sends and receives are left out: the sum of the smaller three
/// quarters of their differences.
Ticks LookAhead::spread(std::size_t send, std::size_t receive, std::size_t width) {
  differences_.clear();
  Ticks last = received_[receive] - sent_[send];
  for (std::size_t k = 1; k < width; ++k) {
    const Ticks delay = received_[receive + k] - sent_[send + k];
    const Ticks difference = subtract_saturating(delay, std::exchange(last, delay));
    differences_.push_back(std::abs(std::clamp(difference, -most_summed, most_summed)));
  }
  std::sort(differences_.begin(), differences_.end());
  const auto end = differences_.begin() + static_cast<std::ptrdiff_t>(differences_.size() * 3 / 4);
  return std::accumulate(differences_.begin(), end, Ticks{0});
}

/// The times alone: with the right number of ends left out, the delays of successive messages are much more alike.
LookAhead::Verdict LookAhead::by_spread() {
  const std::size_t matches = std::min(sent_.size(), received_.size());
  // The fewer matches there are, and the less is known, the more alike their delays have to be.
  struct Demand {
    std::size_t width;
    Ticks quarters;  // of a ratio
  };
  static constexpr std::array<Demand, 3> demands{{{128, 6}, {64, 10}, {32, 12}}};
  const auto* const demand = std::find_if(demands.begin(), demands.end() - 1,
                                          [&](const Demand& d) { return matches >= d.width + most_behind; });
  const std::size_t width = demand->width;
  const Ticks quarters = floor_.has_hits() ? 12 : demand->quarters;
  if (matches < width || doubt_ == Doubt::early || stands_still()) return Verdict::keep;
  if (const Ticks gap = floor_.gap(); gap > 0) {
    const Ticks longest = 2 * static_cast<Ticks>(width) * gap;
    if (sent_[width - 1] - sent_[0] > longest || received_[width - 1] - received_[0] > longest) return Verdict::keep;
  }
  Ticks least = std::numeric_limits<Ticks>::max();
  std::size_t best = 0;
  // Sends that are one round ahead look as if the first receive was lost.
  for (std::size_t lone = doubt_ == Doubt::first ? 2 : 1; lone < most_lone; ++lone) {
    const std::size_t send = backlog_ ? lone : 0;
    const std::size_t receive = backlog_ ? 0 : lone;
    if (send + width > sent_.size() || receive + width > received_.size()) break;
    if (floor_.has_hits() && !fits_floor(send, receive, width)) continue;
    const Ticks sum = spread(send, receive, width);
    if (sum >= least) continue;
    least = sum;
    best = lone;
  }
  if (best == 0) return Verdict::keep;
  const Ticks fine = 2 * static_cast<Ticks>(width) * ticks();
  return quarters * least / 4 + fine < spread(0, 0, width) ? found(best) : Verdict::keep;
}

}  // namespace clc
