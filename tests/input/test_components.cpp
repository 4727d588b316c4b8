#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "md/forces/molecular/input/molecule_advice.hpp"
#include "md/forces/molecular/input/molecule_model_from_input.hpp"
#include "md/input/component_frames.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/published_components.hpp"
#include "md/input/read_input.hpp"

using namespace sterna::md;

namespace {

constexpr std::string_view head = R"(units = "nano"
[run]
steps = 100
timestep = "1 fs"
[start]
kind = "lattice"
particles = 500
density = "0.997 g/cm^3"
temperature = "298 K"
[interaction]
cutoff = "1 nm"
electrostatics = "reaction_field"
)";

ReadResult read(std::string_view components, std::string_view before = head) {
  return read_input_text(std::string(before) + std::string(components), "test.toml");
}

Input valid(std::string_view components, std::string_view before = head) {
  auto result = read(components, before);
  INFO(render(result.diagnostics));
  REQUIRE(result.ok());
  CHECK(result.diagnostics.empty());
  return result.input;
}

std::string advice(const Input& input) {
  return render(physics_advice(input, facts_of(input)));
}

bool contains(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(1e-12);
}

void check_near(const Vec3& a, const Vec3& b) {
  for (int axis = 0; axis < 3; ++axis) {
    INFO("axis ", axis);
    CHECK(std::abs(a[axis] - b[axis]) < 1e-12);
  }
}

/// Not in its principal axes: water in the xy plane with the oxygen atom at (1, 1, 0).
constexpr std::string_view turned_water = R"([[component]]
name = "water"
fraction = 0.75
[[component.site]]
kind = "lennard_jones"
position = [1.0, 1.0, 0.0]
mass = 16.0
epsilon = 0.65
sigma = 0.3166
[[component.site]]
kind = "charge"
position = [1.0, 1.0, 0.0]
charge = -0.8
[[component.site]]
kind = "charge"
position = [1.1, 1.0, 0.0]
mass = 1.0
charge = 0.4
[[component.site]]
kind = "charge"
position = [1.0, 1.1, 0.0]
mass = 1.0
charge = 0.4
[[component]]
name = "rod"
fraction = 0.25
inertia = [0.5, 0.5, 0.0]
[[component.site]]
kind = "lennard_jones"
mass = "28 g/mol"
epsilon = "35 K"
sigma = "3.3 angstrom"
[[component.site]]
kind = "dipole"
position = [0.0, 0.0, 0.05]
axis = [0.0, 3.0, 4.0]
dipole_moment = "1.5 D"
[[component.site]]
kind = "quadrupole"
axis = [0, 0, -2]
quadrupole_moment = "4 D*angstrom"
[[pair]]
first = "rod"
second = "water"
eta = 1.02
xi = 0.97
)";

}  // namespace

TEST_CASE("components and their sites arrive") {
  const Input input = valid(turned_water);
  REQUIRE(input.components.size() == 2);
  CHECK(input.components[0].name == "water");
  CHECK(input.components[0].fraction == 0.75);
  REQUIRE(input.components[0].sites.size() == 4);
  CHECK(input.components[0].sites[3].kind == SiteKind::charge);
  CHECK(input.components[0].sites[3].position == Vec3{1.0, 1.1, 0.0});
  CHECK(input.components[0].sites[3].charge == 0.4);
  REQUIRE(input.components[1].sites.size() == 3);
  CHECK(input.components[1].inertia == Vec3{0.5, 0.5, 0.0});
  CHECK(input.components[1].sites[0].mass == near(28.0));
  CHECK(input.components[1].sites[0].epsilon == near(35.0 * input.units.boltzmann()));
  CHECK(input.components[1].sites[1].moment == doctest::Approx(1.5 * 0.0208194).epsilon(1e-5));
  CHECK(input.components[1].sites[2].moment == doctest::Approx(0.4 * 0.0208194).epsilon(1e-5));
  CHECK(input.pairs[0].eta == 1.02);
  CHECK(input.places.at("component[1].site[2].axis").line == 52);
  // The mean mass is 0.75 * 18 + 0.25 * 28.
  CHECK(input.start.density == doctest::Approx(0.997 * 602.214076 / 20.5).epsilon(1e-9));
}

