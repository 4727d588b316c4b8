#include "comm/neighbor/link_requests.hpp"

#include <algorithm>
#include <utility>

namespace sterna::comm {

LinkRequests::LinkRequests(Context::Implementation& context,
                           std::shared_ptr<two_sided::Memory> memory, std::size_t links)
    : context_(context), memory_(std::move(memory)), requests_(2 * links, MPI_REQUEST_NULL) {}

LinkRequests::~LinkRequests() {
  if (Context::Implementation::mpi_has_ended()) return;
  if (context_.failed || std::ranges::any_of(requests_, is_active)) {
    context_.keep_until_exit(memory_);
    return;
  }
  for (MPI_Request& request : requests_) {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

bool LinkRequests::is_active(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return false;
  int done = 1;
  MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  return done == 0;
}

}  // namespace sterna::comm
