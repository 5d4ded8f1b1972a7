// What the reports of a trace and of a correction have in common.
//
// Place    Below both reports, which put the parts in order; each part as text and as members of a JSON object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "report/json.hpp"
#include "trace/printable.hpp"
#include "words.hpp"

namespace clc::check {

/// What both reports need to know about the trace.
class Names {
 public:
  /// first: time from which seconds are counted.
  Names(const Side& side, Time first, const DelayModel& delays)
      : side_(&side), first_(first), smallest_(std::min(delays.default_delay(), delays.node_delay())) {
    for (const DelayModel::Pair& pair : delays.pairs()) smallest_ = std::min(smallest_, pair.delay);
  }
  [[nodiscard]] Resolution resolution() const { return side_->definitions->resolution; }
  [[nodiscard]] std::uint64_t number(ProcessIndex process) const {
    return side_->definitions->processes()[process].number;
  }
  /// Number and name of a process, printable on a terminal.
  [[nodiscard]] std::string process(ProcessIndex index) const {
    const Process& process = side_->definitions->processes()[index];
    const std::string number = std::to_string(process.number);
    return process.name.empty() || process.name == number ? number : number + ' ' + printable(process.name, 40);
  }
  /// Below that, only a communicator has a delay of its own.
  [[nodiscard]] Ticks smallest() const noexcept { return smallest_; }
  /// Ticks, and seconds since the first event.
  [[nodiscard]] std::string time(Time time) const {
    return std::to_string(time.ticks()) + " (" + digits(resolution().seconds(static_cast<double>(time - first_))) +
           " s)";
  }
  [[nodiscard]] std::string us(double ticks) const { return digits(resolution().microseconds(ticks)); }
  [[nodiscard]] std::string us(Ticks ticks) const { return us(static_cast<double>(ticks)); }
  [[nodiscard]] std::string both(Ticks ticks) const { return both_units(ticks, resolution()); }
  [[nodiscard]] std::string place(const Stamp& stamp) const { return side_->describe(stamp.place[recorded]); }

 private:
  const Side* side_;
  Time first_;
  Ticks smallest_;
};

[[nodiscard]] std::string judgement_text(const Subject& subject);
/// The members at the beginning.
void write_head(JsonWriter& json, const DelayModel& delays, const Names& names, const Subject& subject);
[[nodiscard]] std::string minimum_delay(const DelayModel& delays, const Names& names);

[[nodiscard]] std::string lost_text(const std::optional<LostRecords>& lost, const Side& side, const Names& names);
void write_lost(JsonWriter& json, const std::optional<LostRecords>& lost, const Side& side, const Names& names);
[[nodiscard]] std::string not_matched_text(const Leftovers& leftovers, const Subject& subject);
void write_not_matched(JsonWriter& json, const Leftovers& leftovers, const Subject& subject);

/// Of the tables of edges.
[[nodiscard]] std::vector<std::string> row_of(std::string title, const EdgeFigures& figures, const Names& names);
/// The worst edge in words; nothing when it is not violated.
[[nodiscard]] std::string worst_of(std::string_view title, const EdgeFigures& figures, Column column,
                                   const Names& names);
/// Members of an object that the caller has begun.
void write_figures(JsonWriter& json, const EdgeFigures& figures, Column column, const Names& names);
void write(JsonWriter& json, std::string_view key, const EdgeFigures& figures, Column column, const Names& names);
/// KEY_ticks and KEY_us; null: not known.
void write_ticks(JsonWriter& json, const std::string& key, std::optional<Ticks> ticks, const Names& names);

}  // namespace clc::check
