// The report at the edges: nothing seen, very many processes, names that hold anything.
#include "clc/report.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <locale>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "clock/recorder.hpp"
#include "report/json.hpp"
#include "report/judge.hpp"
#include "trace/round_trips.hpp"

namespace clc {
namespace {

std::string text_of(const Report& report) {
  std::ostringstream out;
  report.write_text(out);
  return out.str();
}

std::string json_of(const Report& report) {
  std::ostringstream out;
  report.write_json(out);
  return out.str();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void add_message(Recorder& analysis, ProcessIndex sender, ProcessIndex receiver, Time received, Ticks delay, Ticks mu) {
  analysis.message(analysis.pair(sender, receiver), sender, receiver, received, delay, mu);
}

}  // namespace

TEST_CASE("JSON: integers that readers with doubles would round are strings") {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_array();
  json.value(std::int64_t{1} << 53).value((std::int64_t{1} << 53) + 1);
  json.value(-(std::int64_t{1} << 53)).value(-(std::int64_t{1} << 53) - 1);
  json.value(std::numeric_limits<std::uint64_t>::max());
  json.end_array();
  std::string text = out.str();
  std::erase_if(text, [](char c) { return c == '\n' || c == ' '; });
  CHECK(text ==
        "[9007199254740992,\"9007199254740993\",-9007199254740992,\"-9007199254740993\",\"18446744073709551615\"]");
}

TEST_CASE("JSON: no locale and no flag of the stream changes a number") {
  struct Grouped : std::numpunct<char> {
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
  };
  std::ostringstream out;
  out.imbue(std::locale(out.getloc(), new Grouped));
  out << std::hex;
  JsonWriter(out).value(1'000'000'000);
  CHECK(out.str() == "1000000000");
}

TEST_CASE("a report of nothing has no figure that is none", "[report]") {
  const Analysis analysis;
  const Definitions definitions;
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  for (const std::string& text : {text_of(report), json_of(report)}) {
    REQUIRE_FALSE(contains(text, "nan"));
    REQUIRE_FALSE(contains(text, "inf"));
    REQUIRE_FALSE(contains(text, "9223372036854775807"));
  }
  REQUIRE(contains(text_of(report), "Violations left in the output: 0"));
  REQUIRE_FALSE(contains(text_of(report), "Unusual cases"));
  REQUIRE_FALSE(contains(text_of(report), "ADVICE"));
}

TEST_CASE("microseconds are the nearest to the ticks", "[report]") {
  CHECK(Resolution(1'000'000'000).microseconds(101'957) == 101.957);
  CHECK(Resolution(1'000'000'000).microseconds(1'906) == 1.906);
  CHECK(Resolution(1'000'000'000'000).microseconds(134'628'000) == 134.628);
  CHECK(Resolution(1'000'000).microseconds(7) == 7);
  CHECK(Resolution(1000).microseconds(3) == 3000);
  CHECK(Resolution(1).microseconds(-2) == -2e6);
}

TEST_CASE("ticks are the nearest to the microseconds", "[report]") {
  const Resolution of_us(1'000'000);
  CHECK(of_us.ticks_of_microseconds(4'503'599'627'370'497.0) == 4'503'599'627'370'497);
  CHECK(of_us.ticks_of_microseconds(-4'503'599'627'370'497.0) == -4'503'599'627'370'497);
  CHECK(of_us.ticks_of_microseconds(0x1p53 - 1) == (Ticks{1} << 53) - 1);
  CHECK(of_us.ticks_of_microseconds(0.49999999999999994) == 0);
  CHECK(of_us.ticks_of_microseconds(2.5) == 3);
  CHECK(of_us.ticks_of_microseconds(-2.5) == -3);
  CHECK(of_us.ticks_of_microseconds(-2.4) == -2);
  CHECK(of_us.ticks_of_microseconds(1e30) == ticks_max);
  CHECK(of_us.ticks_of_microseconds(-1e30) == ticks_min);
}

TEST_CASE("a report of thousands of processes shows the worst and counts the rest", "[report]") {
  Definitions definitions;
  Recorder analysis;
  for (ProcessIndex i = 0; i < 3000; ++i) {
    definitions.add_process(i, "rank" + std::to_string(i));
    analysis.released(std::array{Corrected{Time(std::int64_t{i} * 1000), Time(0), i, {}}});
    add_message(analysis, i, (i + 1) % 3000, Time(i), -std::int64_t{i}, 1000);
  }
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  const std::string text = text_of(report);
  REQUIRE(std::count(text.begin(), text.end(), '\n') < 120);
  REQUIRE(contains(text, "and 2,984 more processes, none with a larger difference"));
  REQUIRE(contains(text, "and 2,984 more pairs"));
  REQUIRE(contains(text, "  2999 rank2999"));
  REQUIRE_FALSE(contains(text, "  5 rank5 "));
  REQUIRE(contains(text, "2999 rank2999 -> 0 rank0        1 of 1, smallest delay -2.999 us"));
  const std::string json = json_of(report);
  REQUIRE(contains(json, "\"name\": \"rank5\""));
  REQUIRE(contains(json, "\"name\": \"rank2999\""));
}

TEST_CASE("as many pairs as are shown leave none over", "[report]") {
  for (const ProcessIndex pairs : {16U, 17U}) {
    Definitions definitions;
    Recorder analysis;
    for (ProcessIndex i = 0; i < 18; ++i) definitions.add_process(i, "");
    for (ProcessIndex i = 0; i < pairs; ++i) add_message(analysis, i, i + 1, Time(0), -1, 1000);
    const Parameters parameters;
    const Report report(analysis, definitions, parameters, {});
    REQUIRE(contains(text_of(report), "and 1 more pairs") == (pairs == 17));
    REQUIRE_FALSE(contains(text_of(report), "and 0 more pairs"));
  }
}

TEST_CASE("what is rare is told, too", "[report]") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Recorder analysis;
  // One of 90,000 intervals changed, one of length 0 got a length.
  std::vector<Corrected> run;
  for (Ticks i = 0; i < 90'000; ++i) run.push_back({Time(i * 1000), Time(i * 1000), 0, {}});
  run.push_back({Time(90'000'005), Time(90'000'000), 0, {}});
  run.push_back({Time(90'000'006), Time(90'000'000), 0, {}});
  analysis.released(run);
  analysis.old_message();
  analysis.buffered(10, std::uint64_t{3} << 20);
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  const std::string text = text_of(report);
  REQUIRE(contains(text, "2 of 90,002 events moved (0.0022 %)"));
  REQUIRE(contains(text, "1 intervals of length 0 got a length"));
  REQUIRE(contains(text, "1 messages were sent so long before"));
  REQUIRE(contains(text, "at most 10 events buffered, 3.0 MiB"));
  REQUIRE(contains(text, "together: no process was ever ahead"));
  REQUIRE(contains(json_of(report), "\"lowest_gamma\": null"));
}

TEST_CASE("changes of intervals by kind, steep pieces and bounds", "[report]") {
  Definitions definitions;
  definitions.add_process(7, "a");
  Recorder analysis;
  analysis.wanted_gradient = 0.005;
  analysis.clock_difference_start = 1000;
  // A send, a jump of 100 ticks at the receive 1000 ticks later, and an interval that shrinks by 3 ticks.
  const std::vector<Corrected> run{{Time(0), Time(0), 0, {}},
                                   {Time(2000), Time(2000), 0, {}},
                                   {Time(3101), Time(3000), 0, {}},
                                   {Time(7098), Time(7000), 0, {}}};
  const std::vector<std::uint64_t> roles{0, 1, 2, 0};
  analysis.jump(0, 2, 100.5);
  analysis.receive_read();
  analysis.receive_after_send(1000);
  analysis.released(run, roles, analysis.until_raised(0));
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  const std::string text = text_of(report);
  CHECK(contains(text, "   1 end at a receive: avg. = 0.101 us, 10.100 %; max. = 0.101 us, 10.100 %"));
  CHECK(contains(text, "   2 end at another event: avg. = 0.0015 us, 0.037 %; max. = 0.003 us, 0.075 %"));
  CHECK(contains(text, "   2 until the first raise of their clock: avg. = 0.0505 us, 5.050 %"));
  CHECK(contains(text, "   1 later: avg. = 0.003 us, 0.075 %"));
  CHECK(contains(text, "grows by 10.000 % of the time, process 7 a at tick 3000"));
  CHECK(contains(text, "pieces steeper than Parameters::max_error_percent = 0.5 %: 14.3 % of the recorded time"));
  // 1 - gamma_D = 2e-2 bounds the drift by 1e-2.
  CHECK(report.interval_error_bound() == Approx(0.1 * 1.01 + 0.01));
  CHECK(report.theorem_17_bound() == Approx(0.1005 * 1.01 + 2e-5 + 0.02 + 0.02 + 0.02 * 0.01));
  // Jumps of more than the interval's clock difference are steeper than the largest error.
  analysis.clock_difference_start = 1;
  CHECK(Report(analysis, definitions, parameters, {}).theorem_17_bound() ==
        Approx(0.005 * 100.5 * 1.01 + 2e-5 + 0.02 + 0.02 + 0.02 * 0.01));
  analysis.clock_difference_start = 0;
  CHECK_FALSE(Report(analysis, definitions, parameters, {}).theorem_17_bound());
  CHECK(contains(json_of(report), "\"send_to_receive_us\": 1\n"));
  Parameters forward;
  forward.amortization = false;
  CHECK_FALSE(Report(analysis, definitions, forward, {}).theorem_17_bound());
  // Without roles, as when the clock ran backwards.
  Recorder unknown;
  unknown.released(run);
  CHECK_FALSE(contains(text_of(Report(unknown, definitions, parameters, {})), "end at a receive"));
  CHECK(contains(json_of(Report(unknown, definitions, parameters, {})), "\"at_receives\": null"));
}

TEST_CASE("processes that are not listed are not said to differ from the listed ones", "[report]") {
  Definitions definitions;
  Recorder analysis;
  for (ProcessIndex i = 0; i < 32; ++i) {
    definitions.add_process(i, "rank");
    analysis.released(std::array{Corrected{Time(5000), Time(5000), i, {}}});
  }
  const Parameters parameters;
  const std::string text = text_of(Report(analysis, definitions, parameters, {}));
  REQUIRE(contains(text, "and 16 more processes, none with a larger difference"));
}

TEST_CASE("a channel with a send and a receive left over is doubtful, unless they are matched first in, first out") {
  Recorder analysis;
  const auto lost = [&](ProcessIndex sender, std::int64_t tag, bool send) {
    Loss loss;
    loss.sender = sender;
    loss.receiver = 1;
    loss.tag = tag;
    loss.send = send;
    analysis.lost(loss);
  };
  const Definitions definitions;
  Parameters parameters;
  parameters.match = Match::resynchronise;
  const auto channels = [&]() -> std::optional<double> {
    const Report report(analysis, definitions, parameters, {});
    for (const Reason& reason : report.verdict().reasons)
      if (reason.key == "left_on_both_sides") return reason.figures.at(0).second;
    return std::nullopt;
  };
  lost(0, 7, true);
  lost(0, 7, true);
  lost(0, 8, false);
  lost(2, 7, false);
  CHECK_FALSE(channels());
  lost(0, 7, false);
  CHECK(channels() == 1);
  lost(2, 7, true);
  CHECK(channels() == 2);
  parameters.match = Match::fifo;
  CHECK_FALSE(channels());
}

TEST_CASE("first in, first out, a channel lacks a record where its process goes on") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Recorder analysis;
  analysis.clock_difference_start = 1'000'000;
  analysis.clock_difference = 2'000'000;
  for (const ProcessIndex process : {0U, 1U})
    analysis.released(std::array{Corrected{Time(1000), Time(1000), process, {}}});
  add_message(analysis, 0, 1, Time(500), -100, 10);  // the clocks are so far apart
  const auto lost = [&](std::int64_t tag, Ticks recorded) {
    Loss loss;
    loss.sender = 0;
    loss.receiver = 1;
    loss.tag = tag;
    loss.recorded = Time(recorded);
    analysis.lost(loss);
  };
  Parameters parameters;
  parameters.match = Match::fifo;
  const auto channels = [&](const RunFacts& facts) -> std::optional<double> {
    const Report report(analysis, definitions, parameters, facts);
    CHECK(contains(text_of(report), "No advice") == report.may_match_wrongly());
    CHECK(report.advised_clock_difference_us().has_value() != report.may_match_wrongly());
    for (const Reason& reason : report.verdict().reasons)
      if (reason.key == "shifted_channels") return reason.figures.at(0).second;
    return std::nullopt;
  };
  lost(7, 950);
  CHECK_FALSE(channels({}));  // the trace of the receiver may have ended
  lost(8, 800);
  CHECK(channels({}) == 1);
  lost(8, 700);
  lost(9, 600);
  CHECK(channels({}) == 2);
  RunFacts ended;
  ended.error = "damaged";
  CHECK_FALSE(channels(ended));
  // Processes that lost nothing between them tell how far clocks are apart, in either direction.
  definitions.add_process(2, "c");
  definitions.add_process(3, "d");
  add_message(analysis, 2, 3, Time(500), -40, 10);
  add_message(analysis, 3, 2, Time(500), 49, 10);
  CHECK(channels({}) == 3);
  add_message(analysis, 1, 2, Time(500), 60, 10);
  CHECK(channels({}) == 2);
  parameters.match = Match::whole;
  CHECK_FALSE(channels({}));
}

TEST_CASE("a map is doubtful at a rate that no clock has, and where messages contradict it", "[report]") {
  VerdictFigures figures;
  figures.in_effect.min_delay_us = 5;
  const auto key = [&]() -> std::string_view {
    const Verdict verdict = judge(figures);
    return verdict.reasons.empty() ? "" : verdict.reasons.front().key;
  };
  figures.map.clocks = {{2, -1100, 1e6}, {3, 4, 100}};  // the second by less than a minimum delay
  CHECK(key().empty());
  figures.map.clocks.push_back({4, -1300, 1e6});
  figures.map.clocks.push_back({5, 1250, 1e6});
  REQUIRE(key() == "clock_rates");
  const Reason reason = judge(figures).reasons.front();
  CHECK(reason.judgement == Judgement::doubtful);
  CHECK(reason.process == 4);
  CHECK(reason.figures.at(0).second == Approx(-1300));
  // A double does not hold every number of a process.
  figures.map.clocks = {{9'007'199'254'740'993, -1300, 1e6}};
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object();
  write_verdict(json, judge(figures));
  json.end_object();
  CHECK(contains(text.str(), "\"process\": \"9007199254740993\""));

  figures.map.clocks.clear();
  figures.edges = 20;
  figures.map.slack_us = 1;
  for (MapFigures::Early* early : {&figures.map.messages, &figures.map.operations}) {
    *early = {2, 2, 2};
    CHECK(key().empty());
    early->recorded_us = 1;
    CHECK(key() == "map_contradicts");
    // Most of the error is still there.
    *early = {30, 50, 11};
    CHECK(key() == "map_contradicts");
    figures.missing.lost = 1;  // so others may be matched wrongly
    CHECK(key().empty());
    figures.missing.lost = 0;
    early->largest_us = 9;
    CHECK(key().empty());
    *early = {30, 70, 11};
    CHECK(key().empty());
    *early = {};
  }
  figures.map.operations = {2, 1, 2};
  figures.missing.disagreeing = 1;
  CHECK(key().empty());
  figures.missing.disagreeing = 0;
  figures.map.operations = {};
  figures.map.alone = 3;
  figures.map.messages.largest_us = 11;
  CHECK(key() == "map_contradicts");
  figures.map.others_us = 2;
  CHECK(key().empty());
  figures.map.alone.reset();
  figures.map.below_mapped = 0.5;
  CHECK(key() == "map_contradicts");
}

TEST_CASE("clocks run ahead where all processes that messages or a clock connect have moved, either way", "[report]") {
  Definitions definitions;
  for (std::uint64_t number = 0; number < 10; ++number)
    definitions.add_process(number, {}, {}, number == 6 ? std::optional<ProcessIndex>(5) : std::nullopt);
  RunAhead groups(definitions, false);
  CHECK(groups.most() == 0);
  groups.moved(7, 900);  // alone
  for (const ProcessIndex process : {0U, 1U, 2U, 3U, 4U}) groups.moved(process, 100 + process);
  groups.connect(1, 0);
  groups.connect(3, 4);
  groups.connect(2, 3);
  groups.connect(2, 2);
  CHECK(groups.most() == 102);
  groups.connect(4, 1);
  CHECK(groups.most() == 100);
  groups.connect(0, 5);  // has no events
  CHECK(groups.most() == 100);
  groups.moved(6, 0);  // on the clock of one that has none
  CHECK(groups.most() == 0);
  groups.connect(8, 9);
  groups.moved(8, -50);
  groups.moved(9, -40);
  CHECK(groups.most() == 40);
}

TEST_CASE("clocks that run ahead, and late records, are doubtful from a limit on", "[report]") {
  VerdictFigures figures;
  figures.processes = figures.clocks = 4;
  figures.edges = 20;
  figures.length_us = 1e9;
  figures.in_effect.min_delay_us = 5;
  figures.clock_difference_us = 95;
  const auto key = [&] {
    const Verdict verdict = judge(figures);
    return verdict.reasons.empty() ? std::string_view() : verdict.reasons.front().key;
  };
  figures.ahead_us = 200;
  CHECK(key().empty());
  figures.ahead_us = 201;
  CHECK(key() == "runs_ahead");
  CHECK(judge(figures).judgement == Judgement::doubtful);
  figures.ahead_us = 200;
  figures.missing.records = 10'000;
  figures.missing.late = 10;
  CHECK(key().empty());
  figures.missing.late = 11;
  CHECK(key() == "late_records");
  CHECK(judge(figures).judgement == Judgement::doubtful);
  figures.missing.late = 1001;
  CHECK(judge(figures).judgement == Judgement::bad);
}

TEST_CASE("round trips allow for clocks that are slewed, and for their ticks as recorded", "[report]") {
  for (const Ticks span : {0, 1'000'000}) {
    RoundTripStatistics trips;
    RoundTripRecorder::recorded(trips, 1);
    RoundTripRecorder::add(trips, 6000, span, 10'000);
    CHECK(trips.near() == 1);
    CHECK(trips.contradicted_delay() == 5000);
    RoundTripRecorder::add(trips, 7500, span, 10'000);
    CHECK(trips.near() == (span == 0 ? 2 : 1));
    CHECK(trips.smallest() == 3000);
    CHECK(trips.smallest_at_most() == (span == 0 ? 3000 : 3500));
  }
  RoundTripStatistics coarse;
  RoundTripRecorder::recorded(coarse, 20'000);
  RoundTripRecorder::add(coarse, 3001, 1000, 10'000);
  CHECK(coarse.granularity() == 20'000);
  CHECK(coarse.near() == 0);
}

TEST_CASE("round trips that a clock set in between made too short prove nothing", "[report]") {
  // Setting a clock makes as many trips too short as impossible ones, so twice the number of these is subtracted.
  const auto is_told = [](int near, int impossible) {
    VerdictFigures figures;
    figures.in_effect.min_delay_us = 5;
    figures.tick_us = 1e-3;
    RoundTripRecorder::recorded(figures.trips, 1);
    for (int k = 0; k < 1000; ++k) RoundTripRecorder::add(figures.trips, k < near ? 7000 : 20'000, 0, 10'000);
    for (int k = 0; k < impossible; ++k) RoundTripRecorder::add(figures.trips, -7000, 0, 10'000);
    REQUIRE(figures.trips.trips() == 1000);
    REQUIRE(figures.trips.impossible() == static_cast<std::uint64_t>(impossible));
    const Verdict verdict = judge(figures);
    return !verdict.reasons.empty() && verdict.reasons.front().key == "min_delay_too_large";
  };
  CHECK(is_told(18, 0));
  CHECK_FALSE(is_told(18, 9));
  CHECK(is_told(30, 8));
}

TEST_CASE("growth and jumps are judged by what clocks and messages account for", "[report]") {
  VerdictFigures figures;
  figures.processes = figures.clocks = 4;
  figures.edges = 20;
  figures.length_us = 1e6;
  figures.in_effect.min_delay_us = 5;
  figures.clock_difference_us = 4895;  // together with the delay and a drift of 100 us: 5 ms
  const auto key = [&] {
    const Verdict verdict = judge(figures);
    return verdict.reasons.empty() ? std::string_view() : verdict.reasons.front().key;
  };
  SECTION("growth by more than ten times as much is an effect of the correction") {
    figures.growth_us = 49'999;
    CHECK(key().empty());
    figures.growth_us = 50'001;
    CHECK(key() == "trace_grew");
  }
  SECTION("a jump by more than ten times as much is no difference of the clocks") {
    figures.in_effect.clock_difference_start_us = 100;
    figures.largest_jump_us = 999;
    CHECK(key().empty());
    figures.largest_jump_us = 1001;
    CHECK(key() == "clock_difference");
    figures.largest_jump_us = 49'999;
    CHECK(key() == "clock_difference");
    figures.largest_jump_us = 50'001;
    CHECK(key().empty());
  }
}

TEST_CASE("a remedy names the parameter that makes a delay or distance too large", "[report]") {
  VerdictFigures figures;
  figures.in_effect.min_delay_us = 5;
  figures.tick_us = 1e-3;
  figures.edges = 20;
  figures.length_us = 100;
  figures.growth_us = 100;
  const auto remedy = [&] { return judge(figures).reasons.front().text; };
  CHECK(contains(remedy(), "use a smaller Parameters::min_delay_us, or check that messages"));
  figures.in_effect.delta_given = true;
  CHECK(contains(remedy(), "use a smaller Parameters::delta_us"));
  figures.in_effect.delta_given = false;
  figures.in_effect.min_delay_us = 1e-3;
  CHECK(contains(remedy(), "a finer resolution, as the minimum delay is only a tick"));
  figures.growth_us = 0;
  figures.in_effect.min_delay_us = 5;
  figures.in_effect.by_length = true;
  RoundTripRecorder::recorded(figures.trips, 1);
  for (int k = 0; k < 20; ++k) RoundTripRecorder::add(figures.trips, 30'000, 0, 100'000);
  CHECK(contains(remedy(), "use a larger Parameters::bandwidth_mb_s"));
  figures.in_effect.min_delay_us = 50;
  CHECK(contains(remedy(), "use a smaller Parameters::min_delay_us, or check the resolution"));
}

TEST_CASE("collective calls that disagree with the other members are doubtful if they are many") {
  VerdictFigures figures;
  figures.processes = figures.clocks = 2;
  figures.edges = 100;
  figures.missing.operations = 50;
  figures.missing.disagreeing = 5;
  const auto is_told = [&] {
    const Verdict verdict = judge(figures);
    return std::any_of(verdict.reasons.begin(), verdict.reasons.end(), [](const Reason& reason) {
      return reason.key == "operations_disagree" && reason.judgement == Judgement::doubtful;
    });
  };
  CHECK_FALSE(is_told());
  figures.missing.disagreeing = 6;
  CHECK(is_told());
  figures.missing.operations = 19;  // too few to judge
  CHECK_FALSE(is_told());
}

TEST_CASE("receives that were given up are judged without the ends of collective operations in circles") {
  Recorder analysis;
  for (int k = 0; k < 30; ++k) analysis.message(0, 1, Time(1000 + k), 10, 1);
  const Definitions definitions;
  const Parameters parameters;
  const auto released = [&]() -> std::optional<double> {
    const Report report(analysis, definitions, parameters, {});
    for (const Reason& reason : report.verdict().reasons)
      if (reason.key == "receives_given_up") return reason.figures.at(0).second;
    return std::nullopt;
  };
  analysis.count(Case::wait_in_circle, 100);
  CHECK_FALSE(released());
  for (int k = 0; k < 6; ++k) analysis.receive_in_circle();
  CHECK(released() == 0.2);
  CHECK(analysis.counted(Case::wait_in_circle) == 106);
}

TEST_CASE("nothing seems to be missing where each channel has as many sends as receives left over") {
  Recorder analysis;
  const auto left = [&](std::int64_t tag, bool send) {
    Loss loss;
    loss.tag = tag;
    loss.send = !send;
    analysis.count(send ? Case::send_without_receive : Case::receive_without_send);
    return loss;
  };
  CHECK_FALSE(analysis.nothing_seems_missing());  // nothing is left over
  analysis.lost(left(1, true));
  CHECK_FALSE(analysis.nothing_seems_missing());
  analysis.lost(left(2, false));
  CHECK_FALSE(analysis.nothing_seems_missing());  // of two channels
  analysis.lost(left(2, true));
  analysis.lost(left(1, false));
  CHECK(analysis.nothing_seems_missing());
  analysis.lost(left(3, false));
  CHECK_FALSE(analysis.nothing_seems_missing());
  left(3, true);  // so old that it is counted, but not listed
  CHECK(analysis.nothing_seems_missing());
}

TEST_CASE("a program chooses the words for parameters", "[report]") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Recorder analysis;
  analysis.clock_difference_start = 1'000'000;
  analysis.clock_difference = 1'302'920;
  add_message(analysis, 0, 1, Time(0), -10'000'000, 1);  // the clocks are so far apart
  analysis.jump(0, 0, 10'000'001);
  const Parameters parameters;
  const std::string member = "Parameters::clock_difference_us = ";
  RunFacts facts;
  facts.wording = [&](std::string text) {
    for (std::size_t at = 0; (at = text.find(member)) != std::string::npos;)
      text.replace(at, member.size(), "-cldiff ");
    return text;
  };
  const Report plain(analysis, definitions, parameters, {});
  const Report worded(analysis, definitions, parameters, facts);
  REQUIRE(plain.verdict().reasons.size() == 1);
  CHECK(contains(plain.verdict().reasons.front().text, "use " + member + "10001"));
  CHECK(contains(worded.verdict().reasons.front().text, "use -cldiff 10001"));
  CHECK(contains(text_of(plain), "use " + member + "1303\n"));
  CHECK(contains(text_of(worded), "use -cldiff 1303\n"));
  CHECK_FALSE(contains(text_of(worded), member));
  CHECK_FALSE(contains(json_of(worded), member));
}

TEST_CASE("advice as in the thesis", "[report]") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Recorder analysis;
  analysis.clock_difference_start = 1'000'000;
  analysis.clock_difference = 1'302'920;
  for (int i = 0; i < 11; ++i) {
    add_message(analysis, 0, 1, Time(0), 700'000, 500'000);
    add_message(analysis, 1, 0, Time(0), 540'400, 500'000);
  }
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  REQUIRE(contains(text_of(report), "use Parameters::clock_difference_us = 1303\n"));
  REQUIRE(contains(text_of(report), "over 260.6 ms of trace time instead of 200 ms"));
  REQUIRE(contains(text_of(report), "(min = 620.200 us, avg = 620.200 us, max = 620.200 us)"));
  REQUIRE(contains(text_of(report), "the 1 us of this run could be larger: Parameters::min_delay_us = 496.1 is below"));
  REQUIRE(report.advised_clock_difference_us() == 1303);
  REQUIRE(report.advised_min_delay_us() == Approx(496.1));
  REQUIRE(contains(text_of(report), "error <= 2 % of the time between its two messages"));
  // Trips of 1240.4 us are in the class from 1.125 times 2^20 ns on.
  const auto rules = thesis_min_delays(analysis.short_trips(), 1e-3);
  REQUIRE(rules->frequent_us == Approx(0.9 / 4 * 1.125 * 1048.576));
  REQUIRE(rules->balanced_us == Approx(1.2 * 620.2));
  REQUIRE(contains(text_of(report), "20 % above the smallest delay 744.2 us"));
  // As in the thesis: advice for 1000 us, none for 500 us.
  Parameters thesis;
  thesis.min_delay_us = 1000;
  REQUIRE(contains(text_of(Report(analysis, definitions, thesis, {})),
                   "ADVICE -- for correcting similar traces: use Parameters::min_delay_us = 496.1\n  the 1000 us of "
                   "this run are too large"));
  thesis.min_delay_us = 500;
  const std::string by_500 = text_of(Report(analysis, definitions, thesis, {}));
  REQUIRE_FALSE(contains(by_500, "Parameters::min_delay_us"));
  REQUIRE_FALSE(contains(by_500, "could be larger"));
  // Never more than the smallest delay found, as far as clocks agree.
  add_message(analysis, 0, 1, Time(1'000'000'000), 300'000, 500'000);
  add_message(analysis, 1, 0, Time(2'000'000'000), 900'000, 500'000);
  REQUIRE(report.advised_min_delay_us() == Approx(300));
}

TEST_CASE("the most frequent round trip is that of plain counting", "[report]") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    RoundTripStatistics trips;
    CHECK(trips.most_frequent() == 0);
    std::map<std::pair<int, int>, int> counts;  // power of two, sixteenth of it
    const auto shift = random() % 62;
    const auto number = 1 + random() % (round % 20 == 0 ? 50'000 : 300);
    for (std::size_t i = 1; i <= number; ++i) {
      const auto trip = static_cast<Ticks>(1 + (random() >> (random() % 2 + 1 + shift)));
      RoundTripRecorder::add(trips, trip, 0, 0);
      if (i > RoundTripRecorder::all_classified && i % 16 != 0) continue;
      int power = 0;
      while (power < 62 && std::ldexp(1.0L, power + 1) <= static_cast<long double>(trip)) ++power;
      ++counts[{power, static_cast<int>((static_cast<long double>(trip) / std::ldexp(1.0L, power) - 1) * 16)}];
    }
    auto fullest = counts.begin();
    for (auto one = counts.begin(); one != counts.end(); ++one)
      if (one->second > fullest->second) fullest = one;
    REQUIRE(trips.most_frequent() == std::ldexp(1 + fullest->first.second / 16.0, fullest->first.first));
  }
}

TEST_CASE("pairs whose messages never arrived are not listed", "[report]") {
  Definitions definitions;
  definitions.add_process(0, "a");
  definitions.add_process(1, "b");
  Recorder analysis;
  static_cast<void>(analysis.pair(1, 0));
  add_message(analysis, 0, 1, Time(0), 5, 10);
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  REQUIRE(contains(text_of(report), "no pair has messages in both directions"));
  REQUIRE(contains(json_of(report), "\"sender\": 0,\n      \"receiver\": 1,\n      \"messages\": 1"));
  REQUIRE_FALSE(contains(json_of(report), "\"messages\": 0,\n      \"violated\""));
}

TEST_CASE("cases are told in words when they occurred", "[report]") {
  Recorder analysis;
  analysis.count(Case::send_without_receive, 240);
  analysis.count(Case::self_message, 3);
  const Definitions definitions;
  const Parameters parameters;
  const Report report(analysis, definitions, parameters, {});
  REQUIRE(contains(text_of(report), "  240 sends were never received\n"));
  REQUIRE(contains(text_of(report), "  3 messages of a process to itself were ignored\n"));
  REQUIRE_FALSE(contains(text_of(report), "came after"));
  REQUIRE(contains(json_of(report), "\"send_without_receive\": 240"));
  REQUIRE(contains(json_of(report), "\"late_send\": 0"));
  REQUIRE(contains(json_of(report), "\"unresolved\": 240"));
}

TEST_CASE("names of any bytes do not break the report", "[report]") {
  Definitions definitions;
  definitions.add_process(7, std::string("a\"b\\c\n\x1b[31m\xff\xc3\xa4", 14));
  Recorder analysis;
  analysis.released(std::array{Corrected{Time(0), Time(0), 0, {}}});
  const Parameters parameters;
  RunFacts facts;
  facts.input = "dir/\x07name";
  const Report report(analysis, definitions, parameters, facts);
  REQUIRE_FALSE(contains(text_of(report), "\x1b"));
  REQUIRE_FALSE(contains(text_of(report), "\x07"));
  REQUIRE(contains(json_of(report), R"("name": "a\"b\\c\n\u001b[31m\ufffd)"
                                    "\xc3\xa4"));
}

TEST_CASE("JSON is written with commas, escapes and null where they belong", "[json]") {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object();
  json.key("empty").begin_array().end_array();
  json.key("list").begin_array().value(1).value(-2.5).value(true).null();
  json.value(std::optional(3)).value(std::optional<double>()).end_array();
  json.field("text", "\x01\t\x7f");
  json.field("nan", std::numeric_limits<double>::quiet_NaN());
  json.field("big", std::numeric_limits<std::uint64_t>::max());
  json.key("inner").begin_object().field("x", 0.1).end_object();
  json.end_object();
  REQUIRE(out.str() ==
          "{\n  \"empty\": [],\n  \"list\": [\n    1,\n    -2.5,\n    true,\n    null,\n    3,\n    null\n  ],\n"
          "  \"text\": \"\\u0001\\t\\u007f\",\n  \"nan\": null,\n  \"big\": \"18446744073709551615\",\n"
          "  \"inner\": {\n    \"x\": 0.1\n  }\n}\n");
  std::ostringstream bad;
  JsonWriter(bad).value("\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82\xac \xe2\x82");
  REQUIRE(bad.str() ==
          "\"\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd \xe2\x82\xac \\ufffd\\ufffd\"");
}

}  // namespace clc