TEST_CASE("the model has molecules in their body frames") {
  const MoleculeModel model = molecule_model_from_input(valid(turned_water));
  const Component& water = model.components[0];
  CHECK(water.mass == 18.0);
  CHECK(water.rotational_degrees_of_freedom() == 3);
  // The axis of symmetry lies along (1, 1, 0). With d = 0.1 / sqrt(2) the hydrogen atoms are at a
  // height of d over the oxygen atom and d to either side of the axis; the center is at d / 9.
  const double d = 0.1 / std::sqrt(2.0);
  const double across = 2.0 * d * d;                                     // about the axis
  const double along = 16.0 * d * d / 81.0 + 2.0 * d * d * 64.0 / 81.0;  // about the line H-H
  CHECK(water.inertia.z == near(across + along));
  CHECK(std::min(water.inertia.x, water.inertia.y) == near(std::min(across, along)));
  CHECK(std::max(water.inertia.x, water.inertia.y) == near(std::max(across, along)));
  // Charges times sqrt(138.935) and their dipole: 2 * 0.4 * d along an axis.
  Vec3 dipole;
  double charge = 0.0;
  for (const auto& site : water.charges) {
    charge += site.charge;
    dipole += site.charge * site.position;
  }
  CHECK(std::abs(charge) < 1e-12);
  CHECK(std::sqrt(dot(dipole, dipole)) == near(0.8 * d * std::sqrt(138.93545764438198)));
  CHECK(std::max(std::abs(dipole.x), std::abs(dipole.y)) == near(std::sqrt(dot(dipole, dipole))));
  CHECK(std::abs(dipole.z) < 1e-12);
  CHECK(std::sqrt(dot(water.lennard_jones[0].position, water.lennard_jones[0].position)) ==
        near(d / 9.0));

  const Component& rod = model.components[1];
  CHECK(rod.inertia == Vec3{0.5, 0.5, 0.0});
  CHECK(rod.rotational_degrees_of_freedom() == 2);
  CHECK(rod.lennard_jones[0].position == Vec3{});
  const double moment = std::sqrt(dot(rod.dipoles[0].moment, rod.dipoles[0].moment));
  check_near(rod.dipoles[0].moment * (1.0 / moment), {0.0, 0.6, 0.8});
  // Two dipoles of 1 D, head to tail 1 nm apart, have -2 mu^2 / r^3 = -0.12044 kJ/mol.
  CHECK(-2.0 * moment * moment / 2.25 == doctest::Approx(-0.1204428).epsilon(1e-6));
  CHECK(rod.quadrupoles[0].axis == Vec3{0.0, 0.0, -1.0});

  CHECK(model.mix(0, 1).eta == 1.02);
  CHECK(model.mix(1, 0).xi == 0.97);
  CHECK(model.mix(0, 0).eta == 1.0);
  CHECK(model.shifted == std::vector<char>{1, 1, 1, 1});
  CHECK(model.cutoff_kind == MoleculeModel::Cutoff::center_of_mass);
  CHECK(model.lennard_jones_cutoff == 1.0);
  CHECK(model.electrostatics == MoleculeModel::Electrostatics::reaction_field);
  CHECK(model.reaction_field_epsilon == 1.0e10);
}

TEST_CASE("the keys of the interaction of molecules") {
  std::string text(head);
  text.replace(text.find("electrostatics"), std::string::npos,
               "truncation = \"truncated\"\nmolecular_cutoff = \"site\"\n"
               "lennard_jones_cutoff = 0.9\nelectrostatics = \"reaction_field\"\n"
               "reaction_field_epsilon = 78.4\n");
  const MoleculeModel model =
      molecule_model_from_input(valid("[[component]]\nname = \"water\"\nmodel = \"spce\"\n", text));
  CHECK(model.shifted == std::vector<char>{0});
  CHECK(model.cutoff_kind == MoleculeModel::Cutoff::site);
  CHECK(model.lennard_jones_cutoff == 0.9);
  CHECK(model.reaction_field_epsilon == 78.4);
}

TEST_CASE("molecules in their principal axes keep them") {
  const Input input = valid("[[component]]\nname = \"A\"\nmodel = \"ethylene_oxide\"\n");
  const BodyFrame frame = body_frame_of(input.components[0]);
  CHECK(frame.orientation == Quaternion{});
  CHECK(frame.center == Vec3{});  // to the digits of the publication
  const Component component = component_from_input(input.components[0], input.units);
  CHECK(component.inertia.z == near(component.inertia.x + component.inertia.y));
  CHECK(component.inertia.y == near(2.0 * 14.0 * 0.078 * 0.078));
  CHECK(component.dipoles[0].moment.x == 0.0);
  CHECK(component.dipoles[0].moment.y > 0.0);
  // ls1-MarDyn's example: units of 1000 u and bohr^2.
  constexpr double bohr = 0.0529177210903;
  const Vec3 of_ls1 = 1000.0 * bohr * bohr * Vec3{0.0541181671, 0.060833852, 0.114952019};
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(component.inertia[axis] == doctest::Approx(of_ls1[axis]).epsilon(1e-4));
  }
  bool is_advised = false;
  advise_on_components(input, {},
                       [&](Severity, std::string_view, const std::string&) { is_advised = true; });
  CHECK_FALSE(is_advised);
}

