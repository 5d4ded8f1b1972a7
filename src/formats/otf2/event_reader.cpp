#include "otf2/event_reader.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "clc/error.hpp"
#include "clc/io/encode.hpp"
#include "otf2/inspect.hpp"
#include "otf2/records.hpp"

namespace clc::otf2 {

namespace {

/// Position of every kind of event in the list of kinds.
enum class EventKind : std::size_t {
#define CLC_NAME(Name) Name,
  CLC_OTF2_EVENTS(CLC_NAME)
#undef CLC_NAME
      unknown,
};

constexpr std::size_t number(EventKind kind) noexcept { return static_cast<std::size_t>(kind); }

/// "MpiIsendComplete" as "MPI_ISEND_COMPLETE", the way otf2-print names events.
std::string words_of(std::string_view name) {
  std::string words;
  for (const char letter : name) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    if (capital && !words.empty()) words += '_';
    words += capital ? letter : static_cast<char>(letter - 'a' + 'A');
  }
  return words;
}

/// What an event of a kind that orders nothing is in the text format: "I MPI_ISEND_COMPLETE".
const std::string& internal_text(std::size_t kind) {
  static const auto texts = [] {
    std::array<std::string, number(EventKind::unknown) + 1> all{{
#define CLC_NAME(Name) "I " + words_of(#Name),
        CLC_OTF2_EVENTS(CLC_NAME)
#undef CLC_NAME
            "I UNKNOWN",
    }};
    return all;
  }();
  return texts[kind];
}

/// nullopt: orders nothing (making and freeing of handles: nobody need wait for anybody).
std::optional<Operation> operation_of(OTF2_CollectiveOp operation) noexcept {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return Operation::barrier;
    case OTF2_COLLECTIVE_OP_BCAST:
      return Operation::bcast;
    case OTF2_COLLECTIVE_OP_GATHER:
      return Operation::gather;
    case OTF2_COLLECTIVE_OP_GATHERV:
      return Operation::gatherv;
    case OTF2_COLLECTIVE_OP_SCATTER:
      return Operation::scatter;
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return Operation::scatterv;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
      return Operation::allgather;
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      return Operation::allgatherv;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
      return Operation::alltoall;
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
      return Operation::alltoallv;
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      return Operation::alltoallw;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      return Operation::allreduce;
    case OTF2_COLLECTIVE_OP_REDUCE:
      return Operation::reduce;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
      return Operation::reduce_scatter;
    case OTF2_COLLECTIVE_OP_SCAN:
      return Operation::scan;
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return Operation::exscan;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return Operation::reduce_scatter_block;
    default:
      return std::nullopt;
  }
}

/// Call ids that no request has.
constexpr std::int64_t window_call = std::numeric_limits<std::int64_t>::min() + 1;
constexpr std::int64_t group_sync_call = window_call + 1;
constexpr std::int64_t between_call = window_call + 2;
constexpr std::int64_t fork_call = window_call + 3;
constexpr std::int64_t join_call = window_call + 4;
constexpr std::int64_t barrier_call = window_call + 5;

/// Apart from notifications, which have 0.
constexpr std::int64_t epoch_tag = 1;

/// 0 is the call id of blocking operations; a request may be any number, a pointer for instance.
std::int64_t call_of(std::uint64_t request) noexcept {
  return static_cast<std::int64_t>(request == ~std::uint64_t{0} ? request : request + 1);
}

}  // namespace

std::string group_line(const Definitions& definitions, const Communicator& communicator) {
  std::string line = "%group " + std::to_string(communicator.number);
  for (const ProcessIndex member : communicator.members)
    line += ' ' + std::to_string(definitions.processes()[member].number);
  if (communicator.min_delay > 0) line += " min-delay=" + std::to_string(communicator.min_delay);
  return line;
}

