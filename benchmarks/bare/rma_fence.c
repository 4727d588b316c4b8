#include <stdlib.h>

#include "neighbor.h"

/* Each peer has two places in the window, for even and odd rounds, so that one fence a round is
   enough: it ends the puts of this round and says that the inboxes of the round before are free. */

struct bare_rma_fence {
  struct bare_neighbors neighbors;
  double** outboxes;
  double* window_memory;
  size_t* begins;  /* of each peer's places here, in doubles */
  size_t* targets; /* of the places at each peer */
  MPI_Win window;
  unsigned round;
};

struct bare_rma_fence* bare_rma_fence_new(const struct bare_neighbors* neighbors) {
  struct bare_rma_fence* e = malloc(sizeof *e);
  const size_t n = (size_t)neighbors->peers;
  MPI_Request* requests = malloc(2 * n * sizeof *requests);
  size_t doubles = 0;
  e->neighbors = *neighbors;
  e->outboxes = malloc(n * sizeof *e->outboxes);
  e->begins = malloc(n * sizeof *e->begins);
  e->targets = malloc(n * sizeof *e->targets);
  e->round = 0;
  for (size_t i = 0; i < n; ++i) {
    e->outboxes[i] = malloc((size_t)neighbors->sends[i] * sizeof(double));
    e->begins[i] = doubles;
    doubles += 2 * (size_t)neighbors->receives[i];
    MPI_Irecv(&e->targets[i], sizeof(size_t), MPI_BYTE, neighbors->ranks[i], 1,
              neighbors->communicator, &requests[i]);
    MPI_Isend(&e->begins[i], sizeof(size_t), MPI_BYTE, neighbors->ranks[i], 1,
              neighbors->communicator, &requests[n + i]);
  }
  MPI_Waitall(2 * neighbors->peers, requests, MPI_STATUSES_IGNORE);
  free(requests);
  MPI_Win_allocate((MPI_Aint)(doubles * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   neighbors->communicator, &e->window_memory, &e->window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, e->window);
  return e;
}

double* bare_rma_fence_outbox(struct bare_rma_fence* e, int peer) {
  return e->outboxes[peer];
}

const double* bare_rma_fence_inbox(const struct bare_rma_fence* e, int peer) {
  return e->window_memory + e->begins[peer] + (e->round % 2) * (size_t)e->neighbors.receives[peer];
}

void bare_rma_fence_round(struct bare_rma_fence* e) {
  const struct bare_neighbors* n = &e->neighbors;
  ++e->round;
  for (int i = 0; i < n->peers; ++i) {
    MPI_Put(e->outboxes[i], n->sends[i], MPI_DOUBLE, n->ranks[i],
            (MPI_Aint)(e->targets[i] + (e->round % 2) * (size_t)n->sends[i]), n->sends[i],
            MPI_DOUBLE, e->window);
  }
  MPI_Win_fence(0, e->window);
}

void bare_rma_fence_free(struct bare_rma_fence* e) {
  MPI_Win_fence(MPI_MODE_NOSUCCEED, e->window);
  MPI_Win_free(&e->window);
  for (int i = 0; i < e->neighbors.peers; ++i) free(e->outboxes[i]);
  free(e->outboxes);
  free(e->begins);
  free(e->targets);
  free(e);
}
