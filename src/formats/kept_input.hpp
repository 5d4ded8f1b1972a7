// Input that can be read once, kept in a temporary file to be read several times.
//
// Place    Beneath the formats, in place of the file that it is a copy of; messages name that one.
// Cost     A temporary file, compressed by zstd at its fastest unless the input is compressed already.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bytes/bytes.hpp"

namespace clc {

class KeptInput : public std::enable_shared_from_this<KeptInput> {
 public:
  /// Reads input to its end. name: in messages; packs: compresses it. Throws InputError, OutputError.
  KeptInput(std::string name, formats::ByteSource& input, bool packs);
  KeptInput(const KeptInput&) = delete;
  KeptInput& operator=(const KeptInput&) = delete;
  ~KeptInput();

  /// From the beginning.
  [[nodiscard]] std::unique_ptr<formats::ByteSource> open() const;

 private:
  std::string name_;
  int file_;
  std::uint64_t size_ = 0;
  bool packed_;  ///< compressed here
};

}  // namespace clc
