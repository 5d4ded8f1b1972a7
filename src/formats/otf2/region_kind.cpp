#include "otf2/region_kind.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "clc/event.hpp"

namespace clc::otf2 {

namespace {

constexpr std::array<std::string_view, 33> point_to_point{
    "Bsend",     "Bsend_init", "Ibsend",     "Improbe",  "Imrecv",    "Iprobe",   "Irecv",
    "Irsend",    "Isend",      "Issend",     "Mprobe",   "Mrecv",     "Probe",    "Recv",
    "Recv_init", "Rsend",      "Rsend_init", "Send",     "Send_init", "Sendrecv", "Sendrecv_replace",
    "Ssend",     "Ssend_init", "Start",      "Startall", "Test",      "Testall",  "Testany",
    "Testsome",  "Wait",       "Waitall",    "Waitany",  "Waitsome"};
constexpr std::array<std::string_view, 4> one_sided{"Get", "Put", "Rget", "Rput"};
constexpr std::array<std::string_view, 6> atomic{"Accumulate",     "Compare_and_swap", "Fetch_and_op",
                                                 "Get_accumulate", "Raccumulate",      "Rget_accumulate"};

bool contains(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

/// call: "Barrier", "Ibarrier".
const OperationInfo* find_operation(std::string_view call) {
  std::string name(call);
  std::ranges::transform(name, name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  for (std::string_view each : {std::string_view(name), std::string_view(name).substr(name.starts_with('i') ? 1 : 0)})
    for (const OperationInfo& operation : operations)
      if (operation.name == each) return &operation;
  return nullptr;
}

OTF2_RegionRole role_of(const OperationInfo& operation) {
  if (operation.operation == Operation::barrier) return OTF2_REGION_ROLE_BARRIER;
  switch (operation.kind) {
    case CollectiveClass::one_to_n:
      return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case CollectiveClass::n_to_one:
      return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case CollectiveClass::n_to_n:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case CollectiveClass::prefix:
      return OTF2_REGION_ROLE_COLL_OTHER;
  }
  return OTF2_REGION_ROLE_FUNCTION;
}

OTF2_RegionRole role_of(std::string_view call) {
  if (contains(point_to_point, call)) return OTF2_REGION_ROLE_POINT2POINT;
  if (contains(one_sided, call)) return OTF2_REGION_ROLE_RMA;
  if (contains(atomic, call)) return OTF2_REGION_ROLE_ATOMIC;
  const OperationInfo* const operation = find_operation(call);
  if (operation != nullptr) return role_of(*operation);
  return OTF2_REGION_ROLE_FUNCTION;
}

}  // namespace

RegionKind kind_of_region(std::string_view name) {
  constexpr std::string_view mpi = "MPI_";
  if (!name.starts_with(mpi)) return {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER};
  return {role_of(name.substr(mpi.size())), OTF2_PARADIGM_MPI};
}

}  // namespace clc::otf2
