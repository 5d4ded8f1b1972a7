#include "matching/lost/clock_steps.hpp"

#include <algorithm>
#include <utility>

namespace clc::matching {

namespace {

constexpr Ticks limit = Ticks{1} << 50;
constexpr std::size_t fewest = 3;  // channels

}  // namespace

void ClockSteps::add(ProcessIndex sender, const Ends& sends, ProcessIndex receiver, const Ends& receives) {
  channels_.push_back({{sender, receiver}, {sends, receives}});
}

void ClockSteps::find() {
  if (found_) return;
  found_ = true;
  std::map<ProcessIndex, std::vector<std::pair<std::size_t, std::size_t>>> sides;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    sides[channels_[c].process[0]].emplace_back(c, 0);
    sides[channels_[c].process[1]].emplace_back(c, 1);
  }
  for (const auto& [process, its] : sides) follow(process, its);
}

ClockSteps::Line ClockSteps::line_of(const Channel& channel, std::size_t side) const {
  const Ends& own = channel.ends[side];
  const std::vector<WholeEnd> here = without(channel.process[side], own);
  const std::vector<WholeEnd> there = without(channel.process[1 - side], channel.ends[1 - side]);
  Line line;
  line.fewer = static_cast<std::int64_t>(there.size()) - static_cast<std::int64_t>(here.size());
  for (std::size_t k = 0; k + 1 < std::min(here.size(), there.size()); ++k) {
    const Ticks gap = here[k + 1].time - here[k].time;
    const Ticks more = subtract_saturating(gap, there[k + 1].time - there[k].time);
    line.gaps.push_back({own[k].nth, own[k + 1].nth, gap, std::min(limit, std::max(-limit, more))});
  }
  if (line.gaps.empty()) return line;
  std::vector<Ticks> all;
  for (const Gap& gap : line.gaps) all.push_back(gap.own);
  std::sort(all.begin(), all.end());
  line.usual = std::min(std::max<Ticks>(all[all.size() / 2], 2), Ticks{1} << 34);
  const Ticks quarter = line.usual / 4;
  std::size_t alike = 0;
  for (const Ticks gap : all) alike += gap + quarter >= line.usual && gap - quarter <= line.usual;
  line.regular = alike > all.size() - alike;
  return line;
}

ClockSteps::Gap* ClockSteps::Line::around(std::uint32_t end) {
  auto gap = std::partition_point(gaps.begin(), gaps.end(), [&](const Gap& each) { return each.to <= end; });
  return gap != gaps.end() && gap->from <= end ? &*gap : nullptr;
}

bool ClockSteps::Line::jumps(const Gap& gap) const {
  return size_of(gap.more) >= usual / 2 && size_of(gap.more) < limit;
}

bool ClockSteps::Line::by_own_clock(const Gap& gap) const {
  return gap.more <= 0 ? gap.own <= usual / 2 : gap.own >= usual + gap.more / 2;
}

bool ClockSteps::Line::may_lack(Ticks jump) const {
  const Ticks ends = (size_of(jump) + usual / 2) / usual;
  if ((jump <= 0 ? -fewer : fewer) < ends) return false;
  return size_of(size_of(jump) - ends * usual) <= usual / 8;
}

Ticks ClockSteps::agreed(std::vector<Line>& lines, std::uint32_t end, const Line& line, Ticks jump) {
  std::vector<Ticks> jumps;
  std::size_t present = 0;
  std::size_t explained = 0;
  for (Line& other : lines) {
    const Gap* gap = other.around(end);
    if (gap == nullptr) continue;
    ++present;
    const Ticks room = std::min(line.usual, other.usual) / 4;
    if (size_of(gap->more - jump) > room || !other.by_own_clock(*gap)) continue;
    jumps.push_back(gap->more);
    explained += other.may_lack(gap->more);
  }
  if (jumps.size() < fewest || jumps.size() <= present - jumps.size() || explained > jumps.size() - explained) return 0;
  std::sort(jumps.begin(), jumps.end());
  return jumps[jumps.size() / 2];
}

void ClockSteps::follow(ProcessIndex process, const std::vector<std::pair<std::size_t, std::size_t>>& sides) {
  std::vector<Line> lines;
  for (const auto& [channel, side] : sides)
    if (Line line = line_of(channels_[channel], side); !line.gaps.empty()) lines.push_back(std::move(line));
  std::size_t regular = 0;
  for (const Line& line : lines) regular += line.regular;
  if (regular < fewest || regular <= lines.size() - regular) return;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint32_t>> jumps;  // line and begin, by the end of the gap
  for (std::size_t l = 0; l < lines.size(); ++l)
    for (const Gap& gap : lines[l].gaps)
      if (lines[l].jumps(gap)) jumps[gap.to] = {l, gap.from};
  if (jumps.size() > (std::size_t{1} << 22) / lines.size()) return;
  auto& steps = steps_[process];
  for (const auto& [to, place] : jumps) {
    Line& line = lines[place.first];
    const Gap gap = *line.around(place.second);
    if (!line.jumps(gap) || !line.by_own_clock(gap)) continue;
    std::uint32_t end = gap.from;
    for (Line& other : lines)
      if (const Gap* its = other.around(to - 1)) end = std::max(end, its->from);
    const Ticks size = agreed(lines, end, line, gap.more);
    if (size == 0) continue;
    for (Line& other : lines)
      if (Gap* its = other.around(end)) {
        its->more -= size;
        its->own = subtract_saturating(its->own, size);
      }
    steps.emplace(end + 1, Step{{}, size});
  }
  std::map<std::uint32_t, Time> ends;
  for (const auto& [channel, side] : sides)
    for (const End& end : channels_[channel].ends[side]) ends[end.nth] = end.end.time;
  for (auto& [nth, step] : steps) {
    const auto behind = ends.lower_bound(nth);
    const Time before = std::prev(behind)->second;
    step.time = before + (behind->second - before) / 2;
  }
}

std::vector<WholeEnd> ClockSteps::without(ProcessIndex process, const Ends& ends, bool between) const {
  std::vector<WholeEnd> moved;
  const auto found = steps_.find(process);
  static const std::multimap<std::uint32_t, Step> none;
  const auto& steps = found == steps_.end() ? none : found->second;
  auto next = steps.begin();
  Ticks ahead = 0;
  for (const End& end : ends) {
    for (; next != steps.end(); ++next) {
      if (next->first > end.nth || (between && next->first == end.nth && end.end.time < next->second.time)) break;
      ahead += next->second.size;
    }
    WholeEnd each = end.end;
    each.time = each.time - ahead;
    if (!moved.empty()) each.time = std::max(each.time, moved.back().time);
    moved.push_back(each);
  }
  return moved;
}

}  // namespace clc::matching
