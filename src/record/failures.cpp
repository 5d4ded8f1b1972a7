#include "record/failures.hpp"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace clc::record {

std::string incomplete_traces(const std::vector<int>& errors) {
  constexpr int most_listed = 8;
  const auto name = [&](auto rank) { return "rank" + std::to_string(rank - errors.begin()) + ".clcb"; };
  std::string list;
  int listed = 0;
  std::ptrdiff_t others = 0;
  for (auto first = errors.begin(); first != errors.end();) {
    const auto end = std::find_if(first, errors.end(), [&](int error) { return error != *first; });
    if (*first != 0 && listed == most_listed) {
      others += end - first;
    } else if (*first != 0) {
      list += (listed++ == 0 ? "" : ", ") + name(first);
      if (end - first > 1) list += (end - first > 2 ? " to " : " and ") + name(end - 1);
      list += std::string(" (") + std::strerror(*first) + ")";
    }
    first = end;
  }
  return others == 0 ? list : list + " and " + std::to_string(others) + " more";
}

namespace {

sigset_t size_signal() noexcept {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

NoSizeSignal::NoSizeSignal() noexcept {
  const sigset_t set = size_signal();
  sigset_t pending;
  pending_ = ::sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  static_cast<void>(::pthread_sigmask(SIG_BLOCK, &set, &former_));
}

NoSizeSignal::~NoSizeSignal() {
  const int error = errno;
  const sigset_t set = size_signal();
  const timespec now{};
  while (!pending_ && ::sigtimedwait(&set, nullptr, &now) < 0 && errno == EINTR) {
  }
  static_cast<void>(::pthread_sigmask(SIG_SETMASK, &former_, nullptr));
  errno = error;
}

}  // namespace clc::record
