#include "common/line_reader.hpp"

namespace clc::formats {

bool LineReader::more() {
  if (ended_) return false;
  const std::size_t partial = buffer_.size();
  const bool filled = buffer_.fill();
  const char* const begin = buffer_.begin();
  if (!filled) {
    ended_ = true;
    if (partial == 0) {
      end_ = begin;
      return false;
    }
    buffer_.append('\n');
    unterminated_ = true;
  }
  const char* const fresh = begin + partial;
  const auto fresh_size = static_cast<std::size_t>(buffer_.end() - fresh);
  const void* const last = ::memrchr(fresh, '\n', fresh_size);
  end_ = last == nullptr ? begin : static_cast<const char*>(last) + 1;
  if (partial + fresh_size > longest_line) {
    const void* const first = std::memchr(fresh, '\n', fresh_size);
    const std::size_t length =
        first == nullptr ? partial + fresh_size : static_cast<std::size_t>(static_cast<const char*>(first) - begin);
    if (length > longest_line) {
      fault_ = describe(line_) + ": found a line of more than " + std::to_string(longest_line) +
               " bytes, expected shorter ones; check that the file is a trace and is not damaged";
      end_ = begin;
      return true;
    }
  }
  if (zero_ == nullptr) zero_ = static_cast<const char*>(std::memchr(fresh, '\0', fresh_size));
  if (zero_ != nullptr) {
    // Stop before the line that holds it.
    const void* const before = ::memrchr(begin, '\n', static_cast<std::size_t>(zero_ - begin));
    end_ = before == nullptr ? begin : static_cast<const char*>(before) + 1;
    if (end_ == begin) zero_fault();
  }
  return true;
}

void LineReader::zero_fault() {
  fault_ =
      describe(line_) + ": found a zero byte, expected text; the file is damaged or incomplete, write or copy it again";
}

}  // namespace clc::formats
