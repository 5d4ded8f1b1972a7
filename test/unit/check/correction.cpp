// Every law broken on purpose: the judge must notice each, and only that one.
#include <catch2/catch.hpp>

#include "clc/error.hpp"
#include "correction_check.hpp"
#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

namespace {

struct Line {
  Event event;
  std::string body = "x";
};

struct Trace {
  std::vector<Line> lines;
  Trace(std::initializer_list<Event> events) {
    for (const Event& event : events) lines.push_back({event, "x"});
  }
  Trace& operator()(std::size_t index, Ticks time) {
    lines[index].event.time = Time(time);
    return *this;
  }
};

/// One judge with the definitions it needs.
class Court {
 public:
  explicit Court(Ticks wait_limit = ticks_max, bool with_truth = false)
      : definitions_(world(3)),
        check_(parameters(), sides(definitions_, with_truth), wait_limit),
        files_(with_truth ? 3 : 2) {}

  CorrectionCheck& judge(const Trace& before, const Trace& after, const Trace* truth_trace = nullptr) {
    const std::array<const Trace*, columns> traces{&before, &after, truth_trace};
    for (std::size_t file = 0; file < files_; ++file) {
      std::uint64_t place = 1;
      for (const Line& line : traces[file]->lines)
        check_.add(static_cast<Column>(file), line.event, line.body, place++);
      check_.end(static_cast<Column>(file));
    }
    check_.finish();
    return check_;
  }
  CorrectionCheck& check() { return check_; }

 private:
  static Parameters parameters() {
    Parameters result;
    result.min_delay_us = 0.1;  // 100 ticks
    return result;
  }
  static std::vector<Side> sides(const Definitions& definitions, bool with_truth) {
    static const PlainDecoder decoder;
    std::vector<Side> result;
    for (const char* name : {"in:", "out:", "truth:"})
      result.push_back({&definitions, &decoder, [name](std::uint64_t place) { return name + std::to_string(place); }});
    if (!with_truth) result.pop_back();
    return result;
  }

  Definitions definitions_;
  CorrectionCheck check_;
  std::size_t files_;
};

std::vector<Law> broken(const CorrectionCheck& check) {
  std::vector<Law> result;
  for (const LawInfo& law : laws)
    if (!check.verdict(law.law).holds()) result.push_back(law.law);
  return result;
}

/// A message that is received 50 ticks before it is sent, events around it, and a barrier.
Trace backward_trace() {
  return {internal(1000, 0),
          internal(1000, 1),
          receive(1950, 1, 0),
          send(2000, 0, 1),
          internal(2100, 1),
          internal(2500, 0),
          internal(2500, 0),
          begin(3000, 0),
          begin(3010, 1),
          begin(3020, 2),
          end(3200, 2, Operation::barrier),
          end(3210, 0, Operation::barrier),
          end(3220, 1, Operation::barrier)};
}

/// Its correction: the receive and what follows it in process 1 later.
Trace correct_trace() {
  return {internal(1000, 0),
          internal(1000, 1),
          send(2000, 0, 1),
          receive(2100, 1, 0),
          internal(2201, 1),
          internal(2500, 0),
          internal(2500, 0),
          begin(3000, 0),
          begin(3020, 2),
          begin(3090, 1),
          end(3200, 2, Operation::barrier),
          end(3210, 0, Operation::barrier),
          end(3220, 1, Operation::barrier)};
}

}  // namespace

TEST_CASE("a correct correction keeps all laws") {
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), correct_trace());
  CHECK(check.laws_hold());
  CHECK(check.verdict(Law::clock_condition).checked == 1 + 6);
  CHECK(check.verdict(Law::not_earlier).checked == 13);
  CHECK_FALSE(check.verdict(Law::unchanged).applies);
  CHECK(check.edges(recorded).messages.backward == 1);
  CHECK(check.edges(recorded).messages.violated == 1);
  CHECK(check.edges(corrected).messages.violated == 0);
  CHECK(check.edges(recorded).collectives.edges == 6);
  CHECK(check.moved() == 3);
  CHECK(check.largest_correction().shift == 150);
  CHECK(check.largest_correction().process == 1);
  CHECK(check.intervals().exact == 6);  // one of them a tie
  CHECK(check.intervals().all.count() == 10);
  CHECK(check.intervals().largest_change == 150);
}

