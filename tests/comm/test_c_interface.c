/* The C interface, compiled as C: results, and what wrong calls give. Every rank runs all of it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sterna/comm/sterna_comm.h"

static int rank, size, failures;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("rank %d of %d, line %d: %s (last message: %s)\n", rank, size, line, what,
         sterna_error_message());
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define SUCCEEDS(call) CHECK((call) == STERNA_SUCCESS)
/* The status, and a part of the message. */
#define FAILS(status, words, call) \
  CHECK((call) == (status) && strstr(sterna_error_message(), (words)) != NULL)

static int* everybody(void) {
  int* ranks = malloc((size_t)size * sizeof *ranks);
  for (int i = 0; i < size; ++i) ranks[i] = i;
  return ranks;
}

static void test_context(sterna_context world) {
  sterna_context context = {0};
  int value = -1;
  SUCCEEDS(sterna_context_rank(world, &value));
  CHECK(value == rank);
  SUCCEEDS(sterna_context_size(world, &value));
  CHECK(value == size);
  FAILS(STERNA_ERROR_HANDLE, "null handle", sterna_context_size(context, &value));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_context_size(world, NULL));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_context_create(NULL, NULL));
  FAILS(STERNA_ERROR_ARGUMENT, "more than 0", sterna_context_set_timeout(world, 0.0));
  const MPI_Comm none = MPI_COMM_NULL;
  FAILS(STERNA_ERROR_ARGUMENT, "MPI_COMM_NULL", sterna_context_create(&none, &context));

  /* The ranks backwards, by a handle as Fortran has it. */
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  SUCCEEDS(sterna_context_create_from_fortran((int)MPI_Comm_c2f(backwards), &context));
  MPI_Comm_free(&backwards);
  SUCCEEDS(sterna_context_rank(context, &value));
  CHECK(value == size - 1 - rank);
  SUCCEEDS(sterna_barrier(context));
  const sterna_context copy = context;
  SUCCEEDS(sterna_context_destroy(&context));
  CHECK(context.id == 0);
  FAILS(STERNA_ERROR_HANDLE, "names no context", sterna_context_size(copy, &value));
  context = copy;
  FAILS(STERNA_ERROR_HANDLE, "names no context", sterna_context_destroy(&context));
  const sterna_region other_kind = {world.id};
  FAILS(STERNA_ERROR_HANDLE, "names no region", sterna_flush(other_kind));
  CHECK(strcmp(sterna_status_name(STERNA_ERROR_RANGE), "STERNA_ERROR_RANGE") == 0);
  CHECK(strcmp(sterna_status_name(77), "unknown status") == 0);
}

