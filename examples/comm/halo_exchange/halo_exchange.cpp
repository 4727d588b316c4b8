// Heat on a ring, a piece on each rank: a step needs the cells at the ends of both neighbors'
// pieces. Run: mpiexec -n 3 ./halo_exchange [METHOD]
#include <cmath>
#include <cstdio>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/neighbor_exchange.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna::comm;

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  const Context world;
  const int ranks = world.size(), cells = 100;
  const int left = (world.rank() + ranks - 1) % ranks, right = (world.rank() + 1) % ranks;
  std::vector<NeighborPattern::Peer> peers{{left, 2, 2}};  // both ends go to each
  if (right != left) peers.push_back({right, 2, 2});
  NeighborExchange<double> halo(world, NeighborPattern::from_peers(world, peers),
                                {.method = argc > 1 ? argv[1] : "auto", .name = "halo"});
  std::vector<double> heat(cells + 2, world.rank()), next(heat);
  double before = cells * world.rank(), after = 0.0;
  const auto step_cell = [&](int i) { next[i] = (heat[i - 1] + 2 * heat[i] + heat[i + 1]) / 4; };
  for (int step = 0; step < 1000; ++step) {
    for (int peer = 0; peer < std::ssize(halo.peers()); ++peer) {
      halo.outbox(peer)[0] = heat[1], halo.outbox(peer)[1] = heat[cells];
      halo.commit(peer, 2);
    }
    halo.start();
    for (int i = 2; i < cells; ++i) step_cell(i);  // meanwhile
    while (const auto peer = halo.next()) {
      if (halo.peers()[*peer].rank == left) heat[0] = halo.inbox(*peer)[1];
      if (halo.peers()[*peer].rank == right) heat[cells + 1] = halo.inbox(*peer)[0];
    }
    halo.finish();
    step_cell(1), step_cell(cells);
    heat.swap(next);
  }
  for (int i = 1; i <= cells; ++i) after += heat[i];
  ReductionBatch(world).sum(before).sum(after).run();
  if (world.rank() == 0)
    std::printf("%s: %.9f, %.9f\n", halo.verdict().method.c_str(), before, after);
  return std::abs(after - before) < 1e-9 ? 0 : 1;  // heat moves, none is made or lost
}
