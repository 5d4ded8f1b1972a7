// Wrappers of collective operations, blocking and not.
//
// Bytes    As the calling process sees them: what it sends to the others and receives from them. The root of a
//          broadcast sends and receives nothing; in other rooted operations the root's own part counts.
#include "record/calls.hpp"

namespace clc::record {

namespace {

struct Bytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

int rank_in(MPI_Comm comm) noexcept {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// Of the other side, where there is one.
int size_of(MPI_Comm comm) noexcept {
  int inter = 0;
  int size = 0;
  PMPI_Comm_test_inter(comm, &inter);
  inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return size;
}

// A call without counts fails, and says so itself.
int count_of(const int* counts, int rank) noexcept { return counts != nullptr ? counts[rank] : 0; }

std::uint64_t sum_of(const int* counts, int size, MPI_Datatype type) noexcept {
  std::uint64_t sum = 0;
  for (int i = 0; counts != nullptr && i < size; ++i) sum += bytes_of(counts[i], type);
  return sum;
}

std::uint64_t sum_of(const int* counts, int size, const MPI_Datatype* types) noexcept {
  std::uint64_t sum = 0;
  for (int i = 0; counts != nullptr && types != nullptr && i < size; ++i) sum += bytes_of(counts[i], types[i]);
  return sum;
}

/// Operations on inter-communicators have two groups, and are recorded as calls only. Those on no communicator fail.
bool is_recorded(MPI_Comm comm) noexcept {
  int inter = 0;
  return comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter == 0;
}

/// Runs a blocking operation.
template <class Run>
int blocking(const Call& call, Operation operation, MPI_Comm comm, int root, Bytes bytes, Run run) noexcept {
  if (!call.recorded() || !is_recorded(comm)) return run();
  const KnownCommunicator known = recorder().for_collective(comm);
  if (known == nullptr) return run();
  const int id = recorder().call_of_thread();  // 0: the first thread
  const Place begin = recorder().begin(id);
  const int result = run();
  if (consumed(result))
    recorder().end(known, {operation, root, bytes.sent, bytes.received, id});
  else
    recorder().withdraw(begin);
  return result;
}

template <class Run>
int blocking(const char* name, Operation operation, MPI_Comm comm, int root, Bytes bytes, Run run) noexcept {
  const Call call(name);
  return blocking(call, operation, comm, root, bytes, run);
}

template <class Run>
int posted(const char* name, Operation operation, MPI_Comm comm, int root, Bytes bytes, MPI_Request* request,
           Run run) noexcept {
  const Call call(name);
  if (!call.recorded() || !is_recorded(comm)) return run();
  const KnownCommunicator known = recorder().for_collective(comm);
  if (known == nullptr) return run();
  const int id = recorder().next_call();
  const Place begin = recorder().begin(id);
  const int result = run();
  if (result == MPI_SUCCESS)
    post_collective(*request, known, {operation, root, bytes.sent, bytes.received, id});
  else
    recorder().withdraw(begin);
  return result;
}

constexpr int no_root = -1;

Bytes for_bcast(int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  const std::uint64_t bytes = bytes_of(count, type);
  return rank_in(comm) == root ? Bytes{bytes, 0} : Bytes{0, bytes};
}
Bytes for_gather(int sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type, int root,
                 MPI_Comm comm) noexcept {
  if (rank_in(comm) != root) return {bytes_of(sent, sent_type), 0};
  const std::uint64_t all = static_cast<std::uint64_t>(size_of(comm)) * bytes_of(received, received_type);
  return {bytes_of(received, received_type), all};
}
Bytes for_gatherv(int sent, MPI_Datatype sent_type, const int* received, MPI_Datatype received_type, int root,
                  MPI_Comm comm) noexcept {
  const int rank = rank_in(comm);
  if (rank != root) return {bytes_of(sent, sent_type), 0};
  return {bytes_of(count_of(received, rank), received_type), sum_of(received, size_of(comm), received_type)};
}
Bytes for_scatter(int sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type, int root,
                  MPI_Comm comm) noexcept {
  if (rank_in(comm) != root) return {0, bytes_of(received, received_type)};
  const std::uint64_t one = bytes_of(sent, sent_type);
  return {static_cast<std::uint64_t>(size_of(comm)) * one, one};
}
Bytes for_scatterv(const int* sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type, int root,
                   MPI_Comm comm) noexcept {
  const int rank = rank_in(comm);
  if (rank != root) return {0, bytes_of(received, received_type)};
  return {sum_of(sent, size_of(comm), sent_type), bytes_of(count_of(sent, rank), sent_type)};
}
Bytes for_reduce(int count, MPI_Datatype type, int root, MPI_Comm comm) noexcept {
  const std::uint64_t bytes = bytes_of(count, type);
  return {bytes, rank_in(comm) == root ? bytes : 0};
}
Bytes for_all(std::uint64_t sent, std::uint64_t received) noexcept { return {sent, received}; }
Bytes for_allgather(const void* from, int sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type,
                    MPI_Comm comm) noexcept {
  const std::uint64_t one = bytes_of(received, received_type);
  return {from == MPI_IN_PLACE ? one : bytes_of(sent, sent_type), static_cast<std::uint64_t>(size_of(comm)) * one};
}
Bytes for_allgatherv(const void* from, int sent, MPI_Datatype sent_type, const int* received,
                     MPI_Datatype received_type, MPI_Comm comm) noexcept {
  return {from == MPI_IN_PLACE ? bytes_of(count_of(received, rank_in(comm)), received_type) : bytes_of(sent, sent_type),
          sum_of(received, size_of(comm), received_type)};
}
Bytes for_alltoall(const void* from, int sent, MPI_Datatype sent_type, int received, MPI_Datatype received_type,
                   MPI_Comm comm) noexcept {
  const auto size = static_cast<std::uint64_t>(size_of(comm));
  const std::uint64_t in = size * bytes_of(received, received_type);
  return {from == MPI_IN_PLACE ? in : size * bytes_of(sent, sent_type), in};
}
Bytes for_alltoallv(const void* from, const int* sent, MPI_Datatype sent_type, const int* received,
                    MPI_Datatype received_type, MPI_Comm comm) noexcept {
  const std::uint64_t in = sum_of(received, size_of(comm), received_type);
  return {from == MPI_IN_PLACE ? in : sum_of(sent, size_of(comm), sent_type), in};
}
Bytes for_alltoallw(const void* from, const int* sent, const MPI_Datatype* sent_types, const int* received,
                    const MPI_Datatype* received_types, MPI_Comm comm) noexcept {
  const std::uint64_t in = sum_of(received, size_of(comm), received_types);
  return {from == MPI_IN_PLACE ? in : sum_of(sent, size_of(comm), sent_types), in};
}
Bytes for_reduce_scatter(const int* received, MPI_Datatype type, MPI_Comm comm) noexcept {
  return {sum_of(received, size_of(comm), type), bytes_of(count_of(received, rank_in(comm)), type)};
}
Bytes for_reduce_scatter_block(int received, MPI_Datatype type, MPI_Comm comm) noexcept {
  const std::uint64_t one = bytes_of(received, type);
  return {static_cast<std::uint64_t>(size_of(comm)) * one, one};
}

/// A measurement inside a barrier that the program makes anyway.
void synchronise_sometimes(MPI_Comm comm) noexcept {
  Recorder& all = recorder();
  if (comm != MPI_COMM_WORLD || all.sync_every() <= 0 || !all.active()) return;
  static double last = PMPI_Wtime();
  int due = PMPI_Wtime() - last >= all.sync_every() ? 1 : 0;
  PMPI_Bcast(&due, 1, MPI_INT, 0, comm);
  if (due == 0) return;
  all.synchronise("during");
  last = PMPI_Wtime();
}

}  // namespace

}  // namespace clc::record

using namespace clc::record;

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  const Call call("MPI_Barrier");  // its leave follows the measurement, the end of the operation does not
  const int result = blocking(call, Operation::barrier, comm, no_root, {}, [&] { return PMPI_Barrier(comm); });
  synchronise_sometimes(comm);
  return result;
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return posted("MPI_Ibarrier", Operation::barrier, comm, no_root, {}, request,
                [&] { return PMPI_Ibarrier(comm, request); });
}

