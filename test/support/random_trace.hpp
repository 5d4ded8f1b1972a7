// Seeded random traces of parallel programs on bad clocks, with what really happened.
//
// A program of messages and collective operations runs in true time, cause before effect. Each process
// records it with a clock of its own (offset, drift, wander, jumps, stops, coarse ticks); the records are
// sorted by recorded time. Optionally records are then lost or damaged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "clc/parameters.hpp"
#include "clc/time.hpp"
#include "reference.hpp"

namespace clc::test {

/// A small generator whose numbers are the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// 64 random bits.
  std::uint64_t bits();
  /// An integer from low to high, both included.
  std::int64_t integer(std::int64_t low, std::int64_t high);
  std::size_t index(std::size_t size) {
    return static_cast<std::size_t>(integer(0, static_cast<std::int64_t>(size) - 1));
  }
  /// A number in [0, 1).
  double real();
  double real(double low, double high) { return low + (high - low) * real(); }
  bool chance(double probability) { return real() < probability; }
  /// Exponentially distributed.
  double exponential(double mean);
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[index(values.size())];
  }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[index(values.size())];
  }

 private:
  std::uint64_t state_;
};

/// What kind of trace.
struct TraceOptions {
  bool defects = false;        ///< records are lost and damaged; the order of events stays possible or not
  bool chaos = false;          ///< events have nothing to do with each other: any role, any peer, any time
  bool coarse = false;         ///< only coarse clocks, so that many times are equal
  bool non_blocking = false;   ///< many collective operations, of which several are under way
  bool shared_clocks = false;  ///< some processes share a clock; without, in a fifth of the traces
  bool set_back = false;       ///< clocks that are set back show it; else they stand still until they caught up
  std::size_t events = 0;      ///< about how many; 0: random, mostly some hundreds
};

struct RandomTrace {
  std::uint64_t seed = 0;
  Definitions definitions;
  Parameters parameters;          ///< fit for the trace: delays, interval, wait limit; regulators as by default
  std::vector<Event> events;      ///< sorted by the running maxima of recorded times
  std::vector<double> true_time;  ///< microseconds
  std::vector<Edge> edges;        ///< what really ordered them, with mu of parameters; empty with defects or chaos
  /// One line for messages of failed tests.
  [[nodiscard]] std::string describe() const;
};

[[nodiscard]] RandomTrace random_trace(std::uint64_t seed, const TraceOptions& options = {});

/// Another input order of the same trace: events of equal time change places, the order on each clock
/// stays. Returns the old index of each new event.
[[nodiscard]] std::vector<std::size_t> shuffle_ties(const Definitions& definitions, std::span<const Event> events,
                                                    Random& random);

/// A clock: recorded from true time.
struct Clock {
  double offset = 0;         ///< microseconds
  double drift = 0;          ///< relative
  double wander = 0;         ///< amplitude, microseconds
  double wander_period = 1;  ///< microseconds
  double tick = 0;           ///< microseconds, 0: as fine as the resolution
  double phase = 0;          ///< of the tick, microseconds
  struct Jump {
    double at = 0;  ///< true time, microseconds
    double by = 0;  ///< microseconds
  };
  std::vector<Jump> jumps;
  /// What it shows at a true time, microseconds; may run backwards.
  [[nodiscard]] double at(double true_time) const;
};

}  // namespace clc::test
