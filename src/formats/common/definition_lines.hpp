// Parses the lines of a trace that are not records, in the syntax of the text format. Every format carries them.
//
// Known    %clc-trace (first line only), %resolution, %min-delay, %process, %group. All other lines, including
//          comments and empty lines, are ignored here and passed on. So are additional fields of known lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "clc/definitions.hpp"
#include "common/number_index.hpp"

namespace clc::formats {

class DefinitionLines {
 public:
  /// Takes a line without newline. Returns the fault (found, expected, remedy) without its place; empty if
  /// the line is correct.
  [[nodiscard]] std::string take(std::string_view line);
  /// True if the line replaces the definition of a process or communicator. The new definition holds from there on:
  /// records before the line must have been delivered before it is taken.
  [[nodiscard]] bool replaces(std::string_view line) const;
  /// Applies to processes in later lines.
  void set_clock_of(ClockOf clock_of) noexcept { definitions_.clock_of = clock_of; }
  /// Called before processes or communicators are added or changed, once per batch.
  void on_change(std::function<void()> call) { on_change_ = std::move(call); }
  /// Bytes that the format keeps of definitions besides. Added to Definitions::source_memory with the next change.
  void set_further_memory(std::uint64_t bytes) noexcept { further_memory_ = bytes; }
  void begin_batch() noexcept { announced_ = false; }
  /// From now on, lines may only repeat the resolution and the minimum delay.
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
  std::uint64_t further_memory_ = 0;
  std::function<void()> on_change_;
  bool announced_ = false;  ///< on_change_ was called in this batch
  bool header_ = true;
  bool resolution_given_ = false;
};

/// Text from another format as a field of a line: blanks and control characters become '_'.
[[nodiscard]] std::string as_field(std::string_view text);
/// The name of a process as a field of its line. One that would be taken for a node or a clock has '_' for its '='.
[[nodiscard]] std::string as_name(std::string_view text);
/// The line of a process. name: as_name of it; node: as_field of it, empty: none; clock: of another process.
[[nodiscard]] std::string process_line(std::uint64_t number, std::string_view name, std::string_view node = {},
                                       std::optional<std::uint64_t> clock = {});

/// True if a line of a resolution, minimum delay, process or communicator has fields that mean nothing.
[[nodiscard]] bool has_additional_fields(std::string_view line);

/// The message about a process or communicator without definition.
[[nodiscard]] std::string unknown_process(std::uint64_t number);
[[nodiscard]] std::string unknown_communicator(std::uint64_t number);

}  // namespace clc::formats
