#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "clc/error.hpp"
#include "common/program.hpp"
#include "generate.hpp"
#include "options.hpp"
#include "scenarios.hpp"
#include "writer.hpp"

namespace {

constexpr std::string_view name = "clc-tracegen";

int run(int argc, char** argv) {
  using namespace clc;
  tracegen::Options options;
  if (!tracegen::parse(argc, argv, options)) return tool::status_ok;
  tracegen::Plan plan;
  const auto program = tracegen::make_program(options.settings, plan);
  if (!options.seed_given && !options.provenance)
    std::cerr << std::string(name) + ": seed " + std::to_string(options.settings.seed) + '\n';

  SinkOptions sink;
  sink.format = options.format;
  sink.zstd_level = options.zstd_level;
  sink.sync = options.sync;
  sink.overwrite = options.overwrite;
  if (options.provenance) sink.provenance = tracegen::provenance(options);
  tracegen::TraceWriter recorded(options.output, sink, options.settings, plan);
  std::optional<tracegen::TraceWriter> truth;
  if (!options.truth.empty()) truth.emplace(options.truth, sink, options.settings, plan);
  tracegen::generate(options.settings, plan, *program, recorded, truth ? &*truth : nullptr);
  recorded.close();
  if (truth) truth->close();
  tool::warn(name, recorded.warnings());
  if (truth) tool::warn(name, truth->warnings());

  if (options.truncate) {
    std::error_code error;
    const auto size = std::filesystem::file_size(options.output, error);
    if (!error && size > *options.truncate) std::filesystem::resize_file(options.output, *options.truncate, error);
    if (error) throw OutputError(options.output + ": cannot be cut: " + error.message());
  }
  return tool::status_ok;
}

}  // namespace

int main(int argc, char** argv) {
  return clc::tool::run_program(name, [&] { return run(argc, argv); });
}
