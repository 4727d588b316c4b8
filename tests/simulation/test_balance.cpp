#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "comm/context/waiter.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/output/checkpoint.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"
#include "sterna/comm/processor_time.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

void write_places(const comm::Context& context, const std::string& path, const Vec3& box,
                  const std::vector<Vec3>& places) {
  if (context.rank() == 0) {
    std::ofstream file(path);
    file << fmt::format("{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Properties=species:S:1:pos:R:3\n",
                        places.size(), box.x, box.y, box.z);
    for (const Vec3& p : places) file << fmt::format("A {} {} {}\n", p.x, p.y, p.z);
  }
  comm::barrier(context);
}

/// A crystalline drop in a corner of its box and a few particles around it; the number of them.
std::int64_t write_drop(const comm::Context& context, const std::string& path, const Vec3& box,
                        double radius) {
  std::vector<Vec3> places;
  constexpr double kSpacing = 1.12;
  const Vec3 center = 0.3 * box;
  for (double z = 0.3; z < box.z - 0.6; z += kSpacing) {
    for (double y = 0.3; y < box.y - 0.6; y += kSpacing) {
      for (double x = 0.3; x < box.x - 0.6; x += kSpacing) {
        const Vec3 d = Vec3{x, y, z} - center;
        const bool vapor = static_cast<int>(x + 7 * y + 13 * z) % 97 == 0;
        if (dot(d, d) < radius * radius || vapor) places.push_back({x, y, z});
      }
    }
  }
  write_places(context, path, box, places);
  return static_cast<std::int64_t>(places.size());
}

std::string drop_run(int steps, const std::string& domain, const std::string& more = "") {
  return fmt::format(R"(
[run]
steps = {}
timestep = 0.004
[start]
kind = "file"
file = "drop.extxyz"
temperature = 0.7
[[type]]
name = "A"
[interaction]
cutoff = 2.5
truncation = "force_shifted"
[domain]
{}
{})",
                     steps, domain, more);
}

/// Whether each of the ids 1 to `count` is on one rank, in the region of that rank or just left it.
bool all_there_once(const comm::Context& context, const Simulation& simulation,
                    std::int64_t count) {
  std::vector<std::int64_t> seen(static_cast<std::size_t>(count), 0);
  std::int64_t strange = 0;
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const std::int64_t id = particles.id[i];
    if (id < 1 || id > count) {
      ++strange;
    } else {
      ++seen[static_cast<std::size_t>(id - 1)];
    }
  }
  comm::ReductionBatch(context, "test").sum(seen.data(), seen.size()).sum(strange).run();
  return strange == 0 && std::all_of(seen.begin(), seen.end(), [](auto n) { return n == 1; });
}

/// Forces of all particles by id, on all ranks.
std::vector<double> forces_by_id(const comm::Context& context, const Simulation& simulation,
                                 std::int64_t count) {
  std::vector<double> forces(3 * static_cast<std::size_t>(count), 0.0);
  const ParticleStore& particles = simulation.particles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      forces[3 * static_cast<std::size_t>(particles.id[i] - 1) + static_cast<std::size_t>(axis)] =
          particles.force[i][axis];
    }
  }
  comm::ReductionBatch(context, "test").sum(forces.data(), forces.size()).run();
  return forces;
}

void compute_for(double seconds) {
  const double end = comm::processor_seconds_now() + seconds;
  while (comm::processor_seconds_now() < end) {
  }
}

/// A term that only rank 0 computes. The other ranks wait as long, and poll all the time: a wait
/// that sleeps would be no load in any case.
class UnevenTerm final : public ForceTerm {
 public:
  explicit UnevenTerm(const comm::Context& context) : context_(context) {}
  std::string_view name() const override { return "uneven"; }
  bool keeps_momentum() const override { return true; }
  void finish(ParticleStore&, EnergyAndVirial*) override {
    constexpr int kPolls = 5;
    constexpr double kSeconds = 0.001;
    if (context_.rank() == 0) {
      compute_for(kPolls * kSeconds);
    } else {
      int polls = 0;
      comm::Waiter(context_.implementation())
          .wait(
              [&] {
                if (polls > 0) compute_for(kSeconds);
                return polls++ == kPolls;
              },
              [] {
                return comm::Awaited{"uneven term", "polling", 0, {0}};
              });
    }
  }

