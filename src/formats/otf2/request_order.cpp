#include "otf2/request_order.hpp"

#include <map>
#include <utility>

#include "common/varint.hpp"
#include "otf2/clock_offsets.hpp"
#include "otf2/collective_requests.hpp"
#include "otf2/event_calls.hpp"
#include "otf2/event_reader.hpp"
#include "otf2/posted_receives.hpp"

namespace clc::otf2 {

namespace {

enum class Step : std::uint8_t { enter, post, cancel, blocking, receive, request, complete };

/// A record about a request, or a blocking receive: its begin and its end.
struct Noted {
  Step step = Step::post;
  std::uint64_t time = 0;
  std::uint64_t request = 0;
  OTF2_CommRef communicator = OTF2_UNDEFINED_COMM;
  std::uint32_t rank = 0;
  std::uint32_t tag = 0;

  [[nodiscard]] bool is_receive() const noexcept { return step == Step::receive || step == Step::blocking; }
};

/// Writes those of one location into a stream.
class Notes {
 public:
  Notes(formats::Spool& spool, std::size_t stream, const Archive::Location& location)
      : spool_(spool), stream_(stream), location_(location), clock_(location.offsets) {}

  void note(Noted noted, OTF2_TimeStamp time) {
    time = std::min(time, static_cast<OTF2_TimeStamp>(ticks_max));
    noted.time = static_cast<std::uint64_t>(clock_.at(static_cast<std::int64_t>(time)));
    spool_.append_varint(stream_, static_cast<std::uint64_t>(noted.step));
    spool_.append_varint(stream_, noted.time);
    spool_.append_varint(stream_, noted.request);
    if (noted.is_receive() || noted.step == Step::complete) spool_.append_varint(stream_, noted.communicator);
    if (noted.is_receive()) {
      spool_.append_varint(stream_, noted.rank);
      spool_.append_varint(stream_, noted.tag);
    }
    any_ = true;
  }
  void enter(OTF2_TimeStamp time) noexcept { entered_ = time; }
  void leave() noexcept { entered_.reset(); }
  void request(Step step, OTF2_TimeStamp time, std::uint64_t request) {
    note({.step = step, .request = request}, time);
  }
  void receive(OTF2_TimeStamp time, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag,
               std::uint64_t request) {
    note({Step::receive, 0, request, communicator, rank, tag}, time);
  }
  void receive_blocking(OTF2_TimeStamp time, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag) {
    request(Step::enter, entered_.value_or(time), 0);
    entered_.reset();
    note({Step::blocking, 0, 0, communicator, rank, tag}, time);
  }
  void complete(OTF2_TimeStamp time, OTF2_CommRef communicator, std::uint64_t request) {
    note({.step = Step::complete, .request = request, .communicator = communicator}, time);
  }
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] const NumberTables* numbers() const noexcept { return location_.numbers.get(); }