// Each operation twice. PARAMETERS and ARGUMENTS are those of the blocking form.
#define CLC_COLLECTIVE(NAME, INAME, OPERATION, ROOT, BYTES, PARAMETERS, ARGUMENTS)       \
  int MPI_##NAME(CLC_UNPACK PARAMETERS) {                                                \
    return blocking("MPI_" #NAME, Operation::OPERATION, comm, ROOT,                      \
                    recorder().active() && is_recorded(comm) ? (BYTES) : Bytes{},        \
                    [&] { return PMPI_##NAME(CLC_UNPACK ARGUMENTS); });                  \
  }                                                                                      \
  int MPI_##INAME(CLC_UNPACK PARAMETERS, MPI_Request* request) {                         \
    return posted("MPI_" #INAME, Operation::OPERATION, comm, ROOT,                       \
                  recorder().active() && is_recorded(comm) ? (BYTES) : Bytes{}, request, \
                  [&] { return PMPI_##INAME(CLC_UNPACK ARGUMENTS, request); });          \
  }
#define CLC_UNPACK(...) __VA_ARGS__

CLC_COLLECTIVE(Bcast, Ibcast, bcast, root, for_bcast(count, type, root, comm),
               (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm), (buffer, count, type, root, comm))
CLC_COLLECTIVE(Gather, Igather, gather, root, for_gather(n, ntype, m, mtype, root, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, int m, MPI_Datatype mtype, int root,
                MPI_Comm comm),
               (from, n, ntype, to, m, mtype, root, comm))
CLC_COLLECTIVE(Gatherv, Igatherv, gatherv, root, for_gatherv(n, ntype, m, mtype, root, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, const int* m, const int* places,
                MPI_Datatype mtype, int root, MPI_Comm comm),
               (from, n, ntype, to, m, places, mtype, root, comm))
CLC_COLLECTIVE(Scatter, Iscatter, scatter, root, for_scatter(n, ntype, m, mtype, root, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, int m, MPI_Datatype mtype, int root,
                MPI_Comm comm),
               (from, n, ntype, to, m, mtype, root, comm))
CLC_COLLECTIVE(Scatterv, Iscatterv, scatterv, root, for_scatterv(n, ntype, m, mtype, root, comm),
               (const void* from, const int* n, const int* places, MPI_Datatype ntype, void* to, int m,
                MPI_Datatype mtype, int root, MPI_Comm comm),
               (from, n, places, ntype, to, m, mtype, root, comm))
CLC_COLLECTIVE(Reduce, Ireduce, reduce, root, for_reduce(count, type, root, comm),
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
               (from, to, count, type, op, root, comm))
CLC_COLLECTIVE(Allreduce, Iallreduce, allreduce, no_root, for_all(bytes_of(count, type), bytes_of(count, type)),
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm))
CLC_COLLECTIVE(Scan, Iscan, scan, no_root, for_all(bytes_of(count, type), bytes_of(count, type)),
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm))
CLC_COLLECTIVE(Exscan, Iexscan, exscan, no_root, for_all(bytes_of(count, type), bytes_of(count, type)),
               (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, count, type, op, comm))
