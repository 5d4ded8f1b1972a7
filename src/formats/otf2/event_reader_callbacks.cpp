// Where events come from: straight from the file, then from libotf2. For each kind of event both call the same
// function.
#include "otf2/chunks.hpp"
#include "otf2/event_calls.hpp"
#include "otf2/event_reader.hpp"

namespace clc::otf2 {

template <Role role>
[[gnu::always_inline]] inline void EventReader::add_message(OTF2_TimeStamp time, std::uint32_t rank,
                                                            OTF2_CommRef communicator, std::uint32_t tag,
                                                            std::uint64_t bytes, std::size_t kind,
                                                            std::optional<std::uint64_t> request) {
  ProcessIndex own = index_;
  ProcessIndex peer = no_process;
  // One for each record, also where the message is ignored.
  const std::uint16_t overtakes = role == Role::receive && order_ ? order_->next_receive() : std::uint16_t{0};
  CommunicatorIndex index = no_communicator;
  if (const Ranks* const ranks = archive_.communicators().ranks(communicator); ranks != nullptr) [[likely]] {
    own = ranks->threads ? index_ : rank_;
    if (ranks->kind == Ranks::Kind::self) [[unlikely]] {
      peer = own;
      index = archive_.communicators().self(communicator, own, lines_);
    } else {
      const std::span<const ProcessIndex> peers = ranks->peers_of(own);
      index = ranks->index;
      if (rank < peers.size()) peer = peers[rank];
    }
  }
  if (peer == no_process) [[unlikely]] {
    const bool unnamed = archive_.own().peers && rank == OTF2_UNDEFINED_UINT32 && index != no_communicator;
    if (!unnamed) {
      ++archive_.oddities.unknown_communicators;
      add_internal(time, kind);
      if (request) receives_.withdraw(*request);
      return;
    }
  }
  location_.communicates = true;
  at(time);
  Event message{
      .time = now_, .process = index_, .role = role, .peer = peer, .communicator = index, .tag = tag, .bytes = bytes};
  message.overtakes = overtakes;
  if (own != index_) [[unlikely]]
    return add_message_of_rank(role, kind, message);
  Event& event = run_->events.emplace_back(message);
  if (archive_.own().attributes) [[unlikely]]
    take_attributes(event);
  if (bodies_) add_body({role == Role::send ? Kind::send : Kind::receive, event, {}, {}});
  if (role == Role::receive && !receives_.empty()) archive_.oddities.late_receives += receives_.end(request, *run_);
}

/// The thread's own event, in which nothing is ordered: behind the receive, ahead of the send.
void EventReader::add_message_of_rank(Role role, std::size_t kind, Event event) {
  if (archive_.own().attributes) take_attributes(event);
  if (role == Role::receive) add_of_rank(Kind::receive, event);
  put_internal(kind);
  if (role == Role::send) add_of_rank(Kind::send, event);
}

struct EventReader::Callbacks : EventCalls<EventReader> {
  /// Passes on that there is an event of a kind, not its fields.
  template <EventKind kind, void (EventReader::*add)(OTF2_TimeStamp, std::size_t), class Callback>
  void set_kind(OTF2_ErrorCode (*setter)(OTF2_EvtReaderCallbacks*, Callback)) {
    set<kind>(setter,
              [](EventReader& reader, OTF2_TimeStamp time, auto... /*fields*/) { (reader.*add)(time, number(kind)); });
  }

