// From the clock to the sink: turns the result of a clock that ran backwards round again, and combines it with that of
// a clock that ran forwards.
//
//     Restorer out(recording, sink, observer);       // labels become records again, notes return to their places
//     Backwards back;                                // takes the events of the clock that ran backwards
//     back.finish();
//     back.pass_on(out);                             // either this,
//     MeanOf both(back, out);                        // or the sink of the clock that runs forwards; then both.finish()
//
// Mean     Written is floor((f + b) / 2). For an edge, f_r >= f_s + mu and b_r >= b_s + mu, so f_r + b_r >= f_s + b_s +
//          2 mu; half of it, rounded down, is at least floor((f_s + b_s) / 2) + mu, because mu is a whole number of
//          ticks. With 0 or 1 in place of mu the same holds for the order in a process, and for times that are
//          distinct.
// Memory   Blocks of 256 KiB; MeanOf also buffers the records within the spread of the corrections.
#pragma once

#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "clc/event_sink.hpp"
#include "replay/player.hpp"
#include "replay/recording.hpp"

namespace clc::replay {

/// A record with its corrected time.
struct Result {
  Time time;    ///< corrected
  Time mapped;  ///< as the clock read it
  ProcessIndex process = 0;
  Label label;
};

/// Passes records to a sink, in order of time, with the notes of the recording.
class Restorer {
 public:
  /// observe: gets each event, with its mapped time as recorded; may be empty.
  Restorer(const Recording& recording, EventSink& sink, std::function<void(const Corrected&)> observe = {})
      : notes_(recording), sink_(sink), observe_(std::move(observe)), any_note_(notes_.next(note_)) {}

  void put(const Result& result);
  /// Passes on what is left.
  void finish();

 private:
  static constexpr std::size_t most_events = 1024;
  static constexpr std::size_t most_bytes = std::size_t{1} << 16;
  void pass_on();
  void pass_notes(Sequence before);

  Recording::Notes notes_;
  EventSink& sink_;
  std::function<void(const Corrected&)> observe_;
  TakenNote note_;
  bool any_note_;
  std::vector<Corrected> run_;
  std::string bodies_;
};

/// The sink of a clock that runs forwards over a recording, when nothing is to be combined.
class Forwards final : public EventSink {
 public:
  explicit Forwards(Restorer& out) : out_(out) {}
  void events(std::span<const Corrected> run) override;
  void note(Body /*line*/) override {}

 private:
  Restorer& out_;
};

/// The sink of a clock that runs backwards; keeps its events in blocks.
class Backwards final : public EventSink {
 public:
  void events(std::span<const Corrected> run) override;
  void note(Body /*line*/) override {}
  void finish() { packer_.end(blocks_); }

  /// Reads the events in order of their corrected time.
  class Reader {
   public:
    explicit Reader(const Backwards& from) : from_(from), block_(from.blocks_.count()) {}
    /// False at the end. The body is valid until the next call.
    bool next(Result& result);

   private:
    const Backwards& from_;
    std::size_t block_;
    std::string storage_;
    std::vector<Result> results_;  ///< of the block, those to come at the front
  };
  void pass_on(Restorer& out) const;

 private:
  Packer packer_;
  Blocks blocks_;
};

/// The sink of a clock that runs forwards; passes on the mean of its times and of those backwards.
class MeanOf final : public EventSink {
 public:
  MeanOf(const Backwards& back, Restorer& out) : back_(back), out_(out) {}
  void events(std::span<const Corrected> run) override;
  void note(Body /*line*/) override {}
  void finish();

 private:
  struct Waiting {
    Time mean;
    Time mapped;
    ProcessIndex process;
    Sequence sequence;
    std::string body;  ///< with its label
  };
  struct Later {
    bool operator()(const Waiting& a, const Waiting& b) const noexcept {
      return a.mean != b.mean ? a.mean > b.mean : a.sequence > b.sequence;
    }
  };
  /// The corrected time backwards of a record.
  [[nodiscard]] Time back_of(Sequence sequence);
  bool read_ahead();
  /// No record still to come has an earlier mean.
  [[nodiscard]] Time bound(Time forwards);
  void pass_on(Time before);

  Backwards::Reader back_;
  Restorer& out_;
  struct Ahead {
    Time time;
    Sequence sequence;
  };
  std::deque<Ahead> ahead_;         ///< read backwards, in order of time; some were used since
  HashMap<Sequence, Time> unused_;  ///< those that were not
  std::priority_queue<Waiting, std::vector<Waiting>, Later> waiting_;
};

}  // namespace clc::replay
