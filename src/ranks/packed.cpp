#include "ranks/packed.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace clc::ranks {

namespace {

static_assert(std::is_trivially_copyable_v<Item>);

/// What every item begins with.
struct Head {
  Item::Kind kind = Item::Kind::limit;
  bool is_behind = false;    // value: C follows, which is not C^
  std::uint32_t number = 0;  // value: of the channel; limit: of the sender
};
struct Value {
  std::uint64_t index = 0;
  Time time;
  double offset = 0;
  Ticks delay = 0;
  double simple_offset = 0;
};
struct Limit {
  std::uint64_t index = 0;
  double offset = 0;
};
static_assert(sizeof(Head) + sizeof(Item) == longest_packed);

template <class Part>
void put(const Part& part, std::vector<char>& bytes) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof part);
  std::memcpy(bytes.data() + at, &part, sizeof part);
}

template <class Part>
Part take(const char*& from) {
  Part part;
  std::memcpy(&part, from, sizeof part);
  from += sizeof part;
  return part;
}

}  // namespace

void pack(const Item& item, std::vector<char>& bytes) {
  switch (item.kind) {
    case Item::Kind::value: {
      const bool is_behind = item.recorded != item.time;
      put(Head{item.kind, is_behind, static_cast<std::uint32_t>(item.number)}, bytes);
      put(Value{item.index, item.time, item.offset, item.delay, item.simple_offset}, bytes);
      if (is_behind) put(item.recorded, bytes);
      return;
    }
    case Item::Kind::limit:
      put(Head{item.kind, false, item.channel.sender}, bytes);
      return put(Limit{item.index, item.offset}, bytes);
    default:
      put(Head{item.kind, false, 0}, bytes);
      return put(item, bytes);
  }
}

Item unpack(const char*& from) {
  const auto head = take<Head>(from);
  Item item;
  item.kind = head.kind;
  switch (head.kind) {
    case Item::Kind::value: {
      const auto value = take<Value>(from);
      item.number = head.number;
      item.index = value.index;
      item.time = value.time;
      item.recorded = head.is_behind ? take<Time>(from) : value.time;
      item.offset = value.offset;
      item.delay = value.delay;
      item.simple_offset = value.simple_offset;
      return item;
    }
    case Item::Kind::limit: {
      const auto limit = take<Limit>(from);
      item.channel.sender = head.number;
      item.index = limit.index;
      item.offset = limit.offset;
      return item;
    }
    default:
      return take<Item>(from);
  }
}

}  // namespace clc::ranks
