// The lines of a trace that are no records, in the words of the text format; every format carries them.
//
// Known    %clc-trace (first line only), %resolution, %min-delay, %process, %group. All others, and
//          comments and empty lines, mean nothing here and are carried through. So do further fields of the known.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "clc/definitions.hpp"
#include "common/number_index.hpp"

namespace clc::formats {

class DefinitionLines {
 public:
  /// Takes a line without newline. Returns what is wrong with it (found, expected, what to do), without
  /// the place; empty when all is well.
  [[nodiscard]] std::string take(std::string_view line);
  /// Does it replace what is known of a process or a communicator? That holds from there on: records ahead of the line
  /// must have been delivered before it is taken.
  [[nodiscard]] bool replaces(std::string_view line) const;
  /// Holds for the processes of the lines to come.
  void set_clock_of(ClockOf clock_of) noexcept { definitions_.clock_of = clock_of; }
  /// Called before a process or a communicator is added or changed, once for all in a batch.
  void on_change(std::function<void()> call) { on_change_ = std::move(call); }
  void begin_batch() noexcept { announced_ = false; }
  /// Resolution and minimum delay are settled; later lines may only repeat them.
  void end_header() noexcept { header_ = false; }

  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] ProcessIndex process(std::uint64_t number) const noexcept { return processes_.find(number); }
  [[nodiscard]] CommunicatorIndex communicator(std::uint64_t number) const noexcept {
    return communicators_.find(number);
  }
  [[nodiscard]] std::size_t process_count() const noexcept { return definitions_.processes().size(); }
  [[nodiscard]] std::size_t communicator_count() const noexcept { return definitions_.communicators().size(); }

 private:
  std::string resolution(std::string_view rest);
  std::string min_delay(std::string_view rest);
  std::string process(std::string_view rest);
  /// The process whose clock a line names for the process with that number; none: its own.
  std::string find_clock(std::uint64_t number, std::string_view word, std::optional<ProcessIndex>& clock) const;
  std::string group(std::string_view rest);

  Definitions definitions_;
  NumberIndex processes_;
  NumberIndex communicators_;
  std::function<void()> on_change_;
  bool announced_ = false;  ///< on_change_ was called in this batch
  bool header_ = true;
  bool resolution_given_ = false;
};

/// Words for a process or communicator without definition.
[[nodiscard]] std::string unknown_process(std::uint64_t number);
[[nodiscard]] std::string unknown_communicator(std::uint64_t number);

}  // namespace clc::formats
