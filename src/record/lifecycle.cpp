// Wrappers of the functions that begin and end a program, and of those that make and free communicators.
#include "record/calls.hpp"

using namespace clc::record;

namespace {

int at_finalize(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
  recorder().stop();
  return MPI_SUCCESS;
}

/// MPI_Finalize first deletes the attributes of MPI_COMM_SELF, the last ones first. This one is before any of the
/// program, whose functions may still call MPI.
void start() noexcept {
  recorder().start();
  int key = MPI_KEYVAL_INVALID;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr) != MPI_SUCCESS) return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
}

/// The last function of the library: those that the program registered with atexit(), and its destructors, have run,
/// and may have called MPI_Finalize.
[[gnu::destructor]] void at_exit() { recorder().rescue(); }

/// MPI may refuse it, and calls functions of the program meanwhile, which may use the communicator.
template <class Free>
int freeing(const char* name, MPI_Comm* comm, Free free) {
  const Call call(name);
  if (!call.recorded() || comm == nullptr) return free(comm);
  const MPI_Comm handle = *comm;
  const KnownCommunicator known = recorder().known(handle);
  const int result = free(comm);
  if (result == MPI_SUCCESS) recorder().forget_communicator(handle, known);
  return result;
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) start();
  return result;
}

int MPI_Abort(MPI_Comm comm, int code) {
  if (recorder().active()) recorder().enter("MPI_Abort");
  recorder().rescue();
  return PMPI_Abort(comm, code);
}

#define CLC_COMMUNICATOR(NAME, PARAMETERS, ARGUMENTS)                                 \
  int MPI_##NAME(CLC_UNPACK PARAMETERS, MPI_Comm* made) {                             \
    const Call call("MPI_" #NAME);                                                    \
    const int result = PMPI_##NAME(CLC_UNPACK ARGUMENTS, made);                       \
    if (call.recorded() && result == MPI_SUCCESS) recorder().add_communicator(*made); \
    return result;                                                                    \
  }
#define CLC_UNPACK(...) __VA_ARGS__

CLC_COMMUNICATOR(Comm_dup, (MPI_Comm comm), (comm))
CLC_COMMUNICATOR(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
CLC_COMMUNICATOR(Comm_split, (MPI_Comm comm, int color, int key), (comm, color, key))
CLC_COMMUNICATOR(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info), (comm, type, key, info))
CLC_COMMUNICATOR(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
CLC_COMMUNICATOR(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
CLC_COMMUNICATOR(Intercomm_create, (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag),
                 (local, leader, peer, remote, tag))
CLC_COMMUNICATOR(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))
CLC_COMMUNICATOR(Comm_accept, (const char* port, MPI_Info info, int root, MPI_Comm comm), (port, info, root, comm))
CLC_COMMUNICATOR(Comm_connect, (const char* port, MPI_Info info, int root, MPI_Comm comm), (port, info, root, comm))
CLC_COMMUNICATOR(Comm_join, (int socket), (socket))
CLC_COMMUNICATOR(Cart_create, (MPI_Comm comm, int n, const int* sizes, const int* periods, int reorder),
                 (comm, n, sizes, periods, reorder))
CLC_COMMUNICATOR(Cart_sub, (MPI_Comm comm, const int* kept), (comm, kept))
CLC_COMMUNICATOR(Graph_create, (MPI_Comm comm, int n, const int* index, const int* edges, int reorder),
                 (comm, n, index, edges, reorder))
CLC_COMMUNICATOR(Dist_graph_create_adjacent,
                 (MPI_Comm comm, int in, const int* sources, const int* in_weights, int out, const int* targets,
                  const int* out_weights, MPI_Info info, int reorder),
                 (comm, in, sources, in_weights, out, targets, out_weights, info, reorder))
CLC_COMMUNICATOR(Dist_graph_create,
                 (MPI_Comm comm, int n, const int* sources, const int* degrees, const int* targets, const int* weights,
                  MPI_Info info, int reorder),
                 (comm, n, sources, degrees, targets, weights, info, reorder))

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  const Call call("MPI_Comm_idup");
  const int result = PMPI_Comm_idup(comm, made, request);
  if (call.recorded() && result == MPI_SUCCESS) post_duplicate(*request, comm, made);
  return result;
}

int MPI_Comm_free(MPI_Comm* comm) { return freeing("MPI_Comm_free", comm, PMPI_Comm_free); }

int MPI_Comm_disconnect(MPI_Comm* comm) { return freeing("MPI_Comm_disconnect", comm, PMPI_Comm_disconnect); }

}  // extern "C"
