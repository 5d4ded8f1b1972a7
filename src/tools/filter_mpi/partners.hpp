// The processes of a run over MPI: what they exchange outside of the replay, and how they agree on errors.
//
// Errors   A step fails in all processes if it fails in one: all throw the error of the failed process with the lowest
//          rank. Work between two calls of `all` and `exchange` belongs to a step.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "ranks/mpi/patience.hpp"
#include "trace/partners.hpp"

namespace clc::filter_mpi {

class MpiPartners final : public Partners {
 public:
  /// After MPI_Init.
  explicit MpiPartners(MPI_Comm communicator);

  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override { return size_; }
  [[nodiscard]] std::vector<std::vector<std::int64_t>> all(const std::vector<std::int64_t>& own) override;
  [[nodiscard]] std::vector<std::vector<std::int64_t>> exchange(
      const std::vector<std::vector<std::int64_t>>& given) override;
  /// Sums over all processes, place by place.
  [[nodiscard]] std::vector<std::int64_t> sum(const std::vector<std::int64_t>& own);
  /// Does some work, which may call `all` and `exchange`. Throws in all processes if it has thrown in one.
  void step(const std::function<void()>& work);

 private:
  /// error: of this process; null: none. Throws if any process has one.
  void agree(const std::exception_ptr& error);
  /// A non-blocking collective operation, from begin to end.
  template <class Function, class... Arguments>
  void together(Function begin, Arguments... arguments);

  MPI_Comm communicator_;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  ranks::Patience patience_;
};

}  // namespace clc::filter_mpi
