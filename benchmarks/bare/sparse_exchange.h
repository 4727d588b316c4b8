/* Sparse exchange as one writes it by hand for one program: the measure of what the library costs.
   Errors of MPI end the job, nothing has a deadline, a round is at most 2^31 bytes. */
#ifndef STERNA_BARE_SPARSE_EXCHANGE_H
#define STERNA_BARE_SPARSE_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bare_alltoall bare_alltoall;
typedef struct bare_nbx bare_nbx;

/* Collective over the communicator, which must stay as long as the result. */
bare_alltoall* bare_alltoall_new(MPI_Comm communicator, int item_size);
bare_nbx* bare_nbx_new(MPI_Comm communicator, int item_size);
void bare_alltoall_free(bare_alltoall* exchange);
void bare_nbx_free(bare_nbx* exchange);

/* Items offsets[i] to offsets[i+1] go to destinations[i], each destination once. Returns how many
   items came; they lie at bare_*_items until the next round, those of one source after each other.
 */
size_t bare_alltoall_round(bare_alltoall* exchange, int count, const int* destinations,
                           const size_t* offsets, const void* items);
size_t bare_nbx_round(bare_nbx* exchange, int count, const int* destinations, const size_t* offsets,
                      const void* items);
const void* bare_alltoall_items(const bare_alltoall* exchange);
const void* bare_nbx_items(const bare_nbx* exchange);

#ifdef __cplusplus
}
#endif

#endif
