// A text file that appears only when it is complete.
//
// Protocol   construct (creates it under a temporary name), write to stream(), close() once. Without close
//            nothing appears. "-" is standard output; devices and pipes are written directly.
// Errors     OutputError
#pragma once

#include <fstream>
#include <ostream>
#include <string>

namespace clc::tool {

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream();
  void close();

 private:
  [[noreturn]] void fail(const char* what) const;

  /// Removes the file unless the path is empty.
  struct Temporary {
    std::string path;
    ~Temporary();
  };

  std::string path_;
  Temporary temporary_;  // empty: written directly
  std::ofstream file_;
};

}  // namespace clc::tool