[[gnu::always_inline]] inline void EventReader::at(OTF2_TimeStamp time) {
  if (time > static_cast<std::uint64_t>(ticks_max)) [[unlikely]] {
    // No exception may pass through libotf2.
    far_ = true;
    time = static_cast<std::uint64_t>(ticks_max);
  }
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

void EventReader::put(const Event& event) {
  Event& kept = run_->events.emplace_back(event);
  kept.time = now_;
  kept.process = index_;
}

/// The callbacks, and one for each kind of event that is internal.
struct EventReader::Callbacks {
  static EventReader& of(void* user, const OTF2_AttributeList* attributes) {
    auto& self = *static_cast<EventReader*>(user);
    self.attributes_ = attributes;
    return self;
  }

  /// An internal event about a request, which may be that of a receive.
  template <EventKind kind, void (EventReader::*tell)(std::uint64_t)>
  static OTF2_CallbackCode receive_request(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                           std::uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                           std::uint64_t request) {
    EventReader& reader = of(user, attributes);
    reader.add_internal(time, number(kind));
    (reader.*tell)(request);
    return OTF2_CALLBACK_SUCCESS;
  }

  /// Passes on that there is an event of a kind, not its fields.
  template <class Signature>
  struct OnlyKind;
  template <class... Fields>
  struct OnlyKind<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                        Fields...)> {
    template <EventKind kind, void (EventReader::*add)(OTF2_TimeStamp, std::size_t)>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                  void* user, OTF2_AttributeList* attributes, Fields... /*fields*/) {
      (of(user, attributes).*add)(time, number(kind));
      return OTF2_CALLBACK_SUCCESS;
    }
  };

  Callbacks() : all(OTF2_EvtReaderCallbacks_New()) {
    OTF2_EvtReaderCallbacks* const to = all.get();
#define CLC_INTERNAL(Name)                     \
  OTF2_EvtReaderCallbacks_Set##Name##Callback( \
      to, &OnlyKind<OTF2_EvtReaderCallback_##Name>::call<EventKind::Name, &EventReader::add_internal>);
    CLC_OTF2_EVENTS(CLC_INTERNAL)
#undef CLC_INTERNAL
    OTF2_EvtReaderCallbacks_SetUnknownCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes) {
          ++of(user, attributes).archive_.unknown_records;
          ++of(user, attributes).location_.unknown;
          of(user, attributes).add_internal(time, number(EventKind::unknown));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetEnterCallback(to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                                    OTF2_AttributeList* attributes, OTF2_RegionRef region) {
      of(user, attributes).add_region(time, Kind::enter, region);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_EvtReaderCallbacks_SetLeaveCallback(to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                                                    OTF2_AttributeList* attributes, OTF2_RegionRef region) {
      of(user, attributes).add_region(time, Kind::leave, region);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_ParameterRef parameter, OTF2_StringRef text) {
          of(user, attributes).add_text(time, parameter, text);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t receiver, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
          of(user, attributes)
              .add_message<Role::send>(time, receiver, communicator, tag, bytes, number(EventKind::MpiSend));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t receiver, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t /*request*/) {
          of(user, attributes)
              .add_message<Role::send>(time, receiver, communicator, tag, bytes, number(EventKind::MpiIsend));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t sender, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
          of(user, attributes)
              .add_message<Role::receive>(time, sender, communicator, tag, bytes, number(EventKind::MpiRecv));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t sender, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t request) {
          of(user, attributes)
              .add_message<Role::receive>(time, sender, communicator, tag, bytes, number(EventKind::MpiIrecv), request);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
        to, &receive_request<EventKind::MpiIrecvRequest, &EventReader::post_receive>);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
        to, &receive_request<EventKind::MpiRequestCancelled, &EventReader::withdraw_receive>);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes) {
          of(user, attributes).add_begin(time, 0);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
               std::uint64_t received) {
          of(user, attributes).add_end(time, operation, communicator, root, sent, received, 0);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint64_t request) {
          of(user, attributes).add_begin(time, call_of(request));
          of(user, attributes).add_request(call_of(request));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
               std::uint64_t received, std::uint64_t request) {
          of(user, attributes).add_end(time, operation, communicator, root, sent, received, call_of(request));
          return OTF2_CALLBACK_SUCCESS;
        });
    set_thread_callbacks(to);
    set_window_callbacks(to);
  }

  static void set_thread_callbacks(OTF2_EvtReaderCallbacks* to) {
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_Paradigm, std::uint32_t) {
          of(user, attributes).add_fork(time);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetThreadJoinCallback(to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                         void* user, OTF2_AttributeList* attributes, OTF2_Paradigm) {
      of(user, attributes).add_join(time);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_CommRef team) {
          of(user, attributes).add_team_begin(time, team);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                            void* user, OTF2_AttributeList* attributes, OTF2_CommRef) {
      of(user, attributes).add_team_end(time);
      return OTF2_CALLBACK_SUCCESS;
    });
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_Paradigm paradigm, std::uint32_t lock, std::uint32_t order) {
          of(user, attributes).add_acquire(time, number(EventKind::ThreadAcquireLock), paradigm, lock, order);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_Paradigm paradigm, std::uint32_t lock, std::uint32_t order) {
          of(user, attributes).add_release(time, number(EventKind::ThreadReleaseLock), paradigm, lock, order);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t lock, std::uint32_t order) {
          of(user, attributes).add_acquire(time, number(EventKind::OmpAcquireLock), OTF2_PARADIGM_OPENMP, lock, order);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t lock, std::uint32_t order) {
          of(user, attributes).add_release(time, number(EventKind::OmpReleaseLock), OTF2_PARADIGM_OPENMP, lock, order);
          return OTF2_CALLBACK_SUCCESS;
        });
