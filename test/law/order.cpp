// What happened before what, by messages and operations of which some may be wrong: the filter's code and the judge's
// against all ways there are.
#include "lost/order.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "for_seeds.hpp"
#include "matching/lost/precedence.hpp"
#include "plain_order.hpp"
#include "random_trace.hpp"

namespace clc::test {
namespace {

/// An end of a message, or the begin or end of a call.
struct Record {
  ProcessIndex process = 0;
  bool is_mark = false;
  std::uint32_t nth = 0;            // end or mark of its process
  std::vector<std::size_t> behind;  // records
};

struct Joint {
  std::vector<std::size_t> begins;                        // records, by rank
  std::vector<std::pair<std::size_t, std::size_t>> ends;  // records, and how many begins come before
};

struct Trace {
  std::size_t processes = 0;
  std::vector<Record> records;                                // as they happened
  std::vector<std::pair<std::size_t, std::size_t>> messages;  // send, receive
  std::vector<Joint> joints;
};

class OrderMaker {
 public:
  explicit OrderMaker(Random& random) : random_(random) {}
  [[nodiscard]] Trace make() {
    made_.processes = static_cast<std::size_t>(random_.integer(1, 5));
    numbers_.resize(made_.processes);
    for (std::int64_t left = random_.integer(1, 30); left > 0; --left) {
      if (random_.chance(0.5)) sends_.push_back(add(false));
      if (!sends_.empty() && random_.chance(0.5)) receive();
      if (random_.chance(0.2)) add(true);
      if (random_.chance(0.3)) join();
    }
    return std::move(made_);
  }

