// What the numbers that a location has for regions, groups, communicators and windows are in the archive.
//
// Place    Of a location, under EventReader, where it is not libotf2 that maps them.
// Cost     An access to memory a number.
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace clc::otf2 {

class NumberTables {
 public:
  /// A table was found. What is not in it has the same number in the archive.
  void add(OTF2_MappingType type, const OTF2_IdMap* map) {
    const std::size_t place = place_of(type);
    if (place == tables_.size()) return;
    if (!tables_[place].empty()) complete_ = false;
    Adding adding{*this, tables_[place]};
    static_cast<void>(OTF2_IdMap_Traverse(map, &Adding::pair, &adding));
  }
  /// False: a number is too large, or there is more than one table of a kind.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// The number in the archive.
  template <OTF2_MappingType type>
  [[nodiscard]] std::uint32_t global(std::uint32_t own) const noexcept {
    static_assert(place_of(type) < kept.size());
    const Table& table = tables_[place_of(type)];
    return own < table.size() ? table[own] : own;
  }

 private:
  using Table = std::vector<std::uint32_t>;
  static constexpr std::array<OTF2_MappingType, 4> kept{OTF2_MAPPING_REGION, OTF2_MAPPING_GROUP, OTF2_MAPPING_COMM,
                                                        OTF2_MAPPING_RMA_WIN};
  [[nodiscard]] static constexpr std::size_t place_of(OTF2_MappingType type) noexcept {
    std::size_t place = 0;
    while (place < kept.size() && kept[place] != type) ++place;
    return place;
  }

  struct Adding {
    NumberTables& tables;
    Table& table;
    static void pair(std::uint64_t own, std::uint64_t global, void* user) {
      constexpr std::uint64_t largest = std::uint64_t{1} << 20U;
      auto& [tables, table] = *static_cast<Adding*>(user);
      if (own >= largest) {
        tables.complete_ = tables.complete_ && own == global;
        return;
      }
      while (table.size() <= own) table.push_back(static_cast<std::uint32_t>(table.size()));
      table[own] = static_cast<std::uint32_t>(global);
    }
  };

  std::array<Table, kept.size()> tables_;
  bool complete_ = true;
};

}  // namespace clc::otf2
