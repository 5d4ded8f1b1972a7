#include "lost/calls.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace clc::lost {

namespace {

constexpr int most_rounds = 4;
constexpr std::size_t matches_each = 4;  // for each of unlike lengths

std::uint64_t key_of(const Event& end) { return std::uint64_t{end.communicator} << 32U | end.process; }

/// Of calls that can belong together; not 0.
std::uint64_t what_of(const Event& end) {
  const bool rooted = info(end.operation).rooted;
  return (static_cast<std::uint64_t>(end.operation) + 1) << 32U | (rooted ? end.root : 0);
}

/// As many as every member of the operation sends; 0: that is not known, or they may send different ones.
std::uint64_t length_of(const Event& end) {
  switch (end.operation) {
    case Operation::reduce:
    case Operation::gather:
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::alltoall:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
    case Operation::scan:
    case Operation::exscan:
      return end.bytes;
    default:
      return 0;
  }
}

/// Calls of one member, in order.
struct Some {
  std::vector<End> ends;               // in place of the bytes: what call it is
  std::vector<std::uint64_t> lengths;  // 0: not known
  std::vector<Range> ranges;           // calls of the member that finished most between which they are; none: all
  std::vector<CallTimes> times;        // as the member that finished most sees them
  std::vector<CallTimes> others;       // of that one, as this one sees them
  Ticks tick = 0;                      // of both clocks
};

/// The operations of a communicator, as far as they are known: those of the member that finished most, in its time, and
/// those that it has missed.
class Operations {
 public:
  Operations(Some most, Clocks clocks)
      : ends_(std::move(most.ends)),
        names_(ends_.size()),
        lengths_(std::move(most.lengths)),
        members_(ends_.size(), 1),
        most_(ends_.size()),
        clocks_(clocks) {
    std::iota(names_.begin(), names_.end(), 0U);
  }
  /// The names of those of one more member, in order; none: not known.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> add(Some calls);
  /// The opposite, of names that add gave.
  void remove(const std::vector<std::uint32_t>& names);
  /// Has the member that finished most all of them?
  [[nodiscard]] bool lacks_none() const noexcept { return names_.size() == most_; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  /// By name.
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers(lengths_.size());
    for (std::uint32_t k = 0; k < names_.size(); ++k) numbers[names_[k]] = k;
    return numbers;
  }

 private:
  void match_by_clocks(Some& calls, Matched& matched) const;
  void part_unlike(const Some& calls, std::vector<std::uint32_t>& partners) const;
  [[nodiscard]] std::vector<std::uint32_t> merge(const Some& calls, const std::vector<std::uint32_t>& partners);

  std::vector<End> ends_;
  std::vector<std::uint32_t> names_;    // by number; names never change
  std::vector<std::uint64_t> lengths_;  // by name
  std::vector<std::uint32_t> members_;  // by name: how many have it
  std::size_t most_;                    // the first names, of the member that finished most
  Clocks clocks_;
};

std::optional<std::vector<std::uint32_t>> Operations::add(Some calls) {
  const std::vector<std::uint32_t> numbers = this->numbers();
  for (Range& range : calls.ranges) {
    range.first = range.first == 0 ? 0 : numbers[range.first - 1] + 1;
    range.last = range.last < most_ ? numbers[range.last] : static_cast<std::uint32_t>(numbers.size());
  }
  Matched matched = match(calls.ends, ends_, Unlike::impossible, clocks_, calls.ranges);
  if (!matched.is_known) return std::nullopt;
  match_by_clocks(calls, matched);
  part_unlike(calls, matched.partners);
  return merge(calls, matched.partners);
}

/// Matches again where clocks contradict what is matched.
void Operations::match_by_clocks(Some& calls, Matched& matched) const {
  std::vector<CallTimes> others;
  others.reserve(names_.size());
  for (const std::uint32_t name : names_) others.push_back(name < most_ ? calls.others[name] : CallTimes{});
  CallBounds bounds(calls.times, others, calls.tick);
  calls.ranges.resize(calls.ends.size());
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<CallBounds::Wrong> wrong = bounds.wrong(matched.partners);
    for (bool all_likely = false; !all_likely;) {
      if (wrong.empty()) return;
      std::vector<Range> ranges = calls.ranges;
      bounds.narrow(wrong, ranges);
      Matched other = match(calls.ends, ends_, Unlike::impossible, clocks_, ranges);
      if (!other.is_known) return;
      all_likely = !bounds.forget_unlikely(wrong, other.partners);
      if (!all_likely) continue;
      matched = std::move(other);
      calls.ranges = std::move(ranges);
    }
  }
}

