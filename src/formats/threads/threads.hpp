// Reading and writing in a thread of its own, see clc/io/threads.hpp.
//
// Place      Around a whole source where parsing takes long: records are handed over. Elsewhere around bytes, with what
//            decompresses them: they are a third to a tenth of the records, and to carry them from one processor to
//            the other is what threads cost. Around bytes with what compresses them, which takes longer than all else
//            that a sink does; around a whole sink that does not compress: what leaves the clock is put in order and
//            formatted on the other side.
// Protocol   A source changes its definitions only while the other side waits in read and the sink has written all
//            that it was given.
#pragma once

#include <memory>

#include "bytes/bytes.hpp"
#include "bytes/interrupt.hpp"
#include "clc/io/sink.hpp"
#include "clc/io/source.hpp"
#include "clc/io/threads.hpp"
#include "common/reader.hpp"

namespace clc::formats {

/// reader: the one inside of inner. interrupt: ends its reading.
[[nodiscard]] std::unique_ptr<Source> threaded(std::unique_ptr<Source> inner, Reader& reader,
                                               std::shared_ptr<Interrupt> interrupt, std::shared_ptr<Threads> threads);
/// interrupt: ends the reading of inner.
[[nodiscard]] std::unique_ptr<ByteSource> threaded(std::unique_ptr<ByteSource> inner,
                                                   std::shared_ptr<Interrupt> interrupt,
                                                   std::shared_ptr<Threads> threads);
[[nodiscard]] std::unique_ptr<ByteSink> threaded(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads);
[[nodiscard]] std::unique_ptr<Sink> threaded(std::unique_ptr<Sink> inner, std::shared_ptr<Threads> threads);

}  // namespace clc::formats
