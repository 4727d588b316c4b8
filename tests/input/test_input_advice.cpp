#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/integrate/timestep_advice.hpp"

using namespace sterna::md;

namespace {

constexpr std::string_view sound = R"([run]
steps = 1000
timestep = 0.005
[start]
kind = "lattice"
cells = [10, 10, 10]
density = 0.8442
temperature = 1.44
[[type]]
name = "A"
[interaction]
cutoff = 2.5
[neighbor]
skin = 0.3
[output]
thermo_interval = 10
)";

Input read(std::string_view text) {
  auto result = read_input_text(text, "test.toml");
  INFO(render(result.diagnostics));
  REQUIRE(result.ok());
  return result.input;
}

std::string with(std::string_view piece, std::string_view replacement) {
  std::string text(sound);
  const auto at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), replacement);
}

std::string advice(std::string_view text, int ranks = 1) {
  const Input input = read(text);
  SystemFacts facts = facts_of(input);
  facts.ranks = ranks;
  return render(physics_advice(input, facts));
}

bool contains(const std::string& text, std::string_view piece) {
  INFO(text);
  const bool there = text.find(piece) != std::string::npos;
  CHECK(there);
  return there;
}

}  // namespace

TEST_CASE("a sound input gets no advice") {
  CHECK(advice(sound) == "");
  CHECK(advice(sound, 8) == "");
  CHECK(physics_advice(read(sound), {}).empty());
}

TEST_CASE("facts of lattice and random starts") {
  const SystemFacts lattice = facts_of(read(sound));
  CHECK(*lattice.particles == 4000);
  CHECK(lattice.box->volume() == doctest::Approx(4000 / 0.8442));
  const SystemFacts random = facts_of(read(
      with("kind = \"lattice\"\ncells = [10, 10, 10]", "kind = \"random\"\nparticles = 1000")));
  CHECK(*random.particles == 1000);
  CHECK(random.box->length.x == doctest::Approx(std::cbrt(1000 / 0.8442)));
}

