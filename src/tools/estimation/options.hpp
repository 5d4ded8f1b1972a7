// The options that map clocks ahead of the correction, the same in clc-filter and clc-filter-mpi. Errors are
// UsageError; options and parameters must outlive line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/parameters.hpp"
#include "common/command_line.hpp"
#include "estimation/estimation.hpp"
#include "sync/estimate.hpp"
#include "trace/offsets.hpp"

namespace clc::tool {

struct AlignmentOptions {
  std::optional<std::string> offsets;    ///< file with a map of the clocks; with estimate: with measured offsets
  std::optional<sync::Method> estimate;  ///< map the clocks as estimated
  bool estimate_off = false;             ///< the user says so
  bool min_delay_auto = false;           ///< the first pass chooses the minimum message delay
  bool clock_difference_auto = false;    ///< and this

  /// The first pass is needed.
  [[nodiscard]] bool estimates() const noexcept { return estimate || min_delay_auto || clock_difference_auto; }
  /// The option that needs it.
  [[nodiscard]] std::string reason() const {
    return estimate ? "--estimate" : min_delay_auto ? "-mmd auto" : "-cldiff auto";
  }
};

/// The option -mmd, also with auto.
void declare_min_delay(CommandLine& line, AlignmentOptions& options, Parameters& parameters);
/// The option -cldiff, also with auto. meaning: what the help says of it.
void declare_clock_difference(CommandLine& line, const std::string& meaning, AlignmentOptions& options,
                              Parameters& parameters);
/// The options --offsets and --estimate.
void declare_maps(CommandLine& line, AlignmentOptions& options);
/// The option --auto.
void declare_auto(CommandLine& line, AlignmentOptions& options, Parameters& parameters);
/// To be called once all options are known.
void check_maps(const AlignmentOptions& options);

/// --offsets and --estimate as on the command line, each after a blank.
[[nodiscard]] std::string effective_maps(const AlignmentOptions& options);

/// The file of --offsets if the first pass needs it. Throws InputError and UsageError.
[[nodiscard]] std::optional<OffsetsFile> measured_offsets(const AlignmentOptions& options);
/// How clocks are estimated.
[[nodiscard]] sync::Options estimation_options(const AlignmentOptions& options, const Parameters& parameters);
/// The first pass with these options. trace, keep_going, again, file: as of the other first_pass. Throws InputError,
/// too, if the method has no solution.
[[nodiscard]] FirstPass first_pass(Source& source, const TraceInput& trace, const AlignmentOptions& options,
                                   const Parameters& parameters, bool keep_going, const Again& again,
                                   const OffsetsFile* file);
/// The same of several processes.
[[nodiscard]] std::optional<FirstPass> divided_first_pass(const DividedTrace& divided, const TraceInput& trace,
                                                          const AlignmentOptions& options, const Parameters& parameters,
                                                          const OffsetsFile* file);
/// What it found, in one line.
[[nodiscard]] std::string alignment_line(const sync::Estimate& estimate, const Definitions& definitions);
/// Takes what the first pass chose. Returns it as options; empty: nothing was to be chosen.
[[nodiscard]] std::string take_chosen(const AlignmentOptions& options, const FirstPass& pass,
                                      const Definitions& definitions, Parameters& parameters);
/// The clock difference that such a pass chooses. mapped: in the times that the estimate maps to.
[[nodiscard]] double chosen_difference(const FirstPass& pass, bool mapped, const Definitions& definitions,
                                       const Parameters& parameters);
/// Warnings if the file of --offsets maps no clocks, or processes that the trace does not define. maps: those of the
/// file.
[[nodiscard]] std::vector<std::string> warnings_of_offsets(const AlignmentOptions& options, const Offsets& maps,
                                                           const Definitions& definitions);
/// The maps of an estimate, by process number.
[[nodiscard]] Offsets maps_of(const sync::Estimate& estimate, const Definitions& definitions);

}  // namespace clc::tool
