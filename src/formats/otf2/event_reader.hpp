// Reads the events of one location, as the clock sees them: time, role, peers.
//
// Edges    MpiSend, MpiIsend: send, unless cancelled within the run. MpiRecv, MpiIrecv: receive, in the order of
//          MpiIrecvRequest. MpiCollectiveBegin and End, NonBlockingCollectiveRequest and Complete, RmaCollectiveBegin
//          and End: collective operation. All others are internal. For internal events that still order others
//          (threads, locks, group synchronisation), events are added at the same time, or at begin and end of the call:
//          receives before the event, sends after it. So it is for messages and operations of threads without a rank:
//          what is added is an event of the location that has the rank of their process. Added events occur in no
//          archive; a sink of archives leaves them out.
#pragma once

#include <otf2/otf2.h>

#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "otf2/alike_messages.hpp"
#include "otf2/archive.hpp"
#include "otf2/collective_requests.hpp"
#include "otf2/event_kinds.hpp"
#include "otf2/plain_events.hpp"
#include "otf2/posted_receives.hpp"
#include "otf2/posted_sends.hpp"
#include "otf2/request_order.hpp"
#include "otf2/run.hpp"
#include "otf2/window_calls.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

/// The parallel regions of all teams of the archive, from its readable part.
void read_teams(Archive& archive);
/// The same for teams with one of these locations, `of` by location, empty: all; and without the comparison that is to
/// follow if all locations were read to their ends. True: these were.
[[nodiscard]] bool scan_teams(Archive& archive, const std::vector<bool>& of);

/// Its event file can be read without libotf2, at least its begin.
[[nodiscard]] bool is_plain(const Archive& archive, const Archive::Location& location) noexcept;

class EventReader {
 public:
  /// Reads the events of a location; lines and orders must outlive the reader.
  /// alike: not of a reader of another location that is not at its end; null: messages are decoded again and again.
  EventReader(Archive& archive, ProcessIndex index, bool bodies, NewLines& lines, RequestOrders& orders,
              AlikeMessages* alike = nullptr);
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;
  ~EventReader();

  /// Replaces run by the next events, at most count. False at the end. Throws InputError.
  bool read(std::size_t count, Run& run);

  // For EventCalls.
  void attend(const OTF2_AttributeList* attributes) noexcept { attributes_ = attributes; }
  /// A time that does not fit into 63 bits is damage.
  [[nodiscard]] static bool fits(OTF2_TimeStamp time) noexcept { return time <= static_cast<std::uint64_t>(ticks_max); }
  [[nodiscard]] bool takes(OTF2_TimeStamp time) noexcept {
    far_ = !fits(time);
    return !far_;
  }
  [[nodiscard]] const NumberTables* numbers() const noexcept { return location_.numbers.get(); }

