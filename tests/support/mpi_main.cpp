// The main of parallel tests: every rank runs every test case; the first rank reports, the others
// only where something failed; the exit status is the worst of all ranks.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include "sterna/comm/context.hpp"
#include "sterna/comm/environment.hpp"
#include "sterna/comm/reduction_batch.hpp"

int main(int argc, char** argv) {
  sterna::comm::Environment environment(argc, argv);
  sterna::comm::Context world;
  doctest::Context tests(argc, argv);
  std::ostringstream report;
  tests.setCout(&report);
  std::int64_t failed = tests.run();
  if (world.rank() == 0 || failed != 0) {
    std::cout << "rank " << world.rank() << " of " << world.size() << ":\n" << report.str();
  }
  sterna::comm::ReductionBatch worst(world);
  worst.max(failed).run();
  return static_cast<int>(failed);
}
