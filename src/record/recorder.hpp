// The state of the recorder in one MPI process: buffer, communicators, requests.
//
// Place    Between the wrappers of MPI functions and the writer. The library is preloaded into programs of other
//          people: it throws nothing, prints nothing but which files could not be written, and keeps quiet where it
//          does not understand a call.
// Threads  One clock per process. Sends, receives and collective operations of all threads belong to the process;
//          enter and leave of each further thread belong to a location, which it leaves to another one when it ends.
// Cost     put(): a stamp and a store of 48 bytes under a spin lock. The buffer is written when it is full, between two
//          records "clc-record flush", and at the end.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "record/clock.hpp"
#include "record/communicators.hpp"
#include "record/evaluation.hpp"
#include "record/locations.hpp"
#include "record/numbers.hpp"
#include "record/writer.hpp"

namespace clc::record {

/// A record as it waits in the buffer.
struct Entry {
  std::uint64_t stamp;  ///< 0: withdrawn
  Kind kind;
  Operation operation;
  std::uint16_t location;      ///< 0: the process; else a thread
  std::uint32_t communicator;  ///< index
  std::int32_t peer;           ///< rank in MPI_COMM_WORLD; end: root + 1
  std::int32_t tag;            ///< send, receive: tag; begin, end: call id; receive: see overtakes
  std::uint64_t bytes;         ///< enter, leave: the name
  std::uint64_t received;      ///< receive: overtakes
};

/// Of an entry, counted from the first of the process.
using Place = std::uint64_t;
constexpr Place nowhere = UINT64_MAX;

/// The end of a collective operation.
struct Collective {
  Operation operation = Operation::barrier;
  int root = -1;  ///< -1: none
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  int call = 0;
  std::uint64_t number = 0;  ///< of non-blocking ones, on their communicator
};

struct Counters {
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t collectives = 0;
  std::uint64_t flushes = 0;
  std::uint64_t disordered = 0;  ///< non-blocking operations that ended before an earlier one of their communicator
  std::uint64_t lost = 0;        ///< messages and collective operations with processes outside of MPI_COMM_WORLD
  std::uint64_t unknown = 0;     ///< those on unknown communicators
};

/// Lengths of the round trips of a process as parent, ns.
struct RoundTrips {
  std::vector<double> of_node;
  std::vector<double> of_others;
};

/// Indexes of processes in this trace, in the order of their definitions.
struct Numbering {
  static constexpr std::uint32_t undefined = UINT32_MAX;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint32_t> threads;  ///< by location, without that of the first
  std::uint32_t count = 0;
};

class Recorder {
 public:
  void start() noexcept;
  void stop() noexcept;  ///< in MPI_Finalize, as long as MPI can be called
  /// In the child of a fork: nothing is recorded, the file belongs to the parent.
  void abandon() noexcept { active_ = false; }
  /// Writes all that is buffered, and says if it cannot; at abort or exit.
  void rescue() noexcept;
  /// The same at SIGTERM, in the signal handler, and says nothing. False: the lock is held; the signal is raised when
  /// it is released.
  [[nodiscard]] bool rescue_at(int signal) noexcept;

  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  [[nodiscard]] Counters& counters() noexcept { return counters_; }
  [[nodiscard]] double sync_every() const noexcept { return sync_every_; }

  void enter(const char* name) noexcept;
  void leave(const char* name) noexcept;
  Place send(MPI_Comm comm, int peer, int tag, std::uint64_t bytes) noexcept;
  Place send(const KnownCommunicator& comm, int peer, int tag, std::uint64_t bytes) noexcept;
  void receive(MPI_Comm comm, int peer, int tag, std::uint64_t bytes) noexcept;
  void receive(const KnownCommunicator& comm, int peer, int tag, std::uint64_t bytes, std::uint64_t overtakes) noexcept;
  Place begin(int call) noexcept;
  /// The call failed that sends or begins. Nothing happens if other threads have filled the buffer meanwhile.
  void withdraw(Place place) noexcept;
  void end(const KnownCommunicator& comm, const Collective& ended) noexcept;
  /// A non-blocking operation was posted: numbers it, and returns the communicator of its end.
  [[nodiscard]] KnownCommunicator post(const KnownCommunicator& whole, Collective& posted) noexcept;
  /// The communicator of a collective operation; nullptr: it is not recorded, but counted.
  [[nodiscard]] KnownCommunicator for_collective(MPI_Comm comm) noexcept;
  void note(const std::string& line) noexcept;

