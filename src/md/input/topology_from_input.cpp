#include "md/input/topology_from_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "md/forces/bonded/bonded_table.hpp"
#include "md/input/pairs_of_types.hpp"
#include "md/input/particle_names.hpp"
#include "md/input/residue_labels.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

using Pair = Topology::Pair;

Pair ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// All pairs of atoms at most `most` bonds apart, with the number of bonds between them.
std::map<Pair, int> neighbors_by_bonds(std::size_t atoms, const std::vector<Pair>& bonds,
                                       int most) {
  std::vector<std::vector<int>> bonded(atoms);
  for (const auto& [a, b] : bonds) {
    bonded[static_cast<std::size_t>(a)].push_back(b);
    bonded[static_cast<std::size_t>(b)].push_back(a);
  }
  std::map<Pair, int> distances;
  for (std::size_t first = 0; first < atoms; ++first) {
    const int from = static_cast<int>(first);
    std::map<int, int> seen{{from, 0}};
    std::queue<int> next;
    next.push(from);
    while (!next.empty()) {
      const int at = next.front();
      next.pop();
      const int bonds_to_it = seen[at];
      if (at > from) distances[{from, at}] = bonds_to_it;
      if (bonds_to_it == most) continue;
      for (const int other : bonded[static_cast<std::size_t>(at)]) {
        if (seen.emplace(other, bonds_to_it + 1).second) next.push(other);
      }
    }
  }
  return distances;
}

class Builder {
 public:
  explicit Builder(const Input& input)
      : input_(input), rows_(bonded_table().size()), coefficients_(bonded_table().size()) {
    const std::vector<std::string_view> names = particle_names(input);
    for (std::size_t type = 0; type < names.size(); ++type) type_of_.emplace(names[type], type);
  }

  Topology build() {
    std::vector<Topology::Molecule> molecules;
    std::vector<Topology::Run> runs;
    for (const Input::Molecule& molecule : input_.molecules) {
      runs.push_back({static_cast<std::uint32_t>(molecules.size()), molecule.count,
                      residue_numbers_of(molecule)});
      molecules.push_back(build(molecule));
    }
    return Topology(std::move(molecules), std::move(runs), std::move(coefficients_));
  }

 private:
  /// Rigid molecules have charges at their sites only.
  double charge_of(const Input::MoleculeAtom& atom, std::size_t type) const {
    return type < input_.types.size() ? atom.charge.value_or(input_.types[type].charge) : 0.0;
  }

  Topology::Molecule build(const Input::Molecule& given) {
    Topology::Molecule molecule;
    molecule.name = given.name;
    const double charge_unit = std::sqrt(input_.units.coulomb());
    for (const Input::MoleculeAtom& atom : given.atoms) {
      const auto known = type_of_.find(atom.type);
      // The input's checks cannot find this error, because a program gives its types later.
      if (known == type_of_.end()) {
        throw std::invalid_argument(unknown_particle(input_, atom.type));
      }
      const std::size_t type = known->second;
      molecule.atoms.push_back({atom.name, static_cast<std::int64_t>(type),
                                charge_unit * charge_of(atom, type), atom.residue,
                                residue_number_of(atom), insertion_code_of(atom)});
    }
    sums_.clear();
    molecule.constraints = constraints_of(input_, given);
    constrained_.clear();
    for (const Topology::Constraint& constraint : molecule.constraints) {
      constrained_.insert(constraint.atoms);
    }
    add(molecule, "bond", given.bonds);
    add(molecule, "angle", given.angles);
    add(molecule, "torsion", given.torsions);
    add(molecule, "improper", given.impropers);
    add(molecule, "cmap", given.cmaps);
    for (const Input::MoleculeTerm& term : given.bonds) {
      for (const auto& atoms : term.atoms) {
        molecule.bonds.push_back(ordered(atoms[0] - 1, atoms[1] - 1));
      }
    }
    add_sums(molecule);
    molecule.virtual_sites = virtual_sites_of(given);
    add_pairs(molecule, given);
    return molecule;
  }

