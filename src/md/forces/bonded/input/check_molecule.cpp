#include "md/forces/bonded/input/check_molecule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/bonded/bonded_table.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/input_schema.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/residue_labels.hpp"
#include "md/input/topology_from_input.hpp"

namespace sterna::md {
namespace {

using Terms = std::vector<Input::MoleculeTerm>;

class MoleculeChecker {
 public:
  MoleculeChecker(Input& input, std::size_t number, const IsGood& is_good, const Report& report)
      : input_(input),
        molecule_(input.molecules[number]),
        place_(fmt::format("molecule[{}]", number)),
        good_(is_good),
        report_(report) {}

  void check() {
    if (molecule_.atoms.empty()) {
      error(place_, "[[molecule]] has no [[molecule.atom]]; a molecule has one at least");
      return;
    }
    atoms();
    residues();
    terms("bond", molecule_.bonds, 2);
    bonds_of_each_atom();
    terms("angle", molecule_.angles, 3);
    terms("torsion", molecule_.torsions, 4);
    terms("improper", molecule_.impropers, 4);
    terms("cmap", molecule_.cmaps, 5);
    tables();
    terms("special_pair", molecule_.special_pairs, 2);
    terms("exclusion", molecule_.exclusions, 2);
    terms("constraint", molecule_.constraints, 2);
    constrained_bonds();
    hydrogen_mass();
    special_pairs();
    exclusions();
    virtual_sites();
  }

 private:
  void error(std::string_view place, std::string message) {
    report_(Severity::error, place, std::move(message));
  }
  std::string place_of(std::string_view section, std::size_t n, std::string_view key) const {
    return fmt::format("{}.{}[{}].{}", place_, section, n, key);
  }

  void atoms() {
    const std::vector<std::string_view> types = particle_names(input_);
    const bool all_named = std::ranges::find(types, "") == types.end() && !types.empty();
    const std::set<std::string_view> known(types.begin(), types.end());
    for (std::size_t n = 0; n < molecule_.atoms.size(); ++n) {
      Input::MoleculeAtom& atom = molecule_.atoms[n];
      const std::string place = place_of("atom", n, "type");
      if (!good_(place)) continue;
      if (all_named && !known.contains(atom.type)) {
        error(place, unknown_particle(input_, atom.type));
      }
      if (atom.name.empty()) atom.name = atom.type;
    }
  }

  /// Checks residues: either all atoms have a residue number or none has, and names need numbers.
  void residues() {
    const std::vector<Input::MoleculeAtom>& all = molecule_.atoms;
    const auto first = std::ranges::find_if(all, [](const Input::MoleculeAtom& atom) {
      return atom.residue_number != Input::unnumbered;
    });
    const bool numbered = first != all.end();
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (numbered && all[n].residue_number == Input::unnumbered) {
        error(
            fmt::format("{}.atom[{}]", place_, n),
            fmt::format("the atom {} has no \"residue_number\", but the atom {} has one; expected "
                        "one for all atoms of the molecule, or none",
                        n + 1, first - all.begin() + 1));
        return;
      }
      if (!numbered && all[n].residue != all[0].residue) {
        error(
            place_of("atom", n, "residue"),
            fmt::format("the atoms 1 and {} are of the residues {} and {}, so that each atom needs "
                        "a \"residue_number\"",
                        n + 1, quote(all[0].residue), quote(all[n].residue)));
        return;
      }
      insertion_code(n);
    }
    if (numbered && !molecule_.residue_numbers.empty()) {
      error(place_ + ".residue_numbers",
            "\"residue_numbers\" in [[molecule]] does not go with \"residue_number\" in "
            "[[molecule.atom]]");
    }
  }

  void insertion_code(std::size_t n) {
    const Input::MoleculeAtom& atom = molecule_.atoms[n];
    if (atom.insertion_code.empty()) return;
    const std::string place = place_of("atom", n, "insertion_code");
    if (!is_insertion_code(atom.insertion_code)) {
      error(place, fmt::format("\"insertion_code\" of the atom {} is {}; expected one letter",
                               n + 1, quote(atom.insertion_code)));
    } else if (atom.residue_number == Input::unnumbered) {
      error(place, fmt::format("the atom {} has an \"insertion_code\", which is part of a number; "
                               "expected a \"residue_number\" too",
                               n + 1));
    }
  }

