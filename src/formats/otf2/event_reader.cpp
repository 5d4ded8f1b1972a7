#include "otf2/event_reader.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "clc/error.hpp"
#include "clc/io/encode.hpp"
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

/// The callbacks, and one for each kind of event that is internal.
struct EventReader::Callbacks {
  static EventReader& of(void* user, const OTF2_AttributeList* attributes) {
    auto& self = *static_cast<EventReader*>(user);
    self.attributes_ = attributes;
    return self;
  }

  template <class Signature>
  struct Internal;
  template <class... Fields>
  struct Internal<OTF2_CallbackCode (*)(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, OTF2_AttributeList*,
                                        Fields...)> {
    template <EventKind kind>
    static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time, std::uint64_t /*position*/,
                                  void* user, OTF2_AttributeList* attributes, Fields... /*fields*/) {
      of(user, attributes).add_internal(time, number(kind));
      return OTF2_CALLBACK_SUCCESS;
    }
  };

  Callbacks() : all(OTF2_EvtReaderCallbacks_New()) {
    OTF2_EvtReaderCallbacks* const to = all.get();
#define CLC_INTERNAL(Name) \
  OTF2_EvtReaderCallbacks_Set##Name##Callback(to, &Internal<OTF2_EvtReaderCallback_##Name>::call<EventKind::Name>);
    CLC_OTF2_EVENTS(CLC_INTERNAL)
#undef CLC_INTERNAL
    OTF2_EvtReaderCallbacks_SetUnknownCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes) {
          ++of(user, attributes).archive_.unknown_records;
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
              .add_message(time, Role::send, receiver, communicator, tag, bytes, number(EventKind::MpiSend));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t receiver, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t /*request*/) {
          of(user, attributes)
              .add_message(time, Role::send, receiver, communicator, tag, bytes, number(EventKind::MpiIsend));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t sender, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
          of(user, attributes)
              .add_message(time, Role::receive, sender, communicator, tag, bytes, number(EventKind::MpiRecv));
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               std::uint32_t sender, OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
               std::uint64_t /*request*/) {
          of(user, attributes)
              .add_message(time, Role::receive, sender, communicator, tag, bytes, number(EventKind::MpiIrecv));
          return OTF2_CALLBACK_SUCCESS;
        });
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
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        to, [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user, OTF2_AttributeList* attributes,
               OTF2_CollectiveOp operation, OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
               std::uint64_t received, std::uint64_t request) {
          of(user, attributes).add_end(time, operation, communicator, root, sent, received, call_of(request));
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
  reader_ = OTF2_Reader_GetEvtReader(archive.reader(), location_.ref);
  if (reader_ == nullptr) fail_input(archive_.name_of(location_), "open its events");
  OTF2_ErrorCode result = OTF2_EvtReader_ApplyClockOffsets(reader_, false);
  if (result == OTF2_SUCCESS)
    result = OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader_, callbacks.all.get(), this);
  if (result == OTF2_SUCCESS) return;
  close();
  fail_input(archive_.name_of(location_), "open its events", result);
}

EventReader::~EventReader() { close(); }

void EventReader::close() noexcept {
  if (reader_ != nullptr) OTF2_Reader_CloseEvtReader(archive_.reader(), reader_);
  reader_ = nullptr;
}

bool EventReader::read(std::size_t count, Run& run) {
  run.clear();
  run_ = &run;
  if (fault_) std::rethrow_exception(fault_);
  if (reader_ == nullptr) return false;
  std::uint64_t got = 0;
  const OTF2_ErrorCode result = OTF2_Reader_ReadLocalEvents(archive_.reader(), reader_, count, &got);
  location_.events += run.events.size();
  if (far_)
    throw InputError(archive_.name_of(location_) + ": found a time beyond 2^63 ticks, expected times below it; the " +
                     "archive is damaged");
  if (result != OTF2_SUCCESS) {
    try {
      fail_input(archive_.name_of(location_), "read its event " + std::to_string(location_.events), result);
    } catch (const InputError&) {
      if (run.events.empty()) throw;
      fault_ = std::current_exception();
      return true;
    }
  }
  // libotf2 must not be asked again behind the end.
  if (got == count) return true;
  archive_.moved += clock_.moved();
  if (location_.events != location_.events_defined) ++archive_.wrong_counts;
  close();
  return !run.events.empty();
}

