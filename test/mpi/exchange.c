/* A small MPI program for recordings: messages round a ring and between pairs, non-blocking and not, collective
 * operations of all classes, on all processes and on halves, with computation in between.
 *
 *   exchange [ROUNDS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

static void compute(int length) {
  double sum = 0;
  for (int i = 1; i <= length * 1000; ++i) sum += 1.0 / i;
  sink = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  int token[256] = {0};
  int got[256] = {0};
  int* const all = calloc((size_t)size, sizeof *all);
  if (all == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int round = 0; round < rounds; ++round) {
    compute(1 + (round + rank) % 7);
    /* A token goes round. */
    if (rank == 0) {
      MPI_Send(token, 256, MPI_INT, next, 1, MPI_COMM_WORLD);
      MPI_Recv(got, 256, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(got, 256, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(1);
      MPI_Send(got, 256, MPI_INT, next, 1, MPI_COMM_WORLD);
    }
    /* Everybody to both neighbours at once. */
    MPI_Request requests[2];
    int in = 0;
    MPI_Isend(&round, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&round, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &requests[1]);
    compute(1);
    MPI_Recv(&in, 1, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, next, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    switch (round % 5) {
      case 0:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Bcast(token, 16, MPI_INT, round % size, MPI_COMM_WORLD);
        break;
      case 2:
        MPI_Reduce(token, got, 16, MPI_INT, MPI_SUM, round % size, MPI_COMM_WORLD);
        break;
      case 3:
        MPI_Allreduce(token, got, 16, MPI_INT, MPI_SUM, half);
        break;
      default:
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        break;
    }
  }
  free(all);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
