#include "filter/output.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "common/formats.hpp"
#include "common/program.hpp"
#include "common/provenance.hpp"
#include "formats/bytes/files.hpp"

namespace clc::filter {

namespace {

/// Would the file lie in the folder?
bool lies_in(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (file == "-" || folder.empty() || !fs::is_directory(folder, error)) return false;
  const fs::path parent = fs::path(file).parent_path();
  return fs::equivalent(parent.empty() ? fs::path(".") : parent, folder, error);
}

/// What a folder with the same set of traces cannot have.
void require_same_traces(const Options& options) {
  for (const auto& [given, name] : {std::pair(options.writing.output_format.has_value(), "-F"),
                                    std::pair(options.writing.zstd_level.has_value(), "-z")})
    if (given)
      throw UsageError(options.output + ": a folder of traces keeps their formats; leave out " + name +
                       ", or write to a file");
  if (options.window())
    throw UsageError(options.output +
                     ": part of the traces cannot be written as the same set of files; write to a file");
}

/// A folder gets traces with the names of the input files.
void require_names(const Options& options) {
  if (tool::same_input_twice(options.input)) return;
  throw UsageError(options.output + ": " +
                   (options.input == "-" ? "standard input has no file name" : options.input + " is not a file") +
                   "; name the input files, or a file for the output");
}

void require_place(const Options& options, const OpenedSource& opened, Format format) {
  if (opened.archive && is_folder(format) && options.window())
    throw UsageError(std::string(options.from_s ? "--from" : "--to") +
                     ": part of an archive cannot be written as an archive; use -F binary or -F text");
  if (is_folder(format) && tool::within(options.output, options.input))
    throw UsageError(options.output + " holds the input; write to another folder and rename it");
  if (!opened.archive && lies_in(options.output, options.input))
    throw UsageError(options.output + ": lies in the input folder, and would be one of its traces; write elsewhere");
}

/// Of the output, the newest first.
std::vector<std::string> provenance_lines(const Options& options, const Offsets& map, double min_delay_us) {
  std::vector<std::string> lines;
  if (!options.writing.provenance) return lines;
  if (!options.write_offsets) lines = tool::provenance_of(map);
  lines.insert(lines.begin(),
               std::string(program) + ' ' + std::string(tool::version()) + ' ' + effective(options, min_delay_us));
  return lines;
}

}  // namespace

void refuse_to_overwrite(const Options& options) {
  std::vector<std::string> inputs = options.source.further;
  inputs.push_back(options.input);
  inputs.push_back(options.source.files_from);
  inputs.push_back(options.offsets.value_or(""));
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    const std::string what = &input == &inputs.back() ? " is the file of --offsets" : " is the input";
    // Without records there may be a table.
    const std::string output = options.dry_run && !options.reporting.report ? "-" : options.output;
    if ((!options.dry_run || !options.reporting.report) && writes_over(input, output))
      throw UsageError(output_name(output) + what + "; write to another file and rename it");
    if (options.reporting.report && writes_over(input, *options.reporting.report))
      throw UsageError("--report: " + output_name(*options.reporting.report) + what);
  }
  if (!options.reporting.report || *options.reporting.report == "-") return;
  if (!options.dry_run && same_output(options.output, *options.reporting.report))
    throw UsageError("--report: " + *options.reporting.report + " is the output");
}

std::unique_ptr<Sink> open_output(const Options& options, const Input& input, std::shared_ptr<Threads> threads,
                                  double min_delay_us) {
  if (options.dry_run) return nullptr;
  const OpenedSource& opened = input.opened();
  SinkOptions to;
  to.format = output_format(options, input);
  require_place(options, opened, to.format);
  if (options.output.ends_with('/') && !is_folder(to.format)) {
    if (opened.parts)
      require_same_traces(options);
    else
      require_names(options);
    to.parts = opened.parts;
  } else if (opened.parts && opened.format == Format::paje && to.format == Format::paje && !options.quiet) {
    tool::warn(program,
               "merging Paje traces loses their types and variables, and all containers but processes, see "
               "clc-trace(5); -o FOLDER/ keeps them");
  }
  to.zstd_level = options.writing.zstd_level;
  if (!to.zstd_level && !is_folder(to.format)) to.zstd_level = opened.zstd_level;
  if (to.zstd_level == 0) to.zstd_level.reset();
  to.body_format = opened.body_format.value_or(opened.format);
  to.threads = std::move(threads);
  to.archive = opened.archive;
  to.sync = options.writing.sync;
  to.overwrite = options.writing.overwrite;
  to.decoder = &input.source().decoder();
  to.keep_original = options.writing.keep_original;
  if (options.write_offsets) to.clock_offsets = std::make_shared<const Offsets>(input.map());
  to.provenance = provenance_lines(options, input.map(), min_delay_us);
  return open_sink(options.output, input.definitions(), to);
}

}  // namespace clc::filter