#define CLC_THREAD(Name, role, end)                                                                            \
  OTF2_EvtReaderCallbacks_Set##Name##Callback(                                                                 \
      to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes, \
             OTF2_CommRef contingent, std::uint64_t sequence) {                                                \
        of(user, attributes).add_thread(time, number(EventKind::Name), Role::role, contingent, sequence, end); \
        return OTF2_CALLBACK_SUCCESS;                                                                          \
      });
    CLC_THREAD(ThreadCreate, send, false)
    CLC_THREAD(ThreadBegin, receive, false)
    CLC_THREAD(ThreadEnd, send, true)
    CLC_THREAD(ThreadWait, receive, true)
#undef CLC_THREAD
  }

  static void set_window_callbacks(OTF2_EvtReaderCallbacks* to) {
// Only one side is recorded.
#define CLC_ONE_SIDED(Name)                    \
  OTF2_EvtReaderCallbacks_Set##Name##Callback( \
      to, &OnlyKind<OTF2_EvtReaderCallback_##Name>::call<EventKind::Name, &EventReader::add_one_sided>);
    CLC_ONE_SIDED(RmaPut)
    CLC_ONE_SIDED(RmaGet)
    CLC_ONE_SIDED(RmaAtomic)
    CLC_ONE_SIDED(RmaAcquireLock)
    CLC_ONE_SIDED(RmaReleaseLock)
    CLC_ONE_SIDED(RmaWaitChange)
#undef CLC_ONE_SIDED
    OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes) {
          of(user, attributes).add_begin(time, window_call);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, std::uint32_t root,
               std::uint64_t sent, std::uint64_t received) {
          of(user, attributes).add_window_end(time, operation, level, window, root, sent, received);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group) {
          of(user, attributes).add_group_sync(time, level, window, group);
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType type) {
          of(user, attributes).add_sync(time, window, remote, type);
          return OTF2_CALLBACK_SUCCESS;
        });
  }
  Owned<OTF2_EvtReaderCallbacks, OTF2_EvtReaderCallbacks_Delete> all;
};

EventReader::EventReader(Archive& archive, ProcessIndex index, bool bodies, NewLines& lines)
    : archive_(archive),
      location_(archive.locations()[index]),
      index_(index),
      bodies_(bodies),
      lines_(lines),
      clock_(location_.offsets) {
  if (!location_.event_file) return;
  static const Callbacks callbacks;
  const bool opened = archive.readable([&] {
    reader_ = OTF2_Reader_GetEvtReader(archive.reader(), location_.ref);
    if (reader_ == nullptr) fail_input(archive_.name_of(location_), "open its events");
    OTF2_ErrorCode result = OTF2_EvtReader_ApplyClockOffsets(reader_, false);
    if (result == OTF2_SUCCESS)
      result = OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader_, callbacks.all.get(), this);
    if (result == OTF2_SUCCESS) return;
    close();
    fail_input(archive_.name_of(location_), "open its events", result);
  });
  location_.damaged = location_.damaged || !opened;
}

EventReader::~EventReader() { close(); }

void EventReader::close() noexcept {
  if (reader_ != nullptr) OTF2_Reader_CloseEvtReader(archive_.reader(), reader_);
  reader_ = nullptr;
}

bool EventReader::read(std::size_t count, Run& run) {
  run.clear();
  run_ = &run;
  for (Posted& posted : posted_) posted.place.reset();
  epoch_place_ = 0;
  if (fault_) std::rethrow_exception(fault_);
  if (reader_ == nullptr) return false;
  bool more = read_on(count);
  // What completed ahead of an earlier request or receive waits for that, and the begin of a call for what it tells;
  // not long, because some are never completed.
  constexpr std::size_t step = 64;
  constexpr std::size_t most = 4096;
  for (std::size_t further = 0; more && further < most && still_open(); further += step) more = read_on(step);
  while (unsettled_ > 0) {
    if (!requests_.front().completed) requests_.pop_front();
    settle_requests();
  }
  if (std::exchange(overtaken_, false) && bodies_) run.encode_overtaking();
  return more || !run.events.empty();
}

