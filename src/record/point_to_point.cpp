// Wrappers of sends, receives and completions.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "record/calls.hpp"
#include "record/requests.hpp"

namespace clc::record {

namespace {

/// May several threads call MPI at the same time?
bool several_threads() noexcept {
  static const bool several = [] {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
  }();
  return several;
}

/// For calls that MPI defines as local: they return whatever other processes and threads do.
Requests::Order in_order(const Call& call) {
  return call.recorded() && several_threads() ? requests().in_order() : Requests::Order();
}

/// For calls that may wait for a receive. It may in turn depend on another thread of this process, which would wait for
/// the lock.
Requests::Order in_any_order(const Call& /*call*/) { return {}; }

Posted receive_of(MPI_Comm comm, int source, int tag) noexcept {
  Posted posted;
  posted.comm = recorder().known(comm);
  posted.peer = source;
  posted.tag = tag;
  return posted;
}

/// Runs a blocking call that receives. Run(status) calls MPI.
template <class Run>
int receiving(const Call& call, int source, int tag, MPI_Comm comm, MPI_Status* status, Run run) {
  if (!call.recorded()) return run(status);
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  if (several_threads() && source != MPI_PROC_NULL) {
    Posted receive = receive_of(comm, source, tag);
    requests().begin(receive);
    const int result = run(told);
    requests().end(receive, consumed(result), *told);
    return result;
  }
  const std::uint64_t before = requests().posted_before();
  const int result = run(told);
  if (consumed(result)) requests().received(comm, before, *told);
  return result;
}

/// Runs a call that sends, maybe one that also receives.
template <class Run>
int sending(const Call& call, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, Run run) {
  if (!call.recorded()) return run();
  const Place send = recorder().send(comm, peer, tag, bytes_of(count, type));
  const int result = run();
  if (!consumed(result)) recorder().withdraw(send);
  return result;
}

void posted_receive(MPI_Request request, MPI_Comm comm, int source, int tag, bool persistent) {
  Posted posted = receive_of(comm, source, tag);
  posted.request = request;
  posted.persistent = persistent;
  if (source != MPI_PROC_NULL) requests().add(posted);
}

int receive_later(const Call& call, void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const Requests::Order order = in_order(call);
  const int result = PMPI_Irecv(buffer, count, type, source, tag, comm, request);
  if (call.recorded() && result == MPI_SUCCESS) posted_receive(*request, comm, source, tag, false);
  return result;
}

constexpr int first = 0;

int wait(const Call& call, MPI_Request* request, MPI_Status* status) {
  if (!call.recorded()) return PMPI_Wait(request, status);
  Completion completion(1, request, status, false);
  const int result = PMPI_Wait(request, completion.statuses());
  completion.done(result, &first);
  completion.record();
  return result;
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

/// What OpenMPI returns for each operation that is complete at once. It is not waited for: it stays what it is.
MPI_Request request_of_complete() noexcept {
  static const MPI_Request one = [] {
    MPI_Request request = MPI_REQUEST_NULL;
    PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
    return request;
  }();
  return one;
}

}  // namespace

void post_collective(MPI_Request request, const KnownCommunicator& comm, Collective collective) noexcept {
  Posted posted;
  posted.kind = Posted::Kind::collective;
  posted.request = request;
  posted.comm = recorder().post(comm, collective);
  posted.collective = collective;
  if (request == request_of_complete())
    recorder().end(posted.comm, collective);
  else
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

#define CLC_SEND(name, order_of)                                                                       \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) { \
    const Call call("MPI_" #name);                                                                     \
    const Requests::Order order = order_of(call);                                                      \
    return sending(call, count, type, peer, tag, comm,                                                 \
                   [&] { return PMPI_##name(buffer, count, type, peer, tag, comm); });                 \
  }
CLC_SEND(Send, in_any_order)
CLC_SEND(Ssend, in_any_order)
CLC_SEND(Rsend, in_any_order)
CLC_SEND(Bsend, in_order)

#define CLC_ISEND(name)                                                                              \
  int MPI_##name(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                             \
    const Call call("MPI_" #name);                                                                   \
    const Requests::Order order = in_order(call);                                                    \
    return sending(call, count, type, peer, tag, comm,                                               \
                   [&] { return PMPI_##name(buffer, count, type, peer, tag, comm, request); });      \
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
  if (call.recorded() && result == MPI_SUCCESS) posted_receive(*request, comm, source, tag, true);
  return result;
}

int MPI_Start(MPI_Request* request) {
  const Call call("MPI_Start");
  if (!call.recorded() || request == nullptr) return PMPI_Start(request);
  const Requests::Order order = in_order(call);
  const Place send = requests().start(*request);
  const int result = PMPI_Start(request);
  if (result != MPI_SUCCESS) requests().stop(*request, send);
  return result;
}

int MPI_Startall(int count, MPI_Request* all) {
  const Call call("MPI_Startall");
  if (!call.recorded() || all == nullptr) return PMPI_Startall(count, all);
  const Requests::Order order = in_order(call);
  std::vector<Place> sends(static_cast<std::size_t>(std::max(count, 0)));
  for (std::size_t i = 0; i < sends.size(); ++i) sends[i] = requests().start(all[i]);
  const int result = PMPI_Startall(count, all);
  for (std::size_t i = 0; result != MPI_SUCCESS && i < sends.size(); ++i) requests().stop(all[i], sends[i]);
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  const Call call("MPI_Request_free");
  if (call.recorded() && request != nullptr) requests().forget(*request);
  return PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request) {
  const Call call("MPI_Cancel");
  const int result = PMPI_Cancel(request);
  if (call.recorded() && result == MPI_SUCCESS) requests().cancel(*request);
  return result;
}

// Like a test, but the program keeps the request.
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (!recorder().active()) return PMPI_Request_get_status(request, flag, status);
  Posted* const posted = requests().hold(1, &request).front();
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Request_get_status(request, flag, told);
  const bool complete = result == MPI_SUCCESS && *flag != 0;
  if (!complete) {
    requests().tell(posted, false, {});
    return result;
  }
  const Call call("MPI_Request_get_status");
  requests().tell(posted, true, *told);
  return result;
}

// Where several threads receive, with a request, because only that can be given to MPI in order.
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Recv");
  if (call.recorded() && several_threads()) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int result = receive_later(call, buffer, count, type, source, tag, comm, &request);
    return result == MPI_SUCCESS ? wait(call, &request, status) : result;
  }
  return receiving(call, source, tag, comm, status,
                   [&](MPI_Status* told) { return PMPI_Recv(buffer, count, type, source, tag, comm, told); });
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Call call("MPI_Irecv");
  return receive_later(call, buffer, count, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Sendrecv");
  return sending(call, out_count, out_type, to, out_tag, comm, [&] {
    return receiving(call, from, in_tag, comm, status, [&](MPI_Status* told) {
      return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, told);
    });
  });
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Sendrecv_replace");
  return sending(call, count, type, to, out_tag, comm, [&] {
    return receiving(call, from, in_tag, comm, status, [&](MPI_Status* told) {
      return PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, told);
    });
  });
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call("MPI_Probe");
  return PMPI_Probe(source, tag, comm, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Call call("MPI_Mprobe");
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Mprobe(source, tag, comm, message, told);
  if (call.recorded() && result == MPI_SUCCESS) requests().match(*message, comm, *told);
  return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = PMPI_Improbe(source, tag, comm, flag, message, told);
  if (recorder().active() && result == MPI_SUCCESS && *flag != 0) requests().match(*message, comm, *told);
  return result;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Call call("MPI_Mrecv");
  if (!call.recorded() || message == nullptr) return PMPI_Mrecv(buffer, count, type, message, status);
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  Requests::Message taken = requests().take(*message);
  const int result = PMPI_Mrecv(buffer, count, type, message, told);
  requests().received(std::move(taken), consumed(result), *told);
  return result;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const Call call("MPI_Imrecv");
  if (!call.recorded() || message == nullptr) return PMPI_Imrecv(buffer, count, type, message, request);
  Requests::Message taken = requests().take(*message);
  const int result = PMPI_Imrecv(buffer, count, type, message, request);
  requests().add(std::move(taken), result == MPI_SUCCESS ? *request : MPI_REQUEST_NULL);
  return result;
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Call call("MPI_Wait");
  return wait(call, request, status);
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
  completion.done(result, index);
  completion.record();
  return result;
}

int MPI_Waitsome(int count, MPI_Request* all, int* done, int* indexes, MPI_Status* statuses) {
  const Call call("MPI_Waitsome");
  if (!call.recorded()) return PMPI_Waitsome(count, all, done, indexes, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Waitsome(count, all, done, indexes, completion.statuses());
  completion.some_done(result, done, indexes);
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
  completion.done(result, &first);
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
  completion.done(result, index);
  completion.record();
  return result;
}

int MPI_Testsome(int count, MPI_Request* all, int* done, int* indexes, MPI_Status* statuses) {
  if (!recorder().active()) return PMPI_Testsome(count, all, done, indexes, statuses);
  Completion completion(count, all, statuses, true);
  const int result = PMPI_Testsome(count, all, done, indexes, completion.statuses());
  if ((result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS) || *done == MPI_UNDEFINED || *done == 0) return result;
  const Call call("MPI_Testsome");
  completion.some_done(result, done, indexes);
  completion.record();
  return result;
}

}  // extern "C"
