// Wrappers of sends, receives and completions.
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "record/calls.hpp"
#include "record/key.hpp"

namespace clc::record {

namespace {

struct Posted {
  enum class Kind : std::uint8_t { send, receive, collective, duplicate } kind = Kind::receive;
  bool persistent = false;
  bool held = false;  ///< by a call that may complete it
  MPI_Request request = MPI_REQUEST_NULL;
  KnownCommunicator comm;  ///< as it was when the request was made: the program may free it before
  int peer = 0;
  int tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  ///< of receives in the order in which they were posted; 0: not active
  Collective collective;
  const MPI_Comm* made = nullptr;  ///< of a duplicate
};

std::uint64_t bytes_in(const MPI_Status& status) noexcept {
  int bytes = 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  return static_cast<std::uint64_t>(std::max(bytes, 0));
}

/// Was the message taken? It is where it did not fit, too.
bool consumed(int result) noexcept {
  int what = result;
  return result == MPI_SUCCESS || (PMPI_Error_class(result, &what) == MPI_SUCCESS && what == MPI_ERR_TRUNCATE);
}

/// Requests that are not complete. All calls hold its lock.
///
/// As soon as MPI has completed a request, another thread may be given its handle for a new one. A call that may
/// complete requests therefore looks them up beforehand and holds them.
class Requests {
 public:
  void add(Posted posted) {
    const std::lock_guard guard(mutex_);
    if (posted.request == MPI_REQUEST_NULL) return;
    const Key key = key_of(posted.request);
    if (const auto former = all_.find(key); former != all_.end()) retire(former);
    Posted& kept = all_[key] = posted;
    if (posted.kind == Posted::Kind::receive && !posted.persistent) activate(kept);
  }
  void start(MPI_Request request) {
    const std::lock_guard guard(mutex_);
    const auto found = all_.find(key_of(request));
    if (found == all_.end()) return;
    const Posted& posted = found->second;
    if (posted.kind == Posted::Kind::send)
      recorder().send(posted.comm, posted.peer, posted.tag, posted.bytes);
    else
      activate(found->second);
  }
  void forget(MPI_Request request) {
    const std::lock_guard guard(mutex_);
    const auto found = all_.find(key_of(request));
    if (found == all_.end()) return;
    active_.erase(found->second.sequence);
    all_.erase(found);
  }

  /// nullptr: not known, or held already.
  [[nodiscard]] std::vector<Posted*> hold(int count, const MPI_Request* all) {
    std::vector<Posted*> held(static_cast<std::size_t>(std::max(count, 0)));
    const std::lock_guard guard(mutex_);
    for (std::size_t i = 0; i < held.size(); ++i)
      if (const auto found = all_.find(key_of(all[i])); found != all_.end() && !std::exchange(found->second.held, true))
        held[i] = &found->second;
    return held;
  }
  struct Done {
    Posted* posted;
    MPI_Status status;
  };
  /// held: those that are not done. done: receives and collective operations take the order in which they were posted.
  /// gone: some of those held, which have failed.
  void complete(const std::vector<Posted*>& held, std::vector<Done>& done, const std::vector<Posted*>& gone) {
    const std::lock_guard guard(mutex_);
    for (Posted* const posted : held)
      if (posted != nullptr) posted->held = false;
    for (const Done& one : done) one.posted->held = false;
    const auto place = [](const Done& one) { return std::pair(one.posted->sequence, one.posted->collective.call); };
    std::stable_sort(done.begin(), done.end(), [&](const Done& a, const Done& b) { return place(a) < place(b); });
    for (Posted* const posted : gone) {
      active_.erase(posted->sequence);
      erase(*posted);
    }
    for (Done& one : done) complete(one);
  }

 private:
  void activate(Posted& posted) {
    active_.erase(posted.sequence);  // it failed the last time
    posted.sequence = ++sequence_;
    active_[posted.sequence] = &posted;
  }

  /// Its handle is that of a new request.
  void retire(std::map<Key, Posted>::iterator former) {
    if (former->second.held) {
      retired_.insert(all_.extract(former));
    } else {
      active_.erase(former->second.sequence);
      all_.erase(former);
    }
  }
  void erase(const Posted& posted) {
    const Key key = key_of(posted.request);
    if (const auto found = all_.find(key); found != all_.end() && &found->second == &posted) {
      all_.erase(found);
      return;
    }
    const auto [first, last] = retired_.equal_range(key);
    const auto found = std::find_if(first, last, [&](const auto& entry) { return &entry.second == &posted; });
    if (found != last) retired_.erase(found);
  }

