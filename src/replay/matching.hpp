// Which records of a trace belong together: the ends of a message, the begin and end of a call, the calls of an
// operation. Found while the trace is read forwards, so that they stay together when it is read from its end, or in
// part.
//
// Rules    As those of the clock: for messages, see trace/channel.hpp; an end of a call belongs to the last begin of
//          its process, or to the begin with its call id; the k-th finished calls of all members are one operation.
//          There is no wait limit: the clock still applies its own. What is known of lost records (Event::other_end,
//          missed, absent) counts as it does for the clock.
// Loose    A record without partner, or whose partner is outside of the window, orders nothing: it is loose. So are all
//          calls of an operation that is incomplete, unless it is known who is absent, or whose members disagree on
//          what it is.
// Cost     One lookup per send and receive; memory proportional to the records that are still without partner, plus 8
//          bytes for each loose one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "clc/analysis.hpp"
#include "clc/definitions.hpp"
#include "clc/event.hpp"
#include "trace/channel.hpp"
#include "trace/first_losses.hpp"
#include "trace/hash.hpp"

namespace clc::replay {

/// Position of a record in its trace, from 0.
using Sequence = std::uint64_t;
inline constexpr std::uint64_t none = ~std::uint64_t{0};

/// What a record has to do with earlier ones.
struct Partner {
  Sequence record = none;          ///< the other end of the message, or the begin of the call
  std::uint64_t bytes = 0;         ///< length of the message according to that end
  std::uint64_t operation = none;  ///< of the end of a call: the number of the operation in the trace
};

class Matching {
 public:
  /// definitions: of the trace; they may grow.
  explicit Matching(const Definitions& definitions) : definitions_(definitions) {}

  /// The next record. recorded: its time in the trace. inside: it is part of the window.
  [[nodiscard]] Partner add(const Event& event, Time recorded, Sequence sequence, bool inside);
  /// whole: the trace was read to its end; otherwise a send without receive so far crosses the border.
  void finish(bool whole);

  /// After finish.
  [[nodiscard]] bool is_loose(Sequence sequence) const;
  [[nodiscard]] std::uint64_t counted(Case which) const noexcept { return cases_[static_cast<std::size_t>(which)]; }
  /// What is missing in the window: the first Analysis::most_losses ends of messages by recorded time, and of calls, as
  /// they were found.
  [[nodiscard]] std::vector<Loss> losses() const { return losses_.sorted(); }
  [[nodiscard]] const std::vector<LostCall>& lost_calls() const noexcept { return lost_calls_; }
  /// Members of the communicator when an operation on it began.
  [[nodiscard]] const Members& members(CommunicatorIndex communicator, std::uint64_t operation) const {
    return version(communicator, operation).members;
  }
  /// Of its communicator when it began; 0: that of the processes.
  [[nodiscard]] Ticks min_delay(CommunicatorIndex communicator, std::uint64_t operation) const {
    return version(communicator, operation).min_delay;
  }

 private:
  static constexpr std::size_t most_begun = 1024;

  struct End {
    Sequence sequence;
    std::uint64_t bytes;
    Time recorded;
    bool inside;
  };
  using Channel = MessageChannel<End>;
  struct Begin {
    std::int64_t call;
    Sequence sequence;
    bool inside;
  };
  struct Call {
    ProcessIndex process;
    Sequence begin;  ///< none: it has none
    Sequence end;
    bool begin_inside;
    bool end_inside;
  };
  using Group = HashSet<std::uint64_t>;  // of process indexes
  struct Operation {
    std::uint64_t number;
    clc::Operation what;
    Rank root;
    Time first;                 ///< recorded time of the first end
    std::uint64_t disagreeing;  ///< members that record another operation or root than the first one
    Members members;
    std::shared_ptr<const Group> group;
    std::vector<Call> calls;
  };
  struct Version {
    std::uint64_t since;  ///< number of an operation in the trace
    Members members;
    Ticks min_delay;
  };
  struct OfCommunicator {
    std::uint32_t changes = 0;  ///< of its definition
    std::vector<Version> versions;
    std::shared_ptr<const Group> group;
    HashMap<std::uint64_t, std::uint64_t> finished;  ///< calls of each process
    std::uint64_t next = 0;                          ///< first of the operations that have not begun
    std::map<std::uint64_t, Operation> open;         ///< by position
  };

  [[nodiscard]] const Version& version(CommunicatorIndex communicator, std::uint64_t operation) const;
  [[nodiscard]] Partner message(const Event& event, const End& own);
  void unmatched(const ChannelKey& key, const End& end, bool is_send, bool crosses);
  void begin(const Event& event, Sequence sequence, bool inside);
  [[nodiscard]] Partner end(const Event& event, Time recorded, Sequence sequence, bool inside);
  void note_absent(const Operation& operation, CommunicatorIndex communicator);
  [[nodiscard]] std::optional<Begin> take_begin(const Event& end);
  [[nodiscard]] OfCommunicator& of(CommunicatorIndex communicator);
  [[nodiscard]] std::shared_ptr<const Group> group_of(const Members& members);
  void close(const Operation& operation, bool complete, bool whole);
  void loosen(const Call& call);
  void count(Case which, std::uint64_t times = 1) noexcept { cases_[static_cast<std::size_t>(which)] += times; }
  void loosen(Sequence sequence, bool inside) {
    if (inside) loose_.push_back(sequence);
  }

  const Definitions& definitions_;
  HashMap<ChannelKey, Channel, ChannelKeyHash> channels_;
  std::vector<std::vector<Begin>> begun_;  ///< by process
  HashMap<CommunicatorIndex, OfCommunicator> communicators_;
  struct Known {
    Members members;
    std::shared_ptr<const Group> group;
  };
  HashMap<std::uint64_t, Known> groups_;  ///< by address of the list, which the members keep
  std::uint64_t operations_ = 0;
  std::vector<Sequence> loose_;
  std::array<std::uint64_t, cases.size()> cases_{};
  FirstLosses losses_;
  std::vector<LostCall> lost_calls_;
};

}  // namespace clc::replay
