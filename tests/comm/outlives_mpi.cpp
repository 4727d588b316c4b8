// Ends MPI while an exchange and what else the library has are alive: what cannot be given back any
// more is left to the system, without an error. Arguments: method of neighbor exchange, of sparse
// exchange.

#include <memory>
#include <vector>

#include "sterna/comm/collective.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/sparse_exchange.hpp"

using namespace sterna::comm;

namespace {

struct Everything {
  explicit Everything(char** methods)
      : pattern(NeighborPattern::from_peers(world, everybody(world))),
        halo(world, pattern, {.method = methods[1]}),
        sparse(world, {methods[2], "particles", {}}),
        messenger(world) {}

  static std::vector<NeighborPattern::Peer> everybody(const Context& world) {
    std::vector<NeighborPattern::Peer> peers;
    for (int rank = 0; rank < world.size(); ++rank) peers.push_back({rank, 10, 10});
    return peers;
  }

  Context world;
  NeighborPattern pattern;
  NeighborExchange<double> halo;
  SparseExchange<double> sparse;
  Messenger messenger;
};

std::unique_ptr<Everything> everything;

}  // namespace

int main(int argc, char** argv) {
  auto environment = std::make_unique<Environment>(argc, argv);
  everything = std::make_unique<Everything>(argv);
  everything->halo.start();
  everything->halo.finish();
  everything->sparse({});
  barrier(everything->world);
  environment.reset();
  everything.reset();
}
