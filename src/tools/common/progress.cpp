#include "common/progress.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>

#include "clc/printable.hpp"

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

Progress::Progress(When when, const std::string& name)
    : when_(when),
      name_(printable(name)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(start_ + std::chrono::seconds(when == When::always ? (terminal_ ? 0 : 10) : 1)) {
  if (when_ == When::large && !terminal_) when_ = When::never;
}

Progress::~Progress() { clear(); }

void Progress::show(std::uint64_t bytes, std::uint64_t total, std::uint64_t events) {
  if (when_ == When::never || events == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::string line = name_ + ':';
  if (total != 0)
    line +=
        ' ' + std::to_string(static_cast<int>(100.0 * static_cast<double>(bytes) / static_cast<double>(total))) + " %";
  const std::string size = rounded(static_cast<double>(bytes));
  line += "  " + size + (size.find(' ') == std::string::npos ? " B  " : "B  ") + rounded(static_cast<double>(events)) +
          " events";
  if (elapsed > 0) line += "  " + rounded(static_cast<double>(events) / elapsed) + " events/s";
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