 private:
  formats::Spool& spool_;
  std::size_t stream_;
  const Archive::Location& location_;
  LocationClock clock_;
  std::optional<OTF2_TimeStamp> entered_;  ///< the latest region, in which no region was left and nothing received
  bool any_ = false;
};

struct NoteCalls : EventCalls<Notes> {
  NoteCalls() {
#define CLC_NOTE(Name, step)                        \
  set<EventKind::Name>(                             \
      &OTF2_EvtReaderCallbacks_Set##Name##Callback, \
      [](Notes& notes, OTF2_TimeStamp time, std::uint64_t request) { notes.request(Step::step, time, request); });
    CLC_NOTE(MpiIrecvRequest, post)
    CLC_NOTE(MpiRequestCancelled, cancel)
    CLC_NOTE(NonBlockingCollectiveRequest, request)
#undef CLC_NOTE
    const auto enter = [](Notes& notes, OTF2_TimeStamp time, auto... /*fields*/) { notes.enter(time); };
    const auto leave = [](Notes& notes, OTF2_TimeStamp /*time*/, auto... /*fields*/) { notes.leave(); };
    set<EventKind::Enter>(&OTF2_EvtReaderCallbacks_SetEnterCallback, enter);
    set<EventKind::Leave>(&OTF2_EvtReaderCallbacks_SetLeaveCallback, leave);
    set<EventKind::CallingContextEnter>(&OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback, enter);
    set<EventKind::CallingContextLeave>(&OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback, leave);
    using Communicator = Mapped<1, OTF2_MAPPING_COMM>;
    set<EventKind::MpiRecv, Communicator>(
        &OTF2_EvtReaderCallbacks_SetMpiRecvCallback,
        [](Notes& notes, OTF2_TimeStamp time, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag,
           std::uint64_t /*bytes*/) { notes.receive_blocking(time, rank, communicator, tag); });
    set<EventKind::MpiIrecv, Communicator>(
        &OTF2_EvtReaderCallbacks_SetMpiIrecvCallback,
        [](Notes& notes, OTF2_TimeStamp time, std::uint32_t rank, OTF2_CommRef communicator, std::uint32_t tag,
           std::uint64_t /*bytes*/, std::uint64_t request) { notes.receive(time, rank, communicator, tag, request); });
    set<EventKind::NonBlockingCollectiveComplete, Communicator>(
        &OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback,
        [](Notes& notes, OTF2_TimeStamp time, OTF2_CollectiveOp /*operation*/, OTF2_CommRef communicator,
           std::uint32_t /*root*/, std::uint64_t /*sent*/, std::uint64_t /*received*/,
           std::uint64_t request) { notes.complete(time, communicator, request); });
  }
  [[nodiscard]] static const NoteCalls& get() {
    static const NoteCalls calls;
    return calls;
  }
};

/// Behind the events that were read without libotf2, as far as it can be read: damage is told by who reads the events.
void note_by_library(const Archive& archive, const Archive::Location& location, Notes& notes, std::uint64_t read) {
  OTF2_EvtReader* const reader = OTF2_Reader_GetEvtReader(archive.reader(), location.ref);
  if (reader == nullptr) return static_cast<void>(take_complaint());
  OTF2_ErrorCode result = OTF2_EvtReader_ApplyClockOffsets(reader, false);
  if (result == OTF2_SUCCESS) result = OTF2_EvtReader_ApplyMappingTables(reader, location.numbers != nullptr);
  std::uint64_t count = 0;
  if (result == OTF2_SUCCESS && read > 0) result = OTF2_Reader_ReadLocalEvents(archive.reader(), reader, read, &count);
  if (result == OTF2_SUCCESS)
    result = OTF2_Reader_RegisterEvtCallbacks(archive.reader(), reader, NoteCalls::get().all.get(), &notes);
  if (result == OTF2_SUCCESS && location.before_cut)
    result = OTF2_Reader_ReadLocalEvents(archive.reader(), reader, *location.before_cut, &count);
  else if (result == OTF2_SUCCESS)
    result = OTF2_Reader_ReadAllLocalEvents(archive.reader(), reader, &count);
  OTF2_Reader_CloseEvtReader(archive.reader(), reader);
  static_cast<void>(take_complaint());
}

void note_all(const Archive& archive, const Archive::Location& location, Notes& notes) {
  if (!location.event_file) return;
  std::uint64_t count = 0;
  if (is_plain(archive, location)) {
    PlainEvents plain(archive.file_of(location, ".evt"), archive.layout().event_chunk);
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    const auto& calls = NoteCalls::get().plain;
    const auto stop = plain.read(all, [&](std::uint8_t kind, OTF2_TimeStamp time, const char* begin, const char* end) {
      const std::size_t place = kind - std::size_t{chunks::first_record};
      if (place < calls.size() && calls[place] != nullptr && !calls[place](notes, time, begin, end)) return false;
      ++count;
      return true;
    });
    if (stop == PlainEvents::Stop::end) return;
  }
  note_by_library(archive, location, notes, count);
}

/// Reads them back.
class NotesReader {
 public:
  NotesReader(formats::Spool& spool, std::size_t stream) : reader_(spool, stream) {}
  /// False at the end.
  bool next(Noted& noted) {
    std::uint64_t step = 0;
    if (!reader_.varint(step)) return false;
    noted.step = static_cast<Step>(step);
    noted.time = number();
    noted.request = number();
    if (noted.is_receive() || noted.step == Step::complete) noted.communicator = static_cast<OTF2_CommRef>(number());
    if (noted.is_receive()) {
      noted.rank = static_cast<std::uint32_t>(number());
      noted.tag = static_cast<std::uint32_t>(number());
    }
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t number() {
    std::uint64_t value = 0;
    static_cast<void>(reader_.varint(value));
    return value;
  }
  formats::Spool::Reader reader_;
};

/// What the ends of a process are, as far as it is not yet known, and whose.
class Ends {
 public:
  Ends(Archive& archive, ProcessIndex rank) : archive_(archive), rank_(rank) {}

  void take(const Noted& noted, std::uint32_t stream) {
    switch (noted.step) {
      case Step::enter:
        entered_[stream] = receives_.count();
        return;
      case Step::post:
        return receives_.post(noted.request);
      case Step::cancel:
        return receives_.withdraw(noted.request);
      case Step::request:
        return requests_.add(call_of(noted.request), completed_.run);
      case Step::blocking:
      case Step::receive:
        return receive(noted, stream);
      case Step::complete:
        return complete(noted, stream);
    }
  }
  /// Writes what is known, or has waited too long. at_end: all.
  void give(formats::Spool& spool, bool at_end) {
    constexpr std::size_t most = 4096;
    if (at_end || !receives_.open() || received_.streams.size() >= most) {
      for (std::size_t i = 0; i < received_.streams.size(); ++i)
        spool.append_varint(received_.streams[i], received_.run.events[i].overtakes);
      received_.clear();
      receives_.begin_run();
    }
    if (at_end || !requests_.open() || completed_.streams.size() >= most) {
      requests_.settle_all(completed_.run);
      for (std::size_t i = 0; i < completed_.streams.size(); ++i)
        spool.append_varint(completed_.streams[i] + 1, completed_.run.events[i].communicator);
      completed_.clear();
    }
  }