TEST_CASE("published models come with their citation, each once") {
  const Input input = valid(R"([[component]]
name = "A"
model = "spce"
[[component]]
name = "B"
model = "argon"
[[component]]
name = "C"
model = "spce"
)");
  const auto models = used_models(input);
  REQUIRE(models.size() == 2);
  CHECK(models[0]->name == "spce");
  CHECK(models[1]->name == "argon");
  CHECK(input.components[2].sites.size() == 4);
}

TEST_CASE("advice on molecules") {
  const std::string water = "[[component]]\nname = \"water\"\nmodel = \"tip4p_2005\"\n";
  CHECK(advice(valid(water)).empty());
  const auto changed = [&](std::string_view piece, std::string_view replacement) {
    std::string text(head);
    const auto at = text.find(piece);
    REQUIRE(at != std::string::npos);
    return advice(valid(water, text.replace(at, piece.size(), replacement)));
  };
  SUBCASE("time step") {
    CHECK(contains(changed("1 fs", "5 fs"), "libration of \"water\""));
    CHECK(contains(changed("\"1 fs\"", "0.004"), "libration of \"water\""));
    CHECK(contains(changed("298 K", "20000 K"), "molecules \"water\" turn by"));
  }
  SUBCASE("cutoff") {
    CHECK(contains(changed("1 nm", "0.5 nm"), "may touch and not interact"));
    CHECK(contains(changed("electrostatics = \"reaction_field\"", "molecular_cutoff = \"site\""),
                   "charges are cut off one by one"));
  }
  SUBCASE("charges that are cut off") {
    CHECK(contains(changed("electrostatics = \"reaction_field\"\n", ""),
                   "warning: charges of molecules are cut off, although they act at any distance"));
  }
  SUBCASE("molecules that overlap at the start") {
    CHECK(contains(changed("0.997 g/cm^3", "2 g/cm^3"), "minimize first"));
    CHECK_FALSE(contains(changed("0.997 g/cm^3", "0.1 g/cm^3"), "minimize first"));
  }
  SUBCASE("reaction field of nothing") {
    CHECK(contains(advice(valid("[[component]]\nname = \"A\"\nmodel = \"argon\"\n")),
                   "the reaction field has no effect"));
  }
  SUBCASE("charge") {
    const std::string ion = R"([[component]]
name = "ion"
[[component.site]]
kind = "lennard_jones"
mass = 23.0
epsilon = 0.4
sigma = 0.3
[[component.site]]
kind = "charge"
charge = 1.0
)";
    CHECK(contains(advice(valid(ion)), "it has a charge of 1 e for each molecule"));
  }
  SUBCASE("moments of inertia") {
    const std::string site = R"([[component.site]]
kind = "lennard_jones"
mass = 23.0
epsilon = 0.4
sigma = 0.3
[[component.site]]
kind = "dipole"
dipole_moment = "2 D"
)";
    const std::string name = "[[component]]\nname = \"A\"\n";
    CHECK(
        contains(advice(valid(name + site)), "cannot turn, since all their mass is in one point"));
    CHECK(contains(advice(valid(name + "inertia = [0.1, 0.1, 0.3]\n" + site)),
                   "no body has moments of inertia"));
    CHECK_FALSE(contains(advice(valid(name + "inertia = [0.1, 0.1, 0.0]\n" + site)), "inertia"));
  }
  SUBCASE("start file and a frame of its own") {
    std::string text(head);
    const auto begin = text.find("kind = \"lattice\"");
    text.replace(begin, text.find("[interaction]") - begin,
                 "kind = \"file\"\nfile = \"/dev/null/none\"\n");
    const auto result = read_input_text(text + std::string(turned_water), "test.toml", false);
    CHECK(result.ok());
    CHECK(contains(advice(result.input), "not given in its principal axes"));
  }
}
