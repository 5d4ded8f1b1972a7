// Reports of clc-check, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "correction_check.hpp"
#include "trace_check.hpp"

namespace clc::check {

/// The facts of a report beside the findings.
struct Subject {
  std::string trace;
  std::string corrected;
  std::string truth;
  tool::PartOfTrace part;  ///< of the trace that the correction has
  bool complete = true;    ///< false: a file was damaged, the findings hold up to there
  bool all_pairs = false;  ///< list all pairs, not only the worst
  clc::Verdict verdict;
  std::vector<std::string> remarks;  ///< Source::remarks() of the trace, as recorded
};

inline constexpr std::size_t pairs_shown = 16;
/// Raised when a key of the JSON report is removed or changes its meaning.
inline constexpr int json_version = 1;

/// side: of the trace judged, as recorded.
[[nodiscard]] std::string text_report(const TraceCheck& check, const Side& side, const Subject& subject);
[[nodiscard]] std::string json_report(const TraceCheck& check, const Side& side, const Subject& subject);
[[nodiscard]] std::string text_report(const CorrectionCheck& check, const Side& side, const Subject& subject);
[[nodiscard]] std::string json_report(const CorrectionCheck& check, const Side& side, const Subject& subject);

}  // namespace clc::check