 private:
  struct Waiting {
    Run run;
    std::vector<std::uint32_t> streams;
    void clear() noexcept {
      run.clear();
      streams.clear();
    }
    Event& add(std::uint32_t stream) {
      streams.push_back(stream);
      return run.events.emplace_back();
    }
  };

  void receive(const Noted& noted, std::uint32_t stream) {
    Event& event = received_.add(stream);
    const Ranks* const ranks = archive_.communicators().ranks(noted.communicator);
    const bool is_self = ranks != nullptr && ranks->kind == Ranks::Kind::self;
    if (is_self) event.peer = rank_;
    if (ranks != nullptr && !is_self && !ranks->threads) {
      const auto peers = ranks->peers_of(rank_);
      if (noted.rank < peers.size()) event.peer = peers[noted.rank];
    }
    const bool is_blocking = noted.step == Step::blocking;
    if (event.peer == no_process) {
      if (!is_blocking) receives_.withdraw(noted.request);
      return;
    }
    event.communicator = noted.communicator;  // only compared with others
    event.tag = noted.tag;
    archive_.oddities.late_receives +=
        is_blocking ? receives_.end({}, received_.run, entered_[stream]) : receives_.end(noted.request, received_.run);
  }
  void complete(const Noted& noted, std::uint32_t stream) {
    const Ranks* const ranks = archive_.communicators().ranks(noted.communicator);
    const std::int64_t call = call_of(noted.request);
    std::optional<CommunicatorIndex> number = 0;
    if (ranks != nullptr && ranks->kind == Ranks::Kind::plain)
      number = requests_.complete(call, noted.communicator, completed_.run);
    else
      requests_.withdraw(call, completed_.run);
    completed_.add(stream).communicator = number.value_or(0);
  }

  Archive& archive_;
  ProcessIndex rank_;
  PostedReceives receives_;
  HashMap<std::uint32_t, std::uint64_t> entered_;  ///< by stream: how many were posted when a blocking one began
  CollectiveRequests requests_{
      [](OTF2_CommRef, std::uint64_t number) { return static_cast<CommunicatorIndex>(number); }};
  Waiting received_;
  Waiting completed_;
};

}  // namespace

void RequestOrders::read(Archive& archive, const std::vector<bool>& given) {
  std::map<ProcessIndex, std::vector<ProcessIndex>> threads;  // of each rank, without it
  for (ProcessIndex i = 0; i < archive.locations().size(); ++i)
    if (const ProcessIndex rank = archive.rank_location(i); rank != i && (given.empty() || given[i]))
      threads[rank].push_back(i);
  for (auto& [rank, list] : threads) {
    list.push_back(rank);
    read_process(archive, list);
  }
}

/// threads: the rank is the last one.
void RequestOrders::read_process(Archive& archive, const std::vector<ProcessIndex>& threads) {
  formats::Spool spool(threads.size(), memory);
  bool any = false;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i] == threads.back() && !any) return;  // nothing but the rank has requests
    const Archive::Location& location = archive.locations()[threads[i]];
    Notes notes(spool, i, location);
    note_all(archive, location, notes);
    spool.complete(i);
    any = any || notes.any();
  }
  streams_.resize(archive.locations().size(), none);
  for (const ProcessIndex thread : threads) streams_[thread] = std::exchange(count_, count_ + 2);
  if (!spool_) spool_ = std::make_unique<formats::Spool>(count_, memory);
  spool_->grow(count_);

  struct Next {
    Noted noted;
    ProcessIndex location;
    std::size_t of;
    /// Heaps have the largest in front.
    bool operator<(const Next& other) const noexcept {
      return noted.time != other.noted.time ? noted.time > other.noted.time : location > other.location;
    }
  };
  std::vector<NotesReader> readers;
  std::vector<Next> heap;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    readers.emplace_back(spool, i);
    if (Next next{{}, threads[i], i}; readers[i].next(next.noted)) heap.push_back(next);
  }
  std::make_heap(heap.begin(), heap.end());
  Ends ends(archive, threads.back());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Next& next = heap.back();
    ends.take(next.noted, streams_[next.location]);
    ends.give(*spool_, false);
    if (readers[next.of].next(next.noted))
      std::push_heap(heap.begin(), heap.end());
    else
      heap.pop_back();
  }
  ends.give(*spool_, true);
  for (const ProcessIndex thread : threads) {
    spool_->complete(streams_[thread]);
    spool_->complete(streams_[thread] + 1);
  }
}

}  // namespace clc::otf2
