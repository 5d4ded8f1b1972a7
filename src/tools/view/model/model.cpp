#include "view/model/model.hpp"

#include "matching/window.hpp"

namespace clc::view {

Model::Model(const Parameters& parameters, const Definitions& definitions, std::optional<Window> window,
             std::size_t detail)
    : definitions_(definitions),
      delays_(parameters, definitions),
      judge_(parameters, definitions, delays_),
      matcher_(definitions, *this),
      shown_(window),
      detail_(detail) {}

void Model::add(const Event& event, const Both<Time>& times, Kind kind, std::string_view name) {
  if (!shown_.begun()) {
    shown_.begin(times[corrected], definitions_.resolution);
    detail_.show_only(shown_.from(), shown_.to());
  }
  shown_.reach(times[recorded], times[corrected]);
  if (tracks_.size() <= event.process) {
    tracks_.resize(event.process + std::size_t{1});
    processes_.resize(tracks_.size());
  }
  Track& track = tracks_[event.process];
  const bool moved =
      track.started && times[corrected] - track.last[corrected] != times[recorded] - track.last[recorded];
  detail_.advance(event.process, times, moved, kind == Kind::other);
  if (const auto left = track.regions.change(regions_, event, kind, name))
    close_segment(track, event.process, times, *left);
  detail_.now_in(event.process, track.regions.innermost());
  count(event, times, track);
  evidence_.event(event.process, times, track.started ? &track.last : nullptr);
  track.started = true;
  track.last = times;
  matching::Stamp stamp;
  for (const Column side : sides) stamp.time[side] = times[side];
  match(event, stamp);
}

void Model::add_ahead(const Event& event) { match(event, matching::InWindow::outside(event.time)); }

void Model::match(const Event& event, const matching::Stamp& stamp) {
  if (event.role == Role::internal) return;
  if (event.other_end == OtherEnd::missing)
    matcher_.add_lone(event);
  else
    matcher_.add(event, stamp);
}

void Model::count(const Event& event, const Both<Time>& times, const Track& track) {
  for (const Column side : sides) {
    if (!shown_.contains(times[side])) continue;
    activities_.event(side, event.process, times[side]);
    shown_.widen(times[side]);
  }
  if (shown_.contains(times[corrected])) {
    ++counts_.events;
    if (track.started) intervals_.add(track.last, times);
    const Ticks shift = times[corrected] - times[recorded];
    corrections_.add(event.process, times[corrected], shift);
    processes_[event.process].event(shift);
  } else if (!shown_.contains(times[recorded])) {
    return;
  }
  points_.add({event.process, event.role, times});
}

void Model::close_segment(Track& track, ProcessIndex process, const Both<Time>& times, Regions::Id region) {
  if (track.started) {
    detail_.change(process, region);
    activities_.segment({process, region, track.since, times}, shown_);
  }
  track.since = times;
}

void Model::message(const matching::Message& found) {
  if (matching::InWindow::ends_of(found).outside > 0) return;
  Arrow arrow;
  arrow.from = found.sender;
  arrow.to = found.receiver;
  arrow.bytes = found.bytes;
  arrow.tag = found.tag;
  arrow.communicator = found.communicator;
  arrow.mu = matching::min_delay_of(found, delays_);
  for (const Column side : sides) {
    arrow.sent[side] = found.sent.time[side];
    arrow.received[side] = found.received.time[side];
  }
  const matching::Edge edge{found.sender, found.receiver, found.sent, found.received, arrow.mu};
  evidence_.message(found, edge);
  const std::size_t ends =
      std::size_t{shown_.contains(arrow.sent[corrected])} + std::size_t{shown_.contains(arrow.received[corrected])};
  if (ends == 2) {
    counts_.message(arrow, edge, found.within_clock);
    processes_[arrow.to].receive(arrow);
    traffic_.at(arrow.from, arrow.to).add(arrow);
  } else {
    counts_.crossing_messages += ends;
  }
  bool drawn = false;
  for (const Column side : sides) drawn = drawn || shown_.touches(arrow.sent[side], arrow.received[side]);
  if (!drawn) return;
  activities_.message(arrow, shown_);
  arrows_.add(arrow);
  violations_.add(arrow);
  detail_.message(arrow);
  if (ends != 0) corridors_.add(arrow, shown_);
}

void Model::collective(const matching::Collective& operation) {
  if (matching::InWindow::ends_of(operation).outside > 0) return;
  const Both<matching::EdgeFigures> figures{judge_.judge(operation, recorded), judge_.judge(operation, corrected)};
  evidence_.collective(operation, figures, delays_);
  std::size_t inside = 0;
  std::size_t ends = 0;
  for (const matching::Member& member : operation.members) {
    inside += std::size_t{shown_.contains(member.end.time[corrected])};
    ++ends;
    if (!member.has_begin) continue;
    inside += std::size_t{shown_.contains(member.begin.time[corrected])};
    ++ends;
  }
  if (inside == 0) return;
  const bool whole = inside == ends;
  if (!whole)
    ++counts_.crossing_operations;
  else if (operation.members.size() == operation.size)
    ++counts_.operations;
  Joint joint;
  joint.operation = operation.operation;
  joint.communicator = operation.communicator;
  for (const matching::Member& member : operation.members) {
    const matching::Stamp& begin = member.has_begin ? member.begin : member.end;
    joint.members.push_back({member.process,
                             {begin.time[recorded], begin.time[corrected]},
                             {member.end.time[recorded], member.end.time[corrected]}});
  }
  for (const Column side : sides) {
    joint.violated[side] = figures[side].violated;
    if (whole) counts_.collectives[side].add(figures[side]);
    if (side != recorded || figures[side].violated == 0) continue;
    const matching::Edge& worst = figures[side].worst;
    violations_.add({worst.from,
                     worst.to,
                     0,
                     {worst.sent.time[recorded], worst.sent.time[corrected]},
                     {worst.received.time[recorded], worst.received.time[corrected]},
                     0,
                     operation.communicator,
                     worst.mu,
                     static_cast<std::int16_t>(operation.operation)});
  }
  detail_.operation(joint);
}

void Model::finish() {
  for (ProcessIndex process = 0; process < tracks_.size(); ++process) {
    Track& track = tracks_[process];
    if (track.started) close_segment(track, process, track.last, track.regions.innermost());
  }
  matcher_.finish();
  shown_.finish(counts_.events != 0);
  activities_.finish();
  arrows_.finish();
  violations_.finish();
  detail_.finish();
}

}  // namespace clc::view