TEST_CASE("the fastest motion is the stiffest pair of the lightest particles") {
  // The curvature of the Lennard-Jones well by finite differences.
  const auto u = [](double r) { return 4.0 * (std::pow(r, -12) - std::pow(r, -6)); };
  const double r = std::pow(2.0, 1.0 / 6.0), h = 1e-4;
  const double stiffness = (u(r + h) - 2.0 * u(r) + u(r - h)) / (h * h);
  const double period = 2.0 * std::acos(-1.0) * std::sqrt(0.5 / stiffness);
  CHECK(fastest_motion(read(sound)).period == doctest::Approx(period).epsilon(1e-6));
  const Input two = read(with("name = \"A\"", R"(name = "A"
[[type]]
name = "light"
mass = 0.01
[[pair]]
first = "A"
second = "light"
epsilon = 4.0)"));
  const FastestMotion fastest = fastest_motion(two);
  CHECK(fastest.first == "A");
  CHECK(fastest.second == "light");
}

TEST_CASE("time step") {
  CHECK(
      advice(with("0.005", "0.02")) ==
      R"(test.toml:3:12: advice: a time step of 0.02 is 1/29.4 of the fastest motion: two particles "A" and "A" oscillate about the minimum of their potential in 0.5877. Energy is kept well with at most 0.01469 (1/40)
    3 | timestep = 0.02
      |            ^~~~
1 piece of advice
)");
  contains(advice(with("0.005", "0.05")), "warning: a time step of 0.05 is only 1/11.8");
  contains(advice(with("0.005", "1e-4")), "would be as sound and 58.8 times faster");
  contains(advice(with("temperature = 1.44", "temperature = 60")), "collisions are missed");
}

TEST_CASE("cutoff, truncation, skin") {
  contains(advice(with("cutoff = 2.5", "cutoff = 1.5")), "still has 32 % of its depth");
  contains(advice(with("cutoff = 2.5", "cutoff = 1.0")), "repulsive side");
  CHECK(advice(with("cutoff = 2.5", "cutoff = 1.122462048")) == "");
  contains(advice(with("cutoff = 2.5", "cutoff = 9")), "is more than half the shortest edge");
  contains(advice(with("cutoff = 2.5", "cutoff = 2.5\ntail_correction = true")),
           "neither the full nor the shifted potential");
  contains(advice(with("cutoff = 2.5", "cutoff = 2.5\ntruncation = \"truncated\"")),
           "the energy drifts");
  contains(
      advice(with("cutoff = 2.5", "cutoff = 2.5\ntruncation = \"switched\"\nswitch_start = 2.45")),
      "steep");
  contains(
      advice(with("cutoff = 2.5", "cutoff = 2.5\ntruncation = \"switched\"\nswitch_start = 1.0")),
      "weakens much of the attraction");
  contains(advice(with("skin = 0.3", "skin = 2.0")), "5.8 times as long");
  contains(advice(with("skin = 0.3", "skin = 0.01")), "rebuilt almost every step");
  contains(advice(with("name = \"A\"", "name = \"A\"\nepsilon = 0")), "ideal gas");
}

TEST_CASE("temperature, density, thermostat, files") {
  contains(advice(with("temperature = 1.44", "temperature = 300")), "is it meant in kelvin?");
  contains(advice(with("temperature = 1.44\n", "")), "a perfect lattice at rest does not move");
  contains(advice(with("density = 0.8442", "density = 2.0")), "closest packing");
  contains(advice(with("density = 0.8442", "density = 1e-6")), "very thin gas");
  const std::string thermostat =
      "[thermostat]\nkind = \"stochastic_velocity_rescaling\"\ntemperature = 1.44\n";
  contains(advice(std::string(sound) + thermostat + "time_constant = 0.01"), "only 2 time steps");
  contains(advice(std::string(sound) + thermostat + "time_constant = 4"), "hardly have settled");
  contains(advice(with("thermo_interval = 10", "trajectory_interval = 2000")), "one frame");
  contains(advice(with("thermo_interval = 10", "checkpoint_interval = 1")), "most of the time");
  contains(advice(with("thermo_interval = 10", "equilibration = 1000")),
           "an equilibration of 1000 steps leaves nothing of a run of 1000");
  contains(advice(with("steps = 1000", "steps = 1e9\n") + "trajectory_interval = 10"),
           "the trajectory will take about 9.6 TB");
  contains(advice(with("kind = \"lattice\"\ncells = [10, 10, 10]",
                       "kind = \"random\"\nparticles = 1000\nminimum_distance = 1.3")),
           "error: no arrangement keeps 1000 particles 1.3 apart");
}

TEST_CASE("regions, grids and memory") {
  // 16.8 along each edge, halo 2.8: five regions per axis at most.
  CHECK(advice(sound, 16).find("narrower") == std::string::npos);
  contains(
      advice(std::string(sound) + "[domain]\ngrid = [1, 1, 8]", 8),
      "a region is 2.099 wide along z, narrower than the halo of 2.8 (cutoff + skin), which then "
      "reaches 2 regions on each side: more messages. Up to 125 ranks");
  contains(advice(std::string(sound) + "[domain]\ngrid = [3, 0, 0]", 8),
           "error: a grid of 3 x 0 x 0 cannot be made of 8 ranks (0: chosen)");
  contains(advice(sound, 64), "62.5 particles per rank are few");
  const Input input = read(sound);
  SystemFacts facts = facts_of(input);
  facts.ranks = 1;
  facts.memory_per_rank = 50e6;
  contains(render(physics_advice(input, facts)), "but 50 MB are there");
  const auto expected = forecast(input, facts);
  REQUIRE(expected.has_value());
  CHECK(expected->local_particles == 4000.0);
  CHECK(expected->halo == doctest::Approx(2.8));
  CHECK(expected->memory_per_rank > 4000 * 300.0);
  CHECK_FALSE(forecast(input, {}).has_value());
  // What an observer remembers of each particle, in memory and in the checkpoint: of 101 samples the
  // last nine, nine of each tenth, two of each hundredth, and the first one for longer times five times.
  Input watched = read(std::string(sound) + "[diffusion]\ninterval = 10");
  watched.run.steps = 1000;
  const auto with_past = forecast(watched, facts);
  REQUIRE(with_past.has_value());
  const double past = 4000.0 * (8 + (9 + 9 + 2 + 5) * 24);
  CHECK(with_past->memory_per_rank - expected->memory_per_rank == doctest::Approx(past));
  CHECK(with_past->checkpoint_bytes - expected->checkpoint_bytes == doctest::Approx(past));
}

TEST_CASE("ions and mixtures are not measured by the largest sigma") {
  // The density of molten sodium chloride, 3.4 per cubed sigma of chloride.
  const std::string salt = R"(units = "real"
[run]
steps = 100
timestep = 1
[start]
kind = "random"
particles = 512
density = 0.0301
minimum_distance = 2.0
temperature = 1300
[[type]]
name = "Na"
mass = 22.98977
epsilon = 0.3526418
sigma = 2.159538
charge = 1.0
[[type]]
name = "Cl"
mass = 35.453
epsilon = 0.0127850
sigma = 4.830453
charge = -1.0
[interaction]
cutoff = 12.0
truncation = "force_shifted"
[electrostatics]
kind = "fmm"
)";
  CHECK(advice(salt).find("closest packing") == std::string::npos);
  const std::string mixture = with("name = \"A\"", R"(name = "A"
fraction = 0.99
[[type]]
name = "B"
sigma = 2.0
fraction = 0.01)");
  CHECK(advice(mixture).find("closest packing") == std::string::npos);
}