bool EventReader::read_on(std::size_t count) {
  std::uint64_t got = 0;
  if (location_.before_cut) count = std::min<std::size_t>(count, *location_.before_cut - location_.events);
  const OTF2_ErrorCode result =
      count == 0 ? OTF2_SUCCESS : OTF2_Reader_ReadLocalEvents(archive_.reader(), reader_, count, &got);
  archive_.rethrow();
  const bool cut = location_.before_cut && location_.events >= *location_.before_cut;
  if (far_ || cut || result != OTF2_SUCCESS) {
    const std::string name = archive_.name_of(location_);
    try {
      if (far_)
        throw InputError(name + ": found a time beyond 2^63 ticks, expected times below it; the archive is damaged");
      fail_input(name, "read its event " + std::to_string(location_.events), cut ? cut_off : result);
    } catch (const InputError&) {
      if (archive_.keep_going()) {
        static_cast<void>(archive_.readable([] { throw; }));
        location_.damaged = true;
        close();
        return false;
      }
      if (far_ || run_->events.empty()) throw;
      fault_ = std::current_exception();
      return false;
    }
  }
  // libotf2 must not be asked again behind the end.
  if (got == count) return true;
  archive_.moved += clock_.moved();
  if (location_.unknown > 0)
    collect_kinds(archive_.file_of(location_, ".evt"), archive_.layout(), Part::events, number(EventKind::unknown),
                  archive_.unknown_kinds);
  if (location_.events != location_.events_defined && !location_.damaged) ++archive_.wrong_counts;
  close();
  return false;
}

void EventReader::add(Kind kind, Event event) {
  event.role = kind == Kind::send               ? Role::send
               : kind == Kind::receive          ? Role::receive
               : kind == Kind::collective_begin ? Role::collective_begin
                                                : Role::collective_end;
  location_.communicates = true;
  put(event);
  run_->added.resize(run_->events.size());
  run_->added.back() = 1;
  if (!bodies_) return;
  encode_body({kind, event, {}, {}}, run_->bytes);
  run_->ends.push_back(run_->bytes.size());
}

void EventReader::add_call_begin(std::int64_t call) {
  Event event;
  event.tag = call;
  add(Kind::collective_begin, event);
}

void EventReader::add_call_end(std::int64_t call, Operation operation, CommunicatorIndex communicator,
                               std::uint64_t sent, std::uint64_t received) {
  Event event;
  event.tag = call;
  event.operation = operation;
  event.communicator = communicator;
  event.root = info(operation).rooted ? 0 : no_rank;
  event.bytes = sent;
  event.received = received;
  add(Kind::collective_end, event);
}

void EventReader::drop_call(std::int64_t call) {
  add_call_end(call, Operation::barrier, archive_.self_communicator(OTF2_UNDEFINED_COMM, index_, lines_), 0, 0);
}

void EventReader::add_body(Record record) {
  if (!bodies_) return;
  const Archive::Own& own = archive_.own();
  if (own.attributes) {
    OTF2_StringRef fields = 0;
    std::int64_t recorded = 0;
    if (OTF2_AttributeList_TestAttributeByID(attributes_, own.fields) &&
        OTF2_AttributeList_GetStringRef(attributes_, own.fields, &fields) == OTF2_SUCCESS)
      record.text = archive_.text(fields);
    if (OTF2_AttributeList_TestAttributeByID(attributes_, own.recorded) &&
        OTF2_AttributeList_GetInt64(attributes_, own.recorded, &recorded) == OTF2_SUCCESS)
      record.recorded = archive_.in_trace(recorded);
  }
  encode_body(record, run_->bytes);
  run_->ends.push_back(run_->bytes.size());
}

void EventReader::add_internal(OTF2_TimeStamp time, std::size_t kind) {
  at(time);
  put_internal(kind);
}

void EventReader::put_internal(std::size_t kind) {
  put();
  if (bodies_) add_body({Kind::other, {}, internal_text(kind), {}});
}

void EventReader::add_text(OTF2_TimeStamp time, OTF2_ParameterRef parameter, OTF2_StringRef text) {
  const OTF2_ParameterRef record = archive_.own().record;
  if (record == OTF2_UNDEFINED_PARAMETER || parameter != record)
    return add_internal(time, number(EventKind::ParameterString));
  at(time);
  put();
  if (bodies_) add_body({Kind::other, {}, archive_.text(text), {}});
}

void EventReader::add_region(OTF2_TimeStamp time, Kind kind, OTF2_RegionRef region) {
  at(time);
  const bool barrier =
      !teams_.empty() && teams_.back().communicator != no_communicator && archive_.is_thread_barrier(region);
  if (barrier && kind == Kind::leave && barriers_ > 0 && --barriers_ == 0)
    add_call_end(barrier_call, Operation::barrier, teams_.back().communicator, 0, 0);
  if (epoch_ != Archive::Epoch::none) [[unlikely]]
    leave_epoch();
  put();
  if (bodies_) add_body({kind, {}, archive_.region(region), {}});
  if (archive_.has_epochs() && kind == Kind::enter) [[unlikely]] {
    epoch_ = archive_.epoch(region);
    epoch_place_ = run_->events.size();
  }
  if (barrier && kind == Kind::enter && ++barriers_ == 1) add_call_begin(barrier_call);
}

