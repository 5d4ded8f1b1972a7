// The regions that processes are in.
//
// Memory   Names up to a number; for each process those of the regions it is in, up to a depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clc/io/record.hpp"
#include "trace/hash.hpp"

namespace clc::view {

/// Names of what processes do, as numbers. The last one stands for all names beyond the table.
class Regions {
 public:
  using Id = std::uint16_t;
  static constexpr std::size_t most = 1024;
  static constexpr Id none = 0xffff;

  Id id(std::string_view name);
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  HashMap<std::string, Id> by_name_;
  std::string key_;
};

/// The nested regions that a process is in. A call of a collective operation that no region surrounds is a region
/// itself, in which there are no others; one whose end is missing is none.
class RegionStack {
 public:
  static constexpr std::size_t deepest = 256;

  /// The next record of the process. If it enters or leaves a region: the innermost one up to then, which may be none.
  std::optional<Regions::Id> change(Regions& regions, const Event& event, Kind kind, std::string_view name);
  [[nodiscard]] Regions::Id innermost() const noexcept { return stack_.empty() ? Regions::none : stack_.back(); }

 private:
  void push(Regions::Id region);
  void pop();

  bool just_entered_ = false;  // the last record was an enter
  bool in_call_ = false;       // the innermost region is a call
  std::vector<Regions::Id> stack_;
  std::uint64_t too_deep_ = 0;
};

}  // namespace clc::view
