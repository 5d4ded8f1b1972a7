#include "common/progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "trace/printable.hpp"

namespace clc::tool {

std::string rounded(double number) {
  const char* unit = "";
  for (const char* larger : {" k", " M", " G", " T"}) {
    if (number < 9999.5) break;
    number /= 1000;
    unit = larger;
  }
  std::array<char, 48> text{};
  const int digits = *unit == 0 || number >= 99.95 ? 0 : 1;
  std::snprintf(text.data(), text.size(), "%.*f%s", digits, number, unit);
  return text.data();
}

std::string time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(std::ceil(seconds), 1e9));
  if (whole < 60) return std::to_string(whole) + " s";
  const std::uint64_t minutes = (whole + 59) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

Progress::Progress(When when, const std::string& name)
    : when_(when),
      name_(printable(name)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(start_ + std::chrono::seconds(when == When::always ? (terminal_ ? 0 : 10) : 1)) {
  if (when_ == When::large && !terminal_) when_ = When::never;
}

Progress::~Progress() { clear(); }

bool Progress::due(std::uint64_t events) {
  if (when_ == When::never || events == 0) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  if (!terminal_ || ours_) return true;
  // A lock on the terminal, which the system takes back when the program ends. Where there are no locks, all show.
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  ours_ = ::fcntl(STDERR_FILENO, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
  return ours_;
}

void Progress::show(std::uint64_t bytes, std::uint64_t total, std::uint64_t events) {
  if (!due(events)) return;
  const std::string size = rounded(static_cast<double>(bytes));
  put(total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total),
      size + (size.find(' ') == std::string::npos ? " B" : "B"), events);
}

void Progress::show(std::uint64_t events, std::uint64_t total) {
  if (due(events)) put(total == 0 ? 0 : static_cast<double>(events) / static_cast<double>(total), "", events);
}

void Progress::put(double part, const std::string& size, std::uint64_t events) {
  const double elapsed = seconds();
  std::string line = name_ + ':';
  if (part > 0) line += ' ' + std::to_string(static_cast<int>(100 * std::min(part, 1.0))) + " %";
  if (!size.empty()) line += "  " + size;
  line += "  " + rounded(static_cast<double>(events)) + " events";
  if (elapsed > 0) line += "  " + rounded(static_cast<double>(events) / elapsed) + " events/s";
  if (part > 0 && part < 1 && elapsed >= 1) line += "  " + time_left(elapsed * (1 - part) / part) + " left";
  if (terminal_) {
    std::cerr << '\r' << line << "\x1b[K" << std::flush;
    shown_ = true;
  } else {
    std::cerr << line + '\n' << std::flush;
  }
}

void Progress::clear() {
  if (!shown_) return;
  std::cerr << "\r\x1b[K" << std::flush;
  shown_ = false;
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace clc::tool
