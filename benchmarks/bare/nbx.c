/* Synchronous sends, probes, MPI_Ibarrier (Hoefler, Siebert, Lumsdaine, PPoPP 2010); two tags in
   turn. */
#include <stdlib.h>

#include "sparse_exchange.h"

struct bare_nbx {
  MPI_Comm communicator;
  int item_size;
  int round;
  MPI_Request* sends;
  int send_capacity;
  char* items;
  size_t capacity;
};

bare_nbx* bare_nbx_new(MPI_Comm communicator, int item_size) {
  bare_nbx* e = calloc(1, sizeof *e);
  e->communicator = communicator;
  e->item_size = item_size;
  return e;
}

void bare_nbx_free(bare_nbx* e) {
  free(e->sends);
  free(e->items);
  free(e);
}

size_t bare_nbx_round(bare_nbx* e, int count, const int* destinations, const size_t* offsets,
                      const void* items) {
  const int tag = e->round++ % 2;
  if (count > e->send_capacity) {
    free(e->sends);
    e->send_capacity = 2 * count;
    e->sends = malloc(sizeof(MPI_Request) * (size_t)e->send_capacity);
  }
  const size_t item = (size_t)e->item_size;
  for (int i = 0; i < count; ++i) {
    MPI_Issend((const char*)items + offsets[i] * item, (int)((offsets[i + 1] - offsets[i]) * item),
               MPI_BYTE, destinations[i], tag, e->communicator, &e->sends[i]);
  }
  size_t bytes = 0;
  MPI_Request barrier = MPI_REQUEST_NULL;
  for (int done = 0, entered = 0; !done;) {
    int found;
    MPI_Status status;
    MPI_Message message;
    MPI_Improbe(MPI_ANY_SOURCE, tag, e->communicator, &found, &message, &status);
    if (found) {
      int length;
      MPI_Get_count(&status, MPI_BYTE, &length);
      if (bytes + (size_t)length > e->capacity) {
        e->capacity = 2 * (bytes + (size_t)length);
        e->items = realloc(e->items, e->capacity);
      }
      MPI_Mrecv(e->items + bytes, length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      bytes += (size_t)length;
    }
    if (entered) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Testall(count, e->sends, &entered, MPI_STATUSES_IGNORE);
      if (entered) MPI_Ibarrier(e->communicator, &barrier);
    }
  }
  return bytes / item;
}

const void* bare_nbx_items(const bare_nbx* e) {
  return e->items;
}