TEST_CASE("a net charge of types, by their shares or as they were counted in a file") {
  std::string text = with("name = \"A\"", R"(name = "A"
charge = 1.0
[[type]]
name = "B"
charge = -1.0)") + "[electrostatics]\nkind = \"fmm\"\n";
  CHECK(advice(text).find("not neutral") == std::string::npos);
  Input input = read(text);
  input.start.kind = StartKind::file;
  SystemFacts facts;
  facts.particles_of_type = {100, 100};
  CHECK(render(physics_advice(input, facts)).find("not neutral") == std::string::npos);
  facts.particles_of_type = {101, 99};
  contains(render(physics_advice(input, facts)),
           "warning: the system is not neutral: it has a charge of 0.01 for each particle");
  text.replace(text.find("charge = -1.0"), 13, "charge = -0.5");
  contains(advice(text), "it has a charge of 0.25 for each particle");
}

TEST_CASE("one ion too many among a million is told, and what rounding leaves is not") {
  const auto salt = [](const std::string& charge, int cations) {
    const std::string text = fmt::format(R"(units = "nano"
[run]
steps = 1
timestep = 0.002
[start]
kind = "file"
file = "salt.extxyz"
[[type]]
name = "Na"
mass = 23
sigma = 0.2
epsilon = 0.1
charge = {}
[[type]]
name = "Cl"
mass = 35
sigma = 0.4
epsilon = 0.1
charge = -1.0
[[molecule]]
name = "sodium"
count = {}
atom = [{{ type = "Na" }}]
[[molecule]]
name = "chloride"
count = 1000000
atom = [{{ type = "Cl" }}]
[interaction]
cutoff = 1.0
[electrostatics]
kind = "fmm"
)",
                                         charge, cations);
    const auto result = read_input_text(text, "test.toml", false);
    INFO(render(result.diagnostics));
    REQUIRE(result.ok());
    return render(physics_advice(result.input, facts_of(result.input)));
  };
  CHECK(salt("1.0", 1000000).find("not neutral") == std::string::npos);
  CHECK(salt("1.00000000003", 1000000).find("not neutral") == std::string::npos);
  contains(salt("1.0", 1000001), "the system is not neutral: its charge is 1 e");
}

TEST_CASE("advice in real units names them") {
  const std::string text = R"(units = "real"
[run]
steps = 100
timestep = 100
[start]
kind = "lattice"
cells = [6, 6, 6]
density = "1.374 g/cm^3"
temperature = 94.4
[[type]]
name = "Ar"
mass = 39.948
epsilon = "119.8 K"
sigma = 3.405
[interaction]
cutoff = 10.0
)";
  contains(advice(text), "a time step of 100 fs is only 1/12.7 of the fastest motion");
}

