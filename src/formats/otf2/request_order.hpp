// The order of requests in processes of which several threads call MPI. One thread may post a receive, or request a
// collective operation, that another one completes.
//
// Place    Read ahead, before the events of the locations are; beside EventReader.
// Method   The records of such a process that are about receives and non-blocking operations are merged by time, and
//          matched as those of a single location are. For each record that ends one its place in the order is kept.
// Assumes  Requests have numbers of the process. The threads share a clock. Others may be posted while a blocking
//          receive is under way; it comes ahead of those of them that end later, behind those that ended.
// Memory   8 MiB at most; beyond that in temporary files. What is pending as in PostedReceives and CollectiveRequests,
//          and at most 4096 ends that wait for earlier ones.
// Cost     Threads without a rank in processes with one are read once more, and the location of the rank if any of them
//          receives or requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/spool.hpp"
#include "otf2/archive.hpp"

namespace clc::otf2 {

class RequestOrders {
 public:
  /// Of the locations given, all: empty. Whole processes are to be given. Counts late receives in the archive.
  void read(Archive& archive, const std::vector<bool>& given);

  /// What the ends of one location are, each to be taken once, in the order of their records.
  class Reader {
   public:
    Reader(formats::Spool& spool, std::size_t stream) : receives_(spool, stream), operations_(spool, stream + 1) {}
    /// Of an MpiRecv or MpiIrecv: how many it overtakes.
    [[nodiscard]] std::uint16_t next_receive() { return static_cast<std::uint16_t>(next(receives_)); }
    /// Of a NonBlockingCollectiveComplete: the number of its request on the communicator.
    [[nodiscard]] std::uint64_t next_operation() { return next(operations_); }

   private:
    [[nodiscard]] static std::uint64_t next(formats::Spool::Reader& from) {
      std::uint64_t value = 0;
      return from.varint(value) ? value : 0;
    }
    formats::Spool::Reader receives_;
    formats::Spool::Reader operations_;
  };
  /// nullopt: what the location itself recorded tells it all.
  [[nodiscard]] std::optional<Reader> of(ProcessIndex location) {
    if (location >= streams_.size() || streams_[location] == none) return std::nullopt;
    return std::optional<Reader>(std::in_place, *spool_, streams_[location]);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t memory = std::size_t{4} << 20U;
  void read_process(Archive& archive, const std::vector<ProcessIndex>& threads);

  std::unique_ptr<formats::Spool> spool_;  ///< two streams for each location that has any; null: none has
  std::vector<std::uint32_t> streams_;     ///< by location, the first of two
  std::uint32_t count_ = 0;                ///< streams
};

}  // namespace clc::otf2
