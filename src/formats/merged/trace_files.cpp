#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "bytes/file.hpp"
#include "bytes/files.hpp"
#include "bytes/folder.hpp"
#include "clc/error.hpp"
#include "merged/merged.hpp"

namespace clc::formats {

namespace {

constexpr std::array endings{std::string_view(".clct"), std::string_view(".clcb"), std::string_view(".trace")};
constexpr std::string_view readable = ".zst";
// Traces compressed in these ways are refused: if they were left out, their messages would be lost.
constexpr auto compressions =
    std::to_array<std::string_view>({readable, ".7z", ".br", ".bz", ".bz2", ".gz", ".lrz", ".lz", ".lz4", ".lzma",
                                     ".lzo", ".rar", ".sz", ".xz", ".z", ".zip", ".zstd"});

/// Without regard to case; lower_case has only lower-case letters.
bool ends_with_any_case(std::string_view name, std::string_view lower_case) {
  const auto is_same = [](char c, char lower) { return (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == lower; };
  return name.size() >= lower_case.size() &&
         std::ranges::equal(name.substr(name.size() - lower_case.size()), lower_case, is_same);
}

/// The name without the ending of a compression.
std::string_view uncompressed(std::string_view name) {
  const auto* const end =
      std::ranges::find_if(compressions, [name](std::string_view by) { return ends_with_any_case(name, by); });
  if (end != compressions.end()) name.remove_suffix(end->size());
  return name;
}

bool is_trace_name(std::string_view name) {
  if (name.starts_with('.')) return false;
  if (name.ends_with(readable)) name.remove_suffix(readable.size());
  return std::ranges::any_of(endings, [name](std::string_view ending) { return name.ends_with(ending); });
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The digits at the front, without leading zeros.
std::string_view take_digits(std::string_view& text) noexcept {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

/// Numbers in names count as numbers.
bool in_natural_order(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a);
      const std::string_view y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

void add_folder(const std::string& folder, TraceFiles& found) {
  int error = 0;
  std::vector<std::string> names = names_in(folder, error);
  if (error != 0) throw InputError(folder + ": cannot be read: " + std::strerror(error) + "; check the permissions");
  const std::string before = folder.ends_with('/') ? folder : folder + '/';
  std::erase_if(names, [&before](const std::string& name) {
    return !(is_trace_name(name) || is_trace_name(uncompressed(name))) || is_folder(before + name);
  });
  if (names.empty())
    throw InputError(folder +
                     ": is a directory without traces, expected files named *.clct, *.clcb or *.trace, or these with "
                     ".zst; name a trace file in it");
  std::sort(names.begin(), names.end(), in_natural_order);
  for (const std::string& name : names) (is_trace_name(name) ? found.files : found.compressed).push_back(before + name);
}

void add_list(const std::string& list, std::vector<std::string>& paths) {
  std::ifstream file;
  if (list != "-") file.open(list);
  std::istream& lines = list == "-" ? std::cin : file;
  const int error = errno;
  const std::string name = list == "-" ? "standard input" : list;
  if (!lines) throw InputError(name + ": cannot be opened: " + std::strerror(error) + "; check the name");
  const std::size_t before = paths.size();
  for (std::string line; std::getline(lines, line);) {
    if (line.find('\0') != std::string::npos)
      throw InputError(name + ": found a zero byte, expected one file name per line; end each with a newline");
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) paths.push_back(line);
  }
  if (lines.bad()) throw InputError(name + ": cannot be read");
  if (paths.size() == before)
    throw InputError(name + ": names no traces, expected one file name per line; check the list");
}

std::string normal_name(std::string_view file) { return std::filesystem::path(file).lexically_normal().string(); }

[[noreturn]] void refuse_copy(const std::string& original, const std::string& copy) {
  const bool by_zstd = copy.ends_with(readable);
  throw InputError(
      original + ": found beside " + copy + (by_zstd ? ", its compressed copy" : ", by its name a compressed copy") +
      ", expected each trace once; " +
      (by_zstd ? "remove one of them, or rename it" : "remove the copy, or decompress it to another name") +
      " if it is another trace");
}

/// Compression programs may keep the original beside the compressed file.
void refuse_compressed_copies(const std::vector<std::string>& files, const std::set<std::string>& names) {
  for (const std::string& file : files) {
    const std::string original(uncompressed(file));
    if (original != file && names.contains(normal_name(original))) refuse_copy(original, file);
  }
}

/// Each trace counts once: the same file, by any name, and one beside its compressed copy.
void refuse_repeated(const TraceFiles& found) {
  std::set<std::string> names;
  std::map<std::pair<dev_t, ino_t>, const std::string*> known;
  for (const std::string& file : found.files) {
    names.insert(normal_name(file));
    const std::string name = input_name(file);
    struct stat status = {};
    if ((file == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status)) != 0) continue;
    const auto [same, added] = known.try_emplace({status.st_dev, status.st_ino}, &file);
    if (!added)
      throw InputError(name + ": " +
                       (file == *same->second ? "is named twice" : "is the same file as " + input_name(*same->second)) +
                       ", expected each trace once; remove one of them");
  }
  refuse_compressed_copies(found.files, names);
  refuse_compressed_copies(found.compressed, names);
}

}  // namespace

TraceFiles trace_files(const std::vector<std::string>& paths, const std::string& list,
                       const std::function<bool(const std::string& path)>& is_archive) {
  std::vector<std::string> named = paths;
  if (!list.empty()) add_list(list, named);
  TraceFiles found;
  for (const std::string& path : named) {
    if (path != "-" && is_folder(path) && !is_archive(path))
      add_folder(path, found);
    else
      found.files.push_back(path);
  }
  refuse_repeated(found);
  return found;
}

}  // namespace clc::formats
