#include "generate.hpp"

#include "bursts.hpp"
#include "world.hpp"

namespace clc::tracegen {

Generated generate(const Settings& settings, const Plan& plan, Program& program, Output& recorded, Output* truth) {
  std::vector<Clock> clocks;
  clocks.reserve(plan.processes);
  for (std::uint32_t process = 0; process < plan.processes; ++process)
    clocks.emplace_back(settings.clock, plan.clocks[process], settings.resolution, plan.duration, settings.seed,
                        process);
  // The clocks are read by the measurements, too: copies, as the time of a reading never decreases.
  Bursts bursts(settings, clocks, recorded, truth);
  bursts.measure(0);
  Recorder recorder(settings, std::move(clocks), recorded, truth);
  World world(settings, plan.processes, recorder);
  for (std::uint64_t k = 0; k < plan.rounds; ++k) {
    world.begin_round(static_cast<double>(k) / static_cast<double>(plan.rounds));
    world.end_round(program.round(world, k));
  }
  program.finish(world);
  world.finish();
  bursts.measure(world.frontier());
  return {recorder.added(), recorder.peak()};
}

}  // namespace clc::tracegen
