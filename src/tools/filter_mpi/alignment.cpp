#include "filter_mpi/alignment.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "clc/io/format.hpp"

namespace clc::filter_mpi {

namespace {

/// Numbers that one process tells the others.
class Told {
 public:
  Told() = default;
  explicit Told(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] const std::vector<std::int64_t>& numbers() const noexcept { return numbers_; }

  void put(std::int64_t number) { numbers_.push_back(number); }
  void put(double number) { put(std::bit_cast<std::int64_t>(number)); }
  void put(const std::optional<double>& number) { put(number.value_or(std::nan(""))); }
  void put(const Offsets& maps) {
    put(std::ssize(maps));
    for (const auto& [process, line] : maps) {
      put(static_cast<std::int64_t>(process));
      put(std::ssize(line.points()));
      for (const OffsetPoint& point : line.points()) {
        put(point.time.ticks());
        put(point.offset);
        put(point.fraction);
      }
    }
  }

  [[nodiscard]] std::int64_t number() { return numbers_[at_++]; }
  [[nodiscard]] double real() { return std::bit_cast<double>(number()); }
  [[nodiscard]] std::optional<double> optional() {
    const double found = real();
    return std::isnan(found) ? std::nullopt : std::optional(found);
  }
  [[nodiscard]] Offsets maps() {
    Offsets maps;
    for (std::int64_t left = number(); left > 0; --left) {
      const auto process = static_cast<std::uint64_t>(number());
      std::vector<OffsetPoint> points(static_cast<std::size_t>(number()));
      for (OffsetPoint& point : points) {
        point.time = Time(number());
        point.offset = number();
        point.fraction = real();
      }
      maps.emplace(process, std::move(points));
    }
    return maps;
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::size_t at_ = 0;
};

/// nullopt in all processes: records are missing.
std::optional<tool::FirstPass> estimate_together(const Options& options, const GivenOffsets& given,
                                                 otf2::ArchivePart& part, MpiPartners& partners) {
  const tool::DividedTrace trace{
      part.definitions(), part.owners(), partners,
      [&part](std::uint32_t clock, Event& event) { return part.next(clock, event); },
      [&options] { return std::move(open_source(options.input, tool::for_estimate(options.source)).source); }};
  return tool::divided_first_pass(trace, {options.input, !options.source.clock_offsets}, options, options.parameters,
                                  given.file());
}

tool::FirstPass estimate_alone(const Options& options, const GivenOffsets& given, LostRecords& lost) {
  const SourceOptions from = tool::for_estimate(options.source);
  const std::unique_ptr<Source> source = std::move(open_source(options.input, from).source);
  return tool::first_pass(
      *source, {options.input, !options.source.clock_offsets}, options, options.parameters, options.source.keep_going,
      [&] { return lost.open_marked(from); }, given.file());
}

}  // namespace

Alignment align(Options& options, GivenOffsets given, LostRecords& lost, otf2::ArchivePart& part,
                MpiPartners& partners) {
  Alignment alignment;
  if (!options.offsets && !options.estimates()) return alignment;
  Parameters& p = options.parameters;
  std::optional<tool::FirstPass> pass;
  if (options.estimates()) partners.step([&] { pass = estimate_together(options, given, part, partners); });
  Told told;
  partners.step([&] {
    if (partners.rank() != 0) return;
    if (options.estimates()) {
      if (!pass) pass = estimate_alone(options, given, lost);
      alignment = tool::take(*pass, "clc-filter-mpi", options.quiet, options, part.definitions(), p);
    }
    if (!options.estimate && options.offsets)
      alignment.maps = offsets_of_clocks(given.maps, part.definitions(), *options.offsets);
    told.put(p.min_delay_us);
    told.put(p.node_delay_us);
    told.put(p.clock_difference_us);
    for (const double figure :
         {alignment.binding.below_recorded, alignment.binding.below_mapped, alignment.binding.below_worst_us})
      told.put(figure);
    told.put(alignment.maps);
  });
  partners.step([&] {
    Told heard(partners.all(told.numbers()).front());
    p.min_delay_us = heard.optional();
    p.node_delay_us = heard.optional();
    p.clock_difference_us = heard.real();
    for (double* const figure :
         {&alignment.binding.below_recorded, &alignment.binding.below_mapped, &alignment.binding.below_worst_us})
      *figure = heard.real();
    alignment.maps = heard.maps();
  });
  return alignment;
}

}  // namespace clc::filter_mpi
