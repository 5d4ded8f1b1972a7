#include "view/run.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "clc/error.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/values.hpp"
#include "formats/bytes/files.hpp"
#include "trace/one_or_many.hpp"
#include "view/page/page.hpp"
#include "view/reader.hpp"
#include "view/terminal.hpp"

namespace clc::view {

namespace {

constexpr std::string_view program = "clc-view";

bool terminal_output(const Options& options) { return options.output == "-" && ::isatty(STDOUT_FILENO) == 1; }

std::size_t text_width(const Options& options) {
  if (options.width) return *options.width;
  struct winsize size = {};
  if (terminal_output(options) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    return size.ws_col;
  return 80;
}

bool colour_wanted(const Options& options) {
  const char* const none = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  return terminal_output(options) && (none == nullptr || *none == '\0') && kind != nullptr &&
         std::string_view(kind) != "dumb";
}

void refuse(const Options& options) {
  if (options.trace == "-" && ::isatty(STDIN_FILENO) == 1)
    throw UsageError("standard input is a terminal; name a trace or use a pipe");
  if (options.kind != Output::text && terminal_output(options))
    throw UsageError("standard output is a terminal; name a file with -o, or use --text");
  const auto check = [&](const std::string& path) {
    if (writes_over(path, options.output))
      throw UsageError((options.output == "-" ? output_name(options.output) : "-o: " + options.output) +
                       " is an input");
  };
  check(options.trace);
  if (options.before) check(*options.before);
  if (options.report) check(*options.report);
}

std::string draw_figure(const Scene& scene, const std::string& name) {
  const auto* const figure = std::ranges::find_if(figures, [&](const FigureInfo& known) { return known.name == name; });
  std::string drawing = standalone(figure->draw(scene));
  if (!drawing.empty()) return drawing;
  std::string why = "the trace holds nothing to draw";
  if (name == "offsets" && scene.map == nullptr)
    why = "no map of the clocks was applied; use clc-filter --estimate or --offsets";
  else if (name == "corrections" && !scene.two_sides)
    why = "needs recorded times; give --before TRACE, or use clc-filter --keep-original";
  throw InputError("--svg " + name + ": " + why);
}

/// Whether a report belongs to the trace; empty: it may. A conversion to Paje adds events.
std::string doubt_of(const FilterReport& report, const Reader& reader) {
  if (!report.processes || !reader.damage().empty()) return {};
  const bool converted = reader.format() == Format::paje && report.format != name_of(Format::paje);
  if (*report.processes == reader.processes() && (converted || report.events == reader.events())) return {};
  const auto size = [](std::uint64_t events, std::uint64_t processes) {
    return std::to_string(events) + " events of " + std::to_string(processes) + " processes";
  };
  return "the report is about " + size(report.events, *report.processes) + ", the trace has " +
         size(reader.events(), reader.processes()) + ": do they belong together?";
}

std::vector<std::string> warnings_of(const Options& options, const Reader& reader) {
  std::vector<std::string> lines = reader.warnings();
  if (const std::string note = far_apart(reader.model()); !note.empty())
    lines.push_back(input_name(options.trace) + ": " + note);
  return lines;
}

/// A word for a shell.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char letter : word) letter == '\'' ? out += "'\\''" : out += letter;
  return out + '\'';
}

/// That shows the same trace again in the same way; of standard input it cannot know the name.
std::string command_of(const Options& options) {
  std::string line = "clc-view";
  for (const auto& [name, value] : options.given) {
    line += ' ' + name;
    if (name == "--before" && value == "-")
      line += " RECORDED";
    else if (!value.empty())
      line += (value.starts_with("-") ? "=" : " ") + shell_word(value);
  }
  if (options.trace == "-") return line + " TRACE";
  return line + ' ' + shell_word((options.trace.starts_with("-") ? "./" : "") + options.trace);
}

std::string empty_window(const Options& options, const Reader& reader) {
  if (reader.events() == 0) return input_name(options.trace) + ": has no events, so none between --from and --to";
  const Model& model = reader.model();
  return input_name(options.trace) + ": has no event between --from and --to; the trace has " +
         std::to_string(reader.events()) + " events from 0 to " +
         tool::shortest(model.definitions().resolution.seconds(static_cast<double>(model.shown().length()))) + " s";
}

}  // namespace

int run(const Options& options) {
  refuse(options);
  Reader reader(options);
  OutputFile output(options.output, options.sync);
  {
    const tool::Progress::When when = options.quiet      ? tool::Progress::When::never
                                      : options.progress ? tool::Progress::When::always
                                                         : tool::Progress::When::large;
    tool::Progress progress(when, input_name(options.trace));
    reader.read(progress);
  }
  if (!options.quiet) tool::warn(program, warnings_of(options, reader));
  // After the end of the trace: clc-filter at the other end of a pipe has its report ready then.
  std::optional<FilterReport> report;
  if (options.report) report = read_filter_report(*options.report);
  const std::string doubt = report ? doubt_of(*report, reader) : std::string();
  if (!doubt.empty() && !options.quiet) tool::warn(program, *options.report + ": " + doubt);

  if (options.window && reader.model().counts().events == 0 && reader.damage().empty())
    throw InputError(empty_window(options, reader));
  const Verdict verdict = reader.verdict();
  const Offsets map = reader.offsets();
  const Scene scene{reader.model(), reader.two_sides(), report ? &*report : nullptr, &verdict,
                    map.empty() ? nullptr : &map};
  std::string text;
  switch (options.kind) {
    case Output::page: {
      PageFacts facts;
      facts.trace = input_name(options.trace);
      if (options.before) facts.trace += ", recorded: " + input_name(*options.before);
      facts.title = options.title.value_or(options.trace == "-" ? "Trace from standard input" : options.trace);
      facts.command = command_of(options);
      facts.format = name_of(reader.format());
      facts.provenance = reader.provenance();
      facts.damage = reader.damage();
      facts.doubt = doubt;
      facts.unmatched = reader.unmatched();
      text = draw_page(scene, facts);
      break;
    }
    case Output::figure:
      text = draw_figure(scene, options.figure);
      break;
    case Output::text:
      text = draw_text(scene, text_width(options), colour_wanted(options));
      break;
  }
  output.stream() << text;
  output.close();
  if (reader.unmatched() != 0 && !options.quiet)
    tool::warn(program, std::to_string(reader.unmatched()) +
                            one_or_many(reader.unmatched(), " record is", " records are") +
                            " in only one of the two traces");
  if (!reader.damage().empty()) throw InputError(reader.damage());
  return tool::status_ok;
}

}  // namespace clc::view