/// Calls with another length than their operation's are left out, unless they are many.
void Operations::part_unlike(const Some& calls, std::vector<std::uint32_t>& partners) const {
  std::vector<std::size_t> unlike;
  std::size_t all = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == no_partner) continue;
    ++all;
    const std::uint64_t length = lengths_[names_[partners[i]]];
    if (length != 0 && calls.lengths[i] != 0 && length != calls.lengths[i]) unlike.push_back(i);
  }
  if (all < matches_each * unlike.size()) return;
  for (const std::size_t i : unlike) partners[i] = no_partner;
}

/// Adds the calls that are left out as operations of their own.
std::vector<std::uint32_t> Operations::merge(const Some& calls, const std::vector<std::uint32_t>& partners) {
  std::vector<End> ends;
  std::vector<std::uint32_t> names;
  std::vector<std::uint32_t> own;
  std::size_t next = 0;
  const auto take_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      ends.push_back(ends_[next]);
      names.push_back(names_[next]);
    }
  };
  std::vector<std::size_t> limits(partners.size() + 1, ends_.size());  // operations of later calls
  for (std::size_t i = partners.size(); i-- > 0;) limits[i] = partners[i] == no_partner ? limits[i + 1] : partners[i];
  const auto first = std::ranges::find_if(partners, [](auto partner) { return partner != no_partner; });
  Ticks delay = 0;
  if (first != partners.end())
    delay = ends_[*first].time - calls.ends[static_cast<std::size_t>(first - partners.begin())].time;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (const std::uint32_t partner = partners[i]; partner != no_partner) {
      take_until(partner + std::size_t{1});
      delay = ends_[partner].time - calls.ends[i].time;
      own.push_back(names_[partner]);
      ++members_[names_[partner]];
      std::uint64_t& length = lengths_[names_[partner]];
      if (length == 0) length = calls.lengths[i];
      continue;
    }
    // By the clock of the member that finished most; behind all operations up to then.
    Time time = calls.ends[i].time + delay;
    const Range range = calls.ranges.empty() ? Range{} : calls.ranges[i];
    const std::size_t limit = std::min<std::size_t>(limits[i], range.last);
    std::size_t place = next;
    while (place < limit && (place < range.first || ends_[place].time <= time)) ++place;
    take_until(place);
    if (!ends.empty()) time = std::max(time, ends.back().time);
    if (next < ends_.size()) time = std::min(time, ends_[next].time);
    ends.push_back({time, calls.ends[i].bytes});
    names.push_back(static_cast<std::uint32_t>(lengths_.size()));
    own.push_back(names.back());
    lengths_.push_back(calls.lengths[i]);
    members_.push_back(1);
  }
  take_until(ends_.size());
  ends_ = std::move(ends);
  names_ = std::move(names);
  return own;
}

void Operations::remove(const std::vector<std::uint32_t>& names) {
  for (const std::uint32_t name : names) --members_[name];
  std::size_t left = 0;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    if (members_[names_[k]] == 0) continue;
    names_[left] = names_[k];
    ends_[left++] = ends_[k];
  }
  names_.resize(left);
  ends_.resize(left);
}

}  // namespace