  /// The place of one list of atoms, if it has its own, or of all lists of its table.
  std::string list_place(std::string_view section, std::size_t n, std::size_t list) const {
    const std::string all = place_of(section, n, "atoms");
    const std::string one = fmt::format("{}[{}]", all, list);
    return input_.places.contains(one) ? one : all;
  }

  static std::string atom_list(const std::vector<int>& atoms) {
    std::string text;
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      text += fmt::format("{}{}", k == 0 ? "" : k + 1 == atoms.size() ? " and " : ", ", atoms[k]);
    }
    return text;
  }

  void terms(std::string_view section, const Terms& items, std::size_t size) {
    // Two terms are duplicates if they agree in potential, multiplicity, phase and atoms, read in
    // either direction unless the term is directed.
    std::set<std::tuple<std::string, Periodicity, std::vector<int>>> seen;
    for (std::size_t n = 0; n < items.size(); ++n) {
      const Input::MoleculeTerm& term = items[n];
      const bool known = good_(place_of(section, n, "potential"));
      Periodicity periodicity;
      if (known) periodicity = parameters(section, n, term);
      if (!good_(place_of(section, n, "atoms"))) continue;
      for (std::size_t k = 0; k < term.atoms.size(); ++k) {
        if (!good_atoms(section, n, k, term.atoms[k], size)) continue;
        std::vector<int> atoms = term.atoms[k];
        const bool is_directed = known && is_directed_term(section, term.potential);
        if (!is_directed && atoms.back() < atoms.front()) std::ranges::reverse(atoms);
        // Two bonds of the same atoms are duplicates even with different potentials.
        const std::string potential = size == 2 ? std::string() : term.potential;
        if (seen.insert({potential, periodicity, atoms}).second) continue;
        error(
            list_place(section, n, k),
            fmt::format(
                "there is already {} {}{} of the atoms {}",
                section == "angle" || section == "improper" || section == "exclusion" ? "an" : "a",
                section == "special_pair" ? "special pair"
                : section == "cmap"       ? "CMAP"
                                          : section,
                periodicity.multiplicity > 0.0 ? " with this multiplicity" : "",
                atom_list(term.atoms[k])));
      }
    }
  }

  /// Limits the bonds of an atom, because the number of pairs joined by it grows with their square.
  void bonds_of_each_atom() {
    constexpr int most = 256;
    std::vector<int> bonds(molecule_.atoms.size(), 0);
    for (std::size_t n = 0; n < molecule_.bonds.size(); ++n) {
      const Input::MoleculeTerm& term = molecule_.bonds[n];
      for (std::size_t k = 0; k < term.atoms.size(); ++k) {
        for (const int atom : term.atoms[k]) {
          if (atom > static_cast<int>(bonds.size())) continue;
          if (++bonds[static_cast<std::size_t>(atom - 1)] != most + 1) continue;
          error(list_place("bond", n, k),
                fmt::format("the atom {} has more than {} bonds", atom, most));
        }
      }
    }
  }

  bool good_atoms(std::string_view section, std::size_t n, std::size_t list,
                  const std::vector<int>& atoms, std::size_t size) {
    const std::string place = list_place(section, n, list);
    if (atoms.size() != size) {
      error(place, fmt::format("\"atoms\" in [[molecule.{}]] lists {} atom{}; expected {}", section,
                               atoms.size(), atoms.size() == 1 ? "" : "s", size));
      return false;
    }
    const auto count = static_cast<int>(molecule_.atoms.size());
    for (std::size_t k = 0; k < size; ++k) {
      if (atoms[k] > count) {
        error(place,
              fmt::format("there is no atom {} in this molecule, which has {}; the first one "
                          "is 1",
                          atoms[k], count));
        return false;
      }
      if (std::find(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(k), atoms[k]) !=
          atoms.begin() + static_cast<std::ptrdiff_t>(k)) {
        error(place, fmt::format("the atom {} stands twice", atoms[k]));
        return false;
      }
    }
    return true;
  }

  static bool is_directed_term(std::string_view section, std::string_view potential) {
    const auto number = find_bonded(section, potential);
    return number && bonded_table()[*number].is_directed;
  }

