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
  // Requests are tested one by one with MPI_Test. In Open MPI it checks the request again after
  // making progress, while Testsome and Testall leave that to the next call.
  for (; complete_ < requests_.size(); ++complete_) {
    int done = 0;
    check_mpi(MPI_Test(&requests_[complete_], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) return false;
  }
  complete_ = 0;
  requests_.clear();
  peers_.clear();
  return true;
}

std::vector<int> RequestList::late_peers() {
  std::vector<int> late;
  for (std::size_t i = complete_; i < requests_.size(); ++i) {
    int done = 0;
    check_mpi(MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) late.push_back(peers_[i]);
  }
  std::sort(late.begin(), late.end());
  late.erase(std::unique(late.begin(), late.end()), late.end());
  return late;
}

}  // namespace sterna::comm