/* `own`: memory of this program's. */
static void test_region(sterna_context world, const char* transport, int own) {
  int* const peers = everybody();
  const size_t count = (size_t)size + 1;
  int64_t* memory = malloc(count * sizeof *memory);
  for (size_t i = 0; i < count; ++i) memory[i] = 0;
  sterna_region region = {0};
  const int status = own ? sterna_region_register(world, memory, count * sizeof *memory, size,
                                                  peers, "own", &region)
                         : sterna_region_create(world, count * sizeof *memory, size, peers,
                                                transport, NULL, &region);
  if (status != STERNA_SUCCESS && strstr(sterna_error_message(), "no transport") != NULL) {
    if (rank == 0) printf("skipped: %s\n", sterna_error_message());
    free(peers);
    free(memory);
    return;
  }
  SUCCEEDS(status);
  void* data = NULL;
  size_t bytes = 0;
  const char* used = NULL;
  SUCCEEDS(sterna_region_data(region, &data));
  SUCCEEDS(sterna_region_bytes(region, &bytes));
  SUCCEEDS(sterna_region_transport(region, &used));
  CHECK(bytes == count * sizeof *memory);
  CHECK(strcmp(used, own ? "rdma" : transport) == 0);
  if (own) CHECK(data == memory);
  int64_t* const words = data;

  /* Each writes its word at each; the notice comes after it. */
  sterna_remote part;
  for (int64_t round = 1; round <= 20; ++round) {
    const int64_t mine = 1000 * round + rank;
    for (int peer = 0; peer < size; ++peer) {
      SUCCEEDS(sterna_remote_part(region, peer, &part));
      SUCCEEDS(sterna_put_notify(&part, (size_t)rank * sizeof mine, &mine, sizeof mine));
    }
    for (int peer = 0; peer < size; ++peer) {
      SUCCEEDS(sterna_wait(region, peer));
      CHECK(words[peer] == 1000 * round + peer);
    }
    SUCCEEDS(sterna_flush(region));
    /* Read back what was put there. */
    int64_t back = 0;
    SUCCEEDS(sterna_remote_handle(region, (rank + 1) % size, (size_t)rank * sizeof back,
                                  sizeof back, &part));
    SUCCEEDS(sterna_get(&part, 0, &back, sizeof back));
    SUCCEEDS(sterna_flush(region));
    CHECK(back == mine);
    SUCCEEDS(sterna_barrier(world)); /* before the next round overwrites */
  }
  uint64_t notices = 0;
  SUCCEEDS(sterna_notices(region, rank, &notices));
  CHECK(notices == 20);

  /* All add to the last word of rank 0. */
  SUCCEEDS(sterna_remote_handle(region, 0, (size_t)size * sizeof *words, sizeof *words, &part));
  int64_t last = -1;
  for (int i = 0; i < 30; ++i) {
    int64_t before = -1;
    SUCCEEDS(sterna_fetch_add(&part, 0, 2, &before));
    CHECK(before > last && before % 2 == 0);
    last = before;
  }
  SUCCEEDS(sterna_barrier(world));
  if (rank == 0) CHECK(words[size] == 60 * size);

  /* A remote handle that another rank has made: all name the first word of rank 0's part, and the
   * one in turn uses it. */
  sterna_remote from_last;
  SUCCEEDS(sterna_remote_handle(region, 0, 0, sizeof *words, &part));
  memcpy(&from_last, &part, sizeof part);
  MPI_Bcast(&from_last, sizeof from_last, MPI_BYTE, size - 1, MPI_COMM_WORLD);
  CHECK(memcmp(&from_last, &part, sizeof part) == 0);

  int64_t word = 0;
  FAILS(STERNA_ERROR_RANGE, "outside", sterna_put(&part, 1, &word, sizeof word));
  FAILS(STERNA_ERROR_RANGE, "outside",
        sterna_remote_handle(region, 0, bytes - 4, sizeof word, &part));
  FAILS(STERNA_ERROR_RANGE, "outside", sterna_remote_handle(region, 0, SIZE_MAX, 2, &part));
  FAILS(STERNA_ERROR_ARGUMENT, "is no peer", sterna_remote_part(region, size, &part));
  FAILS(STERNA_ERROR_ARGUMENT, "is no peer", sterna_notify(region, -1));
  FAILS(STERNA_ERROR_ARGUMENT, "is no peer", sterna_wait(region, size + 3));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_put(&from_last, 0, NULL, sizeof word));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_put(NULL, 0, &word, sizeof word));
  sterna_remote forged = from_last;
  forged.bytes = 1 << 20;
  FAILS(STERNA_ERROR_RANGE, "outside", sterna_get(&forged, 0, &word, sizeof word));
  forged = from_last;
  forged.region ^= 0xff00;
  FAILS(STERNA_ERROR_HANDLE, "no region", sterna_get(&forged, 0, &word, sizeof word));
  SUCCEEDS(sterna_put(&from_last, sizeof word, NULL, 0)); /* nothing, at the end */

  sterna_region copy = region;
  SUCCEEDS(sterna_region_destroy(&region));
  FAILS(STERNA_ERROR_HANDLE, "names no region", sterna_region_destroy(&copy));
  FAILS(STERNA_ERROR_HANDLE, "null handle", sterna_region_destroy(&region));
  FAILS(STERNA_ERROR_HANDLE, "no region", sterna_put(&from_last, 0, &word, sizeof word));
  free(peers);
  free(memory);
}

/* What is wrong on one rank is an error on all. */
static void test_errors_on_all_ranks(sterna_context world) {
  sterna_region region = {0};
  const int last = rank == size - 1;
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer",
        sterna_region_create(world, 8, last, NULL, NULL, "forces", &region));
  FAILS(STERNA_ERROR_ARGUMENT, "negative number of peers",
        sterna_region_create(world, 8, last ? -1 : 0, NULL, NULL, NULL, &region));
  FAILS(STERNA_ERROR_ARGUMENT, "memory",
        sterna_region_register(world, NULL, last ? 8 : 0, 0, NULL, NULL, &region));
  FAILS(STERNA_ERROR_ARGUMENT, "did you mean \"rdma\"",
        sterna_region_create(world, 8, 0, NULL, last ? "rdmb" : NULL, NULL, &region));
  const int nobody = size;
  FAILS(STERNA_ERROR_ARGUMENT, "is no rank",
        sterna_region_create(world, 8, last, &nobody, NULL, NULL, &region));
  CHECK(region.id == 0);
}

