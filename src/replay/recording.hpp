// A trace, or a window of it, kept in blocks that can be read in any order.
//
//     Recording recording(source.definitions(), window);
//     while (source.read(batch)) recording.add(batch, times);    // until add returns false
//     recording.finish(whole);
//     Player player(recording, Direction::backwards);            // player.hpp
//
// Place    Between a source and the clock, where the clock is to read a trace from its end, in part, or twice.
// Memory   Some blocks of 256 KiB, and what Matching keeps; the rest is in a temporary file, some 20 bytes a record and
//          its payload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clc/io/batch.hpp"
#include "clc/io/source.hpp"
#include "replay/blocks.hpp"
#include "replay/matching.hpp"
#include "trace/time_order.hpp"

namespace clc::replay {

/// The part of a trace that is wanted, in ticks since its first event. Records at both borders belong to it. Where a
/// clock was set back, the largest time of the clock so far counts, so that the window is a trace in order.
struct Window {
  Ticks from = 0;
  Ticks to = ticks_max;
  /// How far to read on for the other ends of messages that begin in the window.
  Ticks beyond = 0;
};

/// A record of a recording.
struct Taken {
  Event event;    ///< its time is that of the clock, mapped if clocks are mapped
  Time recorded;  ///< the time in the trace
  Sequence sequence = 0;
  Partner partner;
  Body body;
};

/// A line that is no record.
struct TakenNote {
  Sequence before = 0;  ///< stands before the record with that sequence
  Body line;
};

class Recording {
 public:
  Recording(const Definitions& definitions, std::optional<Window> window)
      : definitions_(definitions), window_(window), matching_(definitions) {}

  /// The next records, sorted by time. recorded: the time of each in the trace. False: nothing behind them is needed.
  bool add(const Batch& batch, std::span<const Time> recorded);
  /// whole: the trace was read to its end.
  void finish(bool whole);

  [[nodiscard]] const Definitions& definitions() const noexcept { return definitions_; }
  [[nodiscard]] const Matching& matching() const noexcept { return matching_; }
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  /// Events were read, but none is in the window.
  [[nodiscard]] bool is_window_empty() const noexcept { return first_ && events_ == 0; }
  /// From the first event to the latest that was read.
  [[nodiscard]] Ticks length() const noexcept { return length_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.count(); }
  /// A clock of the trace was set back.
  [[nodiscard]] bool any_set_back() const noexcept { return any_set_back_; }
  /// The largest time of this block and those before it.
  [[nodiscard]] Time newest(std::size_t block) const noexcept { return newest_of_[block]; }
  /// Reads a block: its records, in order; their bodies are in storage.
  void read(std::size_t block, std::string& storage, std::vector<Taken>& records) const;

  /// Reads the notes in order.
  class Notes {
   public:
    explicit Notes(const Recording& recording) : recording_(recording), unpacker_({}) {}
    /// False: there are no more. The line is valid until the next call.
    bool next(TakenNote& note);

   private:
    const Recording& recording_;
    std::size_t block_ = 0;
    std::string storage_;
    Unpacker unpacker_;
  };

 private:
  void end_block();
  void pack(const Event& event, Time recorded, Sequence sequence, const Partner& partner, Body body);

  const Definitions& definitions_;
  std::optional<Window> window_;
  std::optional<Time> first_;
  Ticks length_ = 0;
  RunningMaxima maxima_;  ///< of each clock
  bool any_set_back_ = false;
  Time newest_ = Time::earliest();
  std::vector<Time> newest_of_;  ///< by block
  Matching matching_;
  Sequence next_ = 0;
  std::uint64_t events_ = 0;
  Packer packer_;
  Sequence packed_ = 0;  ///< sequence of the last record of the block
  Packer note_packer_;
  Blocks blocks_;
  Blocks notes_;
};

}  // namespace clc::replay