  /// All members of a new communicator call it.
  void add_communicator(MPI_Comm comm) noexcept;
  /// What MPI_Comm_idup will make; nullptr: unknown. It is added when the request is complete.
  [[nodiscard]] KnownCommunicator duplicate(MPI_Comm comm) noexcept;
  void add_duplicate(MPI_Comm comm, const KnownCommunicator& made) noexcept;
  /// It was freed. Another thread may have been given its handle for a new one.
  void forget_communicator(MPI_Comm comm, const KnownCommunicator& freed) noexcept;
  /// For what ends later; nullptr: unknown.
  [[nodiscard]] KnownCommunicator known(MPI_Comm comm) noexcept;
  /// The location of the calling thread; Locations::none: it has none, and its calls are not recorded.
  [[nodiscard]] int thread() noexcept;
  /// The thread with this location ends.
  void give_back(int location) noexcept;
  /// For a blocking collective operation: no two threads have the same at the same time.
  [[nodiscard]] int call_of_thread() noexcept {
    const int own = thread();
    return own != Locations::none ? own : next_call();
  }
  /// For non-blocking collective operations.
  [[nodiscard]] int next_call() noexcept { return ++calls_; }

  /// Seconds between two bursts: samples within 0.1 s are one burst for clc-sync.
  static constexpr double apart = 0.15;
  void synchronise(const char* moment) noexcept;

 private:
  /// Holds the lock.
  class Guard {
   public:
    explicit Guard(Recorder& of) noexcept : of_(of) {
      while (of_.lock_.test_and_set(std::memory_order_acquire)) {
      }
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      of_.lock_.clear(std::memory_order_release);
      if (of_.signal_ != 0) of_.end_by_signal();
    }

   private:
    Recorder& of_;
  };
  void end_by_signal() const noexcept;
  [[nodiscard]] bool is_other_process() const noexcept;
  void close() noexcept;
  Place put(const Entry& entry) noexcept;
  void put_region(Kind kind, const char* name) noexcept;
  Place put_message(Kind kind, const Communicator* known, int peer, int tag, std::uint64_t bytes,
                    std::uint64_t overtakes) noexcept;
  void define(Communicator& added, const std::vector<int>& members) noexcept;
  void flush() noexcept;
  void write(const Entry& entry) noexcept;
  [[nodiscard]] std::uint32_t index_of(int rank) noexcept;
  /// False: some process has no memory for it.
  [[nodiscard]] bool make_buffer() noexcept;
  [[nodiscard]] bool open_files() noexcept;
  void define_world() noexcept;
  [[nodiscard]] std::string all_incomplete() noexcept;
  void summarise() noexcept;
  [[nodiscard]] HalfTrips all_half_trips() noexcept;
  void look_around() noexcept;
  void wait_for_all() noexcept;
  void note_truth(const char* moment) noexcept;
  void measure_pair(int partner, bool parent) noexcept;
  void choose_min_delay() noexcept;

  bool active_ = false;
  pid_t process_ = 0;
  std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
  volatile std::sig_atomic_t signal_ = 0;  ///< that arrived while the lock was held
  Clock clock_;
  Writer writer_;
  std::unique_ptr<Entry[]> buffer_;
  std::size_t capacity_ = 0;  ///< entries of the buffer
  std::size_t used_ = 0;
  Place written_ = 0;  ///< that of the first in the buffer
  int rank_ = 0;
  int size_ = 1;
  std::string node_;
  Numbering numbering_;
  std::vector<bool> on_node_;  ///< by rank: on the node of this process
  MPI_Comm own_ = MPI_COMM_NULL;
  Communicators communicators_;
  std::atomic<int> calls_{1 << 16};  ///< higher than any location
  Locations locations_{UINT16_MAX};
  Counters counters_;
  double sync_every_ = 0;
  bool crowded_ = false;  ///< a node runs more processes than it has processors
  RoundTrips round_trips_;
};

[[nodiscard]] Recorder& recorder() noexcept;

}  // namespace clc::record
