#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "md/neighbors/pair_kernels.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/signals.hpp"
#include "simulation/simulation_support.hpp"
#include "sterna/comm/methods.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr const char* liquid = R"(
[start]
kind = "lattice"
lattice = "fcc"
cells = [6, 6, 7]
density = 0.8
temperature = 1.2
[[type]]
name = "A"
fraction = 0.7
[[type]]
name = "B"
fraction = 0.3
epsilon = 1.2
sigma = 0.9
mass = 2.0
)";

std::string run_section(int steps, const std::string& more = "") {
  return fmt::format("[run]\nsteps = {}\ntimestep = 0.004\n{}", steps, more);
}

std::string simple_interaction() {
  return "[interaction]\ncutoff = 2.5\n";
}

/// Runs with a list of every step and with one that is kept as long as it holds; checks that the
/// energies of all `rows` steps are the same. Returns how often the latter was rebuilt.
int rebuilds_of_a_right_list(const comm::Context& world, const std::string& folder,
                             const std::string& text, std::size_t rows) {
  std::vector<double> expected, found;
  std::int64_t rebuilds = 0;
  for (const int interval : {1, 1000}) {
    const std::string name = fmt::format("interval_{}", interval);
    Input input = test::input_of(folder, name, text);
    input.neighbor.maximum_interval = interval;
    input.output.thermo_interval = 1;
    Simulation simulation(world, input, {.quiet = true});
    CHECK(simulation.run() == Outcome::complete);
    if (world.rank() != 0) continue;
    std::ifstream log(folder + "/" + name + ".log.jsonl");
    for (std::string line; std::getline(log, line);) {
      const auto event = nlohmann::json::parse(line);
      if (event.at("event") == "end") rebuilds = event.at("timing").at("rebuilds");
      if (event.at("event") != "thermo") continue;
      (interval == 1 ? expected : found).push_back(event.at("potential_energy"));
    }
  }
  if (world.rank() == 0) {
    CHECK(found.size() == rows);
    REQUIRE(expected.size() == found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-10));
    }
    CHECK(expected.front() != expected.back());
  }
  return static_cast<int>(rebuilds);
}

}  // namespace

TEST_CASE("a trajectory has the same bits whichever exchange carries it, by each halo route") {
  const comm::Context world;
  const test::SharedFolder output(world);
  // The forces of ghosts come back in another order where ghosts are sent on in stages.
  for (const std::string halo : {"direct", "staged"}) {
    CAPTURE(halo);
    std::optional<std::int64_t> expected;
    for (const auto& method : comm::neighbor_methods()) {
      if (!comm::why_neighbor_method_unavailable(world, method.name).empty()) continue;
      for (const auto& sparse : comm::sparse_methods()) {
        // Each method of one family with the first of the other; further pairs add nothing.
        const bool is_first = sparse.name == comm::sparse_methods()[0].name;
        if (!is_first && (halo == "staged" || method.name != comm::neighbor_methods()[0].name)) {
          continue;
        }
        CAPTURE(std::string(method.name));
        CAPTURE(std::string(sparse.name));
        const Input input = test::input_of(
            output.path(), "methods",
            run_section(60) + liquid + simple_interaction() +
                fmt::format(
                    "[communication]\nhalo = \"{}\"\nmigration = \"{}\"\n[domain]\nhalo_route = "
                    "\"{}\"\n",
                    method.name, sparse.name, halo));
        Simulation simulation(world, input, {.quiet = true});
        CHECK(simulation.run() == Outcome::complete);
        const std::int64_t found =
            test::fingerprint(world, simulation.particles(), simulation.box());
        if (!expected) expected = found;
        CHECK(found == *expected);
      }
    }
  }
}

TEST_CASE("a step begun while the last one's forces are put together has the same bits") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string precision : {"double", "mixed"}) {
    CAPTURE(precision);
    std::int64_t expected = 0;
    // Where somebody wants to look after each step, no step begins before he has.
    for (const bool looks : {true, false}) {
      const Input input = test::input_of(output.path(), "early",
                                         run_section(95, "precision = \"" + precision + "\"\n") +
                                             liquid + simple_interaction() +
                                             "[thermostat]\nkind = \"velocity_scaling\"\n"
                                             "temperature = 1.1\ninterval = 7\n"
                                             "[communication]\nhalo = \"p2p\"\n");
      Simulation simulation(world, input, {.quiet = true});
      if (looks) simulation.on_step([](std::int64_t) {});
      CHECK(simulation.run() == Outcome::complete);
      const std::int64_t found = test::fingerprint(world, simulation.particles(), simulation.box());
      if (looks) expected = found;
      CHECK(found == expected);
    }
  }
}