  void complete(Done& one) {
    Posted& posted = *one.posted;
    if (posted.kind == Posted::Kind::collective) {
      recorder().end(posted.comm, posted.collective);
    } else if (posted.kind == Posted::Kind::duplicate) {
      recorder().add_duplicate(*posted.made, posted.comm);
    } else if (posted.kind == Posted::Kind::receive && posted.sequence != 0) {
      int cancelled = 0;
      PMPI_Test_cancelled(&one.status, &cancelled);
      active_.erase(posted.sequence);
      if (cancelled == 0 && one.status.MPI_SOURCE >= 0)
        recorder().receive(posted.comm, one.status.MPI_SOURCE, one.status.MPI_TAG, bytes_in(one.status),
                           overtaken(posted, one.status.MPI_SOURCE, one.status.MPI_TAG));
      posted.sequence = 0;
    }
    if (!posted.persistent) erase(posted);
  }

  /// How many receives of the channel were posted earlier and are not complete.
  [[nodiscard]] std::uint64_t overtaken(const Posted& posted, int source, int tag) const {
    std::uint64_t count = 0;
    for (const auto& [sequence, other] : active_) {
      if (sequence > posted.sequence) break;
      if (other->comm != posted.comm) continue;
      const bool any = other->peer == MPI_ANY_SOURCE || other->tag == MPI_ANY_TAG;
      int complete = 0;
      MPI_Status status{};
      if (any) {
        PMPI_Request_get_status(other->request, &complete, &status);
        count += complete != 0 && status.MPI_SOURCE == source && status.MPI_TAG == tag ? 1 : 0;
      } else {
        count += other->peer == source && other->tag == tag ? 1 : 0;
      }
    }
    return count;
  }

  std::mutex mutex_;
  std::map<Key, Posted> all_;           // its entries do not move
  std::multimap<Key, Posted> retired_;  // held ones whose handles are used again
  std::map<std::uint64_t, Posted*> active_;
  std::uint64_t sequence_ = 0;
};

Requests& requests() noexcept {
  static auto* const one = new Requests;
  return *one;
}

/// Communicators of messages that a matching probe took.
std::mutex matched_mutex;
std::map<Key, KnownCommunicator>& matched() noexcept {
  static auto* const one = new std::map<Key, KnownCommunicator>;
  return *one;
}

/// A probe matched a message.
void add_matched(MPI_Message message, MPI_Comm comm) {
  KnownCommunicator known = recorder().known(comm);
  const std::lock_guard guard(matched_mutex);
  matched()[key_of(message)] = std::move(known);
}

/// The communicator of a message that a probe matched, which is then forgotten; nullptr: unknown.
KnownCommunicator take_matched(MPI_Message message) {
  const std::lock_guard guard(matched_mutex);
  const auto found = matched().find(key_of(message));
  if (found == matched().end()) return nullptr;
  KnownCommunicator comm = std::move(found->second);
  matched().erase(found);
  return comm;
}

void received(MPI_Comm comm, const MPI_Status& status) noexcept {
  recorder().receive(comm, status.MPI_SOURCE, status.MPI_TAG, bytes_in(status));
}

void sent(MPI_Comm comm, int peer, int tag, int count, MPI_Datatype type) noexcept {
  recorder().send(comm, peer, tag, bytes_of(count, type));
}

void posted_receive(MPI_Request request, KnownCommunicator comm, int source, int tag, bool persistent) {
  Posted posted;
  posted.request = request;
  posted.comm = std::move(comm);
  posted.peer = source;
  posted.tag = tag;
  posted.persistent = persistent;
  if (source != MPI_PROC_NULL) requests().add(posted);
}

void prepared_send(MPI_Request request, MPI_Comm comm, int peer, int tag, int count, MPI_Datatype type) {
  Posted posted;
  posted.kind = Posted::Kind::send;
  posted.request = request;
  posted.comm = recorder().known(comm);
  posted.peer = peer;
  posted.tag = tag;
  posted.bytes = bytes_of(count, type);
  posted.persistent = true;
  requests().add(posted);
}

/// A call that may complete requests, and its statuses.
class Completion {
 public:
  Completion(int count, const MPI_Request* all, MPI_Status* statuses, bool several)
      : all_(all),
        statuses_(statuses),
        own_(statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE),
        held_(requests().hold(count, all)) {
    if (own_) space_.resize(several ? std::max<std::size_t>(held_.size(), 1) : 1);
  }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  ~Completion() {
    if (!held_.empty()) record();
  }
  [[nodiscard]] MPI_Status* statuses() noexcept { return own_ ? space_.data() : statuses_; }
  /// One is complete, with the first status.
  void done(int result, int index) {
    if (consumed(result)) add(index, *statuses());
  }
  void all_done(int result) {
    for (std::size_t i = 0; i < held_.size(); ++i) one_of_several(result, static_cast<int>(i), statuses()[i]);
  }
  void some_done(int result, int count, const int* indexes) {
    for (int i = 0; i < count; ++i) one_of_several(result, indexes[i], statuses()[i]);
  }
  /// Those that are done. The others are held no longer, and those that have failed are forgotten.
  void record() {
    std::vector<Posted*> gone;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (held_[i] != nullptr && all_[i] == MPI_REQUEST_NULL) gone.push_back(held_[i]);
    requests().complete(held_, done_, gone);
    held_.clear();
  }

