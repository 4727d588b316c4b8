#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/context/context_implementation.hpp"
#include "comm/neighbor/method.hpp"

namespace sterna::comm {

/// The requests of a method that sends messages (a receive and a send for each link), and the
/// memory that these read and write. Receives come before sends, so that each kind is one array.
/// Messages that are under way at the end belong to a round that was abandoned; the memory is then
/// kept until the process exits.
class LinkRequests {
 public:
  LinkRequests(Context::Implementation& context, std::shared_ptr<two_sided::Memory> memory,
               std::size_t links);
  ~LinkRequests();
  LinkRequests(const LinkRequests&) = delete;
  LinkRequests& operator=(const LinkRequests&) = delete;

  std::size_t links() const { return requests_.size() / 2; }
  MPI_Request& receive(std::size_t link) { return requests_[link]; }
  MPI_Request& send(std::size_t link) { return requests_[links() + link]; }
  MPI_Request* receives() { return requests_.data(); }
  MPI_Request* sends() { return requests_.data() + links(); }
  /// True if a request has begun and not ended.
  static bool is_active(MPI_Request request);

 private:
  Context::Implementation& context_;
  std::shared_ptr<two_sided::Memory> memory_;
  std::vector<MPI_Request> requests_;
};

}  // namespace sterna::comm
