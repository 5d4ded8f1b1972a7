// The definitions of a source that holds records back: a redefinition takes effect when it leaves, as the records
// before it still need what it replaces.
//
// Place    Beside what the inner source has read: `now` is what holds for the records that leave. What is defined for
//          the first time is in both at once, as no earlier record can name it.
// Protocol After each read of the inner source: `change` for each of its notes in order, then `grow`. `make` for each
//          change when it leaves, in order of the changes of one process or communicator.
// Assumes  The inner source delivers the line of each redefinition, in the words of the text format, and replaces
//          definitions only as clc/io/source.hpp promises.
// Memory   That of the tables of numbers and names a second time; members are shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clc/definitions.hpp"
#include "trace/hash.hpp"

namespace clc::formats {

/// What a line defines anew.
struct Redefinition {
  bool of_process = false;  ///< its name and node; else the members and delay of a communicator
  std::uint32_t index = 0;
  std::string name;
  std::string node;  ///< empty: none
  Members members;
  Ticks min_delay = 0;

  [[nodiscard]] std::uint64_t memory() const noexcept {
    return sizeof *this + name.size() + node.size() + members.size() * sizeof(ProcessIndex);
  }
};

class LaterDefinitions {
 public:
  explicit LaterDefinitions(const Definitions& read) {
    now_.grow(read);
    now_.source_memory = read.memory();
  }

  [[nodiscard]] const Definitions& now() const noexcept { return now_; }
  /// What a line changes that was delivered by the last read; read: the definitions since then. None: nothing, so the
  /// line may leave at any time. A line behind changes that have not left is one, too: it must not overtake them.
  [[nodiscard]] std::optional<Redefinition> change(std::string_view line, const Definitions& read);
  void grow(const Definitions& read);
  void make(const Redefinition& change, const Definitions& read);

 private:
  static std::uint64_t key_of(bool of_process, std::uint32_t index) noexcept {
    return std::uint64_t{index} << 1U | std::uint64_t{of_process};
  }
  [[nodiscard]] bool is_in_effect(const Redefinition& change) const;

  Definitions now_;
  HashMap<std::uint64_t, std::uint64_t> waiting_;  ///< changes of a process or communicator that were not made
};

}  // namespace clc::formats
