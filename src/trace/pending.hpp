// Ends of messages that wait for their other ends, by number.
//
// Place    A queue for each channel and side, see channel.hpp. Numbers usually come in ascending order and leave in the
//          same order.
// Cost     O(1) then; else O(ends). Memory for at most three times as many as wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace clc {

template <class End>
class Pending {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// nullptr if there is none of that number. Valid until the next call that is not const.
  [[nodiscard]] const End* find(std::uint64_t number) const noexcept {
    const auto at = place_of(number);
    return at != ends_.end() && at->number == number && at->waits ? &at->end : nullptr;
  }
  /// Pre: there is none of that number.
  void add(std::uint64_t number, const End& end) {
    ++count_;
    if (ends_.empty() || ends_.back().number < number) {
      ends_.push_back({number, true, end});
      return;
    }
    const auto at = place_of(number);
    if (at != ends_.end() && at->number == number)
      *at = {number, true, end};
    else
      ends_.insert(at, {number, true, end});
  }
  /// Pre: there is one of that number.
  void remove(std::uint64_t number) noexcept {
    place_of(number)->waits = false;
    --count_;
    skip_gone();
  }
  /// Removes the one of that number and returns it; nullopt if there is none.
  [[nodiscard]] std::optional<End> take(std::uint64_t number) noexcept {
    if (count_ == 0) return std::nullopt;
    // As most leave: the first one.
    if (Entry& first = ends_[front_]; first.number == number) {
      const End end = first.end;
      first.waits = false;
      --count_;
      skip_gone();
      return end;
    }
    const End* const found = find(number);
    if (found == nullptr) return std::nullopt;
    const End end = *found;
    remove(number);
    return end;
  }
  /// In the order of their numbers.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& one : ends_)
      if (one.waits) visit(one.end);
  }
  template <class Predicate>
  void remove_if(Predicate removes) {
    std::erase_if(ends_, [&](const Entry& one) { return !one.waits || removes(one.end); });
    front_ = 0;
    count_ = ends_.size();
  }

 private:
  struct Entry {
    std::uint64_t number;
    bool waits;
    End end;
  };

  [[nodiscard]] auto place_of(std::uint64_t number) const noexcept {
    const auto begin = ends_.begin() + static_cast<std::ptrdiff_t>(front_);
    if (begin == ends_.end() || begin->number >= number) return begin;
    return std::lower_bound(begin, ends_.end(), number,
                            [](const Entry& one, std::uint64_t of) { return one.number < of; });
  }
  [[nodiscard]] auto place_of(std::uint64_t number) noexcept {
    return ends_.begin() + (std::as_const(*this).place_of(number) - ends_.cbegin());
  }
  void skip_gone() noexcept {
    if (count_ == 0) {
      ends_.clear();
      front_ = 0;
      return;
    }
    while (!ends_[front_].waits) ++front_;
    constexpr std::size_t few = 64;
    if (ends_.size() > few + 2 * count_) remove_if([](const End&) { return false; });
  }

  std::vector<Entry> ends_;  // by number
  std::size_t front_ = 0;    // those before it are gone
  std::size_t count_ = 0;
};

}  // namespace clc
