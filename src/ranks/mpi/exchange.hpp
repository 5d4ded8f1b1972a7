// The exchange of a parallel replay over MPI.
//
// Place    `Replay` knows only the interface; this room alone of the replay includes MPI.
// Method   Items travel packed, in batches, one message each; MPI keeps their order. Batches are short enough for MPI
//          to send them at once. Quiet is found by waves: sums over all ranks of items sent and items got. Two equal
//          waves in which both sums are equal: nothing is under way, and no rank had anything to do since the first.
// Waiting  As others usually answer within the time that a few hundred events take, a rank with nothing to do first
//          looks for items without a break, if it has a processor of its own, and for longer where that was not in
//          vain; then it lets others run; then it rests.
// Errors   Those of MPI end the program, as is its default.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "ranks/exchange.hpp"

namespace clc::ranks {

class MpiExchange final : public Exchange {
 public:
  /// After MPI_Init. Takes a copy of the communicator; destroy it before MPI_Finalize, on all ranks.
  explicit MpiExchange(MPI_Comm communicator);
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;
  ~MpiExchange() override;

  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override { return static_cast<unsigned>(outbox_.size()); }
  void post(unsigned to, const Item& item) override;
  void poll(std::vector<Item>& items) override;
  bool quiet(Waiting& oldest) override;
  /// Items sent to other ranks so far.
  [[nodiscard]] std::uint64_t items_sent() const noexcept { return static_cast<std::uint64_t>(own_[0]); }

 private:
  struct Batch {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> bytes;
  };
  /// As MPI_LONG_INT, for MPI_MINLOC.
  struct Place {
    long time = 0;
    int clock = 0;
  };
  using Sums = std::array<std::int64_t, 2>;  // items sent, items got

  void send(unsigned to);
  void receive();
  void wait() const;
  void end_of_wait();
  void send_all();
  void join_wave(const Waiting& oldest);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  unsigned rank_ = 0;
  bool shares_processors_ = false;         // with other ranks
  std::vector<std::vector<char>> outbox_;  // by rank, packed
  std::deque<Batch> sending_;
  std::vector<char> inbox_;
  MPI_Request receiving_ = MPI_REQUEST_NULL;
  Sums own_{};
  Sums joined_{};        // own_ in the wave
  Sums sums_{};          // of the wave
  Sums before_{-1, -1};  // sums of the wave before
  Place oldest_;
  Place oldest_of_all_;
  bool in_wave_ = false;
  unsigned idle_ = 0;  // calls of quiet since items came
  unsigned looks_;     // so many of these without a break
  std::array<MPI_Request, 2> wave_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace clc::ranks
