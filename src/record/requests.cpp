#include "record/requests.hpp"

#include <algorithm>
#include <utility>

#include "record/calls.hpp"

namespace clc::record {

std::uint64_t bytes_in(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(std::max<MPI_Count>(bytes, 0));
}

namespace {

Channel channel_of(const Posted& posted) noexcept {
  return {posted.comm.get(), posted.peer == MPI_ANY_SOURCE ? Channel::any_value : posted.peer,
          posted.tag == MPI_ANY_TAG ? Channel::any_value : posted.tag};
}

/// A request that is held may be free already, or that of another receive; one that another thread is about to start
/// has no message yet. What a call without a request has cannot be known.
ActiveReceives::Found look_at(const Receive& receive) {
  const auto& posted = static_cast<const Posted&>(receive);
  if (posted.request == MPI_REQUEST_NULL) return {};
  int complete = 0;
  MPI_Status status{};
  PMPI_Request_get_status(posted.request, &complete, &status);
  if (complete == 0 || status.MPI_SOURCE < 0 || status.MPI_TAG < 0) return {};
  return {!posted.held, status.MPI_SOURCE, status.MPI_TAG};
}

}  // namespace

Requests& requests() noexcept {
  static auto* const one = new Requests;
  return *one;
}

void Requests::add(Posted posted) {
  const std::lock_guard guard(mutex_);
  insert(std::move(posted));
}

void Requests::insert(Posted posted) {
  if (posted.request == MPI_REQUEST_NULL) return;
  const Key key = key_of(posted.request);
  if (const auto former = all_.find(key); former != all_.end()) retire(former);
  Posted& kept = all_[key] = std::move(posted);
  if (kept.kind != Posted::Kind::receive || kept.persistent) return;
  if (kept.sequence == 0)
    activate(kept);
  else
    active_.insert(kept, channel_of(kept));  // of a matched message
}

Place Requests::start(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  const auto found = all_.find(key_of(request));
  if (found == all_.end()) return nowhere;
  const Posted& posted = found->second;
  if (posted.kind == Posted::Kind::send) return recorder().send(posted.comm, posted.peer, posted.tag, posted.bytes);
  activate(found->second);
  return nowhere;
}

void Requests::stop(MPI_Request request, Place send) {
  recorder().withdraw(send);
  const std::lock_guard guard(mutex_);
  if (const auto found = all_.find(key_of(request)); found != all_.end()) active_.erase(found->second);
}

void Requests::forget(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  const auto found = all_.find(key_of(request));
  if (found == all_.end()) return;
  int complete = 0;
  MPI_Status status{};
  if (found->second.kind != Posted::Kind::send) PMPI_Request_get_status(request, &complete, &status);
  if (complete != 0) tell(found->second, status);
  active_.erase(found->second);
  all_.erase(found);
}

void Requests::cancel(MPI_Request request) {
  const std::lock_guard guard(mutex_);
  const auto found = all_.find(key_of(request));
  if (found == all_.end() || found->second.kind != Posted::Kind::receive) return;
  int complete = 0;
  int cancelled = 0;
  MPI_Status status{};
  PMPI_Request_get_status(request, &complete, &status);
  if (complete != 0) PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) active_.erase(found->second);
}

void Requests::tell(Posted* held, bool complete, const MPI_Status& status) {
  if (held == nullptr) return;
  const std::lock_guard guard(mutex_);
  held->held = false;
  if (complete) tell(*held, status);
}

std::uint64_t Requests::posted_before() {
  const std::lock_guard guard(mutex_);
  return sequence_;
}

void Requests::received(MPI_Comm comm, std::uint64_t before, const MPI_Status& status) {
  const std::lock_guard guard(mutex_);
  if (active_.empty()) {
    recorder().receive(comm, status.MPI_SOURCE, status.MPI_TAG, bytes_in(status));
    return;
  }
  const KnownCommunicator known = recorder().known(comm);
  recorder().receive(known, status.MPI_SOURCE, status.MPI_TAG, bytes_in(status), overtaken(known, before, status));
}

void Requests::begin(Posted& receive) {
  const std::lock_guard guard(mutex_);
  activate(receive);
}

void Requests::end(Posted& receive, bool successful, const MPI_Status& status) {
  const std::lock_guard guard(mutex_);
  if (successful) tell(receive, status);
  active_.erase(receive);
}

void Requests::match(MPI_Message message, MPI_Comm comm, const MPI_Status& status) {
  if (status.MPI_SOURCE < 0) return;  // MPI_PROC_NULL
  const std::lock_guard guard(mutex_);
  Posted& kept = messages_[key_of(message)];
  active_.erase(kept);
  kept = {};
  kept.comm = recorder().known(comm);
  kept.peer = status.MPI_SOURCE;
  kept.tag = status.MPI_TAG;
  activate(kept);
}

Requests::Message Requests::take(MPI_Message message) {
  const std::lock_guard guard(mutex_);
  return messages_.extract(key_of(message));
}

void Requests::received(Message message, bool successful, const MPI_Status& status) {
  if (!message.empty()) end(message.mapped(), successful, status);
}