  /// Adds the terms of a section. Terms of kinds whose coefficients add up are only summed here,
  /// and added at the end.
  void add(Topology::Molecule& molecule, std::string_view section,
           const std::vector<Input::MoleculeTerm>& terms) {
    for (const Input::MoleculeTerm& term : terms) {
      const std::uint32_t kind = *find_bonded(section, term.potential);
      const BondedRow& entry = bonded_table()[kind];
      std::vector<double> parameters;
      for (const BondedParameter& parameter : entry.parameters) {
        parameters.push_back(bonded_parameter(term, parameter.name).value_or(parameter.preset));
      }
      for (const std::vector<int>& listed : term.atoms) {
        std::vector<int> atoms;
        for (int k = 0; k < entry.atoms; ++k) {
          const int which = entry.chosen.empty() ? k : entry.chosen[static_cast<std::size_t>(k)];
          atoms.push_back(listed[static_cast<std::size_t>(which)] - 1);
        }
        // A constrained bond keeps its length, so its energy is constant and left out.
        if (section == "bond" && constrained_.contains(ordered(atoms[0], atoms[1]))) continue;
        if (entry.table != nullptr) {
          add_row(molecule, kind, atoms, entry.table(parameters, term.table, term.forces));
          continue;
        }
        if (!entry.adds_up) {
          add(molecule, kind, atoms, parameters);
          continue;
        }
        // The terms are summed by atoms, and reading the atoms in reverse gives the same angle.
        if (atoms.back() < atoms.front()) std::ranges::reverse(atoms);
        auto& sum = sums_[{kind, atoms}];
        sum.resize(static_cast<std::size_t>(entry.coefficient_count), 0.0);
        entry.coefficients(parameters, sum);
      }
    }
  }

  void add(Topology::Molecule& molecule, std::uint32_t kind, const std::vector<int>& atoms,
           const std::vector<double>& parameters) {
    const BondedRow& entry = bonded_table()[kind];
    std::vector<double> row(static_cast<std::size_t>(entry.coefficient_count), 0.0);
    entry.coefficients(parameters, row);
    add_row(molecule, kind, atoms, row);
  }

  void add_sums(Topology::Molecule& molecule) {
    for (const auto& [term, row] : sums_) add_row(molecule, term.first, term.second, row);
  }

  void add_row(Topology::Molecule& molecule, std::uint32_t kind, const std::vector<int>& atoms,
               const std::vector<double>& row) {
    // Tables may differ in length, so their row number is the offset of their first coefficient.
    const std::size_t number =
        bonded_table()[kind].table != nullptr ? coefficients_[kind].size() : rows_[kind].size();
    const auto [known, is_new] = rows_[kind].emplace(row, static_cast<std::uint32_t>(number));
    if (is_new) {
      coefficients_[kind].insert(coefficients_[kind].end(), row.begin(), row.end());
    }
    Topology::Term term{kind, known->second, static_cast<std::uint32_t>(atoms.size()), {}};
    std::ranges::copy(atoms, term.atoms.begin());
    molecule.terms.push_back(term);
  }

  /// All pairs of atoms at most `most` bonds apart, with the number of bonds between them. A
  /// virtual site has the bonds of the first atom that defines it, from which it is 0 bonds away,
  /// as in OpenMM's force fields ("excludeWith").
  static std::map<Pair, int> pairs_by_bonds(const Topology::Molecule& molecule, int most) {
    std::map<Pair, int> pairs = neighbors_by_bonds(molecule.atoms.size(), molecule.bonds, most);
    if (molecule.virtual_sites.empty()) return pairs;
    std::vector<std::vector<int>> at(molecule.atoms.size());
    for (std::size_t a = 0; a < at.size(); ++a) at[a].push_back(static_cast<int>(a));
    for (const VirtualSite& site : molecule.virtual_sites) {
      at[static_cast<std::size_t>(site.atoms[0])].push_back(site.atom);
    }
    std::map<Pair, int> all;
    for (const auto& [pair, bonds] : pairs) {
      for (const int a : at[static_cast<std::size_t>(pair[0])]) {
        for (const int b : at[static_cast<std::size_t>(pair[1])]) all[ordered(a, b)] = bonds;
      }
    }
    for (const std::vector<int>& together : at) {
      for (const int a : together) {
        for (const int b : together) {
          if (a < b) all[{a, b}] = 0;
        }
      }
    }
    return all;
  }

