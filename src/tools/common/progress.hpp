// How far a program is, on a terminal.
//
//     run.clct.zst: 61 %  1.2 GB  34.1 M events  6.8 M events/s  3 s left
//
// Shown   On standard error, rewritten in place, at most 5 times a second; never when it is no terminal,
//         unless asked for (then a line every 10 seconds). Of the programs of a pipe one at a time has the line:
//         the first that asks for it, until it ends.
// Cost    One look at the clock per call: call it per batch.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace clc::tool {

class Progress {
 public:
  enum class When {
    never,
    large,   ///< on a terminal, from 1 second on
    always,  ///< --progress
  };
  Progress(When when, const std::string& name);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears the line.
  ~Progress();

  /// total 0: unknown. Nothing is shown before the first event.
  void show(std::uint64_t bytes, std::uint64_t total, std::uint64_t events);
  /// Where the number of events is known and that of bytes is not.
  void show(std::uint64_t events, std::uint64_t total);
  /// Clears the line, before something else is printed.
  void clear();

  [[nodiscard]] double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool due(std::uint64_t events);
  void put(double part, const std::string& size, std::uint64_t events);
  When when_;
  std::string name_;
  bool terminal_;
  bool shown_ = false;
  bool ours_ = false;  ///< the line of the terminal
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

/// "34.1 M", "812": a number of things in at most five digits.
[[nodiscard]] std::string rounded(double number);

/// "7 s", "12 min", "3 h 5 min": rounded up.
[[nodiscard]] std::string time_left(double seconds);

}  // namespace clc::tool
