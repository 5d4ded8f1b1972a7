// The errors that the library throws. A message is one line: the place, what was found, what was
// expected, and the remedy. A remedy names options of this interface, such as SourceOptions::keep_going; the programs
// show their flags instead. Only `main` turns an error into an exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace clc {

/// Base of all errors thrown on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Invalid options or parameters: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The input cannot be opened, read or understood: exit status 1. Everything delivered before stays valid.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The output cannot be opened or written: exit status 1.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// The reader of the output pipe is gone: end silently. Requires that the program ignores SIGPIPE.
class BrokenPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

}  // namespace clc
