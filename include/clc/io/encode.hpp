// Encodes payloads of new records, for programs that generate traces.
//
//     std::string storage;
//     Corrected record{time, time, process, encode_body(Record{Kind::enter, {}, "main", {}}, storage)};
//     sink->events({&record, 1});   // sink opened with body_format = Format::binary, decoder = &body_decoder()
//
// Before the first record of a process, pass its definition to the sink as a note, in order of the
// indexes: sink->note("%process 0 rank0").
#pragma once

#include <string>

#include "clc/io/record.hpp"
#include "clc/io/source.hpp"

namespace clc {

/// Appends the payload of a record, in the encoding of the binary format, to storage. Returns a view of
/// the appended bytes, valid until storage changes.
Body encode_body(const Record& record, std::string& storage);

/// Decodes the payloads that encode_body makes.
[[nodiscard]] const BodyDecoder& body_decoder() noexcept;

}  // namespace clc