 private:
  const comm::Context& context_;
};

}  // namespace

TEST_CASE("forces do not depend on how the box is cut, to rounding") {
  const comm::Context world;
  const test::SharedFolder output(world);
  // A box that holds many regions, and one that is thinner than two halos.
  for (const Vec3& box : {Vec3{20, 20, 20}, Vec3{5, 24, 16}}) {
    const std::int64_t count = write_drop(world, output.path() + "/drop.extxyz", box, 5.0);
    std::vector<double> reference;
    ThermodynamicState first;
    for (const std::string decomposition : {"grid", "bisection", "sampling"}) {
      CAPTURE(decomposition);
      const Input input = test::input_of(
          output.path(), "forces",
          drop_run(0, "decomposition = \"" + decomposition + "\"\nweights = \"neighbors\""));
      Simulation simulation(world, input, {.quiet = true});
      simulation.run();
      CHECK((decomposition == "grid" || world.size() == 1) ==
            (dynamic_cast<const RegularGrid*>(&simulation.decomposition()) != nullptr));
      CHECK(all_there_once(world, simulation, count));
      const auto forces = forces_by_id(world, simulation, count);
      if (reference.empty()) {
        reference = forces;
        first = simulation.last_state();
      }
      double worst = 0.0, largest = 0.0;
      for (std::size_t k = 0; k < forces.size(); ++k) {
        worst = std::max(worst, std::fabs(forces[k] - reference[k]));
        largest = std::max(largest, std::fabs(forces[k]));
      }
      CHECK(largest > 1.0);
      CHECK(worst < 1e-11 * largest);
      const ThermodynamicState& state = simulation.last_state();
      CHECK(std::fabs(state.potential_energy / first.potential_energy - 1.0) < 1e-12);
      CHECK(std::fabs(state.virial - first.virial) < 1e-10 * std::fabs(first.potential_energy));
    }
  }
}

TEST_CASE("of grids of the same surface the one is taken that shares particles out most evenly") {
  const comm::Context world;
  if (world.size() == 1) return;
  const test::SharedFolder output(world);
  // Half of the box is empty, along z.
  std::vector<Vec3> places;
  for (int k = 0; k < 16 * 16 * 8; ++k) {
    places.push_back({0.6 + 1.12 * (k % 16), 0.6 + 1.12 * (k / 16 % 16), 0.6 + 1.12 * (k / 256)});
  }
  write_places(world, output.path() + "/drop.extxyz", {18, 18, 18}, places);
  const Input input =
      test::input_of(output.path(), "film", drop_run(150, "decomposition = \"grid\""));
  const auto cuts = [](const Simulation& simulation) {
    return dynamic_cast<const RegularGrid&>(simulation.decomposition()).grid();
  };
  std::array<int, 3> grid;
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    grid = cuts(simulation);
    CHECK(grid[2] == 1);
    CHECK(all_there_once(world, simulation, static_cast<std::int64_t>(places.size())));
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  // The checkpoint before the last is one of the middle of the run, and knows the grid.
  comm::barrier(world);
  if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/film"));
  comm::barrier(world);
  Simulation rest(world, input, {.resume = true, .quiet = true});
  CHECK(rest.step_number() < 150);
  CHECK(cuts(rest) == grid);
  rest.run();
  CHECK(test::fingerprint(world, rest.particles(), rest.box()) == whole);
}

