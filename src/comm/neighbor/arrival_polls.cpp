#include "comm/neighbor/arrival_polls.hpp"

#include <utility>

#include "comm/context/mpi_error.hpp"

namespace sterna::comm {

std::size_t ArrivalPolls::ask(std::span<MPI_Request> receives, std::span<std::size_t> missing) {
  ++polls_;
  if (polls_ % polls_of_each == 0) return ask_for_each(receives, missing);
  return polls_ % 2 == 1 ? ask_for_all(receives, missing.size())
                         : ask_for_first(receives, missing.front());
}

std::size_t ArrivalPolls::ask_for_all(std::span<MPI_Request> receives, std::size_t missing) const {
  int done = 0;
  check_mpi(
      MPI_Testall(static_cast<int>(receives.size()), receives.data(), &done, MPI_STATUSES_IGNORE),
      exchange_);
  return done == 0 ? 0 : missing;
}

std::size_t ArrivalPolls::ask_for_first(std::span<MPI_Request> receives, std::size_t link) {
  int here = 0;
  check_mpi(MPI_Test(&receives[link], &here, MPI_STATUS_IGNORE), exchange_);
  if (here == 0) return 0;
  polls_ = 0;
  return 1;
}

std::size_t ArrivalPolls::ask_for_each(std::span<MPI_Request> receives,
                                       std::span<std::size_t> missing) {
  completed_.resize(receives.size());
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(receives.size()), receives.data(), &count,
                         completed_.data(), MPI_STATUSES_IGNORE),
            exchange_);
  if (count == MPI_UNDEFINED || count == 0) return 0;
  arrived_.resize(receives.size());
  for (int i = 0; i < count; ++i)
    arrived_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)])] = true;
  std::size_t here = 0;
  for (std::size_t& link : missing) {
    if (!arrived_[link]) continue;
    arrived_[link] = false;
    std::swap(link, missing[here++]);
  }
  return here;
}

}  // namespace sterna::comm