  /// The parameters of terms with a periodicity. Several terms with the same atoms may differ in
  /// them.
  struct Periodicity {
    double multiplicity = 0.0, phase = 0.0;
    std::vector<double> parameters;  ///< of terms that may differ in any parameter
    auto operator<=>(const Periodicity&) const = default;
  };

  /// Checks the parameters of a term together; returns its periodicity, if it has one.
  Periodicity parameters(std::string_view section, std::size_t n, const Input::MoleculeTerm& term) {
    const auto number = find_bonded(section, term.potential);
    if (!number) return {};
    const BondedRow& entry = bonded_table()[*number];
    std::vector<double> values;
    Periodicity periodicity;
    for (const BondedParameter& parameter : entry.parameters) {
      const std::string place = place_of(section, n, parameter.name);
      if (input_.places.contains(place) && !good_(place)) return {};
      const double value = bonded_parameter(term, parameter.name).value_or(parameter.preset);
      if (parameter.whole && value != std::floor(value)) {
        error(place, fmt::format("\"{}\" in [[molecule.{}]] is {}; expected an integer",
                                 parameter.name, section, value));
        return {};
      }
      if (parameter.name == "multiplicity") periodicity.multiplicity = value;
      if (parameter.name == "phase") periodicity.phase = value;
      values.push_back(value);
    }
    if (entry.may_repeat) periodicity.parameters = values;
    if (entry.contradiction == nullptr) return periodicity;
    const std::string_view problem = entry.contradiction(values);
    if (!problem.empty()) {
      error(fmt::format("{}.{}[{}]", place_, section, n), std::string(problem));
    }
    return periodicity;
  }

  /// Checks tables of energies and forces at equal distances, of potentials that have them.
  void curves(std::string_view section, const Terms& items) {
    constexpr std::size_t fewest = 2, most = 1'000'000;
    for (std::size_t n = 0; n < items.size(); ++n) {
      const auto number = find_bonded(section, items[n].potential);
      if (!number || bonded_table()[*number].table == nullptr) continue;
      const std::string energy = place_of(section, n, "energy"),
                        force = place_of(section, n, "force");
      if (!good_(energy) || !good_(force)) continue;
      const std::size_t count = items[n].table.size();
      if (count < fewest || count > most) {
        error(energy,
              fmt::format("\"energy\" in [[molecule.{}]] has {} number{}; expected {} to {}",
                          section, count, count == 1 ? "" : "s", fewest, most));
      } else if (items[n].forces.size() != count) {
        error(force,
              fmt::format("\"force\" in [[molecule.{}]] has {} number{}; expected {}, as many "
                          "as \"energy\" has",
                          section, items[n].forces.size(), items[n].forces.size() == 1 ? "" : "s",
                          count));
      }
    }
  }

  void tables() {
    curves("bond", molecule_.bonds);
    curves("angle", molecule_.angles);
    curves("torsion", molecule_.torsions);
    constexpr std::size_t smallest = 4, largest = 360;
    for (std::size_t n = 0; n < molecule_.cmaps.size(); ++n) {
      const std::string place = place_of("cmap", n, "energy");
      const std::size_t count = molecule_.cmaps[n].table.size();
      const auto edge = static_cast<std::size_t>(std::lround(std::sqrt(count)));
      if (!good_(place) || (edge * edge == count && edge >= smallest && edge <= largest)) continue;
      error(place,
            fmt::format("\"energy\" in [[molecule.cmap]] has {} number{}; expected those of a "
                        "square table: the square of an integer from {} to {}, such as 576 of 24 "
                        "rows",
                        count, count == 1 ? "" : "s", smallest, largest));
    }
  }