TEST_CASE("law 1: a message that is too fast is noticed") {
  Trace after = correct_trace();
  after(3, 2099);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::clock_condition});
  CHECK(check.verdict(Law::clock_condition).broken == 1);
  CHECK(check.verdict(Law::clock_condition).first ==
        "message from process 0, recorded 2000 (in:4), corrected 2000 (out:3) to process 10, recorded 1950 (in:3), "
        "corrected 2099 (out:4): delay 0.099 us (99 ticks), minimum 0.1 us (100 ticks)");
}

TEST_CASE("law 1: an ordered pair of a collective operation that is too close is noticed") {
  Trace after = correct_trace();
  after(9, 3101);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::clock_condition});
  CHECK(check.verdict(Law::clock_condition).broken == 1);
  CHECK_THAT(check.verdict(Law::clock_condition).first,
             Catch::StartsWith("barrier from process 10, recorded 3010 (in:9), corrected 3101 (out:10) to process 20"));
}

TEST_CASE("law 2: an event before its recorded time is noticed") {
  Trace after = correct_trace();
  after(0, 999);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::not_earlier});
  CHECK(check.verdict(Law::not_earlier).first ==
        "process 0, recorded 1000 (in:1), corrected 999 (out:1): 0.001 us (1 tick) earlier");
}

TEST_CASE("law 3: distinct events that became simultaneous are noticed") {
  Trace after = correct_trace();
  after(4, 2100);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::order});
  CHECK_THAT(check.verdict(Law::order).first, Catch::Contains("same corrected time as the event before it"));
}

TEST_CASE("law 3: events of a process in another order are noticed") {
  // The times of two events swapped; the records themselves stay where they are in the process.
  Trace after = correct_trace();
  after(3, 2300)(4, 2200);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::order, Law::sorted});
}

TEST_CASE("law 3: ties may stay or be ordered") {
  Trace after = correct_trace();
  after(6, 2501);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(check.laws_hold());
  CHECK(check.intervals().zero_widened == 1);
}

TEST_CASE("law 4: a change without need is noticed") {
  Court court;
  CorrectionCheck& check = court.judge(correct_trace(), correct_trace()(12, 3221));
  CHECK(broken(check) == std::vector{Law::unchanged});
  CHECK(check.verdict(Law::unchanged).first == "process 10, recorded 3220 (in:13), corrected 3221 (out:13)");
  Court other;
  CHECK(other.judge(correct_trace(), correct_trace()).laws_hold());
  CHECK(other.check().verdict(Law::unchanged).applies);
}

TEST_CASE("records that differ are noticed") {
  SECTION("in their text") {
    Trace after = correct_trace();
    after.lines[4].body = "y";
    Court court;
    CorrectionCheck& check = court.judge(backward_trace(), after);
    CHECK(broken(check) == std::vector{Law::same_records});
    CHECK_THAT(check.verdict(Law::same_records).first, Catch::EndsWith("text 'x' against 'y'"));
  }
  SECTION("in what the clock sees") {
    // The first four of a receive, the others of the end of a barrier.
    for (int field = 0; field < 9; ++field) {
      CAPTURE(field);
      Trace after = correct_trace();
      Event& event = after.lines[field < 4 ? 3 : 12].event;
      if (field == 0) event.peer = 2;
      if (field == 1) event.tag = 1;
      if (field == 2) event.bytes = 9;
      if (field == 3) event.role = Role::internal;
      if (field == 4) event.operation = Operation::alltoall;
      if (field == 5) event.bytes = 9;
      if (field == 6) event.received = 9;
      if (field == 7) event.root = 0;
      if (field == 8) event.communicator = no_communicator;
      Court court;
      CorrectionCheck& check = court.judge(backward_trace(), after);
      CHECK(broken(check) == std::vector{Law::same_records});
      CHECK(check.verdict(Law::same_records).broken == 1);
    }
  }
  SECTION("in their number: one missing at the end") {
    Trace after = correct_trace();
    after.lines.pop_back();
    Court court;
    CorrectionCheck& check = court.judge(backward_trace(), after);
    CHECK(broken(check) == std::vector{Law::same_records});
    CHECK(check.verdict(Law::same_records).first == "in:13: record of process 10 is missing in the corrected trace");
  }
  SECTION("in their number: one too many") {
    Trace after = correct_trace();
    after.lines.push_back({internal(9000, 2), "x"});
    Court court;
    CorrectionCheck& check = court.judge(backward_trace(), after);
    CHECK(broken(check) == std::vector{Law::same_records});
    CHECK(check.verdict(Law::same_records).first == "out:14: record of process 20 is not in the recorded trace");
  }
}

