#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "md/input/pairs_of_types.hpp"
#include "md/input/read_input.hpp"
#include "md/input/stages.hpp"
#include "md/observe/radial_distribution.hpp"

using namespace sterna::md;

namespace {

constexpr std::string_view smallest = R"([run]
steps = 10
timestep = 0.005
[start]
kind = "lattice"
cells = [4, 5, 6]
density = 0.8
[[type]]
name = "A"
[interaction]
cutoff = 2.5
)";

ReadResult read(std::string_view text) {
  return read_input_text(text, "test.toml");
}

Input valid(std::string_view text) {
  auto result = read(text);
  INFO(render(result.diagnostics));
  REQUIRE(result.ok());
  CHECK(result.diagnostics.empty());
  return result.input;
}

std::string errors(std::string_view text) {
  return render(read(text).diagnostics);
}

/// `smallest` with one piece replaced.
std::string with(std::string_view piece, std::string_view replacement) {
  std::string text(smallest);
  const auto at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), replacement);
}

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(1e-13);
}

}  // namespace

TEST_CASE("the smallest input and its defaults") {
  const Input input = valid(smallest);
  CHECK(input.path == "test.toml");
  CHECK(input.units.is_reduced());
  CHECK(input.run.name == "test");
  CHECK(input.run.steps == 10);
  CHECK(input.run.timestep == 0.005);
  CHECK(input.run.seed == 1);
  CHECK(input.run.precision == Precision::double_precision);
  CHECK(input.run.integrator == "velocity_verlet");
  CHECK(input.start.kind == StartKind::lattice);
  CHECK(input.start.lattice == CrystalLattice::face_centered_cubic);
  CHECK(input.start.cells == std::array{4, 5, 6});
  CHECK(input.start.density == 0.8);
  CHECK_FALSE(input.start.temperature.has_value());
  REQUIRE(input.types.size() == 1);
  CHECK(input.types[0].name == "A");
  CHECK(input.types[0].mass == 1.0);
  CHECK(input.interaction.cutoff == 2.5);
  CHECK(input.interaction.truncation == Truncation::shifted);
  CHECK(input.thermostats.empty());
  CHECK(input.communication.halo == "auto");
  CHECK(input.output.trajectory_fields == std::vector<std::string>{"position"});
}

