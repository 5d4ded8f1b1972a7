#include "record/evaluation.hpp"

#include <algorithm>
#include <cmath>

namespace clc::record {

Frequency frequency(const Reading& first, const Reading& last) noexcept {
  const auto counts = static_cast<double>(last.count - first.count);
  const auto time = static_cast<double>(last.time - first.time);
  const double steps = 2 * std::max(1.0, time / counts);
  return {counts * 1000.0 / time, (static_cast<double>(first.doubt + last.doubt) + steps) / time};
}

HalfTrips half_trips(std::vector<double> lengths) noexcept {
  HalfTrips half;
  half.count = lengths.size();
  if (lengths.empty()) return half;
  std::ranges::sort(lengths);
  double sum = 0;
  for (; half.kept < lengths.size() && lengths[half.kept] <= 2 * lengths.front(); ++half.kept)
    sum += lengths[half.kept];
  half.shortest = lengths.front() / 2;
  half.mean = sum / static_cast<double>(half.kept) / 2;
  half.longest = lengths[half.kept - 1] / 2;
  half.usual = most_frequent(lengths) / 2;
  return half;
}

Distribution distribution(const std::vector<double>& lengths) noexcept {
  Distribution shares{};
  if (lengths.empty()) return shares;
  const double shortest = *std::ranges::min_element(lengths);
  const auto beyond = static_cast<double>(shares.size() - 1);
  for (const double length : lengths) {
    const double tenths = shortest > 0 ? std::floor(10 * (length / shortest - 1)) : length > 0 ? beyond : 0;
    shares[static_cast<std::size_t>(std::clamp(tenths, 0.0, beyond))] += 1.0 / static_cast<double>(lengths.size());
  }
  return shares;
}

double most_frequent(const std::vector<double>& lengths) noexcept {
  const std::size_t stretch = std::max<std::size_t>(1, lengths.size() / 5);
  std::size_t best = 0;
  for (std::size_t i = 0; i + stretch < lengths.size(); ++i)
    if (lengths[i + stretch] - lengths[i] < lengths[best + stretch] - lengths[best]) best = i;
  return lengths[std::min(best + stretch / 2, lengths.size() - 1)];
}

double min_delay(std::vector<double> lengths) noexcept {
  if (lengths.empty()) return 0;
  std::ranges::sort(lengths);
  const double by_shortest = 0.9 * lengths.front() / 2;
  const auto near = std::ranges::upper_bound(lengths, 1.1 * lengths.front()) - lengths.begin();
  if (20 * static_cast<std::size_t>(near) >= lengths.size()) return by_shortest;
  return std::min(0.9 * most_frequent(lengths) / 4, by_shortest);
}

std::string min_delay_line(double other, double node) noexcept {
  const auto ticks = [](double delay) {
    return std::to_string(static_cast<long long>(std::max(1.0, std::floor(delay))));
  };
  if (other <= 0 && node <= 0) return {};
  if (other <= 0 || node <= 0) return "%min-delay " + ticks(std::max(other, node));
  return "%min-delay " + ticks(other) + " node=" + ticks(node);
}

Offset offset(const std::vector<RoundTrip>& samples) noexcept {
  const auto shortest = std::ranges::min_element(samples, {}, &RoundTrip::length);
  // Differences first: times need more digits than a double has.
  return {(static_cast<double>(shortest->asked - shortest->received) +
           static_cast<double>(shortest->returned - shortest->answered)) /
              2,
          shortest->length() / 2};
}

}  // namespace clc::record
