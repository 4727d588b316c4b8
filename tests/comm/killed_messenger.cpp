// Calls its neighbors until one rank kills itself; the others must end with a message, with their
// pending operations failed. Arguments: transport. Run by test_killed_rank.

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/messenger.hpp"

using namespace sterna::comm;

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  try {
    const Context world(ContextOptions{.timeout = std::chrono::duration<double>(60)});
    Messenger messenger(world, {.name = "halo positions", .transport = argv[1]});
    std::vector<double> items(50000, 1.0);
    std::vector<double> target(items.size());
    for (int round = 1;; ++round) {
      if (round == 50 && world.rank() == 1) raise(SIGKILL);
      const int right = (world.rank() + 1) % world.size();
      const int left = (world.rank() + world.size() - 1) % world.size();
      Future arrived = messenger.receive<double>(left, 1, target);
      Future gone;
      messenger.send(right, 1, nocopy(items, on_source(gone)));
      try {
        messenger.wait(arrived);
        messenger.wait(gone);
      } catch (const Error&) {
        // What needed the dead rank must have failed by now.
        if (!(left == 1 ? arrived : gone).ready())
          std::puts("FAILED: an operation is left pending");
        throw;
      }
    }
  } catch (const Error& error) {
    Environment::abort(error.what(), 3);
  }
}