static void test_neighbor_exchange(sterna_context world) {
  sterna_neighbor_exchange exchange = {0};
  /* The ring, which has one neighbor on two ranks and this rank itself on one. */
  const int after = (rank + 1) % size, before = (rank + size - 1) % size;
  sterna_neighbor ring[2] = {{after, 10, 10}, {before, 10, 10}};
  const int count = after == before ? 1 : 2;
  FAILS(
      STERNA_ERROR_ARGUMENT, "did you mean \"p2p\"",
      sterna_neighbor_exchange_create(world, count, ring, sizeof(double), "p2pp", NULL, &exchange));
  SUCCEEDS(
      sterna_neighbor_exchange_create(world, count, ring, sizeof(double), NULL, "ring", &exchange));
  const char* method = NULL;
  SUCCEEDS(sterna_neighbor_exchange_method(exchange, &method));
  CHECK(strlen(method) > 0);
  const sterna_neighbor* neighbors = NULL;
  int neighbor_count = 0;
  SUCCEEDS(sterna_neighbor_exchange_neighbors(exchange, &neighbor_count, &neighbors));
  CHECK(neighbor_count == count && neighbors[0].send_capacity == 10);
  for (int round = 1; round <= 30; ++round) {
    /* In the middle the messages outgrow their buffers. */
    const size_t items = (size_t)(round < 15 ? round % 11 : 20 + round);
    if (round == 15) {
      const size_t most[2] = {50, 50};
      SUCCEEDS(sterna_neighbor_reserve(exchange, most));
    }
    SUCCEEDS(sterna_neighbor_exchange_neighbors(exchange, &neighbor_count, &neighbors));
    for (int i = 0; i < neighbor_count; ++i) {
      void* data = NULL;
      SUCCEEDS(sterna_neighbor_outbox(exchange, i, &data));
      for (size_t k = 0; k < items; ++k)
        ((double*)data)[k] = 100.0 * rank + round + 0.01 * (double)k;
      SUCCEEDS(sterna_neighbor_commit(exchange, i, items));
    }
    SUCCEEDS(sterna_neighbor_start(exchange));
    int arrived = 0, i = 0;
    for (;;) {
      SUCCEEDS(sterna_neighbor_next(exchange, &i));
      if (i < 0) break;
      ++arrived;
      const void* data = NULL;
      size_t got = 0;
      SUCCEEDS(sterna_neighbor_inbox(exchange, i, &data, &got));
      CHECK(got == items);
      for (size_t k = 0; k < got; ++k) {
        CHECK(((const double*)data)[k] ==
              100.0 * (double)neighbors[i].rank + round + 0.01 * (double)k);
      }
    }
    CHECK(arrived == count);
    SUCCEEDS(sterna_neighbor_finish(exchange));
  }
  void* data = NULL;
  FAILS(STERNA_ERROR_ARGUMENT, "no peer 7", sterna_neighbor_outbox(exchange, 7, &data));
  FAILS(STERNA_ERROR_ARGUMENT, "outbox holds", sterna_neighbor_commit(exchange, 0, 1000));
  FAILS(STERNA_ERROR_ARGUMENT, "without start", sterna_neighbor_finish(exchange));
  sterna_neighbor_exchange copy = exchange;
  SUCCEEDS(sterna_neighbor_exchange_destroy(&exchange));
  FAILS(STERNA_ERROR_HANDLE, "names no neighbor exchange", sterna_neighbor_start(copy));
  /* Sides that disagree. */
  sterna_neighbor wrong = {0, 1 + (uint64_t)rank, 1};
  if (size > 1 && rank < 2) {
    wrong.rank = 1 - rank;
    FAILS(STERNA_ERROR_ARGUMENT, "",
          sterna_neighbor_exchange_create(world, 1, &wrong, 8, NULL, NULL, &exchange));
  } else if (size > 1) {
    FAILS(STERNA_ERROR_ARGUMENT, "",
          sterna_neighbor_exchange_create(world, 0, NULL, 8, NULL, NULL, &exchange));
  }
}

