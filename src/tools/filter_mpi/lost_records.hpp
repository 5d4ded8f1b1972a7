// Lost records, as --match whole finds them: the first process reads the whole archive once more for that, and tells
// the others.
#pragma once

#include <memory>

#include "clc/definitions.hpp"
#include "clc/io/source.hpp"
#include "filter_mpi/options.hpp"
#include "filter_mpi/partners.hpp"
#include "lost/marks.hpp"
#include "lost/search.hpp"

namespace clc::filter_mpi {

class LostRecords {
 public:
  /// Keeps a reference.
  explicit LostRecords(const Options& options);

  /// The archive from its begin, with what is known of lost records unless they are not looked for.
  [[nodiscard]] std::unique_ptr<Source> open_marked(const SourceOptions& from);
  /// Of all processes: what the first one finds. definitions: of the own process.
  [[nodiscard]] lost::Marks marks(MpiPartners& partners, const Definitions& definitions);
  /// In the first process: there are more sends, receives and calls than memory, so that nothing was found.
  [[nodiscard]] bool too_many() const noexcept { return search_.too_many(); }

 private:
  const Options& options_;
  lost::Search search_;
};

}  // namespace clc::filter_mpi
