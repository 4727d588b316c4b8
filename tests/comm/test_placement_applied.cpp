// A placement applied to a context. Nodes are made by STERNA_RANKS_PER_NODE=2, so that there is
// more than one on this machine.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/placement.hpp"

using namespace sterna::comm;

namespace {

Context two_ranks_on_a_node() {
  setenv("STERNA_RANKS_PER_NODE", "2", 1);
  return Context();
}

}  // namespace

TEST_CASE("ranks get numbers so that each runs on the node it was placed on") {
  const Context world = two_ranks_on_a_node();
  REQUIRE(world.node_count() == (world.size() + 1) / 2);
  const auto network = Network::torus({world.node_count()});
  const auto problem = placement_problem(world, {world.size(), 1, 1}, network);
  for (const MethodInfo& method : placement_methods()) {
    CAPTURE(method.name);
    const Placement placement = place(problem, method.name);
    const Context placed = renumbered(world, problem, placement);
    REQUIRE(placed.size() == world.size());
    // Same node: where the old numbers say so, and where the placement does.
    const auto old_ranks = gather(placed, 0, std::to_string(world.rank()));
    if (placed.rank() == 0) {
      for (std::size_t rank = 0; rank < old_ranks.size(); ++rank) {
        CHECK(world.node_of(std::stoi(old_ranks[rank])) == placement[rank]);
      }
    }
    // The new context serves an exchange.
    if (placed.size() == 1) continue;
    const int right = (placed.rank() + 1) % placed.size();
    const int left = (placed.rank() + placed.size() - 1) % placed.size();
    std::vector<NeighborPattern::Peer> peers{{right, 1, left == right ? 1u : 0u}};
    if (left != right) peers.push_back({left, 0, 1});
    NeighborExchange<int> exchange(placed, NeighborPattern::from_peers(placed, peers));
    for (std::size_t i = 0; i < exchange.peers().size(); ++i) {
      if (exchange.peers()[i].rank != right) continue;
      exchange.outbox(static_cast<int>(i))[0] = placed.rank();
      exchange.commit(static_cast<int>(i), 1);
    }
    exchange.start();
    const auto arrived = exchange.next();
    REQUIRE(arrived.has_value());
    CHECK(exchange.inbox(*arrived)[0] == left);
    exchange.finish();
  }
}

TEST_CASE("a placement for other nodes or a network without our hosts is refused on every rank") {
  const Context world = two_ranks_on_a_node();
  const auto network = Network::flat(world.node_count());
  const auto problem = placement_problem(world, {world.size(), 1, 1}, network);
  CHECK_THROWS_AS(renumbered(world, problem, Placement(problem.ranks_on_node.size() + 5, 0)),
                  Error);
  if (world.node_count() > 1) {
    CHECK_THROWS_AS(placement_problem(world, {world.size(), 1, 1}, Network::flat(1)), Error);
  }
}
