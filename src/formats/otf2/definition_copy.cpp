#include <algorithm>

#include "otf2/attribute_mapping.hpp"
#include "otf2/copying.hpp"
#include "otf2/inspect.hpp"
#include "otf2/own.hpp"
#include "otf2/records.hpp"

namespace clc::otf2 {

namespace {

/// How many kinds of definitions libotf2 knows, from String on.
enum class LocalKind : unsigned {
#define CLC_NAME(Name) Name,
  CLC_OTF2_LOCAL_DEFINITIONS(CLC_NAME) end
};
enum class GlobalKind : unsigned { CLC_OTF2_GLOBAL_DEFINITIONS(CLC_NAME) end };
#undef CLC_NAME
template <class Kind>
constexpr unsigned known = static_cast<unsigned>(Kind::end) - static_cast<unsigned>(Kind::String);

/// Definitions: the callback hands all fields to the writer's function of the same name.
template <class Writer>
struct DefinitionCopy {
  Writer* writer;
  CopyOutcome outcome;
  Archive* archive;

  template <class Signature>
  struct Copy;
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(void*, Fields...)> {
    template <auto write>
    static OTF2_CallbackCode call(void* user, Fields... fields) {
      auto& self = *static_cast<DefinitionCopy*>(user);
      return self.outcome.of(write(self.writer, fields...), "definition");
    }
  };
};

struct LocalDefinitionCopy : DefinitionCopy<OTF2_DefWriter> {
  OTF2_AttributeRef* recorded = nullptr;
  bool own_offsets = false;  ///< else they are in the times, or in others

  using Base = DefinitionCopy<OTF2_DefWriter>;
  static LocalDefinitionCopy& of(void* user) { return *static_cast<LocalDefinitionCopy*>(static_cast<Base*>(user)); }
  [[nodiscard]] static const OTF2_DefReaderCallbacks* callbacks();
};

const OTF2_DefReaderCallbacks* LocalDefinitionCopy::callbacks() {
  static const auto made = [] {
    Owned<OTF2_DefReaderCallbacks, OTF2_DefReaderCallbacks_Delete> all(OTF2_DefReaderCallbacks_New());
#define CLC_COPY(Name)                         \
  OTF2_DefReaderCallbacks_Set##Name##Callback( \
      all.get(), &Base::Copy<OTF2_DefReaderCallback_##Name>::call<&OTF2_DefWriter_Write##Name>);
    CLC_OTF2_LOCAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        all.get(), [](void* user, OTF2_TimeStamp time, std::int64_t offset, double deviation) {
          LocalDefinitionCopy& self = of(user);
          if (!self.own_offsets) return OTF2_CALLBACK_SUCCESS;
          return self.outcome.of(OTF2_DefWriter_WriteClockOffset(self.writer, time, offset, deviation), "definition");
        });
    OTF2_DefReaderCallbacks_SetMappingTableCallback(
        all.get(), [](void* user, OTF2_MappingType type, const OTF2_IdMap* map) {
          LocalDefinitionCopy& self = of(user);
          if (type != OTF2_MAPPING_ATTRIBUTE || *self.recorded == OTF2_UNDEFINED_ATTRIBUTE)
            return self.outcome.of(OTF2_DefWriter_WriteMappingTable(self.writer, type, map), "definition");
          const AttributeMapping mapping(map, *self.recorded);
          *self.recorded = mapping.local();
          return self.outcome.of(mapping.map() == nullptr
                                     ? OTF2_ERROR_MEM_ALLOC_FAILED
                                     : OTF2_DefWriter_WriteMappingTable(self.writer, type, mapping.map()),
                                 "definition");
        });
    OTF2_DefReaderCallbacks_SetUnknownCallback(all.get(), [](void* user) {
      ++static_cast<Base*>(user)->archive->oddities.unknown_definitions;
      return OTF2_CALLBACK_SUCCESS;
    });
    return all;
  }();
  return made.get();
}

struct GlobalDefinitionCopy : DefinitionCopy<OTF2_GlobalDefWriter> {
  using Base = DefinitionCopy<OTF2_GlobalDefWriter>;

  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  Ticks raise = 0;  ///< was added to all times

