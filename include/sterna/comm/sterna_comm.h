/* The interface of the communication library for C (C99), on which the Fortran module is based.
 *
 * Every function returns a status: STERNA_SUCCESS, or the kind of error; sterna_error_message()
 * then has the text. No function aborts or waits without end. Results are stored through pointers,
 * which a failed call leaves unchanged.
 *
 * Objects are named by handles, small values. A handle that was never made, or whose object was
 * destroyed, is an error, not a crash. A handle of zeros ({0}) names nothing.
 *
 * "Collective" calls are made by all ranks of the context, in the same order on all of them: those
 * that create, reserve or destroy an object, and sterna_sparse_exchange_run. The library is called
 * from one thread at a time. If a wait fails (a rank has died, the timeout has passed), the status
 * is STERNA_ERROR_COMMUNICATION on the ranks that waited. The objects of that context can then only
 * be destroyed.
 *
 * Pointers to memory of the library are valid as long as its object lives, unless said otherwise.
 */
#ifndef STERNA_COMM_STERNA_COMM_H
#define STERNA_COMM_STERNA_COMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  STERNA_SUCCESS = 0,
  STERNA_ERROR_HANDLE = 1,        /* the handle names no object, or one of another kind */
  STERNA_ERROR_ARGUMENT = 2,      /* a wrong value, or a call out of order */
  STERNA_ERROR_RANGE = 3,         /* an access outside of the memory */
  STERNA_ERROR_MEMORY = 4,        /* more memory requested than available */
  STERNA_ERROR_COMMUNICATION = 5, /* a rank has died, the timeout has passed, a transport failed */
  STERNA_ERROR_INTERNAL = 6       /* an error in the library itself */
};

/* Returns the message of the last failed call of this thread; empty if none failed. */
const char* sterna_error_message(void);
/* Returns the name of a status, such as "STERNA_ERROR_RANGE"; "unknown status" for other numbers.
 */
const char* sterna_status_name(int status);

/* ---- Life of the program ------------------------------------------------------------------- */

/* Starts MPI unless the program has started it. Programs that call MPI_Init themselves need neither
 * this function nor the next. */
int sterna_initialize(void);
/* Ends MPI if sterna_initialize has started it. Destroy all objects before: regions that are left
 * when MPI ends, also by MPI_Finalize, are reported on standard error. */
int sterna_finalize(void);
/* Prints `message` to standard error and ends the job on all ranks with `exit_code`. */
void sterna_abort(const char* message, int exit_code);

/* ---- Context: a group of ranks and what was learnt of their machine ------------------------- */

typedef struct sterna_context {
  uint64_t id;
} sterna_context;

/* Makes a context. `mpi_communicator`: address of a MPI_Comm, which is duplicated, or NULL for all
 * ranks of the job. Collective, as is the next function. */
int sterna_context_create(const void* mpi_communicator, sterna_context* context);
/* Makes a context from a communicator of Fortran: an integer, or the component MPI_VAL of mpi_f08.
 */
int sterna_context_create_from_fortran(int mpi_communicator, sterna_context* context);
int sterna_context_destroy(sterna_context* context);
int sterna_context_rank(sterna_context context, int* rank);
int sterna_context_size(sterna_context context, int* size);
/* Sets the longest time that any wait may take, for all objects of the context (at first 300 s). */
int sterna_context_set_timeout(sterna_context context, double seconds);
/* Returns when all ranks have called it. Collective. */
int sterna_barrier(sterna_context context);

/* ---- Regions: memory that other ranks write into --------------------------------------------- */

typedef struct sterna_region {
  uint64_t id;
} sterna_region;

/* A place in a region, at the rank that owns the memory. It means the same on all ranks of the
 * context, so it may be sent to others, as bytes. */
typedef struct sterna_remote {
  uint64_t region;
  uint64_t offset; /* bytes */
  uint64_t bytes;
  int64_t rank;
} sterna_remote;

/* Makes a region of `bytes` bytes, filled with zeros, in memory of the library: within a node the
 * others store into it, on a network it is registered with the adapter. `bytes` may differ between
 * ranks. `peers`: ranks that write here and that this rank writes to; a must list b if b lists a;
 * this rank itself is allowed. `transport`: "shm", "rdma", "ofi", or "auto" (also NULL). `name`: name in
 * errors; NULL for "region". Collective, as is the next function. */
