// Many byte streams, written in any order, each read back from its start. Kept in memory up to a limit, then
// in an unnamed temporary file.
//
// Place    Holds the corrections of traces that are written again, and the events of archives with more locations than
//          files may be open.
// Cost     A block per stream at most half used; appends are copies. Entries can be written and read where they lie in
//          a block, with one check for each. The file is created in $TMPDIR or /tmp, and written a group of blocks at a
//          time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/varint.hpp"
#include "trace/short_copy.hpp"

namespace clc::formats {

class Spool {
 public:
  static constexpr std::size_t block_size = 4096;
  static constexpr std::size_t group = 32;  ///< blocks written to the file at once
  static constexpr std::size_t usual_limit = std::size_t{32} << 20;
  static constexpr std::size_t longest_entry = 64;  ///< bytes that can be written or read at once

  explicit Spool(std::size_t streams, std::size_t memory_limit = usual_limit);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  /// Makes room for further streams.
  void grow(std::size_t streams) {
    if (streams > streams_.size()) streams_.resize(streams);
  }

  void append(std::size_t stream, const char* bytes, std::size_t size) {
    Stream& to = streams_[stream];
    if (to.tail.size() - to.used < size) [[unlikely]]
      return append_slowly(to, bytes, size);
    to.used = static_cast<std::uint32_t>(short_copy(to.tail.data() + to.used, bytes, size) - to.tail.data());
  }
  void append_varint(std::size_t stream, std::uint64_t value) {
    Stream& to = streams_[stream];
    if (to.tail.size() - to.used < longest_varint) [[unlikely]]
      return append_varint_slowly(to, value);
    to.used = static_cast<std::uint32_t>(put_varint(to.tail.data() + to.used, value) - to.tail.data());
  }
  /// Appends an entry: encode(char*) writes at most longest_entry bytes and returns their end.
  template <class Encode>
  [[gnu::always_inline]] void append_entry(std::size_t stream, Encode encode) {
    Stream& to = streams_[stream];
    const bool has_room = to.tail.size() - to.used >= longest_entry;
    char* const begin = has_room ? to.tail.data() + to.used : entry_.data();
    const auto size = static_cast<std::size_t>(encode(begin) - begin);
    if (has_room) [[likely]]
      to.used += static_cast<std::uint32_t>(size);
    else
      append_slowly(to, begin, size);
  }

  /// A stream is complete: gives back the memory that it does not need.
  void complete(std::size_t stream) {
    Stream& of = streams_[stream];
    if (of.used < of.tail.size()) of.tail = std::vector<char>(of.tail.begin(), of.tail.begin() + of.used);
  }

  /// Reads a stream that is complete. Blocks in memory are read where they are.
  class Reader {
   public:
    Reader(Spool& spool, std::size_t stream) : spool_(&spool), stream_(stream) {}
    /// The next bytes, at least longest_entry of them; behind the end of the stream they have no meaning. Null: it is
    /// at its end.
    [[nodiscard]] const char* entry() {
      if (end_ - at_ >= std::ptrdiff_t{longest_entry}) [[likely]]
        return at_;
      return entry_at_end();
    }
    /// The entry ends there.
    void go_on(const char* at) noexcept { at_ = at; }
    /// False at the end.
    bool next(std::uint8_t& byte) {
      if (at_ == end_ && !refill()) return false;
      byte = static_cast<std::uint8_t>(*at_++);
      return true;
    }
    bool varint(std::uint64_t& value) {
      if (at_ < end_ && static_cast<std::uint8_t>(*at_) < 128) {
        value = static_cast<std::uint8_t>(*at_++);
        return true;
      }
      if (end_ - at_ > 1 && static_cast<std::uint8_t>(at_[1]) < 128) {
        value = (static_cast<std::uint8_t>(*at_) & 127U) | std::uint64_t{static_cast<std::uint8_t>(at_[1])} << 7U;
        at_ += 2;
        return true;
      }
      return long_varint(value);
    }
    bool bytes(std::size_t count, std::string& to) {
      while (count > 0) {
        if (at_ == end_ && !refill()) return false;
        const std::size_t part = std::min(count, static_cast<std::size_t>(end_ - at_));
        to.append(at_, part);
        at_ += part;
        count -= part;
      }
      return true;
    }

   private:
    bool long_varint(std::uint64_t& value) {
      value = 0;
      std::uint8_t byte = 0;
      for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!next(byte)) return false;
        value |= std::uint64_t{byte & 127U} << shift;
        if (byte < 128) return true;
      }
      return false;
    }
    /// Goes to the next block; false: there is none.
    bool load();
    /// All of these bytes are read.
    bool refill();
    const char* entry_at_end();
    Spool* spool_;
    std::size_t stream_;
    std::size_t next_block_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::vector<char> loaded_;  ///< a block of the file
    /// The end of a block and the beginning of the next one, or what no entry reads.
    std::array<char, 3 * longest_entry> joined_{};
    const char* after_ = nullptr;  ///< while it reads there: where it goes on in the block
    const char* after_end_ = nullptr;
  };

 private:
  struct Stream {
    std::vector<std::uint64_t> blocks;  ///< numbers of full blocks
    std::vector<char> tail;             ///< at most a block; of which are
    std::uint32_t used = 0;
  };
  void append_slowly(Stream& to, const char* bytes, std::size_t size);
  void append_varint_slowly(Stream& to, std::uint64_t value);
  void store(Stream& stream);
  /// One that is not among those in memory, counted from the first of them.
  void read_block(std::uint64_t number, char* to) const;

  std::vector<Stream> streams_;
  std::vector<std::vector<char>> in_memory_;  ///< blocks 0, 1, ...; the further ones are in the file
  std::size_t most_in_memory_;
  std::array<char, longest_entry> entry_{};  ///< one that may not fit into a block
  std::vector<char> unwritten_;              ///< the last blocks, less than a group of them
  std::uint64_t written_ = 0;                ///< blocks in the file
  std::uint64_t blocks_ = 0;
  int file_ = -1;
};

}  // namespace clc::formats