// ---- what there is ----------------------------------------------------------------------------

void Calls::add_begin(const Event& begin, Time time, std::uint32_t ends) {
  if (begin.process >= processes_.size()) processes_.resize(begin.process + std::size_t{1});
  OfProcess& own = processes_[begin.process];
  const auto same = std::ranges::find(own.open, begin.tag, &Begin::id);
  if (same != own.open.end())
    own.open.erase(same);
  else if (own.open.size() == most_open)
    own.open.erase(own.open.begin());
  own.open.push_back({begin.tag, time, ends, own.marks++});
}

void Calls::add(const Event& end, Time time, std::uint32_t ends) {
  const auto [place, is_new] = index_.try_emplace(key_of(end), static_cast<std::uint32_t>(members_.size()));
  if (is_new) members_.push_back({end.communicator, end.process, no_rank, {}, {}});
  if (end.process >= processes_.size()) processes_.resize(end.process + std::size_t{1});
  OfProcess& own = processes_[end.process];
  Call call;
  call.end = {{time, what_of(end)}, ends};
  call.length = length_of(end);
  const auto begin = std::ranges::find(own.open, end.tag, &Begin::id);
  if (begin != own.open.end()) {
    call.begin = begin->time;
    call.begin_ends = begin->ends;
    call.begin_mark = begin->mark;
    own.open.erase(begin);
  }
  call.end_mark = own.marks++;
  call.sends = end.operation == Operation::barrier || end.bytes > 0;
  call.receives = end.operation == Operation::barrier || end.received > 0;
  members_[place->second].calls.push_back(call);
}

bool Calls::are_alike(const Member& a, const Member& b) {
  return std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end(),
                    [](const Call& x, const Call& y) { return x.end.end.bytes == y.end.end.bytes; });
}

bool Calls::lack_some(const Definitions& definitions) {
  std::map<CommunicatorIndex, std::map<ProcessIndex, Member*>> all;
  for (Member& member : members_) all[member.communicator][member.process] = &member;
  for (const auto& [which, its] : all) {
    if (which >= definitions.communicators().size() || definitions.communicators()[which].changes != 0) continue;
    const Members& list = definitions.communicators()[which].members;
    Group group;
    for (Rank rank = 0; rank < list.size(); ++rank)
      if (const auto member = its.find(list[rank]); member != its.end()) member->second->rank = rank;
    for (const auto& [process, member] : its) group.members.push_back(member);
    const auto is_in = [](const Member* member) { return member->rank != no_rank; };
    if (!std::ranges::all_of(group.members, is_in)) continue;
    group.are_alike =
        std::ranges::all_of(group.members, [&](const Member* member) { return are_alike(*member, *group.members[0]); });
    groups_.push_back(std::move(group));
  }
  return std::ranges::any_of(groups_, [](const Group& group) { return !group.are_alike; });
}

// ---- what happened before what ----------------------------------------------------------------

void Calls::put_operation(const std::vector<const Member*>& by_rank, std::size_t nth, Order& order) const {
  order.add_operation();
  const Call& any = by_rank[0]->calls[nth];
  const CollectiveClass kind = info(any.operation()).kind;
  const bool is_prefix = kind == CollectiveClass::prefix;
  std::uint32_t begins = 0;
  for (const Member* member : by_rank) {
    const Call& call = member->calls[nth];
    if (is_prefix && call.receives) order.add_end(member->process, call.end_mark, begins);  // behind lower ranks
    if (!call.is_tail() || !can_be_tail(kind, member->rank, any.root())) continue;
    order.add_begin(member->process, call.begin_mark);
    ++begins;
  }
  for (const Member* member : by_rank) {
    const Call& call = member->calls[nth];
    if (!is_prefix && call.receives && can_be_head(kind, member->rank, any.root()))
      order.add_end(member->process, call.end_mark, begins);
  }
}

