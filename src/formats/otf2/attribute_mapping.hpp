// Adds an attribute to the mapping of a location, from its own attribute numbers to those of the archive.
//
// Dense     The location uses the numbers from 0 on; the new attribute gets the next one.
// Sparse    Unlisted attributes have the same number as in the archive. So does the new one, unless the location uses
//           that number for another attribute.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace clc::otf2 {

class AttributeMapping {
 public:
  AttributeMapping(const OTF2_IdMap* known, OTF2_AttributeRef further) {
    OTF2_IdMapMode mode = OTF2_ID_MAP_SPARSE;
    static_cast<void>(OTF2_IdMap_GetMode(known, &mode));
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;  // in the location, in the archive
    static_cast<void>(OTF2_IdMap_Traverse(
        known,
        [](std::uint64_t local, std::uint64_t global, void* user) {
          static_cast<decltype(pairs)*>(user)->emplace_back(local, global);
        },
        &pairs));
    const auto listed = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.second == further; });
    std::uint64_t local = further;
    if (listed != pairs.end()) {
      local = listed->first;
    } else {
      std::uint64_t next = 0;
      for (const auto& pair : pairs) next = std::max(next, pair.first + 1);
      const bool taken = std::any_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == further; });
      if (mode == OTF2_ID_MAP_DENSE || taken) local = next;
      pairs.emplace_back(local, further);
    }
    local_ = static_cast<OTF2_AttributeRef>(local);
    map_.reset(OTF2_IdMap_Create(mode, pairs.size()));
    for (const auto& [from, to] : pairs)
      if (map_ && OTF2_IdMap_AddIdPair(map_.get(), from, to) != OTF2_SUCCESS) map_.reset();
  }
  /// Number of the further attribute in the location.
  [[nodiscard]] OTF2_AttributeRef local() const noexcept { return local_; }
  /// Null: it could not be made.
  [[nodiscard]] const OTF2_IdMap* map() const noexcept { return map_.get(); }

 private:
  OTF2_AttributeRef local_ = OTF2_UNDEFINED_ATTRIBUTE;
  std::unique_ptr<OTF2_IdMap, decltype(&OTF2_IdMap_Free)> map_{nullptr, &OTF2_IdMap_Free};
};

}  // namespace clc::otf2