template <Role role>
[[gnu::always_inline]] inline void EventReader::add_message(OTF2_TimeStamp time, std::uint32_t rank,
                                                            OTF2_CommRef communicator, std::uint32_t tag,
                                                            std::uint64_t bytes, std::size_t kind,
                                                            std::optional<std::uint64_t> request) {
  ProcessIndex peer = no_process;
  CommunicatorIndex index = no_communicator;
  if (const Archive::Ranks* const ranks = archive_.ranks(communicator); ranks != nullptr) [[likely]] {
    if (ranks->kind == Archive::Ranks::Kind::self) [[unlikely]] {
      peer = index_;
      index = archive_.self_communicator(communicator, index_, lines_);
    } else {
      const std::vector<ProcessIndex>& peers = peers_of(*ranks);
      index = ranks->index;
      if (rank < peers.size()) peer = peers[rank];
    }
  }
  if (peer == no_process) [[unlikely]] {
    const bool unnamed = archive_.own().peers && rank == OTF2_UNDEFINED_UINT32 && index != no_communicator;
    if (!unnamed) {
      ++archive_.unknown_communicators;
      add_internal(time, kind);
      if (request) withdraw_receive(*request);
      return;
    }
  }
  location_.communicates = true;
  at(time);
  Event& event = put();
  event.role = role;
  event.peer = peer;
  event.communicator = index;
  event.tag = tag;
  event.bytes = bytes;
  if (archive_.own().attributes) [[unlikely]]
    take_attributes(event);
  if (bodies_) add_body({role == Role::send ? Kind::send : Kind::receive, event, {}, {}});
  if (role == Role::receive && !posted_.empty()) end_receive(request);
}

const std::vector<ProcessIndex>& EventReader::peers_of(const Archive::Ranks& ranks) const {
  if (ranks.kind != Archive::Ranks::Kind::inter) [[likely]]
    return ranks.group;
  // On an inter-communicator, ranks are those of the other group.
  const bool in_first = std::find(ranks.group.begin(), ranks.group.end(), index_) != ranks.group.end();
  return in_first ? ranks.remote : ranks.group;
}

void EventReader::take_attributes(Event& event) const {
  const Archive::Own& own = archive_.own();
  if (OTF2_AttributeList_TestAttributeByID(attributes_, own.tag))
    static_cast<void>(OTF2_AttributeList_GetInt64(attributes_, own.tag, &event.tag));
  if (OTF2_AttributeList_TestAttributeByID(attributes_, own.overtakes))
    static_cast<void>(OTF2_AttributeList_GetUint16(attributes_, own.overtakes, &event.overtakes));
}

// ---- non-blocking receives ---------------------------------------------------------------------

void EventReader::post_receive(std::uint64_t request) {
  withdraw_receive(request);  // a number may be used again, also when its receive has never ended
  posted_.push_back({request});
  drop_posted();
}

std::deque<EventReader::Posted>::iterator EventReader::find_posted(std::uint64_t request) {
  return std::find_if(posted_.begin(), posted_.end(),
                      [&](const Posted& posted) { return posted.request == request && !posted.ended; });
}

void EventReader::drop_posted() noexcept {
  constexpr std::size_t most = 1024;  // so far is looked back
  if (posted_.size() > most) posted_.pop_front();
  while (!posted_.empty() && posted_.front().ended) posted_.pop_front();
}

void EventReader::withdraw_receive(std::uint64_t request) {
  const auto found = find_posted(request);
  if (found == posted_.end()) return;
  posted_.erase(found);
  drop_posted();
}

void EventReader::end_receive(std::optional<std::uint64_t> request) {
  auto own = request ? find_posted(*request) : posted_.end();
  // Others are posted behind all that were posted before.
  if (own == posted_.end()) own = posted_.insert(own, Posted{});
  const Event& event = run_->events.back();
  *own = {own->request, true, run_->events.size() - 1, event.peer, event.communicator, event.tag};
  for (auto later = std::next(own); later != posted_.end(); ++later) {
    if (!later->ended || later->sender != own->sender || later->communicator != own->communicator ||
        later->tag != own->tag)
      continue;
    if (later->place) {
      std::uint16_t& overtakes = run_->events[*later->place].overtakes;
      if (overtakes < most_overtaken) ++overtakes;
      overtaken_ = true;
    } else {
      ++archive_.late_receives;
    }
  }
  drop_posted();
}

