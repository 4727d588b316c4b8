#include "comm/transport/shm/probe.hpp"

#include <optional>

#include "comm/transport/shm/memory.hpp"
#include "comm/transport/shm/remote_memory.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm::shm {

#ifdef STERNA_HAVE_SHM

std::string why_unavailable(MPI_Comm node) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);
  const int before = (rank + size - 1) % size;
  const int after = (rank + 1) % size;

  std::string reason;
  std::optional<Memory> mine;
  try {
    mine.emplace(sizeof(std::uint64_t));
  } catch (const Error& error) {
    reason = error.what();
  }
  const Handle handle = mine ? mine->handle() : Handle{};
  Handle next;
  MPI_Sendrecv(&handle, sizeof handle, MPI_BYTE, before, 0, &next, sizeof next, MPI_BYTE, after, 0,
               node, MPI_STATUS_IGNORE);
  try {
    if (next.descriptor >= 0) RemoteMemory(next).notify(0, 1);
  } catch (const Error& error) {
    reason = error.what();
  }
  MPI_Barrier(node);  // the previous rank may still be mapping
  return reason;
}

#else

std::string why_unavailable(MPI_Comm) {
  return "built without shared memory";
}

#endif

}  // namespace sterna::comm::shm