int sterna_region_create(sterna_context context, size_t bytes, int peer_count, const int* peers,
                         const char* transport, const char* name, sterna_region* region);
/* Makes a region in memory of the caller, which keeps its contents and must outlive the region. Its
 * transport is "rdma", because other processes cannot map it. Within a node and over TCP a put then
 * takes one more copy and arrives when its target is next inside a call of the library. So prefer
 * the library's memory if you can choose where the array is. */
int sterna_region_register(sterna_context context, void* memory, size_t bytes, int peer_count,
                           const int* peers, const char* name, sterna_region* region);
/* Waits until no transfer to or from this rank is under way, and destroys the region. Collective.
 */
int sterna_region_destroy(sterna_region* region);
int sterna_region_data(sterna_region region, void** data);
int sterna_region_bytes(sterna_region region, size_t* bytes);
int sterna_region_transport(sterna_region region, const char** transport);

/* Gives a handle of `bytes` bytes at `offset` of the part of `rank` (a peer, or this rank). */
int sterna_remote_handle(sterna_region region, int rank, size_t offset, size_t bytes,
                         sterna_remote* remote);
/* Gives a handle of the whole part of `rank`. */
int sterna_remote_part(sterna_region region, int rank, sterna_remote* remote);

/* Begins to write `bytes` at `offset` of `to`. The source must stay unchanged until sterna_flush.
 * The result of two overlapping puts without a notice between them is undefined. */
int sterna_put(const sterna_remote* to, size_t offset, const void* source, size_t bytes);
/* Begins the same put, and sends a notice after it. */
int sterna_put_notify(const sterna_remote* to, size_t offset, const void* source, size_t bytes);
/* Begins to read; `target` is complete after sterna_flush. */
int sterna_get(const sterna_remote* from, size_t offset, void* target, size_t bytes);
/* Adds atomically to an integer of 8 bytes (aligned to 8), and returns its previous value. */
int sterna_fetch_add(const sterna_remote* at, size_t offset, int64_t addend, int64_t* before);
/* Waits until all transfers that this rank has begun in the region are complete, also at the
 * targets. */
int sterna_flush(sterna_region region);

/* Raises this rank's counter at `rank` by one, after the data of all puts to that rank so far. */
int sterna_notify(sterna_region region, int rank);
/* Returns the number of notices that `rank` has sent to this rank. It never decreases. */
int sterna_notices(sterna_region region, int rank, uint64_t* count);
/* Waits until `rank` has sent `count` notices to this rank in all. */
int sterna_wait_count(sterna_region region, int rank, uint64_t count);
/* Waits for the next notice of `rank`: the one after those that such calls have waited for. */
int sterna_wait(sterna_region region, int rank);

/* ---- Neighbor exchange: with the same ranks, again and again -------------------------------- */

typedef struct sterna_neighbor_exchange {
  uint64_t id;
} sterna_neighbor_exchange;

typedef struct sterna_neighbor {
  int64_t rank;
  uint64_t send_capacity;    /* in items */
  uint64_t receive_capacity; /* in items; equal to the send capacity at the other side */
} sterna_neighbor;

/* Makes a neighbor exchange. `method`: a name that `sterna methods` lists, or "auto" (also NULL).
 * `name`: name in errors; NULL for "neighbor exchange". Neighbors are sorted by rank; from then on
 * the index in that order, from 0, names a neighbor. Collective. */
int sterna_neighbor_exchange_create(sterna_context context, int neighbor_count,
                                    const sterna_neighbor* neighbors, size_t item_bytes,
                                    const char* method, const char* name,
                                    sterna_neighbor_exchange* exchange);
int sterna_neighbor_exchange_destroy(sterna_neighbor_exchange* exchange);
int sterna_neighbor_exchange_neighbors(sterna_neighbor_exchange exchange, int* neighbor_count,
                                       const sterna_neighbor** neighbors);
/* Returns the name of the method in use. */
int sterna_neighbor_exchange_method(sterna_neighbor_exchange exchange, const char** method);

/* In a round, fill and commit the outboxes, start, take `next` until it returns -1, and finish. */

