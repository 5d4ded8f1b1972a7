/* Messages and collective operations of many kinds, counted by the program itself, for the tests of clc-record.
   usage: traffic ROUNDS [abort]   prints "sends receives collectives" of all processes */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sends, receives, collectives;

static void exchange(MPI_Comm comm, int rank, int size, int round) {
  const int next = (rank + 1) % size;
  int out = round, in[3] = {0};
  MPI_Request all[3];
  MPI_Status status;
  int index;
  /* Wildcards, completed one by one. */
  for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, i == 0 ? MPI_ANY_SOURCE : (rank + size - 1) % size, i == 1 ? 7 : MPI_ANY_TAG, comm, &all[i]);
  for (int i = 0; i < 3; ++i) {
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, next, 7, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ++sends;
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Waitany(3, all, &index, &status);
    ++receives;
  }
  MPI_Sendrecv(&out, 1, MPI_INT, next, 8, in, 1, MPI_INT, MPI_ANY_SOURCE, 8, comm, MPI_STATUS_IGNORE);
  ++sends, ++receives;
}

int main(int argc, char** argv) {
  int rank, size, half_rank, half_size, sum, one = 1;
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  const int aborts = argc > 2 && strcmp(argv[2], "abort") == 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  for (int round = 0; round < rounds; ++round) {
    exchange(MPI_COMM_WORLD, rank, size, round);
    exchange(half, half_rank, half_size, round);
    if (aborts && round == rounds / 2) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (round % 50 == 0) {
      MPI_Request request;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
      MPI_Ibcast(&one, 1, MPI_INT, half_size - 1, half, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
      collectives += 3;
    }
  }
  long own[3], all[3] = {0};
  ++collectives; /* this one */
  own[0] = sends, own[1] = receives, own[2] = collectives;
  MPI_Reduce(own, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld %ld %ld\n", all[0], all[1], all[2]);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
