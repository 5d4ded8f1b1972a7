#include "binary/body.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "clc/error.hpp"

namespace clc {

namespace {

namespace b = formats::binary;

class Decoder final : public BodyDecoder {
 public:
  [[nodiscard]] Record decode(Body body) const override {
    // The cursor reads without looking at the end.
    std::array<char, b::longest_body + b::longest_entry> copy{};
    const std::size_t copied = std::min(body.size(), b::longest_body);
    std::memcpy(copy.data(), body.data(), copied);
    b::Cursor cursor(copy.data());
    Record record;
    std::uint64_t text_size = 0;
    b::Problem problem = b::Problem::none;
    const unsigned kind = b::read_fields(cursor, b::Limits{}, record.event, text_size, problem);
    const auto at = std::min(static_cast<std::size_t>(cursor.at() - copy.data()), body.size());
    record.text = body.substr(at, static_cast<std::size_t>(std::min<std::uint64_t>(text_size, body.size())));
    if ((kind & b::has_recorded) != 0 && body.size() >= sizeof(std::int64_t))
      record.recorded = Time(b::load<std::int64_t>(body.data() + body.size() - sizeof(std::int64_t)));
    constexpr std::array kinds{Kind::other,          Kind::enter,   Kind::leave,
                               Kind::send,           Kind::receive, Kind::collective_begin,
                               Kind::collective_end, Kind::other};
    record.kind = kinds[kind & b::kind_mask];
    return record;
  }
};

void require_communicator(const Record& record) {
  const bool needs_one =
      record.kind == Kind::send || record.kind == Kind::receive || record.kind == Kind::collective_end;
  if (needs_one && record.event.communicator == no_communicator) [[unlikely]]
    throw UsageError("a message or collective operation has no communicator; set Event::communicator");
}

}  // namespace

Body encode_body(const Record& record, std::string& storage) {
  require_communicator(record);
  const std::size_t before = storage.size();
  std::array<char, b::longest_body> fields{};
  char* to = fields.data() + 1;
  const Event& event = record.event;
  unsigned kind = 0;
  bool text_always = false;
  switch (record.kind) {
    case Kind::enter:
    case Kind::leave:
    case Kind::other:
      kind = record.kind == Kind::enter ? b::enter : record.kind == Kind::leave ? b::leave : b::other;
      text_always = true;
      break;
    case Kind::send:
    case Kind::receive:
      kind = record.kind == Kind::send ? b::send : b::receive;
      to = formats::put_varint(to, event.peer);
      to = formats::put_varint(to, event.communicator);
      to = formats::put_varint(to, formats::zigzag(event.tag));
      to = formats::put_varint(to, event.bytes);
      if (event.overtakes != 0) {
        kind |= b::has_overtakes;
        to = formats::put_varint(to, event.overtakes);
      }
      break;
    case Kind::collective_end:
      kind = b::end;
      *to++ = static_cast<char>(event.operation);
      to = formats::put_varint(to, event.communicator);
      to = formats::put_varint(to, event.root == no_rank ? 0 : std::uint64_t{event.root} + 1);
      to = formats::put_varint(to, event.bytes);
      to = formats::put_varint(to, event.received);
      break;
    case Kind::collective_begin:
      kind = b::begin;
      break;
  }
  if ((kind == b::begin || kind == b::end) && event.tag != 0) {
    kind |= b::has_call;
    to = formats::put_varint(to, formats::zigzag(event.tag));
  }
  if (text_always || !record.text.empty()) {
    if (!text_always) kind |= b::has_text;
    to = formats::put_varint(to, record.text.size());
  }
  if (record.recorded) kind |= b::has_recorded;
  fields[0] = static_cast<char>(kind);
  storage.append(fields.data(), static_cast<std::size_t>(to - fields.data()));
  storage.append(record.text);
  if (record.recorded) {
    std::array<char, sizeof(std::int64_t)> recorded{};
    b::store(recorded.data(), static_cast<std::uint64_t>(record.recorded->ticks()));
    storage.append(recorded.data(), recorded.size());
  }
  return Body(storage).substr(before);
}

char* renumber_body(Body body, const Event& event, char* to) noexcept { return b::renumber(body, event, to); }

const BodyDecoder& body_decoder() noexcept {
  static const Decoder decoder;
  return decoder;
}

}  // namespace clc
