#include "view/figures/names.hpp"

#include <algorithm>
#include <string_view>

#include "trace/hash.hpp"
#include "view/figures/svg.hpp"

namespace clc::view {

namespace {

constexpr std::string_view to = " \xE2\x80\x93 ";

/// Without the kind of location that OTF2 archives bring: "CPU_THREAD:rank 3".
std::string_view without_kind(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == name.size()) return name;
  const bool kind = std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                                [](char letter) { return (letter >= 'A' && letter <= 'Z') || letter == '_'; });
  return kind ? name.substr(colon + 1) : name;
}

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
/// Letters, digits, and what is a part of a letter.
bool is_word(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (static_cast<unsigned char>(letter) & 0x80U) != 0;
}

/// Bytes that all have in common at their begin, or reversed at their end. Numbers and letters stay whole.
std::size_t in_common(const std::vector<std::string>& names, bool reversed) {
  const std::string& first = names.front();
  const auto letter = [reversed](const std::string& name, std::size_t i) {
    return reversed ? name[name.size() - 1 - i] : name[i];
  };
  std::size_t length = first.size();
  for (const std::string& name : names) {
    length = std::min(length, name.size());
    std::size_t same = 0;
    while (same < length && letter(name, same) == letter(first, same)) ++same;
    length = same;
  }
  const auto cut = [&](const std::string& name) {  // between two digits, or inside a letter of several bytes
    if (length >= name.size()) return true;
    const char inside = letter(name, length - 1);
    const char outside = letter(name, length);
    return (is_digit(inside) && is_digit(outside)) ||
           ((static_cast<unsigned char>(reversed ? inside : outside) & 0xc0U) == 0x80U);
  };
  while (length > 0 && std::ranges::any_of(names, cut)) --length;
  return length;
}

}  // namespace

Names::Names(const Definitions& definitions) : processes_(definitions.processes()) {
  const auto& processes = processes_;
  HashMap<std::string_view, std::size_t> same;
  for (const Process& process : processes) ++same[without_kind(process.name)];
  HashMap<std::string_view, std::size_t> earlier;
  names_.reserve(processes.size());
  for (const Process& process : processes) {
    const std::string number = std::to_string(process.number);
    const std::string_view name = without_kind(process.name);
    const std::size_t count = earlier[name]++;
    if (process.name.empty() || process.name == number)
      names_.push_back(number);
    else
      names_.push_back(same[name] > 1 ? std::to_string(count) + ' ' + std::string(name) : std::string(name));
  }
  if (names_.size() < 2) return;
  front_ = in_common(names_, false);
  back_ = in_common(names_, true);
  for (const std::string& name : names_)  // what would be left of the shortest one
    if (front_ + back_ >= name.size()) back_ = 0;
}

const std::string& Names::full(std::size_t process) const {
  static const std::string none = "0";  // a trace that defines no process
  return process < names_.size() ? names_[process] : none;
}

std::string Names::of_number(std::uint64_t number) const {
  const auto found = std::ranges::find(processes_, number, &Process::number);
  return found == processes_.end() ? std::to_string(number)
                                   : full(static_cast<std::size_t>(found - processes_.begin()));
}

std::string Names::part(std::size_t process) const {
  std::string_view name = full(process);
  if (process < names_.size()) name = name.substr(front_, name.size() - front_ - back_);
  // Signs between the words of a name, when a word is gone.
  while (front_ > 0 && name.size() > 1 && !is_word(name.front()) && is_word(name.back())) name.remove_prefix(1);
  while (back_ > 0 && name.size() > 1 && !is_word(name.back())) name.remove_suffix(1);
  return std::string(name);
}

std::string Names::full_row(std::size_t row, std::size_t group) const {
  const std::size_t first = row * group;
  const std::size_t last = std::max(std::min(first + group, std::max<std::size_t>(names_.size(), 1)) - 1, first);
  return first == last ? full(first) : full(first) + std::string(to) + full(last);
}

std::vector<std::string> Names::rows(std::size_t count, std::size_t group, std::size_t longest) const {
  std::vector<std::string> out;
  for (std::size_t row = 0; row < count; ++row) out.push_back(full_row(row, group));
  if (std::ranges::all_of(out, [&](const std::string& name) { return letter_count(name) <= longest; })) return out;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t first = row * group;
    const std::size_t last = std::max(std::min(first + group, std::max<std::size_t>(names_.size(), 1)) - 1, first);
    std::string name = part(first);
    if (last != first) {
      const std::size_t room = longest - letter_count(to);
      std::string other = part(last);
      if (letter_count(name) + letter_count(other) > room) {
        name = shortened(name, room / 2);
        other = shortened(other, room / 2);
      }
      name += std::string(to) + other;
    }
    out[row] = shortened(name, longest);
  }
  return out;
}

std::string Names::row(std::size_t row, std::size_t group, std::size_t longest) const {
  if (letter_count(full_row(row, group)) <= longest) return full_row(row, group);
  return rows(row + 1, group, longest).back();
}

}  // namespace clc::view
