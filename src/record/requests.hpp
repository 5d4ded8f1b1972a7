// Requests that are not complete, and messages that a probe has matched.
//
// Place    Between the wrappers and the recorder, which it tells what has ended. All calls hold its lock.
// Threads  As soon as MPI has completed a request, another thread may be given its handle for a new one. A call that
//          may complete requests therefore looks them up beforehand and holds them (Completion).
// Cost     A look-up in a map per request; of receives see ActiveReceives.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "record/key.hpp"
#include "record/receives.hpp"
#include "record/recorder.hpp"

namespace clc::record {

struct Posted : Receive {
  enum class Kind : std::uint8_t { send, receive, collective, duplicate } kind = Kind::receive;
  bool persistent = false;
  bool held = false;  ///< by a call that may complete it
  bool told = false;  ///< its end is recorded, but the program has the request still
  MPI_Request request = MPI_REQUEST_NULL;
  KnownCommunicator comm;  ///< as it was when the request was made: the program may free it before
  int peer = 0;
  int tag = 0;
  std::uint64_t bytes = 0;
  Collective collective;
  const MPI_Comm* made = nullptr;  ///< of a duplicate
};

[[nodiscard]] std::uint64_t bytes_in(const MPI_Status& status) noexcept;
class Requests {
 public:
  struct Done {
    Posted* posted;
    MPI_Status status;
  };

  /// A message that a probe matched, while the program receives it; empty: unknown.
  using Message = std::map<Key, Posted>::node_type;

  using Order = std::unique_lock<std::recursive_mutex>;
  /// Held while a receive is posted and added, or a send is recorded and started, so that those of several threads are
  /// recorded in MPI's order. An error handler of the program may call MPI meanwhile.
  [[nodiscard]] Order in_order() { return Order(mutex_); }

  void add(Posted posted);
  /// A persistent one. Returns the place of a send.
  [[nodiscard]] Place start(MPI_Request request);
  /// That failed.
  void stop(MPI_Request request, Place send);
  /// It will be freed. If it is complete, its end is recorded.
  void forget(MPI_Request request);
  /// It was cancelled: unless MPI has its message already, it takes none.
  void cancel(MPI_Request request);
  /// The program was told that one of those held is complete; it keeps the request.
  void tell(Posted* held, bool complete, const MPI_Status& status);

  /// A blocking receive begins: how many were posted before it.
  [[nodiscard]] std::uint64_t posted_before();
  void received(MPI_Comm comm, std::uint64_t before, const MPI_Status& status);
  /// The same where other threads may receive meanwhile: the receive is active until it ended, but has no request.
  void begin(Posted& receive);
  void end(Posted& receive, bool successful, const MPI_Status& status);

  /// A probe matched a message: it takes its place among the receives now.
  void match(MPI_Message message, MPI_Comm comm, const MPI_Status& status);
  [[nodiscard]] Message take(MPI_Message message);
  /// Its receive ended.
  void received(Message message, bool successful, const MPI_Status& status);
  /// Its receive has a request; MPI_REQUEST_NULL: it failed.
  void add(Message message, MPI_Request request);

  /// nullptr: not known, or held already.
  [[nodiscard]] std::vector<Posted*> hold(int count, const MPI_Request* all);
  /// held: those that are not done. done: receives and collective operations take the order in which they were posted.
  /// gone: some of those held, which have failed.
  void complete(const std::vector<Posted*>& held, std::vector<Done>& done, const std::vector<Posted*>& gone);

 private:
  void insert(Posted posted);
  void activate(Posted& posted);
  /// Its handle is that of a new request.
  void retire(std::map<Key, Posted>::iterator former);
  void erase(const Posted& posted);
  void tell(Posted& posted, const MPI_Status& status);
  /// How many receives of the channel are not complete, of the first so many that were posted.
  [[nodiscard]] std::uint64_t overtaken(const KnownCommunicator& comm, std::uint64_t first, const MPI_Status& status);

  std::recursive_mutex mutex_;
  std::map<Key, Posted> all_;           // its entries do not move
  std::multimap<Key, Posted> retired_;  // held ones whose handles are used again
  std::map<Key, Posted> messages_;      // that probes have matched
  ActiveReceives active_;
  std::uint64_t sequence_ = 0;
};

[[nodiscard]] Requests& requests() noexcept;

/// A call that may complete requests, and its statuses.
class Completion {
 public:
  Completion(int count, const MPI_Request* all, MPI_Status* statuses, bool several);
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;
  ~Completion() {
    if (!held_.empty()) record();
  }
  [[nodiscard]] MPI_Status* statuses() noexcept { return own_ ? space_.data() : statuses_; }
  /// One is complete, with the first status. A call that fails may leave the index as it was.
  void done(int result, const int* index);
  void all_done(int result);
  void some_done(int result, const int* count, const int* indexes);
  /// Those that are done. The others are held no longer, and those that have failed are forgotten.
  void record();

 private:
  void add(int index, const MPI_Status& status);
  /// Statuses have errors only if some have failed.
  void one_of_several(int result, int index, const MPI_Status& status);

  const MPI_Request* all_;
  MPI_Status* statuses_;
  bool own_;
  std::vector<Posted*> held_;  ///< those that are not done
  std::vector<MPI_Status> space_;
  std::vector<Requests::Done> done_;
};

}  // namespace clc::record
