#include "ranks/mpi/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>

#include "ranks/packed.hpp"

namespace clc::ranks {

namespace {

// So many times in succession it looks for items without a pause.
constexpr unsigned most_looks = 400;
constexpr unsigned least_looks = 20;
constexpr int tag = 0;

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

MpiExchange::MpiExchange(MPI_Comm communicator)
    : inbox_(batch_bytes + longest_packed + sizeof(Stamp)), looks_(most_looks) {
  int rank = 0;
  int size = 0;
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank);
  MPI_Comm_size(communicator_, &size);
  rank_ = static_cast<unsigned>(rank);
  outbox_.resize(static_cast<std::size_t>(size));
  shares_processors_ = are_too_many(communicator_);
  static_assert(std::is_trivially_copyable_v<Known>);
  MPI_Type_contiguous(sizeof(Known), MPI_BYTE, &known_);
  MPI_Type_commit(&known_);
  MPI_Op_create(&MpiExchange::join, 1, &join_);
  receive();
}

MpiExchange::~MpiExchange() {
  for (Batch& batch : sending_) MPI_Wait(&batch.request, MPI_STATUS_IGNORE);
  MPI_Cancel(&receiving_);
  MPI_Wait(&receiving_, MPI_STATUS_IGNORE);
  MPI_Op_free(&join_);
  MPI_Type_free(&known_);
  MPI_Comm_free(&communicator_);
}

void MpiExchange::post(unsigned to, const Item& item) {
  ++own_[0];
  std::vector<char>& bytes = outbox_[to];
  if (bytes.empty()) {
    bytes.resize(sizeof own_stamp_);
    std::memcpy(bytes.data(), &own_stamp_, sizeof own_stamp_);
  }
  pack(item, bytes);
  if (bytes.size() >= batch_bytes) send(to);
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

void MpiExchange::take(std::span<const char> batch, std::vector<Item>& items) {
  Stamp stamp;
  std::memcpy(&stamp, batch.data(), sizeof stamp);
  if (stamp.quiets != own_stamp_.quiets) {
    early_.emplace_back(batch.begin(), batch.end());
    return;
  }
  std::int64_t& got = stamp.waves > own_stamp_.waves ? got_of_joined_ : own_[1];
  const char* const end = batch.data() + batch.size();
  for (const char* from = batch.data() + sizeof stamp; from != end; ++got) items.push_back(unpack(from));
}

void MpiExchange::poll(std::vector<Item>& items) {
  if (size() == 1) return;
  send_all();
  const std::size_t before = items.size();
  for (const std::vector<char>& batch : std::exchange(due_, {})) take(batch, items);
  for (;;) {
    int found = 0;
    MPI_Status status;
    MPI_Test(&receiving_, &found, &status);
    if (found == 0) break;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    take(std::span(inbox_).first(static_cast<std::size_t>(bytes)), items);
    receive();
  }
  if (items.size() > before) end_of_wait();
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
  patience_.end();
}

/// As MPI_User_function: `from` into `to`, which need not be aligned.
// NOLINTNEXTLINE(readability-non-const-parameter): MPI prescribes it
void MpiExchange::join(void* from, void* to, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * sizeof(Known);
    Known one;
    Known other;
    std::memcpy(&one, static_cast<const char*>(from) + at, sizeof one);
    std::memcpy(&other, static_cast<const char*>(to) + at, sizeof other);
    for (std::size_t s = 0; s < one.sums.size(); ++s) other.sums[s] += one.sums[s];
    other.standstill.join(one.standstill);
    std::memcpy(static_cast<char*>(to) + at, &other, sizeof other);
  }
}

void MpiExchange::join_wave(const Standstill& standstill) {
  in_wave_ = true;
  joined_ = {own_, standstill};
  own_[1] += std::exchange(got_of_joined_, 0);
  ++own_stamp_.waves;
  MPI_Iallreduce(&joined_, &all_, 1, known_, join_, communicator_, &wave_);
}

bool MpiExchange::quiet(Standstill& standstill) {
  if (size() == 1) return true;
  send_all();
  // Cuts are many, and waits for them short.
  const unsigned looks = standstill.waits_for_cut ? most_looks : looks_;
  const bool is_looking = ++idle_ <= looks && !shares_processors_;
  if (is_looking && !in_wave_ && !standstill.waits_for_cut) return false;
  if (!in_wave_) join_wave(standstill);
  int over = 0;
  MPI_Test(&wave_, &over, MPI_STATUS_IGNORE);
  if (over == 0) {
    if (!is_looking) patience_.pause(idle_ < looks ? 0 : idle_ - looks);
    return false;
  }
  in_wave_ = false;
  if (all_.sums[0] != all_.sums[1]) return false;
  idle_ = 0;
  ++own_stamp_.quiets;
  due_.swap(early_);
  standstill = all_.standstill;
  return true;
}

}  // namespace clc::ranks
