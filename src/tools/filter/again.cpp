#include "filter/again.hpp"

#include "filter/input.hpp"
#include "formats/bytes/files.hpp"

namespace clc::filter {

namespace {

/// Not because the user asked for it.
bool resynchronises(const Options& options) {
  return !options.match && options.parameters.match == Match::resynchronise;
}

}  // namespace

bool can_start_again(const Options& options, bool can_be_taken_back) {
  const bool is_open = options.dry_run || appears_when_complete(options.output) || can_be_taken_back;
  return is_open && first_that_is_no_file(options) == nullptr;
}

bool would_search(const Options& options, const Analysis& analysis, const Outcome& outcome) {
  if (!resynchronises(options) || analysis.nothing_seems_missing() || options.look_ahead_s || !outcome.error.empty())
    return false;
  if (analysis.counted(Case::collective_incomplete) + analysis.counted(Case::operation_mismatch) > 0) return true;
  if (analysis.receives_in_circles() > 0) return true;
  const std::uint64_t lone_sends = analysis.counted(Case::send_without_receive);
  const bool has_matches = analysis.messages().edges != 0 || (lone_sends > 0 && analysis.lone_receives() > 0);
  return has_matches && lone_sends + analysis.lone_receives() > 0;
}

std::optional<Match> better_match(const Options& options, const Analysis& analysis, const Outcome& outcome,
                                  lost::Search& lost) {
  if (!resynchronises(options)) return std::nullopt;
  if (analysis.nothing_seems_missing())
    return lost.find(options.source) && !lost.ends().losses().empty() ? Match::whole : Match::fifo;
  if (lost.has_read() || !would_search(options, analysis, outcome) || !lost.find(options.source)) return std::nullopt;
  // Receives that waited for a send that is missing kept events back, so that regulators saw these late.
  const bool have_waited = analysis.counted(Case::receive_without_send) > 0 &&
                           analysis.counted(Case::send_without_receive) + analysis.lone_receives() > 0;
  const bool is_better = have_waited || lost.ends().lost_calls() > 0 || !lost.ends().are_all_in(analysis.losses());
  return is_better ? std::optional(Match::whole) : std::nullopt;
}

}  // namespace clc::filter
