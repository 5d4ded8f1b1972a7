// The page: all figures, the figures of the report in words, parameters and provenance, in one file that loads nothing.
#pragma once

#include <string>
#include <vector>

#include "view/figures/figures.hpp"

namespace clc::view {

struct PageFacts {
  std::string title;
  std::string trace;  ///< as named on the command line
  std::string format;
  std::vector<std::string> provenance;  ///< of the trace, what its %provenance lines say
  std::string damage;                   ///< why reading ended early; empty: it did not
  std::uint64_t unmatched = 0;          ///< records that only one of two traces has
  std::string command;                  ///< that shows the trace, without a window
  std::string doubt;                    ///< why the report does not belong to the trace; empty: it may
};

[[nodiscard]] std::string draw_page(const Scene& scene, const PageFacts& facts);

/// What the script draws the time lines from, JSON.
[[nodiscard]] std::string page_data(const Scene& scene, const std::string& command = {});

/// What is to be said first: one sentence.
[[nodiscard]] std::string headline(const Scene& scene);

/// Can the trace, or its correction, be relied on: the judgement of clc-check, with what the report of clc-filter adds.
struct Judged {
  std::string judgement;             ///< "good", "doubtful" or "bad"
  std::vector<std::string> reasons;  ///< the worst first: "bad: ..."
};
[[nodiscard]] Judged judged(const Scene& scene);

/// Which part of the trace is shown; empty: all of it.
[[nodiscard]] std::string excerpt_of(const Scene& scene);

/// That differences of times do not fit 64 bits; empty: they do.
[[nodiscard]] std::string far_apart(const Model& model);

/// A figure before and after.
struct Fact {
  std::string name;
  std::string before;
  std::string after;  ///< empty with one side: not shown
  bool bad_before = false;
  bool bad_after = false;
};
/// The most important first.
[[nodiscard]] std::vector<Fact> facts_of(const Scene& scene);

/// Of the correction.
struct Parameter {
  std::string name;
  std::string option;
  std::string value;  ///< with its unit
};
/// Those in effect; none where neither a report nor the trace tells.
[[nodiscard]] std::vector<Parameter> parameters_of(const Scene& scene, const PageFacts& facts);

/// Clocks as the filter estimated them before the correction; without rows: it did not.
[[nodiscard]] Numbers estimated_clocks(const Scene& scene);

struct Advice {
  std::string text;  ///< plain
  bool warning = false;
};
[[nodiscard]] std::vector<Advice> advice_of(const Scene& scene, const PageFacts& facts);

}  // namespace clc::view
