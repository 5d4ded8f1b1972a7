// Reads ahead which parallel regions and barriers the locations of teams have.
#include <algorithm>
#include <utility>
#include <vector>

#include "otf2/event_calls.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

namespace {

/// What a location does as a member of teams. Regions are known from the forks, which must have been read.
class Scan {
 public:
  Scan(Archive& archive, ProcessIndex location) : archive_(archive), location_(location) {}

  void fork(std::uint32_t requested) {
    forked_ = requested > 0;
    spoil(std::exchange(unjoined_, nullptr));
  }
  void begin(OTF2_CommRef ref) {
    spoil(std::exchange(unjoined_, nullptr));
    Open open{ref, archive_.teams().find(ref)};
    if (open.team != nullptr) {
      Teams::Member& member = members_.try_emplace(ref, *open.team, location_).first->second;
      open.region = member.next();
      open.master = member.rank() == 0;
      const bool twice = std::any_of(open_.begin(), open_.end(), [&](const Open& other) { return other.ref == ref; });
      open.team->entered += open.region != nullptr ? 1U : 0U;
      if (open.region == nullptr || open.master != forked_ || twice) spoil(open.team);
    }
    forked_ = false;
    open_.push_back(open);
  }
  void end(OTF2_CommRef ref) {
    spoil(std::exchange(unjoined_, nullptr));
    if (open_.empty()) return spoil(archive_.teams().find(ref));
    const Open left = open_.back();
    open_.pop_back();
    if (left.ref != ref) {
      spoil(left.team);
      spoil(archive_.teams().find(ref));
    }
    if (left.region != nullptr) left.region->note_barriers(left.barriers);
    if (left.master) unjoined_ = left.team;
  }
  void join() {
    unjoined_ = nullptr;
    forked_ = false;
  }
  void enter(OTF2_RegionRef region) {
    if (in_barrier(region)) ++open_.back().depth;
  }
  void leave(OTF2_RegionRef region) {
    if (!in_barrier(region)) return;
    Open& open = open_.back();
    if (open.depth > 0 && --open.depth == 0) ++open.barriers;
  }
  /// Its events end within a parallel region.
  [[nodiscard]] bool within() const noexcept { return !open_.empty(); }

 private:
  struct Open {
    OTF2_CommRef ref;
    Teams::Team* team;
    Teams::Region* region = nullptr;
    std::uint32_t barriers = 0;
    std::uint32_t depth = 0;
    bool master = false;
  };
  [[nodiscard]] bool in_barrier(OTF2_RegionRef region) const noexcept {
    return !open_.empty() && open_.back().team != nullptr &&
           archive_.regions().is_thread_barrier(region, open_.back().team->paradigm);
  }
  static void spoil(Teams::Team* team) noexcept {
    if (team != nullptr) team->even = false;
  }

  Archive& archive_;
  ProcessIndex location_;
  bool forked_ = false;              ///< and not yet in the team
  Teams::Team* unjoined_ = nullptr;  ///< left as master
  std::vector<Open> open_;           ///< innermost last
  HashMap<OTF2_CommRef, Teams::Member> members_;
};

/// The forks of a location.
struct Forks {
  Archive& archive;
  ProcessIndex location;
  std::uint32_t requested = 0;  ///< 0: no fork without its team

  void begin(OTF2_CommRef ref) {
    Teams::Team* const team = archive.teams().find(ref);
    const std::uint32_t threads = std::exchange(requested, 0);
    if (threads == 0 || team == nullptr || team->members.front() != location) return;
    team->regions.push_back({std::min(threads, static_cast<std::uint32_t>(team->members.size()))});
  }
};

struct ForkCalls : EventCalls<Forks> {
  ForkCalls() {
    set<EventKind::ThreadFork>(
        &OTF2_EvtReaderCallbacks_SetThreadForkCallback,
        [](Forks& forks, OTF2_TimeStamp, OTF2_Paradigm, std::uint32_t requested) { forks.requested = requested; });
    set<EventKind::ThreadTeamBegin>(&OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback,
                                    [](Forks& forks, OTF2_TimeStamp, OTF2_CommRef team) { forks.begin(team); });
  }
};

struct ScanCalls : EventCalls<Scan> {
  ScanCalls() {
    set<EventKind::ThreadFork>(
        &OTF2_EvtReaderCallbacks_SetThreadForkCallback,
        [](Scan& scan, OTF2_TimeStamp, OTF2_Paradigm, std::uint32_t requested) { scan.fork(requested); });
    set<EventKind::ThreadJoin>(&OTF2_EvtReaderCallbacks_SetThreadJoinCallback,
                               [](Scan& scan, OTF2_TimeStamp, OTF2_Paradigm) { scan.join(); });
    set<EventKind::ThreadTeamBegin>(&OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback,
                                    [](Scan& scan, OTF2_TimeStamp, OTF2_CommRef team) { scan.begin(team); });
    set<EventKind::ThreadTeamEnd>(&OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback,
                                  [](Scan& scan, OTF2_TimeStamp, OTF2_CommRef team) { scan.end(team); });
    set<EventKind::Enter>(&OTF2_EvtReaderCallbacks_SetEnterCallback,
                          [](Scan& scan, OTF2_TimeStamp, OTF2_RegionRef region) { scan.enter(region); });
    set<EventKind::Leave>(&OTF2_EvtReaderCallbacks_SetLeaveCallback,
                          [](Scan& scan, OTF2_TimeStamp, OTF2_RegionRef region) { scan.leave(region); });
  }
};

/// Reads a location as far as it can be read. True: to its end.
bool read_ahead(Archive& archive, ProcessIndex index, const OTF2_EvtReaderCallbacks* callbacks, void* user) {
  const Archive::Location& location = archive.locations()[index];
  if (!location.event_file) return false;
  OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(archive.reader(), location.ref);
  bool complete = false;
  if (reader != nullptr &&
      OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader, callbacks, user) == OTF2_SUCCESS) {
    std::uint64_t count = 0;
    const OTF2_ErrorCode result =
        location.before_cut ? OTF2_Reader_ReadLocalEvents(archive.reader(), reader, *location.before_cut, &count)
                            : OTF2_Reader_ReadAllLocalEvents(archive.reader(), reader, &count);
    complete = result == OTF2_SUCCESS && !location.before_cut;
  }
  if (reader != nullptr) OTF2_Reader_CloseEvtReader(archive.reader(), reader);
  // Damage is told by who reads the events.
  static_cast<void>(take_complaint());
  return complete;
}

}  // namespace

bool scan_teams(Archive& archive, const std::vector<bool>& of) {
  static const ForkCalls of_forks;
  static const ScanCalls of_scan;
  for (const ProcessIndex master : archive.teams().masters(of)) {
    Forks forks{archive, master};
    static_cast<void>(read_ahead(archive, master, of_forks.all.get(), &forks));
  }
  bool complete = true;
  for (const ProcessIndex member : archive.teams().members(of)) {
    Scan scan(archive, member);
    complete &= read_ahead(archive, member, of_scan.all.get(), &scan) && !scan.within();
  }
  return complete;
}

void read_teams(Archive& archive) {
  // Where a location ends early, the others wait for it in vain from there on; until then it is even with them.
  if (scan_teams(archive, {})) archive.teams().compare();
}

}  // namespace clc::otf2
