// Makes OTF2 archives for tests, with nothing but libotf2.
//
//   clc-test-otf2-archive kinds DIR [TIMES [more]]
//                                              every kind of event and snapshot record that libotf2 knows, markers, a
//                                              thumbnail, properties; a message that is received too early. TIMES:
//                                              so often the snapshots, markers and strings of the locations; more: a
//                                              marker that begins ahead of all events, one of a location group, one of
//                                              the accelerator that this created, one of an unknown location
//   clc-test-otf2-archive ring DIR LOCATIONS ROUNDS [EACH [BACK]]
//                                              a token that goes round, every fourth clock 50 us slow; and in each
//                                              EACHth round a non-blocking collective operation. BACK, in ns: so far
//                                              the first clock is set back in the middle, by clock offsets
//   clc-test-otf2-archive threads DIR OTHERS   a process of four threads, two of them with slow clocks: teams of three,
//                                              two, three threads and one, barriers, locks, a thread that is created;
//                                              and another process that sends it a message, and others that do nothing
//   clc-test-otf2-archive teams DIR [ODD]      three parallel regions of three threads, with a barrier each. ODD: slow
//   (the
//                                              clock of the third thread), foreign (the master enters a barrier of
//                                              another paradigm), barrier (it enters one barrier more in the second
//                                              region), region (the third thread enters the team once more), end,
//                                              join, begin (such a record is missing in the first region), cut (the
//                                              third thread's events end in the second region), nested (a team of
//                                              another paradigm within the barrier of the second region)
//   clc-test-otf2-archive ranks DIR            four MPI ranks on one node, two of them in each location group, and an
//                                              accelerator in the first group; messages, two of which end too early
//   clc-test-otf2-archive callers DIR WHO      two MPI ranks of two threads each, of which the first has the rank and
//                                              the second, WHO (always, in turn, one: in rank 0, in turn), calls MPI
//                                              (nowhere: always, on a communicator that is not defined);
//                                              50 messages from rank 0 to rank 1 and barriers, and OpenMP barriers of
//                                              the team of each rank; the clock of rank 1 is 500 us slow
//   clc-test-otf2-archive hybrid DIR WHAT [SLOW]
//                                              two MPI ranks of two threads each, on a node each; rank 0 calls MPI by
//                                              its second thread and its first, in turn. WHAT: messages, receives
//                                              (posted by both, completed by the first), collective (non-blocking),
//                                              requests (completed by the other thread), window, between, group,
//                                              epochs, notified; or messages with cuda (a group of host threads and a
//                                              stream of rank 0), spawned (rank 1 by rank 0), orphan (a stream of the
//                                              first node that nobody created), crowded (the same with both ranks
//                                              there), offsets (a clock offset of the first location of rank 0,
//                                              none of the second). SLOW, in ns: the clock of rank 0
//   clc-test-otf2-archive disagree DIR         three locations with right clocks; the third calls one collective
//                                              operation more than the others; and operations of which one member
//                                              names another root
//   clc-test-otf2-archive windows DIR          three processes, one of them slow, with one-sided communication on a
//                                              window: collective operations, synchronisation, puts, locks
//   clc-test-otf2-archive epochs DIR           two locations, the first 50 us slow, with an epoch of one-sided
//                                              communication; in its last call end a receive and an operation that
//                                              were begun after others, and another region is entered; a call
//                                              synchronizes twice, and a call is made within another
//   clc-test-otf2-archive offset DIR [DATE]    two locations, the second 50 us slow, of which the archive has the clock
//                                              offset. DATE, in ns: of an offset of the archive that is 150,000 ticks,
//                                              50,000 behind the first event, with 3 ticks in a microsecond
//   clc-test-otf2-archive set-back DIR HOW [long]
//                                              two locations whose clocks are set back: by the clock offsets of the
//                                              archive, or in the bytes of the event files, because libotf2 writes no
//                                              such times; long: libotf2 has to read them
//   clc-test-otf2-archive long DIR             two locations, the second 50 us slow, with several chunks of long
//                                              records: forty attributes, events at one time, regions and requests
//                                              without number
//   clc-test-otf2-archive operations DIR       every collective operation, one process slow; non-blocking ones that
//                                              complete in another order in each process
//   clc-test-otf2-archive receives DIR EVENTS  two locations, the second 15 us slow; non-blocking receives that end in
//                                              another order than they were posted, the last behind so many events
//   clc-test-otf2-archive cancelled DIR EVENTS two locations, the second 500 us slow; non-blocking sends, of which some
//                                              are cancelled, the last behind so many events
//   clc-test-otf2-archive mapped DIR [ATTRIBUTE]
//                                              two locations, the second with numbers of its own for the communicator,
//                                              a region and the attribute of that number, 50 us slow
//   clc-test-otf2-archive random DIR SEED [long]
//                                              three locations with events of any kinds, with any numbers and
//                                              attributes, the second with numbers of its own; an event in the middle
//                                              of the third has more attributes than are read without libotf2; long:
//                                              also the first of each location
//   clc-test-otf2-archive two-groups DIR [more]
//                                              an inter-communicator, MPI_COMM_SELF, non-blocking collectives; more:
//                                              messages to oneself, operations with a root in the other group
#include <otf2/otf2.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "otf2/records.hpp"

namespace {

void check(OTF2_ErrorCode result, const char* what) {
  if (result != OTF2_SUCCESS) throw std::runtime_error(std::string(what) + ": " + OTF2_Error_GetDescription(result));
}

OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

constexpr std::uint64_t chunk = 256 * 1024;
constexpr std::uint64_t resolution = 1'000'000'000;

/// An archive that is being written: open, events, definitions, close.
class Archive {
 public:
  explicit Archive(const std::string& folder)
      : archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk, chunk, OTF2_SUBSTRATE_POSIX,
                                   OTF2_COMPRESSION_NONE)) {
    if (archive_ == nullptr) throw std::runtime_error("cannot create " + folder);
    static const OTF2_FlushCallbacks callbacks{&flush, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr), "flush callbacks");
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "collective callbacks");
    check(OTF2_Archive_SetCreator(archive_, "clc-test"), "creator");
    check(OTF2_Archive_OpenEvtFiles(archive_), "event files");
    check(OTF2_Archive_OpenDefFiles(archive_), "definition files");
  }
  [[nodiscard]] OTF2_Archive* get() const noexcept { return archive_; }

  OTF2_EvtWriter* events(OTF2_LocationRef location) { return OTF2_Archive_GetEvtWriter(archive_, location); }
  using Mapped = std::vector<std::pair<OTF2_MappingType, std::pair<std::uint64_t, std::uint64_t>>>;
  /// mapped: numbers of the location, and what they are in the archive.
  /// offset: of its clock; 0: none.
  void close_location(OTF2_LocationRef location, OTF2_EvtWriter* writer, const Mapped& mapped = {},
                      std::int64_t offset = 0) {
    check(OTF2_Archive_CloseEvtWriter(archive_, writer), "close events");
    OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(archive_, location);
    if (offset != 0) check(OTF2_DefWriter_WriteClockOffset(definitions, 0, offset, 0), "offset");
    for (const auto& [type, pair] : mapped) {
      OTF2_IdMap* const map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, 1);
      check(OTF2_IdMap_AddIdPair(map, pair.first, pair.second), "mapping");
      check(OTF2_DefWriter_WriteMappingTable(definitions, type, map), "mapping");
      OTF2_IdMap_Free(map);
    }
    check(OTF2_Archive_CloseDefWriter(archive_, definitions), "close definitions");
  }
  OTF2_GlobalDefWriter* end_events() {
    check(OTF2_Archive_CloseDefFiles(archive_), "close definition files");
    check(OTF2_Archive_CloseEvtFiles(archive_), "close event files");
    global_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    string("");
    return global_;
  }
  OTF2_StringRef string(const std::string& text) {
    check(OTF2_GlobalDefWriter_WriteString(global_, strings_, text.c_str()), "string");
    return strings_++;
  }
  struct Clock {
    std::uint64_t per_second = resolution;
    std::uint64_t begin = 0;
    std::uint64_t date = OTF2_UNDEFINED_TIMESTAMP;
  };
  void world(OTF2_LocationRef locations, std::uint64_t events, std::uint64_t length) {
    world(locations, events, length, Clock());
  }
  void world(OTF2_LocationRef locations, std::uint64_t events, std::uint64_t length, const Clock& clock) {
    check(OTF2_GlobalDefWriter_WriteClockProperties(global_, clock.per_second, clock.begin, length, clock.date),
          "clock");
    const OTF2_StringRef machine = string("machine");
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
          "machine");
    const OTF2_StringRef node = string("node");
    const OTF2_StringRef rank = string("rank");
    const OTF2_StringRef thread = string("thread");
    for (OTF2_LocationRef i = 0; i < locations; ++i) {
      const auto group = static_cast<OTF2_LocationGroupRef>(i);
      if (i % 2 == 0)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, group / 2 + 1,
                                                       string(std::to_string(i / 2).insert(0, 1, 'n')), node, 0),
              "node");
      check(OTF2_GlobalDefWriter_WriteLocationGroup(global_, group, rank, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                    group / 2 + 1, OTF2_UNDEFINED_LOCATION_GROUP),
            "group");
      check(OTF2_GlobalDefWriter_WriteLocation(global_, i, thread, OTF2_LOCATION_TYPE_CPU_THREAD, events, group),
            "location");
    }
    std::vector<std::uint64_t> members(locations);
    for (OTF2_LocationRef i = 0; i < locations; ++i) members[i] = i;
    group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, members);
    group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, members);
    communicator(0, 1, OTF2_UNDEFINED_COMM, "world");
    region(0, "main loop", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  }
  void group(OTF2_GroupRef ref, OTF2_GroupType type, OTF2_Paradigm paradigm,
             const std::vector<std::uint64_t>& members) {
    check(OTF2_GlobalDefWriter_WriteGroup(global_, ref, 0, type, paradigm, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(members.size()), members.data()),
          "group");
  }
  void group(OTF2_GroupRef ref, const std::vector<std::uint64_t>& members) {
    group(ref, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, members);
  }
  void communicator(OTF2_CommRef ref, OTF2_GroupRef members, OTF2_CommRef parent, const char* name = nullptr) {
    const OTF2_StringRef named = name == nullptr ? 0 : string(name);
    check(OTF2_GlobalDefWriter_WriteComm(global_, ref, named, members, parent, OTF2_COMM_FLAG_NONE), "communicator");
  }
  void region(OTF2_RegionRef ref, const char* name, OTF2_RegionRole role, OTF2_Paradigm paradigm) {
    check(OTF2_GlobalDefWriter_WriteRegion(global_, ref, string(name), 0, 0, role, paradigm, OTF2_REGION_FLAG_NONE, 0,
                                           0, 0),
          "region");
  }
  void window(OTF2_RmaWinRef ref) {
    check(OTF2_GlobalDefWriter_WriteRmaWin(global_, ref, string("window"), 0, OTF2_RMA_WIN_FLAG_NONE), "window");
  }
  void close() { check(OTF2_Archive_Close(archive_), "close"); }

 private:
  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* global_ = nullptr;
  OTF2_StringRef strings_ = 0;
};

