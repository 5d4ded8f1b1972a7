// What the page says in words.

#include <algorithm>
#include <cmath>

#include "clc/analysis.hpp"
#include "common/values.hpp"
#include "trace/one_or_many.hpp"
#include "view/figures/scale.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"

namespace clc::view {

namespace {

constexpr std::string_view dash = "\xE2\x80\x93";

std::string time_of(const Model& model, double ticks) {
  return duration(model.definitions().resolution.seconds(ticks));
}
std::string time_of(const Model& model, Ticks ticks) { return time_of(model, static_cast<double>(ticks)); }

std::string smallest(const Model& model, const matching::EdgeFigures& edges) {
  return edges.edges == 0 ? std::string(dash) : time_of(model, edges.smallest_delay);
}

/// "5 µs and others + bytes/bandwidth"
std::string minimum_delay(const Model& model) {
  const DelayModel& delays = model.delays();
  return time_of(model, delays.default_delay()) + (delays.uniform() ? "" : " and others") +
         (delays.by_length() ? " + bytes/bandwidth" : "");
}

std::string after_correction(std::uint64_t count) {
  std::string text(1, ' ');
  return text.append(grouped(count)).append(" after correction.");
}

std::string waits_too_early(const Both<matching::EdgeFigures>& pairs, bool two_sides) {
  const bool backward = pairs[recorded].backward != 0;
  const auto count = [&](Column side) { return backward ? pairs[side].backward : pairs[side].violated; };
  const std::string text = grouped(count(recorded)) + " of " + grouped(pairs[recorded].edges) +
                           " waits in collective operations ended " +
                           (backward ? "before the awaited begin." : "too early.");
  return text + (two_sides ? after_correction(count(corrected)) : "");
}

}  // namespace

std::string headline(const Scene& scene) {
  const Model& model = scene.model;
  const matching::EdgeFigures& before = model.counts().messages[recorded];
  const matching::EdgeFigures& after = model.counts().messages[corrected];
  if (model.counts().events == 0) return "The trace has no events.";
  const Both<matching::EdgeFigures>& pairs = model.counts().collectives;
  if (before.edges == 0 && pairs[recorded].edges == 0) return "The trace has no messages and no collective operations.";
  if (before.backward != 0) {
    const std::string text = grouped(before.backward) + " of " + grouped(before.edges) + " messages " +
                             (before.backward == 1 ? "was" : "were") + " received before " +
                             (before.backward == 1 ? "it was" : "they were") + " sent.";
    return text + (scene.two_sides ? after_correction(after.backward) : "");
  }
  // Messages first, unless only waits in collective operations are impossible, or bad at all.
  if (pairs[recorded].backward != 0 || (before.violated == 0 && pairs[recorded].violated != 0))
    return (before.edges == 0 ? "" : "No message was received before it was sent, but ") +
           waits_too_early(pairs, scene.two_sides);
  if (before.violated != 0) {
    const std::string text = grouped(before.violated) + " of " + grouped(before.edges) +
                             " messages took less than the minimum message delay of " + minimum_delay(model) + '.';
    return text + (scene.two_sides ? after_correction(after.violated) : "");
  }
  if (before.edges == 0) return "No wait in a collective operation ended before the awaited begin.";
  return std::string("No message was received before it was sent.") +
         (scene.two_sides && model.corrections().moved() == 0 ? " Nothing was changed." : "");
}

Judged judged(const Scene& scene) {
  using Found = FilterReport::Reason;
  std::vector<Found> all;
  for (const Reason& reason : scene.verdict->reasons)
    all.push_back({std::string(name_of(reason.judgement)), std::string(reason.key), reason.text});
  // The filter knows its parameters and what it gave up: where both say the same, it says it better.
  if (scene.report != nullptr)
    for (const Found& reason : scene.report->reasons) {
      const auto same = std::ranges::find(all, reason.key, &Found::key);
      if (same == all.end())
        all.push_back(reason);
      else
        *same = reason;
    }
  const auto bad = [](const Found& reason) { return reason.judgement == name_of(Judgement::bad); };
  std::stable_partition(all.begin(), all.end(), bad);
  Judged out;
  out.judgement = name_of(all.empty() ? Judgement::good : bad(all.front()) ? Judgement::bad : Judgement::doubtful);
  for (const Found& reason : all) out.reasons.push_back(reason.judgement + ": " + reason.text);
  return out;
}

std::string excerpt_of(const Scene& scene) {
  const Model& model = scene.model;
  if (!model.shown().excerpt() || model.counts().events == 0) return {};
  const auto seconds = [&](Ticks ticks) {
    return tool::shortest(model.definitions().resolution.seconds(static_cast<double>(ticks))) + " s";
  };
  std::string text = "Excerpt from " + seconds(model.shown().first() - model.shown().origin()) + " to " +
                     seconds(model.shown().last() - model.shown().origin()) + " of a trace of " +
                     seconds(model.shown().length()) + ".";
  if (model.counts().crossing_messages + model.counts().crossing_operations != 0)
    text.append(1, ' ').append(grouped(model.counts().crossing_messages)) +=
        " messages and " + grouped(model.counts().crossing_operations) +
        " collective operations cross its borders and are counted separately.";
  return text;
}

std::string far_apart(const Model& model) {
  constexpr auto most = static_cast<std::uint64_t>(ticks_max);
  if (model.shown().spread() <= most) return {};
  const auto seconds = [&](std::uint64_t ticks) {
    return grouped(ticks / static_cast<std::uint64_t>(model.definitions().resolution.per_second())) + " s";
  };
  return "Times are up to " + seconds(model.shown().spread()) + " apart. Differences of more than 2^63 ticks (" +
         seconds(most) + ") are shown as 2^63 ticks; fewer ticks per second avoid that.";
}

std::vector<Fact> facts_of(const Scene& scene) {
  const Model& model = scene.model;
  const matching::EdgeFigures& before = model.counts().messages[recorded];
  const matching::EdgeFigures& after = model.counts().messages[corrected];
  const matching::EdgeFigures& pairs_before = model.counts().collectives[recorded];
  const matching::EdgeFigures& pairs_after = model.counts().collectives[corrected];
  std::vector<Fact> facts;
  facts.push_back({"Messages", grouped(before.edges), grouped(after.edges)});
  facts.push_back({"Received before they were sent", grouped(before.backward), grouped(after.backward),
                   before.backward != 0, after.backward != 0});
  facts.push_back({"Faster than the minimum delay (" + minimum_delay(model) + ')', grouped(before.violated),
                   grouped(after.violated), before.violated != 0, after.violated != 0});
  if (model.shown().excerpt()) {
    const std::string crossing = grouped(model.counts().crossing_messages);
    facts.push_back({"Messages across the borders of the excerpt, not counted above", crossing, crossing});
  }
  facts.push_back({"Smallest delay", smallest(model, before), smallest(model, after),
                   before.edges != 0 && before.smallest_delay < 0, after.edges != 0 && after.smallest_delay < 0});
  facts.push_back({"Mean delay",
                   before.edges == 0 ? std::string(dash) : time_of(model, model.counts().mean_delay(recorded)),
                   after.edges == 0 ? std::string(dash) : time_of(model, model.counts().mean_delay(corrected))});
  facts.push_back({"Collective operations", grouped(model.counts().operations), grouped(model.counts().operations)});
  if (model.shown().excerpt()) {
    const std::string crossing = grouped(model.counts().crossing_operations);
    facts.push_back({"Collective operations across the borders, not counted above", crossing, crossing});
  }
  facts.push_back({"Waits in collective operations that end too early",
                   grouped(pairs_before.violated) + " of " + grouped(pairs_before.edges),
                   grouped(pairs_after.violated) + " of " + grouped(pairs_after.edges), pairs_before.violated != 0,
                   pairs_after.violated != 0});
  if (scene.two_sides) {
    const Corrections& corrections = model.corrections();
    const Intervals& intervals = model.intervals();
    const std::uint64_t all = intervals.exact + intervals.changed + intervals.widened;
    facts.push_back(
        {"Events moved", std::string(dash), grouped(corrections.moved()) + " of " + grouped(model.counts().events)});
    facts.push_back(
        {"Largest correction" + (corrections.most_corrected() == no_process
                                     ? std::string()
                                     : ", process " + shortened(scene.names.full(corrections.most_corrected()), 60)),
         std::string(dash), time_of(model, corrections.largest())});
    facts.push_back(
        {"Local intervals unchanged to the tick", std::string(dash), grouped(intervals.exact) + " of " + grouped(all)});
    const auto counted = static_cast<double>(intervals.exact + intervals.changed);
    facts.push_back({"Their relative error, average / largest", std::string(dash),
                     percent(counted == 0 ? 0 : intervals.sum / counted) + " / " + percent(intervals.largest)});
    facts.push_back({"Largest change of an interval", std::string(dash), time_of(model, intervals.largest_change)});
  }
  return facts;
}

Numbers estimated_clocks(const Scene& scene) {
  Numbers table;
  if (scene.report == nullptr || scene.report->clocks.empty()) return table;
  table.head = {
      "process", "ahead at its first record", "at its last", "rate", "deviation from a line", "uncertainty", "partners",
      "note"};
  const auto time = [](double us) { return duration(us * 1e-6); };
  std::vector<FilterReport::Clock> clocks = scene.report->clocks;
  if (clocks.size() > Numbers::most_rows) {
    table.note = grouped(Numbers::most_rows) + " of " + grouped(clocks.size()) +
                 " processes, those whose clocks are furthest from the mean";
    const auto far = [](const FilterReport::Clock& clock) {
      return std::max(std::abs(clock.first_us), std::abs(clock.last_us));
    };
    std::ranges::stable_sort(clocks, [&](const auto& a, const auto& b) { return far(a) > far(b); });
    clocks.resize(Numbers::most_rows);
  }
  for (const FilterReport::Clock& clock : clocks) {
    std::vector<std::string> row{scene.names.of_number(clock.number)};
    if (clock.partners == 0)
      row.insert(row.end(), 5, std::string(dash));
    else
      row.insert(row.end(), {time(clock.first_us), time(clock.last_us), ppm(clock.rate_ppm), time(clock.deviation_us),
                             "\xC2\xB1 " + time(clock.error_us)});
    row.insert(row.end(), {grouped(clock.partners), clock.note});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Advice> advice_of(const Scene& scene, const PageFacts& facts) {
  const Model& model = scene.model;
  std::vector<Advice> out;
  const auto advise = [&](std::string text) { out.push_back({std::move(text), false}); };
  const auto warn = [&](std::string text) { out.push_back({std::move(text), true}); };
  if (!facts.damage.empty()) warn("Reading ended early; the page shows only the part before: " + facts.damage);
  if (!facts.doubt.empty()) warn("--report: " + facts.doubt);
  if (facts.unmatched != 0)
    warn(grouped(facts.unmatched) + one_or_many(facts.unmatched, " record is", " records are") +
         " in only one of the two traces and not shown: do they belong together?");
  if (!scene.two_sides) {
    advise(
        "Each event has one time only. To see what a correction changed, keep the recorded times with clc-filter "
        "--keep-original, or name the recorded trace with --before.");
    if (model.counts().messages[recorded].violated + model.counts().collectives[recorded].violated != 0)
      advise("Correct this trace with clc-filter -mmd " +
             tool::shortest(
                 model.definitions().resolution.microseconds(static_cast<double>(model.delays().default_delay()))) +
             '.');
  }
  if (const FilterReport* report = scene.report) {
    if (report->ended_early) warn("clc-filter could not read the trace to its end: " + *report->ended_early);
    if (report->violations_left != 0)
      warn(grouped(report->violations_left) + one_or_many(report->violations_left,
                                                          " violation of the clock condition is left.",
                                                          " violations of the clock condition are left."));
    if (report->advice_cldiff_us)
      advise("The clocks differed by more than assumed (" + tool::shortest(report->clock_difference_start_us) +
             " \xC2\xB5s): for similar traces use -cldiff " + tool::shortest(*report->advice_cldiff_us) + '.');
    if (report->advice_mmd_us && report->smallest_delay_us)
      advise("The fastest round trip takes " + duration(*report->smallest_delay_us * 1e-6) + " a message: -mmd " +
             tool::shortest(*report->advice_mmd_us) + " is suitable.");
    for (const FilterReport::Case& found : report->cases) {
      const auto* const known = std::ranges::find(cases, found.name, &CaseInfo::name);
      const std::string prose = known == cases.end() ? found.name : std::string(known->prose_of(found.count));
      out.push_back(
          {grouped(found.count) + ' ' + prose + '.', known == cases.end() || known->severity == Severity::unresolved});
    }
    if (report->lowest_gamma_b >= 0.99997 && report->lowest_gamma_c >= 0.99997)
      advise("Regulators B and C saw nothing to regulate.");
    else
      advise("The lowest \xCE\xB3 was " + tool::shortest(std::round(report->lowest_gamma * 1e6) / 1e6) + "; " +
             grouped(report->below_gamma_max) + " of " + grouped(report->events) + " events ran below \xCE\xB3_max.");
  } else {
    const matching::Leftovers& left = model.leftovers();
    const auto warn_of = [&](std::uint64_t count, const char* one, const char* many) {
      if (count != 0) warn(grouped(count) + one_or_many(count, one, many));
    };
    warn_of(left.sends, " send was never received.", " sends were never received.");
    warn_of(left.receives, " receive has no send.", " receives have no send.");
    warn_of(left.incomplete, " collective operation was never finished by all members.",
            " collective operations were never finished by all members.");
    if (scene.two_sides)
      advise(
          "For the filter's advice and for \xCE\xB3 over time, give clc-filter --report FILE --report-format json, and "
          "clc-view --report FILE.");
  }
  return out;
}

}  // namespace clc::view
