// The notes of a source that sorts records: they leave before the first record that they preceded in the input.
//
// Redefinition  The line of a communicator that is defined anew leaves as late as it may, together with its effect:
//               before the first record behind it that names the communicator, or when no record before it is left.
//               Records of others, whose clocks may be ahead by any time, do not make it leave. That of a process
//               leaves as any note.
// Batches       A change of definitions must be the first thing of a batch: `changes_before` tells where one ends.
// Memory        Of the lines that are held, and what they define.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "clc/event.hpp"
#include "clc/io/batch.hpp"
#include "common/later_definitions.hpp"
#include "trace/hash.hpp"

namespace clc::formats {

class HeldNotes {
 public:
  /// A record that leaves.
  struct Next {
    const Event& event;
    std::uint64_t sequence;  ///< its place in the input
    std::uint64_t oldest;    ///< no record in a place before this is held
  };

  /// read: the definitions of the inner source. on_change: called before definitions() change, other than by a read of
  /// the inner source; empty: not needed.
  HeldNotes(const Definitions& read, std::function<void()> on_change)
      : read_(read), definitions_(read), on_change_(std::move(on_change)) {}

  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_.now(); }
  [[nodiscard]] bool empty() const noexcept { return notes_.empty() && groups_.empty(); }
  [[nodiscard]] std::uint64_t memory() const noexcept { return memory_; }

  /// Takes the notes of a batch that was just read and whose first record has this sequence number, up to those before
  /// record `count`.
  void keep(const Batch& batch, std::size_t count, std::uint64_t first);
  /// Definitions change before the record leaves.
  [[nodiscard]] bool changes_before(const Next& next) const;
  /// Makes these changes. batch: has no records.
  void change_before(const Next& next, Batch& batch);
  /// Gives the other notes before that place.
  void give_before(std::uint64_t sequence, Batch& batch);
  /// Gives all notes. batch: has no records.
  void give_all(Batch& batch);
  /// The notes given so far are not needed any more.
  void forget_given() { given_.clear(); }

 private:
  struct Note {
    std::uint64_t number;  ///< of all notes
    std::uint64_t before;  ///< sequence number of the record it stood before
    std::string line;
    std::uint64_t place;  ///< as Batch::Note has it
    std::optional<Redefinition> change;

    [[nodiscard]] std::uint64_t memory() const noexcept {
      return sizeof *this + line.size() + (change ? change->memory() : 0);
    }
  };
  using Groups = std::map<std::uint64_t, Note>;  // by number

  [[nodiscard]] bool names_changed_group(const Next& next) const;
  void give(Note note, Batch& batch);
  void give_group(Groups::iterator group, Batch& batch);

  const Definitions& read_;
  LaterDefinitions definitions_;
  std::function<void()> on_change_;
  std::deque<Note> notes_;                                                    ///< all but those of groups_
  Groups groups_;                                                             ///< redefinitions of communicators
  HashMap<CommunicatorIndex, std::deque<Groups::iterator>> by_communicator_;  ///< the same, in order
  std::deque<std::uint64_t> process_changes_;  ///< Note::before of those in notes_ that change a process
  std::deque<std::string> given_;              ///< what the notes of the last batch point into
  std::uint64_t count_ = 0;                    ///< of all notes
  std::uint64_t memory_ = 0;
};

}  // namespace clc::formats