TEST_CASE("a time step of a tenth of the fastest bond's period is sound") {
  const auto advice_at = [](std::string_view timestep, std::string_view constrained = "none") {
    std::string text = R"(units = "nano"
[run]
steps = 100000
timestep = "STEP"
[start]
kind = "file"
file = "carbonyl.extxyz"
temperature = 300
[[type]]
name = "C"
mass = 12
epsilon = 0.4
sigma = 0.34
[[type]]
name = "O"
mass = 16
epsilon = 0.8
sigma = 0.3
[[molecule]]
name = "carbonyl"
count = 10
CONSTRAINED
atom = [{ type = "C" }, { type = "O" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 476976
r0 = 0.1229
atoms = [1, 2]
[interaction]
cutoff = 1.0
)";
    text.replace(text.find("STEP"), 4, timestep);
    const bool kept = constrained != "none";
    text.replace(text.find("CONSTRAINED"), 11, kept ? "constrained_bonds = \"all\"" : "");
    const ReadResult result = read_input_text(text, "test.toml", false);
    INFO(render(result.diagnostics));
    REQUIRE(result.ok());
    return render(timestep_advice(result.input, 300.0));
  };
  // 2 pi sqrt(m / k) with the reduced mass m.
  const double period = 2.0 * std::acos(-1.0) * std::sqrt(12.0 * 16.0 / 28.0 / 476976.0);
  CHECK(period == doctest::Approx(0.02382).epsilon(1e-3));
  CHECK(advice_at("2 fs") == "");
  contains(advice_at("3 fs"), "advice: a time step of 0.003 ps is 1/7.94 of the fastest bond: ");
  contains(advice_at("3 fs"), "At most 0.002382 ps (1/10) is sound");
  contains(advice_at("5 fs"), "warning: a time step of 0.005 ps is 1/4.76 of the fastest bond: ");
  CHECK(advice_at("5 fs", "all") == "");
}

TEST_CASE("a time step of a ninth of the fastest angle's period is sound") {
  const auto advice_at = [](std::string_view timestep, std::string_view keys = "") {
    std::string text = R"(units = "nano"
[run]
steps = 100000
timestep = "STEP"
[start]
kind = "file"
file = "methylene.extxyz"
temperature = 300
[[type]]
name = "C"
mass = 14
epsilon = 0.4
sigma = 0.34
[[type]]
name = "H"
mass = 1
epsilon = 0.1
sigma = 0.25
[[type]]
name = "S"
mass = 32
epsilon = 1
sigma = 0.36
[[molecule]]
name = "thiol"
count = 10
constrained_bonds = "hydrogen"
KEYS
atom = [{ type = "C" }, { type = "H", name = "H1" }, { type = "H", name = "H2" }, { type = "S" }]
[[molecule.bond]]
potential = "harmonic"
stiffness = 280000
r0 = 0.11
atoms = [[1, 2], [1, 3]]
[[molecule.bond]]
potential = "harmonic"
stiffness = 180000
r0 = 0.18
atoms = [1, 4]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = 300
theta0 = 109.5
atoms = [2, 1, 3]
[[molecule.angle]]
potential = "harmonic"
bending_stiffness = 500
theta0 = 109.5
atoms = [2, 1, 4]
[interaction]
cutoff = 1.0
)";
    text.replace(text.find("STEP"), 4, timestep);
    text.replace(text.find("KEYS"), 4, keys);
    const ReadResult result = read_input_text(text, "test.toml", false);
    INFO(render(result.diagnostics));
    REQUIRE(result.ok());
    return std::pair{render(timestep_advice(result.input, 300.0)), fastest_angle(result.input)};
  };
  // Wilson, Decius and Cross (1955), of two bonds of one length r:
  // G = (1/m_H + 1/m_H + 2 (1 - cos) / m_C) / r^2; of both angles that with sulfur is slower.
  const double pi = std::acos(-1.0), cosine = std::cos(109.5 * pi / 180.0);
  const auto period = [&](double hydrogen, double carbon) {
    const double g = (2.0 / hydrogen + 2.0 * (1.0 - cosine) / carbon) / (0.11 * 0.11);
    return 2.0 * pi / std::sqrt(300.0 * g);
  };
  const auto [advice, angle] = advice_at("2 fs");
  CHECK(advice == "");
  CHECK(angle.period == doctest::Approx(period(1.0, 14.0)).epsilon(1e-12));
  CHECK(angle.first == "H1");
  CHECK(angle.middle == "C");
  CHECK(angle.last == "H2");
  // A ninth is sound, and more than a fifth a warning.
  contains(
      advice_at("4 fs").first,
      "advice: a time step of 0.004 ps is 1/6.74 of the fastest angle: \"H1\", \"C\" and "
      "\"H2\" bend in 0.02696 ps. At most 0.002996 ps (1/9) is sound; with \"hydrogen_mass\" = "
      "3.024 u in [[molecule]] 0.00");
  contains(advice_at("6 fs").first, "warning: a time step of 0.006 ps is 1/4.49");
  // With a mass of three, the other two come from the carbon atom.
  const auto heavier = advice_at("4 fs", "hydrogen_mass = 3");
  CHECK(heavier.second.period == doctest::Approx(period(3.0, 10.0)).epsilon(1e-12));
  CHECK(heavier.first == "");
  // Rigid: nothing bends.
  const auto rigid = advice_at("4 fs", "constraint = [{ distance = 0.18, atoms = [2, 3] }]");
  CHECK(rigid.second.middle == "C");
  CHECK(rigid.second.last == "S");
}
