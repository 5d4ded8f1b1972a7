#include "merged/parts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "bytes/file.hpp"
#include "bytes/files.hpp"
#include "clc/error.hpp"
#include "common/aligned.hpp"
#include "common/batch.hpp"
#include "common/corrections.hpp"
#include "common/decorator.hpp"
#include "common/new_folder.hpp"
#include "common/order.hpp"

namespace clc {

void Parts::begin(ProcessIndex process, std::size_t part) {
  if (process >= processes_.size()) processes_.resize(process + std::size_t{1});
  OfProcess& of = processes_[process];
  const auto channel = channels_.try_emplace({part, process}, static_cast<Channel>(channels_.size())).first->second;
  of.stretches.push_back({of.read, channel});
}

Parts::Channel Parts::next(ProcessIndex process) {
  OfProcess& of = processes_[process];
  while (of.stretches.size() > 1 && of.stretches[1].first <= of.written) of.stretches.pop_front();
  ++of.written;
  return of.stretches.front().channel;
}

std::map<ProcessIndex, Parts::Channel> Parts::channels_of(std::size_t part) const {
  std::map<ProcessIndex, Channel> all;
  for (auto at = channels_.lower_bound({part, 0}); at != channels_.end() && at->first.first == part; ++at)
    all.emplace(at->first.second, at->second);
  return all;
}

}  // namespace clc

namespace clc::formats {

namespace {

constexpr std::string_view mark = "%provenance ";

/// The least and the largest correction of a process in a trace, and 0.
struct Range {
  Ticks least = 0;
  Ticks most = 0;
};

/// The number of the process if the line is a point of a map that grows, "%provenance offset@N PROCESS ...".
std::optional<std::uint64_t> process_of_point(std::string_view line) {
  const std::size_t blank = line.find(' ', mark.size());
  if (!line.starts_with(mark) || !line.substr(mark.size()).starts_with("offset@") || blank == std::string_view::npos)
    return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + blank + 1, line.data() + line.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// A trace with its new times. It ends with the first record that has none.
class RetimedSource final : public Decorator {
 public:
  /// Of a process, by its number.
  using Channels = std::map<std::uint64_t, Parts::Channel>;
  RetimedSource(std::unique_ptr<Source> inner, Corrections& corrections, Channels channels, RecordedTimes& recorded)
      : Decorator(std::move(inner)), corrections_(corrections), channels_(std::move(channels)), recorded_(recorded) {}

  bool read(Batch& batch) override {
    batch.clear();
    if (ended_) return false;
    try {
      ended_ = !inner().read(batch);
    } catch (const InputError&) {  // told when it was read first
      ended_ = true;
      batch.clear();
    }
    // The sink has them, and writes them before the first record.
    std::erase_if(batch.notes, [this](const Batch::Note& note) {
      const std::optional<std::uint64_t> process = process_of_point(note.line);
      return process && channels_.contains(*process);
    });
    for (std::size_t i = 0; i < batch.events.size(); ++i) {
      if (retime(batch.events[i])) continue;
      ended_ = true;
      resize_records(batch, i);
      std::erase_if(batch.notes, [i](const Batch::Note& note) { return note.before > i; });
    }
    return !ended_ || !batch.events.empty();
  }

  /// All corrections were used.
  [[nodiscard]] bool complete() {
    std::int64_t correction = 0;
    return std::ranges::none_of(readers_, [&](auto& reader) { return reader && reader->next(correction); });
  }

 private:
  [[nodiscard]] bool retime(Event& event) {
    while (event.process >= readers_.size()) {
      const auto channel = channels_.find(definitions().processes()[readers_.size()].number);
      readers_.emplace_back();
      if (channel != channels_.end()) readers_.back().emplace(corrections_, channel->second);
    }
    std::optional<Corrections::Reader>& reader = readers_[event.process];
    std::int64_t correction = 0;
    if (!reader || !reader->next(correction)) return false;
    recorded_.push(event.process, event.time);
    event.time = Time(static_cast<std::int64_t>(static_cast<std::uint64_t>(event.time.ticks()) +
                                                static_cast<std::uint64_t>(correction)));
    return true;
  }

  Corrections& corrections_;
  Channels channels_;
  RecordedTimes& recorded_;
  std::vector<std::optional<Corrections::Reader>> readers_;  ///< by process
  bool ended_ = false;
};

class PartsSink final : public Sink {
 public:
  PartsSink(const std::string& folder, const Definitions& definitions, const SinkOptions& options, OpenSink open)
      : parts_(*options.parts), definitions_(definitions), options_(options), open_(std::move(open)) {
    take_names(folder);
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) == 0)
      throw OutputError(folder + ": already exists; name a new folder for the traces");
    folder_.emplace(folder, false, options.sync);
    parts_.follow();
  }