void EventReader::take(OTF2_TimeStamp time, Event& event) {
  if (time > static_cast<std::uint64_t>(ticks_max)) [[unlikely]] {
    // No exception may pass through libotf2.
    far_ = true;
    time = static_cast<std::uint64_t>(ticks_max);
  }
  event.time = archive_.in_trace(clock_.next(static_cast<std::int64_t>(time)));
  event.process = index_;
  run_->events.push_back(event);
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
  Event event;
  take(time, event);
  if (bodies_) add_body({Kind::other, {}, internal_text(kind), {}});
}

void EventReader::add_text(OTF2_TimeStamp time, OTF2_ParameterRef parameter, OTF2_StringRef text) {
  const OTF2_ParameterRef record = archive_.own().record;
  if (record == OTF2_UNDEFINED_PARAMETER || parameter != record)
    return add_internal(time, number(EventKind::ParameterString));
  Event event;
  take(time, event);
  if (bodies_) add_body({Kind::other, {}, archive_.text(text), {}});
}

void EventReader::add_region(OTF2_TimeStamp time, Kind kind, OTF2_RegionRef region) {
  Event event;
  take(time, event);
  if (bodies_) add_body({kind, {}, archive_.region(region), {}});
}

void EventReader::add_message(OTF2_TimeStamp time, Role role, std::uint32_t rank, OTF2_CommRef communicator,
                              std::uint32_t tag, std::uint64_t bytes, std::size_t kind) {
  Event event;
  event.role = role;
  event.tag = tag;
  if (archive_.own().attributes && OTF2_AttributeList_TestAttributeByID(attributes_, archive_.own().tag))
    static_cast<void>(OTF2_AttributeList_GetInt64(attributes_, archive_.own().tag, &event.tag));
  event.bytes = bytes;
  const Archive::Ranks* const ranks = archive_.ranks(communicator);
  if (ranks != nullptr && ranks->kind == Archive::Ranks::Kind::self) {
    bool fresh = false;
    event.peer = index_;
    event.communicator = archive_.self_communicator(communicator, index_, fresh);
    if (fresh)
      lines_.push_back(group_line(archive_.definitions(), archive_.definitions().communicators()[event.communicator]));
  } else if (ranks != nullptr) {
    // On an inter-communicator, ranks are those of the other group.
    const bool in_first = ranks->kind == Archive::Ranks::Kind::inter &&
                          std::find(ranks->group.begin(), ranks->group.end(), index_) != ranks->group.end();
    const std::vector<ProcessIndex>& peers = in_first ? ranks->remote : ranks->group;
    event.communicator = ranks->index;
    if (rank < peers.size()) event.peer = peers[rank];
  }
  const bool unnamed = archive_.own().peers && rank == OTF2_UNDEFINED_UINT32 && event.communicator != no_communicator;
  if (event.peer == no_process && !unnamed) [[unlikely]] {
    ++archive_.unknown_communicators;
    add_internal(time, kind);
    return;
  }
  location_.communicates = true;
  take(time, event);
  if (bodies_) add_body({role == Role::send ? Kind::send : Kind::receive, event, {}, {}});
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
  Event event;
  event.role = Role::collective_end;
  event.tag = call;
  const Archive::Ranks* const ranks = archive_.ranks(communicator);
  std::optional<Operation> known = operation_of(operation);
  if (ranks == nullptr) [[unlikely]]
    ++archive_.unknown_communicators;
  if (ranks == nullptr || ranks->kind == Archive::Ranks::Kind::self) {
    // Alone: the end must have a begin, but orders nothing.
    bool fresh = false;
    event.communicator = archive_.self_communicator(communicator, index_, fresh);
    if (fresh)
      lines_.push_back(group_line(archive_.definitions(), archive_.definitions().communicators()[event.communicator]));
  } else {
    event.communicator = ranks->index;
    if (ranks->kind == Archive::Ranks::Kind::inter) {
      // Data flows between the groups only, in ways that the record does not tell.
      ++archive_.between_groups;
      known.reset();
    }
  }
  if (known) {
    event.operation = *known;
    event.root = info(*known).rooted ? root : no_rank;
    event.bytes = sent;
    event.received = received;
  } else {
    // Nobody sends, nobody receives: orders nothing, and every member still counts its call.
    event.operation = Operation::alltoall;
  }
  take(time, event);
  if (bodies_) add_body({Kind::collective_end, event, {}, {}});
}

}  // namespace clc::otf2