TEST_CASE("what a rank waits for others inside of a force term is no load") {
  const comm::Context world;
  if (world.size() == 1) return;
  const test::SharedFolder output(world);
  write_drop(world, output.path() + "/drop.extxyz", {20, 20, 20}, 3.0);
  Simulation simulation(
      world, test::input_of(output.path(), "waits", drop_run(60, "decomposition = \"grid\"")),
      {.quiet = true});
  simulation.add(std::make_unique<UnevenTerm>(world));
  simulation.run();
  if (world.rank() != 0) return;
  std::ifstream log(output.path() + "/waits.log.jsonl");
  Json end;
  for (std::string line; std::getline(log, line);) end = Json::parse(line);
  // Rank 0 has nearly all of the work: the slowest rank takes `size` times the mean.
  CHECK(end.at("timing").at("balance").at("imbalance").get<double>() > 0.75 * world.size());
}

TEST_CASE("regions that are cut every 10 steps lose nothing and change no physics, every method") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::int64_t count = write_drop(world, output.path() + "/drop.extxyz", {20, 18, 16}, 4.0);
  // Trajectories part by rounding, slowly: after 40 steps a part in 10^6 is far more than that.
  double energy = 0.0;
  {
    const Input input =
        test::input_of(output.path(), "grid", drop_run(40, "decomposition = \"grid\""));
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    energy = simulation.last_state().potential_energy;
  }
  for (const std::string decomposition : {"bisection", "sampling"}) {
    for (const auto& sparse : comm::sparse_methods()) {
      if (!comm::why_sparse_method_unavailable(world, sparse.name).empty()) continue;
      CAPTURE(decomposition);
      CAPTURE(sparse.name);
      const Input input = test::input_of(
          output.path(), "every10",
          drop_run(40, "decomposition = \"" + decomposition + "\"\nrebalance_interval = 10",
                   fmt::format("[communication]\nmigration = \"{}\"\n", sparse.name)));
      Simulation simulation(world, input, {.quiet = true});
      bool complete = true;
      simulation.on_step([&](std::int64_t step) {
        if (step % 10 == 0) complete = complete && all_there_once(world, simulation, count);
      });
      simulation.run();
      CHECK(complete);
      CHECK(std::fabs(simulation.last_state().potential_energy / energy - 1.0) < 1e-6);
      for (const double p : simulation.last_state().momentum) CHECK(std::fabs(p) < 1e-9);
    }
  }
}

TEST_CASE("energy is conserved through hundreds of cuts") {
  const comm::Context world;
  if (world.size() > 4) return;  // what more ranks would add is in the test above, and cheaper
  const test::SharedFolder output(world);
  const std::int64_t count = write_drop(world, output.path() + "/drop.extxyz", {20, 18, 16}, 4.0);
  for (const std::string decomposition : {"bisection", "sampling"}) {
    CAPTURE(decomposition);
    const Input input = test::input_of(
        output.path(), "nve",
        drop_run(500, "decomposition = \"" + decomposition + "\"\nrebalance_interval = 2"));
    Simulation simulation(world, input, {.quiet = true});
    double first = 0.0, largest = 0.0;
    int cuts = 0;
    Region last{};
    simulation.on_step([&](std::int64_t step) {
      const Region region = simulation.decomposition().region(0);
      cuts += !(region == last);
      last = region;
      if (step == 50) first = simulation.last_state().total_energy;
      if (step > 50) {
        largest = std::max(largest, std::fabs(simulation.last_state().total_energy - first));
      }
    });
    simulation.run();
    CHECK(all_there_once(world, simulation, count));
    CHECK(largest < 5e-4 * simulation.last_state().kinetic_energy);
    // Cuts by measured time: hardly ever twice the same.
    if (world.size() > 1) CHECK(cuts > 100);
  }
}

