// What the wrappers of MPI functions share.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "record/recorder.hpp"

// The profiling interface gives the wrappers their names.
// NOLINTBEGIN(readability-identifier-naming)

namespace clc::record {

/// Enter and leave of a call.
class Call {
 public:
  explicit Call(const char* name) noexcept : name_(recorder().active() ? name : nullptr) {
    if (name_ != nullptr) recorder().enter(name_);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (name_ != nullptr && recorder().active()) recorder().leave(name_);
  }
  [[nodiscard]] bool recorded() const noexcept { return name_ != nullptr; }

 private:
  const char* name_;
};

[[nodiscard]] inline std::uint64_t bytes_of(int count, MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || count <= 0 || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

/// Did it take part? A message that did not fit was taken, too.
[[nodiscard]] inline bool consumed(int result) noexcept {
  int what = result;
  return result == MPI_SUCCESS || (PMPI_Error_class(result, &what) == MPI_SUCCESS && what == MPI_ERR_TRUNCATE);
}

/// A non-blocking collective operation was posted.
void post_collective(MPI_Request request, const KnownCommunicator& comm, Collective collective) noexcept;
/// MPI_Comm_idup was called; made is written when its request is complete.
void post_duplicate(MPI_Request request, MPI_Comm comm, const MPI_Comm* made) noexcept;

}  // namespace clc::record

// NOLINTEND(readability-identifier-naming)