void Calls::put_into(Order& order) const {
  for (ProcessIndex process = 0; process < processes_.size(); ++process)
    order.set_marks(process, processes_[process].marks);
  for (const Member& member : members_)
    for (const Call& call : member.calls) {
      if (call.begin_mark != none) order.put_mark(member.process, call.begin_mark, call.begin_ends);
      order.put_mark(member.process, call.end_mark, call.end.nth);
    }
  for (const Group& group : groups_) {
    if (!group.are_alike || group.members.size() < 2) continue;
    std::vector<const Member*> by_rank(group.members.begin(), group.members.end());
    std::ranges::sort(by_rank, {}, &Member::rank);
    for (std::size_t nth = 0; nth < by_rank[0]->calls.size(); ++nth) put_operation(by_rank, nth, order);
  }
}

/// Between which calls of the other member those of this one are: of the operations that order them both.
std::vector<Range> Calls::ranges_of(const Member& member, const Around& around) {
  const std::vector<Call>& others = around.member->calls;
  const auto all = static_cast<std::uint32_t>(others.size());
  std::vector<std::uint32_t> first(all + std::size_t{1});      // by how many are over before the begin
  std::vector<std::uint32_t> last(all + std::size_t{1}, all);  // by the first that begins after the end
  for (std::uint32_t k = 0; k < all; ++k) {
    const CollectiveClass kind = info(others[k].operation()).kind;
    const bool is_before = others[k].receives && orders(kind, member.rank, around.member->rank, others[k].root());
    first[k + 1] = is_before ? k + 1 : first[k];
  }
  for (std::uint32_t k = all; k-- > 0;) {
    const CollectiveClass kind = info(others[k].operation()).kind;
    const bool is_behind = others[k].is_tail() && orders(kind, around.member->rank, member.rank, others[k].root());
    last[k] = is_behind ? k : last[k + 1];
  }
  std::vector<Range> ranges;
  for (const Call& call : member.calls) {
    Range range{0, all};
    if (call.is_tail()) range.first = first[around.before[member.process][call.begin_mark]];
    if (call.receives) range.last = last[around.behind[member.process][call.end_mark]];
    ranges.push_back(range);
  }
  return ranges;
}

std::vector<CallTimes> Calls::times_of(const Member& member, const Member& other) {
  std::vector<CallTimes> times;
  times.reserve(member.calls.size());
  for (const Call& call : member.calls) {
    const CollectiveClass kind = info(call.operation()).kind;
    times.push_back({call.begin_mark == none ? call.end.end.time : call.begin, call.end.end.time,
                     call.is_tail() && orders(kind, member.rank, other.rank, call.root()),
                     call.receives && orders(kind, other.rank, member.rank, call.root()), true});
  }
  return times;
}

// ---- which are missing ------------------------------------------------------------------------

void Calls::find(Steps& steps, const Order& order) {
  const auto lacking =
      static_cast<std::size_t>(std::ranges::count_if(groups_, [](const Group& group) { return !group.are_alike; }));
  const bool is_asked = lacking == 0 || order.size() <= most_looks / lacking;
  for (const Group& group : groups_)
    if (!group.are_alike) align(group, steps, is_asked ? &order : nullptr);
}

void Calls::close() {
  for (Member& member : members_) member.calls = {};
  groups_ = {};
  processes_ = {};
}