static void test_sparse_exchange(sterna_context world) {
  sterna_sparse_exchange exchange = {0};
  FAILS(STERNA_ERROR_ARGUMENT, "unknown",
        sterna_sparse_exchange_create(world, 8, "nobody", -1, NULL, NULL, &exchange));
  SUCCEEDS(sterna_sparse_exchange_create(world, sizeof(int64_t), NULL, -1, NULL, "migration",
                                         &exchange));
  const char* method = NULL;
  SUCCEEDS(sterna_sparse_exchange_method(exchange, &method));
  for (int round = 0; round < 10; ++round) {
    /* Even ranks send to rank + round: as many items as their rank and one more. */
    const int destination = (rank + round) % size;
    const size_t offsets[2] = {0, (size_t)rank + 1};
    int64_t* items = malloc(offsets[1] * sizeof *items);
    for (size_t k = 0; k < offsets[1]; ++k) items[k] = 100 * rank + (int64_t)k;
    if (rank % 2 == 0) {
      SUCCEEDS(sterna_sparse_exchange_run(exchange, 1, &destination, offsets, items));
    } else {
      SUCCEEDS(sterna_sparse_exchange_run(exchange, 0, NULL, NULL, NULL));
    }
    int count = -1;
    const int* sources = NULL;
    const size_t* starts = NULL;
    const void* got = NULL;
    SUCCEEDS(sterna_sparse_exchange_result(exchange, &count, &sources, &starts, &got));
    const int source = ((rank - round) % size + size) % size;
    CHECK(count == (source % 2 == 0 ? 1 : 0));
    if (count == 1) {
      CHECK(sources[0] == source && starts[0] == 0 && starts[1] == (size_t)source + 1);
      for (size_t k = 0; k < starts[1]; ++k) {
        CHECK(((const int64_t*)got)[k] == 100 * source + (int64_t)k);
      }
    }
    free(items);
  }
  SUCCEEDS(sterna_sparse_exchange_destroy(&exchange));
}

static void test_messages(sterna_context world) {
  sterna_messenger messenger = {0};
  SUCCEEDS(sterna_messenger_create(world, "messages", &messenger));
  const int after = (rank + 1) % size, before = (rank + size - 1) % size;
  static const size_t counts[] = {0, 1, 100, 40000, 300000};
  enum { kinds = sizeof counts / sizeof *counts };
  for (int round = 0; round < 3; ++round) {
    sterna_request sends[kinds] = {{0}}, receives[kinds] = {{0}};
    double* out[kinds];
    double* in[kinds];
    for (int i = 0; i < kinds; ++i) {
      out[i] = malloc((counts[i] + 1) * sizeof **out);
      in[i] = malloc((counts[i] + 1) * sizeof **in);
      for (size_t k = 0; k < counts[i]; ++k) out[i][k] = 1e6 * rank + 1e3 * i + (double)(k % 997);
    }
    /* Posted early in even rounds, late in odd ones; two messages share a tag: order counts. */
    for (int late = 0; late < 2; ++late) {
      if (late == round % 2) {
        for (int i = 0; i < kinds; ++i) {
          SUCCEEDS(sterna_receive(messenger, before, (uint64_t)(i / 2), in[i],
                                  counts[i] * sizeof **in, &receives[i]));
        }
      } else {
        for (int i = 0; i < kinds; ++i) {
          SUCCEEDS(sterna_send(messenger, after, (uint64_t)(i / 2), out[i],
                               counts[i] * sizeof **out, &sends[i]));
        }
      }
    }
    for (int i = 0; i < kinds; ++i) {
      size_t bytes = 77;
      if (i % 2 == 0) {
        SUCCEEDS(sterna_request_wait(&receives[i], &bytes));
      } else {
        int done = 0;
        while (!done && failures == 0) SUCCEEDS(sterna_request_test(&receives[i], &done, &bytes));
      }
      CHECK(receives[i].id == 0);
      CHECK(bytes == counts[i] * sizeof **in);
      int wrong = 0;
      for (size_t k = 0; k < counts[i]; ++k) {
        wrong += in[i][k] != 1e6 * before + 1e3 * i + (double)(k % 997);
      }
      CHECK(wrong == 0);
    }
    for (int i = 0; i < kinds; ++i) {
      SUCCEEDS(sterna_request_wait(&sends[i], NULL));
      free(out[i]);
      free(in[i]);
    }
  }
  sterna_request none = {0};
  double number = 0.0;
  FAILS(STERNA_ERROR_ARGUMENT, "is no rank",
        sterna_send(messenger, size, 0, &number, sizeof number, &none));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer",
        sterna_receive(messenger, 0, 0, NULL, sizeof number, &none));
  FAILS(STERNA_ERROR_HANDLE, "null handle", sterna_request_wait(&none, NULL));
  /* Longer than the buffer: an error of the receive, and nothing else. */
  const double two[2] = {1.0, 2.0};
  sterna_request send = {0}, receive = {0};
  SUCCEEDS(sterna_receive(messenger, before, 9, &number, sizeof number, &receive));
  SUCCEEDS(sterna_send(messenger, after, 9, two, sizeof two, &send));
  CHECK(sterna_request_wait(&receive, NULL) == STERNA_ERROR_ARGUMENT);
  CHECK(number == 0.0);
  CHECK(receive.id == 0);
  sterna_request_wait(&send, NULL); /* may or may not have learnt of it */
  SUCCEEDS(sterna_messenger_destroy(&messenger));
}

