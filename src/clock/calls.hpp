// The calls of collective operations that are not done: one process in one operation each.
//
// Place    Part of Collectives.
// Ends     An end belongs to the begin of its process with the same call id that was read last and has no end yet.
// Memory   Calls keep their place, and are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "clc/indexes.hpp"
#include "clc/time.hpp"
#include "clock/process_queue.hpp"
#include "clock/recorder.hpp"

namespace clc {

struct Event;

using CallId = std::uint32_t;
using InstanceId = std::uint32_t;
inline constexpr CallId no_call = no_edge;
inline constexpr InstanceId no_instance = 0xffff'ffff;
inline constexpr InstanceId done_instance = 0xffff'fffe;

/// One process in one collective operation, from its begin to its end.
struct Call {
  Time begin;                      ///< C of the begin, or C^ where the clock was set back
  Time end;                        ///< the same of the end
  Time begin_recorded;             ///< C of the begin
  Time end_recorded;               ///< C of the end
  Time begin_written;              ///< corrected time of the begin, once emitted
  Time end_written;                ///< corrected time of the end, once emitted
  double begin_offset = 0;         ///< D of the begin, once processed
  double begin_simple_offset = 0;  ///< E of the begin, once processed
  double end_offset = 0;           ///< D of the end, once processed
  EventIndex begin_index = no_event;
  EventIndex end_index = no_event;
  std::int64_t call_id = 0;
  std::uint64_t wait_number = 0;  ///< order in which waits began; 0: it does not wait
  ProcessIndex process = no_process;
  NodeIndex node = no_node;  ///< as DelayModel::node_of, at the time its instance was opened
  InstanceId instance = no_instance;
  Rank rank = 0;
  bool begin_processed = false;
  bool end_processed = false;
  bool orphan = false;    ///< a begin without end, to be freed once processed
  bool sends = false;     ///< it sends data, or is in a barrier
  bool receives = false;  ///< it receives data, or is in a barrier; false: not bound
  bool late = false;      ///< its end came after its instance was done
  bool begin_is_written = false;
  bool end_is_written = false;
};

/// A growing array with stable addresses.
template <class T>
class Blocks {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return blocks_[i / of_block][i % of_block]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return blocks_[i / of_block][i % of_block]; }
  void add() {
    if (size_ % of_block == 0) blocks_.push_back(std::make_unique<T[]>(of_block));
    ++size_;
  }

 private:
  static constexpr std::size_t of_block = 64;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

class Calls {
 public:
  explicit Calls(Recorder& analysis) : analysis_(analysis) {}

  [[nodiscard]] Call& operator[](CallId id) noexcept { return calls_[id]; }
  [[nodiscard]] const Call& operator[](CallId id) const noexcept { return calls_[id]; }
  /// The call of a begin record.
  CallId read_begin(const Event& event, EventIndex index, Time recorded);
  /// The call of an end record: that of its begin, or a new one, which counts as an end without begin.
  [[nodiscard]] CallId close_begin(const Event& end);
  /// Pre: its begin is processed.
  void free(CallId id) noexcept {
    calls_[id].instance = no_instance;
    free_.push_back(id);
  }
  /// Frees it once its begin is processed.
  void drop(CallId id) noexcept {
    if (calls_[id].begin_processed)
      free(id);
    else
      calls_[id].orphan = true;
  }
  /// The begin of a process that was read first of those without end; no_call: there is none.
  [[nodiscard]] CallId oldest_open(ProcessIndex process) const noexcept {
    return process < open_begins_.size() && !open_begins_[process].empty() ? open_begins_[process].front() : no_call;
  }
  /// Number of calls that are not free.
  [[nodiscard]] std::size_t in_use() const noexcept { return calls_.size() - free_.size(); }
  /// End of input: counts begins without end.
  void close();

 private:
  /// Maximum number of open begins of a process; older ones count as begins without end.
  static constexpr std::size_t most_open = 1024;

  [[nodiscard]] CallId take();
  void drop_begin(std::vector<CallId>& open, std::vector<CallId>::const_iterator begin);

  Recorder& analysis_;
  Blocks<Call> calls_;
  std::vector<CallId> free_;
  std::vector<std::vector<CallId>> open_begins_;  // by process
};

}  // namespace clc