TEST_CASE("synchronized timing parts the time of a run and leaves its bits alone") {
  const comm::Context world;
  const test::SharedFolder output(world);
  std::int64_t expected = 0;
  using Timing = Input::Output::Timing;
  for (const Timing mode : {Timing::plain, Timing::synchronized}) {
    const std::string name(choice_name(mode));
    CAPTURE(name);
    Input input = test::input_of(
        output.path(), name,
        run_section(40) + liquid + simple_interaction() + "[communication]\nhalo = \"p2p\"\n");
    input.output.timing = mode;
    Simulation simulation(world, input, {.quiet = true});
    CHECK(simulation.run() == Outcome::complete);
    const std::int64_t found = test::fingerprint(world, simulation.particles(), simulation.box());
    if (mode == Timing::plain) expected = found;
    CHECK(found == expected);
    if (world.rank() != 0) continue;

    std::ifstream log(output.path() + "/" + name + ".log.jsonl");
    std::string last;
    for (std::string line; std::getline(log, line);) last = line;
    const auto timing = nlohmann::json::parse(last).at("timing");
    CHECK(timing.at("mode") == name);
    const double seconds = timing.at("seconds");
    // No time is in two rows. (Seconds are those of rank 0, and on a busy machine the ranks do not
    // begin at the same time.)
    double sum = 0.0;
    for (const auto& phase : timing.at("phases")) sum += phase.at("min").get<double>();
    CHECK(sum > 0.0);
    CHECK(sum < 1.01 * seconds);
    CHECK(timing.at("phases").contains("waiting for ranks") ==
          (mode == Timing::synchronized && world.size() > 1));
    CHECK(timing.contains("waiting") == (mode == Timing::synchronized));
    if (mode == Timing::plain || world.size() == 1) continue;
    // Each exchange of a step has waited in its own phase; all of them make the row, but for phases
    // too short (half a microsecond) to be listed.
    const double waiting = timing.at("phases").at("waiting for ranks").at("avg");
    double listed = 0.0;
    for (const auto& phase : timing.at("waiting")) listed += phase.at("avg").get<double>();
    CHECK(listed <= waiting * (1.0 + 1e-9));
    CHECK(listed > waiting - 20 * 5e-7);
    CHECK(timing.at("waiting").contains("halo exchange"));
    CHECK(timing.at("waiting").contains("rebuild decision"));
    CHECK(timing.at("waiting_share").get<double>() ==
          doctest::Approx(waiting / seconds).epsilon(1e-9));
  }
}

namespace {

/// What observers wrote. The kinetic temperature of a profile is a sum over ranks, which starts
/// again from one number in a resumed run: five digits of it have to agree.
std::vector<std::string> observer_files(const std::string& stem) {
  std::vector<std::string> texts;
  for (const char* suffix : {".rdf.txt", ".profile.txt", ".pressure_tensor.txt"}) {
    std::ifstream file(stem + suffix);
    std::string text;
    for (std::string word; file >> word;) {
      char* end = nullptr;
      const double value = std::strtod(word.c_str(), &end);
      text += *end == '\0' ? fmt::format("{:.5g} ", value) : word + " ";
    }
    CHECK(text.size() > 100);
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("a resumed run equals one that was never interrupted") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const std::string thermostat :
       {"",
        "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 1.0\n"
        "time_constant = 0.2\n"}) {
    const std::string text =
        run_section(150) + liquid + simple_interaction() + thermostat +
        "[rdf]\ninterval = 30\n[profile]\ninterval = 15\naxis = \"x\"\ncentered = false\n"
        "[pressure_tensor]\ninterval = 10\nsurface_normal = \"y\"\n";
    const Input input = test::input_of(output.path(), "resume", text);
    std::int64_t whole = 0;
    ThermodynamicState end;
    std::vector<std::string> observed;
    {
      Simulation simulation(world, input, {.quiet = true});
      simulation.run();
      whole = test::fingerprint(world, simulation.particles(), simulation.box());
      end = simulation.last_state();
      observed = observer_files(output.path() + "/resume");
    }
    // The checkpoint before the last is one of the middle of the run.
    const std::string latest = checkpoint_path(output.path() + "/resume");
    comm::barrier(world);
    if (world.rank() == 0) std::filesystem::remove(latest);
    comm::barrier(world);
    Simulation simulation(world, input, {.resume = true, .quiet = true});
    const std::int64_t from = simulation.step_number();
    CHECK(from >= 40);
    CHECK(from < 150);
    CHECK(simulation.run() == Outcome::complete);
    CHECK(simulation.step_number() == 150);
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
    CHECK(simulation.last_state().total_energy == end.total_energy);
    CHECK(simulation.last_state().conserved_energy == end.conserved_energy);
    CHECK(observer_files(output.path() + "/resume") == observed);
  }
}

TEST_CASE(
    "SIGTERM writes a checkpoint, and the run that continues it ends as if nothing had been") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      test::input_of(output.path(), "signal", run_section(120) + liquid + simple_interaction());
  std::int64_t whole = 0;
  {
    Simulation simulation(world, input, {.quiet = true});
    simulation.run();
    whole = test::fingerprint(world, simulation.particles(), simulation.box());
  }
  {
    // On one rank only: the others hear of it from that one.
    catch_signals();
    Simulation simulation(world, input, {.quiet = true});
    simulation.on_step([&](std::int64_t step) {
      if (step == 57 && world.rank() == world.size() - 1) std::raise(SIGTERM);
    });
    CHECK(simulation.run() == Outcome::interrupted);
    CHECK(simulation.step_number() >= 57);
    CHECK(simulation.step_number() < 120);
    release_signals();
    clear_stop_request();
  }
  Simulation simulation(world, input, {.resume = true, .quiet = true});
  CHECK(simulation.run() == Outcome::complete);
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == whole);
}