  /// request: of non-blocking ones.
  template <EventKind kind, Role role>
  struct AddMessage {
    template <class... Request>
    [[gnu::always_inline]] void operator()(EventReader& reader, OTF2_TimeStamp time, std::uint32_t rank,
                                           OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes,
                                           [[maybe_unused]] Request... request) const {
      if constexpr (role == Role::send) reader.add_message<role>(time, rank, communicator, tag, bytes, number(kind));
      if constexpr (kind == EventKind::MpiIsend) reader.sends_.post(request..., reader.run_->events.size() - 1);
      if constexpr (role == Role::receive)
        reader.add_message<role>(time, rank, communicator, tag, bytes, number(kind), request...);
    }
  };
  template <EventKind kind, Role role, class Callback>
  void set_message(OTF2_ErrorCode (*setter)(OTF2_EvtReaderCallbacks*, Callback)) {
    set<kind, Mapped<1, OTF2_MAPPING_COMM>>(setter, AddMessage<kind, role>());
  }

  // Those with lists.
  static bool metric(EventReader& reader, OTF2_TimeStamp time, const char* begin, const char* end) {
    PackedFields packed(begin, end);
    static_cast<void>(packed.next32());
    const std::uint8_t count = packed.byte();
    for (std::uint8_t i = 0; i < count && packed.valid(); ++i) {
      packed.skip(1);  // its type
      static_cast<void>(packed.next64());
    }
    if (!packed.valid()) return false;
    of(&reader, nullptr).add_internal(time, number(EventKind::Metric));
    return true;
  }
  static bool program(EventReader& reader, OTF2_TimeStamp time, const char* begin, const char* end) {
    PackedFields packed(begin, end);
    static_cast<void>(packed.next32());
    const std::uint32_t count = packed.next32();
    for (std::uint32_t i = 0; i < count && packed.valid(); ++i) static_cast<void>(packed.next32());
    if (!packed.valid()) return false;
    of(&reader, nullptr).add_internal(time, number(EventKind::ProgramBegin));
    return true;
  }

  Callbacks() {
#define CLC_INTERNAL(Name) \
  set_kind<EventKind::Name, &EventReader::add_internal>(&OTF2_EvtReaderCallbacks_Set##Name##Callback);
    CLC_OTF2_EVENTS(CLC_INTERNAL)
#undef CLC_INTERNAL
    plain[number(EventKind::Metric)] = &metric;
    plain[number(EventKind::ProgramBegin)] = &program;
    OTF2_EvtReaderCallbacks_SetUnknownCallback(all.get(), [](OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t,
                                                             void* user, OTF2_AttributeList* attributes) {
      EventReader& self = of(user, attributes);
      if (!self.takes(time)) return OTF2_CALLBACK_INTERRUPT;
      ++self.archive_.oddities.unknown_records;
      ++self.location_.unknown;
      self.add_internal(time, number(EventKind::unknown));
      return OTF2_CALLBACK_SUCCESS;
    });
    set<EventKind::Enter, Mapped<0, OTF2_MAPPING_REGION>>(
        &OTF2_EvtReaderCallbacks_SetEnterCallback, [](EventReader& reader, OTF2_TimeStamp time, OTF2_RegionRef region) {
          reader.add_region(time, Kind::enter, region);
        });
    set<EventKind::Leave, Mapped<0, OTF2_MAPPING_REGION>>(
        &OTF2_EvtReaderCallbacks_SetLeaveCallback, [](EventReader& reader, OTF2_TimeStamp time, OTF2_RegionRef region) {
          reader.add_region(time, Kind::leave, region);
        });
    set<EventKind::ParameterString>(&OTF2_EvtReaderCallbacks_SetParameterStringCallback,
                                    [](EventReader& reader, OTF2_TimeStamp time, OTF2_ParameterRef parameter,
                                       OTF2_StringRef text) { reader.add_text(time, parameter, text); });
    set_message_callbacks();
    set_collective_callbacks();
    set_thread_callbacks();
    set_window_callbacks();
  }

  void set_message_callbacks() {
    set_message<EventKind::MpiSend, Role::send>(&OTF2_EvtReaderCallbacks_SetMpiSendCallback);
    set_message<EventKind::MpiIsend, Role::send>(&OTF2_EvtReaderCallbacks_SetMpiIsendCallback);
    set_message<EventKind::MpiRecv, Role::receive>(&OTF2_EvtReaderCallbacks_SetMpiRecvCallback);
    set_message<EventKind::MpiIrecv, Role::receive>(&OTF2_EvtReaderCallbacks_SetMpiIrecvCallback);
    // Internal events about a request, which may be that of a receive.
    set<EventKind::MpiIrecvRequest>(&OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback,
                                    [](EventReader& reader, OTF2_TimeStamp time, std::uint64_t request) {
                                      reader.add_internal(time, number(EventKind::MpiIrecvRequest));
                                      if (!reader.order_) reader.receives_.post(request);
                                      reader.sends_.end(request);
                                    });
    set<EventKind::MpiIsendComplete>(&OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback,
                                     [](EventReader& reader, OTF2_TimeStamp time, std::uint64_t request) {
                                       reader.add_internal(time, number(EventKind::MpiIsendComplete));
                                       reader.sends_.end(request);
                                     });
    set<EventKind::MpiRequestCancelled>(
        &OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback,
        [](EventReader& reader, OTF2_TimeStamp time, std::uint64_t request) { reader.cancel(time, request); });
  }

  void set_collective_callbacks() {
    using Communicator = Mapped<1, OTF2_MAPPING_COMM>;
    set<EventKind::MpiCollectiveBegin>(&OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback,
                                       [](EventReader& reader, OTF2_TimeStamp time) { reader.add_begin(time, 0); });
    set<EventKind::MpiCollectiveEnd, Communicator>(
        &OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
           std::uint32_t root, std::uint64_t sent,
           std::uint64_t received) { reader.add_end(time, operation, communicator, root, sent, received, 0); });
    set<EventKind::NonBlockingCollectiveRequest>(&OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback,
                                                 [](EventReader& reader, OTF2_TimeStamp time, std::uint64_t request) {
                                                   reader.add_begin(time, call_of(request));
                                                   if (!reader.archive_.own().peers && !reader.order_)
                                                     reader.requests_.add(call_of(request), *reader.run_);
                                                 });
    set<EventKind::NonBlockingCollectiveComplete, Communicator>(
        &OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_CommRef communicator,
           std::uint32_t root, std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
          reader.add_end(time, operation, communicator, root, sent, received, call_of(request));
        });
  }