TEST_CASE("every key arrives") {
  const Input input = valid(R"(units = "real"
[run]
name = "argon run"
steps = 1e6
timestep = "2 fs"
seed = 9223372036854775807
precision = "mixed"
integrator = "velocity_verlet"
[start]
kind = "random"
particles = 1_000
density = "18 mol/l"
minimum_distance = 3.0
temperature = "300 K"
[[type]]
name = "Ar"
mass = 39.948
epsilon = "119.8 K"
sigma = 3.405
fraction = 0.25
[[type]]
name = "Kr"
mass = "83.798 u"
epsilon = "1.4 kJ/mol"
sigma = "0.36 nm"
fraction = 0.75
[[pair]]
first = "Kr"
second = "Ar"
epsilon = 0.3
[[pair]]
first = "Ar"
second = "Ar"
sigma = 3.5
[interaction]
cutoff = "1.2 nm"
truncation = "switched"
switch_start = 10
mixing = "geometric"
tail_correction = true
kernel = "avx2"
[neighbor]
skin = 2
maximum_interval = 20
[thermostat]
kind = "stochastic_velocity_rescaling"
temperature = 94.4
time_constant = "0.1 ps"
[domain]
grid = [2, 0, 1]
halo_route = "staged"
[communication]
halo = "p2p"
migration = "nbx"
timeout = "2 min"
[output]
directory = "out"
thermo_interval = 7
trajectory_interval = 8
trajectory_fields = ["position", "velocity", "force", "image"]
checkpoint_interval = 9
[rdf]
interval = 10
maximum = 9
bins = 300
)");
  CHECK(input.run.name == "argon run");
  CHECK(input.run.steps == 1000000);
  CHECK(input.run.timestep == near(0.002));
  CHECK(input.run.seed == 9223372036854775807u);
  CHECK(input.run.precision == Precision::mixed);
  CHECK(input.start.particles == 1000);
  CHECK(input.start.density == near(18 * 0.602214076));
  CHECK(input.start.minimum_distance == near(0.3));
  CHECK(*input.start.temperature == 300.0);
  REQUIRE(input.types.size() == 2);
  CHECK(input.types[0].epsilon == near(119.8 * 0.00831446261815324));
  CHECK(input.types[0].sigma == near(0.3405));
  CHECK(input.types[0].fraction == 0.25);
  CHECK(input.types[1].mass == 83.798);
  CHECK(input.types[1].epsilon == 1.4);
  CHECK(input.types[1].sigma == 0.36);
  REQUIRE(input.pairs.size() == 2);
  CHECK(input.pairs[0].first == "Kr");
  CHECK(*pair_parameter(input.pairs[0], "epsilon") == near(0.3 * 4.184));
  CHECK_FALSE(pair_parameter(input.pairs[0], "sigma").has_value());
  CHECK(*pair_parameter(input.pairs[1], "sigma") == near(0.35));
  CHECK(input.interaction.cutoff == 1.2);
  CHECK(input.interaction.truncation == Truncation::switched);
  CHECK(input.interaction.switch_start == near(1.0));
  CHECK(input.interaction.mixing == Mixing::geometric);
  CHECK(input.interaction.tail_correction == TailCorrection::homogeneous);
  CHECK(input.interaction.kernel == "avx2");
  CHECK(input.neighbor.skin == near(0.2));
  CHECK(input.neighbor.maximum_interval == 20);
  REQUIRE(input.thermostats.size() == 1);
  CHECK(input.thermostats[0].kind == "stochastic_velocity_rescaling");
  CHECK(input.thermostats[0].temperature == 94.4);
  CHECK(input.thermostats[0].time_constant == near(0.1));
  CHECK(input.domain.grid == std::array{2, 0, 1});
  CHECK(input.domain.halo_route == "staged");
  CHECK(input.communication.halo == "p2p");
  CHECK(input.communication.migration == "nbx");
  CHECK(input.communication.timeout == 120.0);
  CHECK(input.output.directory == "out");
  CHECK(input.output.thermo_interval == 7);
  CHECK(input.output.trajectory_interval == 8);
  CHECK(input.output.trajectory_fields.size() == 4);
  CHECK(input.output.checkpoint_interval == 9);
  const auto& rdf = input.section<RdfOptions>();
  CHECK(rdf.interval == 10);
  CHECK(rdf.maximum == near(0.9));
  CHECK(rdf.bins == 300);
  CHECK(input.places.at("type[1].sigma").line == 25);
  CHECK(input.places.at("type[1]").source_line == "[[type]]");
  CHECK(input.places.at("run.timestep").column == 12);
}

TEST_CASE("a number is 0 only where it is 0") {
  // Energies of a repulsion alone, as Go models have them, and units of a user's own.
  for (const double number : {9e-16, 3e-35, 1e-99}) {
    const auto type = [&](std::string_view key) {
      return read(with("name = \"A\"", fmt::format("name = \"A\"\n{} = {}", key, number)))
          .input.types.at(0);
    };
    CHECK(type("epsilon").epsilon == number);
    CHECK(type("charge").charge == number);
  }
}

TEST_CASE("what a program has computed to be 0 is 0, beside what is not") {
  const std::string site = R"([run]
steps = 10
timestep = 0.005
[start]
kind = "lattice"
cells = [4, 4, 4]
density = 0.1
[[component]]
name = "A"
inertia = [1e-17, 0.2, 0.2]
[[component.site]]
kind = "lennard_jones"
mass = 1.0
epsilon = 1.0
sigma = 1.0
position = [1e-16, -3e-17, 0.4]
[[component.site]]
kind = "lennard_jones"
mass = 1.0
epsilon = 1.0
sigma = 1.0
position = [-1e-16, 2.2e-16, -0.4]
[interaction]
cutoff = 2.5
)";
  const Input input = valid(site);
  CHECK(input.components[0].inertia->x == 0.0);
  CHECK(input.components[0].sites[0].position == Vec3{0.0, 0.0, 0.4});
  CHECK(errors(with("density = 0.8", "density = 1e-16")).find("beyond all bounds") !=
        std::string::npos);
}

