// The exchange of a parallel replay over MPI.
//
// Place    `Replay` knows only the interface; this room alone of the replay includes MPI.
// Method   Items travel packed, in batches, one message each; MPI keeps their order. Batches are short enough for MPI
//          to send them at once. Quiet is found by waves, which ranks join while they have nothing to do: sums over all
//          ranks of items sent and items got. What a rank has sent after it joined a wave does not count as got by one
//          that joins it later, so the sums belong to a consistent cut: if they are equal, nothing was under way across
//          it, and nothing can happen any more. A wave also joins what the ranks know.
// Waiting  As others usually answer within the time that a few hundred events take, a rank with nothing to do first
//          looks for items without a break, if it has a processor of its own, and for longer where that was not in
//          vain; then it lets others run; then it rests. If it waits for a cut, it joins a wave at once, and
//          looks longest.
// Errors   Those of MPI end the program, as is its default.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "ranks/exchange.hpp"
#include "ranks/mpi/patience.hpp"

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
  bool quiet(Standstill& standstill) override;
  /// Items sent to other ranks so far.
  [[nodiscard]] std::uint64_t items_sent() const noexcept { return static_cast<std::uint64_t>(own_[0]); }

 private:
  struct Batch {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> bytes;
  };
  using Sums = std::array<std::int64_t, 2>;  // items sent, items got
  /// What a wave carries.
  struct Known {
    Sums sums{};
    Standstill standstill;
  };

  /// What a batch begins with.
  struct Stamp {
    std::uint32_t quiets = 0;  // how often its sender was told that all are quiet
    std::uint32_t waves = 0;   // how many waves its sender had joined
  };

  void take(std::span<const char> batch, std::vector<Item>& items);
  void send(unsigned to);
  void receive();
  void end_of_wait();
  void send_all();
  void join_wave(const Standstill& standstill);
  static void join(void* from, void* to, int* count, MPI_Datatype* type);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  unsigned rank_ = 0;
  bool shares_processors_ = false;         // with other ranks
  std::vector<std::vector<char>> outbox_;  // by rank, packed
  std::deque<Batch> sending_;
  std::vector<char> inbox_;
  Stamp own_stamp_;
  std::vector<std::vector<char>> early_;  // batches of ranks that were told that all are quiet before this one is
  std::vector<std::vector<char>> due_;    // the same, after it was told
  MPI_Request receiving_ = MPI_REQUEST_NULL;
  MPI_Datatype known_ = MPI_DATATYPE_NULL;
  MPI_Op join_ = MPI_OP_NULL;
  Sums own_{};
  Known joined_;                    // of this rank, in the wave
  Known all_;                       // of the wave
  std::int64_t got_of_joined_ = 0;  // items of ranks that have joined the next wave
  bool in_wave_ = false;
  unsigned idle_ = 0;  // calls of quiet since items came
  unsigned looks_;     // so many of these without a pause
  Patience patience_;
  MPI_Request wave_ = MPI_REQUEST_NULL;
};

}  // namespace clc::ranks
