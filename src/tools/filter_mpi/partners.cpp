#include "filter_mpi/partners.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <string>

#include "clc/error.hpp"

namespace clc::filter_mpi {

namespace {

/// All processes know of the error.
struct Known {};
template <class Kind>
class Agreed final : public Kind, public Known {
 public:
  using Kind::Kind;
};

enum Status : int { usage, input, output };

struct Failure {
  Status status = input;
  std::string text;
};

Failure failure_of(const std::exception_ptr& error, unsigned rank) {
  try {
    std::rethrow_exception(error);
  } catch (const UsageError& failed) {
    return {usage, failed.what()};
  } catch (const OutputError& failed) {
    return {output, failed.what()};
  } catch (const std::bad_alloc&) {
    return {input, "process " + std::to_string(rank) + " is out of memory; use more processes or machines"};
  } catch (const std::exception& failed) {
    return {input, failed.what()};
  }
}

[[noreturn]] void fail(const Failure& failure) {
  if (failure.status == usage) throw Agreed<UsageError>(failure.text);
  if (failure.status == output) throw Agreed<OutputError>(failure.text);
  throw Agreed<InputError>(failure.text);
}

}  // namespace

MpiPartners::MpiPartners(MPI_Comm communicator) : communicator_(communicator) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(communicator_, &rank);
  MPI_Comm_size(communicator_, &size);
  rank_ = static_cast<unsigned>(rank);
  size_ = static_cast<unsigned>(size);
}

template <class Function, class... Arguments>
void MpiPartners::together(Function begin, Arguments... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin(arguments..., communicator_, &request);
  patience_.finish(request);
}

void MpiPartners::agree(const std::exception_ptr& error) {
  constexpr int none = std::numeric_limits<int>::max();
  const int own = error ? static_cast<int>(rank_) : none;
  int first = none;
  together(MPI_Iallreduce, &own, &first, 1, MPI_INT, MPI_MIN);
  if (first == none) return;
  Failure failure;
  if (own == first) failure = failure_of(error, rank_);
  std::array<int, 2> head{failure.status, static_cast<int>(failure.text.size())};
  together(MPI_Ibcast, head.data(), 2, MPI_INT, first);
  failure.text.resize(static_cast<std::size_t>(head[1]));
  together(MPI_Ibcast, failure.text.data(), head[1], MPI_CHAR, first);
  failure.status = static_cast<Status>(head[0]);
  fail(failure);
}

std::vector<std::vector<std::int64_t>> MpiPartners::all(const std::vector<std::int64_t>& own) {
  agree(nullptr);
  const int size = static_cast<int>(own.size());
  std::vector<int> sizes(size_);
  together(MPI_Iallgather, &size, 1, MPI_INT, sizes.data(), 1, MPI_INT);
  std::vector<int> places(size_);
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::vector<std::int64_t> joined(static_cast<std::size_t>(places.back() + sizes.back()));
  together(MPI_Iallgatherv, own.data(), size, MPI_INT64_T, joined.data(), sizes.data(), places.data(), MPI_INT64_T);
  std::vector<std::vector<std::int64_t>> given(size_);
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i].assign(joined.begin() + places[i], joined.begin() + places[i] + sizes[i]);
  return given;
}

std::vector<std::vector<std::int64_t>> MpiPartners::exchange(const std::vector<std::vector<std::int64_t>>& given) {
  agree(nullptr);
  std::vector<int> sizes(size_);
  std::transform(given.begin(), given.end(), sizes.begin(), [](const auto& to) { return static_cast<int>(to.size()); });
  std::vector<int> got_sizes(size_);
  together(MPI_Ialltoall, sizes.data(), 1, MPI_INT, got_sizes.data(), 1, MPI_INT);
  std::vector<int> places(size_);
  std::vector<int> got_places(size_);
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::exclusive_scan(got_sizes.begin(), got_sizes.end(), got_places.begin(), 0);
  std::vector<std::int64_t> joined;
  joined.reserve(static_cast<std::size_t>(places.back()) + given.back().size());
  for (const auto& to : given) joined.insert(joined.end(), to.begin(), to.end());
  std::vector<std::int64_t> got(static_cast<std::size_t>(got_places.back() + got_sizes.back()));
  together(MPI_Ialltoallv, joined.data(), sizes.data(), places.data(), MPI_INT64_T, got.data(), got_sizes.data(),
           got_places.data(), MPI_INT64_T);
  std::vector<std::vector<std::int64_t>> result(size_);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].assign(got.begin() + got_places[i], got.begin() + got_places[i] + got_sizes[i]);
  return result;
}

std::vector<std::int64_t> MpiPartners::sum(const std::vector<std::int64_t>& own) {
  std::vector<std::int64_t> sums(own.size());
  for (const auto& given : all(own))
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += given[i];
  return sums;
}

void MpiPartners::step(const std::function<void()>& work) {
  try {
    work();
  } catch (const Known&) {
    throw;
  } catch (...) {
    agree(std::current_exception());
  }
  agree(nullptr);
}

}  // namespace clc::filter_mpi
