#include "otf2/event_kinds.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace clc::otf2 {

namespace {

/// "MpiIsendComplete" as "MPI_ISEND_COMPLETE", the way otf2-print names events.
std::string words_of(std::string_view name) {
  std::string words;
  for (const char letter : name) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    if (capital && !words.empty()) words += '_';
    words += capital ? letter : static_cast<char>(letter - 'a' + 'A');
  }
  return words;
}

/// In the order of Operation.
constexpr auto operations_of_otf2 = std::to_array<OTF2_CollectiveOp>({
    OTF2_COLLECTIVE_OP_BARRIER,
    OTF2_COLLECTIVE_OP_BCAST,
    OTF2_COLLECTIVE_OP_SCATTER,
    OTF2_COLLECTIVE_OP_SCATTERV,
    OTF2_COLLECTIVE_OP_REDUCE,
    OTF2_COLLECTIVE_OP_GATHER,
    OTF2_COLLECTIVE_OP_GATHERV,
    OTF2_COLLECTIVE_OP_ALLREDUCE,
    OTF2_COLLECTIVE_OP_ALLGATHER,
    OTF2_COLLECTIVE_OP_ALLGATHERV,
    OTF2_COLLECTIVE_OP_ALLTOALL,
    OTF2_COLLECTIVE_OP_ALLTOALLV,
    OTF2_COLLECTIVE_OP_ALLTOALLW,
    OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
    OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
    OTF2_COLLECTIVE_OP_SCAN,
    OTF2_COLLECTIVE_OP_EXSCAN,
});
static_assert(operations_of_otf2.size() == operations.size());

}  // namespace

const std::string& internal_text(std::size_t kind) {
  static const auto texts = [] {
    std::array<std::string, number(EventKind::unknown) + 1> all{{
#define CLC_NAME(Name) "I " + words_of(#Name),
        CLC_OTF2_EVENTS(CLC_NAME)
#undef CLC_NAME
            "I UNKNOWN",
    }};
    return all;
  }();
  return texts[kind];
}

OTF2_CollectiveOp operation_of(Operation operation) noexcept {
  return operations_of_otf2[static_cast<std::size_t>(operation)];
}

std::optional<Operation> operation_of(OTF2_CollectiveOp operation) noexcept {
  const auto found = std::find(operations_of_otf2.begin(), operations_of_otf2.end(), operation);
  if (found == operations_of_otf2.end()) return std::nullopt;
  return static_cast<Operation>(found - operations_of_otf2.begin());
}

}  // namespace clc::otf2
