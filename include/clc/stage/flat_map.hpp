// An open-addressing hash map for the hot path: one array, linear probing, backward-shift deletion.
//
// Assumes  Small trivially copyable keys and values; lookups hit mostly. References are valid until the
//          next insertion or erasure.
// Cost     O(1) expected; at most half full, so at most a few probes. Standard maps allocate per entry,
//          which costs several times the rest of an event's way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace clc {

/// Mixes 64 bits so that every input bit reaches the upper output bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

struct FlatHash {
  [[nodiscard]] std::uint64_t operator()(std::uint64_t key) const noexcept { return mix(key); }
};

template <class Key, class Value, class Hash = FlatHash>
class FlatMap {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);

 public:
  struct Entry {
    Key key;
    Value value;
  };

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept { return slots_.capacity() * sizeof(Entry) + used_.capacity(); }

  [[nodiscard]] Value* find(const Key& key) noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (!used_[i]) return nullptr;
      if (slots_[i].key == key) return &slots_[i].value;
    }
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FlatMap*>(this)->find(key); }

  /// The value of key, made from fresh when there is none. second: whether it was made.
  std::pair<Value*, bool> insert(const Key& key, const Value& fresh = Value{}) {
    if ((size_ + 1) * 2 > slots_.size()) rehash(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (!used_[i]) {
        used_[i] = 1;
        slots_[i] = Entry{key, fresh};
        ++size_;
        return {&slots_[i].value, true};
      }
      if (slots_[i].key == key) return {&slots_[i].value, false};
    }
  }

  /// Would the next insertion of a new key reallocate?
  [[nodiscard]] bool full() const noexcept { return (size_ + 1) * 2 > slots_.size(); }

  bool erase(const Key& key) noexcept {
    if (size_ == 0) return false;
    for (std::size_t i = home(key);; i = (i + 1) & mask_) {
      if (!used_[i]) return false;
      if (slots_[i].key == key) {
        close_gap(i);
        return true;
      }
    }
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (used_[i]) visit(slots_[i].key, slots_[i].value);
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (used_[i]) visit(slots_[i].key, slots_[i].value);
  }

  /// Drops every entry for which keep returns false; gives memory back when few are left.
  template <class Keep>
  void retain(Keep keep) {
    std::vector<Entry> kept;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (used_[i] && keep(slots_[i].key, slots_[i].value)) kept.push_back(slots_[i]);
    std::size_t capacity = 16;
    while (capacity < kept.size() * 4) capacity *= 2;
    reset(capacity);
    for (const Entry& entry : kept) *insert(entry.key).first = entry.value;
  }

 private:
  [[nodiscard]] std::size_t home(const Key& key) const noexcept { return Hash{}(key)&mask_; }

  void reset(std::size_t capacity) {
    std::vector<Entry>(capacity).swap(slots_);
    std::vector<std::uint8_t>(capacity).swap(used_);
    mask_ = capacity - 1;
    size_ = 0;
  }

  void rehash(std::size_t capacity) {
    std::vector<Entry> old_slots = std::move(slots_);
    std::vector<std::uint8_t> old_used = std::move(used_);
    slots_ = {};
    used_ = {};
    reset(capacity);
    for (std::size_t i = 0; i < old_slots.size(); ++i)
      if (old_used[i]) *insert(old_slots[i].key).first = old_slots[i].value;
  }

  void close_gap(std::size_t gap) noexcept {
    for (std::size_t i = (gap + 1) & mask_; used_[i]; i = (i + 1) & mask_) {
      if (((i - home(slots_[i].key)) & mask_) >= ((i - gap) & mask_)) {
        slots_[gap] = slots_[i];
        gap = i;
      }
    }
    used_[gap] = 0;
    --size_;
  }

  std::vector<Entry> slots_;
  std::vector<std::uint8_t> used_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace clc
