#include "ranks/mpi/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "ranks/packed.hpp"

namespace clc::ranks {

namespace {

static_assert(sizeof(long) == sizeof(std::int64_t), "times travel as MPI_LONG_INT");

constexpr std::size_t batch_bytes = 3840;
// So many times in succession it looks for items without a break, then with letting others run.
constexpr unsigned most_looks = 400;
constexpr unsigned least_looks = 20;
constexpr unsigned yields = 20;
constexpr std::chrono::microseconds rest(50);
constexpr int tag = 0;
constexpr int nobody = std::numeric_limits<int>::max();

/// True if there are more ranks on this machine than processors that they may use.
bool are_too_many(MPI_Comm communicator) {
  MPI_Comm neighbours = MPI_COMM_NULL;
  int count = 0;
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
  MPI_Comm_size(neighbours, &count);
  MPI_Comm_free(&neighbours);
  return static_cast<unsigned>(count) > std::thread::hardware_concurrency();
}

}  // namespace

MpiExchange::MpiExchange(MPI_Comm communicator) : inbox_(batch_bytes + longest_packed), looks_(most_looks) {
  int rank = 0;
  int size = 0;
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank);
  MPI_Comm_size(communicator_, &size);
  rank_ = static_cast<unsigned>(rank);
  outbox_.resize(static_cast<std::size_t>(size));
  shares_processors_ = are_too_many(communicator_);
  receive();
}

MpiExchange::~MpiExchange() {
  for (Batch& batch : sending_) MPI_Wait(&batch.request, MPI_STATUS_IGNORE);
  MPI_Cancel(&receiving_);
  MPI_Wait(&receiving_, MPI_STATUS_IGNORE);
  MPI_Comm_free(&communicator_);
}

void MpiExchange::post(unsigned to, const Item& item) {
  ++own_[0];
  pack(item, outbox_[to]);
  if (outbox_[to].size() >= batch_bytes) send(to);
}

void MpiExchange::send(unsigned to) {
  std::vector<char>& bytes = outbox_[to];
  if (bytes.empty()) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), tag, communicator_, &request);
  int over = 0;
  MPI_Test(&request, &over, MPI_STATUS_IGNORE);
  if (over != 0)
    bytes.clear();
  else
    sending_.push_back({request, std::exchange(bytes, {})});
}

void MpiExchange::send_all() {
  for (unsigned to = 0; to < outbox_.size(); ++to) send(to);
}

void MpiExchange::receive() {
  MPI_Irecv(inbox_.data(), static_cast<int>(inbox_.size()), MPI_BYTE, MPI_ANY_SOURCE, tag, communicator_, &receiving_);
}

void MpiExchange::poll(std::vector<Item>& items) {
  send_all();
  const std::size_t before = items.size();
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Test(&receiving_, &found, &status);
    if (found == 0) break;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    for (const char* from = inbox_.data(); from != inbox_.data() + bytes;) items.push_back(unpack(from));
    receive();
  }
  if (items.size() > before) end_of_wait();
  own_[1] += static_cast<std::int64_t>(items.size() - before);
  while (!sending_.empty()) {
    int over = 0;
    MPI_Test(&sending_.front().request, &over, MPI_STATUS_IGNORE);
    if (over == 0) break;
    sending_.pop_front();
  }
}

/// Items have come: looks on longer the next time if it was not in vain.
void MpiExchange::end_of_wait() {
  if (idle_ > looks_)
    looks_ = std::max(least_looks, looks_ / 2);
  else if (idle_ > 0)
    looks_ = std::min(most_looks, looks_ * 2);
  idle_ = 0;
}

void MpiExchange::join_wave(const Waiting& oldest) {
  in_wave_ = true;
  joined_ = own_;
  const bool waits = oldest.clock != no_process;
  oldest_ = {static_cast<long>(oldest.time.ticks()), waits ? static_cast<int>(oldest.clock) : nobody};
  MPI_Iallreduce(joined_.data(), sums_.data(), 2, MPI_INT64_T, MPI_SUM, communicator_, wave_.data());
  MPI_Iallreduce(&oldest_, &oldest_of_all_, 1, MPI_LONG_INT, MPI_MINLOC, communicator_, &wave_[1]);
}

/// Other programs may need the processor, and so may other ranks.
void MpiExchange::wait() const {
  if (idle_ < looks_ + yields)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(rest);
}

bool MpiExchange::quiet(Waiting& oldest) {
  send_all();
  if (++idle_ <= looks_ && !shares_processors_) return false;
  if (!in_wave_) join_wave(oldest);
  int over = 0;
  MPI_Testall(2, wave_.data(), &over, MPI_STATUSES_IGNORE);
  if (over == 0) {
    wait();
    return false;
  }
  in_wave_ = false;
  const Sums before = std::exchange(before_, sums_);
  if (sums_[0] != sums_[1] || sums_ != before) return false;
  before_ = {-1, -1};
  oldest = {};
  if (oldest_of_all_.clock != nobody)
    oldest = {Time(oldest_of_all_.time), static_cast<ClockIndex>(oldest_of_all_.clock)};
  return true;
}

}  // namespace clc::ranks
