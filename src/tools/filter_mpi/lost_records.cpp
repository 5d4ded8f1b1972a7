#include "filter_mpi/lost_records.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clc/io/format.hpp"

namespace clc::filter_mpi {

namespace {

/// Where --match whole was asked for.
std::string refusal_of(const Options& options) {
  if (!options.match) return {};
  return "--match whole: " + options.input +
         ": more sends, receives and calls than --max-memory holds; use a larger --max-memory, or --match fifo";
}

}  // namespace

LostRecords::LostRecords(const Options& options)
    : options_(options), search_(options.input, options.parameters.max_memory, refusal_of(options)) {}

std::unique_ptr<Source> LostRecords::open_marked(const SourceOptions& from) {
  if (options_.match != Match::fifo) return search_.open_marked(from);
  return std::move(open_source(options_.input, from).source);
}

lost::Marks LostRecords::marks(MpiPartners& partners, const Definitions& definitions) {
  std::vector<std::int64_t> found;
  partners.step([&] {
    if (partners.rank() == 0 && search_.find(options_.source)) found = search_.ends().numbers(search_.definitions());
  });
  partners.step([&] { found = partners.all(found).front(); });
  return found.empty() ? lost::Marks() : lost::Marks(found, definitions);
}

}  // namespace clc::filter_mpi