  void special_pairs() {
    for (std::size_t n = 0; n < molecule_.special_pairs.size(); ++n) {
      const bool epsilon = input_.places.contains(place_of("special_pair", n, "epsilon"));
      const bool sigma = input_.places.contains(place_of("special_pair", n, "sigma"));
      if (epsilon != sigma) {
        error(place_of("special_pair", n, epsilon ? "epsilon" : "sigma"),
              fmt::format("\"{}\" in [[molecule.special_pair]] needs \"{}\" beside it",
                          epsilon ? "epsilon" : "sigma", epsilon ? "sigma" : "epsilon"));
      }
      const std::string share = place_of("special_pair", n, "share");
      if (input_.places.contains(share) && (epsilon || sigma)) {
        error(
            share,
            "\"share\" in [[molecule.special_pair]] stands in place of \"epsilon\" and \"sigma\"");
      }
      const std::string charge_share = place_of("special_pair", n, "charge_share");
      if (input_.places.contains(charge_share)) {
        if (input_.places.contains(place_of("special_pair", n, "charge_product"))) {
          error(charge_share,
                "\"charge_share\" in [[molecule.special_pair]] stands in place of "
                "\"charge_product\"");
        } else if (good_("electrostatics.kind") && !input_.electrostatics.ends_at_cutoff()) {
          error(charge_share,
                "\"charge_share\" in [[molecule.special_pair]] is a share of charges that end at "
                "a cutoff, as [electrostatics] says by its kind, and they do not; expected "
                "\"charge_product\"");
        }
      }
      const std::string cutoff = place_of("special_pair", n, "cutoff");
      if (input_.places.contains(cutoff) && !epsilon && !sigma) {
        error(cutoff,
              "\"cutoff\" in [[molecule.special_pair]] needs \"epsilon\" and \"sigma\" beside it");
      }
    }
  }

  void constrained_bonds() {
    const std::string place = place_ + ".constrained_bonds";
    const ConstrainedBonds which = molecule_.constrained_bonds;
    if (!good_(place) || which == ConstrainedBonds::none) return;
    if (which == ConstrainedBonds::hydrogen && good_("units") && input_.units.is_reduced()) {
      error(place,
            "\"constrained_bonds\" in [[molecule]] is \"hydrogen\", which reduced units do not "
            "know; expected \"all\", or [[molecule.constraint]]s");
    }
    if (molecule_.bonds.empty()) {
      error(place, fmt::format("\"constrained_bonds\" in [[molecule]] is {}, but there is no "
                               "[[molecule.bond]]",
                               quote(choice_name(which))));
    }
  }

  void hydrogen_mass() {
    const std::string place = place_ + ".hydrogen_mass";
    if (!good_(place)) return;
    if (good_("units") && input_.units.is_reduced()) {
      error(place,
            "\"hydrogen_mass\" in [[molecule]] is for units with atomic masses; reduced units do "
            "not know hydrogen");
    } else if (molecule_.hydrogen_mass > largest_hydrogen_mass) {
      error(place, fmt::format("\"hydrogen_mass\" in [[molecule]] is {}; expected at most {} u",
                               input_.units.text(molecule_.hydrogen_mass, Dimension::mass),
                               largest_hydrogen_mass));
    }
  }

  /// Reports pairs that are both exclusions and special pairs.
  void exclusions() {
    std::set<std::pair<int, int>> special;
    for (const Input::MoleculeTerm& term : molecule_.special_pairs) {
      for (const auto& atoms : term.atoms) {
        if (atoms.size() == 2) special.insert(std::minmax(atoms[0], atoms[1]));
      }
    }
    for (std::size_t n = 0; n < molecule_.exclusions.size(); ++n) {
      const Input::MoleculeTerm& term = molecule_.exclusions[n];
      for (std::size_t k = 0; k < term.atoms.size(); ++k) {
        const auto& atoms = term.atoms[k];
        if (atoms.size() != 2 || !special.contains(std::minmax(atoms[0], atoms[1]))) continue;
        error(list_place("exclusion", n, k),
              fmt::format("the atoms {} are a special pair, too, which excludes them already",
                          atom_list(atoms)));
      }
    }
  }

  /// Checks virtual sites, the atoms that define them, and terms that need a mass.
  void virtual_sites() {
    std::set<int> sites;
    for (std::size_t n = 0; n < molecule_.virtual_sites.size(); ++n) {
      const Input::MoleculeVirtualSite& site = molecule_.virtual_sites[n];
      const bool has_atoms = good_(place_of("virtual_site", n, "atoms"));
      for (std::size_t k = 0; has_atoms && k < site.atoms.size(); ++k) {
        const std::vector<int>& atoms = site.atoms[k];
        if (!atoms.empty() && !sites.insert(atoms[0]).second) {
          error(list_place("virtual_site", n, k),
                fmt::format("the atom {} is a virtual site already", atoms[0]));
        }
      }
    }
    bool are_whole = true;
    for (std::size_t n = 0; n < molecule_.virtual_sites.size(); ++n) {
      are_whole = virtual_site(n) && are_whole;
    }
    if (are_whole) resolved_sites();
    without_sites("bond", molecule_.bonds, sites);
    without_sites("constraint", molecule_.constraints, sites);
    masses(sites);
  }

