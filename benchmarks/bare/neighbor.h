#ifndef STERNA_BENCHMARKS_BARE_NEIGHBOR_H
#define STERNA_BENCHMARKS_BARE_NEIGHBOR_H

#include <mpi.h>

/* Adjacent exchange as somebody writes it by hand in C, to compare the library with: doubles, fixed
   counts, no checks. Fill the outbox of each peer, call the round, read the inboxes; they hold
   until the round after the next (two buffers in turn) with the fence, until the next with p2p. */

#ifdef __cplusplus
extern "C" {
#endif

struct bare_neighbors {
  MPI_Comm communicator;
  int peers;
  const int* ranks;    /* ascending; not this one */
  const int* sends;    /* doubles to each */
  const int* receives; /* doubles from each */
};

struct bare_p2p;
struct bare_p2p* bare_p2p_new(const struct bare_neighbors* neighbors);
double* bare_p2p_outbox(struct bare_p2p* exchange, int peer);
const double* bare_p2p_inbox(const struct bare_p2p* exchange, int peer);
void bare_p2p_round(struct bare_p2p* exchange);
void bare_p2p_free(struct bare_p2p* exchange);

struct bare_rma_fence;
struct bare_rma_fence* bare_rma_fence_new(const struct bare_neighbors* neighbors);
double* bare_rma_fence_outbox(struct bare_rma_fence* exchange, int peer);
const double* bare_rma_fence_inbox(const struct bare_rma_fence* exchange, int peer);
void bare_rma_fence_round(struct bare_rma_fence* exchange);
void bare_rma_fence_free(struct bare_rma_fence* exchange);

#ifdef __cplusplus
}
#endif

#endif