/// Some value of a field's type.
template <class Field>
Field some(std::uint64_t seed) {
  if constexpr (std::is_pointer_v<Field>) {
    static std::array<std::uint64_t, 4> storage{};
    return reinterpret_cast<Field>(storage.data());
  } else if constexpr (std::is_enum_v<Field>) {
    return static_cast<Field>(0);
  } else if constexpr (std::is_integral_v<Field>) {
    return static_cast<Field>(seed % 2);
  } else {
    return Field{};
  }
}

struct Event {
  OTF2_EvtWriter* writer;
  OTF2_TimeStamp time = 1000;

  template <class... Fields>
  void write(OTF2_ErrorCode (*function)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, Fields...)) {
    OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
    if (time % 3 == 0) check(OTF2_AttributeList_AddUint64(attributes, 0, time), "attribute");
    check(function(writer, attributes, time, some<Fields>(time)...), "event");
    OTF2_AttributeList_Delete(attributes);
    time += 100;
  }
};

struct Snapshot {
  OTF2_SnapWriter* writer;
  OTF2_TimeStamp time;

  template <class... Fields>
  void write(OTF2_ErrorCode (*function)(OTF2_SnapWriter*, OTF2_AttributeList*, OTF2_TimeStamp, Fields...)) {
    check(function(writer, nullptr, time, some<Fields>(time)...), "snapshot");
  }
};

/// Kinds that are written with sensible fields, or elsewhere.
bool orders(const std::string& name) {
  return name == "BufferFlush" || name == "MpiSend" || name == "MpiIsend" || name == "MpiRecv" || name == "MpiIrecv" ||
         name == "MpiCollectiveBegin" || name == "MpiCollectiveEnd" || name == "NonBlockingCollectiveRequest" ||
         name == "NonBlockingCollectiveComplete";
}