void Requests::add(Message message, MPI_Request request) {
  if (message.empty()) return;
  const std::lock_guard guard(mutex_);
  Posted& posted = message.mapped();
  active_.erase(posted);
  posted.request = request;
  insert(std::move(posted));
}

std::vector<Posted*> Requests::hold(int count, const MPI_Request* all) {
  std::vector<Posted*> held(static_cast<std::size_t>(std::max(count, 0)));
  const std::lock_guard guard(mutex_);
  for (std::size_t i = 0; all != nullptr && i < held.size(); ++i)
    if (const auto found = all_.find(key_of(all[i])); found != all_.end() && !std::exchange(found->second.held, true))
      held[i] = &found->second;
  return held;
}

void Requests::complete(const std::vector<Posted*>& held, std::vector<Done>& done, const std::vector<Posted*>& gone) {
  const std::lock_guard guard(mutex_);
  for (Posted* const posted : held)
    if (posted != nullptr) posted->held = false;
  for (const Done& one : done) one.posted->held = false;
  const auto place = [](const Done& one) { return std::pair(one.posted->sequence, one.posted->collective.call); };
  std::stable_sort(done.begin(), done.end(), [&](const Done& a, const Done& b) { return place(a) < place(b); });
  for (Posted* const posted : gone) {
    active_.erase(*posted);
    erase(*posted);
  }
  for (const Done& one : done) {
    tell(*one.posted, one.status);
    if (!one.posted->persistent) erase(*one.posted);
  }
}

void Requests::activate(Posted& posted) {
  active_.erase(posted);  // it failed the last time
  posted.told = false;
  posted.sequence = ++sequence_;
  active_.insert(posted, channel_of(posted));
}

void Requests::retire(std::map<Key, Posted>::iterator former) {
  if (former->second.held) {
    retired_.insert(all_.extract(former));
  } else {
    active_.erase(former->second);
    all_.erase(former);
  }
}

void Requests::erase(const Posted& posted) {
  const Key key = key_of(posted.request);
  if (const auto found = all_.find(key); found != all_.end() && &found->second == &posted) {
    all_.erase(found);
    return;
  }
  const auto [first, last] = retired_.equal_range(key);
  const auto found = std::find_if(first, last, [&](const auto& entry) { return &entry.second == &posted; });
  if (found != last) retired_.erase(found);
}

void Requests::tell(Posted& posted, const MPI_Status& status) {
  if (std::exchange(posted.told, true)) return;
  if (posted.kind == Posted::Kind::collective) {
    recorder().end(posted.comm, posted.collective);
  } else if (posted.kind == Posted::Kind::duplicate) {
    recorder().add_duplicate(*posted.made, posted.comm);
  } else if (posted.kind == Posted::Kind::receive && posted.sequence != 0) {
    int cancelled = 0;
    PMPI_Test_cancelled(&status, &cancelled);
    active_.erase(posted);
    if (cancelled == 0 && status.MPI_SOURCE >= 0)
      recorder().receive(posted.comm, status.MPI_SOURCE, status.MPI_TAG, bytes_in(status),
                         overtaken(posted.comm, posted.sequence, status));
    posted.sequence = 0;
  }
}

std::uint64_t Requests::overtaken(const KnownCommunicator& comm, std::uint64_t first, const MPI_Status& status) {
  return active_.overtaken({comm.get(), status.MPI_SOURCE, status.MPI_TAG}, first, look_at);
}

Completion::Completion(int count, const MPI_Request* all, MPI_Status* statuses, bool several)
    : all_(all),
      statuses_(statuses),
      own_(statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE),
      held_(requests().hold(count, all)) {
  if (own_) space_.resize(several ? std::max<std::size_t>(held_.size(), 1) : 1);
}

void Completion::done(int result, const int* index) {
  if (consumed(result)) add(*index, *statuses());
}

void Completion::all_done(int result) {
  for (std::size_t i = 0; i < held_.size(); ++i) one_of_several(result, static_cast<int>(i), statuses()[i]);
}

void Completion::some_done(int result, const int* count, const int* indexes) {
  const bool some = result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS;
  for (int i = 0; some && i < *count; ++i) one_of_several(result, indexes[i], statuses()[i]);
}

void Completion::record() {
  std::vector<Posted*> gone;
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (held_[i] != nullptr && all_[i] == MPI_REQUEST_NULL) gone.push_back(held_[i]);
  requests().complete(held_, done_, gone);
  held_.clear();
}

void Completion::add(int index, const MPI_Status& status) {
  if (index < 0 || static_cast<std::size_t>(index) >= held_.size()) return;
  if (Posted* const posted = std::exchange(held_[static_cast<std::size_t>(index)], nullptr))
    done_.push_back({posted, status});
}

void Completion::one_of_several(int result, int index, const MPI_Status& status) {
  if (result == MPI_SUCCESS || (result == MPI_ERR_IN_STATUS && consumed(status.MPI_ERROR))) add(index, status);
}

}  // namespace clc::record
