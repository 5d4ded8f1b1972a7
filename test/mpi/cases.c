/* Small programs that do what is rare, for the tests of clc-record.
   usage: cases NAME   see the table at the end */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size, one = 1, in;

/* Everyone to the next: as many messages as processes. */
static void ring(MPI_Comm comm, int tag) {
  int own, count;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &count);
  MPI_Sendrecv(&one, 1, MPI_INT, (own + 1) % count, tag, &in, 1, MPI_INT, (own + count - 1) % count, tag, comm,
               MPI_STATUS_IGNORE);
}

static void one_ring(void) { ring(MPI_COMM_WORLD, 1); }

/* A job of two, which talks with its parents. */
static char* self;
static void spawn(void) {
  MPI_Comm other, both;
  char name[] = "spawn";
  char* arguments[] = {name, NULL};
  MPI_Comm_get_parent(&other);
  const int child = other != MPI_COMM_NULL;
  ring(MPI_COMM_WORLD, 1);
  if (!child) MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
  if (child && rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 2, other);
  if (!child && rank == 0) MPI_Recv(&in, 1, MPI_INT, 1, 2, other, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(other, child, &both);
  MPI_Barrier(both);
  MPI_Comm_free(&both);
  MPI_Comm_disconnect(&other);
  ring(MPI_COMM_WORLD, 3);
}

/* Children that end by exit and by a signal. */
static void forks(void) {
  ring(MPI_COMM_WORLD, 1);
  for (int kind = 0; kind < 2; ++kind) {
    const pid_t child = fork();
    if (child == 0) {
      if (kind == 0) exit(0);
      raise(SIGTERM);
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (kind == 0 ? !WIFEXITED(status) : !WIFSIGNALED(status)) puts("the child does not end");
  }
  ring(MPI_COMM_WORLD, 2);
}

/* MPI is called until the end: by a function that MPI_Finalize calls, which one process calls when it exits. */
static int last_ring(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  ring(MPI_COMM_WORLD, 2);
  return MPI_SUCCESS;
}
static void exits(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_ring, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  ring(MPI_COMM_WORLD, 1);
  if (rank == 0) exit(0);
}
static void finalize(void) {
  int done;
  MPI_Finalized(&done);
  if (!done) MPI_Finalize();
}

static int refuse(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  return *(int*)value;
}

/* Communicators that MPI does not free at first, or that are freed before their requests end, and handles that may be
   used again. */
static void freed(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm comm, other;
  MPI_Request all[3];
  int sum;
  for (int round = 0; round < 4; ++round) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&in, 1, MPI_INT, before, round, comm, &all[0]);
    MPI_Isend(&one, 1, MPI_INT, next, round, comm, &all[1]);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &all[2]);
    MPI_Comm_free(&comm);
    MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Send_init(&one, 1, MPI_INT, next, 1, comm, &all[0]);
  MPI_Recv_init(&in, 1, MPI_INT, before, 1, comm, &all[1]);
  MPI_Comm_free(&comm);
  for (int round = 0; round < 5; ++round) {
    MPI_Startall(2, all);
    MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_free(&other);
  }
  MPI_Request_free(&all[0]);
  MPI_Request_free(&all[1]);
  int key, error = MPI_ERR_OTHER;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_dup(world, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  MPI_Comm_set_attr(comm, key, &error);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&world);
  ring(comm, 1);
  ring(MPI_COMM_WORLD, 1);
  error = MPI_SUCCESS;
  MPI_Comm_free(&comm);
}

/* Two non-blocking collective operations, which one process completes in the other order, some time later. */
static void orders(void) {
  MPI_Request all[2], later;
  int sum;
  for (int round = 0; round < 20; ++round) {
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &all[1]);
    MPI_Wait(&all[rank == 0], MPI_STATUS_IGNORE);
    MPI_Wait(&all[rank != 0], MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &all[0]);
    if (rank == 0) MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    usleep(2000);
    MPI_Ibarrier(MPI_COMM_WORLD, &later);
    MPI_Wait(&later, MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank != 0) MPI_Wait(&all[0], MPI_STATUS_IGNORE);
  }
}

/* Operations that are complete at once, several at a time. */
static void complete(void) {
  MPI_Request all[5];
  int sum;
  for (int i = 0; i < 5; ++i)
    i < 3 ? MPI_Iallreduce(&one, &sum, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &all[i])
          : MPI_Ibarrier(MPI_COMM_SELF, &all[i]);
  MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
}