 private:
  void add(int index, const MPI_Status& status) {
    if (index < 0 || static_cast<std::size_t>(index) >= held_.size()) return;
    if (Posted* const posted = std::exchange(held_[static_cast<std::size_t>(index)], nullptr))
      done_.push_back({posted, status});
  }
  /// Statuses have errors only if some have failed.
  void one_of_several(int result, int index, const MPI_Status& status) {
    if (result == MPI_SUCCESS || (result == MPI_ERR_IN_STATUS && consumed(status.MPI_ERROR))) add(index, status);
  }

  const MPI_Request* all_;
  MPI_Status* statuses_;
  bool own_;
  std::vector<Posted*> held_;  ///< those that are not done
  std::vector<MPI_Status> space_;
  std::vector<Requests::Done> done_;
};

}  // namespace

void post_collective(MPI_Request request, const KnownCommunicator& comm, Collective collective) noexcept {
  Posted posted;
  posted.kind = Posted::Kind::collective;
  posted.request = request;
  posted.comm = recorder().post(comm, collective);
  posted.collective = collective;
  requests().add(posted);
}

void post_duplicate(MPI_Request request, MPI_Comm comm, const MPI_Comm* made) noexcept {
  Posted posted;
  posted.kind = Posted::Kind::duplicate;
  posted.request = request;
  posted.comm = recorder().duplicate(comm);
  posted.made = made;
  if (posted.comm != nullptr) requests().add(posted);
}

}  // namespace clc::record

using namespace clc::record;

extern "C" {

#define CLC_SEND(name)                                                                                 \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    const Call call("MPI_" #name);                                                                     \
    if (call.recorded()) sent(comm, peer, tag, count, type);                                           \
    return PMPI_##name(buffer, count, type, peer, tag, comm);                                          \
  }
CLC_SEND(Send)
CLC_SEND(Ssend)
CLC_SEND(Bsend)
CLC_SEND(Rsend)

#define CLC_ISEND(name)                                                                              \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                             \
    const Call call("MPI_" #name);                                                                   \
    if (call.recorded()) sent(comm, peer, tag, count, type);                                         \
    return PMPI_##name(buffer, count, type, peer, tag, comm, request);                               \
  }
CLC_ISEND(Isend)
CLC_ISEND(Issend)
CLC_ISEND(Ibsend)
CLC_ISEND(Irsend)

#define CLC_SEND_INIT(name)                                                                              \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,     \
                 MPI_Request* request) {                                                                 \
    const Call call("MPI_" #name);                                                                       \
    const int result = PMPI_##name(buffer, count, type, peer, tag, comm, request);                       \
    if (call.recorded() && result == MPI_SUCCESS) prepared_send(*request, comm, peer, tag, count, type); \
    return result;                                                                                       \
  }
CLC_SEND_INIT(Send_init)
CLC_SEND_INIT(Ssend_init)
CLC_SEND_INIT(Bsend_init)
CLC_SEND_INIT(Rsend_init)

int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const Call call("MPI_Recv_init");
  const int result = PMPI_Recv_init(buffer, count, type, source, tag, comm, request);
  if (call.recorded() && result == MPI_SUCCESS) posted_receive(*request, recorder().known(comm), source, tag, true);
  return result;
}

