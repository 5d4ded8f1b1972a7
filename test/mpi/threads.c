/* Several threads that send, receive and wait at the same time, for the tests of clc-record.
   usage: threads ROUNDS   prints "sends receives threads" of all processes */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { thread_count = 3 };
static int rank, size, rounds;

static void* run(void* argument) {
  const int tag = (int)(long)argument;
  int in, out = rank;
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[thread_count];
  int provided;
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided != MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("none");
    MPI_Finalize();
    return 0;
  }
  for (long i = 0; i < thread_count; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  if (rank == 0) printf("%d %d %d\n", size * thread_count * rounds, size * thread_count * rounds, size * thread_count);
  MPI_Finalize();
  return 0;
}
