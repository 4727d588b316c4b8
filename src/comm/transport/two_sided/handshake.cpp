#include "comm/transport/two_sided/handshake.hpp"

#include <cstdint>
#include <span>

#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "comm/transport/two_sided/peer.hpp"

namespace sterna::comm {

std::vector<std::string> handshake(Context::Implementation& context, std::string_view exchange_name,
                                   int tag, std::span<const int> ranks,
                                   std::span<const std::string> outgoing) {
  const std::size_t n = ranks.size();
  std::vector<std::uint64_t> lengths_out(n);
  std::vector<std::uint64_t> lengths_in(n);
  std::vector<std::string> incoming(n);
  std::vector<MPI_Request> requests(2 * n, MPI_REQUEST_NULL);
  const auto peer = [&](std::size_t i) {
    return two_sided::Peer(context.communicator, ranks[i], tag);
  };
  const auto wait_for_all = [&] {
    Waiter(context).wait(
        [&] {
          int done = 0;
          check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                                MPI_STATUSES_IGNORE),
                    exchange_name);
          return done != 0;
        },
        [&] {
          Awaited awaited{exchange_name, "handshake", 0, {}};
          for (std::size_t i = 0; i < 2 * n; ++i) {
            if (requests[i] != MPI_REQUEST_NULL) awaited.ranks.push_back(ranks[i / 2]);
          }
          return awaited;
        });
  };
  for (std::size_t i = 0; i < n; ++i) {
    lengths_out[i] = outgoing[i].size();
    peer(i).receive(std::as_writable_bytes(std::span(&lengths_in[i], 1)), requests[2 * i]);
    peer(i).send(std::as_bytes(std::span(&lengths_out[i], 1)), requests[2 * i + 1]);
  }
  wait_for_all();
  for (std::size_t i = 0; i < n; ++i) {
    incoming[i].resize(lengths_in[i]);
    peer(i).receive(std::as_writable_bytes(std::span(incoming[i])), requests[2 * i]);
    peer(i).send(std::as_bytes(std::span(outgoing[i])), requests[2 * i + 1]);
  }
  wait_for_all();
  return incoming;
}

}  // namespace sterna::comm
