#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "clc/io/files.hpp"

namespace clc {

namespace {

// A slot is taken by the state going from empty to busy, and is read by the handler only when full.
enum State : int { empty, busy, full };

struct Slot {
  std::atomic<int> state{empty};
  std::array<char, 4096> path{};
};

std::array<Slot, 16> slots;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remove_and_end(int signal) {
  for (Slot& slot : slots)
    if (slot.state.load() == full) static_cast<void>(::unlink(slot.path.data()));
  // The handler was reset to the default on entry (SA_RESETHAND): the signal now ends the program.
  static_cast<void>(::raise(signal));
}

}  // namespace

void remove_on_signal(const std::string& path) noexcept {
  if (path.size() >= slots[0].path.size()) return;
  for (Slot& slot : slots) {
    int expected = empty;
    if (!slot.state.compare_exchange_strong(expected, busy)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.state.store(full);
    return;
  }
}

void keep_on_signal(const std::string& path) noexcept {
  for (Slot& slot : slots)
    if (slot.state.load() == full && path == slot.path.data()) slot.state.store(empty);
}

void install_signal_handlers() {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGXFSZ, &ignore, nullptr);

  struct sigaction action = {};
  action.sa_handler = remove_and_end;
  // SA_RESETHAND is 0x80000000 in an int field.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace clc