void kinds(const std::string& folder, std::uint64_t times, bool more) {
  Archive archive(folder);
  check(OTF2_Archive_SetDescription(archive.get(), "all kinds"), "description");
  check(OTF2_Archive_SetMachineName(archive.get(), "a machine"), "machine name");
  check(OTF2_Archive_SetProperty(archive.get(), "CLC_TEST::KIND", "some value", false), "property");
  check(OTF2_Archive_SetNumberOfSnapshots(archive.get(), 1), "snapshots");
  check(OTF2_Archive_OpenSnapFiles(archive.get()), "snapshot files");
  std::uint64_t count = 0;
  OTF2_TimeStamp end = 0;
  for (const OTF2_LocationRef location : {0U, 1U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    Event event{writer};
    // Received 400 us before it was sent.
    if (location == 0)
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, 500'000, 1, 0, 7, 8), "send");
    else
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, 100'000, 0, 0, 7, 8), "receive");
    event.time = 600'000;
    check(location == 0 ? OTF2_EvtWriter_MpiIsend(writer, nullptr, event.time, 1, 0, 8, 8, 3)
                        : OTF2_EvtWriter_MpiIrecv(writer, nullptr, event.time, 0, 0, 8, 8, 3),
          "request");
    check(OTF2_EvtWriter_BufferFlush(writer, nullptr, event.time, event.time + 50'000), "flush");
    event.time += 60'000;
#define CLC_WRITE(Name) \
  if (!orders(#Name)) event.write(&OTF2_EvtWriter_##Name);
    CLC_OTF2_EVENTS(CLC_WRITE)
#undef CLC_WRITE
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), "count");
    end = event.time;
    OTF2_SnapWriter* const snapshots = OTF2_Archive_GetSnapWriter(archive.get(), location);
    for (std::uint64_t i = 0; i < times; ++i) {
      check(OTF2_SnapWriter_SnapshotStart(snapshots, nullptr, 600'000, 1), "snapshot");
      Snapshot snapshot{snapshots, 600'000};
#define CLC_WRITE(Name) \
  if (std::string(#Name).find("Snapshot") == std::string::npos) snapshot.write(&OTF2_SnapWriter_##Name);
      CLC_OTF2_SNAPSHOTS(CLC_WRITE)
#undef CLC_WRITE
      check(OTF2_SnapWriter_SnapshotEnd(snapshots, nullptr, 600'000, 2), "snapshot");
    }
    check(OTF2_Archive_CloseSnapWriter(archive.get(), snapshots), "close snapshots");
    for (std::uint64_t i = 1; i < times; ++i)
      check(OTF2_DefWriter_WriteString(OTF2_Archive_GetDefWriter(archive.get(), location),
                                       static_cast<OTF2_StringRef>(i), "a string of a location"),
            "string");
    archive.close_location(location, writer);
  }
  check(OTF2_Archive_CloseSnapFiles(archive.get()), "close snapshots");
  constexpr OTF2_LocationRef stream = 2;
  constexpr OTF2_LocationGroupRef accelerator = 5;
  if (more) {
    OTF2_EvtWriter* const writer = archive.events(stream);
    check(OTF2_EvtWriter_Enter(writer, nullptr, 90'000, 0), "enter");
    check(OTF2_EvtWriter_Leave(writer, nullptr, 100'000, 0), "leave");
    archive.close_location(stream, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  archive.world(2, count, end);
  if (more) {
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, accelerator, 0, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, 1),
          "group");
    check(OTF2_GlobalDefWriter_WriteLocation(global, stream, 0, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 2, accelerator),
          "location");
  }
  check(OTF2_GlobalDefWriter_WriteAttribute(global, 0, archive.string("number"), 0, OTF2_TYPE_UINT64), "attribute");
  OTF2_MarkerWriter* const markers = OTF2_Archive_GetMarkerWriter(archive.get());
  check(OTF2_MarkerWriter_WriteDefMarker(markers, 0, "group", "category", OTF2_SEVERITY_LOW), "marker");
  check(OTF2_MarkerWriter_WriteMarker(markers, 100'000, 1000, 0, OTF2_MARKER_SCOPE_LOCATION, 1, "early"), "marker");
  if (more) {
    check(OTF2_MarkerWriter_WriteMarker(markers, 90'000, 420'000, 0, OTF2_MARKER_SCOPE_LOCATION, 1, "long"), "marker");
    check(OTF2_MarkerWriter_WriteMarker(markers, 1, ~std::uint64_t{0}, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, "for ever"),
          "marker");
    check(OTF2_MarkerWriter_WriteMarker(markers, 100'000, 0, 0, OTF2_MARKER_SCOPE_LOCATION_GROUP, 1, "group"),
          "marker");
    check(
        OTF2_MarkerWriter_WriteMarker(markers, 100'000, 0, 0, OTF2_MARKER_SCOPE_LOCATION_GROUP, accelerator, "kernel"),
        "marker");
    check(OTF2_MarkerWriter_WriteMarker(markers, 500'000, 0, 0, OTF2_MARKER_SCOPE_LOCATION, 9, "unknown"), "marker");
  }
  for (std::uint64_t i = 0; i < times; ++i)
    check(OTF2_MarkerWriter_WriteMarker(markers, 500'000, 0, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, "all"), "marker");
  check(OTF2_Archive_CloseMarkerWriter(archive.get(), markers), "close markers");
  const std::array<std::uint64_t, 2> values{3, 4};
  OTF2_ThumbWriter* const thumbnail = OTF2_Archive_GetThumbWriter(archive.get(), "calls", "of regions",
                                                                  OTF2_THUMBNAIL_TYPE_REGION, 2, 2, values.data());
  for (int i = 0; i < 2; ++i) check(OTF2_ThumbWriter_WriteSample(thumbnail, 7, 2, values.data()), "thumbnail");
  archive.close();
}

void ring(const std::string& folder, OTF2_LocationRef locations, std::uint64_t rounds, std::uint64_t each,
          std::int64_t back) {
  constexpr std::uint64_t step = 10'000;
  Archive archive(folder);
  for (OTF2_LocationRef location = 0; location < locations; ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const std::uint64_t late = location % 4 == 3 ? 0 : 50'000;
    const auto next = static_cast<std::uint32_t>((location + 1) % locations);
    const auto before = static_cast<std::uint32_t>((location + locations - 1) % locations);
    // Everybody sends to the next and receives from the one before, in step.
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t time = late + 100'000 + round * step;
      check(OTF2_EvtWriter_Enter(writer, nullptr, time, 0), "enter");
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, time + 100, next, 0, 1, 8), "send");
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time + 5000, before, 0, 1, 8), "receive");
      check(OTF2_EvtWriter_Leave(writer, nullptr, time + 6000, 0), "leave");
      if (round % each != each - 1) continue;
      check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time + 7000, round), "request");
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, time + 9000, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                                         OTF2_UNDEFINED_UINT32, 8, 8, round),
            "complete");
    }
    const std::uint64_t middle = late + 100'000 + rounds / 2 * step;
    for (const auto& [time, offset] :
         {std::pair(std::uint64_t{0}, std::int64_t{0}), {middle - 1, 0}, {middle, -back}, {middle + 1, -back}})
      if (location == 0 && back != 0)
        check(OTF2_DefWriter_WriteClockOffset(OTF2_Archive_GetDefWriter(archive.get(), location), time, offset, 0),
              "clock offset");
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(locations, 4 * rounds + 2 * (rounds / each), 200'000 + rounds * step);
  archive.close();
}

void windows(const std::string& folder) {
  Archive archive(folder);
  constexpr OTF2_RmaWinRef window = 0;
  constexpr OTF2_GroupRef pair = 2;
  constexpr OTF2_GroupRef other = 3;
  constexpr OTF2_GroupRef first = 4;
  constexpr OTF2_RegionRef post = 1;
  constexpr OTF2_RegionRef start = 2;
  constexpr OTF2_RegionRef complete = 3;
  constexpr OTF2_RegionRef wait = 4;
  for (const OTF2_LocationRef location : {0U, 1U, 2U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto at = [&](std::uint64_t time) { return time + location * 100 - (location == 1 ? 50'000 : 0); };
    const auto collective = [&](std::uint64_t time, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
      check(OTF2_EvtWriter_RmaCollectiveBegin(writer, nullptr, at(time)), "begin");
      check(OTF2_EvtWriter_RmaCollectiveEnd(writer, nullptr, at(time + 5'000), operation, level, window, root, sent,
                                            received),
            "end");
    };
    // The second orders nothing: only memory is synchronised.
    collective(100'000, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, OTF2_UNDEFINED_UINT32, 0, 0);
    collective(200'000, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_MEMORY, OTF2_UNDEFINED_UINT32, 0, 0);
    collective(300'000, OTF2_COLLECTIVE_OP_BCAST, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, 2,
               location == 2 ? 8 : 0, location == 2 ? 0 : 8);
    check(OTF2_EvtWriter_Enter(writer, nullptr, at(400'000), 0), "enter");
    if (location > 0)
      check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, at(410'000), OTF2_RMA_SYNC_LEVEL_PROCESS, window, pair),
            "group");
    else
      check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, at(410'000), OTF2_RMA_SYNC_LEVEL_PROCESS, window, other),
            "group");
    if (location == 0)
      check(OTF2_EvtWriter_RmaSync(writer, nullptr, at(500'000), window, 1, OTF2_RMA_SYNC_TYPE_NOTIFY_OUT), "notify");
    if (location == 1)
      check(OTF2_EvtWriter_RmaSync(writer, nullptr, at(510'000), window, 0, OTF2_RMA_SYNC_TYPE_NOTIFY_IN), "notify");
    check(OTF2_EvtWriter_RmaAcquireLock(writer, nullptr, at(600'000), window, 0, 0, OTF2_LOCK_EXCLUSIVE), "lock");
    check(OTF2_EvtWriter_RmaPut(writer, nullptr, at(601'000), window, 0, 8, 1), "put");
    check(OTF2_EvtWriter_RmaOpCompleteBlocking(writer, nullptr, at(602'000), window, 1), "complete");
    check(OTF2_EvtWriter_RmaReleaseLock(writer, nullptr, at(603'000), window, 0, 0), "lock");
    // The first accesses the others, who wait for it; one of them names itself as well.
    const auto call = [&](OTF2_RegionRef region, std::uint64_t begin, std::uint64_t end, OTF2_RmaSyncLevel level,
                          OTF2_GroupRef group) {
      check(OTF2_EvtWriter_Enter(writer, nullptr, at(begin), region), "enter");
      check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, at(end - 10), level, window, group), "group");
      check(OTF2_EvtWriter_Leave(writer, nullptr, at(end), region), "leave");
    };
    call(location == 0 ? start : post, 700'000, 701'000, OTF2_RMA_SYNC_LEVEL_PROCESS, location == 0 ? pair : first);
    if (location == 0) {
      call(complete, 720'000, 760'000, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, pair);
    } else {
      call(post, 705'000, 706'000, OTF2_RMA_SYNC_LEVEL_PROCESS, pair);
      call(wait, 707'000, 708'000, OTF2_RMA_SYNC_LEVEL_NONE, first);
      call(wait, 710'000, 740'000, OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, first);
    }
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(3, 25, 800'000);
  for (const auto& [region, name] : {std::pair{post, "MPI_Win_post"},
                                     {start, "MPI_Win_start"},
                                     {complete, "MPI_Win_complete"},
                                     {wait, "MPI_Win_wait"}})
    archive.region(region, name, OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  archive.window(window);
  archive.group(pair, {1, 2});
  archive.group(other, {1});
  archive.group(first, {0});
  archive.close();
}

void epochs(const std::string& folder) {
  Archive archive(folder);
  constexpr OTF2_RmaWinRef window = 0;
  constexpr OTF2_RegionRef complete_region = 1;
  constexpr OTF2_RegionRef wait_region = 2;
  constexpr OTF2_GroupRef everybody = 1;
  constexpr OTF2_GroupRef first = 2;
  constexpr OTF2_GroupRef second = 3;
  std::uint64_t count = 0;
  for (const OTF2_LocationRef location : {0U, 1U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto request = [&](std::uint64_t time, std::uint64_t number) {
      check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time, number), "request");
    };
    const auto complete = [&](std::uint64_t time, std::uint64_t number) {
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, time, OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                         number < 7 ? 1 : 0, OTF2_UNDEFINED_UINT32, 8, 8, number),
            "complete");
    };
    const auto send = [&](std::uint64_t time, std::uint32_t tag) {
      check(OTF2_EvtWriter_MpiIsend(writer, nullptr, time, 0, 0, tag, 8, 9), "send");
    };
    const auto receive = [&](std::uint64_t time, std::uint64_t number, std::uint32_t tag) {
      check(OTF2_EvtWriter_MpiIrecv(writer, nullptr, time, 1, 0, tag, 8, number), "receive");
    };
    const auto synchronize = [&](std::uint64_t time, OTF2_GroupRef group) {
      check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, time, OTF2_RMA_SYNC_LEVEL_PROCESS, window, group), "group");
    };
    // Receives 1, 2 and 4, 3 are of one channel each, operations 5, 6 and 8, 7 of one communicator.
    if (location == 0) {
      for (const std::uint64_t number : {1U, 2U, 4U, 3U})
        check(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, 10'000, number), "request");
      for (const std::uint64_t number : {5U, 6U, 8U, 7U}) request(11'000, number);
      receive(21'000, 3, 6);
      complete(22'000, 7);
      check(OTF2_EvtWriter_Enter(writer, nullptr, 100'000, complete_region), "enter");
      check(OTF2_EvtWriter_Enter(writer, nullptr, 105'000, 0), "enter");
      complete(110'000, 6);
      receive(110'010, 2, 5);
      check(OTF2_EvtWriter_Leave(writer, nullptr, 112'000, 0), "leave");
      synchronize(115'000, second);
      synchronize(115'500, second);
      check(OTF2_EvtWriter_Leave(writer, nullptr, 116'000, complete_region), "leave");
      receive(120'000, 1, 5);
      complete(121'000, 5);
      complete(122'000, 8);
      receive(123'000, 4, 6);
      check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), "count");
    } else {
      send(60'000, 6);
      send(61'000, 5);
      request(62'000, 8);
      request(63'000, 5);
      send(70'000, 6);
      request(71'000, 7);
      check(OTF2_EvtWriter_Enter(writer, nullptr, 80'000, wait_region), "enter");
      check(OTF2_EvtWriter_Enter(writer, nullptr, 90'000, 0), "enter");
      check(OTF2_EvtWriter_Enter(writer, nullptr, 91'000, wait_region), "enter");
      synchronize(94'980, first);
      check(OTF2_EvtWriter_Leave(writer, nullptr, 94'990, wait_region), "leave");
      synchronize(94'991, everybody);
      check(OTF2_EvtWriter_Leave(writer, nullptr, 94'995, 0), "leave");
      check(OTF2_EvtWriter_Leave(writer, nullptr, 95'000, wait_region), "leave");
      request(200'000, 6);
      send(201'000, 5);
      for (const std::uint64_t number : {8U, 5U, 7U, 6U}) complete(300'000, number);
      for (std::uint64_t written = 20; written < count; ++written)
        check(OTF2_EvtWriter_Enter(writer, nullptr, 400'000, 0), "enter");
    }
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(2, count, 500'000);
  archive.communicator(1, 1, 0);
  archive.region(complete_region, "MPI_Win_complete", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  archive.region(wait_region, "MPI_Win_wait", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  archive.window(window);
  archive.group(first, {0});
  archive.group(second, {1});
  archive.close();
}

/// Made to be expensive: many locations, most of them without files; communicators that share a group of them all; ends
/// of accesses to a window, or exposures, that name that group.
void crowd(const std::string& folder, std::uint64_t locations, OTF2_CommRef communicators, std::uint64_t accesses,
           bool exposes) {
  constexpr OTF2_RegionRef call_region = 1;
  Archive archive(folder);
  OTF2_EvtWriter* const writer = archive.events(0);
  for (std::uint64_t i = 0; i < accesses; ++i) {
    check(OTF2_EvtWriter_Enter(writer, nullptr, 10 * i, call_region), "enter");
    check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, 10 * i + 1, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1), "group");
    check(OTF2_EvtWriter_Leave(writer, nullptr, 10 * i + 2, call_region), "leave");
  }
  check(OTF2_EvtWriter_Enter(writer, nullptr, 10 * accesses, 0), "enter");
  archive.close_location(0, writer);
  archive.end_events();
  archive.world(locations, 0, 10 * accesses + 10);
  for (OTF2_CommRef i = 1; i <= communicators; ++i) archive.communicator(i, 1, 0);
  if (accesses > 0) {
    archive.region(call_region, exposes ? "MPI_Win_wait" : "MPI_Win_complete", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
    archive.window(0);
  }
  archive.close();
}

/// The last of very many locations synchronizes with the group of all on one window after another, outside of calls.
void synchronize_with_all(const std::string& folder, std::uint64_t locations, OTF2_RmaWinRef windows,
                          std::uint64_t times) {
  Archive archive(folder);
  OTF2_EvtWriter* const writer = archive.events(locations - 1);
  for (std::uint64_t i = 0; i < times; ++i)
    check(OTF2_EvtWriter_RmaGroupSync(writer, nullptr, 10 * i, OTF2_RMA_SYNC_LEVEL_PROCESS,
                                      static_cast<OTF2_RmaWinRef>(i % windows), 1),
          "group");
  archive.close_location(locations - 1, writer);
  archive.end_events();
  archive.world(locations, 0, 10 * times + 10);
  for (OTF2_RmaWinRef i = 0; i < windows; ++i) archive.window(i);
  archive.close();
}

/// Inter-communicators between two halves of very many locations; on each the first one sends to the other half.
void two_halves(const std::string& folder, std::uint64_t locations, OTF2_CommRef communicators) {
  Archive archive(folder);
  OTF2_EvtWriter* const writer = archive.events(0);
  for (OTF2_CommRef i = 1; i <= communicators; ++i)
    check(OTF2_EvtWriter_MpiSend(writer, nullptr, 10 * i, 0, i, 0, 8), "send");
  archive.close_location(0, writer);
  OTF2_GlobalDefWriter* const global = archive.end_events();
  archive.world(locations, 0, 10 * std::uint64_t{communicators} + 10);
  std::vector<std::uint64_t> half;
  for (std::uint64_t i = 0; i < locations; ++i) {
    half.push_back(i);
    if (i + 1 == locations / 2) archive.group(2, std::exchange(half, {}));
  }
  archive.group(3, half);
  for (OTF2_CommRef i = 1; i <= communicators; ++i)
    check(OTF2_GlobalDefWriter_WriteInterComm(global, i, 0, 2, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
          "inter-communicator");
  archive.close();
}

/// Communicators of all of very many locations, of which one takes part in one operation on each.
void alone_in_each(const std::string& folder, std::uint64_t locations, OTF2_CommRef communicators) {
  Archive archive(folder);
  OTF2_EvtWriter* const writer = archive.events(0);
  for (OTF2_CommRef i = 1; i <= communicators; ++i) {
    check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, 10 * i), "begin");
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, 10 * i + 5, OTF2_COLLECTIVE_OP_BARRIER, i,
                                          OTF2_UNDEFINED_UINT32, 0, 0),
          "end");
  }
  archive.close_location(0, writer);
  archive.end_events();
  archive.world(locations, 0, 10 * std::uint64_t{communicators} + 10);
  for (OTF2_CommRef i = 1; i <= communicators; ++i) archive.communicator(i, 1, 0);
  archive.close();
}

/// Numbers of all lengths.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::uint64_t any() {
    const std::uint64_t bits = below(65);
    switch (below(4)) {
      case 0:
        return ~std::uint64_t{0};
      case 1:
        return bits == 0 ? 0 : random_() >> (64 - bits);
      default:
        return below(5);
    }
  }
  template <class Field>
  Field field() {
    static_assert(std::is_integral_v<Field>);
    return static_cast<Field>(sizeof(Field) == 1 ? below(9) : any());
  }

 private:
  std::mt19937_64 random_;
};

template <class... Fields>
void write_random(OTF2_ErrorCode (*function)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, Fields...),
                  OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, OTF2_TimeStamp time, Numbers& numbers) {
  if constexpr ((std::is_integral_v<Fields> && ...))
    check(function(writer, attributes, time, numbers.field<Fields>()...), "event");
}

void write_random_event(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, OTF2_TimeStamp time, Numbers& numbers) {
  using Write = void (*)(OTF2_EvtWriter*, OTF2_AttributeList*, OTF2_TimeStamp, Numbers&);
  static constexpr Write all[] = {
#define CLC_WRITE(Name)                                                                \
  [](OTF2_EvtWriter* to, OTF2_AttributeList* with, OTF2_TimeStamp at, Numbers& some) { \
    write_random(&OTF2_EvtWriter_##Name, to, with, at, some);                          \
  },
      CLC_OTF2_EVENTS(CLC_WRITE)
#undef CLC_WRITE
          [](OTF2_EvtWriter * to, OTF2_AttributeList * with, OTF2_TimeStamp at,
             Numbers & some){std::array<OTF2_Type, 4> types{};
  std::array<OTF2_MetricValue, 4> values{};
  for (std::size_t i = 0; i < 4; ++i) {
    types[i] = i == 3 ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64;
    values[i].unsigned_int = some.any();
  }
  const auto count = some.below(5);
  check(OTF2_EvtWriter_Metric(to, with, at, some.field<OTF2_MetricRef>(), static_cast<std::uint8_t>(count),
                              types.data(), values.data()),
        "metric");
}
, [](OTF2_EvtWriter* to, OTF2_AttributeList* with, OTF2_TimeStamp at, Numbers& some) {
  std::array<OTF2_StringRef, 100> arguments{};
  for (OTF2_StringRef& argument : arguments) argument = some.field<OTF2_StringRef>();
  const std::uint64_t count = some.below(10) == 0 ? some.below(100) : some.below(4);
  check(OTF2_EvtWriter_ProgramBegin(to, with, at, 0, static_cast<std::uint32_t>(count), arguments.data()), "program");
}
};  // namespace
all[numbers.below(std::size(all))](writer, attributes, time, numbers);
}

void add_random_attributes(OTF2_AttributeList* attributes, Numbers& numbers) {
  for (std::uint64_t i = numbers.below(4) == 0 ? numbers.below(10) : 0; i > 0; --i) {
    const auto type = static_cast<OTF2_Type>(1 + numbers.below(OTF2_TYPE_LOCATION_GROUP));
    OTF2_AttributeValue value{};
    value.uint64 = numbers.any();
    check(OTF2_AttributeList_AddAttribute(attributes, static_cast<OTF2_AttributeRef>(i), type, value), "attribute");
  }
}

void random(const std::string& folder, std::uint64_t seed, bool long_first) {
  constexpr std::uint64_t events = 2000;
  Numbers numbers(seed);
  Archive archive(folder);
  std::uint64_t time = 0;
  for (const OTF2_LocationRef location : {0U, 1U, 2U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    time = 100'000;
    OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
    for (std::uint64_t i = 0; i < events; ++i) {
      time += numbers.below(4) == 0 ? 0 : numbers.below(1000);
      add_random_attributes(attributes, numbers);
      if (i == 0 ? long_first : location == 2 && i == events / 2)
        for (OTF2_AttributeRef more = 100; more < 117; ++more)
          check(OTF2_AttributeList_AddUint64(attributes, more, more), "attribute");
      if (i == 0)
        check(OTF2_EvtWriter_Enter(writer, attributes, time, 0), "enter");
      else
        write_random_event(writer, attributes, time, numbers);
      check(OTF2_AttributeList_RemoveAllAttributes(attributes), "attributes");
    }
    OTF2_AttributeList_Delete(attributes);
    Archive::Mapped mapped;
    if (location == 1)
      for (const auto type : {OTF2_MAPPING_REGION, OTF2_MAPPING_COMM, OTF2_MAPPING_GROUP, OTF2_MAPPING_RMA_WIN})
        mapped.push_back({type, {3, 0}});
    archive.close_location(location, writer, mapped);
  }
  archive.end_events();
  archive.world(3, events, time);
  archive.region(1, "first", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  archive.region(2, "second", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  archive.window(0);
  archive.close();
}

void offset(const std::string& folder, const char* date) {
  Archive archive(folder);
  constexpr std::int64_t slow = 50'000;
  OTF2_EvtWriter* const sender = archive.events(0);
  check(OTF2_EvtWriter_MpiSend(sender, nullptr, 100'000, 1, 0, 0, 8), "send");
  archive.close_location(0, sender);
  OTF2_EvtWriter* const receiver = archive.events(1);
  check(OTF2_EvtWriter_MpiRecv(receiver, nullptr, 120'000 - slow, 0, 0, 0, 8), "receive");
  OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(archive.get(), 1);
  check(OTF2_DefWriter_WriteClockOffset(definitions, 0, slow, 0), "clock offset");
  archive.close_location(1, receiver);
  archive.end_events();
  Archive::Clock clock;
  if (date != nullptr) clock = {3'000'000, 150'000, std::strtoull(date, nullptr, 10)};
  archive.world(2, 1, 200'000, clock);
  archive.close();
}

/// Clocks that were measured, as their offsets say: the second location before and after, with a deviation, of the
/// third nothing is known. No message connects them.
void deviations(const std::string& folder) {
  Archive archive(folder);
  constexpr std::int64_t slow = 50'000;
  for (const OTF2_LocationRef location : {0U, 1U, 2U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    for (std::uint64_t time = 100'000; time < 200'000; time += 1'000)
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, time - (location == 1 ? slow : 0), 1 - location % 2, 0, 0, 8),
            "send");
    OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(archive.get(), location);
    for (const std::uint64_t time : {60'000U, 190'000U})
      if (location < 2)
        check(OTF2_DefWriter_WriteClockOffset(definitions, time, location == 1 ? slow : 0, location == 1 ? 250.5 : 0),
              "clock offset");
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(3, 100, 300'000);
  archive.close();
}

/// Puts other times in the place of those of events.
void patch_times(const std::string& file, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& times) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  in.close();
  for (const auto& [from, to] : times) {
    constexpr char stamp = 5;
    std::string written(1, stamp);
    written.append(reinterpret_cast<const char*>(&from), sizeof from);
    const std::size_t at = bytes.find(written);
    if (at == std::string::npos) throw std::runtime_error(file + ": a time is missing");
    bytes.replace(at + 1, sizeof to, reinterpret_cast<const char*>(&to), sizeof to);
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void set_back(const std::string& folder, const std::string& how, bool by_library) {
  Archive archive(folder);
  const std::vector<std::vector<std::uint64_t>> clocks{{100'000, 1'000'000, 900'000, 950'000, 1'010'000},
                                                       {110'000, 1'001'000, 990'000, 995'000, 1'020'000}};
  constexpr std::uint64_t first = 0x51'0000;
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> times(clocks.size());  // written and meant
  for (OTF2_LocationRef location = 0; location < clocks.size(); ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto next = [&] {
      std::vector<std::pair<std::uint64_t, std::uint64_t>>& of = times[location];
      of.emplace_back(first + of.size(), clocks[location][of.size()]);
      return of.back().first;
    };
    OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
    for (OTF2_AttributeRef i = 0; by_library && i < 40; ++i)
      check(OTF2_AttributeList_AddUint64(attributes, i, i), "attribute");
    check(OTF2_EvtWriter_Enter(writer, attributes, next(), 0), "enter");
    OTF2_AttributeList_Delete(attributes);
    if (location == 0) {
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, next(), 1, 0, 1, 8), "send");
      check(OTF2_EvtWriter_Leave(writer, nullptr, next(), 0), "leave");
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, next(), 1, 0, 2, 8), "send");
      check(OTF2_EvtWriter_Enter(writer, nullptr, next(), 0), "enter");
    } else {
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, next(), 0, 0, 1, 8), "receive");
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, next(), 0, 0, 2, 8), "receive");
      check(OTF2_EvtWriter_Leave(writer, nullptr, next(), 0), "leave");
      check(OTF2_EvtWriter_Enter(writer, nullptr, next(), 0), "enter");
    }
    OTF2_DefWriter* const definitions = OTF2_Archive_GetDefWriter(archive.get(), location);
    for (const auto& [written, meant] : times[location])
      if (how == "offsets")
        check(OTF2_DefWriter_WriteClockOffset(definitions, written, static_cast<std::int64_t>(meant - written), 0),
              "clock offset");
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(2, 5, 2'000'000);
  archive.close();
  if (how == "offsets") return;
  for (std::size_t location = 0; location < clocks.size(); ++location)
    patch_times(folder + "/traces/" + std::to_string(location) + ".evt", times[location]);
}

void long_records(const std::string& folder) {
  constexpr std::uint64_t rounds = 1000;
  Archive archive(folder);
  for (const OTF2_LocationRef location : {0U, 1U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const std::uint64_t time = (location == 0 ? 150'000 : 100'000) + round * 10'000;
      const OTF2_RegionRef region = round % 3 == 0 ? OTF2_UNDEFINED_REGION : static_cast<OTF2_RegionRef>(round % 3);
      for (OTF2_AttributeRef i = 0; i < 40; ++i)
        check(OTF2_AttributeList_AddUint64(attributes, i, round << i % 48U), "attribute");
      check(OTF2_EvtWriter_Enter(writer, attributes, time, region), "enter");
      check(OTF2_EvtWriter_Enter(writer, nullptr, time, region), "enter");
      if (location == 0)
        check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, 1, 0, 1, 8), "send");
      else
        check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time, 0, 0, 1, 8), "receive");
      check(OTF2_EvtWriter_BufferFlush(writer, nullptr, time + 100, time + 200), "flush");
      check(OTF2_EvtWriter_Leave(writer, nullptr, time + 5000, region), "leave");
      const std::uint64_t request = round % 3 == 0 ? OTF2_UNDEFINED_UINT64 : round;
      check(OTF2_EvtWriter_MpiIsendComplete(writer, nullptr, time + 5100, request), "completion");
      check(OTF2_EvtWriter_MpiRequestTest(writer, nullptr, time + 5100, request), "test");
      check(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, time + 5200, request), "request");
      check(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, time + 5300, request), "cancellation");
      check(OTF2_EvtWriter_OmpFork(writer, nullptr, time + 5300, static_cast<std::uint32_t>(request)), "fork");
      check(OTF2_EvtWriter_OmpTaskCreate(writer, nullptr, time + 5300, request), "task");
      check(OTF2_EvtWriter_OmpTaskSwitch(writer, nullptr, time + 5300, request), "task");
      check(OTF2_EvtWriter_OmpTaskComplete(writer, nullptr, time + 5300, request), "task");
    }
    OTF2_AttributeList_Delete(attributes);
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  archive.world(2, 13 * rounds, 200'000 + rounds * 10'000);
  for (OTF2_AttributeRef i = 0; i < 40; ++i)
    check(OTF2_GlobalDefWriter_WriteAttribute(global, i, archive.string("number"), 0, OTF2_TYPE_UINT64), "attribute");
  archive.close();
}

void operations(const std::string& folder) {
  Archive archive(folder);
  constexpr OTF2_CollectiveOp unknown = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1;
  std::uint64_t count = 0;
  for (const OTF2_LocationRef location : {0U, 1U, 2U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto at = [&](std::uint64_t time) { return time + location * 100 - (location == 1 ? 50'000 : 0); };
    std::uint64_t time = 100'000;
    for (OTF2_CollectiveOp operation = 0; operation <= unknown; ++operation) {
      const bool rooted = operation >= OTF2_COLLECTIVE_OP_BCAST && operation <= OTF2_COLLECTIVE_OP_SCATTERV;
      const std::uint32_t root = rooted || operation == OTF2_COLLECTIVE_OP_REDUCE ? 1 : OTF2_UNDEFINED_UINT32;
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, at(time)), "begin");
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, at(time + 5'000), operation, 0, root, 8, 8), "end");
      time += 100'000;
    }
    // The second has a communicator of its own.
    for (const std::uint64_t request : {1U, 2U, 3U, 4U})
      check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, at(time += 20'000), request), "request");
    const std::array<std::array<std::uint64_t, 4>, 3> orders{{{1, 2, 3, 4}, {4, 2, 1, 3}, {3, 4, 2, 1}}};
    for (const std::uint64_t request : orders[location])
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
                writer, nullptr, at(time += 100),
                request == 1 ? OTF2_COLLECTIVE_OP_BARRIER : OTF2_COLLECTIVE_OP_ALLREDUCE, request == 2 ? 1 : 0,
                OTF2_UNDEFINED_UINT32, 8, 8, request),
            "complete");
    // Never completed: does not hold up what comes later.
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, at(time += 20'000), 9), "request");
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, at(time += 20'000), 1), "request");
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, at(time += 100), OTF2_COLLECTIVE_OP_BARRIER, 0,
                                                       OTF2_UNDEFINED_UINT32, 0, 0, 1),
          "complete");
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), "count");
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(3, count, 4'000'000);
  archive.communicator(1, 1, 0);
  archive.close();
}

void receives(const std::string& folder, std::uint64_t between) {
  Archive archive(folder);
  constexpr std::uint64_t slow = 15'000;
  std::uint64_t count = 0;
  std::uint64_t end = 0;
  {
    OTF2_EvtWriter* const writer = archive.events(1);
    const auto at = [&](std::uint64_t time) { return end = time - slow; };
    const auto post = [&](std::uint64_t time, std::uint64_t request) {
      check(OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, at(time), request), "request");
    };
    const auto complete = [&](std::uint64_t time, std::uint64_t request, std::uint32_t tag) {
      check(OTF2_EvtWriter_MpiIrecv(writer, nullptr, at(time), 0, 0, tag, 8, request), "receive");
    };
    // One is cancelled, the number of one is used again.
    for (const std::uint64_t request : {9U, 7U, 1U, 2U, 3U, 7U}) post(20'000, request);
    check(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, at(40'000), 9), "cancel");
    complete(121'000, 3, 5);
    check(OTF2_EvtWriter_MpiRecv(writer, nullptr, at(131'000), 0, 0, 5, 8), "receive");
    complete(132'000, 2, 5);
    complete(133'000, 1, 5);
    complete(141'000, 7, 6);
    post(150'000, 1);
    post(150'000, 2);
    complete(211'000, 2, 5);
    for (std::uint64_t i = 0; i < between; ++i)
      check(OTF2_EvtWriter_Enter(writer, nullptr, at(212'000 + i), 0), "enter");
    complete(300'000, 1, 5);
    // The number of one that was cancelled, for one that is posted behind another.
    post(310'000, 7);
    post(310'000, 1);
    check(OTF2_EvtWriter_MpiRequestCancelled(writer, nullptr, at(311'000), 7), "cancel");
    post(312'000, 7);
    complete(321'000, 1, 9);
    complete(322'000, 7, 9);
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &count), "count");
    archive.close_location(1, writer);
  }
  OTF2_EvtWriter* const writer = archive.events(0);
  std::uint64_t written = 0;
  for (const auto& [time, tag] : {std::pair{100'000U, 5U},
                                  {110'000U, 5U},
                                  {120'000U, 5U},
                                  {130'000U, 5U},
                                  {140'000U, 6U},
                                  {200'000U, 5U},
                                  {210'000U, 5U},
                                  {301'000U, 9U},
                                  {302'000U, 9U}}) {
    check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, 1, 0, tag, 8), "send");
    ++written;
  }
  for (; written < count; ++written) check(OTF2_EvtWriter_Leave(writer, nullptr, 400'000, 0), "leave");
  archive.close_location(0, writer);
  archive.end_events();
  archive.world(2, count, 500'000);
  archive.close();
}

/// attribute: its number in the archive; location 1 calls it 3.
void cancelled(const std::string& folder, std::uint64_t between) {
  Archive archive(folder);
  constexpr std::uint64_t slow = 500'000;
  std::uint64_t count = 0;
  std::uint64_t now = 1'000'000;
  OTF2_EvtWriter* const sender = archive.events(0);
  OTF2_EvtWriter* const receiver = archive.events(1);
  const auto send = [&](std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIsend(sender, nullptr, now += 10'000, 1, 0, 7, 8, request), "send");
  };
  const auto complete = [&](std::uint64_t request) {
    check(OTF2_EvtWriter_MpiIsendComplete(sender, nullptr, now += 1'000, request), "complete");
  };
  const auto cancel = [&](std::uint64_t request) {
    check(OTF2_EvtWriter_MpiRequestCancelled(sender, nullptr, now += 1'000, request), "cancel");
  };
  const auto receive = [&] {
    check(OTF2_EvtWriter_MpiRecv(receiver, nullptr, now + 2'000 - slow, 0, 0, 7, 8), "receive");
  };
  send(1);
  receive();
  // The number of a request is used again.
  send(2);
  complete(1);
  send(1);
  cancel(2);
  complete(1);
  receive();
  send(2);
  cancel(2);
  // Also for a receive: the send stays.
  check(OTF2_EvtWriter_MpiIrecvRequest(sender, nullptr, now += 1'000, 1), "request");
  cancel(1);
  cancel(3);
  send(4);
  for (std::uint64_t i = 0; i < between; ++i) check(OTF2_EvtWriter_Enter(sender, nullptr, now += 100, 0), "enter");
  cancel(4);
  send(5);
  receive();
  complete(5);
  check(OTF2_EvtWriter_GetNumberOfEvents(sender, &count), "count");
  archive.close_location(0, sender);
  archive.close_location(1, receiver);
  archive.end_events();
  archive.world(2, count, now);
  archive.close();
}

void mapped(const std::string& folder, OTF2_AttributeRef attribute) {
  Archive archive(folder);
  OTF2_AttributeList* const attributes = OTF2_AttributeList_New();
  for (const OTF2_LocationRef location : {0U, 1U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const std::uint64_t time = location == 0 ? 100'000 : 50'000;
    check(OTF2_EvtWriter_Enter(writer, nullptr, time, location == 0 ? 0 : 9), "enter");
    if (location == 0)
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, time + 100, 1, 0, 0, 8), "send");
    else
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time + 200, 0, 7, 0, 8), "receive");
    check(OTF2_AttributeList_AddUint64(attributes, location == 0 ? attribute : 3, 42), "attribute");
    check(OTF2_EvtWriter_MpiCollectiveBegin(writer, attributes, time + 1000), "begin");
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time + 2000, OTF2_COLLECTIVE_OP_BARRIER,
                                          location == 0 ? 0 : 7, OTF2_UNDEFINED_UINT32, 0, 0),
          "end");
    check(OTF2_EvtWriter_Leave(writer, nullptr, time + 3000, location == 0 ? 0 : 9), "leave");
    archive.close_location(location, writer,
                           location == 0 ? Archive::Mapped()
                                         : Archive::Mapped{{OTF2_MAPPING_COMM, {7, 0}},
                                                           {OTF2_MAPPING_REGION, {9, 0}},
                                                           {OTF2_MAPPING_ATTRIBUTE, {3, attribute}}});
  }
  OTF2_AttributeList_Delete(attributes);
  OTF2_GlobalDefWriter* const definitions = archive.end_events();
  archive.world(2, 5, 200'000);
  check(OTF2_GlobalDefWriter_WriteAttribute(definitions, attribute, archive.string("answer"), 0, OTF2_TYPE_UINT64),
        "attribute");
  archive.close();
}

void two_groups(const std::string& folder, bool more) {
  Archive archive(folder);
  for (const OTF2_LocationRef location : {0U, 1U, 2U, 3U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    // Between 0, 1 and 2, 3: ranks count in the other group; received 200 us too early.
    if (location < 2)
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, 300'000, static_cast<std::uint32_t>(location), 1, 0, 8), "send");
    else
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, 100'000, static_cast<std::uint32_t>(location - 2), 1, 0, 8),
            "receive");
    // A barrier on the inter-communicator and operations on MPI_COMM_SELF order nothing.
    for (const OTF2_CommRef communicator : {1U, 2U}) {
      const std::uint64_t time = 400'000 + communicator * 10'000;
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time), "begin");
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time + 1000, OTF2_COLLECTIVE_OP_BARRIER, communicator,
                                            OTF2_UNDEFINED_UINT32, 0, 0),
            "end");
    }
    if (more) {
      // A message to itself orders nothing, even if it is received first.
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, 430'000, 0, 2, 0, 8), "receive");
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, 440'000, 0, 2, 0, 8), "send");
      // From location 0 to the other group: 2 and 3 end before it begins, and location 1 has no part in it.
      const std::uint64_t cast = location == 0 ? 480'000 : 450'000;
      constexpr std::array<std::uint32_t, 4> roots{OTF2_COLLECTIVE_ROOT_SELF, OTF2_COLLECTIVE_ROOT_THIS_GROUP, 0, 0};
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, cast), "begin");
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, cast + 1000, OTF2_COLLECTIVE_OP_BCAST, 1, roots[location],
                                            8, 8),
            "end");
    }
    // Two calls under way at once; location 3 ends before location 0 begins.
    const std::uint64_t time = location == 3 ? 500'000 : 900'000;
    for (const std::uint64_t request : {5U, 0U})
      check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, nullptr, time, request), "request");
    for (const std::uint64_t request : {5U, 0U})
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, nullptr, time + 20'000, OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                         0, OTF2_UNDEFINED_UINT32, 8, 8, request),
            "complete");
    if (more) {
      // To location 2 from the other group, then to 1: both end before one of those begins. 3 and 0 have no part in it.
      constexpr std::uint32_t self = OTF2_COLLECTIVE_ROOT_SELF;
      constexpr std::uint32_t none = OTF2_COLLECTIVE_ROOT_THIS_GROUP;
      using Roots = std::array<std::uint32_t, 4>;
      const auto to_root = [&](std::uint64_t begin, OTF2_CollectiveOp operation, const Roots& roots) {
        check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, begin), "begin");
        check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, begin + 1000, operation, 1, roots[location], 8, 8),
              "end");
      };
      to_root(location < 2 ? 2'000'000 + location * 500 : 1'000'000, OTF2_COLLECTIVE_OP_REDUCE, {0, 0, self, none});
      to_root(location < 2 ? 2'010'000 : 1'100'000, OTF2_COLLECTIVE_OP_GATHER, {none, self, 1, 1});
    }
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  archive.world(4, more ? 17 : 9, more ? 2'100'000 : 1'000'000);
  archive.group(2, {0, 1});
  archive.group(3, {2, 3});
  archive.group(4, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, {});
  check(OTF2_GlobalDefWriter_WriteInterComm(global, 1, 0, 2, 3, 0, OTF2_COMM_FLAG_NONE), "inter");
  archive.communicator(2, 4, OTF2_UNDEFINED_COMM);
  archive.close();
}

void threads(const std::string& folder, OTF2_LocationRef others) {
  Archive archive(folder);
  constexpr OTF2_LocationRef pthread = 3;
  constexpr OTF2_LocationRef other = 4;
  std::vector<std::uint64_t> slow{0, 0, 5'000, 20'000, 0};
  slow.resize(slow.size() + others);
  std::vector<std::uint64_t> events(slow.size());
  constexpr OTF2_CommRef team = 0;
  constexpr OTF2_CommRef contingent = 1;
  constexpr OTF2_CommRef mpi = 2;
  for (OTF2_LocationRef location = 0; location < slow.size(); ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto at = [&](std::uint64_t time) { return time - slow[location]; };
    if (location == 0) {
      check(OTF2_EvtWriter_ThreadCreate(writer, nullptr, at(20'000), contingent, 7), "create");
      for (const int twice : {0, 1})
        check(OTF2_EvtWriter_ThreadAcquireLock(writer, nullptr, at(30'000 + static_cast<std::uint64_t>(twice) * 100),
                                               OTF2_PARADIGM_PTHREAD, 9, 1),
              "acquire");
      for (const int twice : {0, 1})
        check(OTF2_EvtWriter_ThreadReleaseLock(writer, nullptr, at(31'000 + static_cast<std::uint64_t>(twice) * 100),
                                               OTF2_PARADIGM_PTHREAD, 9, 1),
              "release");
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, at(50'000), 1, mpi, 0, 8), "receive");
    } else if (location == pthread) {
      check(OTF2_EvtWriter_ThreadBegin(writer, nullptr, at(21'000), contingent, 7), "begin");
      check(OTF2_EvtWriter_ThreadAcquireLock(writer, nullptr, at(32'000), OTF2_PARADIGM_PTHREAD, 9, 2), "acquire");
      check(OTF2_EvtWriter_ThreadReleaseLock(writer, nullptr, at(33'000), OTF2_PARADIGM_PTHREAD, 9, 2), "release");
      check(OTF2_EvtWriter_ThreadEnd(writer, nullptr, at(500'000), contingent, 7), "end");
    } else if (location == other) {
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, at(80'000), 0, mpi, 0, 8), "send");
    }
    if (location < pthread) {
      std::uint32_t order = 0;
      for (const std::uint32_t region : {1U, 2U, 3U, 4U}) {
        const std::uint32_t size = region == 4 ? 1 : region == 2 ? 2 : 3;
        const std::uint64_t begin = region * 100'000;
        const std::uint64_t turn = location;
        order += size;
        if (location >= size) continue;
        if (location == 0)
          check(OTF2_EvtWriter_ThreadFork(writer, nullptr, at(begin), OTF2_PARADIGM_OPENMP, size), "fork");
        check(OTF2_EvtWriter_ThreadTeamBegin(writer, nullptr, at(begin + 500 + turn * 300), team), "team");
        const std::uint32_t mine = order - size + 1 + static_cast<std::uint32_t>(location);
        check(OTF2_EvtWriter_ThreadAcquireLock(writer, nullptr, at(begin + 2000 + turn * 1000), OTF2_PARADIGM_OPENMP, 5,
                                               mine),
              "acquire");
        check(OTF2_EvtWriter_ThreadReleaseLock(writer, nullptr, at(begin + 2800 + turn * 1000), OTF2_PARADIGM_OPENMP, 5,
                                               mine),
              "release");
        check(OTF2_EvtWriter_Enter(writer, nullptr, at(begin + 6000 + turn * 500), 0), "enter");
        check(OTF2_EvtWriter_Leave(writer, nullptr, at(begin + 8000 + turn * 10), 0), "leave");
        check(OTF2_EvtWriter_ThreadTeamEnd(writer, nullptr, at(begin + 9000 + turn * 10), team), "team");
        if (location == 0)
          check(OTF2_EvtWriter_ThreadJoin(writer, nullptr, at(begin + 10'000), OTF2_PARADIGM_OPENMP), "join");
      }
    }
    if (location == 0) check(OTF2_EvtWriter_ThreadWait(writer, nullptr, at(501'000), contingent, 7), "wait");
    if (location > other) check(OTF2_EvtWriter_Enter(writer, nullptr, location, 1), "enter");
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution, 0, 600'000, OTF2_UNDEFINED_TIMESTAMP), "clock");
  const OTF2_StringRef name = archive.string("something");
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE), "machine");
  for (OTF2_LocationGroupRef group = 0; group < 2 + others; ++group)
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP),
          "group");
  for (OTF2_LocationRef i = 0; i < slow.size(); ++i)
    check(OTF2_GlobalDefWriter_WriteLocation(global, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, events[i],
                                             i < other ? 0 : static_cast<OTF2_LocationGroupRef>(i - pthread)),
          "location");
  archive.group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 4});
  archive.group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 1});
  archive.group(2, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {0, 1, 2});
  archive.group(3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {0, 1, 2});
  archive.group(4, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_PTHREAD, {0, 3});
  archive.group(5, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_PTHREAD, {0, 1});
  for (const auto& [ref, of] : {std::pair{team, 3U}, std::pair{contingent, 5U}, std::pair{mpi, 1U}})
    archive.communicator(ref, of, OTF2_UNDEFINED_COMM);
  archive.region(0, "implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
  archive.close();
}

void teams(const std::string& folder, const std::string& odd) {
  Archive archive(folder);
  constexpr OTF2_LocationRef size = 3;
  constexpr OTF2_CommRef team = 0;
  constexpr OTF2_CommRef alone = 1;
  constexpr OTF2_RegionRef barrier = 0;
  constexpr OTF2_RegionRef foreign = 1;
  std::array<std::uint64_t, size> events{};
  for (OTF2_LocationRef location = 0; location < size; ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const std::uint64_t slow = odd == "slow" && location == 2 ? 20'000 : 0;
    const auto call = [&](OTF2_RegionRef region, std::uint64_t begin, std::uint64_t end) {
      check(OTF2_EvtWriter_Enter(writer, nullptr, begin - slow, region), "enter");
      check(OTF2_EvtWriter_Leave(writer, nullptr, end - slow, region), "leave");
    };
    const auto begin_team = [&](OTF2_CommRef which, std::uint64_t time) {
      check(OTF2_EvtWriter_ThreadTeamBegin(writer, nullptr, time - slow, which), "team");
    };
    const auto end_team = [&](OTF2_CommRef which, std::uint64_t time) {
      check(OTF2_EvtWriter_ThreadTeamEnd(writer, nullptr, time - slow, which), "team");
    };
    const auto fork = [&](OTF2_Paradigm paradigm, std::uint32_t threads, std::uint64_t time) {
      check(OTF2_EvtWriter_ThreadFork(writer, nullptr, time - slow, paradigm, threads), "fork");
    };
    const auto join = [&](OTF2_Paradigm paradigm, std::uint64_t time) {
      check(OTF2_EvtWriter_ThreadJoin(writer, nullptr, time - slow, paradigm), "join");
    };
    for (const std::uint64_t region : {1U, 2U, 3U}) {
      const std::uint64_t begin = region * 100'000;
      const bool first = region == 1;
      const bool second = region == 2;
      if (location == 0) fork(OTF2_PARADIGM_OPENMP, size, begin);
      if (!(first && odd == "begin" && location == 1)) begin_team(team, begin + 500 + location * 300);
      if (odd == "foreign" && location == 0) call(foreign, begin + 2000, begin + 2500);
      if (odd == "barrier" && second && location == 0) call(barrier, begin + 2000, begin + 2500);
      if (odd == "nested" && second) {
        check(OTF2_EvtWriter_Enter(writer, nullptr, begin + 6000 + location * 500, barrier), "enter");
        if (location == 0) {
          fork(OTF2_PARADIGM_PTHREAD, 1, begin + 6100);
          begin_team(alone, begin + 6200);
          end_team(alone, begin + 6300);
          join(OTF2_PARADIGM_PTHREAD, begin + 6400);
        }
        check(OTF2_EvtWriter_Leave(writer, nullptr, begin + 8000 + location * 10, barrier), "leave");
      } else {
        call(barrier, begin + 6000 + location * 500, begin + 8000 + location * 10);
      }
      if (odd == "cut" && second && location == 2) break;
      if (!(first && odd == "end" && location == 1)) end_team(team, begin + 9000 + location * 10);
      if (location == 0 && !(first && odd == "join")) join(OTF2_PARADIGM_OPENMP, begin + 10'000);
      if (first && odd == "region" && location == 2) {
        begin_team(team, begin + 20'000);
        call(barrier, begin + 21'000, begin + 22'000);
        end_team(team, begin + 23'000);
      }
    }
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution, 0, 400'000, OTF2_UNDEFINED_TIMESTAMP), "clock");
  const OTF2_StringRef name = archive.string("something");
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE), "machine");
  check(OTF2_GlobalDefWriter_WriteLocationGroup(global, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                OTF2_UNDEFINED_LOCATION_GROUP),
        "group");
  for (OTF2_LocationRef i = 0; i < size; ++i)
    check(OTF2_GlobalDefWriter_WriteLocation(global, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], 0), "location");
  archive.group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {0, 1, 2});
  archive.group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {0, 1, 2});
  archive.group(2, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_PTHREAD, {0});
  archive.group(3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_PTHREAD, {0});
  archive.communicator(team, 1, OTF2_UNDEFINED_COMM);
  archive.communicator(alone, 3, OTF2_UNDEFINED_COMM);
  archive.region(barrier, "implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
  archive.region(foreign, "overhead", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_WINTHREAD);
  archive.close();
}

void ranks(const std::string& folder) {
  Archive archive(folder);
  constexpr OTF2_LocationRef accelerator = 4;
  std::array<std::uint64_t, 5> events{};
  for (OTF2_LocationRef location = 0; location < events.size(); ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto send = [&](std::uint64_t time, std::uint32_t to) {
      check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, to, 0, 0, 8), "send");
    };
    const auto receive = [&](std::uint64_t time, std::uint32_t from) {
      check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time, from, 0, 0, 8), "receive");
    };
    switch (location) {
      case 0:
        send(100'000, 1);
        receive(250'000, 3);
        break;
      case 1:
        receive(60'000, 0);
        break;
      case 2:
        send(200'000, 3);
        break;
      case 3:
        receive(205'000, 2);
        send(300'000, 0);
        break;
      default:
        check(OTF2_EvtWriter_Enter(writer, nullptr, 250'500, 0), "enter");
        check(OTF2_EvtWriter_Leave(writer, nullptr, 251'000, 0), "leave");
    }
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution, 0, 400'000, OTF2_UNDEFINED_TIMESTAMP), "clock");
  const OTF2_StringRef node = archive.string("node");
  const OTF2_StringRef thread = archive.string("thread");
  check(
      OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, archive.string("n0"), node, OTF2_UNDEFINED_SYSTEM_TREE_NODE),
      "node");
  for (const OTF2_LocationGroupRef group : {0U, 1U})
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, group, thread, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP),
          "group");
  for (OTF2_LocationRef i = 0; i < events.size(); ++i)
    check(
        OTF2_GlobalDefWriter_WriteLocation(
            global, i, thread, i == accelerator ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD,
            events[i], i == 2 || i == 3 ? 1 : 0),
        "location");
  archive.group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 1, 2, 3});
  archive.group(1, {0, 1, 2, 3});
  archive.communicator(0, 1, OTF2_UNDEFINED_COMM);
  archive.region(0, "kernel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  archive.close();
}

void callers(const std::string& folder, const std::string& who) {
  Archive archive(folder);
  constexpr OTF2_CommRef team = 1;
  std::array<std::uint64_t, 4> events{};
  const OTF2_CommRef world = who == "nowhere" ? 9 : 0;
  const auto caller = [&](OTF2_LocationRef rank, int round) {
    const bool second = who == "always" || who == "nowhere" || (round % 2 == 1 && (who == "in turn" || rank == 0));
    return 2 * rank + (second ? 1 : 0);
  };
  for (OTF2_LocationRef location = 0; location < events.size(); ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const OTF2_LocationRef rank = location / 2;
    for (int round = 0; round < 50; ++round) {
      const std::uint64_t time = 1'000'000 + static_cast<std::uint64_t>(round) * 100'000 - (rank == 1 ? 500'000 : 0);
      if (caller(rank, round) == location) {
        if (rank == 0)
          check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, 1, world, 7, 8), "send");
        else
          check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time + 10'000, 0, world, 7, 8), "receive");
        check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time + 20'000), "begin");
        check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time + 30'000, OTF2_COLLECTIVE_OP_BARRIER, world,
                                              OTF2_UNDEFINED_UINT32, 0, 0),
              "end");
      }
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time + 40'000 + location), "begin");
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time + 50'000, OTF2_COLLECTIVE_OP_BARRIER,
                                            static_cast<OTF2_CommRef>(team + rank), OTF2_UNDEFINED_UINT32, 0, 0),
            "end");
    }
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution, 0, 8'000'000, OTF2_UNDEFINED_TIMESTAMP), "clock");
  const OTF2_StringRef name = archive.string("n0");
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE), "node");
  for (const OTF2_LocationGroupRef group : {0U, 1U}) {
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                  OTF2_UNDEFINED_LOCATION_GROUP),
          "group");
    for (const OTF2_LocationRef i : {2 * group, 2 * group + 1})
      check(OTF2_GlobalDefWriter_WriteLocation(global, i, name, OTF2_LOCATION_TYPE_CPU_THREAD, events[i], group),
            "location");
  }
  archive.group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 2});
  archive.group(1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0, 1});
  archive.communicator(0, 1, OTF2_UNDEFINED_COMM);
  archive.group(2, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, {0, 1, 2, 3});
  for (const OTF2_GroupRef rank : {0U, 1U}) {
    archive.group(3 + rank, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, {2 * rank, 2 * rank + 1});
    archive.communicator(team + rank, 3 + rank, OTF2_UNDEFINED_COMM);
  }
  archive.close();
}

/// What two ranks of two threads each do together, right but for the clock of rank 0, which is slow.
class Hybrid {
 public:
  Hybrid(const std::string& what, std::uint64_t slow) : what_(what), slow_(slow) {}

  void write_events(OTF2_EvtWriter* writer, OTF2_LocationRef location) {
    writer_ = writer;
    for (std::uint64_t round = 0; round < 20; ++round) {
      // Rank 0 calls by its second thread, then by its first.
      const std::uint64_t time = 1'000'000 * (round + 1) - (location < 2 || location == stream ? slow_ : 0);
      if (what_ == "receives")
        receives(location, time, 2 * round);
      else if (location == 2)
        pair(time, 2 * round, true);
      else if (location < 2 && what_ == "requests")
        requests(location, time, 2 * round);
      else if (location < 2)
        call(location == 0 ? time + 300'000 : time, location == 0 ? 2 * round + 1 : 2 * round, false);
      else if (location == stream)
        kernel(time);
    }
  }

  static constexpr OTF2_LocationRef stream = 4;

 private:
  void pair(std::uint64_t time, std::uint64_t number, bool sends) {
    call(time, number, sends);
    call(time + 300'000, number + 1, sends);
  }
  void call(std::uint64_t time, std::uint64_t number, bool sends) {
    if (what_ == "notified")
      return check(OTF2_EvtWriter_RmaSync(writer_, nullptr, sends ? time : time + 5'000, 0, sends ? 0 : 1,
                                          sends ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT : OTF2_RMA_SYNC_TYPE_NOTIFY_IN),
                   "notification");
    if (what_ == "collective" || what_ == "requests") return collective(time, number);
    if (what_ == "window") return window(time);
    if (what_ == "between") return between(time);
    if (what_ == "group") return group(time);
    if (what_ == "epochs") return epoch(time, sends);
    if (sends)
      check(OTF2_EvtWriter_MpiSend(writer_, nullptr, time, 0, 0, 7, 8), "send");
    else
      check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time + 5'000, 1, 0, 7, 8), "receive");
  }
  void complete(std::uint64_t time, std::uint64_t number) {
    check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                                       OTF2_UNDEFINED_UINT32, 8, 8, number),
          "complete");
  }
  void request(std::uint64_t time, std::uint64_t number) {
    check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time, number), "request");
  }
  void collective(std::uint64_t time, std::uint64_t number) {
    request(time, number);
    complete(time + 20'000, number);
  }
  /// What one thread of rank 0 requests, the other one completes.
  void requests(OTF2_LocationRef location, std::uint64_t time, std::uint64_t number) {
    if (location == 1) {
      request(time, number);
      complete(time + 320'000, number + 1);
    } else {
      complete(time + 20'000, number);
      request(time + 300'000, number + 1);
    }
  }
  void window(std::uint64_t time) {
    check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, time), "begin");
    check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, nullptr, time + 20'000, OTF2_COLLECTIVE_OP_BARRIER,
                                          OTF2_RMA_SYNC_LEVEL_PROCESS, 0, OTF2_UNDEFINED_UINT32, 0, 0),
          "end");
  }
  void between(std::uint64_t time) {
    check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time), "begin");
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time + 20'000, OTF2_COLLECTIVE_OP_BARRIER, 1,
                                          OTF2_UNDEFINED_UINT32, 0, 0),
          "end");
  }
  void group(std::uint64_t time) {
    check(OTF2_EvtWriter_Enter(writer_, nullptr, time, 0), "enter");
    check(OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, time + 20'000, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1), "group");
    check(OTF2_EvtWriter_Leave(writer_, nullptr, time + 20'000, 0), "leave");
  }
  /// The sender completes its accesses, the other one waits for that.
  void epoch(std::uint64_t time, bool sends) {
    check(OTF2_EvtWriter_Enter(writer_, nullptr, time, sends ? 1 : 2), "enter");
    check(OTF2_EvtWriter_RmaGroupSync(writer_, nullptr, time + 1'000, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, sends ? 2 : 3),
          "group");
    check(OTF2_EvtWriter_Leave(writer_, nullptr, time + 20'000, sends ? 1 : 2), "leave");
  }
  void kernel(std::uint64_t time) {
    check(OTF2_EvtWriter_Enter(writer_, nullptr, time, 0), "enter");
    check(OTF2_EvtWriter_Leave(writer_, nullptr, time + 1'000, 0), "leave");
  }
  /// Posted by the second thread, then by the first, which completes both.
  void receives(OTF2_LocationRef location, std::uint64_t time, std::uint64_t number) {
    if (location == 2) {
      check(OTF2_EvtWriter_MpiSend(writer_, nullptr, time + 10'000, 0, 0, 7, 8), "send");
      check(OTF2_EvtWriter_MpiSend(writer_, nullptr, time + 400'000, 0, 0, 7, 8), "send");
    } else if (location == 1) {
      check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time, number), "request");
    } else if (location == 0) {
      check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time + 1'000, number + 1), "request");
      check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time + 15'000, 1, 0, 7, 8, number), "receive");
      check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time + 405'000, 1, 0, 7, 8, number + 1), "receive");
    }
  }

  std::string what_;
  std::uint64_t slow_;
  OTF2_EvtWriter* writer_ = nullptr;
};

void hybrid(const std::string& folder, const std::string& what, std::uint64_t slow) {
  Archive archive(folder);
  const bool has_stream = what == "cuda" || what == "orphan" || what == "crowded";
  std::array<std::uint64_t, 5> events{};
  Hybrid program(what, slow);
  for (OTF2_LocationRef location = 0; location < (has_stream ? 5U : 4U); ++location) {
    OTF2_EvtWriter* const writer = archive.events(location);
    program.write_events(writer, location);
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer, {}, what == "offsets" && location == 0 ? 50'000 : 0);
  }
  OTF2_GlobalDefWriter* const global = archive.end_events();
  check(OTF2_GlobalDefWriter_WriteClockProperties(global, resolution, 0, 30'000'000, OTF2_UNDEFINED_TIMESTAMP),
        "clock");
  const OTF2_StringRef node = archive.string("node");
  for (const OTF2_SystemTreeNodeRef i : {0U, 1U})
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global, i, archive.string(std::to_string(i).insert(0, 1, 'n')), node,
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE),
          "node");
  for (const OTF2_LocationGroupRef group : {0U, 1U})
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, group, node, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                  what == "crowded" ? 0 : group,
                                                  what == "spawned" && group == 1 ? 0 : OTF2_UNDEFINED_LOCATION_GROUP),
          "group");
  for (const OTF2_LocationRef i : {0U, 1U, 2U, 3U})
    check(OTF2_GlobalDefWriter_WriteLocation(global, i, node, OTF2_LOCATION_TYPE_CPU_THREAD, events[i],
                                             static_cast<OTF2_LocationGroupRef>(i / 2)),
          "location");
  if (has_stream) {
    check(OTF2_GlobalDefWriter_WriteLocationGroup(global, 2, node, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0,
                                                  what == "cuda" ? 0 : OTF2_UNDEFINED_LOCATION_GROUP),
          "group");
    check(OTF2_GlobalDefWriter_WriteLocation(global, Hybrid::stream, node, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                             events[Hybrid::stream], 2),
          "location");
  }
  archive.group(0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {0, 2});
  archive.group(1, {0, 1});
  archive.group(2, {0});
  archive.group(3, {1});
  if (what == "cuda") archive.group(4, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA, {0, 1, 2, Hybrid::stream});
  archive.communicator(0, 1, OTF2_UNDEFINED_COMM);
  check(OTF2_GlobalDefWriter_WriteInterComm(global, 1, 0, 2, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE), "between");
  archive.window(0);
  archive.region(0, "kernel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
  archive.region(1, "MPI_Win_complete", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  archive.region(2, "MPI_Win_wait", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI);
  archive.close();
}

void disagree(const std::string& folder) {
  Archive archive(folder);
  std::array<std::uint64_t, 3> events{};
  for (const OTF2_LocationRef location : {0U, 1U, 2U}) {
    OTF2_EvtWriter* const writer = archive.events(location);
    const auto call = [&](std::uint64_t begin, std::uint64_t end, OTF2_CollectiveOp operation,
                          OTF2_CommRef communicator, std::uint32_t root = OTF2_UNDEFINED_UINT32) {
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, begin), "begin");
      check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, end, operation, communicator, root, 8, 8), "end");
    };
    call(100'000 + location, 105'000, OTF2_COLLECTIVE_OP_BARRIER, 0);
    if (location == 2) call(200'000, 205'000, OTF2_COLLECTIVE_OP_BARRIER, 0);
    call(300'000 + location, 305'000, OTF2_COLLECTIVE_OP_ALLREDUCE, 0);
    call(400'000 + location, 405'000, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    // The end of the second is recorded too early, and bound before the third says what it took part in.
    const std::uint64_t end = location == 1 ? 499'000 : 501'000 + location * 1000;
    call(location == 1 ? 498'000 : 500'000, end, OTF2_COLLECTIVE_OP_BCAST, 1, location == 2 ? 1 : 0);
    // Here it is read before: in an operation in which all wait for all.
    call(location == 0 ? 610'000 : 600'000, location == 0 ? 615'000 : 605'000, OTF2_COLLECTIVE_OP_REDUCE, 1,
         location == 2 ? 1 : 0);
    check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[location]), "count");
    archive.close_location(location, writer);
  }
  archive.end_events();
  archive.world(3, events[0], 700'000);
  archive.communicator(1, 1, 0);
  archive.close();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what == "kinds")
      kinds(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1, argc > 4);
    else if (what == "windows")
      windows(argv[2]);
    else if (what == "epochs")
      epochs(argv[2]);
    else if (what == "operations")
      operations(argv[2]);
    else if (what == "receives" && argc > 3)
      receives(argv[2], std::strtoull(argv[3], nullptr, 10));
    else if (what == "cancelled" && argc > 3)
      cancelled(argv[2], std::strtoull(argv[3], nullptr, 10));
    else if (what == "mapped")
      mapped(argv[2], argc > 3 ? static_cast<OTF2_AttributeRef>(std::strtoul(argv[3], nullptr, 10)) : 0);
    else if (what == "threads")
      threads(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0);
    else if (what == "teams")
      teams(argv[2], argc > 3 ? argv[3] : "");
    else if (what == "ranks")
      ranks(argv[2]);
    else if (what == "callers" && argc > 3)
      callers(argv[2], argv[3]);
    else if (what == "hybrid" && argc > 3)
      hybrid(argv[2], argv[3], argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0);
    else if (what == "disagree")
      disagree(argv[2]);
    else if (what == "deviations")
      deviations(argv[2]);
    else if (what == "offset")
      offset(argv[2], argc > 3 ? argv[3] : nullptr);
    else if (what == "set-back" && argc > 3)
      set_back(argv[2], argv[3], argc > 4);
    else if (what == "long")
      long_records(argv[2]);
    else if (what == "random" && argc > 3)
      random(argv[2], std::strtoull(argv[3], nullptr, 10), argc > 4);
    else if (what == "two-groups")
      two_groups(argv[2], argc > 3);
    else if (what == "crowd" && argc > 5)
      crowd(argv[2], std::strtoull(argv[3], nullptr, 10), static_cast<OTF2_CommRef>(std::strtoul(argv[4], nullptr, 10)),
            std::strtoull(argv[5], nullptr, 10), argc > 6);
    else if (what == "synchronize" && argc > 5)
      synchronize_with_all(argv[2], std::strtoull(argv[3], nullptr, 10),
                           static_cast<OTF2_RmaWinRef>(std::strtoul(argv[4], nullptr, 10)),
                           std::strtoull(argv[5], nullptr, 10));
    else if (what == "halves" && argc > 4)
      two_halves(argv[2], std::strtoull(argv[3], nullptr, 10),
                 static_cast<OTF2_CommRef>(std::strtoul(argv[4], nullptr, 10)));
    else if (what == "alone" && argc > 4)
      alone_in_each(argv[2], std::strtoull(argv[3], nullptr, 10),
                    static_cast<OTF2_CommRef>(std::strtoul(argv[4], nullptr, 10)));
    else if (what == "ring" && argc > 4)
      ring(argv[2], std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10),
           argc > 5 ? std::strtoull(argv[5], nullptr, 10) : ~std::uint64_t{0},
           argc > 6 ? std::strtoll(argv[6], nullptr, 10) : 0);
    else
      throw std::runtime_error(
          "usage: kinds DIR [TIMES [more]] | threads DIR OTHERS | teams DIR [ODD] | ranks DIR | "
          "hybrid DIR WHAT [SLOW] | disagree DIR | windows "
          "DIR | "
          "epochs DIR | operations DIR | "
          "offset DIR [DATE] | deviations DIR | set-back DIR offsets|bytes [long] | long DIR | receives DIR EVENTS | "
          "cancelled DIR EVENTS | mapped "
          "DIR [ATTRIBUTE] | "
          "two-groups DIR [more] | "
          "random DIR SEED [long] | "
          "crowd DIR LOCATIONS COMMUNICATORS ACCESSES [wait] | synchronize DIR LOCATIONS WINDOWS TIMES | "
          "halves DIR LOCATIONS COMMUNICATORS | alone DIR LOCATIONS COMMUNICATORS | "
          "ring DIR LOCATIONS ROUNDS [EACH [BACK]]");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clc-test-otf2-archive: %s\n", error.what());
    return 1;
  }
}