  /// Adds exclusions, and the interactions that special pairs and 1-4 pairs have instead.
  void add_pairs(Topology::Molecule& molecule, const Input::Molecule& given) {
    std::set<Pair> excluded;
    std::map<Pair, const Input::MoleculeTerm*> special;
    for (const Input::MoleculeTerm& term : given.exclusions) {
      for (const auto& atoms : term.atoms) excluded.insert(ordered(atoms[0] - 1, atoms[1] - 1));
    }
    const bool scaled = given.lennard_jones_14 > 0.0 || given.coulomb_14 > 0.0;
    const int most = std::max(given.excluded_bonds, scaled ? 3 : 0);
    for (const auto& [pair, bonds] : pairs_by_bonds(molecule, most)) {
      if (bonds <= given.excluded_bonds) excluded.insert(pair);
      if (bonds == 3 && scaled) special[pair] = nullptr;
    }
    for (const VirtualSite& site : molecule.virtual_sites) {
      if (given.excluded_bonds < 0) break;
      for (const auto* made_of : {&site.atoms, &site.parts}) {
        for (const std::int32_t atom : *made_of) {
          excluded.insert(ordered(site.atom, atom));
          special.erase(ordered(site.atom, atom));
        }
      }
    }
    for (const Input::MoleculeTerm& term : given.special_pairs) {
      for (const auto& atoms : term.atoms) special[ordered(atoms[0] - 1, atoms[1] - 1)] = &term;
    }
    for (const auto& [pair, parameters] : special) {
      excluded.insert(pair);
      add_special(molecule, given, pair, parameters);
    }
    molecule.exclusions.assign(excluded.begin(), excluded.end());
  }

  /// Adds an excluded pair's own interaction. `parameters`: null if the molecule's 1-4 factors
  /// apply.
  void add_special(Topology::Molecule& molecule, const Input::Molecule& given, const Pair& pair,
                   const Input::MoleculeTerm* parameters) {
    const auto parameter = [&](std::string_view name) {
      return parameters == nullptr ? std::nullopt : bonded_parameter(*parameters, name);
    };
    const Topology::Atom& a = molecule.atoms[static_cast<std::size_t>(pair[0])];
    const Topology::Atom& b = molecule.atoms[static_cast<std::size_t>(pair[1])];
    const std::vector<int> atoms{pair[0], pair[1]};
    TypePair like{parameter("epsilon").value_or(0.0), parameter("sigma").value_or(1.0)};
    // A share of the pair's potential is added by `ScaledPairs`, because only pair forces know the
    // potential.
    const bool shared = parameters != nullptr && parameters->share.has_value();
    if (!parameter("epsilon") && given.lennard_jones_14 > 0.0 && !shared) {
      like = mixed_type_pair(input_, static_cast<std::size_t>(a.type),
                             static_cast<std::size_t>(b.type));
      like.epsilon *= given.lennard_jones_14;
    }
    const auto cutoff = parameter("cutoff");
    if (like.epsilon != 0.0 && cutoff) {
      const auto& run = input_.interaction;
      const double share = is_switched(run.truncation) ? run.switch_start / run.cutoff : 1.0;
      add(molecule, *find_bonded("special_pair", "ended_lennard_jones"), atoms,
          {like.epsilon, like.sigma, *cutoff, share * *cutoff,
           static_cast<double>(run.truncation)});
    } else if (like.epsilon != 0.0) {
      add(molecule, *find_bonded("special_pair", "lennard_jones"), atoms,
          {like.epsilon, like.sigma});
    }
    const auto own = parameter("charge_product");
    const double product =
        own ? input_.units.coulomb() * *own : given.coulomb_14 * a.charge * b.charge;
    const bool shares_charges = parameters != nullptr && parameters->charge_share.has_value();
    if (product != 0.0 && !shares_charges) {
      add(molecule, *find_bonded("special_pair", "coulomb"), atoms,
          {product / input_.electrostatics.permittivity});
    }
  }