 private:
  std::size_t add(bool is_mark) { return add(static_cast<ProcessIndex>(random_.index(made_.processes)), is_mark); }
  std::size_t add(ProcessIndex process, bool is_mark) {
    made_.records.push_back({process, is_mark, numbers_[process][is_mark ? 1 : 0]++, {}});
    return made_.records.size() - 1;
  }
  void receive() {
    const std::size_t which = random_.index(sends_.size());
    const std::size_t receive = add(false);
    made_.messages.emplace_back(sends_[which], receive);
    sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void join() {
    Joint joint;
    const bool is_prefix = random_.chance(0.3);
    std::vector<ProcessIndex> heads;
    for (ProcessIndex process = 0; process < made_.processes; ++process) {
      if (is_prefix && random_.chance(0.7)) joint.ends.emplace_back(add(process, true), joint.begins.size());
      if (random_.chance(0.7)) joint.begins.push_back(add(process, true));
      if (!is_prefix && random_.chance(0.7)) heads.push_back(process);
      if (random_.chance(0.2)) add(random_.chance(0.5));
    }
    for (const ProcessIndex process : heads) joint.ends.emplace_back(add(process, true), joint.begins.size());
    made_.joints.push_back(std::move(joint));
  }

  Random& random_;
  Trace made_;
  std::vector<std::array<std::uint32_t, 2>> numbers_;  // ends and marks of processes
  std::vector<std::size_t> sends_;
};

/// Some messages become those of other sends.
void mislead(Random& random, Trace& trace) {
  for (auto& [send, receive] : trace.messages) {
    const std::size_t other = random.index(trace.messages.size());
    if (random.chance(0.2)) std::swap(send, trace.messages[other].first);
  }
}

lost::Order order_of(const Trace& trace) {
  lost::Order order(trace.processes);
  std::vector<std::array<std::uint32_t, 2>> numbers(trace.processes);
  for (const Record& record : trace.records) ++numbers[record.process][record.is_mark ? 1 : 0];
  for (ProcessIndex process = 0; process < trace.processes; ++process) {
    order.set_ends(process, numbers[process][0]);
    order.set_marks(process, numbers[process][1]);
  }
  std::vector<std::uint32_t> ends(trace.processes);
  for (const Record& record : trace.records) {
    if (record.is_mark)
      order.put_mark(record.process, record.nth, ends[record.process]);
    else
      ++ends[record.process];
  }
  const auto& all = trace.records;
  for (const auto& [send, receive] : trace.messages)
    order.put_behind(all[receive].process, all[receive].nth, all[send].process, all[send].nth);
  for (const Joint& joint : trace.joints) {
    order.add_operation();
    for (const std::size_t begin : joint.begins) order.add_begin(all[begin].process, all[begin].nth);
    for (const auto& [end, begins] : joint.ends)
      order.add_end(all[end].process, all[end].nth, static_cast<std::uint32_t>(begins));
  }
  return order;
}

matching::Precedence precedence_of(const Trace& trace) {
  matching::Precedence precedence;
  for (const Record& record : trace.records) static_cast<void>(precedence.add(record.process));
  for (const auto& [send, receive] : trace.messages)
    precedence.put_behind(static_cast<std::uint32_t>(receive), static_cast<std::uint32_t>(send));
  for (const Joint& joint : trace.joints) {
    matching::Precedence::Joint same;
    for (const std::size_t begin : joint.begins) same.begins.push_back(static_cast<std::uint32_t>(begin));
    for (const auto& [end, begins] : joint.ends) same.ends.push_back({static_cast<std::uint32_t>(end), begins});
    precedence.add(std::move(same));
  }
  return precedence;
}

void put_behind(Trace& trace) {
  for (const auto& [send, receive] : trace.messages) trace.records[receive].behind.push_back(send);
  for (const Joint& joint : trace.joints)
    for (const auto& [end, begins] : joint.ends)
      for (std::size_t k = 0; k < begins; ++k) trace.records[end].behind.push_back(joint.begins[k]);
}

PlainOrder plain(const Trace& trace) {
  PlainOrder order(trace.records.size());
  std::vector<std::size_t> latest(trace.processes, trace.records.size());
  for (std::size_t r = 0; r < trace.records.size(); ++r) {
    std::size_t& before = latest[trace.records[r].process];
    if (before < trace.records.size()) order.put(before, r);
    before = r;
    for (const std::size_t other : trace.records[r].behind) order.put(other, r);
  }
  return order;
}

/// Does each record wait for one of the next one's process that is not ahead of that?
bool is_circle(const Trace& trace, const std::vector<std::uint32_t>& records) {
  for (std::size_t k = 0; k < records.size(); ++k) {
    const std::size_t next = records[(k + 1) % records.size()];
    const std::vector<std::size_t>& behind = trace.records[records[k]].behind;
    const bool waits = std::any_of(behind.begin(), behind.end(), [&](std::size_t other) {
      return trace.records[other].process == trace.records[next].process && other >= next;
    });
    if (!waits) return false;
  }
  return !records.empty();
}

/// All circles are found by both, and broken; empty: no fault.
std::string break_circles(Random& random, Trace& trace, lost::Order& order, matching::Precedence& precedence) {
  for (;;) {
    const auto records = precedence.circle();
    const auto processes = order.follow();
    std::vector<ProcessIndex> of_records;
    for (const auto record : records) of_records.push_back(trace.records[record].process);
    if (of_records != processes) return "another circle";
    if (records.empty()) return "";
    if (!is_circle(trace, records)) return "no circle";
    for (std::size_t k = 0; k < records.size(); ++k) {
      const Record& record = trace.records[records[k]];
      const auto end = order.waiting_end(processes[k]);
      if (end.has_value() == record.is_mark || (end && *end != record.nth)) return "another record";
    }
    const std::size_t which = random.index(records.size());
    order.release(processes[which]);
    precedence.free(records[which]);
    trace.records[records[which]].behind.clear();
  }
}

/// Some marks of a process, in order.
std::vector<std::size_t> some_marks(Random& random, const Trace& trace) {
  const auto process = static_cast<ProcessIndex>(random.index(trace.processes));
  std::vector<std::size_t> marks;
  for (std::size_t r = 0; r < trace.records.size(); ++r)
    if (trace.records[r].process == process && trace.records[r].is_mark && random.chance(0.7)) marks.push_back(r);
  return marks;
}

std::string compare_numbers(Random& random, const Trace& trace, const lost::Order& order,
                            const matching::Precedence& precedence) {
  const PlainOrder plainly = plain(trace);
  const std::vector<std::size_t> marks = some_marks(random, trace);
  if (marks.empty()) return "";
  const ProcessIndex process = trace.records[marks[0]].process;
  std::vector<std::uint32_t> filters;
  std::vector<std::uint32_t> judges;
  for (const std::size_t mark : marks) {
    filters.push_back(trace.records[mark].nth);
    judges.push_back(static_cast<std::uint32_t>(mark));
  }
  const auto before = order.so_many_before(process, filters);
  const auto judged_before = precedence.so_many_before(judges);
  std::vector<bool> is_none;
  for (std::size_t k = 0; k < marks.size(); ++k) {
    is_none.push_back(random.chance(0.1));
    if (is_none[k]) filters[k] = judges[k] = lost::Order::none;
  }
  const auto behind = order.all_behind_from(process, filters);
  const auto judged_behind = precedence.from_behind(judges);
  for (std::size_t r = 0; r < trace.records.size(); ++r) {
    const Record& record = trace.records[r];
    if (!record.is_mark) continue;
    std::size_t count = 0;
    std::size_t from = marks.size();
    while (count < marks.size() && plainly.is_before(marks[count], r)) ++count;
    while (from > 0 && (is_none[from - 1] || plainly.is_before(r, marks[from - 1]))) --from;
    if (before[record.process][record.nth] != count) return "other numbers before";
    if (judged_before[r] != count) return "the judge has other numbers before";
    if (behind[record.process][record.nth] != from) return "other numbers behind";
    if (judged_behind[r] != from) return "the judge has other numbers behind";
  }
  return "";
}

/// Of the ends of messages of some process.
std::string compare_ends(Random& random, const Trace& trace, const lost::Order& order,
                         const matching::Precedence& precedence) {
  const PlainOrder plainly = plain(trace);
  const auto process = static_cast<ProcessIndex>(random.index(trace.processes));
  std::vector<std::uint32_t> ends;
  for (std::uint32_t r = 0; r < trace.records.size(); ++r)
    if (trace.records[r].process == process && !trace.records[r].is_mark) ends.push_back(r);
  const auto before = order.ends_before(process);
  const auto judged = precedence.so_many_before(ends);
  for (std::size_t r = 0; r < trace.records.size(); ++r) {
    const Record& record = trace.records[r];
    if (record.is_mark) continue;
    std::size_t count = 0;
    while (count < ends.size() && plainly.is_before(ends[count], r)) ++count;
    if (judged[r] != count) return "the judge has other ends before";
    const bool is_one = count < ends.size() && ends[count] == r;
    if (before[record.process][record.nth] != count + (is_one ? 1U : 0U)) return "other ends before";
  }
  return "";
}

TEST_CASE("what happened before what is found as by all ways there are") {
  std::size_t circles = 0;
  for_seeds(1, enough_to_count, [&](std::uint64_t seed) -> std::string {
    Random random(seed);
    Trace trace = OrderMaker(random).make();
    const bool is_wrong = random.chance(0.5);
    if (is_wrong) mislead(random, trace);
    put_behind(trace);
    const bool has_circle = plain(trace).has_circle();
    circles += has_circle ? 1U : 0U;
    if (has_circle && !is_wrong) return "a circle of what happened";
    lost::Order order = order_of(trace);
    matching::Precedence precedence = precedence_of(trace);
    if (order.follow().empty() == has_circle) return has_circle ? "no circle is found" : "a circle that is none";
    if (const std::string fault = break_circles(random, trace, order, precedence); !fault.empty()) return fault;
    if (plain(trace).has_circle()) return "a circle is left";
    if (const std::string fault = compare_ends(random, trace, order, precedence); !fault.empty()) return fault;
    return compare_numbers(random, trace, order, precedence);
  });
  CHECK(circles > 0);
}

}  // namespace
}  // namespace clc::test