/* Returns the send buffer, of the send capacity. Ask for it in each round: its address may change.
 */
int sterna_neighbor_outbox(sterna_neighbor_exchange exchange, int neighbor, void** data);
/* Declares that the outbox has `count` items; they may leave at once. */
int sterna_neighbor_commit(sterna_neighbor_exchange exchange, int neighbor, size_t count);
/* Starts the round. Neighbors without a commit get 0 items. */
int sterna_neighbor_start(sterna_neighbor_exchange exchange);
/* Gives the index of a neighbor whose items have arrived, in order of arrival; -1 after the last.
 */
int sterna_neighbor_next(sterna_neighbor_exchange exchange, int* neighbor);
/* Gives the items that arrived from a neighbor; valid until the next start. */
int sterna_neighbor_inbox(sterna_neighbor_exchange exchange, int neighbor, const void** data,
                          size_t* count);
/* Waits for the arrivals that `next` has not returned, and until the outboxes are free. */
int sterna_neighbor_finish(sterna_neighbor_exchange exchange);
/* Raises each send capacity to at least the given number of items, between rounds. There are
 * `neighbor_count` values. If a capacity grew, inboxes and outboxes are empty afterwards.
 * Collective. */
int sterna_neighbor_reserve(sterna_neighbor_exchange exchange, const size_t* send_counts);

/* ---- Sparse exchange: senders know their receivers, receivers do not know their senders ------ */

typedef struct sterna_sparse_exchange {
  uint64_t id;
} sterna_sparse_exchange;

/* Makes a sparse exchange. `possible_sources`: ranks that may send to this one, symmetric; with a
 * count of -1 any rank may send. Collective. */
int sterna_sparse_exchange_create(sterna_context context, size_t item_bytes, const char* method,
                                  int possible_source_count, const int* possible_sources,
                                  const char* name, sterna_sparse_exchange* exchange);
int sterna_sparse_exchange_destroy(sterna_sparse_exchange* exchange);
/* Returns the name of the method in use. */
int sterna_sparse_exchange_method(sterna_sparse_exchange exchange, const char** method);
/* Sends items offsets[i] to offsets[i + 1] of `items` to rank destinations[i]; `offsets` has one
 * value more than there are destinations. Collective; ranks with nothing to send take part. */
int sterna_sparse_exchange_run(sterna_sparse_exchange exchange, int destination_count,
                               const int* destinations, const size_t* offsets, const void* items);
/* Gives the items that arrived, in the same form, sources ascending; valid until the next run. */
int sterna_sparse_exchange_result(sterna_sparse_exchange exchange, int* source_count,
                                  const int** sources, const size_t** offsets, const void** items);

/* ---- Messages: buffers that are sent, into buffers that were posted ---------------------------
 */

typedef struct sterna_messenger {
  uint64_t id;
} sterna_messenger;

/* A send or a receive under way. It ends with the call of sterna_request_wait or
 * sterna_request_test that reports its end. */
typedef struct sterna_request {
  uint64_t id;
} sterna_request;

/* Makes a messenger. Collective, as is destroy; every request must have ended before that. */
int sterna_messenger_create(sterna_context context, const char* name, sterna_messenger* messenger);
int sterna_messenger_destroy(sterna_messenger* messenger);
/* Sends `data` to any rank, also this one; any number of bytes is allowed. If that is faster, no
 * copy is made, so `data` must stay unchanged until the request has ended. Messages from one rank
 * with one tag arrive in order. */
int sterna_send(sterna_messenger messenger, int rank, uint64_t tag, const void* data, size_t bytes,
                sterna_request* request);
/* Receives a message of `rank` with `tag` into `buffer`, before or after it arrives. A message that
 * is longer than `capacity` is an error of this request. */
int sterna_receive(sterna_messenger messenger, int rank, uint64_t tag, void* buffer,
                   size_t capacity, sterna_request* request);
/* Waits for the end of a request, which is null afterwards. `bytes` gets the length of the message;
 * it may be NULL. */
int sterna_request_wait(sterna_request* request, size_t* bytes);
/* Tests without waiting: `done` becomes 0 or 1. */
int sterna_request_test(sterna_request* request, int* done, size_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
