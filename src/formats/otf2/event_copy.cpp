#include "otf2/copying.hpp"
#include "otf2/records.hpp"

namespace clc::otf2 {

namespace {

struct EventCopy {
  OTF2_EvtWriter* writer;
  LocationTimes& times;
  OTF2_AttributeRef recorded;  ///< attribute for the recorded time; undefined: it is not wanted
  CopyOutcome outcome;

  static EventCopy& of(void* user) { return *static_cast<EventCopy*>(user); }
  /// The corrected time of the next event. An event that keeps its recorded time already has that from before.
  [[nodiscard]] OTF2_TimeStamp next(OTF2_TimeStamp time, OTF2_AttributeList* attributes) {
    const auto corrected = static_cast<OTF2_TimeStamp>(times.next(static_cast<std::int64_t>(time)));
    if (recorded != OTF2_UNDEFINED_ATTRIBUTE && !OTF2_AttributeList_TestAttributeByID(attributes, recorded))
      static_cast<void>(outcome.of(OTF2_AttributeList_AddInt64(attributes, recorded, times.recorded()), "attribute"));
    return corrected;
  }

  template <class Signature>
  struct Copy;
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                    Fields...)> {
    template <auto write>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                  void* user, OTF2_AttributeList* attributes, Fields... fields) {
      EventCopy& self = of(user);
      const OTF2_TimeStamp corrected = self.next(time, attributes);
      return self.outcome.of(write(self.writer, attributes, corrected, fields...), "event");
    }
  };
};

}  // namespace

void copy_events(const Copying& copying, const Archive::Location& location, LocationTimes& times,
                 OTF2_AttributeRef recorded) {
  static const auto callbacks = [] {
    Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete> all(OTF2_EvtReaderCallbacks_New());
#define CLC_COPY(Name)                         \
  OTF2_EvtReaderCallbacks_Set##Name##Callback( \
      all.get(), &EventCopy::Copy<OTF2_EvtReaderCallback_##Name>::call<&OTF2_EvtWriter_##Name>);
    CLC_OTF2_EVENTS(CLC_COPY)
#undef CLC_COPY
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                                 void* user, OTF2_AttributeList* attributes,
                                                                 OTF2_TimeStamp stop) {
      EventCopy& self = EventCopy::of(user);
      const OTF2_TimeStamp corrected = self.next(time, attributes);
      const auto corrected_stop = static_cast<OTF2_TimeStamp>(self.times.within(static_cast<std::int64_t>(stop)));
      return self.outcome.of(OTF2_EvtWriter_BufferFlush(self.writer, attributes, corrected, corrected_stop), "event");
    });
    OTF2_EvtReaderCallbacks_SetUnknownCallback(
        all.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList*) {
          static_cast<void>(EventCopy::of(user).times.next(static_cast<std::int64_t>(time)));
          return OTF2_CALLBACK_SUCCESS;
        });
    return all;
  }();
  const std::string where = copying.archive.name_of(location);
  // Of a damaged location no event beyond those that were readable before.
  OTF2_EvtReader* const from =
      location.damaged && location.events == 0 ? nullptr : OTF2_Reader_GetEvtReader(copying.reader, location.ref);
  EventCopy copy{OTF2_Archive_GetEvtWriter(copying.writer, location.ref), times, recorded, {}};
  if (copy.writer == nullptr)
    fail_output(copying.name, "create the events of location " + std::to_string(location.ref));
  if (from != nullptr) {
    check_input(OTF2_EvtReader_ApplyClockOffsets(from, false), where, "open its events again");
    check_input(OTF2_EvtReader_ApplyMappingTables(from, false), where, "open its events again");
    check_input(OTF2_Reader_RegisterEvtCallbacks(copying.reader, from, callbacks.get(), &copy), where,
                "open its events again");
    std::uint64_t count = 0;
    const OTF2_ErrorCode result = location.damaged
                                      ? OTF2_Reader_ReadLocalEvents(copying.reader, from, location.events, &count)
                                      : OTF2_Reader_ReadAllLocalEvents(copying.reader, from, &count);
    copying.check_copied(result, copy.outcome, where, "read its events again");
    times.check_count(where);
    check_input(OTF2_Reader_CloseEvtReader(copying.reader, from), where, "close its events");
  } else if (!location.damaged) {
    fail_input(where, "open its events again");
  }
  copying.check_written(OTF2_Archive_CloseEvtWriter(copying.writer, copy.writer), "write the events of a location");
}

}  // namespace clc::otf2
