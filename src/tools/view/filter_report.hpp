// What clc-filter wrote with --report FILE --report-format json, as far as the page shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace clc::view {

struct FilterReport {
  struct Reason {
    std::string judgement;  ///< "doubtful" or "bad"
    std::string key;
    std::string text;
  };
  struct Case {
    std::string name;
    std::uint64_t count = 0;
  };
  struct GammaSpan {
    double from_s = 0;  ///< since the first event
    double to_s = 0;
    double mean = 1;
    double lowest = 1;
  };
  struct Clock {
    std::uint64_t number = 0;
    std::uint64_t partners = 0;  ///< 0: nothing is known
    double first_us = 0;         ///< how far it is ahead at its first record
    double last_us = 0;
    double rate_ppm = 0;
    double deviation_us = 0;
    double error_us = 0;
    std::string note;
  };
  std::string program;  ///< with version
  std::string options;
  std::optional<std::string> ended_early;
  std::string format;  ///< of the trace that was read
  std::uint64_t events = 0;
  std::optional<std::uint64_t> processes;
  std::vector<Reason> reasons;  ///< of its verdict, when that is not good
  std::uint64_t violations_left = 0;
  std::uint64_t jumps = 0;
  double largest_jump_us = 0;
  double clock_difference_start_us = 0;
  std::optional<double> advice_cldiff_us;
  std::optional<double> advice_mmd_us;
  std::optional<double> smallest_delay_us;  ///< of the fastest round trip, by message
  double lowest_gamma_b = 1;
  double lowest_gamma_c = 1;
  double lowest_gamma = 1;
  std::uint64_t below_gamma_max = 0;
  std::uint64_t peak_events = 0;
  std::vector<Case> cases;                                      ///< those with a count
  std::vector<std::pair<std::string, std::string>> parameters;  ///< in effect, as the report names them
  std::string alignment;                                        ///< what the estimate of the clocks achieved
  std::vector<Clock> clocks;                                    ///< estimated before the correction
  std::vector<GammaSpan> gamma;
};

/// Throws InputError.
[[nodiscard]] FilterReport read_filter_report(const std::string& path);

}  // namespace clc::view
