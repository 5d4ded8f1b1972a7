// Non-blocking collective operations of one location, or of one process. The order of their requests determines their
// numbers on the communicator, but the communicator is known only when they complete.
//
// Place    Part of EventReader, and of RequestOrders for all locations of a process.
// Memory   So far as it looks back: 1024 requests.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "otf2/run.hpp"
#include "trace/hash.hpp"

namespace clc::otf2 {

class CollectiveRequests {
 public:
  /// The communicator for the operation of that number on a communicator.
  using Numbered = std::function<CommunicatorIndex(OTF2_CommRef communicator, std::uint64_t number)>;
  explicit CollectiveRequests(Numbered numbered) : numbered_(std::move(numbered)) {}

  void add(std::int64_t call, Run& run);
  /// One completes, at the next place in the run. Returns the communicator of its end; nullopt: it is set later.
  [[nodiscard]] std::optional<CommunicatorIndex> complete(std::int64_t call, OTF2_CommRef communicator, Run& run);
  /// One completes that needs no number.
  void withdraw(std::int64_t call, Run& run);
  /// Those that have completed do not wait for others any longer.
  void settle_all(Run& run);
  /// So many events were inserted into the run.
  void shift(std::size_t place, std::size_t count) noexcept;
  /// Some have completed and wait for earlier ones.
  [[nodiscard]] bool open() const noexcept { return unsettled_ > 0; }

 private:
  struct Request {
    std::int64_t call;
    OTF2_CommRef communicator = OTF2_UNDEFINED_COMM;
    std::size_t place = 0;  ///< of its end in the run
    bool completed = false;
  };
  /// The pending one; end(): none.
  [[nodiscard]] std::deque<Request>::iterator find(std::int64_t call);
  [[nodiscard]] CommunicatorIndex next_operation(OTF2_CommRef communicator);
  /// Numbers those that wait for no earlier one.
  void settle(Run& run);

  Numbered numbered_;
  std::deque<Request> requests_;                     ///< from the first pending one
  std::size_t unsettled_ = 0;                        ///< completed ones among them
  HashMap<OTF2_CommRef, std::uint64_t> operations_;  ///< number of known requests on each communicator
};

}  // namespace clc::otf2