  const Input& input_;
  std::map<std::string, std::size_t> type_of_;
  std::vector<std::map<std::vector<double>, std::uint32_t>> rows_;  ///< rows by coefficients, for
                                                                    ///< each kind
  std::vector<std::vector<double>> coefficients_;
  std::map<std::pair<std::uint32_t, std::vector<int>>, std::vector<double>> sums_;
  std::set<Pair> constrained_;  ///< constrained pairs of the present molecule
};

/// Upper bounds of distances in a molecule, from the lengths of bonds and constraints.
class Paths {
 public:
  Paths(const Input& input, const Input::Molecule& molecule) : joined_(molecule.atoms.size()) {
    for (const Input::MoleculeTerm& bond : molecule.bonds) {
      const auto r0 = bonded_parameter(bond, "r0");
      if (!r0) continue;
      for (const auto& atoms : bond.atoms) join(atoms[0] - 1, atoms[1] - 1, *r0);
    }
    for (const auto& [atoms, distance] : constraints_of(input, molecule)) {
      join(atoms[0], atoms[1], distance);
    }
  }

  /// The length of the shortest path between two atoms; 0 if no path joins them.
  double length(int from, int to) const {
    std::map<int, double> shortest;
    using Front = std::pair<double, int>;
    std::priority_queue<Front, std::vector<Front>, std::greater<>> front;
    front.push({0.0, from});
    while (!front.empty()) {
      const auto [path, at] = front.top();
      front.pop();
      if (at == to) return path;
      if (!shortest.emplace(at, path).second) continue;
      for (const auto& [next, distance] : joined_[static_cast<std::size_t>(at)]) {
        if (!shortest.contains(next)) front.push({path + distance, next});
      }
    }
    return 0.0;
  }

 private:
  void join(int a, int b, double distance) {
    joined_[static_cast<std::size_t>(a)].push_back({b, distance});
    joined_[static_cast<std::size_t>(b)].push_back({a, distance});
  }

  std::vector<std::vector<std::pair<int, double>>> joined_;
};

/// An upper bound of the distance between any two of a virtual site and the atoms that define it.
double extent_of(const VirtualSite& site, const Paths& paths) {
  // Upper bounds of distances from the first atom, for the atoms and for the point of each step.
  std::vector<double> reach{0.0};
  for (const std::int32_t atom : site.made_of().subspan(1)) {
    reach.push_back(paths.length(site.atoms[0], atom));
  }
  for (const VirtualSite::Step& step : site.steps) {
    const auto arm = [&](std::size_t k) { return reach[step.from[0]] + reach[step.from[k]]; };
    double farthest = reach[step.from[0]] + std::sqrt(dot(step.rule.local, step.rule.local));
    for (std::size_t k = 0; k < step.rule.weights.size(); ++k) {
      farthest += std::abs(step.rule.weights[k]) * arm(k + 1);
    }
    if (step.rule.product != 0.0) farthest += std::abs(step.rule.product) * arm(1) * arm(2);
    reach.push_back(farthest);
  }
  std::ranges::sort(reach, std::greater<>());
  return reach[0] + reach[1];
}

std::string text_of(const Input::MoleculeTerm& term) {
  std::string text = term.potential;
  for (std::size_t n = 0; n < term.parameters.size(); ++n) {
    if (term.parameters[n]) text += fmt::format(" {}:{}", n, *term.parameters[n]);
  }
  if (!term.table.empty()) text += fmt::format(" {}", comm::joined(term.table, ","));
  if (!term.forces.empty()) text += fmt::format(" {}", comm::joined(term.forces, ","));
  if (term.share) text += fmt::format(" share {}", *term.share);
  if (term.charge_share) text += fmt::format(" charge_share {}", *term.charge_share);
  for (const auto& atoms : term.atoms) text += fmt::format(" [{}]", comm::joined(atoms, ","));
  return text + "\n";
}

std::string text_of(const Input::MoleculeVirtualSite& site) {
  const VirtualSiteParameters& given = site.parameters;
  std::string text = site.kind;
  for (const auto& number : {given.a, given.b, given.c, given.distance, given.angle}) {
    text += number ? fmt::format(" {}", *number) : " -";
  }
  // Parameters of newer kinds are appended only if given, so that texts of older kinds stay the
  // same.
  if (!given.weights.empty()) text += fmt::format(" {}", comm::joined(given.weights, ","));
  for (const auto* weights : {&given.origin_weights, &given.x_weights, &given.y_weights}) {
    text += fmt::format(" {}", comm::joined(*weights, ","));
  }
  if (given.position) {
    text += fmt::format(" {},{},{}", given.position->x, given.position->y, given.position->z);
  }
  for (const auto& atoms : site.atoms) text += fmt::format(" [{}]", comm::joined(atoms, ","));
  return text + "\n";
}

}  // namespace

