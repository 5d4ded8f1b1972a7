// Loaded into a program before its libraries (LD_PRELOAD), makes calls fail while main runs:
//
//   CLC_FAULT=CALL:HOW:WHEN
//     CALL   read, write, open, close, rename (also to exchange), stat (of an open file), memory, thread (a new one),
//            mkdir, sync (of a file, or of all)
//     HOW    short (at most one byte), again (EINTR or EAGAIN in turn, every other call), an error number, or signal
//            (open, rename, mkdir: the call succeeds, and SIGTERM comes), kill (the same with SIGKILL)
//     WHEN   0: every call; N: the N-th; N+: the N-th and all after it
//   CLC_FAULT_COUNT=FILE   writes there how many such calls there were
//
// Standard error is left alone, so that messages arrive.
#undef _FORTIFY_SOURCE  // defines some of these functions itself
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* block, std::size_t size);
extern "C" void* __libc_memalign(std::size_t alignment, std::size_t size);

namespace {

enum class Call { none, read, write, open, close, rename, stat, memory, thread, mkdir, sync };
enum class How { error, shorter, again, signal, kill };

Call call = Call::none;
How how = How::error;
int error_number = 0;
unsigned long first = 0;
bool all_after = false;
std::atomic<bool> active{false};
std::atomic<unsigned long> calls{0};

void set_up() {
  const char* const text = std::getenv("CLC_FAULT");
  if (text == nullptr) return;
  char name[16] = {};
  char manner[16] = {};
  char when[16] = {};
  if (std::sscanf(text, "%15[^:]:%15[^:]:%15s", name, manner, when) != 3) _exit(99);
  const char* const names[] = {"none", "read",   "write",  "open",  "close", "rename",
                               "stat", "memory", "thread", "mkdir", "sync"};
  for (int i = 0; i < 11; ++i)
    if (std::strcmp(name, names[i]) == 0) call = static_cast<Call>(i);
  if (call == Call::none) _exit(99);
  if (std::strcmp(manner, "short") == 0)
    how = How::shorter;
  else if (std::strcmp(manner, "again") == 0)
    how = How::again;
  else if (std::strcmp(manner, "signal") == 0)
    how = How::signal;
  else if (std::strcmp(manner, "kill") == 0)
    how = How::kill;
  else
    error_number = static_cast<int>(std::strtol(manner, nullptr, 10));
  first = std::strtoul(when, nullptr, 10);
  all_after = when[std::strlen(when) - 1] == '+';
}

/// Counts a call; true when it is to be disturbed. Sets errno when it is to fail.
bool disturbed(Call which) {
  if (which != call || !active.load()) return false;
  const unsigned long number = calls.fetch_add(1) + 1;
  if (how == How::again) {
    errno = number % 4 == 1 ? EINTR : EAGAIN;
    return number % 2 == 1;
  }
  const bool hit = first == 0 || number == first || (all_after && number > first);
  if (hit && how == How::error) errno = error_number;
  return hit;
}
bool fails(Call which) { return disturbed(which) && how != How::shorter; }
/// Result of a call; failed: where it is to fail.
template <class Result, class Real>
Result disturbed_call(Call which, Result failed, Real real) {
  const bool hit = disturbed(which);
  if (hit && how != How::signal && how != How::kill) return failed;
  const Result result = real();
  if (hit) ::kill(::getpid(), how == How::kill ? SIGKILL : SIGTERM);
  return result;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// function: fopen or its twin for large files.
std::FILE* open_stream(const char* function, const char* path, const char* mode) {
  return disturbed_call(Call::open, static_cast<std::FILE*>(nullptr),
                        [&] { return next<std::FILE*(const char*, const char*)>(function)(path, mode); });
}

using Main = int (*)(int, char**, char**);
Main program = nullptr;

int disturbed_main(int argc, char** argv, char** environment) {
  set_up();
  active = true;
  const int status = program(argc, argv, environment);
  active = false;
  if (const char* const file = std::getenv("CLC_FAULT_COUNT")) {
    char line[24];
    const int length = std::snprintf(line, sizeof line, "%lu\n", calls.load());
    const long fd = ::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) static_cast<void>(::syscall(SYS_write, fd, line, length));
  }
  return status;
}

}  // namespace

extern "C" {

int __libc_start_main(Main entry, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader)(),
                      void* stack) {
  program = entry;
  const auto start = next<int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  return start(disturbed_main, argc, argv, init, fini, loader, stack);
}

ssize_t read(int fd, void* to, std::size_t size) {
  const bool hit = size > 0 && disturbed(Call::read);
  if (hit && how != How::shorter) return -1;
  return ::syscall(SYS_read, fd, to, hit ? std::size_t{1} : size);
}

ssize_t write(int fd, const void* from, std::size_t size) {
  const bool hit = fd != STDERR_FILENO && size > 0 && disturbed(Call::write);
  if (hit && how != How::shorter) return -1;
  return ::syscall(SYS_write, fd, from, hit ? std::size_t{1} : size);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  const bool hit = fd != STDERR_FILENO && disturbed(Call::write);
  if (hit && how != How::shorter) return -1;
  if (!hit) return ::syscall(SYS_writev, fd, parts, count);
  for (int i = 0; i < count; ++i)
    if (parts[i].iov_len > 0) return ::syscall(SYS_write, fd, parts[i].iov_base, 1);
  return 0;
}

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return disturbed_call(Call::open, -1,
                        [&] { return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode)); });
}

int mkdir(const char* path, mode_t mode) {
  return disturbed_call(Call::mkdir, -1,
                        [&] { return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode)); });
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

std::FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

int close(int fd) {
  const bool hit = fails(Call::close);
  const int error = errno;
  const long result = ::syscall(SYS_close, fd);
  if (!hit) return static_cast<int>(result);
  errno = error;
  return -1;
}

int rename(const char* from, const char* to) noexcept {
  return disturbed_call(Call::rename, -1, [&] { return static_cast<int>(::syscall(SYS_rename, from, to)); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return disturbed_call(Call::rename, -1, [&] {
    return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  });
}

int fsync(int fd) {
  return disturbed_call(Call::sync, -1, [&] { return static_cast<int>(::syscall(SYS_fsync, fd)); });
}
int syncfs(int fd) noexcept {
  return disturbed_call(Call::sync, -1, [&] { return static_cast<int>(::syscall(SYS_syncfs, fd)); });
}

int fstat(int fd, struct stat* status) noexcept {
  if (fails(Call::stat)) return -1;
  return static_cast<int>(::syscall(SYS_fstat, fd, status));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* what) noexcept {
  if (fails(Call::thread)) return errno;
  return next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create")(thread, attributes,
                                                                                                 work, what);
}

void* malloc(std::size_t size) noexcept {
  return fails(Call::memory) ? (errno = ENOMEM, nullptr) : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return fails(Call::memory) ? (errno = ENOMEM, nullptr) : __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  return fails(Call::memory) ? (errno = ENOMEM, nullptr) : __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return fails(Call::memory) ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return fails(Call::memory) ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept {
  void* const block = fails(Call::memory) ? nullptr : __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *to = block;
  return 0;
}

}  // extern "C"
