// Without Eigen.
#include "clc/error.hpp"
#include "estimation/estimation.hpp"

namespace clc::tool {

sync::Estimate estimate_clocks(Source& /*source*/, const sync::Options& /*options*/, bool /*keep_going*/) {
  throw UsageError("this build is without Eigen (Debian: libeigen3-dev) and cannot estimate clocks");
}

bool can_estimate() noexcept { return false; }

}  // namespace clc::tool
