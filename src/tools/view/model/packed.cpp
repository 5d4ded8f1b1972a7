#include "view/model/packed.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace clc::view {

namespace {

constexpr std::uint32_t scale_bits = 12;
constexpr std::uint32_t scale = 1U << scale_bits;
constexpr std::uint32_t lowest_state = 1U << 23U;
using Frequencies = std::array<std::uint32_t, 256>;

void put_size(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7U) bytes += static_cast<char>(static_cast<unsigned char>(value | 128U));
  bytes += static_cast<char>(static_cast<unsigned char>(value));
}

/// Sum 4096, nothing that occurs is 0.
Frequencies frequencies_of(const std::vector<std::uint8_t>& tokens) {
  std::array<std::uint64_t, 256> counts{};
  for (const std::uint8_t token : tokens) ++counts[token];
  Frequencies out{};
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out[i] = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, counts[i] * scale / tokens.size()));
    sum += out[i];
  }
  while (sum != scale) {  // the largest can bear it
    std::uint32_t& most = *std::max_element(out.begin(), out.end());
    const std::uint32_t change = sum < scale ? scale - sum : std::min(sum - scale, most / 2);
    most = sum < scale ? most + change : most - change;
    sum = sum < scale ? sum + change : sum - change;
  }
  return out;
}

}  // namespace

void Packed::add(Ticks value) {
  const bool negative = value < 0;
  const std::uint64_t size = negative ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  const std::uint64_t v = 2 * size - static_cast<std::uint64_t>(negative);
  if (v < 16) {
    tokens_.push_back(static_cast<std::uint8_t>(v));
    return;
  }
  const auto bits = static_cast<unsigned>(std::bit_width(v));
  tokens_.push_back(static_cast<std::uint8_t>(16 + 4 * (bits - 5) + (v >> (bits - 3) & 3U)));
  for (unsigned i = 0; i < bits - 3; ++i) {
    if (used_ == 8) {
      raw_.push_back(0);
      used_ = 0;
    }
    raw_.back() = static_cast<std::uint8_t>(raw_.back() | (v >> i & 1U) << used_++);
  }
}

void Packed::pack(std::string& bytes) const {
  put_size(bytes, tokens_.size());
  if (tokens_.empty()) return;
  const Frequencies frequencies = frequencies_of(tokens_);
  Frequencies begins{};
  std::uint32_t kinds = 0;
  for (std::size_t i = 0, begin = 0; i < frequencies.size(); begin += frequencies[i], ++i) {
    begins[i] = static_cast<std::uint32_t>(begin);
    kinds += frequencies[i] != 0;
  }
  put_size(bytes, kinds);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    if (frequencies[i] == 0) continue;
    bytes += static_cast<char>(static_cast<unsigned char>(i));
    put_size(bytes, frequencies[i]);
  }
  std::string coded;  // from the end
  std::uint32_t state = lowest_state;
  for (std::size_t i = tokens_.size(); i-- > 0;) {
    const std::uint32_t frequency = frequencies[tokens_[i]];
    while (state >= (lowest_state >> scale_bits << 8U) * frequency) {
      coded += static_cast<char>(static_cast<unsigned char>(state & 255U));
      state >>= 8U;
    }
    state = (state / frequency << scale_bits) + state % frequency + begins[tokens_[i]];
  }
  for (int i = 0; i < 4; ++i, state >>= 8U) coded += static_cast<char>(static_cast<unsigned char>(state & 255U));
  std::reverse(coded.begin(), coded.end());
  put_size(bytes, coded.size());
  bytes += coded;
  put_size(bytes, raw_.size());
  bytes.append(raw_.begin(), raw_.end());
}

void PackedExact::add(Ticks high, std::uint32_t low) {
  const auto rest = static_cast<std::int32_t>(low);
  high_.add(rest < 0 ? high + 1 : high);
  low_.add(rest);
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? alphabet[three >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace clc::view
