// Ends with one region given back and one not, which must be reported.

#include <array>
#include <memory>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/region.hpp"

using namespace sterna::comm;

namespace {
std::unique_ptr<Region<double>> kept;
}

int main(int argc, char** argv) {
  Environment environment(argc, argv);
  const Context world;
  const std::array peers{(world.rank() + 1) % world.size()};
  const Region<double> other(world, 50, peers, {.name = "other"});
  kept = std::make_unique<Region<double>>(world, 100, peers, RegionOptions{.name = "halo"});
}
