// Traces that could not be written whole.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace clc::record {

/// Which traces are incomplete and why, for people. errors: of each rank, as errno; 0: its trace is complete. Empty if
/// all are.
[[nodiscard]] std::string incomplete_traces(const std::vector<int>& errors);

/// While it lives, a write of this thread beyond the limit of file sizes (ulimit -f) fails with EFBIG and raises no
/// SIGXFSZ, which would end the program. For writes of the program the signal stays as it is. Keeps errno.
class NoSizeSignal {
 public:
  NoSizeSignal() noexcept;
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;
  ~NoSizeSignal();

 private:
  sigset_t former_;
  bool pending_;  ///< before
};

}  // namespace clc::record