std::vector<VirtualSite> virtual_sites_of(const Input::Molecule& molecule) {
  std::vector<GivenVirtualSite> given;
  for (const Input::MoleculeVirtualSite& sites : molecule.virtual_sites) {
    const VirtualSiteRule rule = find_virtual_site_kind(sites.kind)->make(sites.parameters);
    for (const std::vector<int>& atoms : sites.atoms) {
      GivenVirtualSite& site =
          given.emplace_back(GivenVirtualSite{atoms[0] - 1, rule, std::vector<std::int32_t>{}});
      for (std::size_t k = 1; k < atoms.size(); ++k) site.parts.push_back(atoms[k] - 1);
    }
  }
  return resolved_virtual_sites(given);
}

std::optional<double> bonded_parameter(const Input::MoleculeTerm& term, std::string_view name) {
  const auto names = bonded_parameter_names();
  return term.parameters[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
}

Topology topology_from_input(const Input& input) {
  return input.molecules.empty() ? Topology() : Builder(input).build();
}

std::vector<Topology::Constraint> constraints_of(const Input& input,
                                                 const Input::Molecule& molecule) {
  std::map<Pair, double> distances;
  const auto pair = [](const std::vector<int>& atoms) {
    return ordered(atoms[0] - 1, atoms[1] - 1);
  };
  for (const Input::MoleculeTerm& term : molecule.constraints) {
    for (const auto& atoms : term.atoms) distances[pair(atoms)] = *bonded_parameter(term, "r0");
  }
  std::set<std::string_view> light;
  for (const Input::Type& type : input.types) {
    if (type.mass > 0.0 && type.mass < heaviest_hydrogen) light.insert(type.name);
  }
  const auto is_light = [&](int atom) {
    return light.contains(molecule.atoms[static_cast<std::size_t>(atom - 1)].type);
  };
  for (const Input::MoleculeTerm& bond : molecule.bonds) {
    const auto r0 = bonded_parameter(bond, "r0");
    if (molecule.constrained_bonds == ConstrainedBonds::none || !r0) continue;
    for (const auto& atoms : bond.atoms) {
      if (molecule.constrained_bonds == ConstrainedBonds::hydrogen && !is_light(atoms[0]) &&
          !is_light(atoms[1])) {
        continue;
      }
      distances.emplace(pair(atoms), *r0);
    }
  }
  std::vector<Topology::Constraint> constraints;
  for (const auto& [atoms, distance] : distances) constraints.push_back({atoms, distance});
  return constraints;
}

namespace {

/// The largest number of bonds between two atoms that share a term or an exclusion, if terms follow
/// bonds.
int most_bonds_between_partners(const Input::Molecule& molecule) {
  const bool scales_pairs = molecule.lennard_jones_14 > 0.0 || molecule.coulomb_14 > 0.0;
  const int of_terms = !molecule.cmaps.empty()                      ? 4
                       : !molecule.torsions.empty() || scales_pairs ? 3
                       : !molecule.angles.empty()                   ? 2
                                                                    : 1;
  return std::max(molecule.excluded_bonds, of_terms);
}

/// Finds whether atoms of a molecule are at most so many bonds and constraints apart.
class Neighborhoods {
 public:
  Neighborhoods(const Input& input, const Input::Molecule& molecule, int most_bonds)
      : joined_(molecule.atoms.size()), near_(molecule.atoms.size()), most_bonds_(most_bonds) {
    for (const Input::MoleculeTerm& bond : molecule.bonds) {
      for (const auto& atoms : bond.atoms) join(atoms[0] - 1, atoms[1] - 1);
    }
    for (const auto& [atoms, distance] : constraints_of(input, molecule)) join(atoms[0], atoms[1]);
  }

  bool has(int from, int to) {
    std::vector<int>& near = near_[static_cast<std::size_t>(from)];
    if (near.empty()) {
      near.push_back(from);
      std::size_t begin = 0;
      for (int bond = 0; bond < most_bonds_; ++bond) {
        for (const std::size_t end = near.size(); begin < end; ++begin) {
          for (const int next : joined_[static_cast<std::size_t>(near[begin])]) {
            if (std::ranges::find(near, next) == near.end()) near.push_back(next);
          }
        }
      }
    }
    return std::ranges::find(near, to) != near.end();
  }

 private:
  void join(int a, int b) {
    joined_[static_cast<std::size_t>(a)].push_back(b);
    joined_[static_cast<std::size_t>(b)].push_back(a);
  }

  std::vector<std::vector<int>> joined_, near_;  ///< by atom; `near_` is filled on demand
  int most_bonds_;
};

}  // namespace

bool molecule_extent_is_certain(const Input& input) {
  return std::ranges::all_of(input.molecules, [&](const Input::Molecule& molecule) {
    Neighborhoods near(input, molecule, most_bonds_between_partners(molecule));
    const auto all_are_near = [&](const Input::MoleculeTerm& term) {
      return std::ranges::all_of(term.atoms, [&](const auto& atoms) {
        return std::ranges::all_of(
            atoms, [&](const int other) { return near.has(atoms[0] - 1, other - 1); });
      });
    };
    const auto has_length = [](const Input::MoleculeTerm& bond) {
      return bonded_parameter(bond, "r0").has_value();
    };
    return virtual_sites_of(molecule).empty() && std::ranges::all_of(molecule.bonds, has_length) &&
           std::ranges::all_of(
               std::array{&molecule.angles, &molecule.torsions, &molecule.impropers,
                          &molecule.cmaps, &molecule.special_pairs, &molecule.exclusions},
               [&](const auto* terms) { return std::ranges::all_of(*terms, all_are_near); });
  });
}

double molecule_extent(const Input& input) {
  double extent = 0.0;
  for (const Input::Molecule& molecule : input.molecules) {
    double longest = 0.0;
    for (const Input::MoleculeTerm& bond : molecule.bonds) {
      longest = std::max(longest, bonded_parameter(bond, "r0").value_or(0.0));
    }
    const int bonds = most_bonds_between_partners(molecule);
    extent = std::max(extent, 1.1 * bonds * longest);
    const Paths paths(input, molecule);
    for (const VirtualSite& site : virtual_sites_of(molecule)) {
      extent = std::max(extent, 1.1 * extent_of(site, paths));
    }
  }
  return extent;
}

std::string molecules_text(const Input& input) {
  std::string text;
  for (const Input::Molecule& molecule : input.molecules) {
    text += fmt::format("{} {} {} {} {}\n", molecule.name, molecule.count, molecule.excluded_bonds,
                        molecule.lennard_jones_14, molecule.coulomb_14);
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      text += fmt::format("{} {} {}\n", atom.name, atom.type,
                          atom.charge ? fmt::format("{}", *atom.charge) : std::string("-"));
    }
    // Written only if used, so that older inputs keep the same text.
    if (molecule.constrained_bonds != ConstrainedBonds::none) {
      text += fmt::format("{}\n", choice_name(molecule.constrained_bonds));
    }
    if (molecule.hydrogen_mass != 0.0) {
      text += fmt::format("hydrogen mass {}\n", molecule.hydrogen_mass);
    }
    if (!molecule.constraints.empty()) text += "constraints\n";
    for (const Input::MoleculeTerm& term : molecule.constraints) text += text_of(term);
    if (!molecule.virtual_sites.empty()) text += "virtual sites\n";
    for (const Input::MoleculeVirtualSite& site : molecule.virtual_sites) text += text_of(site);
    for (const auto* terms :
         {&molecule.bonds, &molecule.angles, &molecule.torsions, &molecule.impropers,
          &molecule.cmaps, &molecule.special_pairs, &molecule.exclusions}) {
      text += fmt::format("{}\n", terms->size());
      for (const Input::MoleculeTerm& term : *terms) text += text_of(term);
    }
  }
  return text;
}

}  // namespace sterna::md