  [[nodiscard]] Order order() const noexcept override { return Order::each_process; }
  void events(std::span<const Corrected> run) override {
    std::optional<Corrections::Writer> corrections;
    Parts::Channel last = 0;
    for (const Corrected& event : run) {
      const Parts::Channel channel = parts_.next(event.process);
      if (!corrections || channel != last) {
        corrections.reset();
        if (channel >= ranges_.size()) grow();
        corrections.emplace(corrections_, channel);
        last = channel;
      }
      corrections->add(event.recorded.ticks(), event.time.ticks());
      Range& range = ranges_[channel];
      range.least = std::min(range.least, event.time - event.recorded);
      range.most = std::max(range.most, event.time - event.recorded);
    }
  }
  /// Each trace has its own, apart from the points of a map that grows while the traces are read.
  void note(Body line) override {
    if (const auto process = process_of_point(line)) points_[*process].emplace_back(line.substr(mark.size()));
  }
  void flush() override {}
  void close() override {
    corrections_.finish();
    for (std::size_t part = 0; part < names_.size(); ++part) write(part);
    folder_->publish();
  }
  [[nodiscard]] std::string damage() const override { return damage_; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return warnings_; }

 private:
  void take_names(const std::string& folder);
  void grow() {
    corrections_.grow(parts_.channels());
    ranges_.resize(parts_.channels());
  }
  void write(std::size_t part);
  Parts& parts_;
  const Definitions& definitions_;
  SinkOptions options_;
  OpenSink open_;
  std::vector<std::string> names_;
  std::optional<NewFolder> folder_;
  Corrections corrections_{0};
  std::vector<Range> ranges_;                                 ///< by channel
  std::map<std::uint64_t, std::vector<std::string>> points_;  ///< provenance, by the number of the process
  std::string damage_;
  std::vector<std::string> warnings_;
};

/// The file names, which have to differ.
void PartsSink::take_names(const std::string& folder) {
  std::map<std::string, std::string> paths;
  for (const std::string& path : parts_.paths()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
      throw UsageError(input_name(path) + ": expected a file, because each trace is read again for " + folder +
                       "; copy it");
    names_.push_back(std::filesystem::path(path).filename().string());
    const auto [same, added] = paths.emplace(names_.back(), path);
    if (!added)
      throw UsageError(folder + ": " + same->second + " and " + path + " would have the same name; rename one of them");
  }
}

void PartsSink::write(std::size_t part) {
  const auto channels = parts_.channels_of(part);
  RetimedSource::Channels by_number;
  Range all;
  for (const auto& [process, channel] : channels) {
    by_number.emplace(definitions_.processes()[process].number, channel);
    if (channel >= ranges_.size()) grow();  // none of its records was written
    all.least = std::min(all.least, ranges_[channel].least);
    all.most = std::max(all.most, ranges_[channel].most);
  }
  SinkOptions to = options_;
  for (const auto& [number, channel] : by_number)
    if (const auto points = points_.find(number); points != points_.end())
      to.provenance.insert(to.provenance.end(), points->second.begin(), points->second.end());
  OpenedSource opened = parts_.open(part);
  RecordedTimes recorded;
  auto retimed =
      std::make_unique<RetimedSource>(std::move(opened.source), corrections_, std::move(by_number), recorded);
  RetimedSource& trace = *retimed;
  std::unique_ptr<Source> source = std::move(retimed);
  if (channels.size() > 1)
    source = sorted_within(std::move(source), subtract_saturating(all.most, all.least), parts_.sort_memory());
  to.parts = nullptr;
  to.threads = nullptr;
  to.sync = false;
  to.format = opened.format;
  to.body_format = opened.format;
  to.zstd_level = opened.zstd_level;
  to.decoder = &source->decoder();
  const std::unique_ptr<Sink> sink = open_(folder_->path() + '/' + names_[part], source->definitions(), to);
  WithRecorded with_recorded(*sink, recorded);
  Copier copier(with_recorded);
  Batch batch;
  for (bool more = true; more;) {
    try {
      more = source->read(batch);
    } catch (const SortMemoryExceeded&) {
      const double us = definitions_.resolution.microseconds(static_cast<double>(all.most - all.least));
      throw InputError(names_[part] + ": the corrections of its processes differ by up to " +
                       std::to_string(std::llround(us)) + " us, so more than " + std::to_string(parts_.sort_memory()) +
                       " bytes would have to be buffered for sorting; raise SourceOptions::sort_memory");
    }
    pass_on(batch, copier);
  }
  sink->close();
  if (damage_.empty()) damage_ = sink->damage();
  for (std::string& line : sink->warnings()) warnings_.push_back(names_[part] + ": " + line);
  if (damage_.empty() && !trace.complete())
    damage_ = parts_.paths()[part] + ": changed while it was corrected; correct it again";
}

}  // namespace

std::unique_ptr<Sink> parts_sink(const std::string& folder, const Definitions& definitions, const SinkOptions& options,
                                 OpenSink open) {
  return std::make_unique<PartsSink>(folder, definitions, options, std::move(open));
}

}  // namespace clc::formats
