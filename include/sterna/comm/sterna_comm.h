/* The communication library for C, and what its Fortran module stands on. C99.
 *
 * Every function returns a status: STERNA_SUCCESS, or what kind of error there was;
 * sterna_error_message() then has the text. Nothing aborts, nothing waits without end. Results
 * come back through pointers, which are left alone where a call fails.
 *
 * Objects are named by handles, small values; a handle that was never made, or whose object was
 * destroyed, is an error, not a crash. Zero all of it ({0}) for one that names nothing.
 *
 * "Collective" calls are made by all ranks of the context, in the same order on all of them: those
 * that create, reserve or destroy an object, and sterna_sparse_exchange_run. The library is called
 * from one thread at a time. Where a wait fails (a rank has died, the timeout has passed), the
 * status is STERNA_ERROR_COMMUNICATION on those that waited, and what belongs to that context is of
 * no more use but to be destroyed.
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
  STERNA_ERROR_HANDLE = 1,        /* names nothing, or something else */
  STERNA_ERROR_ARGUMENT = 2,      /* a wrong value, or a call out of order */
  STERNA_ERROR_RANGE = 3,         /* outside of the memory */
  STERNA_ERROR_MEMORY = 4,        /* no memory left, or more asked for than there is */
  STERNA_ERROR_COMMUNICATION = 5, /* a rank has died, the timeout has passed, a transport failed */
  STERNA_ERROR_INTERNAL = 6       /* a mistake of the library */
};

/* The message of the last call of this thread that failed; empty where none did. */
const char* sterna_error_message(void);
/* "STERNA_ERROR_RANGE"; "unknown status" for other numbers. */
const char* sterna_status_name(int status);

/* ---- Life of the program ------------------------------------------------------------------- */

/* Starts MPI unless the program has. Programs that call MPI_Init themselves need neither of these.
 */
int sterna_initialize(void);
/* Ends MPI if sterna_initialize has started it. Destroy all objects before: regions that are left
 * when MPI ends, also by MPI_Finalize, are reported on standard error. */
int sterna_finalize(void);
/* Ends the job on all ranks: after `message` went to standard error, with `exit_code`. */
void sterna_abort(const char* message, int exit_code);

/* ---- Context: a group of ranks and what was learnt of their machine ------------------------- */

typedef struct sterna_context {
  uint64_t id;
} sterna_context;

/* `mpi_communicator`: address of a MPI_Comm, or NULL for all ranks of the job. It is duplicated.
 * Collective, as is the next. */
int sterna_context_create(const void* mpi_communicator, sterna_context* context);
/* The same from a communicator of Fortran: an integer, or the component MPI_VAL of mpi_f08. */
int sterna_context_create_from_fortran(int mpi_communicator, sterna_context* context);
int sterna_context_destroy(sterna_context* context);
int sterna_context_rank(sterna_context context, int* rank);
int sterna_context_size(sterna_context context, int* size);
/* The longest that any wait may take, for all objects of the context (at first 300 s). */
int sterna_context_set_timeout(sterna_context context, double seconds);
/* Collective: returns when all ranks have called it. */
int sterna_barrier(sterna_context context);

/* ---- Regions: memory that other ranks write into --------------------------------------------- */

typedef struct sterna_region {
  uint64_t id;
} sterna_region;

/* A place in a region, at the rank that the memory belongs to. Says the same on all ranks of the
 * context, so it may be sent to others, as bytes. */
typedef struct sterna_remote {
  uint64_t region;
  uint64_t offset; /* bytes */
  uint64_t bytes;
  int64_t rank;
} sterna_remote;

/* Memory of `bytes` bytes, filled with zeros, that the library makes: in a node the others then
 * store into it, on a network it is registered with the adapter. `bytes` may differ between ranks.
 * `peers`: ranks that write here and that this rank writes to; a must list b where b lists a; this
 * rank itself is allowed. `transport`: "shm", "rdma", or "auto" (also NULL). `name`: in errors;
 * NULL for "region". Collective, as is the next. */
