/* Several threads that send, receive and wait at the same time, after a message of the first, for the tests of
   clc-record. Then they receive messages of the next channel by turns, which have 1, 2, 3 and so on bytes. At last two
   threads send on the channel after that, 1 and 2 bytes, and the send that begins first reaches MPI last, if it can.
   usage: threads ROUNDS [SHORT]   prints "sends receives threads" of all processes; before, SHORT further threads of
                                   rank 1 call MPI, one after the other */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { thread_count = 3, of_each = 200, all_of_channel = thread_count * of_each };
static int rank, size, rounds;
static pthread_barrier_t ended;

static void* run(void* argument) {
  const int tag = (int)(long)argument;
  char bytes[all_of_channel];
  int in, out = rank;
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < of_each; ++i)
    MPI_Recv(bytes, all_of_channel, MPI_CHAR, (rank + size - 1) % size, thread_count, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  pthread_barrier_wait(&ended); /* so many at a time */
  return NULL;
}

/* Begins and ends with a call. */
static pthread_key_t last_call;
static void call(void* argument) {
  MPI_Status status;
  (void)argument;
  MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
}
static void* run_shortly(void* argument) {
  pthread_setspecific(last_call, argument);
  call(argument);
  return NULL;
}

/* MPI's own, which the recorder calls: the first call waits for the second one to return, 200 ms at most. */
static int begun, returned;
int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  *(void**)&send = dlsym(RTLD_NEXT, "PMPI_Isend");
  if (__sync_fetch_and_add(&begun, 1) == 0)
    for (int i = 0; i < 200 && __sync_fetch_and_add(&returned, 0) == 0; ++i) usleep(1000);
  const int result = send(buffer, count, type, to, tag, comm, request);
  __sync_fetch_and_add(&returned, 1);
  return result;
}
static void* send_one_of_two(void* argument) {
  static const char bytes[2] = {0};
  const int count = (int)(long)argument;
  MPI_Request request;
  while (count == 2 && __sync_fetch_and_add(&begun, 0) == 0) usleep(100);
  MPI_Isend(bytes, count, MPI_CHAR, (rank + 1) % size, thread_count + 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[thread_count];
  int provided, last;
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided != MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("none");
    MPI_Finalize();
    return 0;
  }
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &last, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  pthread_barrier_init(&ended, NULL, thread_count);
  pthread_key_create(&last_call, call);
  for (int left = rank == 1 && argc > 2 ? atoi(argv[2]) : 0; left > 0; --left) {
    pthread_create(&threads[0], NULL, run_shortly, &rank);
    pthread_join(threads[0], NULL);
  }
  for (long i = 0; i < thread_count; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  static const char bytes[all_of_channel] = {0};
  for (int i = 1; i <= all_of_channel; ++i)
    MPI_Send(bytes, i, MPI_CHAR, (rank + 1) % size, thread_count, MPI_COMM_WORLD);
  for (int i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  for (long i = 1; i <= 2; ++i) pthread_create(&threads[i], NULL, send_one_of_two, (void*)i);
  char received[2];
  for (int i = 0; i < 2; ++i)
    MPI_Recv(received, 2, MPI_CHAR, (rank + size - 1) % size, thread_count + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= 2; ++i) pthread_join(threads[i], NULL);
  const int messages = size * (thread_count * rounds + all_of_channel + 1 + 2);
  if (rank == 0) printf("%d %d %d\n", messages, messages, size * thread_count);
  MPI_Finalize();
  return 0;
}
