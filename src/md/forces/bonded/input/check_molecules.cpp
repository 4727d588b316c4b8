#include "md/forces/bonded/input/check_molecules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/forces/bonded/input/check_molecule.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/residue_labels.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

class MoleculesChecker {
 public:
  MoleculesChecker(Input& input, const IsGood& is_good, const Report& report)
      : input_(input), good_(is_good), report_(report) {}

  void check() {
    if (input_.molecules.empty()) return;
    std::set<std::string, std::less<>> seen;
    for (std::size_t n = 0; n < input_.molecules.size(); ++n) {
      const Input::Molecule& molecule = input_.molecules[n];
      const std::string place = fmt::format("molecule[{}]", n);
      if (good_(place + ".name") && !seen.insert(molecule.name).second) {
        error(place + ".name", fmt::format("there is already a [[molecule]] with the name {}",
                                           quote(molecule.name)));
      }
      labels(place, molecule);
      if (input_.places.contains(place + ".file")) {
        beside_file(place);
      } else {
        check_molecule(input_, n, good_, report_);
      }
    }
    kinds();
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }

  void labels(const std::string& place, const Input::Molecule& molecule) {
    if (!good_(place + ".count")) return;
    const auto check_text = [&](const std::string& key, const auto& read) {
      if (!good_(place + "." + key)) return;
      try {
        read(molecule);
      } catch (const std::invalid_argument& problem) {
        error(place + "." + key, problem.what());
      }
    };
    check_text("residue_numbers", residue_numbers_of);
    check_text("chains", chains_of);
  }

  /// Reports keys that belong into the molecule's file but are given beside its name.
  void beside_file(const std::string& place) {
    const auto inside = input_.places.upper_bound(place + ".");
    for (auto other = inside; other != input_.places.end(); ++other) {
      if (!other->first.starts_with(place + ".")) break;
      const std::string key = other->first.substr(place.size() + 1);
      constexpr std::string_view of_the_input[] = {"name", "count", "residue_numbers", "chains",
                                                   "file"};
      if (std::ranges::find(of_the_input, key) != std::end(of_the_input)) continue;
      error(other->first,
            "a [[molecule]] with a \"file\" has all but \"name\", \"count\", \"residue_numbers\" "
            "and \"chains\" there");
      return;
    }
  }

  void kinds() {
    for (std::size_t n = 0; n < input_.molecules.size(); ++n) rigid(n);
    const bool has_bonds = std::ranges::any_of(
        input_.molecules, [](const Input::Molecule& one) { return one.atoms.size() > 1; });
    if (good_("interaction.potential") && has_bonds &&
        input_.interaction.potential != InteractionPotential::lennard_jones) {
      error("interaction.potential",
            fmt::format("\"potential\" in [interaction] is {}, whose atoms have no fixed bonds; a "
                        "[[molecule]] needs \"lennard_jones\"",
                        quote(choice_name(input_.interaction.potential))));
    }
    const auto kind = input_.start.kind;
    if (good_("start.kind") && (kind == StartKind::lattice || kind == StartKind::random)) {
      error("start.kind", fmt::format("a {} start knows no molecules: the places of their atoms "
                                      "come from a file; expected \"file\"",
                                      choice_name(*kind)));
    }
    for (std::size_t n = 0; n < input_.molecules.size(); ++n) {
      const std::string place = fmt::format("molecule[{}].lennard_jones_14", n);
      const bool others = std::ranges::any_of(input_.pairs, [](const Input::Pair& pair) {
        return !pair.is_lennard_jones() || pair.adds;
      });
      if (!others || input_.molecules[n].lennard_jones_14 == 0.0) continue;
      error(good_(place) ? place : fmt::format("molecule[{}]", n),
            "\"lennard_jones_14\" in [[molecule]] is a share of the Lennard-Jones potential, and a "
            "[[pair]] has another one; expected 0 and [[molecule.special_pair]]s");
    }
  }

  /// A rigid molecule is a [[molecule]] of one atom.
  void rigid(std::size_t n) {
    const auto& atoms = input_.molecules[n].atoms;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      if (!is_component(input_, atoms[k].type)) continue;
      const std::string place = fmt::format("molecule[{}].atom[{}]", n, k);
      const std::string at = input_.places.contains(place) ? place : fmt::format("molecule[{}]", n);
      if (atoms.size() > 1) {
        error(at,
              fmt::format("{} is a [[component]], a rigid molecule, to which nothing is bonded; "
                          "expected it as the only atom of a [[molecule]] of its own",
                          quote(atoms[k].type)));
      } else if (atoms[k].charge) {
        error(at, fmt::format("{} is a [[component]], whose sites have the charges; expected no "
                              "\"charge\" in [[molecule.atom]]",
                              quote(atoms[k].type)));
      }
    }
  }

  Input& input_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_molecules(Input& input, bool, const IsGood& is_good, const Report& report) {
  MoleculesChecker(input, is_good, report).check();
}

std::int64_t atoms_of_molecules(const Input& input) {
  std::int64_t atoms = 0;
  for (const Input::Molecule& molecule : input.molecules) {
    atoms += molecule.count * static_cast<std::int64_t>(molecule.atoms.size());
  }
  return atoms;
}

std::string wrong_particle_count(const Input& input, std::int64_t particles) {
  const std::int64_t atoms = atoms_of_molecules(input);
  if (input.molecules.empty() || atoms == particles) return {};
  std::vector<std::string> parts;
  for (const Input::Molecule& molecule : input.molecules) {
    parts.push_back(
        fmt::format("{} of {} ({})", molecule.count, quote(molecule.name), molecule.atoms.size()));
  }
  constexpr std::size_t most = 8;
  if (parts.size() > most) {
    parts.resize(most);
    parts.push_back("...");
  }
  return fmt::format("the start has {} particles, and the molecules have {} atoms: {}", particles,
                     atoms, comm::joined(parts, ", "));
}

}  // namespace sterna::md
