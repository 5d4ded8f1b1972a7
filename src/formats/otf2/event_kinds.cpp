#include "otf2/event_kinds.hpp"

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

std::optional<Operation> operation_of(OTF2_CollectiveOp operation) noexcept {
  switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      return Operation::barrier;
    case OTF2_COLLECTIVE_OP_BCAST:
      return Operation::bcast;
    case OTF2_COLLECTIVE_OP_GATHER:
      return Operation::gather;
    case OTF2_COLLECTIVE_OP_GATHERV:
      return Operation::gatherv;
    case OTF2_COLLECTIVE_OP_SCATTER:
      return Operation::scatter;
    case OTF2_COLLECTIVE_OP_SCATTERV:
      return Operation::scatterv;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
      return Operation::allgather;
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      return Operation::allgatherv;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
      return Operation::alltoall;
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
      return Operation::alltoallv;
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      return Operation::alltoallw;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      return Operation::allreduce;
    case OTF2_COLLECTIVE_OP_REDUCE:
      return Operation::reduce;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
      return Operation::reduce_scatter;
    case OTF2_COLLECTIVE_OP_SCAN:
      return Operation::scan;
    case OTF2_COLLECTIVE_OP_EXSCAN:
      return Operation::exscan;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      return Operation::reduce_scatter_block;
    default:
      return std::nullopt;
  }
}

}  // namespace clc::otf2