TEST_CASE("what is cut by static weights can be repeated and resumed bit for bit") {
  const comm::Context world;
  const test::SharedFolder output(world);
  write_drop(world, output.path() + "/drop.extxyz", {20, 18, 16}, 5.0);
  for (const std::string domain :
       {"decomposition = \"bisection\"\nweights = \"neighbors\"\nrebalance_interval = 15",
        "decomposition = \"sampling\"\nweights = \"particles\"\nrebalance_interval = 15",
        "decomposition = \"auto\"\nweights = \"neighbors\""}) {
    CAPTURE(domain);
    const Input input = test::input_of(output.path(), "static", drop_run(220, domain));
    std::int64_t whole = 0;
    Region region;
    {
      Simulation simulation(world, input, {.quiet = true});
      simulation.run();
      whole = test::fingerprint(world, simulation.particles(), simulation.box());
      region = simulation.decomposition().region(world.rank());
      // All of them have left the grid by now: the drop is in one of its corners.
      CHECK((dynamic_cast<const RegularGrid*>(&simulation.decomposition()) == nullptr) ==
            (world.size() > 1));
    }
    comm::barrier(world);
    if (world.rank() == 0) std::filesystem::remove(checkpoint_path(output.path() + "/static"));
    comm::barrier(world);
    Simulation simulation(world, input, {.resume = true, .quiet = true});
    CHECK(simulation.step_number() >= 160);
    CHECK(simulation.step_number() < 220);
    simulation.run();
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
    CHECK(simulation.decomposition().region(world.rank()) == region);
  }
}

TEST_CASE("a checkpoint's regions come back; another rank count or decomposition begins again") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::int64_t count = write_drop(world, output.path() + "/drop.extxyz", {20, 18, 16}, 5.0);
  const auto input_of = [&](int steps, const std::string& decomposition) {
    return test::input_of(output.path(), "again",
                          drop_run(steps, "decomposition = \"" + decomposition + "\""));
  };
  Region region;
  ThermodynamicState state;
  {
    Simulation simulation(world, input_of(60, "bisection"), {.quiet = true});
    simulation.run();
    region = simulation.decomposition().region(world.rank());
    state = simulation.last_state();
  }
  {
    Simulation simulation(world, input_of(60, "bisection"), {.resume = true, .quiet = true});
    CHECK(simulation.step_number() == 60);
    CHECK(simulation.decomposition().region(world.rank()) == region);
  }
  for (const std::string decomposition : {"grid", "sampling", "auto"}) {
    CAPTURE(decomposition);
    Simulation simulation(world, input_of(61, decomposition), {.resume = true, .quiet = true});
    simulation.run();
    CHECK(simulation.step_number() == 61);
    CHECK(all_there_once(world, simulation, count));
    CHECK(std::fabs(simulation.last_state().total_energy - state.total_energy) <
          1e-3 * state.kinetic_energy);
    comm::barrier(world);
    if (world.rank() == 0) {  // the next one resumes from step 60 too
      const std::string path = checkpoint_path(output.path() + "/again");
      std::filesystem::rename(path + ".previous", path);
    }
    comm::barrier(world);
  }
  // The same checkpoint on one rank.
  const comm::Context alone = world.split(world.rank() == 0 ? 0 : -1);
  if (world.rank() == 0) {
    Simulation simulation(alone, input_of(61, "bisection"), {.resume = true, .quiet = true});
    simulation.run();
    CHECK(all_there_once(alone, simulation, count));
  }
}

TEST_CASE("what the staged halo cannot serve is refused on all ranks") {
  const comm::Context world;
  const test::SharedFolder output(world);
  write_drop(world, output.path() + "/drop.extxyz", {20, 18, 16}, 5.0);
  CHECK_THROWS(
      test::input_of(output.path(), "staged",
                     drop_run(10, "decomposition = \"bisection\"\nhalo_route = \"staged\"")));
  // "auto" keeps the grid then.
  const Input input = test::input_of(
      output.path(), "staged", drop_run(60, "halo_route = \"staged\"\nweights = \"neighbors\""));
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  CHECK(dynamic_cast<const RegularGrid*>(&simulation.decomposition()) != nullptr);
}