TEST_CASE("a barostat that acts as rarely as it relaxes is warned of, or refused") {
  const auto barostat = [](int interval) {
    return std::string(smallest) +
           "[thermostat]\nkind = \"langevin\"\ntemperature = 1\ntime_constant = 1\n"
           "[barostat]\nkind = \"stochastic_cell_rescaling\"\npressure = 1\nbulk_modulus = 20\n"
           "time_constant = 1\ninterval = " +
           std::to_string(interval) + "\n";
  };
  CHECK(errors(barostat(20)) == "");
  CHECK(errors(barostat(60))
            .find("warning: the box changes every 0.3 (interval times time step), "
                  "0.3 of the barostat's time constant of 1: changes overshoot and "
                  "are undone, so that the volume moves slowly; expected an interval of at most "
                  "20") != std::string::npos);
  CHECK_FALSE(read(barostat(100)).ok());
}

TEST_CASE("a minimization needs no time step") {
  const Input input = valid(
      with("timestep = 0.005", "integrator = \"minimize\"\n[minimize]\nforce_tolerance = 1e-6"));
  CHECK(input.minimizes());
  CHECK(input.minimize.force_tolerance == 1e-6);
}

TEST_CASE("a mass density takes the mean mass of the types, wherever they stand") {
  const std::string text = R"(units = "nano"
run = { steps = 1, timestep = 0.001 }
interaction = { cutoff = 1.0 }
[start]
kind = "random"
particles = 10
density = "1.4 g/cm^3"
[[type]]
name = "Ar"
mass = 40
epsilon = 1
sigma = 0.34
[[type]]
name = "Kr"
mass = 80
epsilon = 1
sigma = 0.36
fraction = 3
)";
  CHECK(valid(text).start.density == near(1.4 * 602.214076 / 70.0));
}

TEST_CASE("other ways to write the same TOML") {
  CHECK(valid("\xef\xbb\xbf" + std::string(smallest)).run.steps == 10);
  std::string windows;
  for (const char c : smallest) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(valid(windows).places.at("run.steps").source_line == "steps = 10");
  const Input dotted = valid(R"(run.steps = 3
run.timestep = 0.001
start.kind = "random"
start.particles = 10
start.density = 0.1
type = [{name = "A"}, {name = "B"}]
interaction.cutoff = 2.5)");
  CHECK(dotted.types.size() == 2);
  CHECK(valid(with("steps = 10", "steps = 10 # ten")).run.steps == 10);
  CHECK(valid("units = \"lj\"\n" + std::string(smallest)).units.is_reduced());
}

TEST_CASE("all mistakes are told at once, in the order of the file, and none twice") {
  const auto result = read(R"(units = "nano"
[run]
steps = -1
timestp = 0.5
[start]
kind = "latice"
[[type]]
name = "Ar"
mass = "40 nm"
epsilon = 1
sigma = 0.3
[[pair]]
first = "Ar"
second = "ar2"
sigma = 1
[interaction]
cutof = 1
)");
  CHECK_FALSE(result.ok());
  CHECK(
      render(result.diagnostics) ==
      R"x(test.toml:3:9: error: "steps" in [run] is -1; expected an integer of at least 0 and at most 1e15
    3 | steps = -1
      |         ^~
test.toml:4:1: error: unknown key "timestp" in [run]; did you mean "timestep"?
    4 | timestp = 0.5
      | ^~~~~~~
test.toml:6:8: error: "kind" in [start] is "latice"; expected "lattice", "random", "file" or "program"; did you mean "lattice"?
    6 | kind = "latice"
      |        ^~~~~~~~
test.toml:9:8: error: "mass" in [[type]]: "40 nm" is a length; expected a mass: u, g/mol, Da or kg
    9 | mass = "40 nm"
      |        ^~~~~~~
test.toml:14:10: error: no [[type]] has the name "ar2"; did you mean "Ar"?
   14 | second = "ar2"
      |          ^~~~~
test.toml:17:1: error: unknown key "cutof" in [interaction]; did you mean "cutoff"?
   17 | cutof = 1
      | ^~~~~
6 errors
)x");
}

