#include "otf2/plain_events.hpp"

#include <otf2/otf2.h>

#include <bit>
#include <optional>

namespace clc::otf2 {

PlainEvents::Record PlainEvents::long_record(std::uint8_t kind, std::uint64_t left) const noexcept {
  const std::optional<std::uint64_t> length = chunks::event_length(kind, at_, left);
  if (!length || *length >= left) return {chunks::end_of_buffer, nullptr, nullptr};
  return {kind, chunks::is_number(kind) ? at_ : at_ + 9, at_ + *length};
}

bool PlainEvents::next_chunk() {
  // Numbers are taken as they stand.
  if (std::endian::native != std::endian::little || chunk_ == chunks_.count() || !chunks_.read(chunk_) ||
      chunks_.swapped())
    return false;
  ++chunk_;
  at_ = chunks_.records();
  end_ = chunks_.end();
  return true;
}

bool PlainEvents::skip_attributes(const Record& record) noexcept {
  at_ = record.end;
  PackedFields fields(record.begin, record.end);
  const auto length = static_cast<std::uint64_t>(record.end - record.begin);
  constexpr std::uint64_t longest = 15;  // an attribute
  std::array<std::uint32_t, most_attributes> known{};
  const std::uint32_t count = fields.next32();
  if (!fields.valid() || count > attributes_ || length > count * longest + 5) return false;
  for (std::uint32_t i = 0; i < count && fields.valid(); ++i) {
    known[i] = fields.next32();
    if (std::find(known.begin(), known.begin() + i, known[i]) != known.begin() + i) return false;
    const OTF2_Type type = fields.byte();
    switch (type) {
      case OTF2_TYPE_UINT8:
      case OTF2_TYPE_INT8:
        fields.skip(1);
        break;
      case OTF2_TYPE_UINT16:
      case OTF2_TYPE_INT16:
        fields.skip(2);
        break;
      case OTF2_TYPE_FLOAT:
        fields.skip(4);
        break;
      case OTF2_TYPE_DOUBLE:
        fields.skip(8);
        break;
      case OTF2_TYPE_NONE:
      case OTF2_TYPE_UINT64:
      case OTF2_TYPE_INT64:
      case OTF2_TYPE_LOCATION:
        static_cast<void>(fields.next64());
        break;
      default:
        static_cast<void>(fields.next32());
    }
  }
  return fields.valid();
}

}  // namespace clc::otf2
