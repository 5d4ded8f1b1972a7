// The trace in full detail, up to a limit of bytes; page.js draws it when the user zooms in.
//
// Protocol   For each record: advance, then enter_region if the region changes. Messages and operations when both ends
//            are known; finish; then packed.
// Chunks     Spans of corrected time with some ten thousand records each. A region that crosses a border belongs to
//            both chunks. If not all chunks fit, those with most violated messages and operations are kept, then those
//            with moved events, then the earlier ones.
// Disorder   A chunk is closed when the next one is full. If a record for a closed chunk follows, the chunk is dropped.
// Memory     The limit of bytes, messages and operations of these chunks before packing (five times as much), and two
//            open chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "view/model/edges_drawn.hpp"

namespace clc::view {

class Detail {
 public:
  using Region = std::uint16_t;
  static constexpr std::size_t least_records = 16384;  ///< of a chunk

  explicit Detail(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// The process is at this record now. moved: the interval before it has changed; mark: to be drawn as a tick.
  /// From the first record on: only what is between these times, on either side, is held.
  void show_only(Time from, Time to) noexcept {
    shown_from_ = from;
    shown_to_ = to;
  }
  void advance(ProcessIndex process, const Both<Time>& times, bool moved, bool mark);
  /// What it was in up to its last record; Regions::none: in no region.
  void change(ProcessIndex process, Region left);
  /// What it is in from its last record on.
  void now_in(ProcessIndex process, Region region) noexcept {
    if (most_bytes_ != 0) tracks_[process].region = region;
  }
  void message(const Arrow& arrow);
  void operation(const Joint& joint);
  void finish();

  struct Part {
    std::size_t number = 0;  ///< of the chunk in the trace
    Both<Time> from{};       ///< of all that is in it
    Both<Time> to{};
    Both<Time> all_from{};  ///< from then on it is known what each process does
    Both<Time> all_to{};
    Time begin;  ///< corrected
    std::string text;
  };
  /// In the order of time.
  [[nodiscard]] std::vector<Part> packed(bool two_sides) const;
  /// In the trace.
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

 private:
  struct Piece {
    ProcessIndex process;
    Region region;
    Both<Time> from;
    Both<Time> to;
  };
  struct Mark {
    ProcessIndex process;
    Both<Time> time;
  };
  struct Chunk {
    std::size_t number = 0;
    Time begin;  ///< corrected
    Time end;    ///< latest while it is open
    std::uint64_t records = 0;
    std::uint64_t moved = 0;
    std::uint64_t violated = 0;
    std::vector<Piece> pieces;
    std::vector<Mark> marks;
    std::vector<Arrow> arrows;
    std::vector<Joint> joints;
    /// Roughly in proportion to what it takes when packed.
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] unsigned worth() const noexcept;
  };
  struct Track {
    bool started = false;
    Region region = 0xffff;
    std::size_t chunk = 0;  ///< number
    Both<Time> since{};     ///< begin of the open piece
    Both<Time> last{};      ///< record
  };

  [[nodiscard]] Chunk* open(std::size_t number);
  void give_up_after(Time time);
  template <class Use>
  void each_touched(Time from, Time to, Use use);
  void cut(ProcessIndex process, Track& track, const Both<Time>& next);
  void close_piece(ProcessIndex process, Track& track, Region region, const Both<Time>& at);
  [[nodiscard]] bool shown(const Both<Time>& a, const Both<Time>& b) const noexcept;
  void border();
  void close_oldest();
  void keep_within();
  [[nodiscard]] static Part extent_of(const Chunk& chunk);
  [[nodiscard]] std::string pack(const Chunk& chunk, bool two_sides) const;

  std::size_t most_bytes_;
  std::vector<Track> tracks_;
  std::deque<Chunk> open_;   ///< at most two
  std::vector<Chunk> kept_;  ///< by number
  double letters_ = 0;       ///< that a unit of size takes when packed, in the first chunk
  std::size_t chunks_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t operations_ = 0;
  Time shown_from_ = Time::earliest();
  Time shown_to_ = Time::latest();
  Time newest_ = Time::earliest();
};

}  // namespace clc::view
