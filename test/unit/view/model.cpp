// What the model keeps of a trace, against the trace.
#include "view/model/model.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "message.hpp"
#include "view/figures/svg.hpp"
#include "view/page/page.hpp"

namespace clc::view {
namespace {

class Recorder {
 public:
  explicit Recorder(std::size_t processes, std::optional<Window> window = {},
                    std::size_t detail = Model::default_detail) {
    std::vector<ProcessIndex> all;
    for (std::size_t i = 0; i < processes; ++i) all.push_back(definitions.add_process(i, "rank" + std::to_string(i)));
    definitions.add_communicator(0, all);
    model = std::make_unique<Model>(Parameters{}, definitions, window, detail);
  }
  void add(Role role, ProcessIndex process, Ticks before, Ticks after, ProcessIndex peer = 0, std::uint64_t bytes = 8) {
    Event event = clc::test::message(role, Time(after), process, peer);
    event.bytes = bytes;
    const Kind kind = role == Role::send               ? Kind::send
                      : role == Role::receive          ? Kind::receive
                      : role == Role::collective_begin ? Kind::collective_begin
                      : role == Role::collective_end   ? Kind::collective_end
                                                       : Kind::other;
    model->add(event, {Time(before), Time(after)}, kind, {});
  }
  void region(Kind kind, ProcessIndex process, Ticks before, Ticks after, std::string_view name) {
    Event event;
    event.time = Time(after);
    event.process = process;
    model->add(event, {Time(before), Time(after)}, kind, name);
  }

