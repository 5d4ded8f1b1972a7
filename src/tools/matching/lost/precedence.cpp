#include "matching/lost/precedence.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace clc::matching {

Precedence::Record Precedence::add(ProcessIndex process) {
  const auto record = static_cast<Record>(process_of_.size());
  while (records_of_.size() <= process) {
    may_go_on_.push_back(static_cast<ProcessIndex>(records_of_.size()));
    records_of_.emplace_back();
    next_.push_back(0);
    waits_.push_back(false);
    on_path_.push_back(none);
  }
  records_of_[process].push_back(record);
  process_of_.push_back(process);
  sends_.push_back(none);
  joints_of_.emplace_back();
  happened_.push_back(false);
  last_waiting_.push_back(none);
  return record;
}

void Precedence::add(Joint joint) {
  const auto number = static_cast<std::uint32_t>(joints_.size());
  for (std::uint32_t k = 0; k < joint.begins.size(); ++k) joints_of_[joint.begins[k]] = {number, k, false};
  for (std::uint32_t k = 0; k < joint.ends.size(); ++k) {
    joints_of_[joint.ends[k].record] = {number, k, true};
    if (joint.ends[k].begins < joint.begins.size()) joint.some.push_back(k);
  }
  joints_.push_back(std::move(joint));
  begun_.push_back(0);
  waiting_for_all_.emplace_back();
}

// ---- circles ----------------------------------------------------------------------------------

Precedence::Record Precedence::waits_for(Record record) const {
  if (const Record send = sends_[record]; send != none && !happened_[send]) return send;
  const InJoint& own = joints_of_[record];
  if (own.joint == none || !own.is_end) return none;
  const std::size_t begun = begun_[own.joint];
  return begun < joints_[own.joint].ends[own.place].begins ? joints_[own.joint].begins[begun] : none;
}

void Precedence::go_on() {
  while (!may_go_on_.empty()) {
    const ProcessIndex process = may_go_on_.back();
    may_go_on_.pop_back();
    if (waits_[process]) continue;
    for (std::size_t& next = next_[process]; next < records_of_[process].size(); ++next) {
      const Record record = records_of_[process][next];
      if (const Record other = waits_for(record); other != none) {
        wait(process, record, other);
        break;
      }
      happen(record);
    }
  }
}

void Precedence::wait(ProcessIndex process, Record record, Record other) {
  waits_[process] = true;
  const InJoint& own = joints_of_[record];
  const bool for_all =
      other != sends_[record] && joints_[own.joint].ends[own.place].begins == joints_[own.joint].begins.size();
  if (for_all) return waiting_for_all_[own.joint].push_back(process);
  waiting_.push_back({process, last_waiting_[other]});
  last_waiting_[other] = static_cast<std::uint32_t>(waiting_.size() - 1);
}

void Precedence::happen(Record record) {
  happened_[record] = true;
  sequence_.push_back(record);
  if (const InJoint& own = joints_of_[record]; own.joint != none && !own.is_end) {
    const std::vector<Record>& begins = joints_[own.joint].begins;
    std::size_t& begun = begun_[own.joint];
    while (begun < begins.size() && happened_[begins[begun]]) ++begun;
    if (begun == begins.size())
      for (const ProcessIndex process : std::exchange(waiting_for_all_[own.joint], {})) wake(process);
  }
  for (std::uint32_t w = last_waiting_[record]; w != none; w = waiting_[w].next) wake(waiting_[w].process);
}

std::vector<Precedence::Record> Precedence::circle() {
  go_on();
  while (first_ < records_of_.size() && next_[first_] == records_of_[first_].size()) ++first_;
  if (first_ == records_of_.size()) return {};
  std::vector<Record> path;
  auto process = static_cast<ProcessIndex>(first_);
  while (on_path_[process] == none) {
    on_path_[process] = static_cast<Record>(path.size());
    path.push_back(records_of_[process][next_[process]]);
    process = process_of_[waits_for(path.back())];
  }
  const Record begin = on_path_[process];
  for (const Record record : path) on_path_[process_of_[record]] = none;
  return {path.begin() + begin, path.end()};
}

void Precedence::free(Record record) {
  sends_[record] = none;
  if (const InJoint& own = joints_of_[record]; own.joint != none && own.is_end)
    joints_[own.joint].ends[own.place].begins = 0;
  wake(process_of_[record]);
}

// ---- numbers ----------------------------------------------------------------------------------

std::vector<std::size_t> Precedence::so_many_before(const std::vector<Record>& records) const {
  std::vector<std::size_t> known(records_of_.size());
  std::vector<std::size_t> before(size());
  std::vector<std::size_t> with(size());                              // itself
  std::vector<std::optional<std::size_t>> at_begins(joints_.size());  // the most at all
  std::size_t passed = 0;
  for (const Record record : sequence_) {
    std::size_t& own = known[process_of_[record]];
    if (sends_[record] != none) own = std::max(own, with[sends_[record]]);
    if (const InJoint& in = joints_of_[record]; in.joint != none && in.is_end) {
      const Joint& joint = joints_[in.joint];
      const std::size_t begins = joint.ends[in.place].begins;
      std::optional<std::size_t> some;
      std::optional<std::size_t>& most = begins == joint.begins.size() ? at_begins[in.joint] : some;
      if (!most) {
        most = 0;
        for (std::size_t k = 0; k < begins; ++k) most = std::max(*most, with[joint.begins[k]]);
      }
      own = std::max(own, *most);
    }
    before[record] = own;
    if (passed < records.size() && records[passed] == record) own = std::max(own, ++passed);
    with[record] = own;
  }
  return before;
}

std::vector<std::size_t> Precedence::from_behind(const std::vector<Record>& records) const {
  std::vector<Record> receives(size(), none);  // of sends
  for (Record record = 0; record < size(); ++record)
    if (sends_[record] != none) receives[sends_[record]] = record;
  std::vector<std::size_t> places(size(), records.size());
  std::vector<bool> comes(records.size());
  for (std::size_t k = 0; k < records.size(); ++k) {
    comes[k] = records[k] == none;
    if (records[k] != none) places[records[k]] = k;
  }
  std::size_t from = records.size();
  while (from > 0 && comes[from - 1]) --from;
  std::vector<std::size_t> known(records_of_.size(), from);
  std::vector<std::size_t> behind(size(), from);
  std::vector<std::size_t> with(size(), from);             // itself
  std::vector<std::size_t> at_ends(joints_.size(), from);  // the least of those that come after all begins
  for (std::size_t k = sequence_.size(); k-- > 0;) {
    const Record record = sequence_[k];
    std::size_t& own = known[process_of_[record]];
    if (receives[record] != none) own = std::min(own, with[receives[record]]);
    const InJoint& in = joints_of_[record];
    if (in.joint != none && !in.is_end) {
      own = std::min(own, at_ends[in.joint]);
      for (const std::uint32_t end : joints_[in.joint].some)
        if (joints_[in.joint].ends[end].begins > in.place)
          own = std::min(own, with[joints_[in.joint].ends[end].record]);
    }
    behind[record] = own;
    if (places[record] < records.size()) {
      comes[places[record]] = true;
      while (from > 0 && comes[from - 1]) --from;
      own = std::min(own, from);
    }
    with[record] = own;
    if (in.joint != none && in.is_end && joints_[in.joint].ends[in.place].begins == joints_[in.joint].begins.size())
      at_ends[in.joint] = std::min(at_ends[in.joint], own);
  }
  return behind;
}

}  // namespace clc::matching
