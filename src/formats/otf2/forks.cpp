// Reads ahead which teams a location forks, and how large.
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

namespace {

struct Forks {
  Teams& teams;
  std::uint32_t requested = 0;  ///< 0: no fork without its team
};

}  // namespace

void read_forks(Archive& archive, ProcessIndex index) {
  const Archive::Location& location = archive.locations()[index];
  if (!location.event_file) return;
  static const auto callbacks = [] {
    Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete> all(OTF2_EvtReaderCallbacks_New());
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(
        all.get(), [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, OTF2_AttributeList*, OTF2_Paradigm,
                      std::uint32_t requested) {
          static_cast<Forks*>(user)->requested = requested;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(
        all.get(),
        [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, OTF2_AttributeList*, OTF2_CommRef team) {
          Forks& forks = *static_cast<Forks*>(user);
          if (forks.requested > 0) forks.teams.add_fork(team, std::exchange(forks.requested, 0));
          return OTF2_CALLBACK_SUCCESS;
        });
    return all;
  }();
  OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(archive.reader(), location.ref);
  Forks forks{archive.teams()};
  if (reader != nullptr &&
      OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader, callbacks.get(), &forks) == OTF2_SUCCESS) {
    std::uint64_t count = 0;
    static_cast<void>(location.before_cut
                          ? OTF2_Reader_ReadLocalEvents(archive.reader(), reader, *location.before_cut, &count)
                          : OTF2_Reader_ReadAllLocalEvents(archive.reader(), reader, &count));
  }
  if (reader != nullptr) OTF2_Reader_CloseEvtReader(archive.reader(), reader);
  // Damage is told by who reads the events.
  static_cast<void>(take_complaint());
}

}  // namespace clc::otf2