TEST_CASE("a recorded time kept beside the corrected one is no difference, if it is the recorded time") {
  Trace before = backward_trace();
  Trace after = correct_trace();
  before.lines[2].body = "some text";
  after.lines[3].body = "some text @=1950";
  Court court;
  CHECK(court.judge(before, after).laws_hold());
  after.lines[3].body = "some text @=1951";
  Court other;
  CHECK(broken(other.judge(before, after)) == std::vector{Law::same_records});
  // Nor may one that was kept go away.
  before.lines[2].body = "some text @=1900";
  after.lines[3].body = "some text @=1900";
  Court kept;
  CHECK(kept.judge(before, after).laws_hold());
  after.lines[3].body = "some text";
  Court lost;
  CHECK(broken(lost.judge(before, after)) == std::vector{Law::same_records});
}

TEST_CASE("changes of intervals are a share of local time without the steps of a clock that was set back") {
  // Set back by 1000 between the second and the third event, which the correction undoes.
  const Trace before{internal(10'000, 0), internal(10'500, 0), internal(9'500, 0), internal(10'000, 0)};
  const Trace after{internal(10'000, 0), internal(10'500, 0), internal(10'600, 0), internal(11'110, 0)};
  Court court;
  CorrectionCheck& check = court.judge(before, after);
  CHECK(check.laws_hold());
  CHECK(check.intervals().lengths == 500 + 500);
  CHECK(check.intervals().changes == 10);
  CHECK(check.intervals().largest_change == 10);
  CHECK(check.intervals().of_local_time() == 0.01);
}