  /// Checks a virtual site; returns whether it has no mistake.
  bool virtual_site(std::size_t n) {
    const Input::MoleculeVirtualSite& site = molecule_.virtual_sites[n];
    const VirtualSiteRow* const kind = find_virtual_site_kind(site.kind);
    if (!good_(place_of("virtual_site", n, "kind")) || kind == nullptr) return false;
    const auto is_given = [&](std::string_view name) {
      return good_(place_of("virtual_site", n, name));
    };
    bool is_whole = std::ranges::all_of(kind->parameters, is_given);
    if (is_whole) {
      const std::string wrong = kind->contradiction(site.parameters);
      if (!wrong.empty()) error(fmt::format("{}.virtual_site[{}]", place_, n), wrong);
      is_whole = wrong.empty();
    }
    if (!good_(place_of("virtual_site", n, "atoms"))) return false;
    for (std::size_t k = 0; k < site.atoms.size(); ++k) {
      const std::vector<int>& atoms = site.atoms[k];
      const std::string place = list_place("virtual_site", n, k);
      const std::size_t made_of = kind->atoms > 0 ? kind->atoms : site.parameters.weights.size();
      if (atoms.size() != made_of + 1) {
        error(place, fmt::format("\"atoms\" in [[molecule.virtual_site]] lists {} atom{}; expected "
                                 "{}: the site and the {} that one {} is made of",
                                 atoms.size(), atoms.size() == 1 ? "" : "s", made_of + 1, made_of,
                                 kind->atoms > 0 ? "of kind " + quote(kind->name)
                                                 : "with so many \"weights\""));
        is_whole = false;
        continue;
      }
      if (std::find(atoms.begin() + 1, atoms.end(), atoms[0]) != atoms.end()) {
        error(place, fmt::format("the virtual site {} cannot be made of itself", atoms[0]));
        is_whole = false;
        continue;
      }
      if (!good_atoms("virtual_site", n, k, atoms, atoms.size())) {
        is_whole = false;
        continue;
      }
    }
    return is_whole;
  }

  /// Checks virtual sites after sites that are defined by other sites were resolved to atoms.
  void resolved_sites() {
    try {
      const std::vector<VirtualSite> resolved = virtual_sites_of(molecule_);
      if (input_.electrostatics.is_used()) charges_at_one_place(resolved);
    } catch (const CircularVirtualSite& problem) {
      error(place_of_site(problem.atom + 1), problem.what());
    }
  }

  /// The place at which the input defines this atom as a virtual site.
  std::string place_of_site(int number) const {
    for (std::size_t n = 0; n < molecule_.virtual_sites.size(); ++n) {
      const auto& lists = molecule_.virtual_sites[n].atoms;
      for (std::size_t k = 0; k < lists.size(); ++k) {
        if (lists[k].front() == number) return list_place("virtual_site", n, k);
      }
    }
    return place_;
  }

  /// Reports a charged virtual site that always coincides with another charge. Their interaction is
  /// infinite and cannot be subtracted even if the molecule excludes it.
  void charges_at_one_place(std::span<const VirtualSite> resolved) {
    std::map<int, std::pair<Vec3, std::string>>
        sites;  // their positions, and their places in the input
    std::vector<Vec3> points;
    auto one = resolved.begin();
    for (std::size_t n = 0; n < molecule_.virtual_sites.size(); ++n) {
      for (std::size_t k = 0; k < molecule_.virtual_sites[n].atoms.size(); ++k, ++one) {
        const int number = one->atom + 1;
        if (charge_of(number) == 0.0) continue;
        const Vec3 first = any_place(one->atoms[0] + 1);
        points.clear();
        for (const std::int32_t atom : one->atoms) points.push_back(any_place(atom + 1) - first);
        const Vec3 place = first + one->from_first(points);
        const std::string where = list_place("virtual_site", n, k);
        sites.emplace(number, std::pair(place, where));
        for (const std::int32_t atom : one->atoms) {
          if (charge_of(atom + 1) == 0.0 || !are_one(place, any_place(atom + 1))) continue;
          at_one_place(where, number, atom + 1);
        }
      }
    }
    // After sorting by x, sites at the same position are neighbors.
    std::vector<std::pair<double, int>> in_order;
    for (const auto& [site, where] : sites) in_order.emplace_back(where.first.x, site);
    std::ranges::sort(in_order);
    for (std::size_t n = 1; n < in_order.size(); ++n) {
      const auto& [first, place] = sites.at(in_order[n].second);
      if (!are_one(first, sites.at(in_order[n - 1].second).first)) continue;
      at_one_place(place, in_order[n].second, in_order[n - 1].second);
    }
  }

