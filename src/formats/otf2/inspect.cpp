#include "otf2/inspect.hpp"

#include "otf2/chunks.hpp"

namespace clc::otf2 {

namespace {

using namespace chunks;

/// Hands the kinds of the records of a chunk to visit, as libotf2 does: what is no mark is a record, known or not, and
/// so is a time behind a time. Returns the mark behind the last, end_of_file or another; nullopt: there is none.
template <class Visit>
std::optional<Kind> walk_records(const Chunks& chunk, Part part, Visit visit) {
  constexpr std::ptrdiff_t stamp = 9;
  const bool timed = part == Part::events || part == Part::snapshots;
  for (const char* at = chunk.records(); at < chunk.end();) {
    if (timed && static_cast<std::uint8_t>(*at) == time_stamp) {
      if (chunk.end() - at <= stamp) break;
      at += stamp;
    }
    const auto kind = static_cast<std::uint8_t>(*at++);
    const auto left = static_cast<std::uint64_t>(chunk.end() - at);
    if (kind <= end_of_file) return static_cast<Kind>(kind);
    if (left == 0) break;
    const std::optional<std::uint64_t> length =
        part == Part::events ? event_length(kind, at, left, chunk.swapped()) : length_of(at, left, chunk.swapped());
    if (!length || *length > left) break;
    at += *length;
    if (!timed || kind != attributes) visit(kind);
  }
  return std::nullopt;
}

/// Of the chunks up to one that is not laid out as expected.
template <class Visit>
void walk_file(Chunks& chunks, Part part, Visit visit) {
  for (std::uint64_t i = 0; i < chunks.count() && chunks.read(i); ++i) walk_records(chunks, part, visit);
}

}  // namespace

std::optional<std::uint64_t> records_before_cut(const std::string& file, const Layout& layout, Part part) {
  if (layout.compressed()) return std::nullopt;
  Chunks chunks(file, layout.chunk_of(part));
  if (chunks.count() == 0) return std::nullopt;
  if (!chunks.read(0)) return chunks.cut_in_head() ? std::optional<std::uint64_t>(0) : std::nullopt;
  const std::uint64_t first = chunks.first();
  const std::uint64_t last = chunks.count() - 1;
  std::uint64_t records = 0;
  const auto count = [&records](std::uint8_t) { ++records; };
  if (chunks.read(last)) {
    if (walk_records(chunks, part, count) == end_of_file) return std::nullopt;
    // Of events the head of a chunk tells how many stand ahead of it.
    if (part == Part::events) return chunks.first() - first + records;
  } else {
    if (!chunks.cut_in_head()) return std::nullopt;
    if (part == Part::events && chunks.read(last - 1)) return chunks.last() + 1 - first;
  }
  records = 0;
  walk_file(chunks, part, count);
  return records;
}

void collect_kinds(const std::string& file, const Layout& layout, Part part, unsigned known,
                   std::set<unsigned>& kinds) {
  if (layout.compressed()) return;
  Chunks chunks(file, layout.chunk_of(part));
  walk_file(chunks, part, [&](std::uint8_t kind) {
    if (kind >= first_record + known) kinds.insert(kind);
  });
}

}  // namespace clc::otf2
