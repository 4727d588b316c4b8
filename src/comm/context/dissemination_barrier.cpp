#include "comm/context/dissemination_barrier.hpp"

#include "comm/context/context_implementation.hpp"
#include "comm/context/mpi_error.hpp"

namespace sterna::comm {

DisseminationBarrier::DisseminationBarrier(const Context& context, int tag)
    : communicator_(context.implementation().communicator),
      rank_(context.rank()),
      size_(context.size()),
      tag_(tag) {}

void DisseminationBarrier::enter(bool flag) {
  flag_ = flag ? 1 : 0;
  distance_ = 1;
  if (distance_ < size_) step();
}

void DisseminationBarrier::step() {
  const int to = (rank_ + distance_) % size_;
  check_mpi(MPI_Irecv(&incoming_, 1, MPI_CHAR, late_peer(), tag_, communicator_, &requests_[0]),
            "MPI_Irecv");
  check_mpi(MPI_Isend(&flag_, 1, MPI_CHAR, to, tag_, communicator_, &requests_[1]), "MPI_Isend");
}

bool DisseminationBarrier::test() {
  while (distance_ < size_) {
    int complete = 0;
    check_mpi(MPI_Testall(2, requests_, &complete, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (!complete) return false;
    flag_ = static_cast<char>(flag_ | incoming_);
    distance_ *= 2;
    if (distance_ < size_) step();
  }
  distance_ = 0;
  return true;
}

int DisseminationBarrier::late_peer() const {
  return (rank_ - distance_ + size_) % size_;
}

}  // namespace sterna::comm
