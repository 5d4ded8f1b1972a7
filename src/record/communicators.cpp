#include "record/communicators.hpp"

#include <algorithm>
#include <utility>

namespace clc::record {

namespace {

/// The ranks of a group in MPI_COMM_WORLD. Frees the group.
std::vector<int> world_ranks(MPI_Group group) noexcept {
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int count = 0;
  PMPI_Group_size(group, &count);
  std::vector<int> ranks(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ranks[static_cast<std::size_t>(i)] = i;
  std::vector<int> in_world(ranks.size());
  PMPI_Group_translate_ranks(group, count, ranks.data(), world, in_world.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return in_world;
}

}  // namespace

std::vector<int> Communicator::members() const noexcept {
  std::vector<int> all = world;
  all.insert(all.end(), local.begin(), local.end());
  if (inter) std::sort(all.begin(), all.end());
  return all;
}

std::uint64_t Communicator::most_for_requests() const noexcept {
  constexpr std::uint64_t listed = 16384;  // members, for all of them together
  constexpr std::uint64_t least = 32;
  return world.size() < 2 ? 0 : std::clamp(listed / world.size(), least, most_for_any);
}

std::uint64_t Communicator::next_duplicate() noexcept {
  // The numbers that processes agree on are smaller; those after it are for requests.
  std::uint64_t mixed = number * 0x9e37'79b9'7f4a'7c15U + ++duplicates;
  mixed = (mixed ^ mixed >> 30U) * 0xbf58'476d'1ce4'e5b9U;
  mixed = (mixed ^ mixed >> 27U) * 0x94d0'49bb'1331'11ebU;
  mixed ^= mixed >> 31U;
  return (mixed | std::uint64_t{1} << 63U) & ~(2 * most_for_any - 1);
}

KnownCommunicator described(MPI_Comm comm) noexcept {
  auto known = std::make_shared<Communicator>();
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  known->inter = inter != 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  (known->inter ? known->local : known->world) = world_ranks(group);
  if (known->inter) {
    PMPI_Comm_remote_group(comm, &group);
    known->world = world_ranks(group);
  }
  const std::vector<int> all = known->members();
  known->outside = std::any_of(all.begin(), all.end(), [](int rank) { return rank < 0; });
  return known;
}

std::uint64_t agree(MPI_Comm comm, bool inter, std::uint64_t proposal) noexcept {
  if (!inter) {
    PMPI_Bcast(&proposal, 1, MPI_UINT64_T, 0, comm);
    return proposal;
  }
  std::uint64_t of_others = 0;
  std::uint64_t of_own = 0;
  PMPI_Allreduce(&proposal, &of_others, 1, MPI_UINT64_T, MPI_MIN, comm);
  PMPI_Allreduce(&of_others, &of_own, 1, MPI_UINT64_T, MPI_MIN, comm);
  return std::min(of_own, of_others);
}

void Communicators::add(MPI_Comm comm, KnownCommunicator known) noexcept {
  last_ = nullptr;
  all_[key_of(comm)] = std::move(known);
}

void Communicators::forget(MPI_Comm comm, const KnownCommunicator& freed) noexcept {
  const auto found = all_.find(key_of(comm));
  if (found == all_.end() || found->second != freed) return;
  last_ = nullptr;
  all_.erase(found);
}

const KnownCommunicator& Communicators::find(MPI_Comm comm) noexcept {
  static const auto* const none = new KnownCommunicator;  // outlives all destructors of the program
  const Key key = key_of(comm);
  if (key == last_handle_ && last_ != nullptr) return *last_;
  auto found = all_.find(key);
  if (found == all_.end()) {
    if (comm == MPI_COMM_NULL) return *none;
    KnownCommunicator seen = described(comm);
    if (!seen->outside) return *none;
    found = all_.emplace(key, std::move(seen)).first;
  }
  last_handle_ = key;
  last_ = &found->second;
  return *last_;
}

std::uint64_t Communicators::new_number(int rank) noexcept {
  return (static_cast<std::uint64_t>(rank + 1) << 40U) + (1 + most_for_any) * created_++;
}

}  // namespace clc::record