TEST_CASE("a list that is kept beyond half the skin misses no pair") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string text = run_section(120) + liquid + simple_interaction();
  // Half of the skin is used up in some eight steps.
  CHECK(rebuilds_of_a_right_list(world, output.path(), text, 121) < 15);
}

TEST_CASE("pairs that meet across borders are seen wherever they were when the list was made") {
  const comm::Context world;
  const test::SharedFolder output(world);
  struct Mover {
    double x, y, velocity;
  };
  struct Case {
    double length;
    std::string domain;
    std::vector<Mover> movers;
  };
  std::vector<Case> cases;
  // The one that moves farther, from the very border, comes from beyond the halo of its rank's: it
  // is the other's rank that must see it, whose own particles stay within half the skin.
  cases.push_back(
      {12.0,
       "",
       {{6.0 - 2.84, 2.0, 0.385}, {6.01, 2.0, -1.0}, {2.84, 6.0, -0.385}, {11.99, 6.0, 1.0}}});
  // A third region between the two, narrower than what they bridge: in neither's halo.
  if (world.size() == 4) {
    cases.push_back(
        {11.4,
         "[domain]\ndecomposition = \"grid\"\ngrid = [4, 1, 1]\n",
         {{2.845, 2.0, 1.0}, {5.705, 2.0, -0.5}, {8.545, 6.0, 0.5}, {0.005, 6.0, -1.0}}});
  }
  for (const Case& system : cases) {
    const std::string start = output.path() + "/start.data";
    if (world.rank() == 0) {
      std::ofstream file(start);
      file << fmt::format(
          "movers\n\n{} atoms\n1 atom types\n0 {} xlo xhi\n0 8 ylo yhi\n0 8 zlo zhi\n",
          system.movers.size(), system.length);
      file << "\nAtoms # atomic\n\n";
      int id = 0;
      for (const Mover& m : system.movers) file << fmt::format("{} 1 {} {} 4.1\n", ++id, m.x, m.y);
      file << "\nVelocities\n\n";
      id = 0;
      for (const Mover& m : system.movers) file << fmt::format("{} {} 0 0\n", ++id, m.velocity);
    }
    comm::barrier(world);
    const std::string text =
        run_section(75) +
        fmt::format("[start]\nkind = \"file\"\nfile = \"{}\"\n[[type]]\nname = \"A\"\n", start) +
        "[interaction]\ncutoff = 2.5\ntruncation = \"truncated\"\n[neighbor]\nskin = 0.3\n" +
        system.domain;
    rebuilds_of_a_right_list(world, output.path(), text, 76);
    comm::barrier(world);
  }
}

