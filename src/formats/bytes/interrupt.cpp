#include "bytes/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace clc::formats {

Interrupt::Interrupt() noexcept : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ > STDERR_FILENO || event_ < 0) return;
  // One of the standard descriptors is closed, and must not seem to be open.
  const int low = event_;
  event_ = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(low);
}

Interrupt::~Interrupt() {
  if (event_ >= 0) ::close(event_);
}

void Interrupt::raise() const noexcept { static_cast<void>(::eventfd_write(event_, 1)); }

bool Interrupt::wait(int descriptor) const noexcept {
  struct pollfd inputs[] = {{descriptor, POLLIN, 0}, {event_, POLLIN, 0}};
  while (::poll(inputs, 2, -1) < 0 && errno == EINTR) {
  }
  return inputs[1].revents == 0;
}

}  // namespace clc::formats
