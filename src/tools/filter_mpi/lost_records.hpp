// Lost records, as --match whole finds them: the first process reads the whole archive once more for that, and tells
// the others.
#pragma once

#include <memory>
#include <span>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/io/source.hpp"
#include "filter_mpi/options.hpp"
#include "filter_mpi/partners.hpp"
#include "lost/ends.hpp"
#include "lost/marks.hpp"

namespace clc::filter_mpi {

class LostRecords {
 public:
  /// Keeps a reference.
  explicit LostRecords(const Options& options) : options_(options) {}

  /// The archive from its begin, with what is known of lost records unless they are not looked for.
  [[nodiscard]] std::unique_ptr<Source> open_marked(const SourceOptions& from);
  /// Of all processes: what the first one finds. definitions: of the own process.
  [[nodiscard]] lost::Marks marks(MpiPartners& partners, const Definitions& definitions);
  /// In the first process: sends and receives whose other end is missing, on the channels of which it is known.
  [[nodiscard]] std::span<const Loss> losses() const noexcept {
    return ends_ == nullptr ? std::span<const Loss>() : std::span<const Loss>(ends_->losses());
  }
  /// In the first process: there are more sends, receives and calls than it holds, so that nothing was found.
  [[nodiscard]] bool too_many() const noexcept { return ends_ != nullptr && ends_->too_many(); }

 private:
  /// Reads the archive, unless that was done. False: nothing is told of any channel or communicator.
  [[nodiscard]] bool find();

  const Options& options_;
  std::unique_ptr<lost::Ends> ends_;
  Definitions definitions_;  ///< of that reading
};

}  // namespace clc::filter_mpi
