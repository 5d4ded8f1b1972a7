// An open-addressing hash map for the hot path: one array, linear probing, no single deletion.
//
// Assumes  Small trivially copyable keys and values; lookups hit mostly. References are valid until the
//          next insertion or retain.
// Cost     O(1) expected; at most a quarter full, so mostly one probe; half full when large. Standard maps
//          allocate per entry, which costs several times the rest of an event's way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace clc {

/// Mixes 64 bits so that every input bit reaches the lower output bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x *= 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 32);
}

struct FlatHash {
  [[nodiscard]] std::uint64_t operator()(std::uint64_t key) const noexcept { return mix(key); }
};

template <class Key, class Value, class Hash = FlatHash>
class FlatMap {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);

 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept { return slots_.capacity() * sizeof(Slot); }

  [[nodiscard]] Value* find(const Key& key) noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      Slot& slot = slots_[i];
      if (slot.used && slot.key == key) [[likely]]
        return &slot.value;
      if (!slot.used) return nullptr;
    }
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FlatMap*>(this)->find(key); }

  /// The value of key, made from fresh when there is none. second: whether it was made.
  std::pair<Value*, bool> insert(const Key& key, const Value& fresh = Value{}) {
    if (full()) rehash(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (!slots_[i].used) {
        slots_[i] = Slot{key, fresh, true};
        ++size_;
        return {&slots_[i].value, true};
      }
      if (slots_[i].key == key) return {&slots_[i].value, false};
    }
  }

  /// Would the next insertion of a new key reallocate?
  [[nodiscard]] bool full() const noexcept { return (size_ + 1) * spread(slots_.size()) > slots_.size(); }

  template <class Visit>
  void for_each(Visit visit) {
    for (Slot& slot : slots_)
      if (slot.used) visit(slot.key, slot.value);
  }

  /// Drops every entry for which keep returns false; gives memory back when few are left.
  template <class Keep>
  void retain(Keep keep) {
    std::size_t kept = 0;
    for (Slot& slot : slots_) {
      slot.used = slot.used && keep(slot.key, slot.value);
      kept += slot.used;
    }
    std::size_t capacity = 16;
    while (capacity < kept * 2 * spread(capacity)) capacity *= 2;
    rehash(capacity);
  }

 private:
  struct Slot {
    Key key{};
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t home(const Key& key) const noexcept { return Hash{}(key)&mask_; }

  /// Slots for each entry, at least.
  [[nodiscard]] static constexpr std::size_t spread(std::size_t slots) noexcept { return slots <= 65536 ? 4 : 2; }

  void reset(std::size_t capacity) {
    std::vector<Slot>(capacity).swap(slots_);
    mask_ = capacity - 1;
    size_ = 0;
  }

  void rehash(std::size_t capacity) {
    const std::vector<Slot> old = std::move(slots_);
    slots_ = {};
    reset(capacity);
    for (const Slot& slot : old)
      if (slot.used) *insert(slot.key).first = slot.value;
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace clc
