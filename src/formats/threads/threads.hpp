// Sources and sinks that run in a thread, see clc/io/format.hpp.
//
// Reading    The cost of threads is the transfer of data between processors. If parsing is slow, or the input is an
//            archive, the whole source runs in the thread and hands over records. Otherwise only the byte source does,
//            including decompression: bytes are a third to a tenth of the size of records.
// Writing    If output is compressed, which takes longer than the rest of a sink, only the byte sink runs in the
//            thread. Otherwise the whole sink does, and sorts and formats emitted events there.
// Protocol   A source changes its definitions only while the other side waits in read and the sink has written
//            everything it received.
#pragma once

#include <functional>
#include <memory>

#include "bytes/bytes.hpp"
#include "bytes/interrupt.hpp"
#include "clc/io/format.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"

namespace clc::formats {

/// Sets the function that a source calls within read before its definitions change; it may throw.
using OnDefinitions = std::function<void(std::function<void()> call)>;

/// apart: in a thread; else it only waits for the sink before definitions change. on_definitions: of what is inside of
/// inner. interrupt: ends its reading when that waits for input; null: it never does. threads: null: there are none.
[[nodiscard]] std::unique_ptr<Source> threaded(std::unique_ptr<Source> inner, bool apart,
                                               const OnDefinitions& on_definitions,
                                               std::shared_ptr<Interrupt> interrupt, std::shared_ptr<Threads> threads);
/// interrupt: ends the reading of inner.
[[nodiscard]] std::unique_ptr<ByteSource> threaded(std::unique_ptr<ByteSource> inner,
                                                   std::shared_ptr<Interrupt> interrupt,
                                                   std::shared_ptr<Threads> threads);
[[nodiscard]] std::unique_ptr<ByteSink> threaded(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads);
[[nodiscard]] std::unique_ptr<Sink> threaded(std::unique_ptr<Sink> inner, std::shared_ptr<Threads> threads);

}  // namespace clc::formats
