// Lost records: what a trace that is read first tells of the other end of each send and receive, and of the members of
// each collective operation.
//
//     Ends ends(most_memory);
//     // read all records: ends.add(event)
//     if (ends.find(definitions)) source = marked(std::move(source), ends);   // the trace, read again
//
// Place     Ahead of the filter, which leaves the other channels to its own rule.
// Rule      rule.hpp, for each channel on its own, after the steps of clocks were taken out (steps.hpp) and turns were
//           counted (turns.hpp); those of a process that lost records in a row together (together.hpp); those that
//           contradict each other again (by_order.hpp). Where each channel has as many sends as receives nothing is
//           missing, unless messages would then be received before they were sent, round a circle.
// Calls     Those of collective operations: calls.hpp.
// Memory    64 bytes for each send and receive and 128 for each finished call; 1 for an end and 4 for a call of
//           which something is told afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/io/source.hpp"
#include "lost/calls.hpp"
#include "lost/matches.hpp"
#include "lost/steps.hpp"
#include "lost/turns.hpp"

namespace clc::lost {

class Ends {
 public:
  explicit Ends(std::uint64_t most_memory) : most_ends_(most_memory / bytes_each) {}

  /// The next record of its process.
  void add(const Event& event);
  /// All were added. False: nothing is told.
  [[nodiscard]] bool find(const Definitions& definitions);
  /// Of some channel or communicator.
  [[nodiscard]] bool tells() const noexcept;
  /// There were more ends and calls than memory.
  [[nodiscard]] bool too_many() const noexcept { return count_ > most_ends_; }
  /// The ends without other end on the channels of which it is told, in the order of channels and times.
  [[nodiscard]] const std::vector<Loss>& losses() const noexcept { return losses_; }
  /// Collective calls that are missing.
  [[nodiscard]] std::uint64_t lost_calls() const noexcept { return calls_.lost(); }
  /// Of a filter: did it find the same losses on these channels?
  [[nodiscard]] bool are_all_in(std::span<const Loss> losses) const;

  /// For Marks: the number of lists; of each its process and how many ends follow of which the other end is missing;
  /// then those of calls.
  [[nodiscard]] std::vector<std::int64_t> numbers(const Definitions& definitions) const;

  /// The trace is read again.
  void rewind() noexcept {
    for (OfProcess& process : processes_) process.read = 0;
    calls_.rewind();
  }
  /// The next record of its process then: sets what is known of its other end, or of its operation.
  void mark(Event& event) noexcept {
    if (event.role == Role::collective_end) return calls_.mark(event);
    if ((event.role != Role::send && event.role != Role::receive) || event.process >= processes_.size()) return;
    const std::vector<OtherEnd>& ends = matches_.other_ends(event.process);
    std::size_t& read = processes_[event.process].read;
    if (read < ends.size()) event.other_end = ends[read++];
  }

 private:
  static constexpr std::uint64_t bytes_each = 64;
  struct OfProcess {
    Time first = Time::latest();
    Time latest = Time::earliest();
    std::size_t read = 0;
  };

  [[nodiscard]] bool was_cut() const;
  [[nodiscard]] bool lacks_ends();
  void match_messages(const Steps& steps, const Turns& turns);
  void match_each(const Steps& steps, const Turns& turns);

  std::uint64_t most_ends_;
  std::uint64_t count_ = 0;
  std::vector<OfProcess> processes_;
  Matches matches_;
  Calls calls_;
  std::vector<Loss> losses_;
};

/// The times of a trace by which its ends match: its own, or those that a corrected trace has kept, where it has.
enum class Times : bool { own, kept };

/// Adds all records, unless there are too many. False: not all can be read, as is told when they are read again.
bool add_all(Source& source, Ends& ends, Times times = Times::own);

/// Marks the events. ends: must outlive the result; serves one source at a time.
[[nodiscard]] std::unique_ptr<Source> marked(std::unique_ptr<Source> inner, Ends& ends);

}  // namespace clc::lost
