// Parses option values. A value must be valid as a whole. Errors are UsageError and name the option, what
// was found and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clc::tool {

/// Throws UsageError.
[[noreturn]] void refuse(std::string_view option, std::string_view word, const std::string& expected);

/// A decimal number. unit: its unit, for the message: "microseconds".
[[nodiscard]] double number(std::string_view option, std::string_view word, std::string_view unit);
/// The same if holds(number) is true; expected describes valid numbers: "more than 0 MB/s".
[[nodiscard]] double number_that(std::string_view option, std::string_view word, std::string_view unit,
                                 bool (*holds)(double), const std::string& expected);
/// 0 or more.
[[nodiscard]] double at_least_zero(std::string_view option, std::string_view word, std::string_view unit);
/// 0 or more; none: off.
[[nodiscard]] std::optional<double> at_least_zero_or_off(std::string_view option, std::string_view word,
                                                         std::string_view unit);
/// More than 0 MB/s.
[[nodiscard]] double bandwidth(std::string_view option, std::string_view word);
/// A whole number from lowest to highest.
[[nodiscard]] std::int64_t whole(std::string_view option, std::string_view word, std::int64_t lowest,
                                 std::int64_t highest);
/// The number of a process; nullopt if the word is none.
[[nodiscard]] std::optional<std::uint64_t> process_number(std::string_view word);
/// A number of bytes: 4096, 64K, 64M, 1G, 1.5G, 2T, also 64MB and 64MiB; all units are powers of 1024.
[[nodiscard]] std::uint64_t size(std::string_view option, std::string_view word);
/// A count: 1000000, 1e6, 10k, 5M, 1G; units are powers of 1000.
[[nodiscard]] std::uint64_t count(std::string_view option, std::string_view word);
/// One of the words in choices; returns its index.
[[nodiscard]] std::size_t choice(std::string_view option, std::string_view word,
                                 const std::vector<std::string_view>& choices);

/// A list of words for messages: "text, binary or json".
[[nodiscard]] std::string one_of(const std::vector<std::string_view>& choices);

/// The candidate most similar to word; empty if none is similar.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// The shortest decimal that reads back as the same number, with an exponent only if it is small or huge: 0.5, 100000,
/// 2e-05.
[[nodiscard]] std::string shortest(double value);
/// To a number of significant digits, without zeros at the end.
[[nodiscard]] std::string significant(double value, int figures);

}  // namespace clc::tool
