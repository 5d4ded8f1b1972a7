// Receives that took messages in another order than they were sent.
#include "receive_order.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

namespace {

struct Taken {
  Event receive;
  ProcessIndex sender;
  std::array<Time, columns> sent;
  bool matched;
};

Message message_of(const Taken& taken, std::uint64_t place) {
  Message message;
  message.sender = taken.sender;
  message.receiver = taken.receive.process;
  message.sent.time = taken.sent;
  message.received.place[recorded] = place;
  return message;
}

/// By the definition, from the list of all receives.
ReceiveOrderFigures plainly(const std::vector<Taken>& all) {
  ReceiveOrderFigures figures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t next = i + 1;
    while (next < all.size() && all[next].receive.process != all[i].receive.process) ++next;
    if (next == all.size()) continue;
    const Taken& a = all[i];
    const Taken& b = all[next];
    if (!a.matched || !b.matched || a.sender == b.sender || a.receive.tag != b.receive.tag) continue;
    ++figures.pairs;
    const bool in_truth = a.sent[truth] > b.sent[truth];
    figures.turned[truth] += in_truth;
    for (const Column column : {recorded, corrected}) {
      figures.turned[column] += a.sent[column] > b.sent[column];
      figures.wrong[column] += (a.sent[column] > b.sent[column]) != in_truth;
    }
  }
  return figures;
}

}  // namespace

TEST_CASE("figure 1.4: a clock that is behind turns round the order of two sends") {
  ReceiveOrder order;
  order.receive(receive(100, 2, 1), 1, false);
  order.receive(receive(110, 2, 0), 2, false);
  // Process 1 really sent first; process 0 is behind, until it is corrected.
  order.message(message_of({receive(110, 2, 0), 0, {Time(10), Time(60), Time(70)}, true}, 2));
  CHECK(order.figures().pairs == 0);  // the first one is not known yet
  order.message(message_of({receive(100, 2, 1), 1, {Time(50), Time(50), Time(50)}, true}, 1));
  CHECK(order.figures().pairs == 1);
  CHECK(order.figures().turned == std::array<std::uint64_t, columns>{1, 0, 0});
  CHECK(order.figures().wrong == std::array<std::uint64_t, 2>{1, 0});
}

TEST_CASE("the order of receives equals its definition, in whatever order they are matched") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned n) { return static_cast<Ticks>(random() % (n + 1)); };
    std::vector<Taken> all;
    for (Ticks i = 0; i < 300; ++i) {
      const auto process = static_cast<ProcessIndex>(upto(2));
      const auto sender = static_cast<ProcessIndex>(3 + upto(2));
      all.push_back({receive(i, process, sender, upto(9) == 0 ? 1 : 0),
                     sender,
                     {Time(i + upto(5)), Time(i + upto(3)), Time(i + upto(2))},
                     upto(19) != 0});
    }
    ReceiveOrder order;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < all.size(); ++i) {
      order.receive(all[i].receive, i, !all[i].matched);
      if (all[i].matched) open.push_back(i);
      while (!open.empty() && (open.size() > 40 || i + 1 == all.size())) {
        const auto which = static_cast<std::ptrdiff_t>(random() % open.size());
        order.message(message_of(all[open[static_cast<std::size_t>(which)]], open[static_cast<std::size_t>(which)]));
        open.erase(open.begin() + which);
      }
    }
    const ReceiveOrderFigures expected = plainly(all);
    REQUIRE(expected.pairs > 50);
    CHECK(order.figures().pairs == expected.pairs);
    CHECK(order.figures().turned == expected.turned);
    CHECK(order.figures().wrong == expected.wrong);
  }
}

TEST_CASE("a receive that never finds its send does not hold up those after it") {
  ReceiveOrder order;
  order.receive(receive(0, 0, 1), 0, false);
  const std::uint64_t others = 3 * ReceiveOrder::most_waiting;
  for (std::uint64_t i = 1; i <= others; ++i) {
    const auto sender = static_cast<ProcessIndex>(1 + i % 2);
    const Event event = receive(static_cast<Ticks>(i), 0, sender);
    order.receive(event, i, false);
    order.message(message_of({event, sender, {event.time, event.time, event.time}, true}, i));
  }
  CHECK(order.figures().pairs == others - 1);
  CHECK(order.figures().turned == std::array<std::uint64_t, columns>{});
}
