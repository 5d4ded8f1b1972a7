#include "trace/offsets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "clc/error.hpp"

namespace clc {

OffsetLine::OffsetLine(std::vector<OffsetPoint> points) : points_(std::move(points)) {
  std::stable_sort(points_.begin(), points_.end(),
                   [](const OffsetPoint& a, const OffsetPoint& b) { return a.time < b.time; });
  // Of equal times the last one counts.
  const auto kept = std::unique(points_.rbegin(), points_.rend(),
                                [](const OffsetPoint& a, const OffsetPoint& b) { return a.time == b.time; });
  points_.erase(points_.begin(), kept.base());
}

namespace {

/// Rounded down, within what 64 bits hold.
Ticks floor_of(double value) noexcept {
  constexpr double most = 9.2e18;
  const double held = std::clamp(value, -most, most);
  const auto towards_zero = static_cast<Ticks>(held);
  return towards_zero - Ticks{static_cast<double>(towards_zero) > held};
}

}  // namespace

Time OffsetLine::at(Time time, std::size_t& after) const noexcept {
  if (points_.empty()) return time;
  const OffsetPoint& first = points_.front();
  if (points_.size() == 1) return time + first.offset + floor_of(first.fraction + 0.5);
  const std::size_t last = points_.size() - 1;
  // The line may have got other points since.
  if (after > last ||
      !((after == 1 || points_[after - 1].time <= time) && (after == last || time < points_[after].time)))
    after = static_cast<std::size_t>(std::upper_bound(points_.begin() + 1, points_.end() - 1, time,
                                                      [](Time t, const OffsetPoint& point) { return t < point.time; }) -
                                     points_.begin());
  const OffsetPoint& from = points_[after - 1];
  const OffsetPoint& to = points_[after];
  const double rise = static_cast<double>(subtract_saturating(to.offset, from.offset)) + (to.fraction - from.fraction);
  const double part = static_cast<double>(time - from.time) / static_cast<double>(to.time - from.time);
  return time + from.offset + floor_of(from.fraction + rise * part + 0.5);
}

Time OffsetMap::next(Time time) noexcept {
  if (line_ == nullptr) return time;
  Time mapped = line_->at(time, after_);
  if (any_)
    mapped = time < recorded_ ? std::min(mapped, mapped_ - 1) : std::max(mapped, mapped_ + Ticks{time > recorded_});
  any_ = true;
  recorded_ = time;
  mapped_ = mapped;
  return mapped;
}

namespace {

/// ".25" of 250, "" of 0.
std::string decimals(int thousandths) {
  if (thousandths == 0) return {};
  std::string digits = std::to_string(1000 + thousandths);
  digits.front() = '.';
  while (digits.back() == '0') digits.pop_back();
  return digits;
}

std::string offset_of(const OffsetPoint& point) {
  auto thousandths = static_cast<int>(std::floor(point.fraction * 1000 + 0.5));
  Ticks whole = point.offset;
  if (thousandths == 1000) {
    thousandths = 0;
    whole = add_saturating(whole, 1);
  }
  if (thousandths == 0) return std::to_string(whole);
  // -3 and 0.25 ticks is written -2.75.
  const bool below = whole < 0;
  if (below) {
    ++whole;
    thousandths = 1000 - thousandths;
  }
  std::string text = below && whole == 0 ? "-" : "";
  text += std::to_string(whole);
  return text += decimals(thousandths);
}

/// Rounded up, but for what doubles add to a decimal: an error that is not 0 is not written as 0.
std::string error_of(double error) {
  constexpr double most = 1e15;  // of which a double knows thousandths, nearly
  const double least = error > 0 ? 1 : 0;
  const double thousandths = std::max(least, std::ceil(std::min(error, most) * 1000 - 1e-6));
  const double whole = std::floor(thousandths / 1000);
  return std::to_string(static_cast<Ticks>(whole)) += decimals(static_cast<int>(thousandths - whole * 1000));
}

}  // namespace

std::string offset_line(std::uint64_t process, const OffsetPoint& point) {
  std::string line =
      "%offset " + std::to_string(process) + ' ' + std::to_string(point.time.ticks()) + ' ' + offset_of(point);
  if (point.has_error()) (line += ' ') += error_of(point.error);
  return line;
}

namespace {

template <class Number>
bool read_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool read_blank(std::string_view& text) {
  const std::size_t before = text.size();
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text.size() < before;
}

bool read_offset(std::string_view& text, OffsetPoint& point) {
  const bool below = text.starts_with('-');
  if (!read_number(text, point.offset)) return false;
  if (!text.starts_with('.')) return true;
  text.remove_prefix(1);
  std::uint64_t digits = 0;
  const std::size_t length = text.size();
  if (text.empty() || text.front() < '0' || text.front() > '9' || !read_number(text, digits)) return false;
  double scale = 1;
  for (std::size_t i = text.size(); i < length; ++i) scale *= 10;
  auto parts = static_cast<double>(digits);
  if (below && parts > 0) {
    point.offset = subtract_saturating(point.offset, 1);
    parts = scale - parts;
  }
  point.fraction = parts / scale;
  return point.fraction < 1;
}

[[noreturn]] void refuse(const std::string& name, std::uint64_t number, const std::string& line) {
  throw UsageError(name + ':' + std::to_string(number) + ": expected %offset PROCESS TIME OFFSET [ERROR], found '" +
                   line + "'");
}

/// Of each process and time, the line that has it first.
class FirstLines {
 public:
  void check(std::uint64_t process, const OffsetPoint& point, const std::string& name, std::uint64_t number) {
    const auto [found, is_new] = lines_.try_emplace({process, point.time}, point, number);
    const auto& [before, line] = found->second;
    if (is_new || (before.offset == point.offset && before.fraction == point.fraction)) return;
    throw UsageError(name + ':' + std::to_string(number) + ": another offset of process " + std::to_string(process) +
                     " at time " + std::to_string(point.time.ticks()) + " than in line " + std::to_string(line) +
                     "; leave out one of them");
  }

 private:
  std::map<std::pair<std::uint64_t, Time>, std::pair<OffsetPoint, std::uint64_t>> lines_;
};

}  // namespace

bool read_error(std::string_view& text, double& error) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failure != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  error = value;
  return true;
}

Offsets parse_offsets(std::istream& input, const std::string& name, SameTime same) {
  FirstLines first;
  std::map<std::uint64_t, std::vector<OffsetPoint>> points;
  std::string line;
  for (std::uint64_t number = 1; std::getline(input, line); ++number) {
    std::string_view text(line);
    if (text.ends_with('\r')) text.remove_suffix(1);
    read_blank(text);
    if (text.empty() || text.starts_with('#')) continue;
    std::uint64_t process = 0;
    std::int64_t time = 0;
    OffsetPoint point;
    constexpr std::string_view word = "%offset";
    bool good = text.starts_with(word);
    if (good) text.remove_prefix(word.size());
    good = good && read_blank(text) && read_number(text, process) && read_blank(text) && read_number(text, time) &&
           read_blank(text) && read_offset(text, point);
    if (good && read_blank(text) && !text.empty()) good = read_error(text, point.error);
    if (good) read_blank(text);
    if (!good || !text.empty()) refuse(name, number, line);
    point.time = Time(time);
    if (same == SameTime::must_agree) first.check(process, point, name, number);
    points[process].push_back(point);
  }
  Offsets offsets;
  for (auto& [process, list] : points) offsets.emplace(process, OffsetLine(std::move(list)));
  return offsets;
}

}  // namespace clc
