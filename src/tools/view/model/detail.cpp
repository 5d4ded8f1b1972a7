#include "view/model/detail.hpp"

#include <algorithm>
#include <bit>

#include "trace/hash.hpp"
#include "view/model/packed.hpp"

namespace clc::view {

namespace {

constexpr std::size_t most_touched = 16;  ///< chunks that hold a message

/// Columns of a chunk; the corrections of a process are told as differences to its last one.
class Columns {
 public:
  explicit Columns(bool two_sides) : two_sides_(two_sides) {}
  void shift(ProcessIndex process, const Both<Time>& times, Packed& column) {
    if (!two_sides_) return;
    const Ticks shift = times[corrected] - times[recorded];
    Ticks& last = last_[process];
    column.add(subtract_saturating(shift, last));
    last = shift;
  }

 private:
  bool two_sides_;
  HashMap<ProcessIndex, Ticks> last_;
};

void append(std::string& bytes, std::initializer_list<const Packed*> columns) {
  for (const Packed* column : columns) column->pack(bytes);
}

}  // namespace

std::size_t Detail::Chunk::size() const noexcept {
  std::size_t members = 0;
  for (const auto& joint : joints) members += joint.members.size() + 1;
  return 4 * pieces.size() + 3 * marks.size() + 10 * arrows.size() + 6 * members;
}

unsigned Detail::Chunk::worth() const noexcept {
  if (violated != 0) return 2 + static_cast<unsigned>(std::bit_width(violated));
  return moved != 0 ? 1 : 0;
}

Detail::Chunk* Detail::open(std::size_t number) {
  if (open_.empty() || number < open_.front().number) return nullptr;
  return &open_[number - open_.front().number];
}

void Detail::border() {
  Chunk chunk;
  chunk.number = chunks_++;
  chunk.begin = newest_;
  chunk.end = Time::latest();
  if (!open_.empty()) open_.back().end = newest_;
  open_.push_back(std::move(chunk));
  if (open_.size() > 2) close_oldest();
}

bool Detail::shown(const Both<Time>& a, const Both<Time>& b) const noexcept {
  return std::ranges::any_of(sides, [&](Column side) {
    return std::max(a[side], b[side]) >= shown_from_ && std::min(a[side], b[side]) <= shown_to_;
  });
}

void Detail::close_piece(ProcessIndex process, Track& track, Region region, const Both<Time>& at) {
  if (Chunk* const chunk = open(track.chunk);
      chunk != nullptr && at != track.since && at[corrected] >= track.since[corrected] && shown(track.since, at))
    chunk->pieces.push_back({process, region, track.since, at});
  track.since = at;
}

/// At the end of the chunk in which the process is.
void Detail::cut(ProcessIndex process, Track& track, const Both<Time>& next) {
  const Chunk* const chunk = open(track.chunk);
  Both<Time> at;
  at[corrected] = std::max(chunk->end, track.since[corrected]);
  at[recorded] = std::clamp(track.last[recorded] + (at[corrected] - track.last[corrected]), track.since[recorded],
                            std::max(track.since[recorded], next[recorded]));
  close_piece(process, track, track.region, at);
  ++track.chunk;
}

void Detail::give_up_after(Time time) {
  std::erase_if(kept_, [time](const Chunk& chunk) { return chunk.end > time; });
}

void Detail::advance(ProcessIndex process, const Both<Time>& times, bool moved, bool mark) {
  if (most_bytes_ == 0) return;
  newest_ = std::max(newest_, times[corrected]);
  if (open_.empty() || open_.back().records >= std::max(least_records, 4 * tracks_.size())) border();
  if (tracks_.size() <= process) tracks_.resize(process + std::size_t{1});
  Track& track = tracks_[process];
  if (!track.started) {
    track.started = true;
    track.chunk = open_.front().end >= times[corrected] ? open_.front().number : open_.back().number;
    track.since = times;
  }
  if (times[corrected] < open_.front().begin) give_up_after(times[corrected]);
  while (open(track.chunk)->end < times[corrected]) cut(process, track, times);
  track.last = times;
  if (!shown(times, times)) return;
  Chunk& chunk = *open(track.chunk);
  ++chunk.records;
  chunk.moved += moved ? 1U : 0U;
  if (mark) chunk.marks.push_back({process, times});
}

void Detail::change(ProcessIndex process, Region left) {
  if (most_bytes_ == 0) return;
  Track& track = tracks_[process];
  close_piece(process, track, left, track.last);
}

template <class Use>
void Detail::each_touched(Time from, Time to, Use use) {
  std::size_t touched = 0;
  // NOLINTNEXTLINE(modernize-loop-convert): backwards
  for (auto chunk = open_.rbegin(); chunk != open_.rend(); ++chunk)
    if (chunk->begin <= to && chunk->end >= from && ++touched <= most_touched) use(*chunk);
  for (auto chunk = kept_.rbegin(); chunk != kept_.rend() && chunk->end >= from; ++chunk)
    if (chunk->begin <= to && ++touched <= most_touched) use(*chunk);
}

void Detail::message(const Arrow& arrow) {
  if (!shown(arrow.sent, arrow.received)) return;
  const auto [from, to] = std::minmax(arrow.sent[corrected], arrow.received[corrected]);
  ++messages_;
  each_touched(from, to, [&](Chunk& chunk) {
    chunk.arrows.push_back(arrow);
    chunk.arrows.back().number = messages_;
    chunk.violated += arrow.margin(recorded) < 0 ? 1U : 0U;
  });
}

void Detail::operation(const Joint& joint) {
  if (std::ranges::none_of(joint.members,
                           [this](const Joint::Member& member) { return shown(member.begin, member.end); }))
    return;
  Time from = Time::latest();
  Time to = Time::earliest();
  for (const auto& member : joint.members) {
    from = std::min(from, member.begin[corrected]);
    to = std::max(to, member.end[corrected]);
  }
  ++operations_;
  each_touched(from, to, [&](Chunk& chunk) {
    chunk.joints.push_back(joint);
    chunk.joints.back().number = operations_;
    chunk.violated += joint.violated[recorded] != 0 ? 1U : 0U;
  });
}

void Detail::close_oldest() {
  Chunk& oldest = open_.front();
  for (ProcessIndex process = 0; process < tracks_.size(); ++process) {
    Track& track = tracks_[process];
    if (track.started && track.chunk == oldest.number) cut(process, track, {Time::latest(), Time::latest()});
  }
  std::ranges::stable_sort(oldest.pieces, {}, &Piece::process);
  if (letters_ == 0 && oldest.size() != 0)
    letters_ = static_cast<double>(pack(oldest, true).size()) / static_cast<double>(oldest.size());
  kept_.push_back(std::move(oldest));
  open_.pop_front();
  keep_within();
}

void Detail::keep_within() {
  double bytes = 0;
  for (const Chunk& chunk : kept_) bytes += letters_ * static_cast<double>(chunk.size());
  while (bytes > static_cast<double>(most_bytes_)) {
    const auto worst = std::ranges::min_element(kept_, [](const Chunk& a, const Chunk& b) {
      return a.worth() != b.worth() ? a.worth() < b.worth() : a.number > b.number;
    });
    bytes -= letters_ * static_cast<double>(worst->size());
    kept_.erase(worst);
  }
}

void Detail::finish() {
  if (open_.empty()) return;
  open_.back().end = newest_;
  for (ProcessIndex process = 0; process < tracks_.size(); ++process)  // to their own ends
    if (Track& track = tracks_[process]; track.started) close_piece(process, track, track.region, track.last);
  for (Track& track : tracks_) track.started = false;
  while (!open_.empty()) close_oldest();
}

namespace {

void pack_pieces(const auto& pieces, Time begin, Columns& shifts, std::string& bytes) {
  Packed processes, counts, regions, gaps, lengths, from, to;
  ProcessIndex process = 0;
  for (auto piece = pieces.begin(); piece != pieces.end();) {
    const auto first = piece;
    Time end = begin;
    for (; piece != pieces.end() && piece->process == first->process; ++piece) {
      regions.add_size(piece->region == 0xffff ? 0 : piece->region + 1U);
      gaps.add(piece->from[corrected] - end);
      lengths.add(piece->to[corrected] - piece->from[corrected]);
      shifts.shift(piece->process, piece->from, from);
      shifts.shift(piece->process, piece->to, to);
      end = piece->to[corrected];
    }
    processes.add(Ticks{first->process} - Ticks{process});
    counts.add(piece - first);
    process = first->process;
  }
  append(bytes, {&processes, &counts, &regions, &gaps, &lengths, &from, &to});
}

void pack_marks(const auto& marks, Time begin, Columns& shifts, std::string& bytes) {
  Packed processes, times, own;
  Time last = begin;
  for (const auto& mark : marks) {
    processes.add_size(mark.process);
    times.add(mark.time[corrected] - last);
    shifts.shift(mark.process, mark.time, own);
    last = mark.time[corrected];
  }
  append(bytes, {&processes, &times, &own});
}

void pack_arrows(const auto& arrows, Time begin, Columns& shifts, std::string& bytes) {
  Packed from, to, communicators, delays, sent, took, sender, receiver, numbers;
  PackedExact lengths, tags;
  Time last = begin;
  std::uint64_t number = 0;
  for (const auto& arrow : arrows) {
    from.add_size(arrow.from);
    to.add(Ticks{arrow.to} - Ticks{arrow.from});
    lengths.add_size(arrow.bytes);
    tags.add(arrow.tag);
    communicators.add_size(arrow.communicator + 1U);
    delays.add(arrow.mu);
    sent.add(arrow.sent[corrected] - last);
    took.add(arrow.delay(corrected));
    shifts.shift(arrow.from, arrow.sent, sender);
    shifts.shift(arrow.to, arrow.received, receiver);
    numbers.add_size(arrow.number - number);
    last = arrow.sent[corrected];
    number = arrow.number;
  }
  append(bytes, {&from, &to, lengths.high(), lengths.low(), tags.high(), tags.low(), &communicators, &delays, &sent,
                 &took, &sender, &receiver, &numbers});
}

void pack_joints(const auto& joints, Time begin, Columns& shifts, std::string& bytes) {
  Packed kinds, communicators, before, after, counts, processes, begins, lengths, from, to, numbers;
  std::uint64_t number = 0;
  for (const auto& joint : joints) {
    kinds.add_size(static_cast<std::size_t>(joint.operation));
    communicators.add_size(joint.communicator + 1U);
    before.add_size(joint.violated[recorded]);
    after.add_size(joint.violated[corrected]);
    counts.add_size(joint.members.size());
    numbers.add_size(joint.number - number);
    number = joint.number;
    ProcessIndex process = 0;
    Time last = begin;
    for (const auto& member : joint.members) {
      processes.add(Ticks{member.process} - Ticks{process});
      begins.add(member.begin[corrected] - last);
      lengths.add(member.end[corrected] - member.begin[corrected]);
      shifts.shift(member.process, member.begin, from);
      shifts.shift(member.process, member.end, to);
      process = member.process;
      last = member.begin[corrected];
    }
  }
  append(bytes,
         {&kinds, &communicators, &before, &after, &counts, &processes, &begins, &lengths, &from, &to, &numbers});
}

}  // namespace

std::string Detail::pack(const Chunk& chunk, bool two_sides) const {
  Columns shifts(two_sides);
  std::string bytes;
  pack_pieces(chunk.pieces, chunk.begin, shifts, bytes);
  pack_marks(chunk.marks, chunk.begin, shifts, bytes);
  pack_arrows(chunk.arrows, chunk.begin, shifts, bytes);
  pack_joints(chunk.joints, chunk.begin, shifts, bytes);
  return base64(bytes);
}

Detail::Part Detail::extent_of(const Chunk& chunk) {
  Part part;
  part.number = chunk.number;
  part.begin = chunk.begin;
  part.from = part.all_from = {chunk.begin, chunk.begin};
  part.to = part.all_to = {chunk.end, chunk.end};
  const auto include = [&](const Both<Time>& from, const Both<Time>& to) {
    for (const Column side : sides) {
      part.from[side] = std::min({part.from[side], from[side], to[side]});
      part.to[side] = std::max({part.to[side], from[side], to[side]});
    }
  };
  bool begun = false;
  bool ended = false;
  for (const Piece& piece : chunk.pieces) {
    include(piece.from, piece.to);
    // Cut at a border: the process was there before, and is there after it.
    if (piece.from[corrected] == chunk.begin)
      part.all_from[recorded] = begun ? std::max(part.all_from[recorded], piece.from[recorded]) : piece.from[recorded];
    if (piece.to[corrected] == chunk.end)
      part.all_to[recorded] = ended ? std::min(part.all_to[recorded], piece.to[recorded]) : piece.to[recorded];
    begun = begun || piece.from[corrected] == chunk.begin;
    ended = ended || piece.to[corrected] == chunk.end;
  }
  for (const Mark& mark : chunk.marks) include(mark.time, mark.time);
  for (const Arrow& arrow : chunk.arrows) include(arrow.sent, arrow.received);
  for (const Joint& joint : chunk.joints)
    for (const auto& member : joint.members) include(member.begin, member.end);
  return part;
}

std::vector<Detail::Part> Detail::packed(bool two_sides) const {
  std::vector<const Chunk*> order;
  for (const Chunk& chunk : kept_) order.push_back(&chunk);
  std::ranges::stable_sort(order, std::ranges::greater(), &Chunk::worth);
  std::vector<Part> parts;
  std::size_t bytes = 0;
  for (const Chunk* chunk : order) {
    Part part = extent_of(*chunk);
    part.text = pack(*chunk, two_sides);
    bytes += part.text.size();
    if (bytes > most_bytes_) break;
    parts.push_back(std::move(part));
  }
  std::ranges::sort(parts, {}, &Part::number);
  return parts;
}

}  // namespace clc::view