  static GlobalDefinitionCopy& of(void* user) { return *static_cast<GlobalDefinitionCopy*>(static_cast<Base*>(user)); }
  /// The span of the trace holds all its events.
  static OTF2_CallbackCode clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t realtime) {
    GlobalDefinitionCopy& self = of(user);
    std::uint64_t begin = offset;
    std::uint64_t end = offset + length;
    if (self.highest >= self.lowest) {
      begin = std::min(begin, static_cast<std::uint64_t>(self.lowest));
      end = std::max(end, static_cast<std::uint64_t>(self.highest));
    }
    if (realtime != OTF2_UNDEFINED_TIMESTAMP) realtime = self.date_at(begin, offset, realtime);
    return self.outcome.of(
        OTF2_GlobalDefWriter_WriteClockProperties(self.writer, resolution, begin, end - begin, realtime), "definition");
  }
  /// In nanoseconds; date: of the recorded offset, which is not before begin.
  [[nodiscard]] std::uint64_t date_at(std::uint64_t begin, std::uint64_t offset, std::uint64_t date) const noexcept {
    __extension__ using Wide = unsigned __int128;
    constexpr Wide second = 1'000'000'000;
    const auto per_second = static_cast<Wide>(archive->definitions().resolution.per_second());
    const Wide ticks = Wide{offset - begin} + static_cast<Wide>(raise);
    const Wide back = (ticks * second + per_second / 2) / per_second;
    return back < date ? date - static_cast<std::uint64_t>(back) : 0;
  }
  /// With as many events as are written.
  static OTF2_CallbackCode location(void* user, OTF2_LocationRef ref, OTF2_StringRef name, OTF2_LocationType type,
                                    std::uint64_t events, OTF2_LocationGroupRef group) {
    GlobalDefinitionCopy& self = of(user);
    const auto index = self.archive->definitions().find_process(ref);
    if (index) {
      const Archive::Location& location = self.archive->locations()[*index];
      if (location.damaged) events = location.events;
      events -= std::min(events, location.unknown);
    }
    return self.outcome.of(OTF2_GlobalDefWriter_WriteLocation(self.writer, ref, name, type, events, group),
                           "definition");
  }
  static OTF2_CallbackCode unknown(void* user) {
    ++of(user).archive->oddities.unknown_definitions;
    return OTF2_CALLBACK_SUCCESS;
  }
  [[nodiscard]] static auto callbacks() {
    Owned<OTF2_GlobalDefReaderCallbacks, OTF2_GlobalDefReaderCallbacks_Delete> all(OTF2_GlobalDefReaderCallbacks_New());
#define CLC_COPY(Name)                               \
  OTF2_GlobalDefReaderCallbacks_Set##Name##Callback( \
      all.get(), &Base::Copy<OTF2_GlobalDefReaderCallback_##Name>::call<&OTF2_GlobalDefWriter_Write##Name>);
    CLC_OTF2_GLOBAL_DEFINITIONS(CLC_COPY)
#undef CLC_COPY
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(all.get(), &clock);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all.get(), &location);
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(all.get(), &unknown);
    return all;
  }
};

void define_recorded_attribute(const Copying& copying, OTF2_AttributeRef recorded, OTF2_GlobalDefWriter* to) {
  if (copying.archive.own().recorded != OTF2_UNDEFINED_ATTRIBUTE) return;
  const OTF2_StringRef name = copying.archive.free_string();
  copying.check_written(OTF2_GlobalDefWriter_WriteString(to, name, own::recorded), "write the global definitions");
  copying.check_written(OTF2_GlobalDefWriter_WriteAttribute(to, recorded, name, name, OTF2_TYPE_INT64),
                        "write the global definitions");
}

}  // namespace

