// Maps a location's own numbers of regions, groups, communicators and windows to those of the archive.
//
// Place    Used by EventReader when it reads without libotf2, which would map them itself.
// Memory   4 bytes per number.
// Cost     One memory access per number.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace clc::otf2 {

class NumberTables {
 public:
  /// A table was found. What is not in it has the same number in the archive.
  void add(OTF2_MappingType type, const OTF2_IdMap* map) {
    if (type == OTF2_MAPPING_ATTRIBUTE) attributes_ = true;
    const std::size_t place = place_of(type);
    if (place == tables_.size()) return;
    Pairs pairs;
    static_cast<void>(OTF2_IdMap_Traverse(
        map,
        [](std::uint64_t own, std::uint64_t global, void* user) {
          static_cast<Pairs*>(user)->emplace_back(own, global);
        },
        &pairs));
    fill(tables_[place], pairs);
  }
  /// False: a table would take too much memory, or there were two of a kind.
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// There is one for attributes.
  [[nodiscard]] bool of_attributes() const noexcept { return attributes_; }
  /// The number in the archive.
  template <OTF2_MappingType type>
  [[nodiscard]] std::uint32_t global(std::uint32_t own) const noexcept {
    static_assert(place_of(type) < kept.size());
    const Table& table = tables_[place_of(type)];
    return own < table.size() ? table[own] : own;
  }

 private:
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  using Table = std::vector<std::uint32_t>;
  static constexpr std::array<OTF2_MappingType, 4> kept{OTF2_MAPPING_REGION, OTF2_MAPPING_GROUP, OTF2_MAPPING_COMM,
                                                        OTF2_MAPPING_RMA_WIN};
  [[nodiscard]] static constexpr std::size_t place_of(OTF2_MappingType type) noexcept {
    std::size_t place = 0;
    while (place < kept.size() && kept[place] != type) ++place;
    return place;
  }
  /// Up to the largest number that is another one in the archive.
  void fill(Table& table, const Pairs& pairs) {
    constexpr std::uint64_t largest = std::uint64_t{1} << 31U;
    std::uint64_t size = 0;
    for (const auto& [own, global] : pairs)
      if (own != global) size = std::max(size, std::min(own, largest) + 1);
    // Few numbers, but large ones.
    if (!table.empty() || size > 8 * pairs.size() + 64) {
      complete_ = false;
      return;
    }
    for (std::uint32_t own = 0; own < size; ++own) table.push_back(own);
    for (const auto& [own, global] : pairs)
      if (own < size) table[own] = static_cast<std::uint32_t>(global);
  }

  std::array<Table, kept.size()> tables_;
  bool complete_ = true;
  bool attributes_ = false;
};

}  // namespace clc::otf2
