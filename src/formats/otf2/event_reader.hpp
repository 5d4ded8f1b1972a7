// The events of one location, as the clock sees them: time, role, peers.
//
// Edges    MpiSend, MpiIsend: send. MpiRecv, MpiIrecv: receive. MpiCollectiveBegin and End,
//          NonBlockingCollectiveRequest and Complete: collective operation. All others are internal.
#pragma once

#include <otf2/otf2.h>

#include <exception>
#include <string>
#include <vector>

#include "otf2/archive.hpp"

namespace clc::otf2 {

/// A stretch of events of one location with their bodies (in the encoding of the binary format).
struct Run {
  std::vector<Event> events;
  std::string bytes;
  std::vector<std::size_t> ends;  ///< of the bodies in bytes; empty: no bodies
  std::size_t at = 0;             ///< the next to be taken

  void clear() noexcept {
    events.clear();
    bytes.clear();
    ends.clear();
    at = 0;
  }
  [[nodiscard]] Body body(std::size_t i) const noexcept {
    if (ends.empty()) return {};
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return Body(bytes).substr(begin, ends[i] - begin);
  }
};

/// Collects communicators that were defined on the way, as lines of the text format.
using NewLines = std::vector<std::string>;

/// "%group NUMBER MEMBERS..."
[[nodiscard]] std::string group_line(const Definitions& definitions, const Communicator& communicator);

class EventReader {
 public:
  /// Opens the event file of a location; lines must outlive the reader.
  EventReader(Archive& archive, ProcessIndex index, bool bodies, NewLines& lines);
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader();

  /// Replaces run by the next events, at most count. False: there are no more. Throws InputError.
  bool read(std::size_t count, Run& run);

 private:
  struct Callbacks;
  void take(OTF2_TimeStamp time, Event& event);
  void add_body(Record record);
  void add_text(OTF2_TimeStamp time, OTF2_ParameterRef parameter, OTF2_StringRef text);
  void add_internal(OTF2_TimeStamp time, std::size_t kind);
  void add_region(OTF2_TimeStamp time, Kind kind, OTF2_RegionRef region);
  void add_message(OTF2_TimeStamp time, Role role, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag,
                   std::uint64_t bytes, std::size_t kind);
  void add_begin(OTF2_TimeStamp time, std::int64_t call);
  void add_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
               std::uint64_t sent, std::uint64_t received, std::int64_t call);
  void close() noexcept;

  Archive& archive_;
  Archive::Location& location_;
  ProcessIndex index_;
  bool bodies_;
  NewLines& lines_;
  LocationClock clock_;
  OTF2_EvtReader* reader_ = nullptr;
  Run* run_ = nullptr;
  const OTF2_AttributeList* attributes_ = nullptr;  ///< of the event at hand
  bool far_ = false;                                ///< a time does not fit into 63 bits
  std::exception_ptr fault_;                        ///< thrown when everything before it has been delivered
};

}  // namespace clc::otf2
