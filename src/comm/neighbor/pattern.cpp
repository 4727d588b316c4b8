#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "comm/context/agreement.hpp"
#include "comm/context/dissemination_barrier.hpp"
#include "comm/context/mpi_error.hpp"
#include "comm/context/waiter.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::comm {
namespace {

using Peer = NeighborPattern::Peer;
constexpr const char* pattern_name = "neighbor pattern";

std::string fault_of_list(const Context& context, std::span<const Peer> peers) {
  for (std::size_t i = 0; i < peers.size(); ++i) {
    if (peers[i].rank < 0 || peers[i].rank >= context.size()) {
      return fmt::format("peer {} is no rank; there are ranks 0 to {}", peers[i].rank,
                         context.size() - 1);
    }
    if (i > 0 && peers[i - 1].rank == peers[i].rank) {
      return fmt::format("peer {} is listed twice", peers[i].rank);
    }
  }
  return {};
}

using Capacities = std::array<std::uint64_t, 2>;

/// The memory of messages that are under way.
struct Consensus {
  Consensus(const Context& context, int tag, std::size_t peers)
      : barrier(context, tag), outgoing(peers), sends(peers) {}
  DisseminationBarrier barrier;
  std::vector<Capacities> outgoing;
  std::vector<MPI_Request> sends;
};

/// Returns what the other ranks that list this one say, by rank. A rank does not know which ranks
/// list it, so this is a round of non-blocking consensus: synchronous sends, then a barrier that
/// completes once the sends of all ranks were received.
std::map<int, Peer> ask_peers(const Context& world, std::span<const Peer> peers) {
  Context::Implementation& context = world.implementation();
  const int tag = context.reserve_tags(2);
  const auto under_way = std::make_shared<Consensus>(world, tag + 1, peers.size());
  DisseminationBarrier& barrier = under_way->barrier;
  std::vector<Capacities>& outgoing = under_way->outgoing;
  std::vector<MPI_Request>& sends = under_way->sends;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    outgoing[i] = {peers[i].send_capacity, peers[i].receive_capacity};
    check_mpi(MPI_Issend(outgoing[i].data(), 2, MPI_UINT64_T, peers[i].rank, tag,
                         context.communicator, &sends[i]),
              pattern_name);
  }
  std::map<int, Peer> said;
  const auto poll = [&] {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, tag, context.communicator, &found, &message, &status),
              pattern_name);
    if (found != 0) {
      Capacities theirs{};
      check_mpi(MPI_Mrecv(theirs.data(), 2, MPI_UINT64_T, &message, MPI_STATUS_IGNORE),
                pattern_name);
      said[status.MPI_SOURCE] = {status.MPI_SOURCE, theirs[0], theirs[1]};
    }
    if (!barrier.entered()) {
      int sent = 0;
      check_mpi(
          MPI_Testall(static_cast<int>(sends.size()), sends.data(), &sent, MPI_STATUSES_IGNORE),
          pattern_name);
      if (sent == 0) return false;
      barrier.enter();
    }
    return barrier.test();
  };
  try {
    Waiter(context).wait(poll, [&] {
      Awaited awaited{pattern_name, "consensus", 0, {}};
      if (barrier.entered()) awaited.ranks.push_back(barrier.late_peer());
      return awaited;
    });
  } catch (const Error&) {
    context.keep_until_exit(under_way);
    throw;
  }
  return said;
}

std::string fault_of_pairs(std::span<const Peer> peers, const std::map<int, Peer>& said) {
  for (const Peer& peer : peers) {
    const auto other = said.find(peer.rank);
    if (other == said.end()) {
      return fmt::format("lists rank {} as a peer, but rank {} does not list it", peer.rank,
                         peer.rank);
    }
    const Peer& theirs = other->second;
    if (peer.send_capacity != theirs.receive_capacity) {
      return fmt::format("may send {} items to rank {}, which receives up to {} from it",
                         peer.send_capacity, peer.rank, theirs.receive_capacity);
    }
    if (peer.receive_capacity != theirs.send_capacity) {
      return fmt::format("receives up to {} items from rank {}, which may send it {}",
                         peer.receive_capacity, peer.rank, theirs.send_capacity);
    }
  }
  for (const auto& [rank, theirs] : said) {
    if (std::ranges::find(peers, rank, &Peer::rank) == peers.end()) {
      return fmt::format("does not list rank {} as a peer, but rank {} lists it", rank, rank);
    }
  }
  return {};
}

}  // namespace

NeighborPattern NeighborPattern::from_peers(const Context& context, std::vector<Peer> peers) {
  std::ranges::sort(peers, {}, &Peer::rank);
  Context::Implementation& implementation = context.implementation();
  announce_object(implementation, "a neighbor pattern", pattern_name);
  const auto throw_if = [&](const std::string& fault) {
    const std::string agreed = agree_on_reason(implementation, fault, pattern_name);
    if (!agreed.empty()) throw Error(fmt::format("{}: {}", pattern_name, agreed));
  };
  throw_if(fault_of_list(context, peers));
  throw_if(fault_of_pairs(peers, ask_peers(context, peers)));
  return NeighborPattern(std::move(peers));
}

}  // namespace sterna::comm
