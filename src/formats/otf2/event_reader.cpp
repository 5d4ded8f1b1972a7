#include "otf2/event_reader.hpp"

#include <algorithm>

#include "clc/error.hpp"
#include "otf2/inspect.hpp"

namespace clc::otf2 {

void EventReader::put(const Event& event) {
  Event& kept = run_->events.emplace_back(event);
  kept.time = now_;
  kept.process = index_;
}

bool EventReader::read(std::size_t count, Run& run) {
  run.clear();
  run_ = &run;
  receives_.begin_run();
  sends_.begin_run();
  window_calls_.begin_run();
  if (fault_) std::rethrow_exception(fault_);
  if (reader_ == nullptr && !plain_) return false;
  // The end of a call for windows brings an event for each of a group: few records at a time where there are such.
  const std::size_t at_once = archive_.regions().has_epochs() ? 8 : count;
  bool more = true;
  for (std::size_t records = 0; more && records < count && run.events.size() < count; records += at_once)
    more = read_on(std::min(at_once, count - records));
  // What completed ahead of an earlier request or receive waits for that, and the begin of a call for what it tells;
  // not long, because some are never completed.
  constexpr std::size_t step = 64;
  constexpr std::size_t most = 4096;
  for (std::size_t further = 0; more && further < most && still_open(); further += step) more = read_on(step);
  requests_.settle_all(run);
  if (receives_.overtaken() && bodies_) run.encode_overtaking();
  return more || !run.events.empty();
}

bool EventReader::read_on(std::size_t count) {
  if (plain_) {
    const std::uint64_t before = location_.events;
    const PlainEvents::Stop stop = read_plain(count);
    archive_.communicators().rethrow();
    if (stop == PlainEvents::Stop::count) return true;
    if (stop == PlainEvents::Stop::end) return finish();
    try {
      open();
    } catch (const InputError&) {
      return fail();
    }
    if (reader_ == nullptr) return false;
    count -= location_.events - before;
  }
  std::uint64_t got = 0;
  if (location_.before_cut) count = std::min<std::size_t>(count, *location_.before_cut - location_.events);
  const OTF2_ErrorCode result =
      count == 0 ? OTF2_SUCCESS : OTF2_Reader_ReadLocalEvents(archive_.reader(), reader_, count, &got);
  archive_.communicators().rethrow();
  const bool cut = location_.before_cut && location_.events >= *location_.before_cut;
  if (far_ || cut || result != OTF2_SUCCESS) {
    const std::string name = archive_.name_of(location_);
    try {
      location_.damaged = !archive_.readable([&] {
        if (far_)
          throw InputError(name + ": found a time beyond 2^63 ticks, expected times below it; the archive is damaged");
        fail_input(name, "read its event " + std::to_string(location_.events), cut ? cut_off : result);
      });
    } catch (const InputError&) {
      return fail();
    }
    close();
    return false;
  }
  // libotf2 must not be asked again behind the end.
  return got == count || finish();
}

bool EventReader::fail() {
  if (run_->events.empty()) throw;
  fault_ = std::current_exception();
  return false;
}

bool EventReader::finish() {
  archive_.oddities.below_zero += clock_.below_zero();
  if (location_.unknown > 0)
    collect_kinds(archive_.file_of(location_, ".evt"), archive_.layout(), Part::events, number(EventKind::unknown),
                  archive_.oddities.unknown_kinds);
  if (location_.events != location_.events_defined && !location_.damaged) ++archive_.oddities.wrong_counts;
  close();
  return false;
}

void EventReader::add(Kind kind, const Event& event) { add(kind, event, recorded()); }

void EventReader::add(Kind kind, Event event, std::optional<Time> recorded) {
  event.role = kind == Kind::send               ? Role::send
               : kind == Kind::receive          ? Role::receive
               : kind == Kind::collective_begin ? Role::collective_begin
                                                : Role::collective_end;
  location_.communicates = true;
  put(event);
  run_->added.resize(run_->events.size());
  run_->added.back() = 1;
  if (!bodies_) return;
  encode_body({kind, event, {}, recorded}, run_->bytes);
  run_->ends.push_back(run_->bytes.size());
}

void EventReader::count_for_rank() {
  run_->events.back().process = rank_;
  archive_.locations()[rank_].communicates = true;
}

std::optional<Time> EventReader::recorded() const {
  std::int64_t time = 0;
  const OTF2_AttributeRef attribute = archive_.own().recorded;
  if (!bodies_ || attribute == OTF2_UNDEFINED_ATTRIBUTE ||
      !OTF2_AttributeList_TestAttributeByID(attributes_, attribute) ||
      OTF2_AttributeList_GetInt64(attributes_, attribute, &time) != OTF2_SUCCESS)
    return {};
  return archive_.in_trace(time);
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
  add_call_end(call, Operation::barrier, archive_.communicators().self(OTF2_UNDEFINED_COMM, index_, lines_), 0, 0);
}

void EventReader::add_body(Record record) {
  if (!bodies_) return;
  const Archive::Own& own = archive_.own();
  if (own.attributes) {
    OTF2_StringRef fields = 0;
    if (OTF2_AttributeList_TestAttributeByID(attributes_, own.fields) &&
        OTF2_AttributeList_GetStringRef(attributes_, own.fields, &fields) == OTF2_SUCCESS)
      record.text = archive_.text(fields);
    record.recorded = recorded();
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

void EventReader::cancel(OTF2_TimeStamp time, std::uint64_t request) {
  if (const std::optional<std::size_t> place = sends_.find(request)) {
    Event& send = run_->events[*place];
    send = Event{.time = send.time, .process = send.process};
    if (bodies_) {
      std::string body;
      encode_body({Kind::other, {}, internal_text(number(EventKind::MpiIsend)), run_->recorded(*place)}, body);
      run_->replace_body(*place, body);
    }
  }
  sends_.end(request);
  receives_.withdraw(request);
  add_internal(time, number(EventKind::MpiRequestCancelled));
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
  const bool barrier = !teams_.empty() && teams_.back().communicator != no_communicator &&
                       archive_.regions().is_thread_barrier(region, teams_.back().paradigm);
  if (barrier && kind == Kind::leave) leave_barrier(teams_.back());
  if (window_calls_.any()) [[unlikely]]
    pass_epoch(kind, region);
  put();
  if (bodies_) add_body({kind, {}, archive_.regions().name(region), {}});
  if (archive_.regions().has_epochs() && kind == Kind::enter && !window_calls_.any()) [[unlikely]]
    window_calls_.enter(archive_.regions().epoch(region), run_->events.size());
  if (barrier && kind == Kind::enter) enter_barrier(teams_.back());
}

void EventReader::take_attributes(Event& event) const {
  const Archive::Own& own = archive_.own();
  if (OTF2_AttributeList_TestAttributeByID(attributes_, own.tag))
    static_cast<void>(OTF2_AttributeList_GetInt64(attributes_, own.tag, &event.tag));
  if (OTF2_AttributeList_TestAttributeByID(attributes_, own.overtakes))
    static_cast<void>(OTF2_AttributeList_GetUint16(attributes_, own.overtakes, &event.overtakes));
}

bool EventReader::still_open() const noexcept {
  return requests_.open() || window_calls_.current().kind == Epoch::access_end || receives_.open();
}

}  // namespace clc::otf2