  void set_thread_callbacks() {
    using Communicator = Mapped<0, OTF2_MAPPING_COMM>;
    set<EventKind::ThreadFork>(&OTF2_EvtReaderCallbacks_SetThreadForkCallback,
                               [](EventReader& reader, OTF2_TimeStamp time, OTF2_Paradigm, std::uint32_t /*threads*/) {
                                 reader.add_fork(time);
                               });
    set<EventKind::ThreadJoin>(&OTF2_EvtReaderCallbacks_SetThreadJoinCallback,
                               [](EventReader& reader, OTF2_TimeStamp time, OTF2_Paradigm) { reader.add_join(time); });
    set<EventKind::ThreadTeamBegin, Communicator>(
        &OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_CommRef team) { reader.add_team_begin(time, team); });
    set<EventKind::ThreadTeamEnd>(
        &OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_CommRef /*team*/) { reader.add_team_end(time); });
    set<EventKind::ThreadAcquireLock>(
        &OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_Paradigm paradigm, std::uint32_t lock, std::uint32_t order) {
          reader.add_acquire(time, number(EventKind::ThreadAcquireLock), paradigm, lock, order);
        });
    set<EventKind::ThreadReleaseLock>(
        &OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_Paradigm paradigm, std::uint32_t lock, std::uint32_t order) {
          reader.add_release(time, number(EventKind::ThreadReleaseLock), paradigm, lock, order);
        });
    set<EventKind::OmpAcquireLock>(
        &OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback,
        [](EventReader& reader, OTF2_TimeStamp time, std::uint32_t lock, std::uint32_t order) {
          reader.add_acquire(time, number(EventKind::OmpAcquireLock), OTF2_PARADIGM_OPENMP, lock, order);
        });
    set<EventKind::OmpReleaseLock>(
        &OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback,
        [](EventReader& reader, OTF2_TimeStamp time, std::uint32_t lock, std::uint32_t order) {
          reader.add_release(time, number(EventKind::OmpReleaseLock), OTF2_PARADIGM_OPENMP, lock, order);
        });
