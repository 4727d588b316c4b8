/* Loaded before MPI (LD_PRELOAD): counts the reductions of rank 0 and their bytes, and writes them to
   the file that REDUCTIONS names, again and again, since the count is that of a run of any end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long calls, bytes;
static int rank = -1;
static FILE* file;

static void count(int elements, MPI_Datatype type) {
  int size;
  if (rank < 0) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) file = fopen(getenv("REDUCTIONS"), "w");
  }
  PMPI_Type_size(type, &size);
  ++calls;
  bytes += (long)elements * size;
  if (file == NULL) return;
  rewind(file);
  fprintf(file, "%ld %ld\n", calls, bytes);
  fflush(file);
}

int MPI_Iallreduce(const void* mine, void* all, int elements, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm communicator, MPI_Request* request) {
  count(elements, type);
  return PMPI_Iallreduce(mine, all, elements, type, operation, communicator, request);
}

int MPI_Allreduce(const void* mine, void* all, int elements, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator) {
  count(elements, type);
  return PMPI_Allreduce(mine, all, elements, type, operation, communicator);
}
