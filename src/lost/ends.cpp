#include "lost/ends.hpp"

#include <algorithm>
#include <utility>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "formats/common/decorator.hpp"
#include "lost/answers.hpp"
#include "lost/by_offsets.hpp"
#include "lost/by_order.hpp"
#include "lost/round_trips.hpp"
#include "lost/together.hpp"

namespace clc::lost {

void Ends::add(const Event& event) {
  // The other process may have no records at all.
  const bool is_end = event.role == Role::send || event.role == Role::receive;
  const std::size_t processes =
      (is_end && event.peer != no_process ? std::max(event.process, event.peer) : event.process) + std::size_t{1};
  if (processes > processes_.size()) {
    processes_.resize(processes);
    matches_.set_processes(processes);
  }
  OfProcess& own = processes_[event.process];
  if (own.latest == Time::earliest()) own.first = event.time;
  own.latest = std::max(own.latest, event.time);
  if (event.role == Role::internal) return;
  const auto nth = static_cast<std::uint32_t>(matches_.other_ends(event.process).size());
  if (too_many()) return;
  if (event.role == Role::collective_begin) return calls_.add_begin(event, own.latest, nth);
  count_ += event.role == Role::collective_end ? 2 : 1;
  if (too_many()) {
    matches_.clear();
    calls_.clear();
  } else if (is_end) {
    matches_.add(event, own.latest);
  } else {
    calls_.add(event, own.latest, nth);
  }
}

bool Ends::find(const Definitions& definitions) {
  if (definitions.shares_clocks()) matches_.leave_out_within_clocks(definitions);
  if (!too_many()) {
    const bool lacks_calls = calls_.lack_some(definitions);
    const bool lacks_ends = this->lacks_ends();
    if (lacks_ends || lacks_calls) {
      Steps steps(matches_.sides(true), matches_.processes());
      if (lacks_ends) steps.find();
      const Turns turns = lacks_ends ? Turns(matches_.sides(false), matches_.processes()) : Turns({}, 0);
      if (lacks_ends) match_messages(steps, turns);
      calls_.find(steps, ByOrder(matches_, calls_, steps, turns, definitions.processes().size()).match());
    }
  }
  calls_.close();
  losses_ = matches_.tell();
  std::sort(losses_.begin(), losses_.end());
  return tells();
}

/// Of some channel one side has more; or all seem to be there, and matched first in, first out, messages would be
/// received before they were sent. If not, all are matched so.
bool Ends::lacks_ends() {
  const auto& channels = matches_.channels();
  if (std::ranges::any_of(channels, &Matches::Channel::lacks_ends)) return true;
  matches_.settle_first_in_first_out();
  Order order(matches_.processes());
  matches_.put_into(order);
  calls_.put_into(order);
  const bool has_circle = !order.follow().empty();
  if (has_circle) matches_.forget();
  return has_circle;
}

/// Each channel on its own, then by others.
void Ends::match_messages(const Steps& steps, const Turns& turns) {
  matches_.set_cut(was_cut());
  match_each(steps, turns);
  match_answered(matches_, steps, turns);
  RoundTrips(matches_, steps, turns).match_again();
  ByOffsets(matches_, steps, turns).shift();
}

namespace {

/// How far times are from their upper median, in order.
std::vector<Ticks> distances(std::vector<Time> times) {
  std::ranges::sort(times);
  const Time middle = times[times.size() / 2];
  std::vector<Ticks> all;
  for (const Time time : times) all.push_back(time < middle ? middle - time : time - middle);
  std::ranges::sort(all);
  return all;
}

}  // namespace

/// At one recorded time: each process whose clock is ahead then lacks its last records, and began as much later, by
/// that clock. Of several processes that were recorded late, others begin together.
bool Ends::was_cut() const {
  constexpr Ticks closer = 4;
  std::vector<Time> firsts;
  std::vector<Time> lasts;
  for (const OfProcess& own : processes_) {
    if (own.latest == Time::earliest()) continue;
    firsts.push_back(own.first);
    lasts.push_back(own.latest);
  }
  if (firsts.empty()) return false;
  return distances(lasts)[lasts.size() / 2] < distances(firsts)[(firsts.size() - 1) / 2] / closer;
}

bool Ends::tells() const noexcept {
  const auto& channels = matches_.channels();
  return calls_.lost() > 0 || std::any_of(channels.begin(), channels.end(), std::mem_fn(&Matches::Channel::is_known));
}

/// Each channel on its own, and those of a process that lost records in a row together.
void Ends::match_each(const Steps& steps, const Turns& turns) {
  std::vector<std::vector<View>> together(processes_.size());  // of the process that lacks ends
  for (std::size_t c = 0; c < matches_.channels().size(); ++c) {
    const Matches::Channel& channel = matches_.channels()[c];
    if (!channel.in_order) continue;
    View view = matches_.view(c, steps, turns);
    view.matched = match(view, {}, has_turns(view.fewer) ? &view.known : nullptr);
    const bool is_counted = view.matched.is_known && has_turns(view.fewer);
    if (is_counted && channel.lacks_ends()) {
      together[channel.lacks_sends() ? channel.sender : channel.receiver].push_back(std::move(view));
    } else {
      matches_.settle(view);
    }
  }
  for (std::vector<View>& views : together) {
    std::sort(views.begin(), views.end(), [&](const View& a, const View& b) {
      return matches_.channels()[a.channel].key() < matches_.channels()[b.channel].key();
    });
    match_together(views);
    for (View& view : views) matches_.settle(view);
    views = {};
  }
}

std::vector<std::int64_t> Ends::numbers(const Definitions& definitions) const {
  std::vector<std::int64_t> numbers{0};
  for (ProcessIndex process = 0; process < processes_.size(); ++process) {
    const std::vector<OtherEnd>& ends = matches_.other_ends(process);
    const auto count = std::count(ends.begin(), ends.end(), OtherEnd::missing);
    if (count == 0) continue;
    ++numbers[0];
    numbers.insert(numbers.end(), {process, count});
    for (std::size_t nth = 0; nth < ends.size(); ++nth)
      if (ends[nth] == OtherEnd::missing) numbers.push_back(static_cast<std::int64_t>(nth));
  }
  calls_.put_numbers(definitions, numbers);
  return numbers;
}

bool Ends::are_all_in(std::span<const Loss> losses) const {
  std::vector<Loss> known;
  for (const Loss& loss : losses)
    if (matches_.knows(loss)) known.push_back(loss);
  std::sort(known.begin(), known.end());
  return known == losses_;
}

namespace {

class MarkedSource final : public formats::Decorator {
 public:
  MarkedSource(std::unique_ptr<Source> inner, Ends& ends) : Decorator(std::move(inner)), ends_(ends) { ends_.rewind(); }

  bool read(Batch& batch) override {
    const bool more = inner().read(batch);
    for (Event& event : batch.events) ends_.mark(event);
    return more;
  }

 private:
  Ends& ends_;
};

}  // namespace

bool add_all(Source& source, Ends& ends, Times times) {
  const BodyDecoder& decoder = source.decoder();
  try {
    Batch batch;
    for (bool more = true; more && !ends.too_many();) {
      more = source.read(batch);
      for (std::size_t i = 0; i < batch.events.size(); ++i) {
        Event& event = batch.events[i];
        if (times == Times::kept) event.time = decoder.decode(batch.bodies[i]).recorded.value_or(event.time);
        ends.add(event);
      }
    }
  } catch (const InputError&) {
    return false;
  }
  return true;
}

std::unique_ptr<Source> marked(std::unique_ptr<Source> inner, Ends& ends) {
  return std::make_unique<MarkedSource>(std::move(inner), ends);
}

}  // namespace clc::lost
