// One of several traces that are merged: its next records, its notes, and its indexes of processes and communicators.
//
// Cost     A row for each record that the source has read, as a whole and not in columns, because with many traces the
//          record that is merged next lies elsewhere. No row for records that stand ready as entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
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
#include "merged/indexes.hpp"
#include "merged/merged.hpp"
#include "merged/stream.hpp"

namespace clc::formats {

/// Records of a trace between two notes.
struct Stretch {
  const Row* row = nullptr;
  const Row* end = nullptr;
  // More than all indexes that occur.
  std::uint32_t processes = 0;
  std::uint32_t communicators = 0;
};

/// A note as a trace has it.
struct TraceNote {
  std::string line;
  std::uint64_t place;  ///< as Batch::Note has it
};

class Input {
 public:
  /// memory: for records; freed as a whole.
  Input(MergedInput input, std::pmr::memory_resource& memory)
      : rows_(&memory),
        arena_(memory),
        name_(std::move(input.name)),
        source_(std::move(input.source)),
        entries_(dynamic_cast<Entries*>(source_.get())),
        binary_(input.binary) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Definitions& definitions() const noexcept { return source_->definitions(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const { return source_->describe(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return source_->bytes_read(); }
  [[nodiscard]] std::vector<std::string> warnings() const { return source_->warnings(); }
  [[nodiscard]] std::vector<std::string> remarks() const { return source_->remarks(); }

  /// Reads until there are records, or to the end. Throws InputError; the notes read so far stay. buffer: for any
  /// input.
  void read(Batch& buffer);
  /// All records that were read are taken.
  [[nodiscard]] bool used_up() const noexcept { return stretch_ == stretches_.size(); }
  /// The next records. Pre: not used_up().
  [[nodiscard]] const Stretch& stretch() const noexcept { return stretches_[stretch_]; }
  /// From then on, stretch() is the one behind it.
  void begin_stretch() noexcept { ++stretch_; }
  /// Records that need not be read, because they stand in memory. Behind them, the source reads at least once. Pre:
  /// used_up().
  [[nodiscard]] Entries::Ready ready() const {
    return entries_ == nullptr || ended_ || !notes_.empty() ? Entries::Ready() : entries_->ready();
  }
  void taken(const Entries::Taken& taken) { entries_->taken(taken); }
  /// The next note ahead of the next records; null: there is none.
  [[nodiscard]] const TraceNote* next_note() const noexcept {
    return !notes_.empty() && notes_.front().before <= stretch_ ? &notes_.front().note : nullptr;
  }
  void drop_note() { notes_.pop_front(); }

  /// The index among all of the process or communicator that a line of this trace defines; nullopt: it is new.
  [[nodiscard]] std::optional<std::uint32_t> known(std::string_view line, const DefinitionLines& all) const;
  /// Does the line define it as all know it, by that index? A process without name and clock, and a
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

  /// How often it was asked about this line of the trace before.
  [[nodiscard]] std::size_t times_before(const std::string& line) { return lines_[line]++; }

  /// Indexes here and among all.
  [[nodiscard]] IndexTable& indexes() noexcept { return indexes_; }

 private:
  void keep_rows(const Batch& buffer);
  void make_stretches(const Batch& buffer);
  /// True if no record so far has such large indexes.
  [[nodiscard]] bool raises(const Event& event) noexcept;

  struct Note {
    std::size_t before;  ///< number of a stretch
    TraceNote note;
  };

  std::deque<Note> notes_;
  std::map<std::string, std::size_t> lines_;  ///< how often, of those that were asked for
  std::vector<Stretch> stretches_;
  std::size_t stretch_ = 0;  ///< the next one
  std::pmr::vector<Row> rows_;
  Arena arena_;
  std::string name_;
  std::unique_ptr<Source> source_;
  Entries* entries_;  ///< null: it has none
  bool binary_;
  IndexTable indexes_;
  bool ended_ = false;
  std::string encoding_;
  NumberIndex communicator_numbers_;
  std::uint32_t communicators_seen_ = 0;
  // More than all indexes so far.
  std::uint32_t processes_ = 0;
  std::uint32_t communicators_ = 0;
  std::vector<ProcessIndex> visited_;
};

}  // namespace clc::formats