bool EventReader::still_open() const noexcept {
  return unsettled_ > 0 || epoch_ == Archive::Epoch::access_end ||
         std::any_of(posted_.begin(), posted_.end(), [](const Posted& posted) { return posted.place.has_value(); });
}

void EventReader::add_begin(OTF2_TimeStamp time, std::int64_t call) {
  Event event;
  event.role = Role::collective_begin;
  event.tag = call;
  location_.communicates = true;
  take(time, event);
  if (bodies_) add_body({Kind::collective_begin, event, {}, {}});
}

void EventReader::add_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
                          std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::int64_t call) {
  at(time);
  const Archive::Ranks* const ranks = archive_.ranks(communicator);
  std::optional<Operation> known = operation_of(operation);
  if (operation > OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE) [[unlikely]]
    ++archive_.unknown_operations;
  if (ranks != nullptr && ranks->kind == Archive::Ranks::Kind::inter)
    return add_end_between_groups(*ranks, communicator, known, root, sent > 0, received > 0, call);
  Event event;
  event.tag = call;
  if (ranks == nullptr) [[unlikely]]
    ++archive_.unknown_communicators;
  // Alone: the end must have a begin, but orders nothing.
  if (ranks == nullptr || ranks->kind == Archive::Ranks::Kind::self)
    event.communicator = archive_.self_communicator(communicator, index_, lines_);
  else
    event.communicator = call == 0 || archive_.own().peers ? ranks->index : complete(call, communicator);
  put_end(event, known, root, sent, received);
}

void EventReader::put_end(Event event, std::optional<Operation> operation, std::uint32_t root, std::uint64_t sent,
                          std::uint64_t received) {
  event.role = Role::collective_end;
  if (operation) {
    event.operation = *operation;
    event.root = info(*operation).rooted ? root : no_rank;
    event.bytes = sent;
    event.received = received;
  } else {
    // Nobody sends, nobody receives: orders nothing, and every member still counts its call.
    event.operation = Operation::alltoall;
  }
  put(event);
  if (bodies_) add_body({Kind::collective_end, event, {}, {}});
}

// ---- non-blocking collective operations --------------------------------------------------------

void EventReader::add_request(std::int64_t call) {
  if (archive_.own().peers) return;
  // A number may be used again, also when its operation was never completed.
  const auto same = std::find_if(requests_.begin(), requests_.end(),
                                 [&](const Request& request) { return request.call == call && !request.completed; });
  if (same != requests_.end()) requests_.erase(same);
  requests_.push_back({call});
}

CommunicatorIndex EventReader::next_operation(OTF2_CommRef communicator) {
  return archive_.request_communicator(communicator, operations_[communicator]++, lines_);
}

CommunicatorIndex EventReader::complete(std::int64_t call, OTF2_CommRef communicator) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const Request& request) { return request.call == call && !request.completed; });
  if (found == requests_.end()) return next_operation(communicator);
  if (found == requests_.begin()) {
    requests_.pop_front();
    const CommunicatorIndex numbered = next_operation(communicator);
    settle_requests();
    return numbered;
  }
  found->completed = true;
  found->communicator = communicator;
  found->place = run_->events.size();
  ++unsettled_;
  return archive_.ranks(communicator)->index;
}

void EventReader::settle_requests() {
  for (; !requests_.empty() && requests_.front().completed; requests_.pop_front(), --unsettled_) {
    const Request& request = requests_.front();
    Event& event = run_->events[request.place];
    event.communicator = next_operation(request.communicator);
    if (!bodies_) continue;
    std::string body;
    run_->replace_body(request.place, encode_body({Kind::collective_end, event, {}, {}}, body));
  }
}

// Between two groups data flows from one to the other and back, never within a group: two operations, one for each
// direction, in which the higher ranks wait for the lower ones. Who only receives begins when it ends, so one begin is
// enough.
void EventReader::add_end_between_groups(const Archive::Ranks& ranks, OTF2_CommRef communicator,
                                         std::optional<Operation> operation, std::uint32_t root, bool sent,
                                         bool received, std::int64_t call) {
  if (operation) {
    const bool other_group_has_root = root < OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    const bool is_root = root == OTF2_COLLECTIVE_ROOT_SELF;
    switch (info(*operation).kind) {
      case CollectiveClass::one_to_n:
        sent = is_root;
        received = other_group_has_root;
        break;
      case CollectiveClass::n_to_one:
        sent = other_group_has_root;
        received = is_root;
        break;
      case CollectiveClass::n_to_n:
        if (*operation == Operation::barrier) sent = received = true;
        break;
      case CollectiveClass::prefix:
        operation.reset();
        break;
    }
  }
  const bool first = std::find(ranks.group.begin(), ranks.group.end(), index_) != ranks.group.end();
  add_call_end(call, Operation::scan, archive_.direction_communicator(communicator, first, lines_),
               operation && sent ? 1 : 0, 0);
  add_call_begin(between_call);
  Event event;
  event.tag = between_call;
  event.communicator = archive_.direction_communicator(communicator, !first, lines_);
  put_end(event, Operation::scan, OTF2_UNDEFINED_UINT32, 0, operation && received ? 1 : 0);
}

