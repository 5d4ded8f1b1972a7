// Reading and writing in a thread of its own, see clc/io/threads.hpp.
//
// Place      Around a whole source where reading takes long, or is not of bytes: records are handed over. Elsewhere
//            around bytes, with what decompresses them: they are a third to a tenth of the records, and to carry them
//            from one processor to the other is what threads cost. Around bytes with what compresses them, which takes
//            longer than all else that a sink does; around a whole sink that does not compress: what leaves the clock
//            is put in order and formatted on the other side.
// Protocol   A source changes its definitions only while the other side waits in read and the sink has written all
//            that it was given.
#pragma once

#include <functional>
#include <memory>

#include "bytes/bytes.hpp"
#include "bytes/interrupt.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"
#include "clc/io/threads.hpp"

namespace clc::formats {

/// Tells a source what to call within read before its definitions change; that may throw.
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