TEST_CASE("velocities and energies at the start do not depend on the rank count") {
  // Every rank count of ctest compares with the same numbers, found on one rank.
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input =
      test::input_of(output.path(), "start", run_section(0) + liquid + simple_interaction());
  Simulation simulation(world, input, {.quiet = true});
  simulation.run();
  const comm::Context alone = world.split(world.rank());
  Input own = input;
  own.output.directory += fmt::format("/{}", world.rank());
  Simulation reference(alone, own, {.quiet = true});
  reference.run();
  const ThermodynamicState& a = simulation.last_state();
  const ThermodynamicState& b = reference.last_state();
  CHECK(std::fabs(a.total_energy / b.total_energy - 1.0) < 1e-12);
  CHECK(std::fabs(a.potential_energy / b.potential_energy - 1.0) < 1e-12);
  CHECK(std::fabs(a.virial / b.virial - 1.0) < 1e-11);
  CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) ==
        test::fingerprint(alone, reference.particles(), reference.box()));
  CHECK(std::fabs(a.temperature - 1.2) < 1e-12);
}

TEST_CASE("every kernel and truncation conserves energy and momentum") {
  const comm::Context world;
  const test::SharedFolder output(world);
  for (const PairKernels* kernels : available_pair_kernels()) {
    for (const std::string truncation : {"force_shifted", "switched"}) {
      for (const std::string precision : {"double", "mixed"}) {
        CAPTURE(std::string(kernels->name));
        CAPTURE(truncation);
        CAPTURE(precision);
        const std::string text = run_section(200, "precision = \"" + precision + "\"\n") + liquid +
                                 "[interaction]\ncutoff = 2.5\nkernel = \"" + kernels->name +
                                 "\"\ntruncation = \"" + truncation + "\"\n" +
                                 (truncation == "switched" ? "switch_start = 2.2\n" : "");
        const Input input = test::input_of(output.path(), "nve", text);
        Simulation simulation(world, input, {.quiet = true});
        double first = 0.0;
        bool have_first = false;
        simulation.on_step([&](std::int64_t step) {
          if (step >= 50 && !have_first) {
            first = simulation.last_state().total_energy;
            have_first = true;
          }
        });
        simulation.run();
        const ThermodynamicState& last = simulation.last_state();
        CHECK(std::fabs(last.total_energy - first) < 2e-4 * last.kinetic_energy);
        for (const double p : last.momentum)
          CHECK(std::fabs(p) < (precision == "mixed" ? 0.05 : 1e-9));
      }
    }
  }
}

TEST_CASE("the thermostat brings the liquid to its temperature and keeps the conserved energy") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const Input input = test::input_of(
      output.path(), "nvt",
      run_section(600) + liquid + "[interaction]\ncutoff = 2.5\ntruncation = \"force_shifted\"\n" +
          "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 0.9\n"
          "time_constant = 0.1\n");
  Simulation simulation(world, input, {.quiet = true});
  double sum = 0.0, conserved = 0.0;
  int rows = 0;
  simulation.on_step([&](std::int64_t step) {
    if (step < 100 || step % 10 != 0) return;
    if (rows == 0) conserved = simulation.last_state().conserved_energy;
    sum += simulation.last_state().temperature;
    ++rows;
  });
  simulation.run();
  // 1008 particles: the temperature fluctuates by 0.9 sqrt(2/3021) = 0.023; 50 rows in 20 time
  // constants.
  CHECK(std::fabs(sum / rows - 0.9) < 0.02);
  CHECK(std::fabs(simulation.last_state().conserved_energy - conserved) <
        1e-3 * simulation.last_state().kinetic_energy);
}

TEST_CASE("minimization ends where no force is above the tolerance") {
  const comm::Context world;
  const test::SharedFolder output(world);
  const std::string text = R"(
[run]
steps = 3000
timestep = 0.004
integrator = "minimize"
[start]
kind = "random"
particles = 300
density = 0.7
[[type]]
name = "A"
[minimize]
force_tolerance = 0.01
)" + simple_interaction();
  const Input input = test::input_of(output.path(), "minimize", text);
  Simulation simulation(world, input, {.quiet = true});
  CHECK(simulation.run() == Outcome::complete);
  CHECK(simulation.step_number() < 3000);
  double largest = 0.0;
  for (std::size_t i = 0; i < simulation.particles().local_count(); ++i) {
    const Vec3& f = simulation.particles().force[i];
    largest = std::max({largest, std::fabs(f.x), std::fabs(f.y), std::fabs(f.z)});
  }
  CHECK(largest <= 0.01);
  // Below any liquid: the minima of the LJ liquid lie at about -6 to -7 per particle.
  CHECK(simulation.last_state().potential_energy / 300.0 < -4.0);
}
