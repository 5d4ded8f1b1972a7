// Copies a few bytes without a function call. Most payloads and fields are so short that a call of memcpy costs more
// than the copy.
//
// Place    Wherever short runs of bytes are concatenated: queues of the clock, writers of formats.
// Cost     Two loads and two stores of a fixed size, up to 32 bytes. Touches no other bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clc {

namespace short_copy_detail {

/// size must be in [sizeof(Word), 2 * sizeof(Word)]: two copies of a fixed size that may overlap.
template <class Word>
inline void copy_two(char* to, const char* from, std::size_t size) noexcept {
  Word head;
  Word tail;
  std::memcpy(&head, from, sizeof(Word));
  std::memcpy(&tail, from + size - sizeof(Word), sizeof(Word));
  std::memcpy(to, &head, sizeof(Word));
  std::memcpy(to + size - sizeof(Word), &tail, sizeof(Word));
}

}  // namespace short_copy_detail

/// Like memcpy, but returns the end of the copy.
inline char* short_copy(char* to, const char* from, std::size_t size) noexcept {
  using Sixteen = std::array<std::uint64_t, 2>;
  if (size - 4 <= 4)  // most payloads
    short_copy_detail::copy_two<std::uint32_t>(to, from, size);
  else if (size - 8 <= 8)
    short_copy_detail::copy_two<std::uint64_t>(to, from, size);
  else if (size == 0)  // no payload
    return to;
  else if (size - 16 <= 16)
    short_copy_detail::copy_two<Sixteen>(to, from, size);
  else
    std::memcpy(to, from, size);
  return to + size;
}

}  // namespace clc
