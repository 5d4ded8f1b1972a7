// Runs scenarios in memory and looks at what comes out.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "generate.hpp"
#include "options.hpp"
#include "scenarios.hpp"
#include "settings.hpp"

namespace clc::tracegen::test {

/// A trace in memory.
struct Collected final : Output {
  std::vector<Placed> all;
  std::map<CommunicatorIndex, std::vector<ProcessIndex>> communicators;

  void points(std::span<const Placed> run) override { all.insert(all.end(), run.begin(), run.end()); }
  void communicator(CommunicatorIndex number, std::span<const ProcessIndex> members) override {
    communicators[number].assign(members.begin(), members.end());
  }
  [[nodiscard]] std::vector<std::vector<Point>> by_process(std::size_t processes) const {
    std::vector<std::vector<Point>> result(processes);
    for (const Placed& placed : all) result.at(placed.process).push_back(placed.point);
    return result;
  }
};

struct Run {
  Settings settings;
  Plan plan;
  Collected recorded;
  Collected truth;
  Generated generated;
};

/// Runs what `clc-tracegen WORDS` would.
inline Run run(const std::string& words, std::uint64_t seed = 1) {
  std::deque<std::string> arguments{"clc-tracegen", "--seed", std::to_string(seed)};
  std::string word;
  for (const char letter : words + ' ') {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      arguments.push_back(std::exchange(word, {}));
    }
  }
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  Options options;
  if (!parse(static_cast<int>(argv.size()), argv.data(), options)) throw std::logic_error("help?");
  Run result;
  result.settings = options.settings;
  const auto program = make_program(result.settings, result.plan);
  for (CommunicatorIndex i = 0; i < result.plan.communicators.size(); ++i)
    result.recorded.communicators[i] = result.plan.communicators[i];
  result.generated = generate(result.settings, result.plan, *program, result.recorded, &result.truth);
  return result;
}

struct Message {
  ProcessIndex from = 0;
  ProcessIndex to = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  Ticks sent = 0;
  Ticks received = 0;
};

struct Matched {
  std::vector<Message> messages;
  std::size_t unmatched_sends = 0;
  std::size_t unmatched_receives = 0;
};

/// First in, first out per (sender, receiver, communicator, tag), on the order within the processes.
inline Matched match(const Collected& trace) {
  using Key = std::tuple<ProcessIndex, ProcessIndex, CommunicatorIndex, std::int32_t>;
  std::map<Key, std::pair<std::vector<Point>, std::vector<Point>>> channels;
  for (const Placed& placed : trace.all) {
    const Point& point = placed.point;
    if (point.kind == Kind::send)
      channels[{placed.process, point.peer, point.communicator, point.tag}].first.push_back(point);
    if (point.kind == Kind::receive)
      channels[{point.peer, placed.process, point.communicator, point.tag}].second.push_back(point);
  }
  Matched result;
  for (const auto& [key, channel] : channels) {
    const auto& [sends, receives] = channel;
    const std::size_t both = std::min(sends.size(), receives.size());
    for (std::size_t i = 0; i < both; ++i)
      result.messages.push_back(
          {std::get<0>(key), std::get<1>(key), sends[i].bytes, receives[i].bytes, sends[i].time, receives[i].time});
    result.unmatched_sends += sends.size() - both;
    result.unmatched_receives += receives.size() - both;
  }
  return result;
}

/// One member of a collective operation.
struct Call {
  ProcessIndex process = 0;
  Rank rank = no_rank;
  Ticks begin = 0;
  Point end;
};

/// The instances of all operations: the k-th end of each member on a communicator; the begin is that with the
/// same call id, or the last one.
inline std::vector<std::vector<Call>> instances(const Collected& trace, std::size_t processes) {
  std::map<std::pair<CommunicatorIndex, std::size_t>, std::vector<Call>> found;
  const auto all = trace.by_process(processes);
  for (ProcessIndex process = 0; process < processes; ++process) {
    std::map<std::int32_t, Ticks> begun;
    std::map<CommunicatorIndex, std::size_t> count;
    for (const Point& point : all[process]) {
      if (point.kind == Kind::collective_begin) begun[point.tag] = point.time;
      if (point.kind != Kind::collective_end) continue;
      const auto& members = trace.communicators.at(point.communicator);
      const auto rank = std::find(members.begin(), members.end(), process);
      if (rank == members.end()) throw std::logic_error("not a member");
      found[{point.communicator, count[point.communicator]++}].push_back(
          {process, static_cast<Rank>(rank - members.begin()), begun.at(point.tag), point});
      begun.erase(point.tag);
    }
  }
  std::vector<std::vector<Call>> result;
  for (auto& [key, calls] : found) {
    std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.rank < b.rank; });
    result.push_back(std::move(calls));
  }
  return result;
}

/// Whether the begin of tail orders the end of head.
inline bool ordered(const Call& tail, const Call& head) {
  if (tail.rank == head.rank) return false;
  const OperationInfo& what = info(head.end.operation);
  if (what.operation != Operation::barrier && (tail.end.bytes == 0 || head.end.received == 0)) return false;
  switch (what.kind) {
    case CollectiveClass::one_to_n:
      return tail.rank == head.end.peer;
    case CollectiveClass::n_to_one:
      return head.rank == head.end.peer;
    case CollectiveClass::n_to_n:
      return true;
    case CollectiveClass::prefix:
      return tail.rank < head.rank;
  }
  return false;
}

/// By time. Records of a clock that was set back count with its largest time so far.
inline bool sorted(const Collected& trace) {
  std::map<ProcessIndex, Ticks> largest;
  Ticks newest = ticks_min;
  for (const Placed& record : trace.all) {
    Ticks& time = largest.try_emplace(record.process, ticks_min).first->second;
    time = std::max(time, record.point.time);
    if (time < newest) return false;
    newest = time;
  }
  return true;
}

}  // namespace clc::tracegen::test
