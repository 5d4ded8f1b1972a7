#include "otf2/retime.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "clc/error.hpp"

namespace clc::otf2 {

namespace {

enum Kind : std::uint8_t {
  end_of_chunk = 0,
  end_of_buffer = 1,
  end_of_file = 2,
  chunk_head = 3,
  time_stamp = 5,
  attributes = 6,
  buffer_flush = 10,
  enter = 12,
  leave = 13,
};
constexpr std::uint8_t own_order = std::endian::native == std::endian::little ? 'B' : '#';
constexpr std::uint8_t other_order = std::endian::native == std::endian::little ? '#' : 'B';
constexpr std::size_t head_size = 18;

class File {
 public:
  File(const std::string& path, int flags) : file_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  [[nodiscard]] bool open() const noexcept { return file_ >= 0; }
  /// How many bytes there were, at most size; nullopt: cannot be read.
  [[nodiscard]] std::optional<std::size_t> read(char* to, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(file_, to + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return std::nullopt;
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  [[nodiscard]] bool write(const char* from, std::size_t size) const {
    while (size > 0) {
      const ssize_t written = ::write(file_, from, size);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      from += written;
      size -= static_cast<std::size_t>(written);
    }
    return true;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const {
    struct stat status = {};
    if (::fstat(file_, &status) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }
  [[nodiscard]] bool seek(std::uint64_t place) const {
    return ::lseek(file_, static_cast<off_t>(place), SEEK_SET) >= 0;
  }
  /// Some file systems say only now that there is no room.
  [[nodiscard]] bool close() { return ::close(std::exchange(file_, -1)) == 0; }

 private:
  int file_;
};

std::uint64_t load(const char* at) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Of a record behind its kind: the bytes that tell its length, and as many as they say. left: how many there are, at
/// least 1. nullopt: fewer than that.
std::optional<std::uint64_t> length_of(const char* at, std::uint64_t left) noexcept {
  std::uint64_t length = static_cast<std::uint8_t>(*at);
  std::uint64_t told_by = 1;
  if (length == 0xff) {
    if (left < 9) return std::nullopt;
    length = load(at + 1);
    told_by = 9;
  }
  if (length > left - told_by) return std::nullopt;
  return told_by + length;
}

/// Hands the times and events of a chunk to visit. False: it is not laid out as expected, or visit has refused.
template <class Visit>
[[gnu::noinline]] bool walk_chunk(char* const begin, std::size_t size, Visit& visit) {
  if (size <= head_size || begin[0] != chunk_head || static_cast<std::uint8_t>(begin[1]) != own_order) return false;
  const std::uint64_t events = load(begin + 10) - load(begin + 2) + 1;
  std::uint64_t found = 0;
  const char* const end = begin + size;
  char* at = begin + head_size;
  while (at < end) {
    auto kind = static_cast<std::uint8_t>(*at++);
    auto left = static_cast<std::uint64_t>(end - at);
    if (kind == time_stamp) {
      if (left < 9) return false;  // there is an event of that time
      visit.time(at);
      at += 8;
      kind = static_cast<std::uint8_t>(*at++);
      left -= 9;
    }
    if (kind <= end_of_file) return found == events;
    if (kind < attributes || left == 0) return false;
    const auto told = static_cast<std::uint8_t>(*at);
    std::uint64_t length = told + 1U;
    if (told == 0xff) [[unlikely]]
      length = kind == enter || kind == leave ? 1 : length_of(at, left).value_or(left + 1);
    if (length > left) return false;
    if (kind != attributes) {
      ++found;
      if (!visit.event(kind, at, length)) return false;
    }
    at += length;
  }
  return false;
}

/// Gives events their times.
struct Retimed {
  LocationTimes& times;
  char* stamp = nullptr;      // where the time at hand stands
  std::int64_t recorded = 0;  // what stood there
  bool stamped = false;       // what stands there now is of the new times:
  std::int64_t corrected = 0;

  void time(char* at) {
    stamp = at;
    recorded = static_cast<std::int64_t>(load(at));
    stamped = false;
  }
  bool event(std::uint8_t kind, char* at, std::uint64_t length) {
    if (stamp == nullptr) return false;
    const std::int64_t time = times.next(recorded);
    if (!stamped) {
      std::memcpy(stamp, &time, sizeof time);
      corrected = time;
      stamped = true;
    } else if (corrected != time) {
      return false;
    }
    return kind != buffer_flush || stop(at, length);
  }
  /// The time at which a flush of the buffer ended.
  [[gnu::noinline]] bool stop(char* at, std::uint64_t length) {
    if (length < 9) return false;
    const std::int64_t time = times.within(static_cast<std::int64_t>(load(at + 1)));
    std::memcpy(at + 1, &time, sizeof time);
    return true;
  }
};

/// Collects kinds of events.
struct Kinds {
  std::set<unsigned>& all;
  unsigned first;
  void time(const char* /*at*/) {}
  bool event(std::uint8_t kind, const char* /*at*/, std::uint64_t /*length*/) {
    if (kind >= first) all.insert(kind);
    return true;
  }
};

}  // namespace

bool retime(const std::string& from, const std::string& to, const std::string& name, std::uint64_t chunk_size,
            LocationTimes& times) {
  const auto fail = [&] {
    throw OutputError(name + ": cannot write the events of a location: " + std::strerror(errno) +
                      "; check room and permissions");
  };
  const File in(from, O_RDONLY);
  if (!in.open()) return false;
  File out(to, O_WRONLY | O_CREAT | O_TRUNC);
  if (!out.open()) fail();
  std::vector<char> chunk(chunk_size);
  for (;;) {
    const std::optional<std::size_t> size = in.read(chunk.data(), chunk.size());
    if (!size) return false;
    if (*size == 0) break;
    Retimed retimed{times};
    if (!walk_chunk(chunk.data(), *size, retimed)) return false;
    if (!out.write(chunk.data(), *size)) fail();
  }
  if (!out.close()) fail();
  return true;
}

std::optional<std::uint64_t> events_before_cut(const std::string& file, std::uint64_t chunk_size) {
  const File in(file, O_RDONLY);
  const std::optional<std::uint64_t> size = in.open() ? in.size() : std::nullopt;
  if (!size || *size == 0 || chunk_size <= head_size) return std::nullopt;
  std::vector<char> chunk(chunk_size);
  const auto read = [&](std::uint64_t number) {
    return in.seek(number * chunk_size) ? in.read(chunk.data(), chunk.size()).value_or(0) : 0;
  };
  const auto is_head = [&] {
    return chunk[0] == chunk_head &&
           (static_cast<std::uint8_t>(chunk[1]) == own_order || static_cast<std::uint8_t>(chunk[1]) == other_order);
  };
  const auto number_at = [&](std::size_t at) {
    const std::uint64_t number = load(&chunk[at]);
    return static_cast<std::uint8_t>(chunk[1]) == own_order ? number : __builtin_bswap64(number);
  };
  if (read(0) < head_size || !is_head()) return std::nullopt;
  const std::uint64_t first = number_at(2);
  const std::uint64_t last = (*size - 1) / chunk_size;
  const std::size_t length = read(last);
  if (length <= head_size)
    return last > 0 && read(last - 1) > head_size && is_head() ? std::optional(number_at(10) + 1 - first)
                                                               : std::nullopt;
  if (!is_head()) return std::nullopt;
  std::uint64_t events = number_at(2) - first;
  for (std::size_t at = head_size; at < length;) {
    const auto kind = static_cast<std::uint8_t>(chunk[at++]);
    if (kind == end_of_file) return std::nullopt;
    if (kind < end_of_file) return events;
    if (kind == time_stamp) {
      at += 8;
      continue;
    }
    if (kind < attributes) return std::nullopt;
    if (at >= length) break;
    const auto told = static_cast<std::uint8_t>(chunk[at]);
    std::uint64_t bytes = told + 1U;
    if (told == 0xff && kind != enter && kind != leave) {
      if (length - at < 9) break;
      bytes = 9 + number_at(at + 1);
    } else if (told == 0xff) {
      bytes = 1;
    }
    if (bytes > length - at) break;
    at += bytes;
    if (kind != attributes) ++events;
  }
  return events;
}

bool definitions_cut(const std::string& file, std::uint64_t chunk_size) {
  const File in(file, O_RDONLY);
  const std::optional<std::uint64_t> size = in.open() ? in.size() : std::nullopt;
  if (!size || chunk_size <= head_size || *size <= chunk_size) return false;
  std::vector<char> chunk(chunk_size);
  if (!in.seek((*size - 1) / chunk_size * chunk_size)) return false;
  const std::size_t length = in.read(chunk.data(), chunk.size()).value_or(0);
  if (length <= head_size) return true;
  if (chunk[0] != chunk_head || static_cast<std::uint8_t>(chunk[1]) != own_order) return false;
  for (std::size_t at = head_size; at + 1 < length;) {
    const auto kind = static_cast<std::uint8_t>(chunk[at++]);
    if (kind <= end_of_file) return kind != end_of_file;
    const std::optional<std::uint64_t> bytes = length_of(&chunk[at], length - at);
    if (!bytes) return true;
    at += *bytes;
  }
  return true;
}

void collect_kinds(const std::string& file, std::uint64_t chunk_size, unsigned known, std::set<unsigned>& kinds) {
  const File in(file, O_RDONLY);
  if (!in.open()) return;
  Kinds unknown{kinds, buffer_flush + known};
  std::vector<char> chunk(chunk_size);
  for (;;) {
    const std::optional<std::size_t> size = in.read(chunk.data(), chunk.size());
    if (!size || *size == 0 || !walk_chunk(chunk.data(), *size, unknown)) return;
  }
}

void collect_definition_kinds(const std::string& file, std::uint64_t chunk_size, unsigned known,
                              std::set<unsigned>& kinds) {
  constexpr unsigned string = 10;
  const File in(file, O_RDONLY);
  if (!in.open()) return;
  std::vector<char> chunk(chunk_size);
  for (;;) {
    const std::size_t size = in.read(chunk.data(), chunk.size()).value_or(0);
    if (size <= head_size || chunk[0] != chunk_head || static_cast<std::uint8_t>(chunk[1]) != own_order) return;
    for (std::size_t at = head_size; at + 1 < size && static_cast<std::uint8_t>(chunk[at]) > end_of_file;) {
      const auto kind = static_cast<std::uint8_t>(chunk[at++]);
      const auto length = length_of(&chunk[at], size - at);
      if (!length) return;
      at += *length;
      if (kind >= string + known) kinds.insert(kind);
    }
  }
}

}  // namespace clc::otf2