  Definitions definitions;
  std::unique_ptr<Model> model;
};

double busy(const Model& model, Column side, Regions::Id region) {
  double sum = 0;
  const TimeGrid<Activity>& grid = model.activities().grid(side);
  for (std::size_t row = 0; row < grid.rows(); ++row)
    for (std::size_t column = 0; column < grid.columns(); ++column)
      for (const Activity::Share& share : grid.cell(row, column).shares)
        if (share.region == region) sum += static_cast<double>(share.ticks);
  return sum;
}

TEST_CASE("a message that goes back is seen before, and not after", "[view]") {
  Recorder trace(2);
  trace.add(Role::receive, 1, 1900, 3000, 0);
  trace.add(Role::send, 0, 2000, 2000, 1, 64);
  trace.model->finish();
  const Model& model = *trace.model;
  REQUIRE(model.arrows().size() == 1);
  CHECK(model.arrows()[0].delay(recorded) == -100);
  CHECK(model.arrows()[0].delay(corrected) == 1000);
  CHECK(model.counts().messages[recorded].backward == 1);
  CHECK(model.counts().messages[corrected].backward == 0);
  CHECK(model.counts().messages[corrected].violated == 0);
  CHECK(model.corrections().moved() == 1);
  CHECK(model.corrections().largest() == 1100);
  CHECK(model.corrections().most_corrected() == 1);
  CHECK(model.traffic().cell(0, 1).messages == 1);
  CHECK(model.traffic().cell(0, 1).bytes == 64);
  CHECK(model.traffic().cell(0, 1).side[recorded].backward == 1);
  CHECK(model.counts().delays[recorded].negative.count(26) == 1);  // 96 to 112
  REQUIRE(model.corridors().size() == 1);
  CHECK(model.corridors()[0]->all.forth == Both<Ticks>{-100, 1000});
  CHECK(model.corridors()[0]->all.back[recorded] == ticks_max);
  CHECK(headline({model, true, nullptr}) == "1 of 1 messages was received before it was sent. 0 after correction.");
}

TEST_CASE("differences of times that do not fit 64 bits are noted", "[view]") {
  for (const Ticks more : {0, 1}) {
    Recorder trace(2);
    trace.add(Role::send, 0, -1'000, -1'000, 1);
    trace.add(Role::receive, 1, ticks_max - 1'000 + more, ticks_max - 1'000 + more, 0);
    trace.model->finish();
    CHECK(trace.model->shown().spread() == static_cast<std::uint64_t>(ticks_max) + static_cast<std::uint64_t>(more));
    CHECK(trace.model->arrows()[0].delay(recorded) == ticks_max);
    CHECK(far_apart(*trace.model).empty() == (more == 0));
  }
  // Also of recorded times alone.
  Recorder trace(1);
  trace.add(Role::internal, 0, -10, 5);
  trace.add(Role::internal, 0, 0, ticks_max);
  trace.model->finish();
  CHECK(
      far_apart(*trace.model) ==
      "Times are up to 9,223,372,036 s apart. Differences of more than 2^63 ticks (9,223,372,036 s) are shown as 2^63 "
      "ticks; fewer ticks per second avoid that.");
}

TEST_CASE("messages are judged by the delay of their communicator", "[view]") {
  Recorder trace(2);
  trace.definitions.add_communicator(0, {0, 1}, 100);
  Ticks time = 0;
  for (const Ticks delay : {200, 100, 99}) {
    trace.add(Role::send, 0, time, time, 1);
    time += delay;
    trace.add(Role::receive, 1, time, time, 0);
  }
  trace.model->finish();
  CHECK(trace.model->counts().messages[recorded].edges == 3);
  CHECK(trace.model->counts().messages[recorded].violated == 1);
}

TEST_CASE("regions are nested, and each moment belongs to the innermost", "[view]") {
  Recorder trace(1);
  trace.region(Kind::enter, 0, 0, 0, "main");
  trace.region(Kind::enter, 0, 100, 100, "solve");
  trace.region(Kind::leave, 0, 300, 350, "solve");
  trace.region(Kind::leave, 0, 1000, 1050, "main");
  trace.model->finish();
  const Model& model = *trace.model;
  CHECK(busy(model, recorded, 0) == 800);
  CHECK(busy(model, recorded, 1) == 200);
  CHECK(busy(model, corrected, 1) == 250);
  REQUIRE(model.activities().segments().values().size() == 3);
  CHECK(model.activities().segments().values()[1].to == Both<Time>{Time(300), Time(350)});
  CHECK(model.activities().regions_by_time() == std::vector<Regions::Id>{0, 1});
}

TEST_CASE("a collective operation without a region around it is one", "[view]") {
  Recorder trace(2);
  for (const ProcessIndex p : {0U, 1U}) trace.add(Role::collective_begin, p, 10 + p, 10 + p);
  for (const ProcessIndex p : {0U, 1U}) trace.add(Role::collective_end, p, 5010 + p, 5010 + p);
  trace.model->finish();
  const Model& model = *trace.model;
  REQUIRE(model.activities().segments().values().size() == 2);
  CHECK(model.regions().names()[model.activities().segments().values()[0].region] == "barrier");
  CHECK(model.counts().operations == 1);
  CHECK(model.counts().collectives[recorded].edges == 2);

  Recorder inside(1);
  inside.region(Kind::enter, 0, 0, 0, "MPI_Barrier");
  inside.add(Role::collective_begin, 0, 1, 1);
  inside.add(Role::collective_end, 0, 9, 9);
  inside.region(Kind::leave, 0, 10, 10, "MPI_Barrier");
  inside.model->finish();
  REQUIRE(inside.model->activities().segments().values().size() == 1);
  CHECK(inside.model->regions().names()[inside.model->activities().segments().values()[0].region] == "MPI_Barrier");
}

std::map<std::string, Ticks> times_in_regions(const Model& model) {
  std::map<std::string, Ticks> times;
  for (const Segment& segment : model.activities().segments().values())
    times[model.regions().names()[segment.region]] += segment.to[recorded] - segment.from[recorded];
  return times;
}

TEST_CASE("a collective operation whose end is missing is no region", "[view]") {
  Recorder trace(1);
  trace.region(Kind::enter, 0, 0, 0, "main");
  trace.region(Kind::enter, 0, 100, 100, "init");
  trace.region(Kind::leave, 0, 200, 200, "init");
  trace.add(Role::collective_begin, 0, 1000, 1000);
  trace.add(Role::collective_begin, 0, 5000, 5000);
  trace.add(Role::collective_end, 0, 6000, 6000);
  trace.add(Role::collective_begin, 0, 8000, 8000);
  trace.region(Kind::leave, 0, 9000, 9000, "main");
  trace.region(Kind::enter, 0, 9500, 9500, "after");
  trace.region(Kind::leave, 0, 9900, 9900, "after");
  trace.add(Role::collective_begin, 0, 10'000, 10'000);
  trace.region(Kind::enter, 0, 10'500, 10'500, "after");
  trace.region(Kind::leave, 0, 10'600, 10'600, "after");
  trace.region(Kind::enter, 0, 20'000, 20'000, "after");
  trace.region(Kind::leave, 0, 20'100, 20'100, "after");
  trace.model->finish();
  CHECK(times_in_regions(*trace.model) ==
        std::map<std::string, Ticks>{{"main", 7900}, {"init", 100}, {"barrier", 1000}, {"after", 600}});
}

TEST_CASE("a region with the name of a collective operation is left by itself", "[view]") {
  // More names than are known each, so that all others are the same.
  for (const std::size_t names : {std::size_t{1}, Regions::most}) {
    Recorder trace(1);
    trace.region(Kind::enter, 0, 0, 0, "main");
    for (std::size_t n = 0; n < names; ++n) {
      trace.region(Kind::enter, 0, 10, 10, numbered("r", n));
      trace.region(Kind::leave, 0, 10, 10, numbered("r", n));
    }
    trace.add(Role::collective_begin, 0, 1000, 1000);
    trace.add(Role::collective_end, 0, 2000, 2000);
    trace.region(Kind::enter, 0, 3000, 3000, "collective operation");
    trace.region(Kind::leave, 0, 4000, 4000, "collective operation");
    trace.region(Kind::leave, 0, 9000, 9000, "main");
    trace.model->finish();
    CHECK(times_in_regions(*trace.model)["main"] == 7000);
  }
}

TEST_CASE("regions without end, without begin and too deep do no harm", "[view]") {
  Recorder trace(1);
  trace.region(Kind::leave, 0, 0, 0, "never entered");
  for (Ticks i = 1; i <= 1000; ++i) trace.region(Kind::enter, 0, i, i, numbered("r", static_cast<std::size_t>(i)));
  for (Ticks i = 1001; i <= 1990; ++i) trace.region(Kind::leave, 0, i, i, "r");
  trace.model->finish();
  double sum = 0;
  for (const Segment& segment : trace.model->activities().segments().values())
    sum += static_cast<double>(segment.to[recorded] - segment.from[recorded]);
  CHECK(sum == 1989);
}

TEST_CASE("after regions that were too deep the region in effect is right again", "[view]") {
  Recorder trace(1);
  trace.region(Kind::enter, 0, 0, 0, "main");
  for (Ticks i = 1; i <= 300; ++i) trace.region(Kind::enter, 0, i, i, "deep");
  for (Ticks i = 301; i <= 600; ++i) trace.region(Kind::leave, 0, i, i, "deep");
  trace.region(Kind::leave, 0, 1600, 1600, "main");
  trace.model->finish();
  const Model& model = *trace.model;
  CHECK(model.regions().names() == std::vector<std::string>{"main", "deep"});
  CHECK(busy(model, recorded, 0) == 1001);
  CHECK(busy(model, recorded, 1) == 599);
}

TEST_CASE("more names than the table holds share the last one", "[view]") {
  Regions regions;
  for (std::size_t i = 0; i < 3000; ++i)
    CHECK(regions.id(numbered("r", static_cast<std::size_t>(i))) == std::min<std::size_t>(i, Regions::most - 1));
  CHECK(regions.names().size() == Regions::most);
  CHECK(regions.id("r5") == 5);
  CHECK(regions.id("new") == Regions::most - 1);
}

TEST_CASE("changes of intervals are counted as clc-filter counts them", "[view]") {
  Recorder trace(1);
  trace.add(Role::internal, 0, 0, 0);
  trace.add(Role::internal, 0, 1000, 1000);
  trace.add(Role::internal, 0, 2000, 2010);
  trace.add(Role::internal, 0, 2000, 2020);
  trace.model->finish();
  const Intervals& intervals = trace.model->intervals();
  CHECK(intervals.exact == 1);
  CHECK(intervals.changed == 1);
  CHECK(intervals.widened == 1);
  CHECK(intervals.largest == Approx(0.01));
  CHECK(intervals.largest_change == 10);
}

TEST_CASE("of too many messages a sample stays, with those that go back furthest", "[view]") {
  Recorder trace(2, {}, 0);
  const std::uint64_t count = Arrows::most * 4;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<Ticks>(i * 1000);
    const Ticks delay = i % 10 == 0 ? -static_cast<Ticks>(i % 1000) - 1 : 50;
    trace.add(Role::send, 0, at, at, 1);
    trace.add(Role::receive, 1, at + delay, at + 50, 0);
  }
  trace.model->finish();
  const Model& model = *trace.model;
  CHECK_FALSE(model.all_arrows());
  CHECK_FALSE(model.all_points());
  CHECK(model.points().empty());
  CHECK(model.arrows().size() <= Arrows::sampled + Arrows::Worst::most);
  CHECK(model.arrows().size() >= Arrows::sampled);
  CHECK(model.counts().messages[recorded].edges == count);
  CHECK(model.counts().messages[recorded].backward == count / 10);
  // The worst thousand are those with i % 1000 == 990, 980, ...: all of the first kinds are there.
  std::size_t worst = 0;
  double forward = 0;
  double late = 0;
  for (const Arrow& arrow : model.arrows()) {
    worst += arrow.delay(recorded) == -991;
    forward += arrow.delay(recorded) > 0;
    late += arrow.sent[recorded].ticks() > static_cast<Ticks>(count * 500);
  }
  CHECK(worst == count / 1000);
  CHECK(forward > 0.8 * Arrows::sampled);
  CHECK(late > 0.4 * static_cast<double>(model.arrows().size()));
  CHECK(page_data({model, true, nullptr}).size() < 200000);
}

TEST_CASE("a window counts what is in it, what crosses its borders apart", "[view]") {
  Recorder trace(2, Window{1e-6, 3e-6});
  trace.region(Kind::enter, 0, 0, 0, "main");
  trace.add(Role::send, 0, 500, 500, 1);
  trace.add(Role::receive, 1, 1500, 1500, 0);
  trace.add(Role::send, 0, 3500, 3500, 1);
  trace.add(Role::receive, 1, 3600, 3600, 0);
  trace.region(Kind::leave, 0, 5000, 5000, "main");
  trace.model->finish();
  CHECK(trace.model->counts().events == 1);
  CHECK(trace.model->counts().messages[recorded].edges == 0);
  CHECK(trace.model->counts().crossing_messages == 1);
  CHECK(trace.model->arrows().size() == 1);
  REQUIRE(trace.model->activities().segments().values().size() == 1);
  CHECK(trace.model->activities().segments().values()[0].from[recorded] == Time(1000));
  CHECK(trace.model->activities().segments().values()[0].to[recorded] == Time(3000));
}

TEST_CASE("an excerpt has the axis of the trace, and counts as plain counting does", "[view]") {
  std::mt19937_64 random(7);
  for (int run = 0; run < 200; ++run) {
    const Ticks from = static_cast<Ticks>(random() % 900'000);
    const Ticks to = from + 1 + static_cast<Ticks>(random() % 100'000);
    Recorder trace(3, Window{static_cast<double>(from) * 1e-9, static_cast<double>(to) * 1e-9});
    constexpr Ticks origin = 5'000'000;
    trace.add(Role::internal, 2, origin - 77, origin);
    std::uint64_t inside = 0;
    std::uint64_t crossing = 0;
    std::uint64_t events = from == 0;
    Ticks newest = 0;
    for (Ticks sent = 1000; sent < 1'000'000; sent += 2000) {
      const Ticks received = sent + 1 + static_cast<Ticks>(random() % 900);
      const auto in = [&](Ticks time) { return time >= from && time <= to; };
      // Recorded far away: that makes no axis longer.
      trace.add(Role::send, 0, origin + sent - 41'000'000, origin + sent, 1);
      trace.add(Role::receive, 1, origin + received, origin + received, 0);
      inside += in(sent) && in(received);
      crossing += in(sent) != in(received);
      events += std::uint64_t{in(sent)} + std::uint64_t{in(received)};
      newest = received;
    }
    trace.model->finish();
    const Model& model = *trace.model;
    CAPTURE(from, to);
    REQUIRE(model.counts().events == events);
    REQUIRE(model.counts().messages[corrected].edges == inside);
    REQUIRE(model.counts().crossing_messages == crossing);
    if (events == 0) continue;
    REQUIRE(model.shown().first() - model.shown().origin() == from);
    REQUIRE(model.shown().last() - model.shown().origin() == std::max(from + 1, std::min(to, newest)));
    REQUIRE(model.shown().length() == newest);
    REQUIRE(excerpt_of({model, true, nullptr}).starts_with("Excerpt from "));
  }
}

TEST_CASE("both ends of a message that is shown have a row, also where nothing else of them is in the window",
          "[view]") {
  for (const ProcessIndex late : {2U, 200U}) {
    Recorder trace(late + 1, Window{1e-6, 3e-6});
    trace.add(Role::internal, 0, 0, 0);
    trace.add(Role::receive, late, 500, 500, 0);
    trace.add(Role::send, 0, 2000, 2000, late);
    trace.model->finish();
    REQUIRE(trace.model->arrows().size() == 1);
    for (const Column side : sides)
      CHECK(trace.model->activities().grid(side).rows() > late / trace.model->activities().grid(side).group());
  }
  // One side of the region has no length.
  Recorder trace(2, Window{1e-6, 3e-6});
  trace.region(Kind::enter, 1, 1500, 500, "main");
  trace.region(Kind::enter, 0, 1500, 1500, "main");
  trace.region(Kind::leave, 1, 1500, 5000, "main");
  trace.model->finish();
  CHECK(trace.model->activities().grid(recorded).rows() == trace.model->activities().grid(corrected).rows());
}

TEST_CASE("a message that begins or ends outside of a window does not make its columns wider", "[view]") {
  Recorder trace(2, Window{1, 1.00001});
  trace.add(Role::internal, 0, 0, 0);
  trace.add(Role::send, 0, 1000, 1000, 1);  // long before
  Ticks time = 1'000'000'000;
  trace.add(Role::receive, 1, time, time, 0);
  for (int i = 0; i < 10; ++i, time += 1000) {
    trace.add(Role::send, 0, time + 100, time + 100, 1);
    trace.add(Role::receive, 1, time + 600, time + 600, 0);
  }
  trace.add(Role::send, 1, 1'000'009'999, 1'000'009'999, 0);
  trace.add(Role::receive, 0, 9'000'000'000, 9'000'000'000, 1);  // long after
  trace.model->finish();
  const Model& model = *trace.model;
  CHECK(model.counts().messages[recorded].edges == 10);
  CHECK(model.counts().crossing_messages == 2);
  CHECK(model.arrows().size() == 12);
  for (const Column side : sides) {
    const TimeGrid<Activity>& grid = model.activities().grid(side);
    CHECK(grid.start() >= Time(1'000'000'000 - 16));
    CHECK(grid.width() <= 16);
    std::uint32_t sends = 0;
    for (std::size_t row = 0; row < grid.rows(); ++row)
      for (std::size_t column = 0; column < grid.columns(); ++column) sends += grid.cell(row, column).sends;
    CHECK(sends == 11);
  }
  REQUIRE(model.corridors().size() == 1);
  const Corridor& pair = *model.corridors()[0];
  CHECK(pair.messages == 12);
  CHECK(pair.all.back[recorded] == 7'999'990'001);
  CHECK(pair.course.start() >= Time(1'000'000'000 - 128));
  CHECK(pair.course.width() <= 128);

  // A pair of processes that only has a message that ends outside: its bounds are known, its course is empty.
  Recorder alone(2, Window{1e-6, 2e-6});
  alone.add(Role::internal, 0, 0, 0);
  alone.add(Role::send, 0, 1500, 1500, 1);
  alone.add(Role::receive, 1, 9000, 9000, 0);
  alone.model->finish();
  REQUIRE(alone.model->corridors().size() == 1);
  CHECK(alone.model->corridors()[0]->course.empty());
  CHECK(alone.model->corridors()[0]->all.forth[recorded] == 7500);
  const PageFacts facts{"t", "t", "text", {}, {}, 0, {}, {}};
  CHECK(draw_page({*alone.model, false, nullptr}, facts).find("data-figure=\"clocks\"") == std::string::npos);
}

TEST_CASE("a window counts the collective operations that begin and end in it", "[view]") {
  Recorder trace(2, Window{1e-6, 3e-6});
  for (const Ticks begin : {0, 1000, 4000}) {
    for (const ProcessIndex p : {0U, 1U}) trace.add(Role::collective_begin, p, begin, begin);
    for (const ProcessIndex p : {0U, 1U}) trace.add(Role::collective_end, p, begin + 500, begin + 500);
  }
  trace.model->finish();
  CHECK(trace.model->counts().operations == 1);
  CHECK(trace.model->counts().collectives[recorded].edges == 2);
}

TEST_CASE("a process that comes late joins rows and columns of the traffic", "[view]") {
  TrafficMatrix traffic;
  const auto message = [&](std::size_t from, std::size_t to, double bytes) {
    Traffic& cell = traffic.at(from, to);
    ++cell.messages;
    cell.bytes += bytes;
  };
  message(0, 1, 1);
  message(1, 0, 2);
  message(2, 5, 4);
  message(63, 62, 8);
  CHECK(traffic.group() == 1);
  CHECK(traffic.size() == 64);
  message(3, 64, 16);
  CHECK(traffic.group() == 2);
  CHECK(traffic.size() == 33);
  CHECK(traffic.cell(0, 0).messages == 2);
  CHECK(traffic.cell(0, 0).bytes == 3);
  CHECK(traffic.cell(0, 1).messages == 0);
  CHECK(traffic.cell(1, 2).bytes == 4);
  CHECK(traffic.cell(31, 31).bytes == 8);
  CHECK(traffic.cell(1, 32).bytes == 16);
  message(300, 4, 32);
  CHECK(traffic.group() == 8);
  CHECK(traffic.cell(0, 0).bytes == 7);
  CHECK(traffic.cell(7, 7).bytes == 8);
  CHECK(traffic.cell(0, 8).bytes == 16);
  CHECK(traffic.cell(37, 0).bytes == 32);
}

TEST_CASE("pairs of processes come with the most backward messages first, then with the most", "[view]") {
  Recorder trace(4);
  Ticks time = 0;
  const auto message = [&](ProcessIndex from, ProcessIndex to, Ticks delay) {
    time += 10'000;
    trace.add(Role::send, from, time, time, to);
    trace.add(Role::receive, to, time + delay, time + 5000, from);
  };
  for (int i = 0; i < 3; ++i) message(0, 1, 2000);
  message(2, 0, -100);
  message(1, 2, -100);
  message(2, 1, 2000);
  for (int i = 0; i < 4; ++i) message(1, 3, 2000);
  trace.model->finish();
  std::vector<std::pair<ProcessIndex, ProcessIndex>> order;
  for (const Corridor* pair : trace.model->corridors()) order.emplace_back(pair->first, pair->second);
  CHECK(order == std::vector<std::pair<ProcessIndex, ProcessIndex>>{{1, 2}, {0, 2}, {1, 3}, {0, 1}});
}

TEST_CASE("an axis of sizes without a power of ten has labels at its ends", "[view]") {
  // Labels below the axis of messages with these delays, in microseconds.
  const auto labels = [](const std::vector<Ticks>& delays) {
    Recorder trace(2);
    Ticks time = 0;
    for (const Ticks delay : delays) {
      time += 10'000'000;
      trace.add(Role::send, 0, time, time, 1);
      trace.add(Role::receive, 1, time + delay * 1000, time + delay * 1000, 0);
    }
    trace.model->finish();
    const std::string panel = draw_delay_histogram({*trace.model, false, nullptr}).at(0);
    std::vector<std::string> found;
    const std::string row = "y=\"222\"";
    for (std::size_t at = panel.find(row); at != std::string::npos; at = panel.find(row, at + 1)) {
      const std::size_t begin = panel.find('>', at) + 1;
      found.push_back(panel.substr(begin, panel.find('<', begin) - begin));
    }
    return found;
  };
  const std::string us = "\xC2\xA0\xC2\xB5s";
  const std::string minus = "\xE2\x88\x92";
  CHECK(labels({50, 200}) == std::vector<std::string>{"100" + us});
  CHECK(labels({250, 251}) == std::vector<std::string>{"262" + us, "229" + us});
  CHECK(labels({250, 800}) == std::vector<std::string>{"918" + us, "229" + us});
  CHECK(labels({150, -151}) ==
        std::vector<std::string>{"164" + us, "131" + us, minus + "164" + us, minus + "131" + us, "0"});
  // The first of narrow classes stands too near to the other end.
  CHECK(labels({250, -251}) == std::vector<std::string>{"262" + us, minus + "262" + us, "0"});
  // 1 ms on one side only.
  CHECK(labels({-250, 2000}) == std::vector<std::string>{"1\xC2\xA0ms", minus + "262" + us, "0"});
}

TEST_CASE("shares of all regions are shares of the time in all of them", "[view]") {
  Recorder trace(1);
  Ticks now = 0;
  for (const auto& [name, length] : {std::pair<const char*, Ticks>{"solve", 500}, {"exchange", 300}, {"write", 200}}) {
    trace.region(Kind::enter, 0, now, now, name);
    now += length;
    trace.region(Kind::leave, 0, now, now, name);
  }
  trace.model->finish();
  const std::vector<Numbers> tables = timeline_numbers({*trace.model, false, nullptr});
  REQUIRE(tables.size() == 1);
  double sum = 0;
  for (const std::vector<std::string>& row : tables[0].rows) sum += std::stod(row.at(2));
  CHECK(tables[0].rows.size() == 3);
  CHECK(sum == Approx(100));
}

/// Messages with these delays, one after the other, and the end of the trace.
void finish_with(const std::vector<Ticks>& delays, Recorder& trace) {
  Ticks now = 1'000'000;
  for (const Ticks delay : delays) {
    now += 10'000;
    trace.add(Role::send, 0, now, now, 1);
    trace.add(Role::receive, 1, now + delay, now + delay, 0);
  }
  trace.model->finish();
}

TEST_CASE("classes of delays are listed from the most negative to the largest", "[view]") {
  Recorder trace(2);
  finish_with({300, -100, 0, 5, -700, -200, 40}, trace);
  const std::vector<Numbers> tables = delay_histogram_numbers({*trace.model, false, nullptr});
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 7);
  // All of them are nanoseconds.
  const auto value = [](std::string words) {
    const std::string minus = "\xE2\x88\x92";
    if (words.starts_with(minus)) words.replace(0, minus.size(), "-");
    return std::stod(words);
  };
  double end = -1000;
  for (const std::vector<std::string>& row : tables[0].rows) {
    CAPTURE(row);
    CHECK(value(row.at(0)) >= end);
    CHECK(value(row.at(1)) >= value(row.at(0)));
    end = value(row.at(1));
  }
}

TEST_CASE("bars of delays lie inside of their figure, whichever is the highest", "[view]") {
  const std::regex view_box("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"");
  const std::string number_in = "(-?[0-9.]+)";
  const std::regex bar("(?:<rect class=\"[^\"]*\" x=\"|M)" + number_in + "(?:\" y=\"| )" + number_in +
                       "(?:\" width=\"|h)" + number_in + "(?:\" height=\"|v)" + number_in);
  for (const Ticks most : {-500, 0, 500}) {
    std::vector<Ticks> delays(400, most);
    for (const Ticks delay : {-500, 0, 500}) delays.push_back(delay);
    Recorder trace(2);
    finish_with(delays, trace);
    const std::string figure = draw_delay_histogram({*trace.model, false, nullptr}).at(0);
    std::smatch box;
    const bool has_box = std::regex_search(figure, box, view_box);
    REQUIRE(has_box);
    const double width = std::stod(box[1]);
    const double height = std::stod(box[2]);
    std::size_t bars = 0;
    for (std::sregex_iterator at(figure.begin(), figure.end(), bar), end; at != end; ++at, ++bars) {
      const auto number = [&](std::size_t group) { return std::stod((*at)[group]); };
      CAPTURE(most, at->str());
      CHECK(number(1) >= 0);
      CHECK(number(2) >= 0);
      CHECK(number(1) + number(3) <= width);
      CHECK(number(2) + number(4) <= height);
    }
    CHECK(bars == 3);
  }
}

TEST_CASE("more processes than rows share them", "[view]") {
  Recorder trace(1000);
  std::mt19937_64 random(1);
  for (Ticks i = 0; i < 5000; ++i) {
    const auto from = static_cast<ProcessIndex>(random() % 1000);
    const auto to = static_cast<ProcessIndex>((from + 1 + random() % 999) % 1000);
    trace.add(Role::send, from, i * 10, i * 10, to);
    trace.add(Role::receive, to, i * 10 + 5, i * 10 + 5, from);
  }
  trace.model->finish();
  const Model& model = *trace.model;
  CHECK(model.activities().grid(recorded).rows() <= Activities::most_rows);
  CHECK(model.activities().grid(recorded).group() == 16);
  CHECK(model.traffic().group() == 16);
  std::uint64_t messages = 0;
  for (std::size_t i = 0; i < model.traffic().size(); ++i)
    for (std::size_t k = 0; k < model.traffic().size(); ++k) messages += model.traffic().cell(i, k).messages;
  CHECK(messages == 5000);
  CHECK(model.corridors().size() == Corridors::most);
  CHECK_FALSE(model.all_corridors());
  const PageFacts facts{"t", "t", "text", {}, {}, 0, {}, {}};
  CHECK(draw_page({model, true, nullptr}, facts).size() < 2000000);
}

/// The y of all points of the paths of a style: "M1 2L3 4".
std::vector<double> heights(const std::string& panel, const std::string& style) {
  std::vector<double> found;
  for (std::size_t at = panel.find("class=\"" + style); at != std::string::npos;
       at = panel.find("class=\"" + style, at + 1)) {
    const std::size_t path = panel.find("d=\"", at);
    if (path == std::string::npos || path > panel.find('>', at)) continue;
    for (std::size_t i = panel.find(' ', path); i < panel.find('"', path + 3); i = panel.find(' ', i + 1))
      found.push_back(std::strtod(panel.c_str() + i, nullptr));
  }
  return found;
}

TEST_CASE("corrections of many processes: bands from the smallest to the largest, medians between", "[view]") {
  // One process of each eight is not corrected, the others by 58 to 128 us.
  Recorder trace(80);
  std::mt19937_64 random(1);
  for (Ticks i = 0; i < 20'000; ++i) {
    const auto process = static_cast<ProcessIndex>(random() % 80);
    const Ticks shift = process % 8 == 0 ? 0 : 58'000 + static_cast<Ticks>(random() % 70'001);
    trace.add(Role::internal, process, i * 1000, i * 1000 + shift);
  }
  trace.model->finish();
  const std::string panel = draw_corrections({*trace.model, true, nullptr}).at(0);
  const std::vector<double> bands = heights(panel, "spread");
  const std::vector<double> medians = heights(panel, "curve");
  REQUIRE(bands.size() > 1000);
  REQUIRE(medians.size() > 500);
  const double top = *std::min_element(bands.begin(), bands.end());     // 128 us
  const double bottom = *std::max_element(bands.begin(), bands.end());  // 0
  const double least = bottom + (top - bottom) * 58 / 128;
  CHECK(*std::max_element(medians.begin(), medians.end()) <= least + 1);
  CHECK(heights(panel, "thin").empty());
  // No saw: each edge of a band is drawn once, and goes on where some of its processes are silent.
  CHECK(bands.size() == 2 * medians.size());

  // With up to 64 processes each has its own line.
  Recorder few(64);
  for (Ticks i = 0; i < 6400; ++i) few.add(Role::internal, static_cast<ProcessIndex>(i % 64), i, i + i % 64);
  few.model->finish();
  const std::string lines = draw_corrections({*few.model, true, nullptr}).at(0);
  std::size_t count = 0;
  for (std::size_t at = lines.find("\"thin\""); at != std::string::npos; at = lines.find("\"thin\"", at + 1)) ++count;
  CHECK(count == 64);
}

TEST_CASE("times at both ends of 64 bits are drawn", "[view]") {
  Recorder trace(2);
  trace.add(Role::send, 0, ticks_min, ticks_min, 1);
  trace.add(Role::receive, 1, ticks_max, ticks_max, 0);
  trace.add(Role::send, 1, ticks_max, ticks_max, 0);
  trace.add(Role::receive, 0, ticks_min + 1, ticks_max, 1);
  trace.model->finish();
  const PageFacts facts{"t", "t", "text", {}, {}, 0, {}, {}};
  const std::string page = draw_page({*trace.model, true, nullptr}, facts);
  for (const std::string_view broken : {"\"nan", " nan", ">nan", "\"inf", " inf ", "-inf", "Lnan", "Mnan"})
    CHECK(page.find(broken) == std::string::npos);
}

}  // namespace
}  // namespace clc::view
