#include "clc/stage/merge.hpp"

#include <algorithm>

namespace clc {

inline Time Merge::time_of(const Node& node, const Written& before) noexcept {
  Ticks shift = written(node.offset);
  if (node.limit < node.offset) shift = std::max<Ticks>(0, written(node.limit));
  const Time time = node.recorded + shift;
  if (!before.any) return time;
  const Time lowest = before.corrected + (node.recorded > before.recorded ? distance_ : 0);
  return std::max(time, lowest);
}

inline void Merge::write(ProcessIndex process, ProcessQueue& queue, Time time) {
  const Node& node = queue.raw(queue.begin());
  const Time recorded = node.recorded;
  if (node.order() >= next_note_) [[unlikely]]
    write_notes(node.order());
  if (node.limit != no_limit && time > recorded + written(std::max(0.0, node.limit))) [[unlikely]]
    analysis_.violation_left();
  if (time == Time::latest() && time != recorded) [[unlikely]]
    analysis_.count(Case::time_saturated);
  analysis_.released(process, recorded, time);
  Written& written = written_[process];
  written.recorded = recorded;
  written.corrected = time;
  written.any = true;
  Corrected& corrected = run_[run_size_];
  corrected.time = time;
  corrected.recorded = recorded;
  corrected.process = process;
  corrected.body = queue.take_front_body();
  queue.pop_front();
  if (++run_size_ == run_.size()) write_run();
}

void Merge::write_run() {
  if (run_size_ > 0) sink_.events(std::span(run_).first(run_size_));
  run_size_ = 0;
  pool_.recycle();
}

void Merge::note(std::uint64_t order, Body line) {
  if (notes_.empty()) next_note_ = order;
  notes_.push_back({order, std::string(line)});
}

void Merge::write_notes(std::uint64_t order) {
  write_run();
  for (; !notes_.empty() && notes_.front().order <= order; notes_.pop_front()) sink_.note(notes_.front().line);
  next_note_ = notes_.empty() ? no_note : notes_.front().order;
}

void Merge::finish() { write_notes(no_note); }

void Merge::release(std::vector<ProcessQueue>& queues, const std::vector<Time>& final_before, Time now,
                    std::uint64_t order) {
  // Nothing at or beyond the bound may leave: a smaller event could still come.
  Key bound(now, order, no_process);
  heap_.clear();
  const auto look = [&](ProcessIndex process) -> Key {
    // The key of the oldest event if it is final; else lowers the bound to it.
    ProcessQueue& queue = queues[process];
    if (queue.empty()) return bound;
    if (queue.begin() == queue.processed_end()) {  // waits to be processed: LC' >= C
      const Node& node = queue.head();
      const Written& before = written_[process];
      bound = std::max(
          bound, Key{before.any ? std::max(node.recorded, before.corrected) : node.recorded, node.order(), process});
      return bound;
    }
    const Node& node = queue.front();
    const Time time = time_of(node, written_[process]);
    const Key key(time, node.order(), process);
    if (time >= final_before[process] && final_before[process] != Time::latest()) bound = std::max(bound, key);
    return key;
  };
  for (ProcessIndex process = 0; process < queues.size(); ++process) {
    const Key key = look(process);
    if (bound < key) heap_.push(key);
  }
  while (!heap_.empty()) {
    Key top = heap_.top();
    if (!(bound < top)) break;
    heap_.pop();
    do {
      write(top.process, queues[top.process], top.time());
      top = look(top.process);
    } while (bound < top && (heap_.empty() || heap_.top() < top));
    if (bound < top) heap_.push(top);
  }
  write_run();
}

}  // namespace clc
