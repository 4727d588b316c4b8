#include "comm/sparse/request_list.hpp"

#include <algorithm>

#include "comm/context/mpi_error.hpp"

namespace sterna::comm {

MPI_Request* RequestList::add(int peer) {
  requests_.push_back(MPI_REQUEST_NULL);
  peers_.push_back(peer);
  return &requests_.back();
}

bool RequestList::test() {
  if (requests_.empty()) return true;
  // Testsome and not Testall: it drops what is complete, so the rest says who is late.
  completed_.resize(requests_.size());
  int completed = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed,
                         completed_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  const bool all = std::all_of(requests_.begin(), requests_.end(),
                               [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
  if (!all) return false;
  requests_.clear();
  peers_.clear();
  return true;
}

std::vector<int> RequestList::late_peers() const {
  std::vector<int> late;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) late.push_back(peers_[i]);
  }
  std::sort(late.begin(), late.end());
  late.erase(std::unique(late.begin(), late.end()), late.end());
  return late;
}

}  // namespace sterna::comm
