// Option values from words. A word is understood whole or not at all; errors are UsageError, name the
// option, what was found and what is expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clc::tool {

/// A decimal number; unit is what the number is in, for the message: "microseconds".
[[nodiscard]] double number(std::string_view option, std::string_view word, std::string_view unit);
/// Such a number for which holds is true; expected says which these are: "more than 0 MB/s".
[[nodiscard]] double number_that(std::string_view option, std::string_view word, std::string_view unit,
                                 bool (*holds)(double), const std::string& expected);
/// 0 or more.
[[nodiscard]] double at_least_zero(std::string_view option, std::string_view word, std::string_view unit);
/// More than 0 MB/s.
[[nodiscard]] double bandwidth(std::string_view option, std::string_view word);
/// A whole number from lowest to highest.
[[nodiscard]] std::int64_t whole(std::string_view option, std::string_view word, std::int64_t lowest,
                                 std::int64_t highest);
/// A number of bytes: 4096, 64K, 64M, 1G, 1.5G, 2T, also 64MB and 64MiB; all powers of 1024.
[[nodiscard]] std::uint64_t size(std::string_view option, std::string_view word);
/// A number of things: 1000000, 1e6, 10k, 5M, 1G; powers of 1000.
[[nodiscard]] std::uint64_t count(std::string_view option, std::string_view word);
/// One of the words in choices; returns its index.
[[nodiscard]] std::size_t choice(std::string_view option, std::string_view word,
                                 const std::vector<std::string_view>& choices);

/// The words as people list them: "text, binary or json".
[[nodiscard]] std::string one_of(const std::vector<std::string_view>& choices);

/// The candidate with the fewest typing errors in word, if there are few; empty otherwise.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Shortest decimal that reads back as the same number: 0.5, 1000, 2e-05.
[[nodiscard]] std::string shortest(double value);

}  // namespace clc::tool
