#include "lost/by_offsets.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "lost/rule.hpp"

namespace clc::lost {

namespace {

constexpr std::size_t moments = 16;     // at which offsets are compared
constexpr std::size_t enough = 9;       // of them, at which they have to be known
constexpr std::ptrdiff_t messages = 8;  // each way, that tell of an offset, the last ones
constexpr std::size_t most_pairs = 16;  // of a circle, without its first
constexpr Ticks in_a_jump = 8;          // offsets that agree differ by less than one in so many, usually

/// Of messages in order: the smallest delay of the last ones up to a time.
template <class Message>
std::optional<Ticks> smallest_delay(const std::vector<Message>& all, Time Message::*own, Time time) {
  const auto end = std::ranges::partition_point(all, [&](const Message& m) { return m.*own <= time; });
  if (end - all.begin() < messages) return std::nullopt;
  Ticks least = std::numeric_limits<Ticks>::max();
  for (const Message& m : std::span(end - messages, end)) least = std::min(least, m.received - m.sent);
  return least;
}

struct Reading {
  Ticks offset;  // how far the receiver's clock is ahead
  Ticks delay;   // by that offset, the same both ways
};

/// At a time of the sender. back: from the receiver.
template <class Message>
std::optional<Reading> read(const std::vector<Message>& by_sent, const std::vector<Message>& back_by_received,
                            Time time) {
  const std::optional<Ticks> forth = smallest_delay(by_sent, &Message::sent, time);
  const std::optional<Ticks> back = smallest_delay(back_by_received, &Message::received, time);
  if (!forth || !back) return std::nullopt;
  return Reading{subtract_saturating(*forth, *back) / 2, add_saturating(*forth, *back) / 2};
}

Ticks median(std::vector<Ticks> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

void ByOffsets::shift() {
  find_directions();
  const std::vector<Loose> all = find_loose();
  if (all.empty()) return;
  find_neighbours();
  for (const Loose& loose : all) try_to_shift(loose);
}

void ByOffsets::find_directions() {
  for (std::uint32_t c = 0; c < matches_.channels().size(); ++c) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.in_order || !steps_.goes_on(channel.sender) || !steps_.goes_on(channel.receiver)) continue;
    Direction& direction = directions_[{channel.sender, channel.receiver}];
    if (!channel.is_known && channel.lacks_ends()) {
      ++direction.loose;
      continue;
    }
    direction.channels.push_back(c);
    for (const std::uint32_t r : matches_.receives_of_sends(c))
      direction.matched += r < channel.receives.size() ? 1U : 0U;
  }
}

std::vector<ByOffsets::Loose> ByOffsets::find_loose() {
  std::vector<Loose> all;
  for (auto& [ends, direction] : directions_)
    for (const std::uint32_t c : direction.channels)
      if (const std::optional<Loose> loose = this->loose(c)) {
        all.push_back(*loose);
        ++direction.loose;
      }
  return all;
}

std::optional<ByOffsets::Loose> ByOffsets::loose(std::uint32_t channel) const {
  const Matches::Channel& own = matches_.channels()[channel];
  if (!own.is_known || !own.lacks_ends()) return std::nullopt;
  const std::vector<std::uint32_t> partners = matches_.partners(channel);
  const auto is_matched = [](std::uint32_t partner) { return partner != no_partner; };
  const auto first = std::ranges::find_if(partners, is_matched);
  if (first == partners.end()) return std::nullopt;
  const auto last = std::find_if(partners.rbegin(), partners.rend(), is_matched);
  const std::ptrdiff_t more = std::max(std::ssize(own.sends), std::ssize(own.receives));
  const Loose loose{channel, static_cast<std::ptrdiff_t>(*first), more - 1 - static_cast<std::ptrdiff_t>(*last)};
  return loose.ahead + loose.behind > 0 ? std::optional(loose) : std::nullopt;
}

/// Of messages of which some may be shifted, nothing is known.
void ByOffsets::find_neighbours() {
  for (const auto& [ends, forth] : directions_) {
    const auto back = directions_.find({ends.second, ends.first});
    if (back == directions_.end() || forth.loose > 0 || back->second.loose > 0) continue;
    if (std::min(forth.matched, back->second.matched) >= static_cast<std::size_t>(messages))
      neighbours_[ends.first].push_back(ends.second);
  }
}

void ByOffsets::try_to_shift(const Loose& loose) {
  const Matches::Channel& channel = matches_.channels()[loose.channel];
  const Ends ends(channel.sender, channel.receiver);
  const auto back = directions_.find({ends.second, ends.first});
  if (back == directions_.end() || back->second.loose > 0 || directions_.at(ends).loose > 1) return;
  const Circle circle = find_circle(ends);
  if (circle.empty()) return;
  View view = matches_.view(loose.channel, steps_, turns_);
  const Ticks jump = half_gap(view.fewer);
  const Compared now = compare(loose, 0, circle);
  if (now.offsets.size() < enough) return;
  // Messages may wait as long as for other ones, but none arrives before it was sent.
  const Ticks margin = jump / in_a_jump;
  const Ticks off = median(now.offsets);
  if (off >= 0 || median(now.delays) >= -margin) return;
  // To shift by one changes an offset by half the time between two messages.
  const Ticks jumps = add_saturating(subtract_saturating(0, off), jump / 2) / jump;
  const Ticks by = channel.lacks_sends() ? jumps : -jumps;
  if (by == 0 || by < -loose.ahead || by > loose.behind) return;
  Compared then = compare(loose, by, circle);
  for (Ticks& ticks : then.offsets) ticks = ticks < 0 ? subtract_saturating(0, ticks) : ticks;
  if (then.offsets.size() >= enough && median(then.offsets) <= margin && std::ranges::max(then.offsets) <= jump / 2 &&
      median(then.delays) >= -margin)
    settle(loose, by, view);
}

/// The shortest way from the sender to the receiver by pairs whose offsets are known; of several, that which comes
/// first.
ByOffsets::Circle ByOffsets::find_circle(Ends ends) {
  reached_.resize(matches_.processes());
  reached_[ends.first] = {++searches_, 0, ends.first};
  std::vector<ProcessIndex> all{ends.first};
  for (std::size_t k = 0; k < all.size() && reached_[ends.second].search != searches_; ++k) {
    const std::size_t pairs = reached_[all[k]].pairs + 1;
    if (pairs > most_pairs || looks_ >= most_looks_) return {};
    for (const ProcessIndex neighbour : neighbours_[all[k]]) {
      ++looks_;
      if (reached_[neighbour].search == searches_) continue;
      reached_[neighbour] = {searches_, pairs, all[k]};
      all.push_back(neighbour);
    }
  }
  Circle circle;
  if (reached_[ends.second].search != searches_) return circle;
  for (ProcessIndex process = ends.second; process != ends.first; process = reached_[process].from)
    circle.push_back(process);
  std::ranges::reverse(circle);
  return circle;
}

/// If the channel is shifted.
ByOffsets::Compared ByOffsets::compare(const Loose& loose, std::ptrdiff_t by, const Circle& circle) {
  const Matches::Channel& channel = matches_.channels()[loose.channel];
  std::vector<Message> forth;
  for (const std::uint32_t c : directions_.at({channel.sender, channel.receiver}).channels)
    put_messages(c, c == loose.channel ? by : 0, forth);
  std::ranges::sort(forth);
  const Direction& back = sorted({channel.receiver, channel.sender});
  Compared all;
  const auto first = static_cast<std::size_t>(messages - 1);
  if (channel.sends.size() <= first) return all;
  for (std::size_t k = 0; k < moments; ++k) {
    const Time time = channel.sends[first + (channel.sends.size() - 1 - first) * k / (moments - 1)].end.time;
    const std::optional<Reading> direct = read(forth, back.by_received, time);
    const std::optional<Time> round = direct ? at_the_end_of(circle, channel.sender, time) : std::nullopt;
    if (!round) continue;
    all.offsets.push_back(time + direct->offset - *round);
    all.delays.push_back(add_saturating(all.offsets.back(), direct->delay));
  }
  return all;
}

/// The messages of a channel if each belongs to the end so many further on, of the side with more.
void ByOffsets::put_messages(std::uint32_t channel, std::ptrdiff_t by, std::vector<Message>& all) const {
  const Matches::Channel& own = matches_.channels()[channel];
  const auto shift = static_cast<std::size_t>(by);
  const bool lacks_receives = own.receives.size() < own.sends.size();
  const std::vector<std::uint32_t> partners = matches_.partners(channel);
  for (std::size_t k = 0; k < partners.size(); ++k) {
    if (partners[k] == no_partner) continue;
    const auto [s, r] = lacks_receives ? std::pair(partners[k] + shift, k) : std::pair(k, partners[k] + shift);
    all.push_back({own.sends[s].end.time, own.receives[r].end.time});
  }
}

const ByOffsets::Direction& ByOffsets::sorted(Ends ends) {
  Direction& direction = directions_.at(ends);
  if (direction.by_sent.empty()) {
    for (const std::uint32_t c : direction.channels) put_messages(c, 0, direction.by_sent);
    direction.by_received = direction.by_sent;
    std::ranges::sort(direction.by_sent);
    std::ranges::sort(direction.by_received, {}, [](const Message& m) { return Message{m.received, m.sent}; });
  }
  return direction;
}

/// What the clock of the last process shows then, by the offsets of its pairs.
std::optional<Time> ByOffsets::at_the_end_of(const Circle& circle, ProcessIndex first, Time time) {
  ProcessIndex from = first;
  for (const ProcessIndex to : circle) {
    const Direction& back = sorted({to, from});
    const std::optional<Reading> pair = read(sorted({from, to}).by_sent, back.by_received, time);
    if (!pair) return std::nullopt;
    time = time + pair->offset;
    from = to;
  }
  return time;
}

void ByOffsets::settle(const Loose& loose, std::ptrdiff_t by, View& view) {
  const Matches::Channel& channel = matches_.channels()[loose.channel];
  const auto shift = static_cast<std::uint32_t>(by);
  view.matched = {true, matches_.partners(loose.channel), channel.gain, channel.cost};
  for (std::uint32_t& partner : view.matched.partners)
    if (partner != no_partner) partner += shift;
  matches_.settle_again(view);
}

}  // namespace clc::lost
