// Hash maps for the hot path: entries are contiguous in an array and found through a table of their numbers.
//
// Assumes  Small trivially copyable keys and values; most lookups succeed. Fewer than 2^32 - 1 entries. References are
//          valid until the next insertion or retain.
// Cost     O(1) expected; the table is at most a quarter full, so most lookups need one probe. 16 to 32 bytes of it per
//          entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "trace/fetch.hpp"
#include "trace/hash.hpp"
#include "trace/large_pages.hpp"

namespace clc {

/// Finds entries in an array of its owner by hash: open addressing, linear probing, no deletion of single entries.
class NumberTable {
 public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// spread: minimum number of slots per entry.
  explicit NumberTable(std::size_t spread) noexcept : spread_(spread) {}

  [[nodiscard]] std::size_t memory() const noexcept { return numbers_.capacity() * sizeof(std::uint32_t); }
  /// Number of the entry with that hash for which same(number) is true; none if there is none.
  template <class Same>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Same same) const noexcept {
    if (numbers_.empty()) [[unlikely]]
      return none;
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const std::uint32_t number = numbers_[i];
      if (number == none || same(number)) return number;
    }
  }
  /// Prefetches the slot where the search for a hash begins.
  [[gnu::always_inline]] void fetch(std::uint64_t hash) const noexcept {
    if (!numbers_.empty()) clc::fetch(&numbers_[hash & mask_]);
  }
  /// The number in that slot, usually that of the entry sought.
  [[nodiscard]] std::uint32_t first(std::uint64_t hash) const noexcept {
    return numbers_.empty() ? none : numbers_[hash & mask_];
  }
  /// True if there is room for that many entries.
  [[nodiscard]] bool holds(std::size_t entries) const noexcept { return entries * spread_ <= numbers_.size(); }
  /// Adds an entry. Pre: there is room.
  void add(std::uint64_t hash, std::uint32_t number) noexcept {
    std::size_t i = hash & mask_;
    while (numbers_[i] != none) i = (i + 1) & mask_;
    numbers_[i] = number;
  }
  /// Makes room for more than `entries` and adds the entries from 0 on, with the hashes hash_of(number).
  template <class HashOfEntry>
  void rebuild(std::uint32_t entries, HashOfEntry hash_of) {
    std::size_t size = 16;
    while (size < 2 * spread_ * entries) size *= 2;
    numbers_ = LargeVector<std::uint32_t>();
    numbers_.assign(size, none);
    mask_ = size - 1;
    for (std::uint32_t number = 0; number < entries; ++number) add(hash_of(number), number);
  }

 private:
  LargeVector<std::uint32_t> numbers_;
  std::size_t spread_;
  std::size_t mask_ = 0;
};

template <class Key, class Value, class HashOf = Hash>
class FlatMap {
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);

 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const noexcept { return table_.memory() + entries_.capacity() * sizeof(Entry); }

  [[nodiscard]] Value* find(const Key& key) noexcept {
    const std::uint32_t number = number_of(key);
    return number == NumberTable::none ? nullptr : &entries_[number].value;
  }
  [[nodiscard]] const Value* find(const Key& key) const noexcept { return const_cast<FlatMap*>(this)->find(key); }

  // For a key that will soon be looked up, in three steps: prefetch its slot, prefetch its entry, look.
  [[gnu::always_inline]] void fetch(const Key& key) const noexcept { table_.fetch(HashOf{}(key)); }
  [[gnu::always_inline]] void fetch_value(const Key& key) const noexcept {
    if (const std::uint32_t number = table_.first(HashOf{}(key)); number != NumberTable::none)
      clc::fetch_whole(&entries_[number]);
  }
  /// nullptr also if it is not in the first slot probed.
  [[nodiscard]] const Value* peek(const Key& key) const noexcept {
    const std::uint32_t number = table_.first(HashOf{}(key));
    return number != NumberTable::none && entries_[number].key == key ? &entries_[number].value : nullptr;
  }

  /// The value of key; a new one is a copy of fresh. second: true if it is new.
  std::pair<Value*, bool> insert(const Key& key, const Value& fresh = Value{}) {
    if (Value* known = find(key)) return {known, false};
    if (full()) rebuild();
    entries_.push_back({key, fresh});
    table_.add(HashOf{}(key), static_cast<std::uint32_t>(entries_.size() - 1));
    return {&entries_.back().value, true};
  }

  /// True if the next insertion of a new key would enlarge the table.
  [[nodiscard]] bool full() const noexcept { return !table_.holds(entries_.size() + 1); }

  /// Visits all entries in the order of insertion.
  template <class Visit>
  void for_each(Visit visit) {
    for (Entry& entry : entries_) visit(entry.key, entry.value);
  }

  /// Removes every entry for which keep returns false; frees memory if few are left.
  template <class Keep>
  void retain(Keep keep) {
    std::erase_if(entries_, [&](Entry& entry) { return !keep(entry.key, entry.value); });
    if (entries_.size() < entries_.capacity() / 4) entries_.shrink_to_fit();
    rebuild();
  }

 private:
  struct Entry {
    Key key{};
    Value value{};
  };

  [[nodiscard]] std::uint32_t number_of(const Key& key) const noexcept {
    return table_.find(HashOf{}(key), [&](std::uint32_t number) { return entries_[number].key == key; });
  }
  void rebuild() {
    table_.rebuild(static_cast<std::uint32_t>(entries_.size()),
                   [&](std::uint32_t number) { return HashOf{}(entries_[number].key); });
  }

  LargeVector<Entry> entries_;
  NumberTable table_{4};
};

}  // namespace clc