#define CLC_THREAD(Name, role, end)                                                                   \
  set<EventKind::Name, Communicator>(                                                                 \
      &OTF2_EvtReaderCallbacks_Set##Name##Callback,                                                   \
      [](EventReader& reader, OTF2_TimeStamp time, OTF2_CommRef contingent, std::uint64_t sequence) { \
        reader.add_thread(time, number(EventKind::Name), Role::role, contingent, sequence, end);      \
      });
    CLC_THREAD(ThreadCreate, send, false)
    CLC_THREAD(ThreadBegin, receive, false)
    CLC_THREAD(ThreadEnd, send, true)
    CLC_THREAD(ThreadWait, receive, true)
#undef CLC_THREAD
  }

  void set_window_callbacks() {
// Only one side is recorded.
#define CLC_ONE_SIDED(Name) \
  set_kind<EventKind::Name, &EventReader::add_one_sided>(&OTF2_EvtReaderCallbacks_Set##Name##Callback);
    CLC_ONE_SIDED(RmaPut)
    CLC_ONE_SIDED(RmaGet)
    CLC_ONE_SIDED(RmaAtomic)
    CLC_ONE_SIDED(RmaAcquireLock)
    CLC_ONE_SIDED(RmaReleaseLock)
    CLC_ONE_SIDED(RmaWaitChange)
#undef CLC_ONE_SIDED
    set<EventKind::RmaCollectiveBegin>(
        &OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback,
        [](EventReader& reader, OTF2_TimeStamp time) { reader.add_begin(time, window_call); });
    set<EventKind::RmaCollectiveEnd, Mapped<2, OTF2_MAPPING_RMA_WIN>>(
        &OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level,
           OTF2_RmaWinRef window, std::uint32_t root, std::uint64_t sent,
           std::uint64_t received) { reader.add_window_end(time, operation, level, window, root, sent, received); });
    set<EventKind::RmaGroupSync, Mapped<1, OTF2_MAPPING_RMA_WIN>, Mapped<2, OTF2_MAPPING_GROUP>>(
        &OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
           OTF2_GroupRef group) { reader.add_group_sync(time, level, window, group); });
    set<EventKind::RmaSync, Mapped<0, OTF2_MAPPING_RMA_WIN>>(
        &OTF2_EvtReaderCallbacks_SetRmaSyncCallback,
        [](EventReader& reader, OTF2_TimeStamp time, OTF2_RmaWinRef window, std::uint32_t remote,
           OTF2_RmaSyncType type) { reader.add_sync(time, window, remote, type); });
  }

  [[nodiscard]] static const Callbacks& get() {
    static const Callbacks callbacks;
    return callbacks;
  }
};

PlainEvents::Stop EventReader::read_plain(std::size_t count) {
  const auto& plain = Callbacks::get().plain;
  AlikeMessages* const alike = plain_->alike;
  return plain_->read(count, [&](std::uint8_t kind, OTF2_TimeStamp time, const char* begin, const char* end) {
    const std::size_t place = kind - std::size_t{chunks::first_record};
    if (place >= plain.size() || plain[place] == nullptr || !fits(time)) [[unlikely]]
      return false;
    const bool is_simple =
        place == number(EventKind::MpiSend) || (place == number(EventKind::MpiRecv) && receives_.empty() && !order_);
    if (alike == nullptr || !is_simple) return plain[place](*this, time, begin, end);
    const AlikeMessages::Fields fields(kind, begin, end);
    if (repeat(fields, time)) [[likely]]
      return true;
    if (!plain[place](*this, time, begin, end)) return false;
    keep(fields);
    return true;
  });
}

