// The members of an instance of a collective operation, by rank.
//
// Place    Part of Collectives.
// Memory   A pointer for 64 members, and their states once one of these has a call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "clc/definitions.hpp"
#include "clock/calls.hpp"

namespace clc {

/// Values by rank. Memory is allocated for a chunk of them when the first one is needed; the others share one value.
template <class T>
class Chunks {
 public:
  static constexpr Rank chunk = 64;
  T others{};

  [[nodiscard]] Rank size() const noexcept { return size_; }
  void reset(Rank size) {
    chunks_.clear();
    chunks_.resize((size + chunk - 1) / chunk);
    size_ = size;
    held_ = 0;
    others = T{};
  }
  [[nodiscard]] bool holds(Rank rank) const noexcept { return chunks_[rank / chunk] != nullptr; }
  [[nodiscard]] const T& operator[](Rank rank) const noexcept { return holds(rank) ? held(rank) : others; }
  /// Pre: holds(rank).
  [[nodiscard]] T& held(Rank rank) const noexcept { return chunks_[rank / chunk][rank % chunk]; }
  /// Pre: !holds(rank).
  [[gnu::noinline]] void hold(Rank rank) {
    const Rank count = std::min(chunk, size_ - rank / chunk * chunk);
    std::unique_ptr<T[]>& values = chunks_[rank / chunk];
    values = std::make_unique<T[]>(count);
    std::fill_n(values.get(), count, others);
    held_ += count;
  }
  /// Bytes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return chunks_.size() * sizeof chunks_[0] + held_ * sizeof(T); }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  Rank size_ = 0;
  std::size_t held_ = 0;
};

/// The members of an instance by rank; those without an end in their chunk share one state.
class InstanceMembers {
 public:
  /// The latest tails of an end: ranks, no_rank for none.
  struct Latest {
    Ticks delay = 0;
    Ticks simple_delay = 0;
    Rank tail = no_rank;
    Rank simple_tail = no_rank;
  };
  struct Member {
    CallId call = no_call;     // no_call: its end has not been read
    bool contributed = false;  // its end is read; its begin is absent, processed or without data
    bool excused = false;      // given up: no tail
    bool summed_up = false;    // `latest` is known
    Latest latest;             // of its end
    [[nodiscard]] bool settled() const noexcept { return contributed || excused; }
  };

  [[nodiscard]] Rank size() const noexcept { return members_.size(); }
  /// Number of members with a call.
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::uint64_t memory() const noexcept { return members_.memory(); }
  void reset(Rank size) {
    members_.reset(size);
    used_.clear();
    calls_ = 0;
  }
  [[nodiscard]] const Member& operator[](Rank rank) const noexcept { return members_[rank]; }
  /// Pre: it has a call.
  [[nodiscard]] Member& called(Rank rank) noexcept { return members_.held(rank); }
  Member& set_call(Rank rank, CallId call) {
    if (!members_.holds(rank)) {
      members_.hold(rank);
      used_.insert(std::lower_bound(used_.begin(), used_.end(), rank / chunk), rank / chunk);
    }
    Member& member = called(rank);
    member.call = call;
    ++calls_;
    return member;
  }
  void excuse_without_call() {
    members_.others.excused = true;
    for_each_used(0, size(), [](Rank, Member& member) { member.excused = member.excused || member.call == no_call; });
  }
  /// The next rank whose state may differ.
  [[nodiscard]] Rank behind(Rank rank) const noexcept {
    return members_.holds(rank) ? rank + 1 : std::min(size(), (rank / chunk + 1) * chunk);
  }
  /// Calls visit(rank, member) for members with a call, by rank.
  template <class Visit>
  void for_each_call(Visit visit) const {
    for_each_call(0, size(), visit);
  }
  template <class Visit>
  void for_each_call(Rank first, Rank last, Visit visit) const {
    for_each_used(first, last, [&](Rank rank, Member& member) {
      if (member.call != no_call) visit(rank, member);
    });
  }
  template <class Visit>
  void for_each_call_backwards(Visit visit) const {
    for (auto number = used_.rbegin(); number != used_.rend(); ++number)  // NOLINT(modernize-loop-convert): backwards
      for (Rank rank = std::min(size(), (*number + 1) * chunk); rank-- > *number * chunk;)
        if (members_.held(rank).call != no_call) visit(rank);
  }

 private:
  static constexpr Rank chunk = Chunks<Member>::chunk;

  template <class Visit>
  void for_each_used(Rank first, Rank last, Visit visit) const {
    for (auto number = std::lower_bound(used_.begin(), used_.end(), first / chunk); number != used_.end(); ++number) {
      if (*number * chunk >= last) return;
      const Rank end = std::min(last, *number * chunk + chunk);
      for (Rank rank = std::max(first, *number * chunk); rank < end; ++rank) visit(rank, members_.held(rank));
    }
  }

  Chunks<Member> members_;
  std::vector<Rank> used_;  // numbers of chunks with memory, sorted
  std::size_t calls_ = 0;
};

}  // namespace clc
