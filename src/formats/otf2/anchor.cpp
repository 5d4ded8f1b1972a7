#include "otf2/anchor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "bytes/folder.hpp"
#include "clc/error.hpp"

namespace clc::otf2 {

namespace fs = std::filesystem;

bool starts_anchor(std::string_view start) noexcept {
  // In front of the name is the byte order: B is little-endian, # is big-endian.
  return start.size() >= anchor_start && (start[1] == 'B' || start[1] == '#') && start.substr(2, 4) == "OTF2";
}

namespace {

/// Where the files of its archive are: a link may stand elsewhere.
std::string beside_its_archive(const std::string& path) {
  std::error_code error;
  fs::path anchor(path);
  if (fs::is_symlink(anchor, error) && !fs::exists(fs::path(path).replace_extension(".def"), error))
    anchor = fs::canonical(anchor, error);
  if (error) return path;
  if (anchor.extension() != ".otf2")
    throw InputError(path +
                     ": is the anchor file of an OTF2 archive, expected a name that ends in .otf2; rename it to "
                     "NAME.otf2 beside NAME.def and the folder NAME");
  return anchor.string();
}

}  // namespace

std::optional<std::string> find_anchor(const std::string& path) {
  const auto is_anchor = [](const std::string& file) {
    char start[anchor_start] = {};
    std::ifstream stream(file, std::ios::binary);
    return stream.read(start, sizeof start) && starts_anchor({start, sizeof start});
  };
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (fs::is_regular_file(path, error) && is_anchor(path)) return beside_its_archive(path);
    return std::nullopt;
  }
  std::vector<std::string> anchors;
  bool parts = false;
  int failed = 0;
  for (const std::string& name : formats::names_in(path, failed)) {
    const fs::path file = fs::path(path) / name;
    const std::string extension = file.extension().string();
    if (extension == ".otf2" && fs::is_regular_file(file, error)) anchors.push_back(file.string());
    parts = parts || extension == ".def" || extension == ".evt";
  }
  if (failed != 0) return std::nullopt;  // whoever opens it says why
  if (anchors.size() == 1) return beside_its_archive(anchors.front());
  if (anchors.size() > 1) {
    std::sort(anchors.begin(), anchors.end());
    throw InputError(path + ": holds " + std::to_string(anchors.size()) + " OTF2 archives; name one of them, such as " +
                     anchors.front());
  }
  if (parts)
    throw InputError(path + ": holds files of an OTF2 archive but no anchor file (NAME.otf2); copy the whole archive");
  return std::nullopt;
}

void check_properties(const std::string& anchor) {
  // Behind numbers of fixed size stand the names of machine and creator and a description, each with a zero byte, then
  // the number of properties, of 4 bytes, then these.
  constexpr std::string_view format("\0\3", 2);  // of which that is known
  constexpr std::size_t names = 46;
  constexpr std::size_t most = std::size_t{1} << 16U;  // that are looked at
  std::string bytes(most, '\0');
  std::ifstream stream(anchor, std::ios::binary);
  stream.read(bytes.data(), most);
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (!starts_anchor(bytes) || bytes.compare(anchor_start, format.size(), format) != 0) return;
  std::size_t at = names;
  for (int name = 0; name < 3; ++name) {
    const std::size_t end = bytes.find('\0', at);
    if (end == std::string::npos) return;
    at = end + 1;
  }
  if (bytes.size() < at + 4) return;
  std::uint32_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t place = at + (bytes[1] == '#' ? k : 3 - k);
    count = count << 8U | static_cast<unsigned char>(bytes[place]);
  }
  std::error_code error;
  const std::uintmax_t left = fs::file_size(anchor, error) - at - 4;
  if (!error && count > left)
    throw InputError(anchor + ": declares " + std::to_string(count) + " properties, but only " + std::to_string(left) +
                     " bytes follow; " + damaged);
}

bool is_file_of(const std::string& anchor, const std::string& path) {
  const fs::path folder = fs::path(anchor).parent_path() / ".";
  const std::string name = fs::path(anchor).stem().string();
  const auto is_own = [&](const fs::path& file) {
    constexpr std::array<std::string_view, 4> extensions{".otf2", ".def", ".marker", ".thumb"};
    return file.string().starts_with(name + '.') &&
           std::ranges::find(extensions, file.extension().string()) != extensions.end();
  };
  const auto is_open_in = [&](const fs::path& of, const auto& counts) {
    int failed = 0;
    return std::ranges::any_of(formats::names_in(of.string(), failed), [&](const std::string& file) {
      return counts(file) && same_file((of / file).string(), path);
    });
  };
  if (is_open_file(path))
    return is_open_in(folder, is_own) || is_open_in(folder / name, [](const std::string&) { return true; });
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const fs::path file = fs::canonical(path, error);
  const fs::path own = fs::canonical(folder, error);
  if (error) return false;
  return file.parent_path() == own ? is_own(file.filename())
                                   : file.parent_path() == fs::weakly_canonical(own / name, error);
}

}  // namespace clc::otf2
