// Each rank sends forces to its right neighbor, by a call whose array is not copied, and reports
// the sum that arrived to rank 0.
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/messenger.hpp"

using namespace sterna::comm;

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  const Context world;
  Messenger messenger(world);

  const auto report = messenger.entry<int, double>("report", [](Sender from, int step, double sum) {
    std::printf("step %d: rank %d received forces whose sum is %g\n", step, from.rank, sum);
  });
  const auto recv_forces = messenger.entry<int, NoCopy<double>>(
      "recv_forces", [&](Sender, int step, std::span<const double> forces) {
        report(0, step, std::accumulate(forces.begin(), forces.end(), 0.0));
      });

  Buffer<double> forces = messenger.buffer<double>(1'000'000);
  const int right = (world.rank() + 1) % world.size();
  for (int step = 1; step <= 3; ++step) {
    for (double& force : forces) force = step * (world.rank() + 1);
    Future free;
    recv_forces(right, step, nocopy(forces.items(), on_source(free)));
    messenger.wait(free);  // now the forces of the next step may be written
  }
  messenger.finish();
}
