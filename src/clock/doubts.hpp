// Doubts: a match in doubt waits, and all input that follows it, until that input decides whether records were lost.
//
// Place     Between the input and the loop of the filter. Nothing is held as long as no match is in doubt.
// Rule      clc-algorithm(7), "Lost records"; losses.hpp decides.
// Cost      Each record held is copied once, and looked at once for each doubt before it, within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "clc/event.hpp"
#include "clc/time.hpp"
#include "clock/losses.hpp"
#include "clock/process_queue.hpp"

namespace clc {

class Doubts {
 public:
  using Verdict = LookAhead::Verdict;
  /// Input that is held: an event with its body, or a line.
  struct Record {
    Event event;  ///< its time is C^
    std::string body;
    bool is_note = false;
    std::optional<Time> recorded;  ///< C, where the clock was set back
  };

  Doubts(const Messages& messages, Ticks wait_limit) : longest_(wait_limit / 8), look_ahead_(messages) {}

  /// The match of that event, which has that index in its clock, is in doubt. first: time of its process' first record.
  void begin(const Event& event, EventIndex index, Doubt doubt, Time first);
  /// The same where nothing is to be told: the verdict is `keep`.
  void dismiss(const Event& event, EventIndex index);
  [[nodiscard]] const Event& event() const noexcept { return event_; }
  [[nodiscard]] EventIndex index() const noexcept { return index_; }

  void hold(const Event& event, Body body, std::optional<Time> recorded = {});
  void hold_note(Time time, Body line);
  /// Of what is held; `read` if nothing is.
  [[nodiscard]] Time newest(Time read) const noexcept { return held_.empty() ? read : held_.back().event.time; }
  [[nodiscard]] bool empty() const noexcept { return held_.empty(); }
  [[nodiscard]] Record take();

  /// What may be held; looks: at records, by all doubts together.
  struct Room {
    std::size_t records = 0;
    std::uint64_t bytes = 0;
    std::uint64_t looks = 0;
  };
  /// As much as is cheap. max_memory: of events; read: so many records so far.
  [[nodiscard]] static Room room(std::size_t processes, std::uint64_t max_memory, std::uint64_t read) noexcept;
  /// `open` as long as more input may decide. all: no more comes.
  [[nodiscard]] Verdict verdict(const Room& room, bool all);
  /// With the verdict `lost`: how many ends have lost their other end, and whether they are sends.
  [[nodiscard]] std::size_t lone() const noexcept { return look_ahead_.lone(); }
  [[nodiscard]] bool sends_are_lone() const noexcept { return look_ahead_.sends_are_lone(); }

 private:
  Ticks longest_;
  LookAhead look_ahead_;
  Event event_;
  EventIndex index_ = 0;
  Verdict verdict_ = Verdict::open;
  std::deque<Record> held_;
  std::uint64_t held_bytes_ = 0;
  std::size_t looked_at_ = 0;  // of held_, for this doubt
  std::uint64_t looks_ = 0;    // in all
};

}  // namespace clc
