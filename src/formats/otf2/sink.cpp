// Keeps the corrections until all are known, then writes the archive again with them.
#include <algorithm>
#include <vector>

#include "clc/error.hpp"
#include "common/corrections.hpp"
#include "common/new_folder.hpp"
#include "otf2/archive.hpp"
#include "otf2/own.hpp"
#include "otf2/rewrite.hpp"
#include "threads/crew.hpp"

namespace clc::otf2 {

namespace {

class ArchiveSink final : public Sink {
 public:
  ArchiveSink(const std::string& path, const SinkOptions& options)
      : archive_(options.archive),
        folder_(path, options.overwrite, options.sync),
        corrections_(archive_->locations().size()),
        options_{options.keep_original, own::joined(options.provenance), options.clock_offsets, 0,
                 options.threads ? options.threads->crew().count() : 1} {}

  [[nodiscard]] Order order() const noexcept override { return Order::each_process; }
  void events(std::span<const Corrected> run) override {
    for (auto first = run.begin(); first != run.end();) {
      formats::Corrections::Writer corrections(corrections_, first->process);
      const ProcessIndex process = first->process;
      raise_for(*first);
      for (; first != run.end() && first->process == process; ++first)
        if (first->body.empty())  // others are not in the archive
          corrections.add(archive_->in_file(first->recorded), archive_->in_file(first->time));
    }
  }
  /// An archive's notes were made from its definitions, except the points of a map that grows.
  void note(Body line) override { own::add_grown(options_.provenance, line); }
  void flush() override {}
  void close() override {
    // What cannot be read to its end has not all its corrections; the source has said why.
    if (archive_->damaged) return;
    corrections_.finish();
    rewrite(*archive_, corrections_, folder_.path(), folder_.target(), options_);
    folder_.publish();
  }
  [[nodiscard]] std::vector<std::string> warnings() const override { return folder_.warnings(); }
  [[nodiscard]] std::string damage() const override {
    return archive_->faults.empty() ? std::string() : archive_->faults.front();
  }

 private:
  /// The earliest time of a process comes first.
  void raise_for(const Corrected& event) {
    if (begun_[event.process]) return;
    begun_[event.process] = true;
    options_.raise = std::max(options_.raise, subtract_saturating(0, archive_->in_file(earliest_time(event))));
  }

  [[nodiscard]] Time earliest_time(const Corrected& event) const {
    if (!options_.clock_offsets) return event.time;
    const std::uint64_t number = archive_->definitions().processes()[event.process].number;
    const OffsetLine* const line = options_.clock_offsets->line_of(number);
    return line == nullptr ? event.recorded : line->at(event.recorded);
  }

  std::shared_ptr<Archive> archive_;
  formats::NewFolder folder_;
  formats::Corrections corrections_;
  RewriteOptions options_;
  std::vector<bool> begun_ = std::vector<bool>(archive_->locations().size());  ///< by process
};

}  // namespace

std::unique_ptr<Sink> archive_sink(const std::string& path, const SinkOptions& options) {
  const Archive& archive = *options.archive;
  const bool has_room =
      archive.free_string() != OTF2_UNDEFINED_STRING && archive.free_attribute() != OTF2_UNDEFINED_ATTRIBUTE;
  if (options.keep_original && archive.own().recorded == OTF2_UNDEFINED_ATTRIBUTE && !has_room)
    throw OutputError(
        path +
        ": found a string or attribute with the highest number of all, expected a free one for "
        "recorded times; leave out SinkOptions::keep_original, or choose text or binary with SinkOptions::format");
  return std::make_unique<ArchiveSink>(path, options);
}

}  // namespace clc::otf2
