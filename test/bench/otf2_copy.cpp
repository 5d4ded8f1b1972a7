// A plain copy of an OTF2 archive with nothing but libotf2: every event is read by a callback and written by the
// function of the same name. What clc-filter is compared with in scripts/bench.
//
//   clc-bench-otf2-copy local ANCHOR FOLDER     one location after the other
//   clc-bench-otf2-copy global ANCHOR FOLDER    all locations at once, sorted by time, as tools that look at events do
#include <otf2/otf2.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "otf2/records.hpp"

namespace {

void check(OTF2_ErrorCode result, const char* what) {
  if (result != OTF2_SUCCESS) throw std::runtime_error(std::string(what) + ": " + OTF2_Error_GetDescription(result));
}

template <class Thing>
Thing* made(Thing* thing, const char* what) {
  if (thing == nullptr) throw std::runtime_error(std::string("cannot make ") + what);
  return thing;
}

/// A chunk buffer is written out when it holds 4 MiB, so that memory does not grow with the archive.
void* allocate(void* /*user*/, OTF2_FileType type, OTF2_LocationRef /*location*/, void** buffer, std::uint64_t size) {
  if (*buffer == nullptr) *buffer = new std::vector<void*>;
  auto& chunks = *static_cast<std::vector<void*>*>(*buffer);
  if (type == OTF2_FILETYPE_EVENTS && chunks.size() >= 2 && chunks.size() * size >= (std::size_t{4} << 20))
    return nullptr;
  chunks.push_back(std::malloc(size));
  return chunks.back();
}

void release(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void** buffer, bool final) {
  auto* const chunks = static_cast<std::vector<void*>*>(*buffer);
  if (chunks == nullptr) return;
  for (void* const chunk : *chunks) std::free(chunk);
  chunks->clear();
  if (!final) return;
  delete chunks;
  *buffer = nullptr;
}

OTF2_FlushType flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                     bool /*final*/) {
  return OTF2_FLUSH;
}

std::vector<OTF2_LocationRef> locations;
std::unordered_map<OTF2_LocationRef, OTF2_EvtWriter*> writers;

template <class Signature>
struct Copy;
/// Events, one location after the other: user is the writer.
template <class... Fields>
struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                  Fields...)> {
  template <auto write>
  static OTF2_CallbackCode local(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                 void* user, OTF2_AttributeList* attributes, Fields... fields) {
    return write(static_cast<OTF2_EvtWriter*>(user), attributes, time, fields...) == OTF2_SUCCESS
               ? OTF2_CALLBACK_SUCCESS
               : OTF2_CALLBACK_INTERRUPT;
  }
};
/// Events of all locations: user is the table of writers.
template <class... Fields>
struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, void*, OTF2_AttributeList*, Fields...)> {
  template <auto write>
  static OTF2_CallbackCode global(OTF2_LocationRef location, OTF2_TimeStamp time, void* user,
                                  OTF2_AttributeList* attributes, Fields... fields) {
    auto& to = *static_cast<std::unordered_map<OTF2_LocationRef, OTF2_EvtWriter*>*>(user);
    return write(to[location], attributes, time, fields...) == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS
                                                                            : OTF2_CALLBACK_INTERRUPT;
  }
};
/// Definitions: user is the writer.
template <class... Fields>
struct Copy<OTF2_CallbackCode (*)(void*, Fields...)> {
  template <class Writer, auto write>
  static OTF2_CallbackCode definition(void* user, Fields... fields) {
    return write(static_cast<Writer*>(user), fields...) == OTF2_SUCCESS ? OTF2_CALLBACK_SUCCESS
                                                                        : OTF2_CALLBACK_INTERRUPT;
  }
};

void copy_definitions(OTF2_Reader* reader, OTF2_Archive* archive) {
  OTF2_DefReaderCallbacks* const callbacks = OTF2_DefReaderCallbacks_New();
#define CLC_COPY(Name)                         \
  OTF2_DefReaderCallbacks_Set##Name##Callback( \
      callbacks, &Copy<OTF2_DefReaderCallback_##Name>::definition<OTF2_DefWriter, &OTF2_DefWriter_Write##Name>);
  CLC_OTF2_LOCAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
  for (const OTF2_LocationRef location : locations) {
    OTF2_DefReader* const from = OTF2_Reader_GetDefReader(reader, location);
    OTF2_DefWriter* const to = made(OTF2_Archive_GetDefWriter(archive, location), "definitions");
    std::uint64_t count = 0;
    if (from != nullptr) {
      check(OTF2_Reader_RegisterDefCallbacks(reader, from, callbacks, to), "definitions");
      check(OTF2_Reader_ReadAllLocalDefinitions(reader, from, &count), "definitions");
      check(OTF2_Reader_CloseDefReader(reader, from), "definitions");
    }
    check(OTF2_Archive_CloseDefWriter(archive, to), "definitions");
  }
  OTF2_DefReaderCallbacks_Delete(callbacks);
}

void copy_local(OTF2_Reader* reader, OTF2_Archive* archive) {
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
#define CLC_COPY(Name)                                   \
  OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, \
                                              &Copy<OTF2_EvtReaderCallback_##Name>::local<&OTF2_EvtWriter_##Name>);
  CLC_OTF2_EVENTS(CLC_COPY)
#undef CLC_COPY
  for (const OTF2_LocationRef location : locations) {
    OTF2_EvtReader* const from = made(OTF2_Reader_GetEvtReader(reader, location), "a reader of events");
    OTF2_EvtWriter* const to = made(OTF2_Archive_GetEvtWriter(archive, location), "a writer of events");
    std::uint64_t count = 0;
    check(OTF2_Reader_RegisterEvtCallbacks(reader, from, callbacks, to), "events");
    check(OTF2_Reader_ReadAllLocalEvents(reader, from, &count), "events");
    check(OTF2_Reader_CloseEvtReader(reader, from), "events");
    check(OTF2_Archive_CloseEvtWriter(archive, to), "events");
  }
  OTF2_EvtReaderCallbacks_Delete(callbacks);
}

