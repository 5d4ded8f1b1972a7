#include "lost/order.hpp"

namespace clc::lost {

void Order::add_begin(ProcessIndex process, std::uint32_t mark) {
  Mark& own = processes_[process].marks[mark];
  own.operation = static_cast<std::uint32_t>(operations_.size() - 1);
  own.begins = operations_.back().begins++;
  begins_.emplace_back(process, mark);
}

void Order::add_end(ProcessIndex process, std::uint32_t mark, std::uint32_t begins) {
  Mark& own = processes_[process].marks[mark];
  own.operation = static_cast<std::uint32_t>(operations_.size() - 1);
  own.begins = begins;
  own.is_end = true;
}

std::size_t Order::size() const noexcept {
  std::size_t size = 0;
  for (const OfProcess& process : processes_) size += process.ends.size() + process.marks.size();
  return size;
}

// ---- following --------------------------------------------------------------------------------

/// no_process: for none.
ProcessIndex Order::waits_for(ProcessIndex process) const {
  const OfProcess& own = processes_[process];
  if (own.is_done()) return no_process;
  if (own.is_at_mark()) {
    const Mark& mark = own.marks[own.marks_passed];
    if (!mark.is_end || operations_[mark.operation].passed >= mark.begins) return no_process;
    const Operation& operation = operations_[mark.operation];
    return begins_[operation.first + operation.passed].first;
  }
  const End& end = own.ends[own.ends_passed];
  if (end.sender == no_process || processes_[end.sender].ends_passed > end.send) return no_process;
  return end.sender;
}

/// Where it waits for another one, until that is passed. If it was released meanwhile, it is woken there once more.
void Order::wait(ProcessIndex process, ProcessIndex other) {
  OfProcess& own = processes_[process];
  const std::size_t behind = own.ends_passed + own.marks_passed;
  if (std::exchange(own.waits_behind, behind) == behind) return;
  const Mark* const mark = own.is_at_mark() ? &own.marks[own.marks_passed] : nullptr;
  std::vector<Waiting>& waiting = mark != nullptr ? operations_[mark->operation].waiting : processes_[other].waiting;
  waiting.push_back({mark != nullptr ? mark->begins : own.ends[own.ends_passed].send + 1, process});
  std::ranges::push_heap(waiting, Waiting::later);
}

void Order::wake(std::vector<Waiting>& waiting, std::size_t passed, std::vector<ProcessIndex>& woken) {
  while (!waiting.empty() && waiting.front().passed <= passed) {
    woken.push_back(waiting.front().process);
    std::ranges::pop_heap(waiting, Waiting::later);
    waiting.pop_back();
  }
}

void Order::pass_mark(ProcessIndex process, std::vector<ProcessIndex>& woken) {
  const Mark& mark = processes_[process].marks[processes_[process].marks_passed++];
  if (mark.operation == none || mark.is_end) return;
  Operation& operation = operations_[mark.operation];
  const auto is_passed = [&](std::uint32_t begin) {
    const auto& [other, its] = begins_[operation.first + begin];
    return processes_[other].marks_passed > its;
  };
  while (operation.passed < operation.begins && is_passed(operation.passed)) ++operation.passed;
  wake(operation.waiting, operation.passed, woken);
}

/// Until it waits, and with it those that waited for it.
void Order::advance(ProcessIndex process) {
  for (std::vector<ProcessIndex> next{process}; !next.empty();) {
    const ProcessIndex which = next.back();
    next.pop_back();
    OfProcess& own = processes_[which];
    const std::size_t before = own.ends_passed;
    for (; !own.is_done() && waits_for(which) == no_process; sequence_.push_back(which))
      if (own.is_at_mark())
        pass_mark(which, next);
      else
        ++own.ends_passed;
    if (own.ends_passed > before) wake(own.waiting, own.ends_passed, next);
    if (const ProcessIndex other = waits_for(which); other != no_process) wait(which, other);
  }
}

void Order::begin() {
  if (std::exchange(is_begun_, true)) return;
  for (OfProcess& process : processes_) {
    std::uint32_t before = 0;
    for (Mark& mark : process.marks) mark.before = before = std::max(before, mark.before);
  }
  for (ProcessIndex process = 0; process < processes_.size(); ++process) advance(process);
}

std::vector<ProcessIndex> Order::follow() {
  begin();
  while (first_ < processes_.size() && processes_[first_].is_done()) ++first_;
  std::vector<ProcessIndex> circle;
  if (first_ == processes_.size()) return circle;
  // Each process waits for another one, so that one comes again.
  ProcessIndex process = first_;
  for (; std::ranges::find(circle, process) == circle.end(); process = waits_for(process)) circle.push_back(process);
  circle.erase(circle.begin(), std::ranges::find(circle, process));
  return circle;
}

std::optional<std::uint32_t> Order::waiting_end(ProcessIndex process) const {
  const OfProcess& own = processes_[process];
  if (own.is_at_mark()) return std::nullopt;
  return static_cast<std::uint32_t>(own.ends_passed);
}

void Order::release(const std::vector<ProcessIndex>& processes) {
  for (const ProcessIndex process : processes) {
    OfProcess& own = processes_[process];
    if (own.is_at_mark())
      own.marks[own.marks_passed].begins = 0;
    else
      own.ends[own.ends_passed].sender = no_process;
  }
  for (const ProcessIndex process : processes) advance(process);
}

// ---- numbers ----------------------------------------------------------------------------------

/// Visits all ends and marks in an order in which they can have happened, or in the opposite one.
class Order::Walk {
 public:
  Walk(const Order& order, std::uint32_t at_first) : order_(order), own_(order.processes_.size(), at_first) {
    for (const OfProcess& process : order.processes_) {
      marks_.emplace_back(process.marks.size(), at_first);
      ends_.emplace_back(process.ends.size(), at_first);
    }
    begins_.assign(order.begins_.size(), at_first);
  }
  /// count(number of a mark of the process): the number from then on. count_end: the same of an end, and at it.
  template <class Count, class CountEnd>
  void forwards(ProcessIndex process, Count count, CountEnd count_end);
  template <class Count>
  void backwards(ProcessIndex process, Count count);
  [[nodiscard]] Numbers take() { return std::move(marks_); }
  [[nodiscard]] Numbers take_ends() { return std::move(ends_); }