/* More operations under way than communicators for them. */
static void many(void) {
  MPI_Request first, all[600];
  MPI_Ibarrier(MPI_COMM_WORLD, &first);
  for (int i = 0; i < 600; ++i) MPI_Ibarrier(MPI_COMM_WORLD, &all[i]);
  MPI_Waitall(600, all, MPI_STATUSES_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
}

/* Two processes that find each other by a port. */
static void meet(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm comm;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    MPI_Close_port(port);
  } else {
    MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
  }
  MPI_Sendrecv(&one, 1, MPI_INT, 0, 2, &in, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&comm);
}

static void duplicates(void) {
  MPI_Comm first, second;
  MPI_Request all[2];
  int sum;
  MPI_Comm_idup(MPI_COMM_WORLD, &first, &all[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &second, &all[1]);
  ring(MPI_COMM_WORLD, 1);
  MPI_Wait(&all[rank == 0], MPI_STATUS_IGNORE); /* in different orders */
  MPI_Wait(&all[rank != 0], MPI_STATUS_IGNORE);
  ring(first, 2);
  ring(second, 2);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, first);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  if (rank < 2) meet();
}

/* A communicator that the recorder does not see. */
static void unseen(void) {
  MPI_Comm comm;
  MPI_Request request;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  ring(comm, 1);
  MPI_Barrier(comm);
  MPI_Ibarrier(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  ring(MPI_COMM_WORLD, 1);
}

/* Calls that fail, and are told to the program once. */
static int errors;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors;
}
static void fail(void) {
  MPI_Errhandler handler;
  MPI_Request request;
  int sum;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Send(&one, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Send(&one, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
  MPI_Isend(&one, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Sendrecv(&one, -1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(NULL, MPI_STATUS_IGNORE);
  MPI_Allreduce(&one, &sum, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(&one, &sum, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_NULL);
  MPI_Gatherv(&one, 1, MPI_INT, &sum, NULL, NULL, MPI_INT, 0, MPI_COMM_SELF);
  if (errors != 10) printf("%d errors\n", errors);
}

/* In each call that completes requests, the second of three messages does not fit. */
static void truncated(void) {
  int out[8] = {0}, received[12], indexes[3], count, index, flag;
  MPI_Request all[3];
  MPI_Status statuses[3];
  fail();
  for (int how = 0; how < 8; ++how) {
    if (rank == 0) {
      for (int i = 0; i < 3; ++i) MPI_Send(out, i == 1 ? 8 : 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else if (rank == 1) {
      for (int i = 0; i < 3; ++i) MPI_Irecv(received + 4 * i, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &all[i]);
      if (how == 0) MPI_Waitall(3, all, statuses);
      if (how == 1) MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
      for (int left = how == 2 || how == 3 ? 3 : 0; left > 0;) {
        how == 2 ? MPI_Waitsome(3, all, &count, indexes, statuses) : MPI_Testsome(3, all, &count, indexes, statuses);
        left -= count;
      }
      for (flag = 0; how == 4 && !flag;) MPI_Testall(3, all, &flag, statuses);
      for (int i = 0; i < 3; ++i) {
        if (how == 5) MPI_Waitany(3, all, &index, statuses);
        if (how == 6) MPI_Wait(&all[i], statuses);
        for (flag = 0; how == 7 && !flag;) MPI_Test(&all[i], &flag, statuses);
      }
    }
  }
  if (rank == 0) MPI_Send(out, 8, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(received, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, statuses);
}

/* Requests that are looked at and freed, or looked at twice and waited for. */
static void looked_at(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request request;
  MPI_Status status;
  for (int round = 0; round < 6; ++round) {
    int flag = 0;
    MPI_Irecv(&in, 1, MPI_INT, round % 2 == 0 ? before : MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &request);
    MPI_Send(&one, 1, MPI_INT, next, round, MPI_COMM_WORLD);
    while (!flag && round == 2) PMPI_Request_get_status(request, &flag, &status); /* not seen by the recorder */
    while (!flag) MPI_Request_get_status(request, &flag, round < 4 ? &status : MPI_STATUS_IGNORE);
    if (round % 2 != 0) MPI_Request_get_status(request, &flag, &status);
    round == 2 || round == 3 ? MPI_Request_free(&request) : MPI_Wait(&request, &status);
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
  MPI_Wait(&request, &status);
}

/* Receives in another order than their messages: a matched message, and a request, after the next of the channel; a
   cancelled one takes none. */
static void overtaking(void) {
  MPI_Message message;
  MPI_Request request, later, cancelled;
  MPI_Status status;
  if (rank == 1) {
    MPI_Irecv(&in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &cancelled);
    MPI_Cancel(&cancelled);
  }
  PMPI_Barrier(MPI_COMM_WORLD); /* not seen by the recorder */
  for (int how = 0; how < 6; ++how) {
    if (rank == 0)
      for (int bytes = 1; bytes <= 2; ++bytes) MPI_Send("ab", bytes, MPI_CHAR, 1, how, MPI_COMM_WORLD);
    if (rank != 1) continue;
    char two[2];
    int flag = 0;
    if (how == 0 || how == 3) MPI_Mprobe(0, how, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    while (how == 1 && !flag) MPI_Improbe(MPI_ANY_SOURCE, how, MPI_COMM_WORLD, &flag, &message, &status);
    if (how == 2) MPI_Irecv(two, 2, MPI_CHAR, 0, how, MPI_COMM_WORLD, &request);
    if (how == 4) MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    if (how == 3) MPI_Imrecv(two, 2, MPI_CHAR, &message, &request);
    if (how == 4) {
      MPI_Irecv(two, 2, MPI_CHAR, 0, how, MPI_COMM_WORLD, &later);
      MPI_Wait(&later, &status);
    } else {
      MPI_Recv(two, 2, MPI_CHAR, 0, how, MPI_COMM_WORLD, &status);
    }
    if (how == 5)
      MPI_Recv(two, 2, MPI_CHAR, 0, how, MPI_COMM_WORLD, &status);
    else
      how == 2 || how == 3 ? MPI_Wait(&request, &status) : MPI_Mrecv(two, 2, MPI_CHAR, &message, &status);
  }
  if (rank == 1) MPI_Wait(&cancelled, &status);
}

/* Receives of all kinds at rank 0, from any rank, each of which has its message before the next is posted; they end in
   random order. Rank 0 prints what is to be recorded of each: sender, communicator, tag, and how many it overtakes. */
struct receive {
  MPI_Request request;
  MPI_Message message; /* if there is no request */
  int persistent, source, comm, tag;
};
static MPI_Comm both[2];

/* active[done] is no longer among those. */
static void print_overtakes(const struct receive* done, const struct receive* active, int before) {
  int overtakes = 0;
  for (int i = 0; i < before; ++i)
    overtakes += active[i].source == done->source && active[i].comm == done->comm && active[i].tag == done->tag;
  printf("%d %d %d", done->source, done->comm, done->tag);
  printf(overtakes > 0 ? " overtakes=%d\n" : "\n", overtakes);
}

static void post(struct receive* next) {
  const int from = rand() % 3 == 0 ? MPI_ANY_SOURCE : next->source, tag = rand() % 3 == 0 ? MPI_ANY_TAG : next->tag;
  MPI_Comm comm = both[next->comm];
  next->request = MPI_REQUEST_NULL;
  next->persistent = rand() % 4 == 0;
  if (rand() % 4 == 0) {
    MPI_Mprobe(from, tag, comm, &next->message, MPI_STATUS_IGNORE);
    next->persistent = 0;
    if (rand() % 2 == 0) MPI_Imrecv(&in, 1, MPI_INT, &next->message, &next->request);
  } else if (next->persistent) {
    MPI_Recv_init(&in, 1, MPI_INT, from, tag, comm, &next->request);
    MPI_Start(&next->request);
  } else {
    MPI_Irecv(&in, 1, MPI_INT, from, tag, comm, &next->request);
  }
  for (int flag = next->request == MPI_REQUEST_NULL; !flag;)
    PMPI_Request_get_status(next->request, &flag, MPI_STATUS_IGNORE); /* not seen by the recorder */
}

static void end(struct receive* all, int place, int count) {
  struct receive one_of = all[place];
  int flag = 0;
  if (one_of.request == MPI_REQUEST_NULL)
    MPI_Mrecv(&in, 1, MPI_INT, &one_of.message, MPI_STATUS_IGNORE);
  else if (rand() % 3 == 0)
    MPI_Test(&one_of.request, &flag, MPI_STATUS_IGNORE);
  else if (rand() % 2 == 0)
    MPI_Request_get_status(one_of.request, &flag, MPI_STATUS_IGNORE);
  else
    MPI_Wait(&one_of.request, MPI_STATUS_IGNORE);
  if (one_of.request != MPI_REQUEST_NULL && flag && !one_of.persistent) MPI_Wait(&one_of.request, MPI_STATUS_IGNORE);
  if (one_of.request != MPI_REQUEST_NULL) MPI_Request_free(&one_of.request);
  print_overtakes(&one_of, all, place);
  memmove(all + place, all + place + 1, (size_t)(count - place - 1) * sizeof *all);
}

static void shuffled(void) {
  enum { most = 400, steps = 3000 };
  static struct receive all[most];
  int count = 0;
  both[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &both[1]);
  srand(1); /* the same in all processes */
  for (int step = 0; step < steps; ++step) {
    struct receive next = {MPI_REQUEST_NULL, MPI_MESSAGE_NULL, 0, rand() % size, rand() % 2, rand() % 3};
    const int seed = rand(), blocking = rand() % 8 == 0;
    if (rank == next.source) MPI_Send(&one, 1, MPI_INT, 0, next.tag, both[next.comm]);
    if (rank == 0) {
      srand((unsigned)seed);
      if (blocking) {
        MPI_Recv(&in, 1, MPI_INT, next.source, next.tag, both[next.comm], MPI_STATUS_IGNORE);
        print_overtakes(&next, all, count);
      } else {
        post(&next);
        all[count++] = next;
      }
      while (count == most || (count > 0 && (step + 1 == steps || rand() % 3 == 0))) {
        end(all, rand() % count, count);
        --count;
      }
    }
    PMPI_Barrier(both[0]);
    srand((unsigned)seed);
  }
  MPI_Comm_free(&both[1]);
}

/* Rank 1, or everyone, may write files up to so many bytes only; the signal for more still is the program's. */
static void limited_to(rlim_t bytes, int everyone, int rounds) {
  struct rlimit limit;
  sigset_t pending;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  if (everyone || rank == 1) setrlimit(RLIMIT_FSIZE, &limit);
  for (int i = 0; i < rounds; ++i) ring(MPI_COMM_WORLD, 1);
  sigpending(&pending);
  if (sigismember(&pending, SIGXFSZ)) puts("SIGXFSZ is pending");
  sigprocmask(SIG_BLOCK, NULL, &pending);
  if (sigismember(&pending, SIGXFSZ)) puts("SIGXFSZ is blocked");
  if (signal(SIGXFSZ, SIG_DFL) != SIG_DFL) puts("SIGXFSZ is handled");
}
static void limited(void) { limited_to(100000, 0, 20000); }
static void full(void) { limited_to(0, 1, 10); }
static void full_abort(void) {
  limited_to(0, 0, 10);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
  for (;;) pause();
}

/* 2 GiB out of a few bytes, and into them. */
static void large(void) {
  static char block[1 << 16];
  MPI_Datatype all;
  MPI_Status status;
  MPI_Type_create_hvector(1 << 15, 1 << 16, 0, MPI_CHAR, &all);
  MPI_Type_commit(&all);
  if (rank == 0) MPI_Send(block, 1, all, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(block, 1, all, 0, 1, MPI_COMM_WORLD, &status);
  MPI_Type_free(&all);
}

/* Into another folder. */
static void moves(void) {
  ring(MPI_COMM_WORLD, 1);
  if (chdir("/") != 0) puts("no folder /");
}

/* Ready for a signal, but not for ever. */
static void pauses(void) {
  alarm(100);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) fclose(fopen("ready", "w"));
  for (;;) pause();
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {
    {"ring", one_ring},
    {"other", one_ring},
    {"spawn", spawn},
    {"fork", forks},
    {"exits", exits},
    {"freed", freed},
    {"orders", orders},
    {"complete", complete},
    {"many", many},
    {"duplicates", duplicates},
    {"unseen", unseen},
    {"truncated", truncated},
    {"looked_at", looked_at},
    {"overtaking", overtaking},
    {"large", large},
    {"shuffled", shuffled},
    {"limited", limited},
    {"full", full},
    {"full_abort", full_abort},
    {"moves", moves},
    {"pauses", pauses},
};

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "exits") == 0) atexit(finalize);
  MPI_Init(&argc, &argv);
  self = argv[0];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  MPI_Finalize();
  return 0;
}
