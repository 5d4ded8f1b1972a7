#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>

#include "clc/error.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "generate.hpp"
#include "options.hpp"
#include "scenarios.hpp"
#include "writer.hpp"

namespace {

constexpr std::string_view name = "clc-tracegen";

/// Passes records on and shows how many there are.
class Watched final : public clc::tracegen::Output {
 public:
  Watched(Output& inner, clc::tool::Progress& progress, std::uint64_t total)
      : inner_(inner), progress_(progress), total_(total) {}
  void points(std::span<const clc::tracegen::Placed> run) override {
    inner_.points(run);
    records_ += run.size();
    progress_.show(records_, total_);
  }
  void communicator(clc::CommunicatorIndex number, std::span<const clc::ProcessIndex> members) override {
    inner_.communicator(number, members);
  }
  void line(const std::string& text) override { inner_.line(text); }

 private:
  Output& inner_;
  clc::tool::Progress& progress_;
  std::uint64_t total_;
  std::uint64_t records_ = 0;
};

int run(int argc, char** argv) {
  using namespace clc;
  tracegen::Options options;
  if (!tracegen::parse(argc, argv, options)) return tool::status_ok;
  tracegen::Plan plan;
  const auto program = tracegen::make_program(options.settings, plan);
  if (!options.seed_given && !options.provenance) std::cerr << name << ": seed " << options.settings.seed << '\n';

  SinkOptions sink;
  sink.format = options.format;
  sink.zstd_level = options.zstd_level;
  sink.sync = options.sync;
  sink.overwrite = options.overwrite;
  if (options.provenance) sink.provenance = {tracegen::provenance(options)};
  tracegen::TraceWriter recorded(options.output, sink, options.settings, plan);
  std::optional<tracegen::TraceWriter> truth;
  if (!options.truth.empty()) truth.emplace(options.truth, sink, options.settings, plan);
  {
    const bool to_terminal = options.output == "-" && ::isatty(STDOUT_FILENO) == 1;
    tool::Progress progress(to_terminal ? tool::Progress::When::never : tool::Progress::When::large, std::string(name));
    Watched watched(recorded, progress, options.settings.events.value_or(0));
    tracegen::generate(options.settings, plan, *program, watched, truth ? &*truth : nullptr);
  }
  recorded.close();
  if (truth) truth->close();
  tool::warn(name, recorded.warnings());
  if (truth) tool::warn(name, truth->warnings());

  if (options.truncate) {
    std::error_code error;
    const auto size = std::filesystem::file_size(options.output, error);
    if (!error && size > *options.truncate) std::filesystem::resize_file(options.output, *options.truncate, error);
    if (error) throw OutputError(options.output + ": cannot be truncated: " + error.message());
  }
  return tool::status_ok;
}

}  // namespace

int main(int argc, char** argv) {
  return clc::tool::run_program(name, [&] { return run(argc, argv); });
}
