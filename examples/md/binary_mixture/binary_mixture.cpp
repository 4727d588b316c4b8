// A binary mixture made in code: looks at it while it runs, prints the densities at the end.
#include <cstdio>
#include <memory>
#include <sterna/comm/environment.hpp>
#include <sterna/md/simulation.hpp>

namespace md = sterna::md;

struct Thermometer : md::Reporter {
  using Reporter::Reporter;
  void report(const md::Frame& frame) override {
    if (sterna::comm::Context().rank() > 0) return;
    std::printf("step %4d  temperature %.4f\n", int(frame.step), frame.state.temperature);
  }
};

int main(int argc, char** argv) {
  const sterna::comm::Environment environment(argc, argv);
  const sterna::comm::Context world;
  md::System system =
      md::System::lattice({.cells = {6, 6, 12}, .density = 0.8, .temperature = 1.0});
  system.types = {{.name = "large"}, {.name = "small", .sigma = 0.8, .fraction = 0.4}};
  md::Simulation simulation(world, R"(
      [run]
      timestep = 0.004
      [interaction]
      cutoff = 2.5
      [profile]
      interval = 10
      bins = 12
      )",
                            system);
  simulation.add(std::make_shared<Thermometer>(100));
  simulation.run(400);
  for (const md::ObserverReport& found : simulation.observer_reports()) {
    if (world.rank() == 0) std::printf("\n%s", found.text.c_str());
  }
}
