// The errors that the library throws. A message is one line: where, what was found, what was
// expected, what to do. Only `main` turns an error into an exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace clc {

/// Base of all errors thrown on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Options or parameters that make no sense: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// The input cannot be opened, read or understood; everything delivered before stays valid: exit status 1.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The output cannot be opened or written: exit status 1.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// The reader at the other end of the output pipe is gone: end quietly.
class BrokenPipe : public OutputError {
 public:
  using OutputError::OutputError;
};

}  // namespace clc
