// What is counted of a trace as it is.
#include "trace_check.hpp"

#include <catch2/catch.hpp>

#include "helpers.hpp"

using namespace clc;
using namespace clc::check;

TEST_CASE("messages of pairs beyond those that are told apart are summed up") {
  const Definitions definitions = world(3);
  Parameters parameters;
  parameters.min_delay_us = 0.1;  // 100 ticks
  TraceCheck check(parameters, definitions, {}, 2);
  for (const Event& event :
       {send(1000, 0, 1), receive(1200, 1, 0), send(1300, 1, 2), receive(1500, 2, 1), send(2000, 2, 0),
        receive(2050, 0, 2), send(3000, 0, 2), receive(3500, 2, 0), send(4000, 0, 1), receive(4300, 1, 0)})
    check.add(event, 1);
  check.finish();
  CHECK(check.messages().edges == 5);
  CHECK(check.pairs().size() == 2);
  CHECK(check.other_pairs().edges == 2);
  CHECK(check.other_pairs().violated == 1);
  CHECK(check.other_pairs().smallest_delay == 50);
}