bool is_plain(const Archive& archive, const Archive::Location& location) noexcept {
  const Archive::Own& own = archive.own();
  const std::uint64_t chunk = archive.layout().event_chunk;
  return location.event_file && !archive.layout().compressed() && chunk >= smallest_chunk && chunk <= largest_chunk &&
         !location.before_cut && (location.numbers == nullptr || location.numbers->complete()) && !own.attributes &&
         own.recorded == OTF2_UNDEFINED_ATTRIBUTE && own.record == OTF2_UNDEFINED_PARAMETER;
}

[[gnu::always_inline]] inline bool EventReader::repeat(const AlikeMessages::Fields& fields, OTF2_TimeStamp time) {
  const Event* const known = plain_->alike->find(fields);
  if (known == nullptr) return false;
  at(time);
  run_->events.emplace_back(*known).time = now_;
  return true;
}

void EventReader::keep(const AlikeMessages::Fields& fields) {
  const Event& event = run_->events.back();
  if (event.role != Role::internal && event.peer != no_process) plain_->alike->add(fields, event);
}

EventReader::EventReader(Archive& archive, ProcessIndex index, bool bodies, NewLines& lines, RequestOrders& orders,
                         AlikeMessages* alike)
    : archive_(archive),
      location_(archive.locations()[index]),
      index_(index),
      rank_(archive.rank_location(index)),
      bodies_(bodies),
      lines_(lines),
      clock_(location_.offsets),
      order_(orders.of(index)),
      requests_([&archive, &lines](OTF2_CommRef communicator, std::uint64_t number) {
        return archive.communicators().request(communicator, number, lines);
      }) {
  if (!location_.event_file) return;
  const NumberTables* const numbers = location_.numbers.get();
  if (!is_plain(archive, location_)) {
    open();
    return;
  }
  // Two attributes may be the same one by a table.
  const std::uint32_t attributes = numbers != nullptr && numbers->of_attributes() ? 1 : PlainEvents::most_attributes;
  plain_.emplace(archive.file_of(location_, ".evt"), archive.layout().event_chunk, attributes);
  if (alike == nullptr || bodies || rank_ != index_) return;
  plain_->alike = alike;
  alike->begin();
}

void EventReader::open() {
  plain_.reset();
  const bool opened = archive_.readable([&] {
    reader_ = OTF2_Reader_GetEvtReader(archive_.reader(), location_.ref);
    if (reader_ == nullptr) fail_input(archive_.name_of(location_), "open its events");
    OTF2_ErrorCode result = OTF2_EvtReader_ApplyClockOffsets(reader_, false);
    // libotf2 would look for the tables at each event.
    if (result == OTF2_SUCCESS) result = OTF2_EvtReader_ApplyMappingTables(reader_, location_.numbers != nullptr);
    // Behind what was read without it.
    std::uint64_t count = 0;
    if (result == OTF2_SUCCESS && location_.events > 0)
      result = OTF2_Reader_ReadLocalEvents(archive_.reader(), reader_, location_.events, &count);
    if (result == OTF2_SUCCESS)
      result = OTF2_Reader_RegisterEvtCallbacks(archive_.reader(), reader_, Callbacks::get().all.get(), this);
    if (result == OTF2_SUCCESS) return;
    close();
    const std::string event = location_.events == 0 ? "open its events" : "read its event " + std::to_string(count);
    fail_input(archive_.name_of(location_), event, result);
  });
  location_.damaged = location_.damaged || !opened;
}

EventReader::~EventReader() { close(); }

void EventReader::close() noexcept {
  if (reader_ != nullptr) OTF2_Reader_CloseEvtReader(archive_.reader(), reader_);
  reader_ = nullptr;
  plain_.reset();
}

}  // namespace clc::otf2
