#include "filter_mpi/lost_records.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "clc/error.hpp"
#include "clc/io/format.hpp"

namespace clc::filter_mpi {

bool LostRecords::find() {
  if (ends_ != nullptr) return ends_->tells();
  SourceOptions from = options_.source;
  from.as_input = true;
  const OpenedSource opened = open_source(options_.input, from);
  ends_ = std::make_unique<lost::Ends>(options_.parameters.max_memory);
  lost::add_all(*opened.source, *ends_);
  if (ends_->too_many() && options_.match)
    throw UsageError("--match whole: " + options_.input +
                     ": more sends, receives and calls than the first process holds; give --match fifo");
  definitions_ = opened.source->definitions();
  return ends_->find(definitions_);
}

std::unique_ptr<Source> LostRecords::open_marked(const SourceOptions& from) {
  std::unique_ptr<Source> source = std::move(open_source(options_.input, from).source);
  if (options_.match == Match::fifo || !find()) return source;
  return lost::marked(std::move(source), *ends_);
}

lost::Marks LostRecords::marks(MpiPartners& partners, const Definitions& definitions) {
  std::vector<std::int64_t> found;
  partners.step([&] {
    if (partners.rank() == 0 && find()) found = ends_->numbers(definitions_);
  });
  partners.step([&] { found = partners.all(found).front(); });
  return found.empty() ? lost::Marks() : lost::Marks(found, definitions);
}

}  // namespace clc::filter_mpi
