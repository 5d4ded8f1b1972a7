// Numbers of processes and communicators as sinks write them. Records of programs may name what is not defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "clc/definitions.hpp"
#include "clc/error.hpp"
#include "clc/indexes.hpp"

namespace clc::formats {

namespace numbers_detail {

[[noreturn, gnu::cold]] inline void refuse(const char* what, std::uint32_t index, std::size_t defined) {
  throw OutputError(std::string("a record names ") + what + " index " + std::to_string(index) +
                    ", expected one below " + std::to_string(defined) + "; add_" + what + "() before the record");
}

}  // namespace numbers_detail

/// Throws OutputError if the process is not defined.
inline void require_process(const Definitions& definitions, ProcessIndex process) {
  const std::size_t defined = definitions.processes().size();
  if (process >= defined) [[unlikely]]
    numbers_detail::refuse("process", process, defined);
}
inline void require_communicator(const Definitions& definitions, CommunicatorIndex communicator) {
  const std::size_t defined = definitions.communicators().size();
  if (communicator >= defined) [[unlikely]]
    numbers_detail::refuse("communicator", communicator, defined);
}

/// The number in the trace. Throws OutputError if it is not defined.
[[nodiscard]] inline std::uint64_t process_number(const Definitions& definitions, ProcessIndex process) {
  require_process(definitions, process);
  return definitions.processes()[process].number;
}
[[nodiscard]] inline std::uint64_t communicator_number(const Definitions& definitions, CommunicatorIndex communicator) {
  require_communicator(definitions, communicator);
  return definitions.communicators()[communicator].number;
}

}  // namespace clc::formats
