#include "bytes/signals.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bytes/files.hpp"

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

// In a handler nothing may be called that takes memory or locks: directories are read by the system call.

/// What getdents64 returns, up to the name.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

/// ending: the program ends, and needs its files no more.
int open_folder(int parent, const char* path, bool ending) noexcept {
  constexpr int most = 64;
  for (int other = STDERR_FILENO + 1;; ++other) {
    const int folder = ::openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 || errno != EMFILE || !ending || other == most) return folder;
    if (other != parent) ::close(other);
  }
}

void remove_folder(int parent, const char* path, int levels, bool ending) noexcept;

void empty_folder(int folder, int levels, bool ending) noexcept {
  alignas(Entry) std::array<char, 4096> buffer{};
  static_cast<void>(::lseek(folder, 0, SEEK_SET));
  for (;;) {
    const long got = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size());
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      const char* const name = buffer.data() + at + offsetof(Entry, name);
      at += entry->size;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (::unlinkat(folder, name, 0) != 0 && errno == EISDIR && levels > 1)
        remove_folder(folder, name, levels - 1, ending);
    }
  }
}

/// An archive is a folder with files and one folder of files. Other threads may still be adding files.
void remove_folder(int parent, const char* path, int levels, bool ending) noexcept {
  constexpr int most_attempts = 1000;
  const int folder = open_folder(parent, path, ending);
  if (folder < 0) return;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    empty_folder(folder, levels, ending);
    if (::unlinkat(parent, path, AT_REMOVEDIR) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) break;
  }
  ::close(folder);
}

void remove_either(const char* path, bool ending) noexcept {
  if (::unlink(path) != 0 && errno == EISDIR) remove_folder(AT_FDCWD, path, 2, ending);
}

extern "C" void remove_and_end(int signal) {
  for (Slot& slot : slots)
    if (slot.state.load() == full) remove_either(slot.path.data(), true);
  // The handler was reset to the default on entry (SA_RESETHAND): the signal now ends the program.
  static_cast<void>(::raise(signal));
}

}  // namespace

void formats::remove_temporary(const char* path) noexcept { remove_either(path, false); }

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
  for (const int signal : formats::ending_signals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace clc
