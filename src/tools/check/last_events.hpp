// The last event of each process, and who was silent: the filter gives up edges that take longer than the wait limit,
// and those of processes that were silent for so long.
//
// Units    Ticks; times as recorded, or mapped.
// Memory   One event of each process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "matching/edges.hpp"

namespace clc::check {

using namespace matching;  // edges and columns are the words of this room, too

class LastEvents {
 public:
  /// wait_limit: see CorrectionCheck.
  explicit LastEvents(Ticks wait_limit) noexcept : wait_limit_(wait_limit) {}

  /// An event of the recorded trace was read. inside: of the window.
  void read(Time time, bool inside) noexcept {
    begin_ = std::min(begin_, time);
    if (inside) first_ = std::min(first_, time);
  }
  /// The first time of the trace.
  [[nodiscard]] Time begin() const noexcept { return begin_; }
  /// The first time inside.
  [[nodiscard]] Time first() const noexcept { return first_; }
  /// How far the last event of each process has moved; none: it has had no event.
  [[nodiscard]] std::vector<std::optional<Ticks>> shifts() const {
    std::vector<std::optional<Ticks>> shifts;
    for (const Last& last : processes_)
      shifts.push_back(last.stamp ? std::optional(last.stamp->time[corrected] - last.stamp->time[recorded])
                                  : std::nullopt);
    return shifts;
  }
  /// The next event of a process in all files. Returns the one before it.
  std::optional<Stamp> next(ProcessIndex process, const Stamp& stamp) {
    if (processes_.size() <= process) processes_.resize(process + std::size_t{1});
    Last& last = processes_[process];
    first_corrected_ = std::min(first_corrected_, stamp.time[corrected]);
    const Time since = last.stamp ? last.stamp->time[recorded] : first_;
    if (stamp.time[recorded] - since > wait_limit_) {
      last.silent_from = since;
      last.silent_to = stamp.time[recorded];
    }
    return std::exchange(last.stamp, stamp);
  }

  /// Are they beyond the wait limit?
  [[nodiscard]] bool give_up(const Message& message) const noexcept {
    const Time sent = message.sent.time[recorded];
    const Time received = message.received.time[recorded];
    return sent > received && (sent - received > wait_limit_ || silent(message.sender, received, received));
  }
  [[nodiscard]] bool give_up(const Collective& operation) const noexcept {
    Time first = Time::latest();
    Time last = Time::earliest();
    for (const Member& member : operation.members) {
      first = std::min(first, member.end.time[recorded]);
      last = std::max(last, member.end.time[recorded]);
    }
    return last - first > wait_limit_ ||
           std::any_of(operation.members.begin(), operation.members.end(),
                       [&](const Member& member) { return silent(member.process, first, last); });
  }

  [[nodiscard]] bool has(ProcessIndex process) const noexcept {
    return process < processes_.size() && processes_[process].stamp;
  }
  [[nodiscard]] std::uint64_t processes() const noexcept {
    return static_cast<std::uint64_t>(
        std::count_if(processes_.begin(), processes_.end(), [](const Last& last) { return last.stamp.has_value(); }));
  }
  /// The first corrected time of all.
  [[nodiscard]] Time first_corrected() const noexcept { return first_corrected_; }
  /// The last time of all.
  [[nodiscard]] Time latest(Column column) const noexcept {
    Time latest = Time::earliest();
    for (const Last& last : processes_)
      if (last.stamp) latest = std::max(latest, last.stamp->time[column]);
    return latest;
  }

 private:
  struct Last {
    std::optional<Stamp> stamp;         ///< none: it has had no event
    Time silent_from = Time::latest();  ///< the last time without records that was longer than the wait limit
    Time silent_to = Time::latest();
  };
  /// Was the process silent for longer than the wait limit while the recorded times from..to passed?
  [[nodiscard]] bool silent(ProcessIndex process, Time from, Time to) const noexcept {
    return from < processes_[process].silent_to && to > processes_[process].silent_from;
  }

  Ticks wait_limit_;
  std::vector<Last> processes_;
  Time begin_ = Time::latest();
  Time first_ = Time::latest();
  Time first_corrected_ = Time::latest();
};

}  // namespace clc::check
