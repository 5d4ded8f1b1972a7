#include "lost/calls.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

namespace clc::lost {

namespace {

std::uint64_t key_of(const Event& end) { return std::uint64_t{end.communicator} << 32U | end.process; }

/// Of calls that can belong together; not 0.
std::uint64_t what_of(const Event& end) {
  const bool rooted = info(end.operation).rooted;
  return (static_cast<std::uint64_t>(end.operation) + 1) << 32U | (rooted ? end.root : 0);
}

/// The operations of a communicator, as far as they are known: those of the member that finished most, in its time, and
/// those that it has missed.
class Operations {
 public:
  Operations(std::vector<End> ends, Clocks clocks) : ends_(std::move(ends)), names_(ends_.size()), clocks_(clocks) {
    for (std::uint32_t k = 0; k < names_.size(); ++k) names_[k] = k;
  }
  /// The names of those of one more member, in order; none: not known.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> add(const std::vector<End>& calls);
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  /// By name.
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers(names_.size());
    for (std::uint32_t k = 0; k < names_.size(); ++k) numbers[names_[k]] = k;
    return numbers;
  }

 private:
  std::vector<End> ends_;
  std::vector<std::uint32_t> names_;  // by number; names never change
  Clocks clocks_;
};

std::optional<std::vector<std::uint32_t>> Operations::add(const std::vector<End>& calls) {
  const Matched matched = match(calls, ends_, Unlike::impossible, clocks_);
  if (!matched.is_known) return std::nullopt;
  std::vector<End> ends;
  std::vector<std::uint32_t> names;
  std::vector<std::uint32_t> own;
  auto fresh = static_cast<std::uint32_t>(names_.size());
  std::size_t next = 0;
  const auto take_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      ends.push_back(ends_[next]);
      names.push_back(names_[next]);
    }
  };
  const auto first = std::find_if(matched.partners.begin(), matched.partners.end(),
                                  [](std::uint32_t partner) { return partner != no_partner; });
  const std::size_t at = static_cast<std::size_t>(first - matched.partners.begin());
  Ticks delay = first == matched.partners.end() ? 0 : ends_[*first].time - calls[at].time;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (const std::uint32_t partner = matched.partners[i]; partner != no_partner) {
      take_until(partner + std::size_t{1});
      delay = ends_[partner].time - calls[i].time;
      own.push_back(names_[partner]);
      continue;
    }
    // By the clock of the member that finished most; behind all operations up to then.
    const auto later = std::find_if(matched.partners.begin() + static_cast<std::ptrdiff_t>(i), matched.partners.end(),
                                    [](std::uint32_t partner) { return partner != no_partner; });
    const std::size_t limit = later == matched.partners.end() ? ends_.size() : *later;
    Time time = calls[i].time + delay;
    std::size_t place = next;
    while (place < limit && ends_[place].time <= time) ++place;
    take_until(place);
    if (!ends.empty()) time = std::max(time, ends.back().time);
    if (next < ends_.size()) time = std::min(time, ends_[next].time);
    ends.push_back({time, calls[i].bytes});
    names.push_back(fresh);
    own.push_back(fresh++);
  }
  take_until(ends_.size());
  ends_ = std::move(ends);
  names_ = std::move(names);
  return own;
}

bool are_alike(const std::vector<Placed>& a, const std::vector<Placed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Placed& x, const Placed& y) { return x.end.bytes == y.end.bytes; });
}

}  // namespace

void Calls::add(const Event& end, Time time, std::uint32_t ends) {
  const auto [place, is_new] = index_.try_emplace(key_of(end), static_cast<std::uint32_t>(members_.size()));
  if (is_new) members_.push_back({end.communicator, end.process, {}, {}});
  members_[place->second].ends.push_back({{time, what_of(end)}, ends});
}

void Calls::find(const Definitions& definitions, Steps& steps) {
  std::vector<Member*> all;
  for (Member& member : members_) all.push_back(&member);
  std::sort(all.begin(), all.end(), [](const Member* a, const Member* b) {
    return std::pair(a->communicator, a->process) < std::pair(b->communicator, b->process);
  });
  for (auto first = all.begin(); first != all.end();) {
    const CommunicatorIndex which = (*first)->communicator;
    const auto last =
        std::find_if(first, all.end(), [&](const Member* member) { return member->communicator != which; });
    const bool is_fixed = which < definitions.communicators().size() && definitions.communicators()[which].changes == 0;
    if (is_fixed) {
      const Members& list = definitions.communicators()[which].members;
      std::vector<ProcessIndex> members(list.begin(), list.end());
      std::sort(members.begin(), members.end());
      const auto is_in = [&](const Member* member) {
        return std::binary_search(members.begin(), members.end(), member->process);
      };
      if (std::all_of(first, last, is_in)) align({first, last}, steps);
    }
    first = last;
  }
  for (Member& member : members_) member.ends = {};
}

void Calls::align(std::span<Member*> members, Steps& steps) {
  const auto most = std::max_element(members.begin(), members.end(),
                                     [](const Member* a, const Member* b) { return a->ends.size() < b->ends.size(); });
  const std::vector<Placed>& reference = (*most)->ends;
  if (std::all_of(members.begin(), members.end(),
                  [&](const Member* member) { return are_alike(member->ends, reference); }))
    return;
  steps.find();
  const bool go_on =
      std::all_of(members.begin(), members.end(), [&](const Member* member) { return steps.goes_on(member->process); });
  Operations operations(steps.without_between(reference, (*most)->process), go_on ? Clocks::go_on : Clocks::may_be_set);
  std::vector<std::vector<std::uint32_t>> names;
  for (auto member = members.begin(); member != members.end(); ++member) {
    if (member == most) {
      names.emplace_back(reference.size());
      std::iota(names.back().begin(), names.back().end(), 0U);
      continue;
    }
    auto own = operations.add(steps.without_between((*member)->ends, (*member)->process));
    if (!own) return;
    names.push_back(std::move(*own));
  }
  const std::vector<std::uint32_t> numbers = operations.numbers();
  for (std::vector<std::uint32_t>& of_member : names)
    for (std::uint32_t& name : of_member) name = numbers[name];
  tell(members, names, operations.size());
}

void Calls::tell(std::span<Member*> members, const std::vector<std::vector<std::uint32_t>>& numbers,
                 std::size_t operations) {
  std::vector<std::uint32_t> present(operations);
  for (const std::vector<std::uint32_t>& of_member : numbers) {
    std::uint32_t next = 0;
    for (const std::uint32_t number : of_member) {
      if (number - next > most_missed) return;
      next = number + 1;
      ++present[number];
    }
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::uint32_t next = 0;
    for (const std::uint32_t number : numbers[m]) {
      const std::size_t absent = members.size() - present[number];
      members[m]->calls.push_back({static_cast<std::uint16_t>(number - next),
                                   static_cast<std::uint8_t>(std::min<std::size_t>(absent, most_absent))});
      next = number + 1;
    }
    lost_ += operations - numbers[m].size();
  }
}

void Calls::mark(Event& end) noexcept {
  const auto place = index_.find(key_of(end));
  if (place == index_.end()) return;
  Member& member = members_[place->second];
  if (member.read == member.calls.size()) return;
  const Told& told = member.calls[member.read++];
  end.missed = told.missed;
  end.absent = told.absent;
}

}  // namespace clc::lost