void copy_local_definitions(const Copying& copying, const Archive::Location& location, bool own_offsets,
                            const ClockOffsets& offsets, OTF2_AttributeRef& recorded) {
  const std::string where = copying.archive.name_of(location);
  OTF2_DefReader* const from =
      location.definition_file ? OTF2_Reader_GetDefReader(copying.reader, location.ref) : nullptr;
  if (from == nullptr && location.definition_file) {
    if (!location.damaged) fail_input(where, "open its definitions");
    static_cast<void>(take_complaint());  // the damage was reported when the definitions were read
  }
  LocalDefinitionCopy copy;
  copy.writer = OTF2_Archive_GetDefWriter(copying.writer, location.ref);
  copy.archive = &copying.archive;
  copy.recorded = &recorded;
  copy.own_offsets = own_offsets;
  if (copy.writer == nullptr)
    fail_output(copying.name, "create the definitions of location " + std::to_string(location.ref));
  if (from != nullptr) {
    check_input(OTF2_Reader_RegisterDefCallbacks(copying.reader, from, LocalDefinitionCopy::callbacks(),
                                                 static_cast<LocalDefinitionCopy::Base*>(&copy)),
                where, "read its definitions");
    const std::uint64_t unknown = copying.archive.oddities.unknown_definitions;
    const std::string file = copying.archive.file_of(location, ".def");
    const OTF2_ErrorCode result = copying.archive.read_part(copying.reader, from, OTF2_Reader_ReadAllLocalDefinitions,
                                                            OTF2_Reader_ReadLocalDefinitions, file, Part::definitions);
    if (copying.archive.oddities.unknown_definitions > unknown)
      collect_kinds(file, copying.archive.layout(), Part::definitions, known<LocalKind>,
                    copying.archive.oddities.unknown_local_kinds);
    copying.check_copied(result, copy.outcome, where, "read its definitions", location.damaged);
    check_input(OTF2_Reader_CloseDefReader(copying.reader, from), where, "close its definitions");
  }
  for (const auto& [time, offset, deviation] : offsets.points())
    copying.check_written(
        OTF2_DefWriter_WriteClockOffset(copy.writer, static_cast<OTF2_TimeStamp>(time), offset, deviation),
        "write the clock offsets of a location");
  copying.check_written(OTF2_Archive_CloseDefWriter(copying.writer, copy.writer),
                        "write the definitions of a location");
}

void copy_global_definitions(const Copying& copying, const GlobalChanges& changes) {
  const auto callbacks = GlobalDefinitionCopy::callbacks();
  OTF2_GlobalDefReader* const from = OTF2_Reader_GetGlobalDefReader(copying.reader);
  if (from == nullptr) fail_input(copying.archive.anchor(), "open the global definitions again");
  GlobalDefinitionCopy copy;
  copy.writer = OTF2_Archive_GetGlobalDefWriter(copying.writer);
  copy.archive = &copying.archive;
  copy.lowest = changes.lowest;
  copy.highest = changes.highest;
  copy.raise = changes.raise;
  if (copy.writer == nullptr) fail_output(copying.name, "create the global definitions");
  check_input(OTF2_Reader_RegisterGlobalDefCallbacks(copying.reader, from, callbacks.get(),
                                                     static_cast<GlobalDefinitionCopy::Base*>(&copy)),
              copying.archive.anchor(), "read the global definitions again");
  const std::uint64_t unknown = copying.archive.oddities.unknown_definitions;
  const std::string file = copying.archive.file_of(".def");
  const OTF2_ErrorCode result = copying.archive.read_part(copying.reader, from, OTF2_Reader_ReadAllGlobalDefinitions,
                                                          OTF2_Reader_ReadGlobalDefinitions, file, Part::definitions);
  if (copying.archive.oddities.unknown_definitions > unknown)
    collect_kinds(file, copying.archive.layout(), Part::definitions, known<GlobalKind>,
                  copying.archive.oddities.unknown_global_kinds);
  copying.check_copied(result, copy.outcome, copying.archive.anchor(), "read the global definitions again",
                       copying.archive.definitions_damaged);
  OTF2_Reader_CloseGlobalDefReader(copying.reader, from);
  if (changes.recorded) define_recorded_attribute(copying, *changes.recorded, copy.writer);
  OTF2_StringRef string = changes.first_string;
  for (const std::string& text : changes.strings)
    copying.check_written(OTF2_GlobalDefWriter_WriteString(copy.writer, string++, text.c_str()),
                          "write the global definitions");
  copying.check_written(OTF2_Archive_CloseGlobalDefWriter(copying.writer, copy.writer), "write the global definitions");
}

}  // namespace clc::otf2
