// Without Eigen.
#include "clc/error.hpp"
#include "estimation/estimation.hpp"
#include "estimation/look_ahead.hpp"

namespace clc::tool {

FirstPass first_pass(Source& /*source*/, const TraceInput& /*trace*/, const sync::Options& /*options*/,
                     bool /*keep_going*/, bool /*choose*/, const Again& /*again*/, const OffsetsFile* /*file*/) {
  throw UsageError("this build is without Eigen (Debian: libeigen3-dev) and cannot estimate clocks");
}

std::optional<FirstPass> divided_first_pass(const DividedTrace& /*divided*/, const TraceInput& /*trace*/,
                                            const sync::Options& /*options*/, bool /*choose*/,
                                            const OffsetsFile* /*file*/) {
  throw UsageError("this build is without Eigen (Debian: libeigen3-dev) and cannot estimate clocks");
}

MappedAhead with_look_ahead(std::unique_ptr<Source> /*inner*/, const LookAhead& /*settings*/,
                            RecordedTimes& /*recorded*/) {
  throw UsageError("this build is without Eigen (Debian: libeigen3-dev) and cannot estimate clocks");
}

bool can_estimate() noexcept { return false; }

}  // namespace clc::tool
