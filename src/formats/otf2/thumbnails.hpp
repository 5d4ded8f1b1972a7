// The thumbnails of an archive that is rewritten. Their samples have no times. Their files are copied byte by byte,
// because libotf2 3.0 cannot read the thumbnails that it writes. Its writer is used only to count them.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "otf2/archive.hpp"

namespace clc::otf2 {

class Thumbnails {
 public:
  /// name: of the output in messages.
  Thumbnails(Archive& archive, const std::string& name) : archive_(archive), name_(name) {}

  /// Finds those that can be read, and gives the new archive as many. Throws InputError, OutputError.
  void count(OTF2_Reader* reader, OTF2_Archive* writer);
  /// Copies their files to the folder of the new archive, which is complete otherwise. Throws OutputError.
  void copy(const std::string& to) const;

 private:
  /// Not all of so many can be read.
  [[noreturn]] void refuse(std::uint32_t count) const;
  void find(std::uint32_t count);
  void create(OTF2_Archive* writer) const;
  [[nodiscard]] std::filesystem::path folder() const;
  [[nodiscard]] std::filesystem::path file(const std::filesystem::path& folder, std::uint32_t number) const;

  Archive& archive_;
  const std::string& name_;
  std::vector<std::uint32_t> numbers_;  ///< of those that can be read
};

}  // namespace clc::otf2