 private:
  struct Callbacks;
  /// Switches to reading with libotf2.
  void open();
  /// Appends the next events to the run, at most count, up to the first that libotf2 has to read.
  PlainEvents::Stop read_plain(std::size_t count);
  /// Appends the event of a message that is like an earlier one. False: it is not.
  [[nodiscard]] bool repeat(const AlikeMessages::Fields& fields, OTF2_TimeStamp time);
  /// The event that was appended last may be that of a message with such fields.
  void keep(const AlikeMessages::Fields& fields);
  /// Appends the next events to the run, at most count. False at the end.
  bool read_on(std::size_t count);
  /// Ends reading; returns false.
  bool finish();
  /// For handlers: returns false; the exception is thrown once everything before it has been delivered.
  bool fail();
  /// Sets the time of the next event.
  void at(OTF2_TimeStamp time);
  /// Appends an event at that time to the run.
  Event& put();
  void put(const Event& event);
  void put_internal(std::size_t kind);
  void take(OTF2_TimeStamp time, const Event& event) {
    at(time);
    put(event);
  }
  /// Appends an event that is not in the archive.
  void add(Kind kind, const Event& event);
  void add(Kind kind, Event event, std::optional<Time> recorded);
  /// Appends one of the rank of a thread that calls MPI, at the time of that thread's own event.
  void add_of_rank(Kind kind, const Event& event) {
    add(kind, event);
    count_for_rank();
  }
  /// The event that was appended last is one of the rank.
  void count_for_rank();
  void add_message_of_rank(Role role, std::size_t kind, Event event);
  /// The end of a thread's call is that of its rank, on a communicator (no_communicator: it orders nothing), ahead of
  /// the thread's own event, which orders nothing. call: the thread's own.
  void put_end_for_rank(std::int64_t call, CommunicatorIndex communicator, std::optional<Operation> operation,
                        std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  void add_end_of_rank(std::int64_t call, CommunicatorIndex communicator, std::optional<Operation> operation,
                       std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  /// The thread's own event at the end of a call that is one of its rank.
  void put_own_end(std::int64_t call);
  void add_call_begin(std::int64_t call);
  void add_call_end(std::int64_t call, Operation operation, CommunicatorIndex communicator, std::uint64_t sent,
                    std::uint64_t received);
  /// Ends a call without edges.
  void drop_call(std::int64_t call);
  [[nodiscard]] static bool is_request(std::int64_t call) noexcept {
    return call != 0 && call != window_call && call != group_sync_call;
  }
  /// What a call of the location is as one of its rank. Requests are those of the process.
  [[nodiscard]] std::int64_t of_rank(std::int64_t call) const noexcept {
    return rank_ == index_ || is_request(call) ? call : call_of_thread(index_, call);
  }
  void add_body(Record record);
  /// The recorded time kept by the current event.
  [[nodiscard]] std::optional<Time> recorded() const;
  void add_text(OTF2_TimeStamp time, OTF2_ParameterRef parameter, OTF2_StringRef text);
  void add_internal(OTF2_TimeStamp time, std::size_t kind);
  void add_region(OTF2_TimeStamp time, Kind kind, OTF2_RegionRef region);
  /// request: of a non-blocking receive.
  template <Role role>
  void add_message(OTF2_TimeStamp time, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag,
                   std::uint64_t bytes, std::size_t kind, std::optional<std::uint64_t> request = {});
  /// A request of a send or a receive: there is no message.
  void cancel(OTF2_TimeStamp time, std::uint64_t request);
  /// Applies the attributes of a message in an archive that this program wrote.
  void take_attributes(Event& event) const;
  /// True if the meaning of an event of the run may depend on a later one.
  [[nodiscard]] bool still_open() const noexcept;
  void add_begin(OTF2_TimeStamp time, std::int64_t call);
  void add_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root,
               std::uint64_t sent, std::uint64_t received, std::int64_t call);
  /// The communicator of the end of a non-blocking operation.
  [[nodiscard]] CommunicatorIndex requested(std::int64_t call, const Ranks* ranks, OTF2_CommRef communicator);
  void add_end_between_groups(const Ranks& ranks, OTF2_CommRef communicator, std::optional<Operation> operation,
                              std::uint32_t root, bool sent, bool received, std::int64_t call);
  void add_window_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                      std::uint32_t root, std::uint64_t sent, std::uint64_t received);
  [[nodiscard]] static Event end_of(Event event, std::optional<Operation> operation, std::uint32_t root,
                                    std::uint64_t sent, std::uint64_t received) noexcept;
  void put_end(const Event& call, std::optional<Operation> operation, std::uint32_t root, std::uint64_t sent,
               std::uint64_t received);
  /// Under which the location is in the communicator of a window: that of its rank, or its own.
  [[nodiscard]] ProcessIndex member_of(OTF2_RmaWinRef window);
  void add_group_sync(OTF2_TimeStamp time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group);
  /// The same within a call of MPI that names the other processes.
  void add_epoch(OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group);
  /// Adds sends at the time when the current call was entered.
  void insert_sends(std::vector<Event>& sends);
  void pass_epoch(Kind kind, OTF2_RegionRef region);
  void add_sync(OTF2_TimeStamp time, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType type);
  void add_one_sided(OTF2_TimeStamp time, std::size_t kind);
  void add_fork(OTF2_TimeStamp time);
  void add_join(OTF2_TimeStamp time);
  void add_team_begin(OTF2_TimeStamp time, OTF2_CommRef ref);
  void add_team_end(OTF2_TimeStamp time);
  void add_acquire(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                   std::uint32_t order);
  void add_release(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                   std::uint32_t order);
  /// A thread creates another one, or waits for its end.
  void add_thread(OTF2_TimeStamp time, std::size_t kind, Role role, OTF2_CommRef contingent, std::uint64_t sequence,
                  bool end);
  void close() noexcept;

  Archive& archive_;
  Archive::Location& location_;
  ProcessIndex index_;
  ProcessIndex rank_;  ///< the location of its rank, under which its messages and operations count
  bool bodies_;
  NewLines& lines_;
  LocationClock clock_;
  struct Plain : PlainEvents {
    using PlainEvents::PlainEvents;
    AlikeMessages* alike = nullptr;  ///< null: none are known
  };
  std::optional<Plain> plain_;        ///< reads up to the first unexpected record
  OTF2_EvtReader* reader_ = nullptr;  ///< reads the rest
  Run* run_ = nullptr;
  const OTF2_AttributeList* attributes_ = nullptr;  ///< of the current event
  Time now_;                                        ///< time of the current event
  Time before_;                                     ///< time of the event before
  bool far_ = false;                                ///< a time does not fit into 63 bits

  std::optional<RequestOrders::Reader> order_;  ///< where other threads of its process post or request, too
  CollectiveRequests requests_;
  PostedReceives receives_;
  PostedSends sends_;
  WindowCalls window_calls_;

  /// A team of threads that the location is in.
  struct OpenTeam {
    CommunicatorIndex communicator = no_communicator;  ///< no_communicator: no edges
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;    ///< of its barriers
    std::uint32_t barriers = 0;                        ///< regions of barriers that the location is in
    bool master = false;
    bool even = true;  ///< its barriers have edges
  };
  void enter_barrier(OpenTeam& team);
  void leave_barrier(OpenTeam& team);
  std::vector<OpenTeam> teams_;                                        ///< innermost last
  HashMap<OTF2_CommRef, Teams::Member> members_;                       ///< what it is in the teams that it was in
  bool forked_ = false;                                                ///< and not yet in the team
  CommunicatorIndex joins_ = no_communicator;                          ///< left as master and not yet joined
  std::map<std::pair<OTF2_Paradigm, std::uint32_t>, unsigned> locks_;  ///< how often it holds them

  std::exception_ptr fault_;  ///< thrown when everything before it has been delivered
};

[[gnu::always_inline]] inline void EventReader::at(OTF2_TimeStamp time) {
  ++location_.events;
  before_ = now_;
  now_ = archive_.in_trace(clock_.next(static_cast<std::int64_t>(time)));
}

[[gnu::always_inline]] inline Event& EventReader::put() {
  Event& event = run_->events.emplace_back();
  event.time = now_;
  event.process = index_;
  return event;
}

}  // namespace clc::otf2