void Calls::align(const Group& group, Steps& steps, const Order* order) {
  const auto& members = group.members;
  const auto most = std::ranges::max_element(
      members, [](const Member* a, const Member* b) { return a->calls.size() < b->calls.size(); });
  steps.find();
  const bool go_on = std::ranges::all_of(members, [&](const Member* member) { return steps.goes_on(member->process); });
  Around around{*most, {}, {}};
  if (order != nullptr) {
    std::vector<std::uint32_t> begins;
    std::vector<std::uint32_t> ends;
    for (const Call& call : (*most)->calls) {
      begins.push_back(call.begin_mark);
      ends.push_back(call.end_mark);
    }
    around.before = order->so_many_before((*most)->process, ends);
    around.behind = order->all_behind_from((*most)->process, begins);
  }
  const auto calls_of = [&](const Member& member) {
    Some some;
    std::vector<Placed> ends;
    for (const Call& call : member.calls) {
      ends.push_back(call.end);
      some.lengths.push_back(call.length);
    }
    some.ends = steps.without_between(ends, member.process);
    if (order != nullptr && &member != *most) some.ranges = ranges_of(member, around);
    if (&member != *most) {
      some.times = times_of(member, **most);
      some.others = times_of(**most, member);
      some.tick = add_saturating(tick_of(some.times), tick_of(some.others));
    }
    return some;
  };
  Operations operations(calls_of(**most), go_on ? Clocks::go_on : Clocks::may_be_set);
  std::vector<std::vector<std::uint32_t>> names;
  for (auto member = members.begin(); member != members.end(); ++member) {
    if (member == most) {
      names.emplace_back((*most)->calls.size());
      std::iota(names.back().begin(), names.back().end(), 0U);
      continue;
    }
    auto own = operations.add(calls_of(**member));
    if (!own) return;
    names.push_back(std::move(*own));
  }
  // What the member that finished most has missed was not known when the first ones were added.
  for (std::size_t m = 0; m < members.size() && !operations.lacks_none(); ++m) {
    if (members[m] == *most) continue;
    operations.remove(names[m]);
    auto own = operations.add(calls_of(*members[m]));
    if (!own) return;
    names[m] = std::move(*own);
  }
  const std::vector<std::uint32_t> numbers = operations.numbers();
  for (std::vector<std::uint32_t>& of_member : names)
    for (std::uint32_t& name : of_member) name = numbers[name];
  tell(group, names, operations.size());
}

void Calls::tell(const Group& group, const std::vector<std::vector<std::uint32_t>>& numbers, std::size_t operations) {
  std::vector<std::uint32_t> present(operations);
  for (const std::vector<std::uint32_t>& of_member : numbers) {
    std::uint32_t next = 0;
    for (const std::uint32_t number : of_member) {
      if (number - next > most_missed) return;
      next = number + 1;
      ++present[number];
    }
  }
  const std::size_t members = group.members.size();
  for (std::size_t m = 0; m < members; ++m) {
    std::uint32_t next = 0;
    for (const std::uint32_t number : numbers[m]) {
      const std::size_t absent = members - present[number];
      group.members[m]->told.push_back({static_cast<std::uint16_t>(number - next),
                                        static_cast<std::uint8_t>(std::min<std::size_t>(absent, most_absent))});
      next = number + 1;
    }
    lost_ += operations - numbers[m].size();
  }
}

void Calls::put_numbers(const Definitions& definitions, std::vector<std::int64_t>& to) const {
  const std::size_t lists = to.size();
  to.push_back(0);
  for (const Member& member : members_) {
    const auto is_told = [](const Told& told) { return told.missed > 0 || told.absent > 0; };
    const auto count = std::ranges::count_if(member.told, is_told);
    if (count == 0) continue;
    ++to[lists];
    const std::uint64_t number = definitions.communicators()[member.communicator].number;
    to.insert(to.end(), {static_cast<std::int64_t>(number), member.process, count});
    for (std::size_t nth = 0; nth < member.told.size(); ++nth)
      if (const Told& told = member.told[nth]; is_told(told))
        to.insert(to.end(), {static_cast<std::int64_t>(nth), told.missed, told.absent});
  }
}

void Calls::mark(Event& end) noexcept {
  const auto place = index_.find(key_of(end));
  if (place == index_.end()) return;
  Member& member = members_[place->second];
  if (member.read == member.told.size()) return;
  const Told& told = member.told[member.read++];
  end.missed = told.missed;
  end.absent = told.absent;
}

}  // namespace clc::lost
