// The processes that work on a trace together, as the parts of their work know them.
//
// Place    Between these and their transport: MPI in clc-filter-mpi, memory in the tests.
// Assumes  All call the same functions in the same order.
// Errors   If one process has failed, both functions throw in the others.
#pragma once

#include <cstdint>
#include <vector>

namespace clc {

class Partners {
 public:
  using Numbers = std::vector<std::int64_t>;

  virtual ~Partners() = default;
  [[nodiscard]] virtual unsigned rank() const noexcept = 0;
  [[nodiscard]] virtual unsigned size() const noexcept = 0;
  /// What each process gave, by rank, in all of them.
  [[nodiscard]] virtual std::vector<Numbers> all(const Numbers& own) = 0;
  /// Gives each process, by rank, numbers of its own. Returns what each gave to this one.
  [[nodiscard]] virtual std::vector<Numbers> exchange(const std::vector<Numbers>& given) = 0;
};

}  // namespace clc
