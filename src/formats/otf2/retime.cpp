#include "otf2/retime.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "bytes/descriptors.hpp"
#include "clc/error.hpp"
#include "otf2/chunks.hpp"

namespace clc::otf2 {

namespace {

using namespace chunks;

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

}  // namespace

bool retime(const std::string& from, const std::string& to, const std::string& name, std::uint64_t chunk_size,
            LocationTimes& times) {
  const auto fail = [&] {
    const int error = errno;
    const std::string remedy = formats::descriptor_remedy(error);
    throw OutputError(name + ": cannot write the events of a location: " + std::strerror(error) +
                      (remedy.empty() ? "; check room and permissions" : remedy));
  };
  const File in(from, O_RDONLY);
  if (!in.open()) return false;
  File out(to, O_WRONLY | O_CREAT | O_TRUNC);
  if (!out.open()) fail();
  const auto chunk = std::make_unique_for_overwrite<char[]>(chunk_size);
  for (;;) {
    const std::optional<std::size_t> size = in.read(chunk.get(), chunk_size);
    if (!size) return false;
    if (*size == 0) break;
    Retimed retimed{times};
    if (!walk_events(chunk.get(), *size, retimed)) return false;
    if (!out.write(chunk.get(), *size)) fail();
  }
  if (!out.close()) fail();
  return true;
}

}  // namespace clc::otf2