int sterna_region_create(sterna_context context, size_t bytes, int peer_count, const int* peers,
                         const char* transport, const char* name, sterna_region* region);
/* The same with memory of the caller's, which stays as it is and must outlive the region. Goes by
 * "rdma" only: other processes cannot map it. In a node and over TCP a put then takes one more copy
 * and arrives when its target is next inside a call of the library: prefer the library's memory
 * where the array is yours to place. */
int sterna_region_register(sterna_context context, void* memory, size_t bytes, int peer_count,
                           const int* peers, const char* name, sterna_region* region);
/* Waits until nothing is under way to or from this rank. Collective. */
int sterna_region_destroy(sterna_region* region);
int sterna_region_data(sterna_region region, void** data);
int sterna_region_bytes(sterna_region region, size_t* bytes);
int sterna_region_transport(sterna_region region, const char** transport);

/* `bytes` bytes at `offset` of the part of `rank` (a peer, or this rank). */
int sterna_remote_handle(sterna_region region, int rank, size_t offset, size_t bytes,
                         sterna_remote* remote);
/* All that `rank` has there. */
int sterna_remote_part(sterna_region region, int rank, sterna_remote* remote);

/* Begins to write `bytes` bytes at `offset` of `to`. The source must stay as it is until
 * sterna_flush. What two puts without a notice between them do to each other is not defined. */
int sterna_put(const sterna_remote* to, size_t offset, const void* source, size_t bytes);
/* The same, and a notice behind it. */
int sterna_put_notify(const sterna_remote* to, size_t offset, const void* source, size_t bytes);
/* Begins to read; `target` is complete after sterna_flush. */
int sterna_get(const sterna_remote* from, size_t offset, void* target, size_t bytes);
/* Adds to an integer of 8 bytes (aligned to 8), undivided, and returns what it was before. */
int sterna_fetch_add(const sterna_remote* at, size_t offset, int64_t addend, int64_t* before);
/* Waits until all that this rank has begun in the region is complete, also at the targets. */
int sterna_flush(sterna_region region);

/* Raises this rank's counter at `rank` by one, behind the data of all puts to it so far. */
int sterna_notify(sterna_region region, int rank);
/* How often `rank` has notified this one. Never falls. */
int sterna_notices(sterna_region region, int rank, uint64_t* count);
/* Waits until `rank` has notified this one `count` times in all. */
int sterna_wait_count(sterna_region region, int rank, uint64_t count);
/* Waits for the next notice of `rank`: the one after those that such calls have waited for. */
int sterna_wait(sterna_region region, int rank);

/* ---- Neighbor exchange: with the same ranks, again and again -------------------------------- */

typedef struct sterna_neighbor_exchange {
  uint64_t id;
} sterna_neighbor_exchange;

typedef struct sterna_neighbor {
  int64_t rank;
  uint64_t send_capacity;    /* items */
  uint64_t receive_capacity; /* items; equal to the send capacity at the other side */
} sterna_neighbor;

/* `method`: a name that `sterna methods` lists, or "auto" (also NULL). `name`: in errors; NULL for
 * "neighbor exchange". Neighbors are sorted by rank; the index in that order, from 0, names one
 * from then on. Collective. */
int sterna_neighbor_exchange_create(sterna_context context, int neighbor_count,
                                    const sterna_neighbor* neighbors, size_t item_bytes,
                                    const char* method, const char* name,
                                    sterna_neighbor_exchange* exchange);
int sterna_neighbor_exchange_destroy(sterna_neighbor_exchange* exchange);
int sterna_neighbor_exchange_neighbors(sterna_neighbor_exchange exchange, int* neighbor_count,
                                       const sterna_neighbor** neighbors);
/* The method in use. */
int sterna_neighbor_exchange_method(sterna_neighbor_exchange exchange, const char** method);

/* A round: fill and commit the outboxes, start, take `next` until it gives -1, finish. */

