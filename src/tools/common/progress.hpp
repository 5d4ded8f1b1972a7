// Shows the progress of a program.
//
//     run.clct.zst: 61 %  1.2 GB  34.1 M events  6.8 M events/s  3 s left
//
// Shown   On standard error, rewritten in place, at most 5 times a second. If it is not a terminal, only on
//         request, as a new line every 10 seconds. In a pipe, one program at a time shows its line: the first
//         to ask for it, until that program ends.
// Cost    Each call reads the clock: call it once per batch.
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
  /// For inputs with a known number of events but an unknown number of bytes.
  void show(std::uint64_t events, std::uint64_t total);
  /// Clears the line before something else is printed.
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
  bool ours_ = false;  ///< this program has the line of the terminal
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

/// A count in at most five digits: "34.1 M", "812".
[[nodiscard]] std::string rounded(double number);

/// A duration, rounded up: "7 s", "12 min", "3 h 5 min".
[[nodiscard]] std::string time_left(double seconds);

}  // namespace clc::tool