 private:
  [[nodiscard]] bool comes_after_begins(const Mark& mark) const noexcept {
    return mark.operation != none && mark.is_end && mark.begins > 0;
  }

  const Order& order_;
  std::vector<std::uint32_t> own_;  // of processes
  Numbers marks_;
  Numbers ends_;
  std::vector<std::uint32_t> begins_;  // of operations; forwards: the most of all up to that
};

template <class Count, class CountEnd>
void Order::Walk::forwards(ProcessIndex process, Count count, CountEnd count_end) {
  std::vector<std::pair<std::size_t, std::size_t>> at(own_.size());  // ends and marks
  std::vector<std::uint32_t> summed(order_.operations_.size());      // begins
  for (const ProcessIndex which : order_.sequence_) {
    const OfProcess& all = order_.processes_[which];
    auto& [end, mark] = at[which];
    std::uint32_t& own = own_[which];
    if (mark == all.marks.size() || all.marks[mark].before > end) {
      const End& its = all.ends[end];
      if (its.sender != no_process) own = std::max(own, ends_[its.sender][its.send]);
      if (which == process) own = std::max(own, count_end(static_cast<std::uint32_t>(end)));
      ends_[which][end++] = own;
      continue;
    }
    const Mark& its = all.marks[mark];
    if (comes_after_begins(its)) {
      const std::uint32_t first = order_.operations_[its.operation].first;
      std::uint32_t& sum = summed[its.operation];
      for (; sum < its.begins; ++sum)
        if (sum > 0) begins_[first + sum] = std::max(begins_[first + sum], begins_[first + sum - 1]);
      own = std::max(own, begins_[first + its.begins - 1]);
    }
    marks_[which][mark] = own;
    if (which == process) own = std::max(own, count(static_cast<std::uint32_t>(mark)));
    if (its.operation != none && !its.is_end) begins_[order_.operations_[its.operation].first + its.begins] = own;
    ++mark;
  }
}

template <class Count>
void Order::Walk::backwards(ProcessIndex process, Count count) {
  std::vector<std::pair<std::size_t, std::size_t>> at;  // behind these ends and marks
  for (const OfProcess& all : order_.processes_) at.emplace_back(all.ends.size(), all.marks.size());
  std::vector<std::uint32_t> summed;  // begins that are left
  for (const Operation& operation : order_.operations_) summed.push_back(operation.begins);
  // NOLINTNEXTLINE(modernize-loop-convert): backwards
  for (auto next = order_.sequence_.rbegin(); next != order_.sequence_.rend(); ++next) {
    const OfProcess& all = order_.processes_[*next];
    auto& [end, mark] = at[*next];
    std::uint32_t& own = own_[*next];
    if (mark == 0 || all.marks[mark - 1].before < end) {
      const End& its = all.ends[--end];
      own = std::min(own, ends_[*next][end]);
      if (its.sender != no_process) ends_[its.sender][its.send] = std::min(ends_[its.sender][its.send], own);
      continue;
    }
    const Mark& its = all.marks[--mark];
    if (its.operation != none && !its.is_end) {
      const std::uint32_t first = order_.operations_[its.operation].first;
      std::uint32_t& sum = summed[its.operation];
      for (; sum > its.begins; --sum)
        if (sum < order_.operations_[its.operation].begins)
          begins_[first + sum - 1] = std::min(begins_[first + sum - 1], begins_[first + sum]);
      own = std::min(own, begins_[first + its.begins]);
    }
    marks_[*next][mark] = own;
    if (*next == process) own = std::min(own, count(static_cast<std::uint32_t>(mark)));
    if (!comes_after_begins(its)) continue;
    std::uint32_t& least = begins_[order_.operations_[its.operation].first + its.begins - 1];
    least = std::min(least, own);
  }
}

Order::Numbers Order::so_many_before(ProcessIndex process, const std::vector<std::uint32_t>& marks) const {
  Walk walk(*this, 0);
  std::uint32_t passed = 0;
  const auto count = [&](std::uint32_t mark) {
    if (passed < marks.size() && marks[passed] == mark) ++passed;
    return passed;
  };
  walk.forwards(process, count, [](std::uint32_t) { return 0U; });
  return walk.take();
}

Order::Numbers Order::ends_before(ProcessIndex process) const {
  Walk walk(*this, 0);
  walk.forwards(
      process, [](std::uint32_t) { return 0U; }, [](std::uint32_t end) { return end + 1; });
  return walk.take_ends();
}

Order::Numbers Order::all_behind_from(ProcessIndex process, const std::vector<std::uint32_t>& marks) const {
  std::vector<std::uint32_t> numbers(processes_[process].marks.size(), none);  // of its marks, among those
  std::vector<bool> is_behind(marks.size());
  for (std::uint32_t k = 0; k < marks.size(); ++k) {
    is_behind[k] = marks[k] == none;
    if (marks[k] != none) numbers[marks[k]] = k;
  }
  auto first = static_cast<std::uint32_t>(marks.size());
  const auto lower = [&] {
    while (first > 0 && is_behind[first - 1]) --first;
    return first;
  };
  Walk walk(*this, lower());
  walk.backwards(process, [&](std::uint32_t mark) {
    if (numbers[mark] != none) is_behind[numbers[mark]] = true;
    return lower();
  });
  return walk.take();
}

}  // namespace clc::lost
