#include "sync/curve.hpp"

#include <map>

namespace clc::sync {

Point Zeros::point(ClockIndex from, ClockIndex to, const Sighting& sighting) const noexcept {
  const Time sent = sighting.sent();
  return {seconds(from, sent),
          resolution_.seconds(static_cast<double>((sighting.received() - zeros_[to]) - (sent - zeros_[from]))),
          sighting.waited()};
}

Meeting Zeros::meeting(const Gathering& gathering) const {
  Meeting meeting;
  for (const Gathering::Member& member : gathering.members)
    meeting.members.push_back({member.clock, seconds(member.clock, member.begin), seconds(member.clock, member.end),
                               member.tail, member.head});
  return meeting;
}

namespace {

using Places = std::map<std::pair<ClockIndex, ClockIndex>, std::size_t>;

void add(std::vector<Series>& all, Places& places, const Meeting::Member& from, const Meeting::Member& to,
         bool waited) {
  const auto [at, is_new] = places.try_emplace({from.clock, to.clock}, all.size());
  if (is_new) all.push_back({from.clock, to.clock, {}});
  all[at->second].points.emplace_back(from.begin, to.end - from.begin, waited);
}

}  // namespace

std::vector<Series> all_series(const Seen& seen, const std::vector<Curve>& curves, const Windows& windows,
                               bool by_stay) {
  std::vector<Series> all = seen.series;
  if (seen.meetings.empty()) return all;
  Places places;
  for (std::size_t i = 0; i < all.size(); ++i) places[{all[i].from, all[i].to}] = i;
  const auto mapped = [&](ClockIndex clock, double time) { return curves[clock].mapped(time, windows); };
  for (const Meeting& meeting : seen.meetings) {
    std::size_t heads = 0;
    for (const Meeting::Member& member : meeting.members) heads += member.head;
    const bool stay = by_stay && heads > 1;
    const Meeting::Member* latest = nullptr;
    const Meeting::Member* earliest = nullptr;
    for (const Meeting::Member& member : meeting.members) {
      const auto lateness = [&](const Meeting::Member& of) {
        return stay ? of.begin - of.end : mapped(of.clock, of.begin);
      };
      if (member.tail && (!stay || member.head) && (latest == nullptr || lateness(member) > lateness(*latest)))
        latest = &member;
      if (member.head &&
          (earliest == nullptr || mapped(member.clock, member.end) < mapped(earliest->clock, earliest->end)))
        earliest = &member;
    }
    if (latest == nullptr || earliest == nullptr) continue;
    for (const Meeting::Member& member : meeting.members) {
      if (member.head && member.clock != latest->clock)
        add(all, places, *latest, member,
            stay || mapped(member.clock, member.begin) < mapped(latest->clock, latest->begin));
      if (member.tail && &member != latest && member.clock != earliest->clock)
        add(all, places, member, *earliest, false);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Series& a, const Series& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return all;
}

Windows windows_over(const std::vector<Series>& series, const Seen& seen, const std::vector<Curve>& curves,
                     std::size_t count) {
  double begin = HUGE_VAL;
  double end = -HUGE_VAL;
  const auto cover_point = [&](ClockIndex from, ClockIndex to, const Point& point) {
    const double sent = point.sent() - curves[from].line(point.sent());
    const double received = point.received() - curves[to].line(point.received());
    begin = std::min(begin, (sent + received) / 2);
    end = std::max(end, (sent + received) / 2);
  };
  const auto cover = [&](ClockIndex from, ClockIndex to, const std::vector<Point>& points) {
    for (const Point& point : points) cover_point(from, to, point);
  };
  for (const Series& one : series) cover(one.from, one.to, one.points);
  for (const Burst& burst : seen.bursts) {
    cover(burst.low, burst.high, burst.up);
    cover(burst.high, burst.low, burst.down);
  }
  // Measured offsets are no part of windows; but there may be nothing else.
  if (!std::isfinite(begin)) {
    const auto common = static_cast<ClockIndex>(seen.clocks - 1);
    for (const MeasuredOffsets& of : seen.offsets)
      for (const MeasuredOffsets::At& at : of.points) cover_point(of.clock, common, at.to_common);
  }
  if (!(end > begin)) return {std::isfinite(begin) ? begin - 0.5 : 0, 1, 1};
  return {begin, (end - begin) / static_cast<double>(count), count};
}

std::size_t windows_for(const Seen& seen, std::size_t ordered_pairs) noexcept {
  const auto pairs = static_cast<double>(std::max<std::size_t>(1, std::min(ordered_pairs, 6 * seen.clocks)));
  const double wanted = static_cast<double>(seen.edges) / (5 * pairs);
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, 512.0));
}

}  // namespace clc::sync