TEST_CASE("keys that do nothing are warned of, and the input still holds") {
  auto result = read(std::string(smallest) + R"([thermostat]
kind = "none"
temperature = 3
[minimize]
force_tolerance = 1
)");
  CHECK(result.ok());
  REQUIRE(result.diagnostics.size() == 2);
  CHECK(result.diagnostics[0].severity == Severity::warning);
  CHECK(result.diagnostics[0].message ==
        "\"temperature\" in [thermostat] has no effect with kind = \"none\"; only with kind = "
        "\"stochastic_velocity_rescaling\", \"nose_hoover_chain\", \"langevin\", \"andersen\" or "
        "\"velocity_scaling\"");
  CHECK(result.diagnostics[1].line == 16);
}

TEST_CASE("start files are looked up from the folder of the input file") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("sterna_input_test_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "argon.xyz") << "0\n\n";
  const std::string start = "kind = \"file\"\nfile = \"argon.xyz\"";
  const std::string text = with("kind = \"lattice\"\ncells = [4, 5, 6]\ndensity = 0.8", start);
  const auto input_file = folder / "a.toml";
  std::ofstream(input_file) << text;
  const auto good = read_input(input_file.string());
  INFO(render(good.diagnostics));
  CHECK(good.ok());
  CHECK(good.input.run.name == "a");
  CHECK(start_file_path(good.input) == (folder / "argon.xyz").string());

  std::filesystem::rename(folder / "argon.xyz", folder / "argon2.xyz");
  const auto bad = read_input(input_file.string());
  REQUIRE(bad.diagnostics.size() == 1);
  CHECK(bad.diagnostics[0].message.ends_with(
      "argon.xyz\" does not exist; did you mean \"argon2.xyz\"?"));
  CHECK(read_input_text(text, input_file.string(), false).ok());

  std::filesystem::create_directory(folder / "argon.xyz");
  CHECK(render(read_input(input_file.string()).diagnostics).find("is a folder") !=
        std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("files that cannot be an input file") {
  CHECK(render(read_input("no/such.toml").diagnostics) ==
        "no/such.toml: error: the input file does not exist\n1 error\n");
  CHECK(render(read_input("/").diagnostics) == "/: error: the input file is a folder\n1 error\n");
  CHECK(
      render(read_input("/dev/zero").diagnostics) ==
      "/dev/zero: error: the input file is not a regular file, but a device or a pipe\n1 error\n");
  CHECK(errors("").find("there is no section [run]") != std::string::npos);
  CHECK(errors(std::string(2 << 20, '#')).find("larger than 1 MiB") != std::string::npos);
  CHECK(errors(std::string("a\0b", 3)).find("not valid TOML") != std::string::npos);
  CHECK(errors("\xff\xfe[\0r").find("not valid TOML") != std::string::npos);
  CHECK(errors(std::string(100000, '[')).find("not valid TOML") != std::string::npos);
  std::string deep = "x = ";
  for (int i = 0; i < 100000; ++i) deep += "[";
  CHECK_FALSE(read(deep).ok());
}

TEST_CASE("many types are refused before they fill the memory") {
  std::string text(smallest);
  for (int i = 0; i < 300; ++i) text += "[[type]]\nname = \"B" + std::to_string(i) + "\"\n";
  CHECK(errors(text).find("there are 301 sections [[type]]; expected at most 256") !=
        std::string::npos);
}

TEST_CASE("a file of one long line, and one full of mistakes, take neither long nor much memory") {
  std::string line = "type = [";
  for (int i = 0; i < 200; ++i) line += "{name = \"T" + std::to_string(i) + "\"},";
  line += std::string(900000, ' ') + "]\n";
  const Input input = valid(line + std::string(smallest).erase(smallest.find("[[type]]"), 20));
  CHECK(input.types.size() == 200);
  std::size_t kept = 0;
  for (const auto& [name, place] : input.places) kept += place.source_line.size();
  CHECK(kept < 1000000);
  CHECK(input.places.at("type[150].name").source_column > 1);
  // Neighbors share it.
  CHECK(input.places.at("type[150].name").source_line.view().data() ==
        input.places.at("type[150]").source_line.view().data());

  std::string wrong = "run = {";
  for (int i = 0; i < 60000; ++i) wrong += "k" + std::to_string(i) + " = 1, ";
  wrong += "steps = 1}\n";
  const auto result = read(wrong);
  CHECK(result.diagnostics.size() == 101);
  CHECK(result.diagnostics.back().message == "there are more errors, which are not shown");
  const std::string shown = render(result.diagnostics[99]);
  CHECK(shown.size() < 600);
  const auto caret = shown.find('^');
  const auto column = caret - shown.rfind('\n', caret);
  CHECK(shown.substr(shown.find('|') - 6 + column - 1, 1) == "k");

  std::string pairs(smallest);
  for (int i = 0; i < 20000; ++i) pairs += "[[pair]]\nfirst = \"Q\"\nsecond = \"R\"\nsigma = 1\n";
  CHECK_FALSE(read(pairs).ok());
}

TEST_CASE("the examples are valid") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(STERNA_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    for (const StageInput& stage : read_stages_of_file(entry.path().string())) {
      INFO(render(stage.read.diagnostics));
      CHECK(stage.read.ok());
      CHECK(stage.read.diagnostics.empty());
    }
  }
}

TEST_CASE("a stage has the keys of the input, but for its own") {
  const std::string text = std::string(smallest) + R"(
[[thermostat]]
kind = "langevin"
temperature = 2.0
time_constant = 1.0
stop_step = 10
[[thermostat]]
kind = "andersen"
temperature = 3.0
time_constant = 1.0
start_step = 11
[barostat]
kind = "stochastic_cell_rescaling"
pressure = 1.0
time_constant = 1.0
bulk_modulus = 10.0
[[stage]]
name = "first"
[stage.run]
integrator = "minimize"
[[stage]]
name = "second"
thermostat = []
[stage.barostat]
pressure = 2.0
[[stage]]
name = "third"
[stage.start]
temperature = 0.5
[[stage.thermostat]]
kind = "langevin"
temperature = 4.0
time_constant = 1.0
)";
  const std::vector<StageInput> stages = read_stages(text, "folder/input.toml", false);
  REQUIRE(stages.size() == 3);
  for (const StageInput& stage : stages) {
    INFO(render(stage.read.diagnostics));
    REQUIRE(stage.read.ok());
    CHECK(stage.read.input.run.name == "input." + stage.name);
  }
  const Input &first = stages[0].read.input, &second = stages[1].read.input,
              &third = stages[2].read.input;
  CHECK(first.minimizes());
  CHECK_FALSE(first.barostat.is_used());  // which a minimization has no use for
  CHECK(first.start.kind != StartKind::file);
  CHECK(second.thermostats.empty());
  CHECK(second.barostat.pressure == 2.0);
  CHECK(second.barostat.time_constant == 1.0);
  CHECK(second.start.kind == StartKind::file);
  CHECK(second.start.file.ends_with("input.first.checkpoint"));
  CHECK(third.barostat.pressure == 1.0);
  REQUIRE(third.thermostats.size() == 1);
  CHECK(third.thermostats[0].temperature == 4.0);
  CHECK(third.start.temperature == 0.5);
  CHECK(second.run.seed != first.run.seed);
  CHECK(third.run.seed != second.run.seed);
  // Who expects one input is told that there are three.
  CHECK_FALSE(read_input_text(text, "input.toml", false).ok());
}
