#include "common/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "clc/error.hpp"
#include "clc/io/files.hpp"

namespace clc::tool {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") return;
  struct stat status = {};
  const bool direct = ::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (!direct) temporary_.path = path_ + '.' + std::to_string(::getpid()) + ".tmp";
  if (!direct) remove_on_signal(temporary_.path);
  file_.open(direct ? path_ : temporary_.path, std::ios::binary);
  if (!file_) fail("created");
}

OutputFile::Temporary::~Temporary() {
  if (path.empty()) return;
  std::remove(path.c_str());
  keep_on_signal(path);
}

std::ostream& OutputFile::stream() { return path_ == "-" ? std::cout : file_; }

void OutputFile::close() {
  stream().flush();
  if (!stream()) fail("written");
  if (path_ == "-") return;
  file_.close();
  if (!file_) fail("written");
  if (temporary_.path.empty()) return;
  if (std::rename(temporary_.path.c_str(), path_.c_str()) != 0) fail("written");
  keep_on_signal(temporary_.path);
  temporary_.path.clear();
}

void OutputFile::fail(const char* what) const {
  const int error = errno;
  const std::string name = path_ == "-" ? "standard output" : path_;
  const std::string message = name + ": cannot be " + what + ": " + std::strerror(error);
  if (error == EPIPE) throw BrokenPipe(message);
  throw OutputError(message);
}

}  // namespace clc::tool
