// All methods on one trace, whose true times are not known: what each leaves to the controlled logical clock.
//
// Place    clc-sync --compare TRACE. Reads the trace once for lost records, and twice for each method; where
//          records are missing, once more.
// Results  Bit-identical, except CPU times.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "clc/io/format.hpp"
#include "sync/estimate.hpp"

namespace clc::comparison {

struct OnTrace {
  std::optional<sync::Method> method;  ///< none: the recorded times
  bool applies = true;                 ///< false: the trace has nothing that the method needs; it is left out
  std::string failure;                 ///< why there is no solution; then nothing else counts
  std::uint64_t records = 0;
  std::uint64_t edges = 0;      ///< messages, and pairs of collective operations
  std::uint64_t unmatched = 0;  ///< sends and receives without their other end
  // Of the mapped times.
  std::uint64_t violated = 0;
  double worst_us = 0;             ///< by how much a delay falls short of the minimum
  std::optional<double> error_us;  ///< largest standard deviation of a clock's offset
  // With the controlled logical clock behind.
  std::uint64_t moved = 0;  ///< events
  double largest_correction_us = 0;
  double local_error_percent = 0;  ///< change of intervals, of their length
  double cpu_ns = 0;               ///< of the estimate, reading included; without a method, of the clock
};

/// path: of the trace; what can be read only once is kept in a temporary file. estimation: options apart from the
/// method. Throws InputError.
[[nodiscard]] std::vector<OnTrace> compare_on(const std::string& path, SourceOptions source,
                                              const sync::Options& estimation);

void write_text(std::ostream& out, const std::vector<OnTrace>& rows, const std::string& name);
void write_json(std::ostream& out, const std::vector<OnTrace>& rows, const std::string& name);

}  // namespace clc::comparison
