// Collective operations whose members agree, over a tree of the ranks that have members [L tables 4.2, 4.3]: the
// latest begins travel up and down, so that each end learns what binds it; then the earliest ends, so that each begin
// learns what limits it.
//
// Place    A part of `Operations`, for communicators where the second best of another member is all that an end has to
//          know besides the best: no delays of single pairs or within nodes, no shared clocks, no prefix operations,
//          and the same operations and roots in the records of all members.
// Figures  The begins that are latest by C travel along: the smallest recorded delay shows how far clocks differ.
// Formula  [L 3.4]. Begins of 1-to-N operations travel only down from the rank of the root, those of N-to-1 only up to
//          it; ends the other way. The rest goes up to the first rank, and down.
// Cost     At most two items for each direction and rank, O(log(ranks)) one after the other; O(1) per member.
// Assumes  An end that was given up because all ranks wait is not bound, and does not limit begins, by an operation of
//          which begins are still to come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "clc/definitions.hpp"
#include "clock/controller.hpp"
#include "ranks/exchange.hpp"

namespace clc::ranks {

/// An item and the rank that it goes to.
struct Posted {
  unsigned to = 0;
  Item item;
};

/// True if the end of a member may come after begins of others.
[[nodiscard]] bool is_head(const Event& event, Rank member) noexcept;

/// Of begins the latest, of ends the earliest, of two processes.
class BestTwo {
 public:
  struct Entry {
    ProcessIndex process = no_process;
    Time time;
    double offset = 0;
  };
  explicit BestTwo(bool latest) noexcept : latest_(latest) {}
  void insert(const Entry& entry) noexcept;
  /// The best one of another process; null: none.
  [[nodiscard]] const Entry* besides(ProcessIndex process) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Entry& operator[](std::size_t i) const noexcept { return entries_[i]; }

 private:
  std::array<Entry, 3> entries_;  // a third place to insert
  std::size_t size_ = 0;
  bool latest_;
};

/// The operations of one communicator, on one rank.
class Tree {
 public:
  /// What it needs to know of its communicator. ranks: those with members, ascending; local: the number of members on
  /// this rank; delay: mu.
  struct Place {
    CommunicatorIndex communicator = no_communicator;
    const std::vector<unsigned>& ranks;
    const std::vector<unsigned>& owners;
    unsigned rank = 0;
    Rank local = 0;
    Ticks delay = 0;
  };
  /// Appends to posts what goes to other ranks, and to answers the limits of local tails.
  Tree(const Place& place, std::vector<Posted>& posts, std::vector<Item>& answers);

  /// The begin of a local member is processed, or it has none. True: all begins that local ends wait for are known now.
  bool take_part(const Item& part);
  /// Begins or ends of other ranks. True as above.
  bool arrive(const Item& item);
  /// True if an end need not wait.
  [[nodiscard]] bool ready(const Event& event, Rank member, std::uint64_t number);
  /// What binds an end: the latest begin of another member.
  [[nodiscard]] Bound bound(const Event& event, Rank member, std::uint64_t number);
  /// An end was processed with that offset. recorded: its C. Returns its smallest recorded delay from a begin of
  /// another member; none: there is no such begin.
  [[nodiscard]] std::optional<Ticks> processed(const Event& event, Rank member, std::uint64_t number, double offset,
                                               Time recorded);

 private:
  enum class Way : std::uint8_t { both, up, down };
  /// The begins or the ends of an operation.
  struct Flow {
    explicit Flow(bool latest) noexcept : best(latest), simple(latest), recorded(latest) {}
    BestTwo best;
    BestTwo simple;    // of begins, on LC
    BestTwo recorded;  // of begins, by C
    Way way = Way::both;
    Rank open = 0;          // local members that are still to come
    std::size_t below = 0;  // ranks below in the tree that are still to come
    bool passed_up = false;
    bool known = false;  // of all ranks
    [[nodiscard]] bool is_over() const noexcept { return open == 0 && (known || (way == Way::up && passed_up)); }
  };
  struct Instance {
    std::uint64_t number = 0;
    Operation operation = Operation::barrier;
    ProcessIndex root = no_process;
    std::size_t place = 0;  // of this rank in the tree, the top is 0
    bool started = false;
    Flow begins{true};
    Flow ends{false};
    std::vector<Item> tails;  // of local members, to be answered
  };
  [[nodiscard]] Instance& at(std::uint64_t number);
  [[nodiscard]] Instance& at(std::uint64_t number, Operation operation, ProcessIndex root);
  [[nodiscard]] std::size_t children_of(std::size_t place) const noexcept;
  void contribute(Instance& instance, Flow& flow, bool is_source);
  void pass_up_if_complete(Instance& instance, Flow& flow);
  void learn(Instance& instance, Flow& flow);
  void post(const Instance& instance, const Flow& flow, std::size_t place);
  void answer(Instance& instance);
  void close();

  Place place_;
  std::vector<Posted>& posts_;
  std::vector<Item>& answers_;
  std::size_t own_;  // place of this rank among those with members
  std::deque<Instance> instances_;
  std::uint64_t first_ = 0;
};

}  // namespace clc::ranks
