#include "lost/search.hpp"

#include "clc/error.hpp"

namespace clc::lost {

bool Search::find(SourceOptions from) {
  if (has_read()) return ends_->tells();
  from.as_input = times_ == Times::own;  // kept times are in the bodies, which the events of an archive lack then
  from.any_order = false;
  const OpenedSource opened = open_source(input_, from);
  ends_ = std::make_unique<Ends>(most_memory_);
  could_read_all_ = add_all(*opened.source, *ends_, times_);
  if (ends_->too_many() && !refusal_.empty()) throw UsageError(refusal_);
  definitions_ = opened.source->definitions();
  return ends_->find(definitions_);
}

std::unique_ptr<Source> Search::open_marked(const SourceOptions& from) {
  std::unique_ptr<Source> source = std::move(open_source(input_, from).source);
  return find(from) ? marked(std::move(source), *ends_) : std::move(source);
}

}  // namespace clc::lost
