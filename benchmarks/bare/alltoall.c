/* Counts by MPI_Alltoall, data by MPI_Alltoallv. */
#include <stdlib.h>

#include "sparse_exchange.h"

struct bare_alltoall {
  MPI_Comm communicator;
  MPI_Datatype item;
  int size;
  int item_size;
  int *send_counts, *send_offsets, *receive_counts, *receive_offsets;
  char* items;
  size_t capacity;
};

bare_alltoall* bare_alltoall_new(MPI_Comm communicator, int item_size) {
  bare_alltoall* e = malloc(sizeof *e);
  e->communicator = communicator;
  e->item_size = item_size;
  MPI_Comm_size(communicator, &e->size);
  MPI_Type_contiguous(item_size, MPI_BYTE, &e->item);
  MPI_Type_commit(&e->item);
  int* counts = malloc(4 * sizeof(int) * (size_t)e->size);
  e->send_counts = counts;
  e->send_offsets = counts + e->size;
  e->receive_counts = counts + 2 * e->size;
  e->receive_offsets = counts + 3 * e->size;
  e->items = NULL;
  e->capacity = 0;
  return e;
}

void bare_alltoall_free(bare_alltoall* e) {
  MPI_Type_free(&e->item);
  free(e->send_counts);
  free(e->items);
  free(e);
}

size_t bare_alltoall_round(bare_alltoall* e, int count, const int* destinations,
                           const size_t* offsets, const void* items) {
  for (int i = 0; i < e->size; ++i) e->send_counts[i] = e->send_offsets[i] = 0;
  for (int i = 0; i < count; ++i) {
    e->send_counts[destinations[i]] = (int)(offsets[i + 1] - offsets[i]);
    e->send_offsets[destinations[i]] = (int)offsets[i];
  }
  MPI_Alltoall(e->send_counts, 1, MPI_INT, e->receive_counts, 1, MPI_INT, e->communicator);
  size_t total = 0;
  for (int i = 0; i < e->size; ++i) {
    e->receive_offsets[i] = (int)total;
    total += (size_t)e->receive_counts[i];
  }
  if (total * (size_t)e->item_size > e->capacity) {
    free(e->items);
    e->capacity = 2 * total * (size_t)e->item_size;
    e->items = malloc(e->capacity);
  }
  MPI_Alltoallv(items, e->send_counts, e->send_offsets, e->item, e->items, e->receive_counts,
                e->receive_offsets, e->item, e->communicator);
  return total;
}

const void* bare_alltoall_items(const bare_alltoall* e) {
  return e->items;
}
