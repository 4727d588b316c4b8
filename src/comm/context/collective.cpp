#include "sterna/comm/collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/error.hpp"

namespace sterna::comm {
namespace {

/// MPI counts are of type int, so longer data are sent in parts.
constexpr std::size_t largest_part = std::size_t{1} << 30;

void broadcast_bytes(Context::Implementation& context, int root, void* data, std::size_t bytes) {
  auto* const begin = static_cast<char*>(data);
  for (std::size_t done = 0; done < bytes; done += largest_part) {
    const auto part = static_cast<int>(std::min(largest_part, bytes - done));
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibcast(begin + done, part, MPI_BYTE, root, context.communicator, &request),
              "broadcast");
    wait_for_request(context, request, "broadcast", "collective", 1);
  }
}

/// Throws on all ranks if they name different roots, or one that is no rank. Collective.
void check_root(const Context& context, int root, const char* what) {
  const std::int64_t mine[2] = {root, -std::int64_t{root}};
  std::int64_t most[2] = {};
  MPI_Request request = MPI_REQUEST_NULL;
  Context::Implementation& implementation = context.implementation();
  check_mpi(
      MPI_Iallreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, implementation.communicator, &request),
      what);
  wait_for_request(implementation, request, what, "collective", 1);
  const std::int64_t first = -most[1];
  const std::int64_t last = most[0];
  if (first != last) {
    throw Error(fmt::format("{}: the ranks name different roots, {} and {}", what, first, last));
  }
  if (first < 0 || last >= context.size()) {
    throw Error(fmt::format("{}: root {} is no rank; there are ranks 0 to {}", what, root,
                            context.size() - 1));
  }
}

}  // namespace

void broadcast(const Context& context, int root, std::string& bytes) {
  check_root(context, root, "broadcast");
  std::uint64_t length = bytes.size();
  broadcast_bytes(context.implementation(), root, &length, sizeof length);
  bytes.resize(length);
  broadcast_bytes(context.implementation(), root, bytes.data(), bytes.size());
}

std::vector<std::string> gather(const Context& context, int root, const std::string& bytes) {
  check_root(context, root, "gather");
  Context::Implementation& implementation = context.implementation();
  const int tag = implementation.reserve_tags(1);
  const MPI_Comm communicator = implementation.communicator;
  const auto parts_of = [](std::size_t length) {
    return (length + largest_part - 1) / largest_part;
  };

  std::uint64_t length = bytes.size();
  std::vector<std::uint64_t> lengths(context.rank() == root ? context.size() : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Igather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, root,
                        communicator, &request),
            "gather");
  wait_for_request(implementation, request, "gather", "collective", 1);

  std::vector<std::string> all(lengths.size());
  std::vector<MPI_Request> requests;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank].resize(lengths[rank]);
    if (static_cast<int>(rank) == root) {
      all[rank] = bytes;
      continue;
    }
    for (std::size_t part = 0; part < parts_of(lengths[rank]); ++part) {
      const std::size_t begin = part * largest_part;
      check_mpi(
          MPI_Irecv(all[rank].data() + begin,
                    static_cast<int>(std::min(largest_part, all[rank].size() - begin)), MPI_BYTE,
                    static_cast<int>(rank), tag, communicator, &requests.emplace_back()),
          "gather");
    }
  }
  if (context.rank() != root) {
    for (std::size_t part = 0; part < parts_of(bytes.size()); ++part) {
      const std::size_t begin = part * largest_part;
      check_mpi(MPI_Isend(bytes.data() + begin,
                          static_cast<int>(std::min(largest_part, bytes.size() - begin)), MPI_BYTE,
                          root, tag, communicator, &requests.emplace_back()),
                "gather");
    }
  }
  for (MPI_Request& each : requests) {
    wait_for_request(implementation, each, "gather", "collective", 1);
  }
  return all;
}

std::int64_t exclusive_sum(const Context& context, std::int64_t value) {
  std::int64_t result = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iexscan(&value, &result, 1, MPI_INT64_T, MPI_SUM,
                        context.implementation().communicator, &request),
            "exclusive sum");
  wait_for_request(context.implementation(), request, "exclusive sum", "collective", 1);
  return context.rank() == 0 ? 0 : result;  // MPI leaves the result of rank 0 undefined
}

void barrier(const Context& context) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(context.implementation().communicator, &request), "barrier");
  wait_for_request(context.implementation(), request, "barrier", "collective", 1);
}

}  // namespace sterna::comm
