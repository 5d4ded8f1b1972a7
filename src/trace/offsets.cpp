#include "trace/offsets.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "clc/error.hpp"
#include "trace/printable.hpp"

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

/// The field is an error if it is a number, without sign or exponent.
bool read_error(std::string_view field, double& error) {
  if (field.empty() || field.front() < '0' || field.front() > '9') return false;
  double value = 0;
  const char* const last = field.data() + field.size();
  const auto [end, failure] = std::from_chars(field.data(), last, value, std::chars_format::fixed);
  if (failure != std::errc() || end != last) return false;
  error = value;
  return true;
}

}  // namespace

std::optional<ProcessPoint> read_offset_line(std::string_view line) {
  constexpr std::string_view word = "%offset";
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  ProcessPoint read;
  std::int64_t time = 0;
  if (!read_blank(line) || !read_number(line, read.process) || !read_blank(line) || !read_number(line, time) ||
      !read_blank(line) || !read_offset(line, read.point))
    return std::nullopt;
  if (!read_blank(line) && !line.empty()) return std::nullopt;
  read.point.time = Time(time);
  static_cast<void>(read_error(line.substr(0, line.find_first_of(" \t")), read.point.error));
  return read;
}

std::string unreadable_offset_line(std::string_view line) {
  constexpr std::size_t longest = 100;
  return "found '" + printable(line, longest) +
         "', expected %offset PROCESS TIME OFFSET [ERROR]; correct or remove the line";
}

std::optional<std::uint64_t> OffsetPlaces::add(const ProcessPoint& point, std::uint64_t place) {
  const auto [found, is_new] = first_.try_emplace({point.process, point.point.time}, First{point.point, place});
  const First& first = found->second;
  if (is_new || (first.point.offset == point.point.offset && first.point.fraction == point.point.fraction))
    return std::nullopt;
  return first.place;
}

std::string contradicting_offset(const ProcessPoint& point, const std::string& where) {
  return "found another offset of process " + std::to_string(point.process) + " at time " +
         std::to_string(point.point.time.ticks()) + " than in " + where +
         ", expected one for each time; remove one of the lines";
}

Offsets parse_offsets(std::istream& input, const std::string& name, SameTime same) {
  OffsetPlaces places;
  std::map<std::uint64_t, std::vector<OffsetPoint>> points;
  std::string line;
  for (std::uint64_t number = 1; std::getline(input, line); ++number) {
    std::string_view text(line);
    if (text.ends_with('\r')) text.remove_suffix(1);
    read_blank(text);
    if (text.empty() || text.starts_with('#')) continue;
    const auto where = [&] { return name + ':' + std::to_string(number) + ": "; };
    const std::optional<ProcessPoint> read = read_offset_line(text);
    if (!read) throw InputError(where() + unreadable_offset_line(text));
    if (same == SameTime::must_agree)
      if (const auto other = places.add(*read, number))
        throw InputError(where() + contradicting_offset(*read, "line " + std::to_string(*other)));
    points[read->process].push_back(read->point);
  }
  Offsets offsets;
  for (auto& [process, list] : points) offsets.emplace(process, OffsetLine(std::move(list)));
  return offsets;
}

}  // namespace clc
