#include "bytes/temporary.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bytes/descriptors.hpp"
#include "clc/error.hpp"

namespace clc::formats {

namespace {

[[noreturn]] void fail(const char* what) {
  const int error = errno;
  const std::string remedy = descriptor_remedy(error);
  throw OutputError(std::string("temporary file: cannot be ") + what + ": " + std::strerror(error) +
                    (remedy.empty() ? "; make room, or name another folder in TMPDIR" : remedy));
}

}  // namespace

int open_temporary() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/clc-XXXXXX";
  const int file = ::mkstemp(name.data());
  if (file < 0) fail("created");
  static_cast<void>(::unlink(name.c_str()));
  return file;
}

void write_temporary(int file, const char* bytes, std::size_t size, std::uint64_t place) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = ::pwrite(file, bytes + done, size - done, static_cast<off_t>(place + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("written");
    done += static_cast<std::size_t>(written);
  }
}

std::size_t read_temporary(int file, char* to, std::size_t size, std::uint64_t place) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, to + done, size - done, static_cast<off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace clc::formats
