// The strings of an archive by their numbers: most of them are names of locations, of which there may be very many.
//
//     Texts texts;
//     texts.add(ref, text), ...;
//     texts.settle();
//     std::optional<std::string_view> name = texts.find(ref);   // valid as long as nothing is added
//
// Cost     O(log texts) to find one. Memory: 16 bytes for each, and its letters.
#pragma once

#include <otf2/otf2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/heap.hpp"

namespace clc::otf2 {

class Texts {
 public:
  void add(OTF2_StringRef ref, std::string_view text) {
    places_.push_back({ref, static_cast<std::uint32_t>(text.size()), letters_.size()});
    letters_ += text;
  }
  /// All were added. Of several with one number the last counts.
  void settle() {
    const auto is_before = [](const Place& a, const Place& b) { return a.ref < b.ref; };
    const auto is_same = [](const Place& a, const Place& b) { return a.ref == b.ref; };
    if (!std::ranges::is_sorted(places_, is_before)) std::ranges::stable_sort(places_, is_before);
    places_.erase(places_.begin(), std::unique(places_.rbegin(), places_.rend(), is_same).base());
    places_.shrink_to_fit();
    letters_.shrink_to_fit();
  }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  /// nullopt: there is none.
  [[nodiscard]] std::optional<std::string_view> find(OTF2_StringRef ref) const noexcept {
    const auto found = std::ranges::lower_bound(places_, ref, {}, &Place::ref);
    if (found == places_.end() || found->ref != ref) return std::nullopt;
    return std::string_view(letters_).substr(found->begin, found->size);
  }
  /// Their numbers.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Place& place : places_) visit(place.ref);
  }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return on_heap(places_) + on_heap(letters_); }

 private:
  struct Place {
    OTF2_StringRef ref;
    std::uint32_t size;
    std::size_t begin;  // in letters_
  };
  std::vector<Place> places_;  // settled: by number
  std::string letters_;
};

}  // namespace clc::otf2
