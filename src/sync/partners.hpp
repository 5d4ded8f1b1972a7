// The processes that read a trace together, as the first pass knows them.
//
// Place    Between the parts of a divided first pass and their transport: MPI in clc-filter-mpi, memory in the tests.
// Assumes  All call the same functions in the same order.
#pragma once

#include <cstdint>
#include <vector>

namespace clc::sync {

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

}  // namespace clc::sync
