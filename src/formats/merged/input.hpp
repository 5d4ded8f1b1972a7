// One of several traces that are merged: its batch, its notes, and its indexes of processes and communicators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/io/source.hpp"
#include "common/definition_lines.hpp"
#include "common/number_index.hpp"
#include "merged/heads.hpp"
#include "merged/merged.hpp"

namespace clc::formats {

class Input {
 public:
  explicit Input(MergedInput input)
      : name_(std::move(input.name)), source_(std::move(input.source)), binary_(input.binary) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool binary() const noexcept { return binary_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return source_->definitions(); }
  [[nodiscard]] Record decode(Body body) const { return source_->decoder().decode(body); }
  [[nodiscard]] std::string describe(std::uint64_t place) const { return source_->describe(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return source_->bytes_read(); }
  [[nodiscard]] std::vector<std::string> warnings() const { return source_->warnings(); }
  [[nodiscard]] std::vector<std::string> remarks() const { return source_->remarks(); }

  /// Reads until there are records, or to the end. Throws InputError; the notes read so far stay.
  void read();
  /// All records of the batch were taken.
  [[nodiscard]] bool used_up() const noexcept { return position_ == batch_.events.size(); }
  [[nodiscard]] const Batch& batch() const noexcept { return batch_; }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }
  [[nodiscard]] Time next_time() const noexcept { return batch_.events[position_].time; }
  void advance(std::size_t to) noexcept { position_ = to; }
  /// Fetches the columns of the next records into the cache; fetch_bodies: what they point to.
  void fetch_columns() const noexcept {
    const Event* const event = batch_.events.data() + position_;
    __builtin_prefetch(event);
    __builtin_prefetch(event + 1);
    __builtin_prefetch(event + 2);
    __builtin_prefetch(batch_.bodies.data() + position_);
    __builtin_prefetch(batch_.places.data() + position_);
  }
  void fetch_bodies() const noexcept { __builtin_prefetch(batch_.bodies[position_].data()); }
  /// How far this trace, whose number that is, comes before another: the end of a run without notes inside.
  [[nodiscard]] std::size_t run(const Head* other, std::size_t number) const noexcept;

  /// The next note ahead of the next record; null: there is none.
  [[nodiscard]] const std::string* next_note() const noexcept {
    return !notes_.empty() && notes_.front().before <= position_ ? &notes_.front().line : nullptr;
  }
  void drop_note() { notes_.pop_front(); }

  /// The index among all of the process or communicator that a line of this trace defines; nullopt: it is new.
  [[nodiscard]] std::optional<std::uint32_t> known(std::string_view line, const DefinitionLines& all) const;
  /// Does the line define it as all know it, by that index? A process without name, and a
  /// communicator without members, agree with any.
  [[nodiscard]] bool agrees(std::string_view line, const Definitions& all, std::uint32_t known);
  /// The message that it does not; other: the name of the trace that defined it.
  [[nodiscard]] std::string contradiction(std::string_view line, const Definitions& all,
                                          const std::string& other) const;

  /// Whether a process had records here before.
  [[nodiscard]] bool returns(ProcessIndex process) const noexcept {
    return std::find(visited_.begin(), visited_.end(), process) != visited_.end();
  }
  void visits(ProcessIndex process) { visited_.push_back(process); }

  // Indexes among all, by index here.
  std::vector<std::uint32_t> processes;
  std::vector<std::uint32_t> communicators;

 private:
  struct Note {
    std::size_t before;  ///< index of a record of the batch
    std::string line;
  };

  std::string name_;
  std::unique_ptr<Source> source_;
  bool binary_;
  bool ended_ = false;
  Batch batch_;
  std::size_t position_ = 0;
  std::deque<Note> notes_;
  NumberIndex communicator_numbers_;
  std::uint32_t communicators_seen_ = 0;
  std::vector<ProcessIndex> visited_;
};

}  // namespace clc::formats
