#include "md/input/hydrogen_mass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/topology_from_input.hpp"

namespace sterna::md {
namespace {

/// The masses of the atoms of one molecule after masses were moved.
class Molecule {
 public:
  Molecule(const Input& input, std::size_t number)
      : number_(number), molecule_(input.molecules[number]) {
    for (const Input::Type& type : input.types) of_type_.emplace(type.name, type.mass);
    for (const Input::MoleculeAtom& atom : molecule_.atoms) {
      const auto type = of_type_.find(atom.type);
      masses_.push_back(type == of_type_.end() ? 0.0 : type->second);
    }
  }

  std::vector<double> masses() const {
    if (molecule_.hydrogen_mass == 0.0) return masses_;
    const auto bonds = partners(molecule_.bonds);
    const auto constraints = partners(molecule_.constraints);
    std::vector<double> moved = masses_;
    std::vector<char> has_hydrogen(masses_.size(), 0);
    for (std::size_t atom = 0; atom < masses_.size(); ++atom) {
      if (!is_hydrogen(atom)) continue;
      const std::size_t heavy =
          partner(atom, bonds[atom].empty() ? constraints[atom] : bonds[atom]);
      moved[atom] = molecule_.hydrogen_mass;
      moved[heavy] -= molecule_.hydrogen_mass - masses_[atom];
      has_hydrogen[heavy] = 1;
    }
    for (std::size_t atom = 0; atom < masses_.size(); ++atom) {
      if (has_hydrogen[atom] == 0 || moved[atom] >= molecule_.hydrogen_mass) continue;
      fail(
          fmt::format("{} would be left with {:.4g} u of its {:.4g} u, less than its hydrogens "
                      "have; expected a smaller \"hydrogen_mass\"",
                      name(atom), moved[atom], masses_[atom]));
    }
    return moved;
  }

  std::string name(std::size_t atom) const {
    const Input::MoleculeAtom& given = molecule_.atoms[atom];
    return fmt::format("the atom {} ({})", atom + 1, given.name.empty() ? given.type : given.name);
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw HydrogenMassError(number_, message);
  }

 private:
  bool is_hydrogen(std::size_t atom) const {
    return masses_[atom] > 0.0 && masses_[atom] < heaviest_hydrogen;
  }

  /// For each atom, the heavier atoms to which a term of this table joins it.
  std::vector<std::set<std::size_t>> partners(const std::vector<Input::MoleculeTerm>& terms) const {
    std::vector<std::set<std::size_t>> partners(masses_.size());
    for (const Input::MoleculeTerm& term : terms) {
      for (const auto& atoms : term.atoms) {
        if (atoms.size() != 2) continue;
        const auto first = static_cast<std::size_t>(atoms[0] - 1);
        const auto second = static_cast<std::size_t>(atoms[1] - 1);
        if (std::max(first, second) >= masses_.size()) continue;
        if (masses_[second] >= heaviest_hydrogen) partners[first].insert(second);
        if (masses_[first] >= heaviest_hydrogen) partners[second].insert(first);
      }
    }
    return partners;
  }

  std::size_t partner(std::size_t hydrogen, const std::set<std::size_t>& heavier) const {
    if (heavier.empty()) {
      fail(
          fmt::format("{} is hydrogen, and no bond joins it to a heavier atom that could give it "
                      "mass",
                      name(hydrogen)));
    }
    if (heavier.size() > 1) {
      fail(fmt::format("{} is hydrogen and bonded to both {} and {}; mass comes from one atom",
                       name(hydrogen), name(*heavier.begin()), name(*std::next(heavier.begin()))));
    }
    return *heavier.begin();
  }

  std::size_t number_;
  const Input::Molecule& molecule_;
  std::map<std::string_view, double> of_type_;
  std::vector<double> masses_;
};

struct Owner {
  std::size_t molecule, atom;
  double mass;
};

}  // namespace

void move_hydrogen_masses(Input& input) {
  const auto moves = [](const Input::Molecule& molecule) { return molecule.hydrogen_mass != 0.0; };
  if (std::ranges::none_of(input.molecules, moves)) return;
  std::map<std::string_view, Owner> of_type;
  for (std::size_t m = 0; m < input.molecules.size(); ++m) {
    const Molecule molecule(input, m);
    const std::vector<double> masses = molecule.masses();
    for (std::size_t atom = 0; atom < masses.size(); ++atom) {
      const std::string& type = input.molecules[m].atoms[atom].type;
      const auto [known, is_new] = of_type.emplace(type, Owner{m, atom, masses[atom]});
      const Owner& first = known->second;
      if (is_new || std::abs(first.mass - masses[atom]) <= 1e-9 * first.mass) continue;
      // The error is shown at the molecule that moves masses.
      const std::size_t at = moves(input.molecules[m]) ? m : first.molecule;
      const auto in = [&](std::size_t other) {
        return other == at ? std::string()
                           : fmt::format(" of the molecule {}", quote(input.molecules[other].name));
      };
      throw HydrogenMassError(
          at,
          fmt::format("{}{} and {}{} would have {:.4g} u and {:.4g} u, but both are of the type "
                      "{}, which has one mass; expected two [[type]]s",
                      Molecule(input, first.molecule).name(first.atom), in(first.molecule),
                      molecule.name(atom), in(m), first.mass, masses[atom], quote(type)));
    }
  }
  for (Input::Type& type : input.types) {
    const auto owner = of_type.find(type.name);
    if (owner != of_type.end()) type.mass = owner->second.mass;
  }
}

}  // namespace sterna::md