int MPI_Start(MPI_Request* request) {
  const Call call("MPI_Start");
  if (call.recorded()) requests().start(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request* all) {
  const Call call("MPI_Startall");
  if (call.recorded())
    for (int i = 0; i < count; ++i) requests().start(all[i]);
  return PMPI_Startall(count, all);
}

int MPI_Request_free(MPI_Request* request) {
  const Call call("MPI_Request_free");
  if (call.recorded()) requests().forget(*request);
  return PMPI_Request_free(request);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Recv");
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Recv(buffer, count, type, source, tag, comm, told);
  if (call.recorded() && consumed(result)) received(comm, *told);
  return result;
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Call call("MPI_Irecv");
  const int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  if (call.recorded() && result == MPI_SUCCESS) posted_receive(*request, recorder().known(comm), source, tag, false);
  return result;
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Sendrecv");
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  if (call.recorded()) sent(comm, to, out_tag, out_count, out_type);
  const int result =
      PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, told);
  if (call.recorded() && consumed(result)) received(comm, *told);
  return result;
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Sendrecv_replace");
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  if (call.recorded()) sent(comm, to, out_tag, count, type);
  const int result = PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, told);
  if (call.recorded() && consumed(result)) received(comm, *told);
  return result;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Probe");
  return PMPI_Probe(source, tag, comm, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Call call("MPI_Mprobe");
  const int result = PMPI_Mprobe(source, tag, comm, message, status);
  if (call.recorded() && result == MPI_SUCCESS) add_matched(*message, comm);
  return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const int result = PMPI_Improbe(source, tag, comm, flag, message, status);
  if (recorder().active() && result == MPI_SUCCESS && *flag != 0) add_matched(*message, comm);
  return result;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Call call("MPI_Mrecv");
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  KnownCommunicator comm = call.recorded() ? take_matched(*message) : nullptr;
  const int result = PMPI_Mrecv(buffer, count, type, message, told);
  if (call.recorded() && consumed(result) && comm != nullptr)
    recorder().receive(comm, told->MPI_SOURCE, told->MPI_TAG, bytes_in(*told), 0);
  return result;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const Call call("MPI_Imrecv");
  KnownCommunicator comm = call.recorded() ? take_matched(*message) : nullptr;
  const int result = PMPI_Imrecv(buffer, count, type, message, request);
  if (call.recorded() && result == MPI_SUCCESS && comm != nullptr)
    posted_receive(*request, std::move(comm), MPI_ANY_SOURCE, MPI_ANY_TAG, false);
  return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Call call("MPI_Wait");
  if (!call.recorded()) return PMPI_Wait(request, status);
  Completion completion(1, request, status, false);
  const int result = PMPI_Wait(request, completion.statuses());
  completion.done(result, 0);
  completion.record();
  return result;
}

int MPI_Waitall(int count, MPI_Request* all, MPI_Status* statuses) {
  const Call call("MPI_Waitall");
  if (!call.recorded()) return PMPI_Waitall(count, all, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Waitall(count, all, completion.statuses());
  completion.all_done(result);
  completion.record();
  return result;
}

int MPI_Waitany(int count, MPI_Request* all, int* index, MPI_Status* status) {
  const Call call("MPI_Waitany");
  if (!call.recorded()) return PMPI_Waitany(count, all, index, status);
  Completion completion(count, all, status, false);
  const int result = PMPI_Waitany(count, all, index, completion.statuses());
  completion.done(result, *index);
  completion.record();
  return result;
}

int MPI_Waitsome(int count, MPI_Request* all, int* done, int* indexes, MPI_Status* statuses) {
  const Call call("MPI_Waitsome");
  if (!call.recorded()) return PMPI_Waitsome(count, all, done, indexes, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Waitsome(count, all, done, indexes, completion.statuses());
  completion.some_done(result, *done, indexes);
  completion.record();
  return result;
}

// A test that finds nothing is not recorded: programs call them in loops.
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!recorder().active()) return PMPI_Test(request, flag, status);
  Completion completion(1, request, status, false);
  const int result = PMPI_Test(request, flag, completion.statuses());
  if (!consumed(result) || *flag == 0) return result;
  const Call call("MPI_Test");
  completion.done(result, 0);
  completion.record();
  return result;
}

int MPI_Testall(int count, MPI_Request* all, int* flag, MPI_Status* statuses) {
  if (!recorder().active()) return PMPI_Testall(count, all, flag, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Testall(count, all, flag, completion.statuses());
  if ((result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) || *flag == 0) return result;
  const Call call("MPI_Testall");
  completion.all_done(result);
  completion.record();
  return result;
}

int MPI_Testany(int count, MPI_Request* all, int* index, int* flag, MPI_Status* status) {
  if (!recorder().active()) return PMPI_Testany(count, all, index, flag, status);
  Completion completion(count, all, status, false);
  const int result = PMPI_Testany(count, all, index, flag, completion.statuses());
  if (!consumed(result) || *flag == 0 || *index == MPI_UNDEFINED) return result;
  const Call call("MPI_Testany");
  completion.done(result, *index);
  completion.record();
  return result;
}

int MPI_Testsome(int count, MPI_Request* all, int* done, int* indexes, MPI_Status* statuses) {
  if (!recorder().active()) return PMPI_Testsome(count, all, done, indexes, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Testsome(count, all, done, indexes, completion.statuses());
  if ((result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) || *done == MPI_UNDEFINED || *done == 0) return result;
  const Call call("MPI_Testsome");
  completion.some_done(result, *done, indexes);
  completion.record();
  return result;
}

}  // extern "C"
