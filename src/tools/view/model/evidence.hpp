// What the verdict on a trace, or on its correction, rests on: all of the trace, whatever part of it is shown.
//
// Place    The model hands on what it sees; clc::judge judges, as for clc-filter and clc-check.
// Memory   A little for each process, and that of Trips.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "matching/edges.hpp"
#include "matching/trips.hpp"
#include "matching/violations.hpp"
#include "report/judge.hpp"
#include "trace/delay.hpp"
#include "view/model/edges_drawn.hpp"

namespace clc::view {

class Evidence {
 public:
  /// What only the reader of the files knows.
  struct Files {
    bool corrected = false;  ///< recorded and corrected times are known
    bool complete = true;    ///< read to the end
    bool mapped = false;  ///< clocks were mapped before the correction, or it ran backwards: events may become earlier
    bool ran_backwards = false;          ///< the clock did, alone or also: corrections to earlier times are its own
    bool sorted = true;                  ///< the corrected trace
    bool same_records = true;            ///< no record is in only one of two traces
    bool delta_given = false;            ///< a minimum distance of events, to the correction
    std::vector<std::string> remarks{};  ///< of the source
  };

  /// The next event of a process; last: the one before it, nullptr at the first.
  void event(ProcessIndex process, const Both<Time>& times, const Both<Time>* last);
  void message(const matching::Message& message, const matching::Edge& edge);
  void collective(const matching::Collective& operation, const Both<matching::EdgeFigures>& figures,
                  const DelayModel& delays);
  void incomplete(const matching::EdgeFigures& figures) { incomplete_.add(figures); }

  [[nodiscard]] Verdict judged(const Definitions& definitions, const DelayModel& delays,
                               const matching::Leftovers& leftovers, const Files& files) const;

 private:
  void add_correction(VerdictFigures& figures, const Definitions& definitions, const matching::Leftovers& leftovers,
                      const Files& files) const;

  Both<matching::EdgeFigures> messages_;
  Both<matching::EdgeFigures> collectives_;
  matching::EdgeFigures incomplete_;
  std::uint64_t operations_ = 0;
  matching::Trips trips_;
  std::vector<std::optional<Ticks>> shifts_;  ///< of the last event of each process
  Time first_ = Time::latest();
  Time first_corrected_ = Time::latest();
  Both<Time> latest_{Time::earliest(), Time::earliest()};
  bool earlier_ = false;   ///< an event before its recorded time
  bool disorder_ = false;  ///< in a process
  bool set_back_ = false;  ///< a clock was
  bool moved_ = false;
  double local_time_ = 0;
  double changed_time_ = 0;
  Ticks largest_correction_ = 0;  ///< to a later time
  Ticks largest_to_earlier_ = 0;
};

}  // namespace clc::view