/* The send buffer, of the send capacity. Ask for it in each round: its address may change. */
int sterna_neighbor_outbox(sterna_neighbor_exchange exchange, int neighbor, void** data);
/* `count` items lie in the outbox and may leave. */
int sterna_neighbor_commit(sterna_neighbor_exchange exchange, int neighbor, size_t count);
/* Neighbors that were not committed get 0 items. */
int sterna_neighbor_start(sterna_neighbor_exchange exchange);
/* The index of a neighbor whose items have arrived, in order of arrival; -1 when all have. */
int sterna_neighbor_next(sterna_neighbor_exchange exchange, int* neighbor);
/* What arrived; valid until the next start. */
int sterna_neighbor_inbox(sterna_neighbor_exchange exchange, int neighbor, const void** data,
                          size_t* count);
/* Waits for what `next` has not taken, and until the outboxes are free. */
int sterna_neighbor_finish(sterna_neighbor_exchange exchange);
/* Raises each send capacity to at least so many items, between rounds; `neighbor_count` values.
 * Inboxes and outboxes are empty afterwards where anything grew. Collective. */
int sterna_neighbor_reserve(sterna_neighbor_exchange exchange, const size_t* send_counts);

/* ---- Sparse exchange: senders know their receivers, receivers do not know their senders ------ */

typedef struct sterna_sparse_exchange {
  uint64_t id;
} sterna_sparse_exchange;

/* `possible_sources`: ranks that may send to this one, symmetric; a count of -1: anybody may.
 * Collective. */
int sterna_sparse_exchange_create(sterna_context context, size_t item_bytes, const char* method,
                                  int possible_source_count, const int* possible_sources,
                                  const char* name, sterna_sparse_exchange* exchange);
int sterna_sparse_exchange_destroy(sterna_sparse_exchange* exchange);
/* The method in use. */
int sterna_sparse_exchange_method(sterna_sparse_exchange exchange, const char** method);
/* Items offsets[i] to offsets[i + 1] of `items` go to rank destinations[i]; `offsets` has one value
 * more than there are destinations. Collective; ranks with nothing to send take part. */
int sterna_sparse_exchange_run(sterna_sparse_exchange exchange, int destination_count,
                               const int* destinations, const size_t* offsets, const void* items);
/* What arrived, in the same form, sources ascending; valid until the next run. */
int sterna_sparse_exchange_result(sterna_sparse_exchange exchange, int* source_count,
                                  const int** sources, const size_t** offsets, const void** items);

/* ---- Messages: buffers that are sent, into buffers that were posted ---------------------------
 */

typedef struct sterna_messenger {
  uint64_t id;
} sterna_messenger;

/* A send or a receive under way. It ends with the sterna_request_wait, or the sterna_request_test,
 * that says so. */
typedef struct sterna_request {
  uint64_t id;
} sterna_request;

/* Collective, as is destroy: before it, every request has ended. */
int sterna_messenger_create(sterna_context context, const char* name, sterna_messenger* messenger);
int sterna_messenger_destroy(sterna_messenger* messenger);
/* Sends without a copy where that is faster: `data` must stay as they are until the request has
 * ended. To any rank, also this one; any number of bytes. Messages from one rank with one tag
 * arrive in order. */
int sterna_send(sterna_messenger messenger, int rank, uint64_t tag, const void* data, size_t bytes,
                sterna_request* request);
/* Receives a message of `rank` with `tag` into `buffer`, before or after it arrives. One that is
 * longer than `capacity` is an error of this request. */
int sterna_receive(sterna_messenger messenger, int rank, uint64_t tag, void* buffer,
                   size_t capacity, sterna_request* request);
/* `bytes`: of the message; may be NULL. The request is null afterwards. */
int sterna_request_wait(sterna_request* request, size_t* bytes);
/* Without a wait: `done` is 0 or 1. */
int sterna_request_test(sterna_request* request, int* done, size_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
