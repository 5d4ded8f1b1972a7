// Lost sends and receives as reports name them, that of the filter and that of the parallel filter, and whether
// messages are matched wrongly for that.
//
// Units    Ticks.
// Cost     In proportion to the losses and the pairs of processes, times the logarithm of the number of lossy ones.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/time.hpp"
#include "report/json.hpp"

namespace clc {

/// So many are shown in text; JSON has all.
inline constexpr std::size_t most_losses_shown = 10;

/// The numbers that the trace gives them; of unknown ones the index.
[[nodiscard]] std::uint64_t number_of(ProcessIndex process, const Definitions& definitions);
[[nodiscard]] std::uint64_t number_of_communicator(CommunicatorIndex communicator, const Definitions& definitions);
/// Number and name of a process.
[[nodiscard]] std::string process_words(ProcessIndex process, const Definitions& definitions);
/// "lost send: process 1 to 2, communicator 0, tag 5, the receive is at tick 7"; "missing send" if reading ended early,
/// because it may be in the part that was not read.
[[nodiscard]] std::string words_of(const Loss& loss, const Definitions& definitions, bool ended_early);

/// How far clocks differ, to judge by the pairs of processes that lost nothing between them, if there are any. Messages
/// of others may be matched with later ones, so that their clocks seem to differ by as much as was lost.
class ClocksApart {
 public:
  explicit ClocksApart(std::span<const Loss> losses);
  /// Of the messages of a pair in one direction.
  void add(ProcessIndex sender, ProcessIndex receiver, Ticks smallest_delay);
  [[nodiscard]] Ticks at_most() const noexcept { return sound_.value_or(any_); }

  /// What another process needs to join it.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  void join(std::span<const std::int64_t> numbers) noexcept;

 private:
  std::set<std::pair<ProcessIndex, ProcessIndex>> lossy_;  // the smaller index first
  std::optional<Ticks> sound_;
  Ticks any_ = 0;
};
/// Of the messages of a run.
[[nodiscard]] Ticks clocks_apart(const Analysis& analysis);

/// Number of channels that lack a record of a process that went on: if messages match first in, first out, one is left
/// over at their end that belongs to another. last: recorded time of the last event of each process; apart: how far
/// clocks differ at most.
[[nodiscard]] std::uint64_t shifted_channels(std::span<const Loss> losses, std::span<const Time> last, Ticks apart);
/// The same of a run. ahead: by how much the clocks of processes were mapped to earlier times, at their end; none: 0.
[[nodiscard]] std::uint64_t shifted_channels(const Analysis& analysis, Ticks apart, std::span<const Ticks> ahead = {});

/// An array.
void write_losses(JsonWriter& json, std::span<const Loss> losses, const Definitions& definitions);

}  // namespace clc
