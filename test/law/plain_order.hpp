// What happened before what in a trace, in plain form: all that can be reached from each event.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "clc/definitions.hpp"
#include "clc/event.hpp"

namespace clc::test {

/// Events with an order between some of them.
class PlainOrder {
 public:
  explicit PlainOrder(std::size_t events) : behind_(events) {}
  void put(std::size_t before, std::size_t behind) { behind_[before].push_back(behind); }
  /// Those of each process in their order.
  void put_processes(const std::vector<Event>& events) {
    std::map<ProcessIndex, std::size_t> latest;
    for (std::size_t e = 0; e < events.size(); ++e) {
      if (const auto before = latest.find(events[e].process); before != latest.end()) put(before->second, e);
      latest[events[e].process] = e;
    }
  }
  /// Is there a way from one to the other? To itself: round a circle.
  [[nodiscard]] bool is_before(std::size_t one, std::size_t other) const {
    if (known_.empty()) known_.resize(behind_.size());
    if (known_[one].empty()) find(one);
    return known_[one][other];
  }
  [[nodiscard]] bool has_circle() const {
    for (std::size_t e = 0; e < behind_.size(); ++e)
      if (is_before(e, e)) return true;
    return false;
  }

 private:
  void find(std::size_t one) const {
    std::vector<bool>& reached = known_[one];
    reached.resize(behind_.size());
    for (std::vector<std::size_t> next{one}; !next.empty();) {
      const std::size_t each = next.back();
      next.pop_back();
      for (const std::size_t e : behind_[each])
        if (!reached[e]) {
          reached[e] = true;
          next.push_back(e);
        }
    }
  }

  std::vector<std::vector<std::size_t>> behind_;
  mutable std::vector<std::vector<bool>> known_;
};

/// A begin and its end.
struct PlainCall {
  std::size_t begin;
  std::size_t end;
};

/// The finished calls of each member of each communicator; none overlap.
inline std::map<CommunicatorIndex, std::map<ProcessIndex, std::vector<PlainCall>>> calls_in(
    const std::vector<Event>& events) {
  std::map<CommunicatorIndex, std::map<ProcessIndex, std::vector<PlainCall>>> calls;
  std::map<ProcessIndex, std::size_t> begins;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (events[e].role == Role::collective_begin) begins[events[e].process] = e;
    if (events[e].role == Role::collective_end)
      calls[events[e].communicator][events[e].process].push_back({begins.at(events[e].process), e});
  }
  return calls;
}

inline Rank rank_of(const Definitions& definitions, CommunicatorIndex communicator, ProcessIndex process) {
  const Members members = definitions.communicators()[communicator].members;
  Rank rank = 0;
  while (members[rank] != process) ++rank;
  return rank;
}

/// Does an operation with these end records order the begin of one rank before the end of the other?
inline bool is_edge(const Event& tail, Rank from, const Event& head, Rank to) {
  const bool barrier = tail.operation == Operation::barrier;
  if (from == to || !(barrier || tail.bytes > 0) || !(barrier || head.received > 0)) return false;
  switch (info(tail.operation).kind) {
    case CollectiveClass::one_to_n:
      return from == tail.root;
    case CollectiveClass::n_to_one:
      return to == tail.root;
    case CollectiveClass::n_to_n:
      return true;
    case CollectiveClass::prefix:
      return from < to;
  }
  return false;
}

/// By processes, by messages as if first in, first out were right for all that are not told to be alone, and by the
/// operations of communicators of which nothing is missing.
inline PlainOrder plain_order(const Definitions& definitions, const std::vector<Event>& events) {
  PlainOrder order(events.size());
  order.put_processes(events);
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::vector<std::size_t>> sends;
  std::map<std::pair<ProcessIndex, ProcessIndex>, std::size_t> received;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (events[e].role == Role::send && events[e].other_end != OtherEnd::missing)
      sends[{events[e].process, events[e].peer}].push_back(e);
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (events[e].role != Role::receive || events[e].other_end == OtherEnd::missing) continue;
    const std::pair channel(events[e].peer, events[e].process);
    const std::size_t nth = received[channel]++;
    if (nth < sends[channel].size()) order.put(sends[channel][nth], e);
  }
  for (const auto& [communicator, members] : calls_in(events)) {
    const std::vector<PlainCall>& first = members.begin()->second;
    bool is_whole = true;
    for (const auto& [process, calls] : members) {
      is_whole &= calls.size() == first.size();
      for (std::size_t k = 0; is_whole && k < first.size(); ++k)
        is_whole &= events[calls[k].end].operation == events[first[k].end].operation &&
                    events[calls[k].end].root == events[first[k].end].root;
    }
    if (!is_whole) continue;
    for (const auto& [from, tails] : members)
      for (const auto& [to, heads] : members)
        for (std::size_t k = 0; k < first.size(); ++k)
          if (is_edge(events[tails[k].end], rank_of(definitions, communicator, from), events[heads[k].end],
                      rank_of(definitions, communicator, to)))
            order.put(tails[k].begin, heads[k].end);
  }
  return order;
}

}  // namespace clc::test