CLC_COLLECTIVE(Allgather, Iallgather, allgather, no_root, for_allgather(from, n, ntype, m, mtype, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, int m, MPI_Datatype mtype, MPI_Comm comm),
               (from, n, ntype, to, m, mtype, comm))
CLC_COLLECTIVE(Allgatherv, Iallgatherv, allgatherv, no_root, for_allgatherv(from, n, ntype, m, mtype, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, const int* m, const int* places,
                MPI_Datatype mtype, MPI_Comm comm),
               (from, n, ntype, to, m, places, mtype, comm))
CLC_COLLECTIVE(Alltoall, Ialltoall, alltoall, no_root, for_alltoall(from, n, ntype, m, mtype, comm),
               (const void* from, int n, MPI_Datatype ntype, void* to, int m, MPI_Datatype mtype, MPI_Comm comm),
               (from, n, ntype, to, m, mtype, comm))
CLC_COLLECTIVE(Alltoallv, Ialltoallv, alltoallv, no_root, for_alltoallv(from, n, ntype, m, mtype, comm),
               (const void* from, const int* n, const int* nplaces, MPI_Datatype ntype, void* to, const int* m,
                const int* mplaces, MPI_Datatype mtype, MPI_Comm comm),
               (from, n, nplaces, ntype, to, m, mplaces, mtype, comm))
CLC_COLLECTIVE(Alltoallw, Ialltoallw, alltoallw, no_root, for_alltoallw(from, n, ntypes, m, mtypes, comm),
               (const void* from, const int* n, const int* nplaces, const MPI_Datatype* ntypes, void* to, const int* m,
                const int* mplaces, const MPI_Datatype* mtypes, MPI_Comm comm),
               (from, n, nplaces, ntypes, to, m, mplaces, mtypes, comm))
CLC_COLLECTIVE(Reduce_scatter, Ireduce_scatter, reduce_scatter, no_root, for_reduce_scatter(m, type, comm),
               (const void* from, void* to, const int* m, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, m, type, op, comm))
CLC_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, reduce_scatter_block, no_root,
               for_reduce_scatter_block(m, type, comm),
               (const void* from, void* to, int m, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
               (from, to, m, type, op, comm))

}  // extern "C"