  void at_one_place(const std::string& place, int site, int other) {
    error(place, fmt::format("the virtual site {} is always at the place of {}, and both have a "
                             "charge; give one of them the charge of both",
                             site, other));
  }

  /// A position for an atom, such that no virtual site of other atoms coincides with it by chance.
  static Vec3 any_place(int atom) {
    const double n = atom;
    return {std::sin(1.7 * n), std::sin(2.3 * n + 1.0), std::sin(3.1 * n + 2.0)};
  }

  static bool are_one(const Vec3& first, const Vec3& second) {
    constexpr double rounding = 1e-9;
    const Vec3 d = first - second;
    return dot(d, d) <= rounding * rounding;
  }

  double charge_of(int number) const {
    const Input::MoleculeAtom& atom = molecule_.atoms[static_cast<std::size_t>(number - 1)];
    if (atom.charge) return *atom.charge;
    const auto type = std::ranges::find(input_.types, atom.type, &Input::Type::name);
    return type == input_.types.end() ? 0.0 : type->charge;
  }

  void without_sites(std::string_view section, const Terms& items, const std::set<int>& sites) {
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (!good_(place_of(section, n, "atoms"))) continue;
      for (std::size_t k = 0; k < items[n].atoms.size(); ++k) {
        const std::vector<int>& atoms = items[n].atoms[k];
        const auto site =
            std::ranges::find_if(atoms, [&](int atom) { return sites.contains(atom); });
        if (site == atoms.end()) continue;
        error(list_place(section, n, k),
              fmt::format("the atom {} is a virtual site, which has no {}: its place follows from "
                          "the atoms that it is made of",
                          *site, section));
      }
    }
  }

  /// Checks that virtual sites have no mass and all other atoms have one.
  void masses(const std::set<int>& sites) {
    for (std::size_t n = 0; n < molecule_.atoms.size(); ++n) {
      const Input::MoleculeAtom& atom = molecule_.atoms[n];
      const auto type = std::ranges::find(input_.types, atom.type, &Input::Type::name);
      const std::string place = place_of("atom", n, "type");
      if (!good_(place) || type == input_.types.end() || !mass_is_known(type->name)) continue;
      const bool is_site = sites.contains(static_cast<int>(n + 1));
      if (is_site && type->mass > 0.0) {
        error(place,
              fmt::format("the atom {} is a virtual site, but its type {} has a mass; expected one "
                          "with mass = 0",
                          n + 1, quote(atom.type)));
      } else if (!is_site && !(type->mass > 0.0)) {
        error(place, fmt::format("the type {} of the atom {} has no mass, and the atom is no "
                                 "[[molecule.virtual_site]]",
                                 quote(atom.type), n + 1));
      }
    }
  }

  /// Whether the mass is known: the file gives it without a mistake, or the program gives it.
  bool mass_is_known(std::string_view type) const {
    for (std::size_t t = 0; t < input_.types.size(); ++t) {
      const std::string place = fmt::format("type[{}].mass", t);
      if (input_.types[t].name == type) return !input_.places.contains(place) || good_(place);
    }
    return false;
  }

  Input& input_;
  Input::Molecule& molecule_;
  std::string place_;
  const IsGood& good_;
  const Report& report_;
};

}  // namespace

void check_molecule(Input& input, std::size_t molecule, const IsGood& is_good,
                    const Report& report) {
  MoleculeChecker(input, molecule, is_good, report).check();
}

}  // namespace sterna::md
