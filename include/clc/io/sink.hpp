// A sink writes corrected records.
//
// Protocol   open (see io/format.hpp), events and note in output order, close once. Without close the
//            output is discarded: an unfinished file has a temporary name and is removed.
// Errors     OutputError; BrokenPipe if the reader of a pipe is gone, provided that the program ignores SIGPIPE: else
//            the system ends it by that signal.
#pragma once

#include <string>
#include <vector>

#include "clc/event_sink.hpp"

namespace clc {

class Sink : public EventSink {
 public:
  /// Passes buffered data to the operating system, for online use. Each call ends a block or compressed
  /// block: call it once per pause, not per batch.
  virtual void flush() = 0;
  /// Writes the rest and gives a file its final name. After this, call only damage and warnings.
  virtual void close() = 0;
  /// Why part of the output is missing, if the input had to be read again for writing; empty: nothing is missing.
  /// Complete after close.
  [[nodiscard]] virtual std::string damage() const { return {}; }
  /// Data that the format cannot represent, one line each; complete after close.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace clc
