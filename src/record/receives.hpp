// The receives that are posted and not complete, by their channels: how many does one overtake that ends?
//
// Place    Part of Requests, under its lock. It knows no MPI.
// Channel  Communicator, sender and tag. A receive that takes messages of any sender or tag belongs to a channel only
//          when MPI has its message. Until then it is kept by its pattern, and looked at if a receive that was posted
//          after it ends with a message that fits the pattern.
// Cost     A look-up in a map for each receive, up to three more while there are some with patterns; in a channel a
//          binary search, so that receives may end in any order. Each is looked at until MPI has its message.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace clc::record {

/// A pattern, if source or tag is any_value.
struct Channel {
  static constexpr int any_value = -1;
  const void* communicator = nullptr;
  int source = 0;
  int tag = 0;

  [[nodiscard]] bool is_pattern() const noexcept { return source == any_value || tag == any_value; }
  friend auto operator<=>(const Channel&, const Channel&) = default;
};

class ReceiveLine;

/// A receive; while it is active it does not move.
struct Receive {
  std::uint64_t sequence = 0;   ///< in the order in which they were posted; 0: not active
  ReceiveLine* line = nullptr;  ///< for ActiveReceives; nullptr: in none
};

/// Those of a channel or a pattern, by sequence.
class ReceiveLine {
 public:
  explicit ReceiveLine(bool of_pattern) noexcept : of_pattern_(of_pattern) {}
  [[nodiscard]] bool of_pattern() const noexcept { return of_pattern_; }
  [[nodiscard]] bool empty() const noexcept { return begin_ == all_.size(); }
  /// How many were posted up to first.
  [[nodiscard]] std::size_t up_to(std::uint64_t first) const noexcept;
  [[nodiscard]] Receive& operator[](std::size_t place) const noexcept { return *all_[begin_ + place]; }
  void insert(Receive& receive);
  void erase(const Receive& receive) noexcept;
  /// Erases those of the first so many that are in another line now.
  void erase_moved(std::size_t count) noexcept;

 private:
  void erase(std::size_t from, std::size_t to) noexcept;

  bool of_pattern_;
  std::size_t begin_ = 0;  ///< most end in the order in which they were posted: those before are erased
  std::vector<Receive*> all_;
};

class ActiveReceives {
 public:
  static constexpr std::uint64_t most = 65535;  ///< that a trace can tell, see clc-trace(5)

  /// What MPI says of a receive with a pattern.
  struct Found {
    bool settled = false;  ///< it has this message as long as it is active
    int source = Channel::any_value;
    int tag = Channel::any_value;  ///< any_value: it has no message
  };
  using Look = Found (*)(const Receive&);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// It has a sequence, and is in no line.
  void insert(Receive& receive, const Channel& channel);
  /// If it is in a line.
  void erase(Receive& receive) noexcept;
  /// How many of those posted up to first belong to the channel; at most most.
  [[nodiscard]] std::uint64_t overtaken(const Channel& channel, std::uint64_t first, Look look);

 private:
  void leave_line(Receive& receive) noexcept;
  /// Moves those that MPI has messages for to their channels. Returns how many others have one of this channel.
  std::uint64_t look_at(const Channel& pattern, const Channel& channel, std::uint64_t first, Look look);

  std::map<Channel, ReceiveLine> lines_;  // its entries do not move; empty ones stay until there are many
  std::size_t count_ = 0;
  std::size_t patterns_ = 0;  ///< of these, in lines of patterns
};

}  // namespace clc::record