// ---- one-sided communication ------------------------------------------------------------------

void EventReader::add_window_end(OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
                                 OTF2_RmaWinRef window, std::uint32_t root, std::uint64_t sent,
                                 std::uint64_t received) {
  at(time);
  std::optional<Operation> known = operation_of(operation);
  if ((level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0) known.reset();
  Event event;
  event.tag = window_call;
  event.communicator = archive_.window_communicator(window, lines_);
  if (event.communicator == no_communicator) {
    archive_.unknown_communicators += known ? 1U : 0U;
    event.communicator = archive_.self_communicator(OTF2_UNDEFINED_COMM, index_, lines_);
  }
  put_end(event, known, root, sent, received);
}

void EventReader::add_group_sync(OTF2_TimeStamp time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                 OTF2_GroupRef group) {
  const bool first = location_.events == 0;
  at(time);
  if (epoch_ != Archive::Epoch::none) return add_epoch(level, window, group);
  const CommunicatorIndex communicator = (level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0
                                             ? no_communicator
                                             : archive_.group_communicator(window, group, index_, lines_);
  if (communicator != no_communicator) {
    // When it began is not recorded, but not before the event ahead of it.
    const Time now = std::exchange(now_, first ? now_ : before_);
    add_call_begin(group_sync_call);
    now_ = now;
    add_call_end(group_sync_call, Operation::barrier, communicator, 0, 0);
  } else {
    ++archive_.one_sided;
  }
  put_internal(number(EventKind::RmaGroupSync));
}

// The others have completed their accesses before MPI_Win_wait ends. MPI_Win_start and complete need not wait for
// MPI_Win_post.
void EventReader::add_epoch(OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group) {
  const std::vector<ProcessIndex>* const others = archive_.window_group(group);
  Event event;
  event.communicator = archive_.window_communicator(window, lines_);
  event.tag = epoch_tag;
  if (epoch_ == Archive::Epoch::begin || (level & OTF2_RMA_SYNC_LEVEL_PROCESS) == 0 || others == nullptr ||
      event.communicator == no_communicator) {
    ++archive_.one_sided;
  } else {
    for (const ProcessIndex other : *others) {
      event.peer = other;
      if (other == index_) continue;
      if (epoch_ == Archive::Epoch::access_end)
        insert_send(event);
      else
        awaited_.push_back(event);
    }
  }
  put_internal(number(EventKind::RmaGroupSync));
}

void EventReader::insert_send(Event event) {
  std::vector<Event>& events = run_->events;
  event.role = Role::send;
  event.process = index_;
  event.time = events.empty() ? now_ : events[epoch_place_ == 0 ? 0 : epoch_place_ - 1].time;
  location_.communicates = true;
  std::string body;
  if (bodies_) encode_body({Kind::send, event, {}, {}}, body);
  run_->insert_added(epoch_place_, event, body, bodies_);
  for (Posted& posted : posted_)
    if (posted.place && *posted.place >= epoch_place_) ++*posted.place;
  for (Request& request : requests_)
    if (request.completed && request.place >= epoch_place_) ++request.place;
}

void EventReader::leave_epoch() {
  for (const Event& event : awaited_) add(Kind::receive, event);
  awaited_.clear();
  epoch_ = Archive::Epoch::none;
}

void EventReader::add_sync(OTF2_TimeStamp time, OTF2_RmaWinRef window, std::uint32_t remote, OTF2_RmaSyncType type) {
  at(time);
  Event event;
  event.peer = archive_.window_rank(window, remote);
  if (event.peer == no_process || (type != OTF2_RMA_SYNC_TYPE_NOTIFY_IN && type != OTF2_RMA_SYNC_TYPE_NOTIFY_OUT)) {
    ++archive_.one_sided;
    return put_internal(number(EventKind::RmaSync));
  }
  event.communicator = archive_.window_communicator(window, lines_);
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_IN) add(Kind::receive, event);
  put_internal(number(EventKind::RmaSync));
  if (type == OTF2_RMA_SYNC_TYPE_NOTIFY_OUT) add(Kind::send, event);
}

void EventReader::add_one_sided(OTF2_TimeStamp time, std::size_t kind) {
  ++archive_.one_sided;
  add_internal(time, kind);
}

// ---- threads ----------------------------------------------------------------------------------

void EventReader::add_fork(OTF2_TimeStamp time) {
  add_internal(time, number(EventKind::ThreadFork));
  if (archive_.teams().empty()) return;
  if (!forked_) add_call_begin(fork_call);
  forked_ = true;
}

void EventReader::add_team_begin(OTF2_TimeStamp time, OTF2_CommRef ref) {
  at(time);
  OpenTeam open{no_communicator, forked_};
  if (const Teams::Team* const team = archive_.teams().find(ref)) {
    const auto [entry, fresh] = members_.try_emplace(ref);
    if (fresh) {
      const auto place = std::find(team->members.begin(), team->members.end(), index_);
      if (place != team->members.end())
        entry->second = Teams::Member(*team, static_cast<Rank>(place - team->members.begin()));
    }
    const std::uint32_t size = entry->second.next();
    if (size > 1) open.communicator = archive_.team_communicator(ref, size, lines_);
    if (size == 0) ++archive_.outside_teams;
  }
  if (open.communicator != no_communicator) {
    if (!forked_) add_call_begin(fork_call);
    add_call_end(fork_call, Operation::bcast, open.communicator, forked_ ? 1 : 0, forked_ ? 0 : 1);
  } else if (forked_) {
    drop_call(fork_call);
  }
  forked_ = false;
  barriers_ = 0;
  teams_.push_back(open);
  put_internal(number(EventKind::ThreadTeamBegin));
}

void EventReader::add_team_end(OTF2_TimeStamp time) {
  add_internal(time, number(EventKind::ThreadTeamEnd));
  if (teams_.empty()) return;
  const OpenTeam left = teams_.back();
  teams_.pop_back();
  barriers_ = 0;
  if (left.communicator == no_communicator) return;
  add_call_begin(join_call);
  if (left.master)
    joins_ = left.communicator;
  else
    add_call_end(join_call, Operation::gather, left.communicator, 1, 0);
}

void EventReader::add_join(OTF2_TimeStamp time) {
  at(time);
  if (std::exchange(forked_, false)) drop_call(fork_call);
  if (joins_ != no_communicator)
    add_call_end(join_call, Operation::gather, std::exchange(joins_, no_communicator), 0, 1);
  put_internal(number(EventKind::ThreadJoin));
}

namespace {

/// What the holder of that number waits for.
std::int64_t lock_tag(std::uint32_t lock, std::uint32_t order) noexcept {
  return static_cast<std::int64_t>(std::uint64_t{lock} << 32U | order);
}

}  // namespace

void EventReader::add_acquire(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                              std::uint32_t order) {
  at(time);
  // The first holder, number 0 or 1, gets it from nobody; who has it already does not wait.
  if (archive_.thread_delay() > 0 && location_.threads > 1 && locks_[{paradigm, lock}]++ == 0 && order > 1) {
    Event event;
    event.communicator = archive_.lock_communicator(location_.group, paradigm, lines_);
    event.tag = lock_tag(lock, order);
    add(Kind::receive, event);
  }
  put_internal(kind);
}

void EventReader::add_release(OTF2_TimeStamp time, std::size_t kind, OTF2_Paradigm paradigm, std::uint32_t lock,
                              std::uint32_t order) {
  add_internal(time, kind);
  if (archive_.thread_delay() == 0 || location_.threads < 2) return;
  const auto held = locks_.find({paradigm, lock});
  if (held != locks_.end()) {
    if (--held->second > 0) return;
    locks_.erase(held);
  }
  Event event;
  event.communicator = archive_.lock_communicator(location_.group, paradigm, lines_);
  event.tag = lock_tag(lock, order + 1);
  add(Kind::send, event);
}

void EventReader::add_thread(OTF2_TimeStamp time, std::size_t kind, Role role, OTF2_CommRef contingent,
                             std::uint64_t sequence, bool end) {
  at(time);
  const Archive::Ranks* const ranks = archive_.ranks(contingent);
  const bool orders =
      archive_.thread_delay() > 0 && ranks != nullptr && ranks->threads && sequence != OTF2_UNDEFINED_UINT64;
  Event event;
  if (orders) {
    event.communicator = ranks->index;
    event.tag = static_cast<std::int64_t>(2 * sequence + (end ? 1 : 0));
    if (role == Role::receive) add(Kind::receive, event);
  }
  put_internal(kind);
  if (orders && role == Role::send) add(Kind::send, event);
}

}  // namespace clc::otf2
