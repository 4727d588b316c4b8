#include "md/system/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/system/joined_atoms.hpp"
#include "md/system/residue_order.hpp"

namespace sterna::md {
namespace {

/// The largest relative contradiction between distances: the default of constraint_tolerance.
constexpr double distance_rounding = 1e-8;

bool is_frozen(const Topology::Molecule& molecule, std::int32_t atom,
               std::span<const char> frozen) {
  const std::int64_t type = molecule.atoms[static_cast<std::size_t>(atom)].type;
  return !frozen.empty() && frozen[static_cast<std::size_t>(type)] != 0;
}

}  // namespace

Topology::Topology(std::vector<Molecule> molecules, std::vector<Run> runs,
                   std::vector<std::vector<double>> coefficients)
    : molecules_(std::move(molecules)),
      runs_(std::move(runs)),
      coefficients_(std::move(coefficients)) {
  for (const Molecule& molecule : molecules_) {
    std::vector<std::pair<std::int32_t, std::uint32_t>> terms, exclusions, constraints;
    for (std::uint32_t t = 0; t < molecule.terms.size(); ++t) {
      const Term& term = molecule.terms[t];
      for (std::uint32_t k = 0; k < term.size; ++k) terms.emplace_back(term.atoms[k], t);
    }
    for (const auto& [a, b] : molecule.exclusions) {
      exclusions.emplace_back(a, static_cast<std::uint32_t>(b));
      exclusions.emplace_back(b, static_cast<std::uint32_t>(a));
    }
    terms_of_.push_back(lists_of(molecule.atoms.size(), std::move(terms)));
    exclusions_of_.push_back(lists_of(molecule.atoms.size(), std::move(exclusions)));
    for (std::uint32_t c = 0; c < molecule.constraints.size(); ++c) {
      for (const std::int32_t atom : molecule.constraints[c].atoms) {
        constraints.emplace_back(atom, c);
      }
    }
    constraints_of_.push_back(lists_of(molecule.atoms.size(), std::move(constraints)));
    rigid_atoms_.push_back(rigid_atoms_of(molecule));
    std::vector<std::pair<std::int32_t, std::uint32_t>> sites;
    for (std::uint32_t s = 0; s < molecule.virtual_sites.size(); ++s) {
      const VirtualSite& site = molecule.virtual_sites[s];
      sites.emplace_back(site.atom, s);
      for (const std::int32_t atom : site.made_of()) sites.emplace_back(atom, s);
    }
    virtual_sites_of_.push_back(lists_of(molecule.atoms.size(), std::move(sites)));
  }
  std::int64_t id = 1, number = 1;
  for (const Run& run : runs_) {
    first_id_.push_back(id);
    first_molecule_.push_back(number);
    id += run.count * static_cast<std::int64_t>(molecules_[run.molecule].atoms.size());
    number += run.count;
    std::int64_t before = 0;
    std::vector<std::int64_t>& all_before = numbered_before_.emplace_back();
    for (const Numbers& numbers : run.residue_numbers) {
      all_before.push_back(before);
      before += numbers.count;
    }
  }
  atom_count_ = id - 1;
}

Topology::Lists Topology::lists_of(std::size_t atoms,
                                   std::vector<std::pair<std::int32_t, std::uint32_t>> entries) {
  std::ranges::sort(entries);
  Lists lists;
  lists.begin.assign(atoms + 1, 0);
  for (const auto& [atom, item] : entries) {
    ++lists.begin[static_cast<std::size_t>(atom) + 1];
    lists.items.push_back(item);
  }
  for (std::size_t a = 0; a < atoms; ++a) lists.begin[a + 1] += lists.begin[a];
  return lists;
}

std::int64_t Topology::molecule_count() const {
  return runs_.empty() ? 0 : first_molecule_.back() + runs_.back().count - 1;
}

bool Topology::has_terms(std::uint32_t kind) const {
  return std::ranges::any_of(molecules_, [&](const Molecule& molecule) {
    return std::ranges::any_of(molecule.terms, [&](const Term& term) { return term.kind == kind; });
  });
}

bool Topology::has_charges() const {
  return std::ranges::any_of(molecules_, [](const Molecule& molecule) {
    return std::ranges::any_of(molecule.atoms, [](const Atom& atom) { return atom.charge != 0.0; });
  });
}

void Topology::set_charges(std::uint32_t molecule, std::span<const double> charges) {
  std::vector<Atom>& atoms = molecules_[molecule].atoms;
  bool changes = false;
  for (std::size_t k = 0; k < atoms.size(); ++k) {
    changes = changes || atoms[k].charge != charges[k];
    atoms[k].charge = charges[k];
  }
  charge_changes_ += changes ? 1 : 0;
}

bool Topology::has_virtual_sites() const {
  return std::ranges::any_of(
      molecules_, [](const Molecule& molecule) { return !molecule.virtual_sites.empty(); });
}

std::vector<Topology::RigidAtoms> Topology::rigid_atoms_of(const Molecule& molecule) {
  std::vector<RigidAtoms> result;
  for (JoinedAtoms& group : joined_by_constraints(molecule).groups) {
    const auto atoms = static_cast<double>(group.atoms.size());
    const auto constraints = static_cast<double>(group.constraints.size());
    const auto shape = rigid_shape(group.atoms.size(), group.distances, distance_rounding);
    if (!shape) continue;
    const double taken = 3.0 * atoms - shape->degrees_of_freedom();
    if (constraints != taken) {
      result.push_back({std::move(group.atoms), std::move(group.constraints), taken / constraints});
    }
  }
  return result;
}

double Topology::degrees_of_constraint(std::uint32_t molecule, std::uint32_t constraint,
                                       std::span<const char> frozen) const {
  for (const RigidAtoms& body : rigid_atoms_[molecule]) {
    if (std::ranges::find(body.constraints, constraint) == body.constraints.end()) continue;
    const auto is_fixed = [&](std::int32_t atom) {
      return is_frozen(molecules_[molecule], atom, frozen);
    };
    return std::ranges::any_of(body.atoms, is_fixed) ? 1.0 : body.degrees_each;
  }
  return 1.0;
}

std::int64_t Topology::constraint_count(std::span<const char> frozen) const {
  std::int64_t count = 0;
  for (const Run& run : runs_) {
    const Molecule& molecule = molecules_[run.molecule];
    double of_molecule = 0.0;
    for (std::uint32_t k = 0; k < molecule.constraints.size(); ++k) {
      const auto& [a, b] = molecule.constraints[k].atoms;
      if (is_frozen(molecule, a, frozen) && is_frozen(molecule, b, frozen)) continue;
      of_molecule += degrees_of_constraint(run.molecule, k, frozen);
    }
    count += run.count * std::llround(of_molecule);
  }
  return count;
}

double Topology::degrees_of(std::int64_t id, std::span<const char> frozen) const {
  const Place place = place_of(id);
  const Molecule& molecule = molecules_[place.molecule];
  double degrees = 3.0;
  for (const std::uint32_t k : constraints_of_[place.molecule].of(place.atom)) {
    const auto& [a, b] = molecule.constraints[k].atoms;
    const double taken = degrees_of_constraint(place.molecule, k, frozen);
    degrees -= (is_frozen(molecule, a == place.atom ? b : a, frozen) ? 1.0 : 0.5) * taken;
  }
  return degrees;
}

Topology::Place Topology::place_of(std::int64_t id) const {
  const auto run = static_cast<std::size_t>(
      std::upper_bound(first_id_.begin(), first_id_.end(), id) - first_id_.begin() - 1);
  const auto size = static_cast<std::int64_t>(molecules_[runs_[run].molecule].atoms.size());
  const std::int64_t offset = id - first_id_[run];
  const std::int64_t molecule = offset / size;
  return {runs_[run].molecule, static_cast<std::int32_t>(offset - molecule * size),
          first_id_[run] + molecule * size, first_molecule_[run] + molecule};
}

std::int64_t Topology::residue_order_of(const Place& place) const {
  const Atom& atom = molecules_[place.molecule].atoms[static_cast<std::size_t>(place.atom)];
  if (atom.residue_number) return residue_order(*atom.residue_number, atom.insertion_code);
  const auto run = std::ranges::upper_bound(first_molecule_, place.molecule_number) -
                   first_molecule_.begin() - 1;
  const std::vector<std::int64_t>& before = numbered_before_[static_cast<std::size_t>(run)];
  if (before.empty()) return residue_order(place.molecule_number, 0);
  const std::int64_t molecule =
      place.molecule_number - first_molecule_[static_cast<std::size_t>(run)];
  const auto part =
      static_cast<std::size_t>(std::ranges::upper_bound(before, molecule) - before.begin() - 1);
  const Numbers& numbers = runs_[static_cast<std::size_t>(run)].residue_numbers[part];
  return residue_order(numbers.first + molecule - before[part], numbers.insertion_code);
}

std::string Topology::description(std::int64_t id) const {
  const Place place = place_of(id);
  const Molecule& molecule = molecules_[place.molecule];
  return fmt::format("atom {} ({}, id {}) of molecule {} ({})", place.atom + 1,
                     molecule.atoms[static_cast<std::size_t>(place.atom)].name, id,
                     place.molecule_number, molecule.name);
}

}  // namespace sterna::md
