// The command line of clc-view. Parsing opens no files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clc/io/format.hpp"
#include "clc/parameters.hpp"
#include "view/model/model.hpp"

namespace clc::view {

enum class Output { page, figure, text };

struct Options {
  std::string trace = "-";
  std::optional<std::string> before;  ///< the trace as recorded
  std::optional<std::string> report;  ///< of clc-filter, JSON
  std::string output = "-";
  bool sync = true;  ///< wait until it is on the disk
  Output kind = Output::page;
  std::string figure;  ///< its name
  std::optional<std::string> title;
  SourceOptions source;  ///< order apart
  Parameters parameters;
  std::optional<Window> window;
  std::size_t detail = Model::default_detail;  ///< bytes
  std::optional<std::size_t> width;            ///< of text, columns
  /// Those given, by name and value, that change what is shown of any part of the trace.
  std::vector<std::pair<std::string, std::string>> given;
  bool quiet = false;
  bool progress = false;
};

/// nullopt when --help or --version was printed. Throws UsageError.
[[nodiscard]] std::optional<Options> parse(int argc, const char* const* argv);

}  // namespace clc::view
