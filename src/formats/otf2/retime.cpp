#include "otf2/retime.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
/// least 1. swapped: numbers are of the other byte order. nullopt: fewer than that.
std::optional<std::uint64_t> length_of(const char* at, std::uint64_t left, bool swapped = false) noexcept {
  std::uint64_t length = static_cast<std::uint8_t>(*at);
  std::uint64_t told_by = 1;
  if (length == 0xff) {
    if (left < 9) return std::nullopt;
    length = swapped ? __builtin_bswap64(load(at + 1)) : load(at + 1);
    told_by = 9;
  }
  if (length > left - told_by) return std::nullopt;
  return told_by + length;
}

/// The same of an event.
std::optional<std::uint64_t> event_length(std::uint8_t kind, const char* at, std::uint64_t left,
                                          bool swapped = false) noexcept {
  // A packed number may begin with 255, which then is all of it.
  if (static_cast<std::uint8_t>(*at) == 0xff && (kind == enter || kind == leave)) return 1;
  return length_of(at, left, swapped);
}

/// The chunks of a file, one at a time, of either byte order.
class Chunks {
 public:
  Chunks(const std::string& file, std::uint64_t chunk_size)
      : in_(file, O_RDONLY), chunk_size_(std::max<std::uint64_t>(1, chunk_size)) {
    if (in_.open() && chunk_size > head_size) bytes_ = in_.size().value_or(0);
    chunk_.resize(std::min(bytes_, chunk_size));
  }
  [[nodiscard]] std::uint64_t count() const noexcept {
    return bytes_ / chunk_size_ + (bytes_ % chunk_size_ == 0 ? 0 : 1);
  }
  /// Makes a chunk the current one. False: it does not begin with a head and a record behind it.
  [[nodiscard]] bool read(std::uint64_t number) {
    size_ = in_.seek(number * chunk_size_) ? in_.read(chunk_.data(), chunk_.size()).value_or(0) : 0;
    if (size_ <= head_size || chunk_[0] != chunk_head) return false;
    const auto order = static_cast<std::uint8_t>(chunk_[1]);
    swapped_ = order != own_order;
    return order == own_order || order == other_order;
  }
  // Of the current one.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool swapped() const noexcept { return swapped_; }
  [[nodiscard]] const char* data() const noexcept { return chunk_.data(); }
  /// Numbers of its first and last event.
  [[nodiscard]] std::uint64_t first() const noexcept { return number_at(2); }
  [[nodiscard]] std::uint64_t last() const noexcept { return number_at(10); }

 private:
  [[nodiscard]] std::uint64_t number_at(std::size_t at) const noexcept {
    return swapped_ ? __builtin_bswap64(load(&chunk_[at])) : load(&chunk_[at]);
  }

  File in_;
  std::uint64_t chunk_size_;
  std::uint64_t bytes_ = 0;
  std::vector<char> chunk_;
  std::size_t size_ = 0;
  bool swapped_ = false;
};

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
      length = event_length(kind, at, left).value_or(left + 1);
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
  Chunks chunks(file, chunk_size);
  if (chunks.count() == 0 || !chunks.read(0)) return std::nullopt;
  const std::uint64_t first = chunks.first();
  const std::uint64_t last = chunks.count() - 1;
  if (!chunks.read(last)) {
    const bool cut_in_head = chunks.size() <= head_size;
    if (!cut_in_head || last == 0 || !chunks.read(last - 1)) return std::nullopt;
    return chunks.last() + 1 - first;
  }
  std::uint64_t events = chunks.first() - first;
  const char* const end = chunks.data() + chunks.size();
  for (const char* at = chunks.data() + head_size; at < end;) {
    const auto kind = static_cast<std::uint8_t>(*at++);
    const auto left = static_cast<std::uint64_t>(end - at);
    if (kind == end_of_file) return std::nullopt;
    if (kind < end_of_file) break;
    if (kind == time_stamp) {
      if (left < 8) break;
      at += 8;
      continue;
    }
    if (kind < attributes) return std::nullopt;
    const std::optional<std::uint64_t> length =
        left == 0 ? std::nullopt : event_length(kind, at, left, chunks.swapped());
    if (!length) break;
    at += *length;
    if (kind != attributes) ++events;
  }
  return events;
}

bool definitions_cut(const std::string& file, std::uint64_t chunk_size) {
  Chunks chunks(file, chunk_size);
  if (chunks.count() < 2) return false;
  if (!chunks.read(chunks.count() - 1)) return chunks.size() <= head_size;
  const char* const end = chunks.data() + chunks.size();
  for (const char* at = chunks.data() + head_size; at + 1 < end;) {
    const auto kind = static_cast<std::uint8_t>(*at++);
    if (kind <= end_of_file) return kind != end_of_file;
    const auto length = length_of(at, static_cast<std::uint64_t>(end - at), chunks.swapped());
    if (!length) break;
    at += *length;
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