void copy_global(OTF2_Reader* reader, OTF2_Archive* archive) {
  OTF2_GlobalEvtReaderCallbacks* const callbacks = OTF2_GlobalEvtReaderCallbacks_New();
#define CLC_COPY(Name)                               \
  OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback( \
      callbacks, &Copy<OTF2_GlobalEvtReaderCallback_##Name>::global<&OTF2_EvtWriter_##Name>);
  CLC_OTF2_EVENTS(CLC_COPY)
#undef CLC_COPY
  for (const OTF2_LocationRef location : locations) {
    made(OTF2_Reader_GetEvtReader(reader, location), "a reader of events");
    writers[location] = made(OTF2_Archive_GetEvtWriter(archive, location), "a writer of events");
  }
  OTF2_GlobalEvtReader* const from = made(OTF2_Reader_GetGlobalEvtReader(reader), "a reader of events");
  std::uint64_t count = 0;
  check(OTF2_Reader_RegisterGlobalEvtCallbacks(reader, from, callbacks, &writers), "events");
  check(OTF2_Reader_ReadAllGlobalEvents(reader, from, &count), "events");
  check(OTF2_Reader_CloseGlobalEvtReader(reader, from), "events");
  for (const auto& [location, to] : writers) check(OTF2_Archive_CloseEvtWriter(archive, to), "events");
  OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
}

void copy_global_definitions(OTF2_Reader* reader, OTF2_Archive* archive) {
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
#define CLC_COPY(Name)                                                                        \
  OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(                                          \
      callbacks, &Copy<OTF2_GlobalDefReaderCallback_##Name>::definition<OTF2_GlobalDefWriter, \
                                                                        &OTF2_GlobalDefWriter_Write##Name>);
  CLC_OTF2_GLOBAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
  OTF2_GlobalDefReader* const from = made(OTF2_Reader_GetGlobalDefReader(reader), "global definitions");
  OTF2_GlobalDefWriter* const to = made(OTF2_Archive_GetGlobalDefWriter(archive), "global definitions");
  std::uint64_t count = 0;
  check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, from, callbacks, to), "global definitions");
  check(OTF2_Reader_ReadAllGlobalDefinitions(reader, from, &count), "global definitions");
  check(OTF2_Reader_CloseGlobalDefReader(reader, from), "global definitions");
  check(OTF2_Archive_CloseGlobalDefWriter(archive, to), "global definitions");
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

/// The locations are needed before the definitions can be written.
void find_locations(const char* anchor) {
  OTF2_Reader* const reader = made(OTF2_Reader_Open(anchor), "a reader");
  check(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "reader");
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
      callbacks,
      [](void*, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType, std::uint64_t, OTF2_LocationGroupRef) {
        locations.push_back(self);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReader* const from = made(OTF2_Reader_GetGlobalDefReader(reader), "global definitions");
  std::uint64_t count = 0;
  check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, from, callbacks, nullptr), "global definitions");
  check(OTF2_Reader_ReadAllGlobalDefinitions(reader, from, &count), "global definitions");
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  check(OTF2_Reader_Close(reader), "reader");
}

void copy(const std::string& order, const char* anchor, const char* folder) {
  find_locations(anchor);
  OTF2_Reader* const reader = made(OTF2_Reader_Open(anchor), "a reader");
  check(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "reader");
  for (const OTF2_LocationRef location : locations) check(OTF2_Reader_SelectLocation(reader, location), "select");
  std::uint64_t event_chunk = 0;
  std::uint64_t definition_chunk = 0;
  check(OTF2_Reader_GetChunkSize(reader, &event_chunk, &definition_chunk), "chunks");
  OTF2_Archive* const archive = made(OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, event_chunk,
                                                       definition_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                                     "the archive");
  static const OTF2_FlushCallbacks flush_callbacks{&flush, nullptr};
  static const OTF2_MemoryCallbacks memory_callbacks{&allocate, &release};
  check(OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, nullptr), "archive");
  check(OTF2_Archive_SetMemoryCallbacks(archive, &memory_callbacks, nullptr), "archive");
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive), "archive");
  check(OTF2_Reader_OpenDefFiles(reader), "definition files");
  check(OTF2_Reader_OpenEvtFiles(reader), "event files");
  check(OTF2_Archive_OpenDefFiles(archive), "definition files");
  check(OTF2_Archive_OpenEvtFiles(archive), "event files");
  copy_definitions(reader, archive);
  order == "global" ? copy_global(reader, archive) : copy_local(reader, archive);
  check(OTF2_Archive_CloseDefFiles(archive), "definition files");
  check(OTF2_Archive_CloseEvtFiles(archive), "event files");
  copy_global_definitions(reader, archive);
  check(OTF2_Archive_Close(archive), "archive");
  check(OTF2_Reader_Close(reader), "reader");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string order = argc == 4 ? argv[1] : "";
  if (order != "local" && order != "global") {
    std::fprintf(stderr, "usage: clc-bench-otf2-copy local|global ANCHOR FOLDER\n");
    return 2;
  }
  try {
    copy(order, argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clc-bench-otf2-copy: %s\n", error.what());
    return 1;
  }
}