TEST_CASE("of equally large changes of intervals the first is named") {
  const Trace before{internal(0, 0), internal(1000, 0), internal(10'000, 0), internal(11'000, 0), internal(20'000, 1)};
  const Trace after{internal(0, 0), internal(1100, 0), internal(10'100, 0), internal(11'200, 0), internal(20'000, 1)};
  Court court;
  CorrectionCheck& check = court.judge(before, after);
  CHECK(check.intervals().all.largest() == 0.1);
  CHECK(check.intervals().largest_in == 0);
  CHECK(check.intervals().largest_at.time[recorded] == Time(1000));
}

TEST_CASE("lines that are no records must be the same, provenance aside") {
  const auto judge = [](const std::vector<std::string>& before, const std::vector<std::string>& after) {
    Court court;
    for (const std::string& line : before) court.check().note(recorded, {0, line});
    for (const std::string& line : after) court.check().note(corrected, {0, line});
    return broken(court.judge(backward_trace(), correct_trace()));
  };
  CHECK(judge({"%process 1 a", "# c"}, {"%provenance clc-filter", "%process 1 a", "# c"}).empty());
  CHECK(judge({"# c"}, {"# d"}) == std::vector{Law::same_records});
  CHECK(judge({"# c"}, {}) == std::vector{Law::same_records});
  CHECK(judge({}, {"# c"}) == std::vector{Law::same_records});
}

TEST_CASE("lines of several traces keep the order of their own trace only") {
  using Lines = std::vector<std::pair<std::size_t, std::string>>;  // with the number of the trace
  const Lines before{{0, "# a"}, {0, "# b"}, {1, "# c"}, {1, "%sync 1 2 3 4 5"}};
  const auto broken_by = [&before](const Lines& after) {
    LineComparison lines(false);
    check::Verdict verdict;
    const Definitions definitions;
    InWindow window({}, {}, definitions);
    for (const auto& [trace, line] : before) lines.add(recorded, trace, line, false, verdict);
    for (const auto& [trace, line] : after) lines.add(corrected, trace, line, false, verdict);
    lines.finish(true, window, verdict);
    return verdict.broken;
  };
  CHECK(broken_by(before) == 0);
  CHECK(broken_by({before[2], before[0], before[3], before[1]}) == 0);
  CHECK(broken_by({before[1], before[0], before[2], before[3]}) == 2);
  CHECK(broken_by({before[0], before[1], before[2]}) == 1);
  CHECK(broken_by({before[0], before[1], before[2], before[3], before[3]}) == 1);
  CHECK(broken_by({before[0], {0, "# B"}, before[2], before[3]}) == 1);
  CHECK(broken_by({before[0], {1, "# b"}, before[2], before[3]}) == 4);
}

TEST_CASE("lines that the corrected trace may lack are not missed, and do not hide others") {
  const auto broken_by = [](const std::vector<std::string>& after) {
    LineComparison lines(false);
    check::Verdict verdict;
    const Definitions definitions;
    InWindow window({}, {}, definitions);
    for (const char* line : {"# a", "# b", "# c", "# d"}) lines.add(recorded, 0, line, line[2] != 'c', verdict);
    for (const std::string& line : after) lines.add(corrected, 0, line, false, verdict);
    lines.finish(true, window, verdict);
    return verdict.broken;
  };
  CHECK(broken_by({"# a", "# b", "# c", "# d"}) == 0);
  CHECK(broken_by({"# c"}) == 0);
  CHECK(broken_by({"# b", "# c"}) == 0);
  CHECK(broken_by({"# c", "# d"}) == 0);
  CHECK(broken_by({"# a", "# b", "# d"}) == 1);
  CHECK(broken_by({}) == 1);
  CHECK(broken_by({"# c", "# e"}) == 1);
}

TEST_CASE("an archive may lack all definitions of a process but the last") {
  const auto broken_by = [](bool into_archive, const std::vector<std::string>& after) {
    LineComparison lines(into_archive);
    check::Verdict verdict;
    const Definitions definitions;
    InWindow window({}, {}, definitions);
    for (const char* line :
         {"%process 1 a", "%process 10 x", "%process 1 b", "%process 1 a", "%process 2", "%process 2 c", "%group 0 1"})
      lines.add(recorded, 0, line, false, verdict);
    for (const std::string& line : after) lines.add(corrected, 0, line, false, verdict);
    lines.finish(true, window, verdict);
    return verdict.broken;
  };
  const std::vector<std::string> last{"%process 1 a", "%process 2 c", "%process 10 x", "%group 0 1"};
  CHECK(broken_by(true, last) == 0);
  CHECK(broken_by(false, last) == 3);
  CHECK(broken_by(true, {last[0], last[1], last[2]}) == 1);
  CHECK(broken_by(true, {last[0], last[1], last[3]}) == 1);
  CHECK(broken_by(true, {last[1], last[2], last[3]}) == 1);
  CHECK(broken_by(true, {"%process 1 b", last[1], last[2], last[3]}) == 1);
  CHECK(broken_by(true, {last[0], "%process 2", last[2], last[3]}) == 1);
  CHECK(broken_by(true, {last[0], last[1], last[2], last[3], "%process 1 d"}) == 1);
}

TEST_CASE("lines behind the damage of a trace are not missed") {
  Court court;
  for (const Column column : {recorded, corrected}) court.check().note(column, {0, "# c"});
  court.check().note(recorded, {0, "# the last one"});
  court.check().finish(false);
  CHECK(broken(court.check()).empty());
}

TEST_CASE("a corrected trace that is not sorted is noticed") {
  Trace after = correct_trace();
  std::swap(after.lines[4], after.lines[5]);
  Court court;
  CorrectionCheck& check = court.judge(backward_trace(), after);
  CHECK(broken(check) == std::vector{Law::sorted});
  CHECK(check.verdict(Law::sorted).first == "out:6: 2201 after 2500");
}

TEST_CASE("edges beyond the wait limit are judged unless they are told apart") {
  const Trace before{receive(1000, 1, 0), send(5000, 0, 1)};
  Court strict;
  CHECK(broken(strict.judge(before, before)) == std::vector{Law::clock_condition});
  Court lenient(3000);
  CorrectionCheck& check = lenient.judge(before, before);
  CHECK(check.laws_hold());
  CHECK(check.edges(corrected).given_up.violated == 1);
}

TEST_CASE("incomplete collective operations are reported apart") {
  const Trace before{begin(1000, 0), end(1001, 1, Operation::barrier), end(1500, 0, Operation::barrier)};
  Court court;
  CorrectionCheck& check = court.judge(before, before);
  CHECK(check.laws_hold());
  CHECK(check.leftovers().incomplete == 1);
  CHECK(check.edges(recorded).incomplete.edges == 1);
  CHECK(check.edges(recorded).incomplete.violated == 1);
}

TEST_CASE("errors against the truth, before and after") {
  const Trace truth_trace{internal(1000, 0), internal(1000, 1), send(2000, 0, 1), receive(2200, 1, 0)};
  const Trace before{internal(1000, 0), internal(1000, 1), receive(1950, 1, 0), send(2000, 0, 1)};
  const Trace after{internal(1000, 0), internal(1050, 1), send(2000, 0, 1), receive(2100, 1, 0)};
  Court court(ticks_max, true);
  CorrectionCheck& check = court.judge(before, after, &truth_trace);
  CHECK(check.laws_hold());
  const TruthErrors& errors = check.truth_errors();
  CHECK(errors.delays[recorded].mean() == 250);
  CHECK(errors.delays[corrected].mean() == 100);
  CHECK(errors.intervals[recorded].largest() == 250);
  CHECK(errors.intervals[recorded].mean() == 125);
  CHECK(errors.intervals[corrected].largest() == 150);
  CHECK(errors.relative_intervals[corrected].largest() == Approx(0.125));
  CHECK(errors.faster == 0);
}

TEST_CASE("a truth of another trace is refused") {
  const Trace before{internal(1000, 0), send(2000, 0, 1)};
  const Trace other{internal(1000, 0), send(2000, 0, 2)};
  const Trace shorter{internal(1000, 0)};
  const Trace longer{internal(1000, 0), send(2000, 0, 1), internal(3000, 0)};
  for (const Trace* wrong : {&other, &shorter, &longer}) {
    Court court(ticks_max, true);
    CHECK_THROWS_AS(court.judge(before, before, wrong), InputError);
  }
}

TEST_CASE("traces of different resolution do not belong together") {
  Definitions a = world(1);
  Definitions b = world(1);
  b.resolution = Resolution(1000);
  const PlainDecoder decoder;
  const auto nowhere = [](std::uint64_t) { return std::string(); };
  CHECK_THROWS_AS(CorrectionCheck({}, {{&a, &decoder, nowhere}, {&b, &decoder, nowhere}}), InputError);
}

TEST_CASE("receives in a long silence of their sender are beyond the wait limit, too") {
  const Trace before{internal(500, 0), receive(1000, 1, 0), receive(4500, 1, 0), internal(4800, 1),
                     send(5000, 0, 1), send(5100, 0, 1),    receive(5150, 1, 0), send(5200, 0, 1)};
  Court court(3000);
  CorrectionCheck& check = court.judge(before, before);
  CHECK(check.edges(corrected).given_up.violated == 2);
  CHECK(check.verdict(Law::clock_condition).broken == 1);
}
