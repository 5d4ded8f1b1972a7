// One of several traces that are merged: its next records, its notes, and its indexes of processes and communicators.
//
// Cost     With many traces, each record that is merged next lies elsewhere in memory. A record is therefore one row
//          instead of columns, all that is needed for the next ones lies in the first line of the cache, and records
//          get their indexes among all in groups, not one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "clc/io/source.hpp"
#include "common/definition_lines.hpp"
#include "common/number_index.hpp"
#include "merged/arena.hpp"
#include "merged/merged.hpp"

namespace clc::formats {

class alignas(64) Input {
 public:
  struct Row {
    Event event;
    Body body;
    std::uint64_t place;
  };

 private:
  Row* next_ = nullptr;
  Row* end_ = nullptr;
  const Row* ready_ = nullptr;

 public:
  /// memory: for records; freed as a whole.
  Input(MergedInput input, std::pmr::memory_resource& memory)
      : rows_(&memory),
        arena_(memory),
        name_(std::move(input.name)),
        source_(std::move(input.source)),
        binary_(input.binary) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool binary() const noexcept { return binary_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return source_->definitions(); }
  [[nodiscard]] Record decode(Body body) const { return source_->decoder().decode(body); }
  [[nodiscard]] std::string describe(std::uint64_t place) const { return source_->describe(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return source_->bytes_read(); }
  [[nodiscard]] std::vector<std::string> warnings() const { return source_->warnings(); }
  [[nodiscard]] std::vector<std::string> remarks() const { return source_->remarks(); }

  /// Reads until there are records, or to the end. Throws InputError; the notes read so far stay. buffer: for any
  /// input.
  void read(Batch& buffer);
  /// All records that were read are taken.
  [[nodiscard]] bool used_up() const noexcept { return next_ == end_; }
  [[nodiscard]] const Row* next() const noexcept { return next_; }
  void advance(const Row* to) noexcept { next_ += to - next_; }
  /// Fetches the next record into the cache; fetch_body: what it points to.
  void fetch_row() const noexcept {
    __builtin_prefetch(next_);
    __builtin_prefetch(&next_->place);
  }
  void fetch_body() const noexcept { __builtin_prefetch(next_->body.data()); }

  /// Up to there, the records have their indexes and bodies among all, and there are no notes.
  [[nodiscard]] const Row* ready() const noexcept { return ready_; }
  void set_ready(const Row* end) noexcept { ready_ = end; }
  /// The records from next() up to the next note.
  [[nodiscard]] std::span<Row> up_to_note() noexcept {
    return {next_, notes_.empty() ? end_ : std::max(next_, rows_.data() + notes_.front().before)};
  }
  /// For their bodies.
  [[nodiscard]] Arena& arena() noexcept { return arena_; }

  /// The next note ahead of the next record; null: there is none.
  [[nodiscard]] const std::string* next_note() const noexcept {
    return !notes_.empty() && rows_.data() + notes_.front().before <= next_ ? &notes_.front().line : nullptr;
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
  void begin_rows() noexcept;

  struct Note {
    std::size_t before;  ///< index of a row
    std::string line;
  };

  std::deque<Note> notes_;
  std::pmr::vector<Row> rows_;
  Arena arena_;
  std::string name_;
  std::unique_ptr<Source> source_;
  bool binary_;
  bool ended_ = false;
  NumberIndex communicator_numbers_;
  std::uint32_t communicators_seen_ = 0;
  std::vector<ProcessIndex> visited_;
};

}  // namespace clc::formats
