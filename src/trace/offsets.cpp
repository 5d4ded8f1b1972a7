#include "trace/offsets.hpp"

#include <charconv>
#include <cmath>

#include "clc/error.hpp"
#include "trace/printable.hpp"

namespace clc {

OffsetLine::OffsetLine(std::vector<OffsetPoint> points) : points_(std::move(points)) {
  std::ranges::stable_sort(points_, {}, &OffsetPoint::time);
  // Of equal times the last one counts.
  const auto kept = std::unique(points_.rbegin(), points_.rend(),
                                [](const OffsetPoint& a, const OffsetPoint& b) { return a.time == b.time; });
  points_.erase(points_.begin(), kept.base());
}

namespace {

// Offsets of steep lines and sums of times with them may not fit into 64 bits, though the mapped time does.
__extension__ using Wide = __int128;

/// Rounded down.
Wide floor_of(double value) noexcept {
  constexpr double short_one = 9.2e18;
  if (std::abs(value) < short_one) [[likely]] {
    const auto towards_zero = static_cast<Ticks>(value);
    return towards_zero - Ticks{static_cast<double>(towards_zero) > value};
  }
  constexpr double most = 1e37;  // far beyond all times
  return static_cast<Wide>(std::clamp(value, -most, most));
}

/// a - b
double difference(Ticks a, Ticks b) noexcept {
  Ticks exact = 0;
  if (__builtin_sub_overflow(a, b, &exact)) [[unlikely]]
    return static_cast<double>(Wide{a} - b);
  return static_cast<double>(exact);
}

OffsetLine::Mapped mapped_by(Time time, Ticks offset, double fraction) noexcept {
  const Wide sum = Wide{time.ticks()} + offset + floor_of(fraction + 0.5);
  if (sum > ticks_max) return {Time::latest(), true};
  if (sum < ticks_min) return {Time::earliest(), true};
  return {Time(static_cast<std::int64_t>(sum))};
}

}  // namespace

OffsetLine::Mapped OffsetLine::exactly_at(Time time, std::size_t& after) const noexcept {
  if (points_.empty()) return {time};
  const OffsetPoint& first = points_.front();
  if (points_.size() == 1) return mapped_by(time, first.offset, first.fraction);
  const std::size_t last = points_.size() - 1;
  // The line may have got other points since.
  after = point_behind(std::min(after, last), [time](const OffsetPoint& point) { return point.time <= time; });
  const OffsetPoint& from = points_[after - 1];
  const OffsetPoint& to = points_[after];
  const double rise = difference(to.offset, from.offset) + (to.fraction - from.fraction);
  const double part = difference(time.ticks(), from.time.ticks()) / difference(to.time.ticks(), from.time.ticks());
  return mapped_by(time, from.offset, from.fraction + rise * part);
}

Time OffsetMap::next(Time time) noexcept {
  if (line_ == nullptr) return time;
  auto [mapped, cut_off] = line_->exactly_at(time, after_);
  if (any_) {
    // Beyond the ends of 64 bits there is no tick by which times could differ.
    if (time != recorded_) cut_off |= mapped_ == (time < recorded_ ? Time::earliest() : Time::latest());
    mapped = time < recorded_ ? std::min(mapped, mapped_ - 1) : std::max(mapped, mapped_ + Ticks{time > recorded_});
  }
  cut_off_ = cut_off;
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
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  if (length == 0) return false;
  constexpr std::size_t most = 18;  // a double knows no more of a fraction
  std::string_view known = text.substr(0, std::min(length, most));
  double scale = 1;
  for (std::size_t i = 0; i < known.size(); ++i) scale *= 10;
  std::uint64_t digits = 0;
  static_cast<void>(read_number(known, digits));
  text.remove_prefix(length);
  auto parts = static_cast<double>(digits);
  if (below && parts > 0) {
    point.offset = subtract_saturating(point.offset, 1);
    parts = scale - parts;
  }
  point.fraction = parts / scale;
  if (point.fraction == 1) {  // rounded
    point.offset = add_saturating(point.offset, 1);
    point.fraction = 0;
  }
  return true;
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

std::string contradicting_offset(const ProcessPoint& point, std::uint64_t other) {
  return "found another offset of process " + std::to_string(point.process) + " at time " +
         std::to_string(point.point.time.ticks()) + " than of process " + std::to_string(other) +
         ", which has the same clock, expected one for each time of a clock; remove one of the lines";
}

Offsets offsets_of_clocks(const Offsets& offsets, const Definitions& definitions, const std::string& name) {
  std::map<ClockIndex, std::vector<OffsetPoint>> clocks;
  OffsetPlaces places;  // by clock, with the process as the place
  Offsets result = offsets;
  for (const auto& [process, line] : offsets) {
    const std::optional<ProcessIndex> index = definitions.find_process(process);
    if (!index) continue;
    const ClockIndex clock = definitions.processes()[*index].clock;
    std::vector<OffsetPoint>& points = clocks[clock];
    for (const OffsetPoint& point : line.points()) {
      if (const auto other = places.add({clock, point}, process))
        throw InputError(name + ": " + contradicting_offset({process, point}, *other));
      points.push_back(point);
    }
  }
  std::map<ClockIndex, OffsetLine> lines;
  for (auto& [clock, points] : clocks) lines.emplace(clock, OffsetLine(std::move(points)));
  for (const Process& process : definitions.processes())
    if (const auto line = lines.find(process.clock); line != lines.end()) result[process.number] = line->second;
  return result;
}

const OffsetLine* line_of_clock(const Offsets& offsets, const Definitions& definitions, ProcessIndex process) {
  const Process& of = definitions.processes()[process];
  const OffsetLine* const own = offsets.line_of(of.number);
  if (of.clock == process) return own;
  const std::uint64_t first = definitions.processes()[of.clock].number;
  const OffsetLine* const line = offsets.line_of(first);
  if (own != nullptr && (line == nullptr || own->points() != line->points()))
    throw InputError("process " + std::to_string(of.number) +
                     ": found %offset lines of a process that is defined after "
                     "the first record and shares the clock of process " +
                     std::to_string(first) + ", expected the lines of that one; correct or remove them");
  return line;
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
