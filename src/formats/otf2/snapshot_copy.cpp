#include <algorithm>

#include "clc/error.hpp"
#include "otf2/copying.hpp"
#include "otf2/records.hpp"

namespace clc::otf2 {

namespace {

struct SnapshotCopy {
  OTF2_SnapWriter* writer;  ///< null: the times are asked for, nothing is written
  LocationTimes& times;
  CopyOutcome outcome;
  bool open = false;  ///< a snapshot has begun and not ended
  OTF2_TimeStamp newest = 0;

  static SnapshotCopy& of(void* user) { return *static_cast<SnapshotCopy*>(user); }
  [[nodiscard]] OTF2_TimeStamp map(OTF2_TimeStamp time) {
    if (writer == nullptr) {
      times.ask_file(static_cast<std::int64_t>(time));
      return time;
    }
    return static_cast<OTF2_TimeStamp>(times.answer_of_file(static_cast<std::int64_t>(time)));
  }
  /// Of the snapshot itself: as with events, these do not decrease, whatever the clock offsets say.
  [[nodiscard]] OTF2_TimeStamp map_snapshot(OTF2_TimeStamp time) { return newest = std::max(newest, map(time)); }
  template <class Function>
  static OTF2_CallbackCode write(void* user, Function function) {
    SnapshotCopy& self = of(user);
    return self.writer == nullptr ? OTF2_CALLBACK_SUCCESS : self.outcome.of(function(self), "snapshot");
  }

  template <class Signature>
  struct Copy;
  /// All kinds but start and end carry the time of the event that they repeat.
  template <class... Fields>
  struct Copy<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, void*, OTF2_AttributeList*, OTF2_TimeStamp,
                                    Fields...)> {
    template <auto function>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, void* user,
                                  OTF2_AttributeList* attributes, OTF2_TimeStamp event_time, Fields... fields) {
      SnapshotCopy& self = of(user);
      const OTF2_TimeStamp mapped = self.map_snapshot(time);
      const OTF2_TimeStamp mapped_event = self.map(event_time);
      return write(
          user, [&](SnapshotCopy& copy) { return function(copy.writer, attributes, mapped, mapped_event, fields...); });
    }
  };
};

}  // namespace

bool copy_snapshots(const Copying& copying, const Archive::Location& location, LocationTimes& times, bool asking,
                    bool whole) {
  static const auto callbacks = [] {
    Owned<OTF2_SnapReaderCallbacks, OTF2_SnapReaderCallbacks_Delete> all(OTF2_SnapReaderCallbacks_New());
#define CLC_COPY(Name)                          \
  OTF2_SnapReaderCallbacks_Set##Name##Callback( \
      all.get(), &SnapshotCopy::Copy<OTF2_SnapReaderCallback_##Name>::call<&OTF2_SnapWriter_##Name>);
    CLC_OTF2_SNAPSHOTS(CLC_COPY)
#undef CLC_COPY
    // Their number is no time.
    OTF2_SnapReaderCallbacks_SetSnapshotStartCallback(
        all.get(),
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* user, OTF2_AttributeList* attributes, std::uint64_t records) {
          SnapshotCopy::of(user).open = true;
          const OTF2_TimeStamp mapped = SnapshotCopy::of(user).map_snapshot(time);
          return SnapshotCopy::write(user, [&](SnapshotCopy& self) {
            return OTF2_SnapWriter_SnapshotStart(self.writer, attributes, mapped, records);
          });
        });
    OTF2_SnapReaderCallbacks_SetSnapshotEndCallback(
        all.get(),
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* user, OTF2_AttributeList* attributes, std::uint64_t position) {
          SnapshotCopy::of(user).open = false;
          const OTF2_TimeStamp mapped = SnapshotCopy::of(user).map_snapshot(time);
          return SnapshotCopy::write(user, [&](SnapshotCopy& self) {
            return OTF2_SnapWriter_SnapshotEnd(self.writer, attributes, mapped, position);
          });
        });
    return all;
  }();
  const std::string where = copying.archive.name_of(location);
  OTF2_SnapReader* const from = OTF2_Reader_GetSnapReader(copying.reader, location.ref);
  if (from == nullptr) {
    if (!whole) return false;
    return copying.archive.readable([&] { fail_input(where, "open its snapshots"); });
  }
  SnapshotCopy copy{asking ? nullptr : OTF2_Archive_GetSnapWriter(copying.writer, location.ref), times, {}};
  if (!asking && copy.writer == nullptr)
    fail_output(copying.name, "create the snapshots of location " + std::to_string(location.ref));
  check_input(OTF2_Reader_RegisterSnapCallbacks(copying.reader, from, callbacks.get(), &copy), where,
              "read its snapshots");
  const OTF2_ErrorCode result =
      copying.archive.read_part(copying.reader, from, OTF2_Reader_ReadAllLocalSnapshots, OTF2_Reader_ReadLocalSnapshots,
                                copying.archive.file_of(location, ".snap"), Part::snapshots);
  const bool readable = copying.archive.readable([&] {
    if (asking && whole)
      check_read(result, where, "read its snapshots");
    else
      copying.check_copied(result, copy.outcome, where, "read its snapshots", !whole);
    if (whole && copy.open)
      throw InputError(where + ": its last snapshot has no end, expected a SnapshotEnd; copy the whole archive");
  });
  whole = whole && readable;
  check_input(OTF2_Reader_CloseSnapReader(copying.reader, from), where, "close its snapshots");
  if (!asking)
    copying.check_written(OTF2_Archive_CloseSnapWriter(copying.writer, copy.writer),
                          "write the snapshots of a location");
  return whole;
}

}  // namespace clc::otf2
