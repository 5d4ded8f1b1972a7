// Where corrected records go.
//
// Protocol   open (see io/format.hpp), events and note in output order, close once. Without close the
//            output is discarded: a file under construction has a temporary name and is removed.
// Errors     OutputError; BrokenPipe when the reader of a pipe is gone.
#pragma once

#include <string>
#include <vector>

#include "clc/event_sink.hpp"

namespace clc {

class Sink : public EventSink {
 public:
  /// Pushes what is buffered to the operating system (online use; otherwise buffers fill first). Costs a
  /// block or compressed block each time: once per pause, not per batch.
  virtual void flush() = 0;
  /// Writes the rest and gives a file its final name. No call after that.
  virtual void close() = 0;
  /// Why not all of an input that was read again for writing could be written; empty: it could. Complete after close.
  [[nodiscard]] virtual std::string damage() const { return {}; }
  /// What the format could not carry, a line each; complete after close.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace clc
