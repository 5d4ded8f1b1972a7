// Kinds of random traces that laws hold for.
#pragma once

#include <vector>

#include "random_trace.hpp"

namespace clc::test {

struct Kind {
  const char* name;
  TraceOptions options;
};
inline const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list{{"sound", {}},
                                      {"coarse", {.coarse = true}},
                                      {"non-blocking", {.non_blocking = true}},
                                      {"shared clocks", {.non_blocking = true, .shared_clocks = true}},
                                      {"set back", {.set_back = true}},
                                      {"set back, shared clocks", {.shared_clocks = true, .set_back = true}},
                                      {"set back, damaged", {.defects = true, .set_back = true}},
                                      {"damaged", {.defects = true}},
                                      {"chaos", {.chaos = true}},
                                      {"damaged, shared clocks", {.defects = true, .shared_clocks = true}}};
  return list;
}

}  // namespace clc::test