/* A notice that never comes: the wait ends with an error, and the rest goes on. */
static void test_timeout(void) {
  sterna_context context = {0};
  SUCCEEDS(sterna_context_create(NULL, &context));
  int* const peers = everybody();
  sterna_region region = {0};
  SUCCEEDS(sterna_region_create(context, 8, size, peers, NULL, "late", &region));
  SUCCEEDS(sterna_context_set_timeout(context, 0.3));
  FAILS(STERNA_ERROR_COMMUNICATION, "the timeout of 0.3 s has passed",
        sterna_wait(region, (rank + 1) % size));
  SUCCEEDS(sterna_region_destroy(&region));
  SUCCEEDS(sterna_context_destroy(&context));
  free(peers);
}

/* More than any machine has, and sizes in items that overflow to a few bytes. */
static void test_too_large(sterna_context world) {
  int* const peers = everybody();
  sterna_region region = {0};
  FAILS(STERNA_ERROR_MEMORY, "are wanted",
        sterna_region_create(world, (size_t)1 << 43, size, peers, NULL, NULL, &region));
  FAILS(STERNA_ERROR_MEMORY, "are wanted",
        sterna_region_create(world, SIZE_MAX, size, peers, NULL, NULL, &region));
  free(peers);
  sterna_neighbor_exchange exchange = {0};
  const size_t capacities[] = {(size_t)1 << 40, ((size_t)1 << 61) + 1, SIZE_MAX};
  for (int i = 0; i < 3; ++i) {
    const sterna_neighbor itself = {rank, capacities[i], capacities[i]};
    FAILS(STERNA_ERROR_MEMORY, "are wanted",
          sterna_neighbor_exchange_create(world, 1, &itself, 8, "p2p", NULL, &exchange));
  }
  sterna_sparse_exchange sparse = {0};
  SUCCEEDS(sterna_sparse_exchange_create(world, 8, "nbx", -1, NULL, NULL, &sparse));
  const int destination = 0;
  const size_t offsets[] = {0, capacities[1]};
  const double item = 0.0;
  FAILS(STERNA_ERROR_ARGUMENT, "which no memory has",
        sterna_sparse_exchange_run(sparse, 1, &destination, offsets, &item));
  SUCCEEDS(sterna_sparse_exchange_destroy(&sparse));
}

int main(void) {
  sterna_context world = {0};
  if (sterna_context_create(NULL, &world) != STERNA_ERROR_ARGUMENT) return 2; /* no MPI yet */
  SUCCEEDS(sterna_initialize());
  SUCCEEDS(sterna_initialize()); /* again: nothing */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  SUCCEEDS(sterna_context_create(NULL, &world));
  SUCCEEDS(sterna_context_set_timeout(world, 100.0));
  test_context(world);
  test_region(world, "shm", 0);
  test_region(world, "rdma", 0);
  test_region(world, "rdma", 1);
  test_errors_on_all_ranks(world);
  test_neighbor_exchange(world);
  test_sparse_exchange(world);
  test_messages(world);
  test_too_large(world);
  SUCCEEDS(sterna_context_destroy(&world));
  test_timeout();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all checks passed\n");
  SUCCEEDS(sterna_finalize());
  return all == 0 ? 0 : 1;
}
