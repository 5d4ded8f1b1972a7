// Reads a trace, alone or beside the one it was corrected from, into a model.
//
// Recorded times   From the records themselves where the trace keeps them, else from the second trace, where the k-th
//                  record of a process is the k-th of that process, else they are the only times there are.
// Lost records     Looked for in the trace as recorded, which is read once more for that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clc/io/format.hpp"
#include "common/progress.hpp"
#include "common/provenance.hpp"
#include "lost/search.hpp"
#include "matching/window.hpp"
#include "view/model/model.hpp"
#include "view/options.hpp"

namespace clc::view {

class Reader {
 public:
  explicit Reader(const Options& options);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  /// Reads to the end, or to damage.
  void read(tool::Progress& progress);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] bool two_sides() const noexcept { return two_sides_; }
  [[nodiscard]] Format format() const noexcept { return trace_.format; }
  [[nodiscard]] const std::vector<std::string>& provenance() const noexcept { return header_.programs(); }
  /// Of the clocks, that the newest correction applied before the clock.
  [[nodiscard]] Offsets offsets() const { return header_.offsets(); }
  /// Of the trace, whatever part of it is shown.
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }
  [[nodiscard]] std::size_t processes() const { return trace_.source->definitions().processes().size(); }
  /// Records that only one of two traces has.
  [[nodiscard]] std::uint64_t unmatched() const noexcept { return unmatched_; }
  /// Why reading ended early; empty: it did not.
  [[nodiscard]] const std::string& damage() const noexcept { return damage_; }
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// On the trace, or on its correction where recorded times are known; after read.
  [[nodiscard]] Verdict verdict() const;

 private:
  class Pair;
  void read_one(tool::Progress& progress);
  void read_two(tool::Progress& progress);
  void sorted_so_far(const Event& event);
  void add(const Event& event, const Both<Time>& times, const Record& record);
  void start_model();
  void open_before();
  /// A record of the recorded trace is in the window that was corrected.
  [[nodiscard]] bool is_inside(const Event& event);
  /// By which the records are understood.
  [[nodiscard]] const Definitions& definitions() const { return (before_ ? *before_ : trace_).source->definitions(); }

  const Options& options_;
  SourceOptions trace_source_;
  tool::Provenance header_;  ///< of the corrected one, if there are two
  SourceOptions before_source_;
  lost::Search lost_;  ///< of the trace as recorded, if there are two
  OpenedSource trace_;
  std::optional<OpenedSource> before_;
  std::optional<matching::InWindow> window_;  ///< of the recorded one that was corrected
  std::unique_ptr<Model> model_;
  bool two_sides_ = false;
  Time previous_ = Time::earliest();
  std::vector<Time> largest_;  ///< by clock
  std::uint64_t events_ = 0;
  std::uint64_t unsorted_ = 0;  ///< of the trace; of a correction: of the corrected one
  std::uint64_t unmatched_ = 0;
  std::string damage_;
};

}  // namespace clc::view
