#include "otf2/traffic.hpp"

#include <algorithm>
#include <map>

#include "otf2/event_kinds.hpp"
#include "otf2/event_reader.hpp"
#include "otf2/plain_events.hpp"

namespace clc::otf2 {

namespace {

/// Of a message; no_process: unknown, or only the location itself can be meant.
ProcessIndex receiver(const Archive& archive, ProcessIndex sender, OTF2_CommRef communicator, std::uint32_t rank) {
  const Ranks* const ranks = archive.communicators().ranks(communicator);
  if (ranks == nullptr || ranks->kind == Ranks::Kind::self) return no_process;
  const auto peers = ranks->peers_of(sender);
  return rank < peers.size() ? peers[rank] : no_process;
}

}  // namespace

std::vector<std::pair<ProcessIndex, std::uint64_t>> sampled_traffic(const Archive& archive, ProcessIndex index) {
  const Archive::Location& location = archive.locations()[index];
  if (!is_plain(archive, location)) return {};
  std::map<ProcessIndex, std::uint64_t> sent;
  std::uint64_t events = 0;
  PlainEvents reader(archive.file_of(location, ".evt"), archive.layout().event_chunk);
  reader.skip_to_middle();
  static_cast<void>(
      reader.read(sampled_events, [&](std::uint8_t kind, std::uint64_t, const char* begin, const char* end) {
        ++events;
        const std::size_t number_of_kind = kind - std::size_t{chunks::first_record};
        if (number_of_kind != number(EventKind::MpiSend) && number_of_kind != number(EventKind::MpiIsend)) return true;
        PackedFields fields(begin, end);
        const std::uint32_t rank = fields.next32();
        const std::uint32_t own = fields.next32();
        if (!fields.valid()) return false;
        const OTF2_CommRef communicator = location.numbers ? location.numbers->global<OTF2_MAPPING_COMM>(own) : own;
        if (const ProcessIndex to = receiver(archive, index, communicator, rank); to != no_process) ++sent[to];
        return true;
      }));
  const std::uint64_t each = events == 0 ? 1 : std::max<std::uint64_t>(1, location.events_defined / events);
  std::vector<std::pair<ProcessIndex, std::uint64_t>> found(sent.begin(), sent.end());
  for (auto& [to, messages] : found) messages *= each;
  return found;
}

}  // namespace clc::otf2
