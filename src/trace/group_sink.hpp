// A sink with a thread of its own takes events in groups, and sorts and writes them there.
//
// Place    The filter looks whether its EventSink is a GroupSink, too.
// Errors   As those of EventSink.
#pragma once

#include <cstddef>

#include "clc/event_sink.hpp"

namespace clc {

/// A group of events that the filter emits together, after all earlier ones. They still have to be sorted, which takes
/// a tenth of the filter's time.
class Leaving {
 public:
  virtual ~Leaving() = default;
  /// Passes them to the sink, with the notes between them. Call it once, in any thread.
  virtual void write(EventSink& sink) = 0;
};

class GroupSink {
 public:
  virtual ~GroupSink() = default;
  /// Takes final events. Calls leaving.write now or later, see held().
  virtual void leave(Leaving& leaving) = 0;
  /// The number of newest groups that the sink may still hold when leave returns; constant.
  [[nodiscard]] virtual std::size_t held() const noexcept = 0;
  /// Waits until the sink holds none. The filter calls it before a note that is emitted without events, and at the
  /// end.
  virtual void drain() noexcept = 0;
};

}  // namespace clc
