// Exchanges with its neighbors until one rank kills itself; the others must end with a message.
// Arguments: method. Run by test_killed_rank.

#include <signal.h>

#include <chrono>
#include <string>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

using namespace sterna::comm;

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  try {
    const Context world(ContextOptions{.timeout = std::chrono::duration<double>(60)});
    std::vector<NeighborPattern::Peer> peers;
    for (int rank = 0; rank < world.size(); ++rank) peers.push_back({rank, 100, 100});
    NeighborExchange<double> exchange(world, NeighborPattern::from_peers(world, peers),
                                      {.method = argv[1], .name = "halo positions"});
    for (int round = 1;; ++round) {
      if (round == 50 && world.rank() == 1) raise(SIGKILL);
      exchange.start();
      exchange.finish();
    }
  } catch (const Error& error) {
    Environment::abort(error.what(), 3);
  }
}
