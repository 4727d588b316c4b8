#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "md/system/atom_group.hpp"
#include "md/system/selection_expression.hpp"

using namespace sterna::md;

namespace {

/// Two molecules of A1 A2 B, three of C; types are the first letters.
Topology topology() {
  Topology::Molecule trio, single;
  trio.name = "trio";
  trio.atoms = {{"A1", 0, 0.0}, {"A2", 0, 0.0}, {"B", 1, 0.0}};
  single.name = "single[1]";
  single.atoms = {{"C", 2, 0.0}};
  return Topology({trio, single}, {{0, 2}, {1, 3}}, {});
}

/// The same where B is a residue of its own, and where numbers are those of another program.
Topology topology_with_residues() {
  Topology::Molecule trio, single;
  trio.atoms = {{"A1", 0, 0.0, "AA", 39}, {"A2", 0, 0.0, "AA", 39}, {"B", 1, 0.0, "BB", 40}};
  single.atoms = {{"C", 2, 0.0}};
  return Topology({trio, single}, {{0, 2}, {1, 3, {{7, 2}, {90, 1}}}}, {});
}

const std::vector<AtomGroup::Particle> particles{{"A1", "A", "trio", "trio", 12.0, 0.5},
                                                 {"A2", "A", "trio", "trio", 12.0, -0.5},
                                                 {"B", "B", "trio", "trio", 1.0, 0.0},
                                                 {"C", "C", "single[1]", "single[1]", 40.0, 1.0}};
const std::vector<AtomGroup::Particle> particles_in_residues{
    {"A1", "A", "trio", "AA", 12.0, 0.5},
    {"A2", "A", "trio", "AA", 12.0, -0.5},
    {"B", "B", "trio", "BB", 1.0, 0.0},
    {"C", "C", "single[1]", "single[1]", 40.0, 1.0}};

/// Ids of what a text selects where all atoms are at a tenth of their ids along x.
std::vector<std::int64_t> selected(const std::string& text, const Topology& molecules = topology(),
                                   const std::vector<AtomGroup::Particle>& rows = particles) {
  const AtomGroup group("group", SelectionExpression(text), molecules, rows,
                        *UnitSystem::by_name("reduced"));
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 1; id <= molecules.atom_count(); ++id) {
    const Position position{0.1 * static_cast<double>(id), 0.5, 0.5, 0};
    if (group.contains(id, position, Box{{1.0, 1.0, 1.0}})) ids.push_back(id);
  }
  return ids;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("Patterns are those of the shell") {
  CHECK(matches_pattern("H*", "HA2"));
  CHECK(matches_pattern("*", ""));
  CHECK(matches_pattern("*2*", "HA2"));
  CHECK(matches_pattern("C?", "C1"));
  CHECK(!matches_pattern("C?", "C"));
  CHECK(matches_pattern("C[1-35]", "C2"));
  CHECK(matches_pattern("C[1-35]", "C5"));
  CHECK(!matches_pattern("C[1-35]", "C4"));
  CHECK(matches_pattern("[!H]*", "CA"));
  CHECK(!matches_pattern("[!H]*", "HA"));
  CHECK(matches_pattern("[]]", "]"));
  CHECK(matches_pattern("C[", "C["));
  CHECK(!matches_pattern("c1", "C1"));
  CHECK(matches_pattern("*a*b*c", "xaxxbxxbc"));
  CHECK(!matches_pattern("*a*b*c", "xaxxbxxb"));
}

TEST_CASE("A selection selects atoms by what they are") {
  CHECK(selected("all") == Ids{1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(selected("name A*") == Ids{1, 2, 4, 5});
  CHECK(selected("type B C") == Ids{3, 6, 7, 8, 9});
  CHECK(selected("molecule trio and not type A") == Ids{3, 6});
  CHECK(selected("resid 2:4") == Ids{4, 5, 6, 7, 8});
  CHECK(selected("resid 1 4-5") == Ids{1, 2, 3, 8, 9});
  CHECK(selected("index 0 8") == Ids{1, 9});
  CHECK(selected("bynum 2 to 3 or id 9") == Ids{2, 3, 9});
  CHECK(selected("prop mass>1 and prop mass <20") == Ids{1, 2, 4, 5});
  CHECK(selected("prop abs charge == 0.5") == Ids{1, 2, 4, 5});
  CHECK(selected("prop x < 0.25") == Ids{1, 2});
  CHECK(selected("(name C or name B) and prop x >= 0.55") == Ids{6, 7, 8, 9});
  CHECK(selected("not(name C)and(resid 1)") == Ids{1, 2, 3});
  CHECK(selected("name \\and B") == Ids{3, 6});
}

TEST_CASE("Equality knows no unit") {
  const auto rows = [](double unit) {
    std::vector<AtomGroup::Particle> all = particles;
    for (AtomGroup::Particle& particle : all) {
      particle.mass *= unit;
      particle.charge *= unit;
    }
    return all;
  };
  // As in kg and C.
  CHECK(selected("prop mass == 1e-26", topology(), rows(1e-26)) == Ids{3, 6});
  CHECK(selected("prop mass == 1.200001e-25", topology(), rows(1e-26)) == Ids{1, 2, 4, 5});
  CHECK(selected("prop charge == 0", topology(), rows(1e-19)) == Ids{3, 6});
}

TEST_CASE("And and or take turns from left to right") {
  CHECK(selected("name C or name B and resid 1") == Ids{3});
  CHECK(selected("name C or (name B and resid 1)") == Ids{3, 7, 8, 9});
  CHECK(selected("not name C and not name B") == Ids{1, 2, 4, 5});
}

TEST_CASE("Any image of a position will do") {
  const Topology molecules = topology();
  const AtomGroup group("left", SelectionExpression("prop x < 0.5"), molecules, particles,
                        *UnitSystem::by_name("reduced"));
  const Box box{{1.0, 1.0, 1.0}};
  CHECK(group.contains(1, Position{1.25, 0.0, 0.0, 0}, box));
  CHECK(!group.contains(1, Position{-0.25, 0.0, 0.0, 0}, box));
  CHECK(group.depends_on_position());
}

TEST_CASE("Positions are compared in the units of the input") {
  const Topology none;
  const AtomGroup group("left", SelectionExpression("prop z <= 15"), none, particles,
                        *UnitSystem::by_name("real"));
  const Box box{{3.0, 3.0, 3.0}};  // nm
  CHECK(group.contains(1, Position{0.0, 0.0, 1.4, 0}, box));
  CHECK(!group.contains(1, Position{0.0, 0.0, 1.6, 0}, box));
}

TEST_CASE("What a group may contain is known without positions and numbers") {
  const Topology molecules = topology();
  const auto group = [&](const char* text) {
    return AtomGroup("group", SelectionExpression(text), molecules, particles,
                     *UnitSystem::by_name("reduced"));
  };
  CHECK(group("name A1 and prop x < 0.1").may_contain_molecule(0));
  CHECK(!group("name A1 and prop x < 0.1").may_contain_molecule(1));
  CHECK(group("not resid 1").may_contain_molecule(0));
  CHECK(!group("name D").may_contain_molecule(1));
}

TEST_CASE("A molecule's name may have any characters") {
  const Topology molecules = topology();
  const AtomGroup group("single", SelectionExpression::of_molecule("single[1]"), molecules,
                        particles, *UnitSystem::by_name("reduced"));
  CHECK(!group.contains(6, 1));
  CHECK(group.contains(7, 2));
}

TEST_CASE("Errors name the column") {
  const auto column = [](const char* text) {
    try {
      const SelectionExpression expression(text);
    } catch (const SelectionExpression::Error& error) {
      return error.column();
    }
    return std::size_t{0};
  };
  CHECK(column("name A and") == 11);
  CHECK(column("name A nd type B") == 11);
  CHECK(column("(name A") == 8);
  CHECK(column("name A)") == 7);
  CHECK(column("  nam A") == 3);
  CHECK(column("resid 1 5:2") == 9);
  CHECK(column("resid 52B:52A") == 7);
  CHECK(column("resid 52AB") == 7);
  CHECK(column("resnum 52A") == 8);
  CHECK(column("id 52A") == 4);
  CHECK(column("resid A") == 7);
  CHECK(column("prop x >") == 6);
  CHECK(column("name A and around 3 name B") == 12);
  CHECK(column("name C or none") == 11);
  CHECK(column((std::string(100, '(') + "all" + std::string(100, ')')).c_str()) == 61);
}

TEST_CASE("Residues are what their molecules say, with their numbers") {
  const auto in_residues = [](const std::string& text) {
    return selected(text, topology_with_residues(), particles_in_residues);
  };
  CHECK(in_residues("resname AA") == Ids{1, 2, 4, 5});
  CHECK(in_residues("resname single*") == Ids{7, 8, 9});
  CHECK(in_residues("molecule trio") == Ids{1, 2, 3, 4, 5, 6});
  CHECK(in_residues("resid 40") == Ids{3, 6});
  CHECK(in_residues("resid 8:39 90") == Ids{1, 2, 4, 5, 8, 9});
  CHECK(in_residues("resid 1:6") == Ids{});
  CHECK(selected("resid 2:3") == Ids{4, 5, 6, 7});
}

TEST_CASE("Insertion codes stand behind numbers, as in MDAnalysis") {
  Topology::Molecule chain, single;
  chain.atoms = {{"C", 0, 0.0, "AA", 51, 'B'}, {"C", 0, 0.0, "AA", 52},
                 {"C", 0, 0.0, "AA", 52, 'A'}, {"C", 0, 0.0, "AA", 52, 'B'},
                 {"C", 0, 0.0, "AA", 53},      {"C", 0, 0.0, "AA", 54, 'A'}};
  single.atoms = {{"C", 0, 0.0}};
  // Ids 1 to 6, and 7 to 9 for 52, 52A and 60.
  const Topology molecules({chain, single}, {{0, 1}, {1, 3, {{52, 1}, {52, 1, 'A'}, {60, 1}}}}, {});
  const std::vector<AtomGroup::Particle> rows(7, {"C", "C", "chain", "AA", 12.0, 0.0});
  const auto found = [&](const std::string& text) { return selected(text, molecules, rows); };
  CHECK(found("resid 52") == Ids{2, 7});
  CHECK(found("resid 52A") == Ids{3, 8});
  CHECK(found("resid 52A:52B") == Ids{3, 4, 8});
  CHECK(found("resid 52-53 60") == Ids{2, 3, 4, 5, 7, 8, 9});
  CHECK(found("resid 51 to 52") == Ids{1, 2, 7});
  CHECK(found("resid 52B:54B") == Ids{4, 5, 6});
  CHECK(found("resnum 52 54") == Ids{2, 3, 4, 6, 7, 8});
  CHECK(found("resid 52C") == Ids{});
}
