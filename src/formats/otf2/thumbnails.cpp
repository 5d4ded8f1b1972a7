#include "otf2/thumbnails.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bytes/folder.hpp"
#include "clc/error.hpp"
#include "common/words.hpp"

namespace clc::otf2 {

namespace fs = std::filesystem;

fs::path Thumbnails::folder() const { return fs::path(archive_.anchor()).parent_path(); }

fs::path Thumbnails::file(const fs::path& folder, std::uint32_t number) const {
  return folder / (archive_.name() + '.' + std::to_string(number) + ".thumb");
}

void Thumbnails::count(OTF2_Reader* reader, OTF2_Archive* writer) {
  std::uint32_t count = 0;
  check_input(OTF2_Reader_GetNumberOfThumbnails(reader, &count), archive_.anchor(), "count its thumbnails");
  if (count == 0) return;
  find(count);
  if (numbers_.size() < count) static_cast<void>(archive_.readable([&] { refuse(count); }));
  create(writer);
}

/// The number of a damaged anchor may be any: what is there is looked for.
void Thumbnails::find(std::uint32_t count) {
  const fs::path from = folder();
  const std::string prefix = archive_.name() + '.';
  int ignored = 0;
  for (const std::string& name : formats::names_in(from.empty() ? "." : from.string(), ignored)) {
    std::uint64_t number = 0;
    if (!name.starts_with(prefix) || !formats::to_number(fs::path(name.substr(prefix.size())).stem().string(), number))
      continue;
    const auto index = static_cast<std::uint32_t>(number);
    std::error_code error;
    if (number < count && name == file({}, index) && fs::is_regular_file(file(from, index), error) &&
        ::access(file(from, index).c_str(), R_OK) == 0)
      numbers_.push_back(index);
  }
  std::sort(numbers_.begin(), numbers_.end());
}

void Thumbnails::refuse(std::uint32_t count) const {
  std::uint32_t first = 0;
  while (first < numbers_.size() && numbers_[first] == first) ++first;
  const std::string missing = file(folder(), first).string();
  const char* const why = ::access(missing.c_str(), R_OK) == 0 ? "no regular file" : std::strerror(errno);
  throw InputError(archive_.anchor() + ": " + std::to_string(count - numbers_.size()) + " of its " +
                   std::to_string(count) + " thumbnails cannot be read, the first of them " + missing + " (" + why +
                   "); copy the whole archive");
}

void Thumbnails::create(OTF2_Archive* writer) const {
  const std::uint64_t reference = 0;
  for (std::size_t left = numbers_.size(); left > 0; --left) {
    OTF2_ThumbWriter* const to =
        OTF2_Archive_GetThumbWriter(writer, "", "", OTF2_THUMBNAIL_TYPE_REGION, 1, 1, &reference);
    if (to == nullptr) fail_output(name_, "create a thumbnail");
    check_output(OTF2_ThumbWriter_WriteSample(to, 0, 1, &reference), name_, "create a thumbnail");
  }
}

void Thumbnails::copy(const std::string& to) const {
  std::uint32_t number = 0;
  for (const std::uint32_t old : numbers_) {
    const fs::path from = file(folder(), old);
    std::error_code error;
    fs::copy_file(from, file(to, number++), fs::copy_options::overwrite_existing, error);
    if (error)
      throw OutputError(name_ + ": cannot copy the thumbnail " + from.string() + ": " + error.message() +
                        "; check room and permissions");
  }
}

}  // namespace clc::otf2
