#include <stdlib.h>

#include "neighbor.h"

struct bare_p2p {
  struct bare_neighbors neighbors;
  double** outboxes;
  double** inboxes;
  MPI_Request* requests;
};

struct bare_p2p* bare_p2p_new(const struct bare_neighbors* neighbors) {
  struct bare_p2p* e = malloc(sizeof *e);
  const size_t n = (size_t)neighbors->peers;
  e->neighbors = *neighbors;
  e->outboxes = malloc(n * sizeof *e->outboxes);
  e->inboxes = malloc(n * sizeof *e->inboxes);
  e->requests = malloc(2 * n * sizeof *e->requests);
  for (size_t i = 0; i < n; ++i) {
    e->outboxes[i] = malloc((size_t)neighbors->sends[i] * sizeof(double));
    e->inboxes[i] = malloc((size_t)neighbors->receives[i] * sizeof(double));
  }
  return e;
}

double* bare_p2p_outbox(struct bare_p2p* e, int peer) {
  return e->outboxes[peer];
}

const double* bare_p2p_inbox(const struct bare_p2p* e, int peer) {
  return e->inboxes[peer];
}

void bare_p2p_round(struct bare_p2p* e) {
  const struct bare_neighbors* n = &e->neighbors;
  for (int i = 0; i < n->peers; ++i) {
    MPI_Irecv(e->inboxes[i], n->receives[i], MPI_DOUBLE, n->ranks[i], 0, n->communicator,
              &e->requests[i]);
  }
  for (int i = 0; i < n->peers; ++i) {
    MPI_Isend(e->outboxes[i], n->sends[i], MPI_DOUBLE, n->ranks[i], 0, n->communicator,
              &e->requests[n->peers + i]);
  }
  MPI_Waitall(2 * n->peers, e->requests, MPI_STATUSES_IGNORE);
}

void bare_p2p_free(struct bare_p2p* e) {
  for (int i = 0; i < e->neighbors.peers; ++i) {
    free(e->outboxes[i]);
    free(e->inboxes[i]);
  }
  free(e->outboxes);
  free(e->inboxes);
  free(e->requests);
  free(e);
}
