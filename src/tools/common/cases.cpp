#include "common/cases.hpp"

#include "common/program.hpp"

namespace clc::tool {

namespace {

/// Of ends that are in the wrong order.
std::string remedy_of_order(const Counted& counted, const Definitions& definitions, std::string_view search_option) {
  const bool lacks_records = counted(Case::send_without_receive) + counted(Case::receive_without_send) != 0;
  std::string remedy;
  if (lacks_records && !search_option.empty())
    remedy = "; after a missing record, later messages are matched wrongly: use " + std::string(search_option);
  if (!definitions.shares_clocks()) return remedy;
  // Within a clock nothing is searched for.
  if (lacks_records && search_option.empty())
    remedy = "; after a missing record within a clock, later messages are matched wrongly";
  return remedy +
         "; if processes or threads that share a clock are not synchronised, give each its own with --clock-of";
}

std::string remedy_of(Case which, const Counted& counted, const Definitions& definitions,
                      std::string_view search_option) {
  switch (which) {
    case Case::late_record:
      return "; use a longer --transfer";
    case Case::late_send:
    case Case::late_member:
      if (counted(Case::wait_given_up) != 0) return "; use a larger --max-memory";
      // As many receives are missing: those sends were matched in the place of others.
      if (which == Case::late_send && counted(Case::send_without_receive) >= counted(which)) return "";
      return "; use a longer --wait-limit";
    case Case::clock_disagrees:
    case Case::wait_in_circle:
      return remedy_of_order(counted, definitions, search_option);
    default:
      return "";
  }
}

}  // namespace

std::vector<std::string> warnings_of_cases(const Counted& counted, const Definitions& definitions, bool ended_early,
                                           std::string_view search_option) {
  std::vector<std::string> warnings;
  for (const CaseInfo& info : cases) {
    const std::uint64_t count = counted(info.which);
    if (info.severity != Severity::unresolved || count == 0) continue;
    warnings.push_back(std::to_string(count) + ' ' + info.prose_of(count, ended_early) +
                       remedy_of(info.which, counted, definitions, search_option));
  }
  return warnings;
}

void StrictFailures::add(std::uint64_t count, std::string_view one, std::string_view many, std::string_view what) {
  if (count > 0) add(std::to_string(count).append(count == 1 ? one : many).append(what));
}

void StrictFailures::add(const std::string& failure) {
  if (failure.empty()) return;
  text_ += (text_.empty() ? "" : ", ") + failure;
}

void StrictFailures::add(const Verdict& verdict) {
  if (verdict.judgement == Judgement::bad) add("the verdict is bad");
}

void StrictFailures::say(std::string_view program) const {
  tool::say(program, "--strict: " + text_ + "; see --report");
}

}  // namespace clc::tool
