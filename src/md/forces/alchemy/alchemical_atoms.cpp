#include "md/forces/alchemy/alchemical_atoms.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {

AlchemicalAtoms::AlchemicalAtoms(const Box& box, const Topology& topology, const Options& options)
    : box_(box) {
  std::int64_t next_id = 1;
  for (const Topology::Run& run : topology.runs()) {
    const Topology::Molecule& of = topology.molecules()[run.molecule];
    const auto size = static_cast<std::int64_t>(of.atoms.size());
    if (options.is_alchemical[run.molecule] != 0) {
      for (std::int64_t n = 0; n < run.count; ++n) {
        molecules_.push_back({atoms_.size(), of.atoms.size(), run.molecule});
        for (std::int64_t k = 0; k < size; ++k) {
          const auto place = static_cast<std::size_t>(k);
          const Topology::Atom& atom = of.atoms[place];
          const double of_b = options.charges_of_b[run.molecule][place];
          atoms_.push_back({next_id + n * size + k, atom.type, options.charge_factor * atom.charge,
                            options.charge_factor * of_b, molecules_.size() - 1});
        }
      }
    }
    next_id += run.count * size;
  }
  for (std::size_t kind = 0; kind < topology.molecules().size(); ++kind) {
    auto& pairs = inner_.emplace_back();
    if (options.is_alchemical[kind] == 0) continue;
    pairs = inner_pairs_of(topology.molecules()[kind], options.shared_pairs.empty()
                                                           ? std::span<const SharedPair>()
                                                           : options.shared_pairs[kind]);
  }
  positions_.assign(atoms_.size(), Vec3{});
}

std::vector<AlchemicalAtoms::Inner> AlchemicalAtoms::inner_pairs_of(
    const Topology::Molecule& molecule, std::span<const SharedPair> shared) {
  std::vector<Inner> pairs;
  const auto count = static_cast<std::uint32_t>(molecule.atoms.size());
  std::vector<char> excluded(std::size_t{count} * count, 0);
  for (const auto& [a, b] : molecule.exclusions) {
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    excluded[first * count + second] = excluded[second * count + first] = 1;
  }
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = a + 1; b < count; ++b) {
      const bool is_excluded = excluded[std::size_t{a} * count + b] != 0;
      pairs.push_back({a, b, is_excluded, is_excluded ? 0.0 : 1.0});
    }
  }
  for (const SharedPair& pair : shared) {
    const auto [a, b] = std::minmax(pair.atoms[0], pair.atoms[1]);
    for (Inner& inner : pairs) {
      if (inner.first == static_cast<std::uint32_t>(a) &&
          inner.second == static_cast<std::uint32_t>(b)) {
        inner.charge_share = pair.charge_share;
      }
    }
  }
  return pairs;
}

void AlchemicalAtoms::forget_own() {
  slots_.clear();
  places_.clear();
  is_own_.assign(atoms_.size(), 0);
}

bool AlchemicalAtoms::takes(std::int64_t id, std::uint32_t place) {
  const auto found = std::ranges::lower_bound(atoms_, id, {}, &Atom::id);
  if (found == atoms_.end() || found->id != id) return false;
  const auto slot = static_cast<std::uint32_t>(found - atoms_.begin());
  slots_.push_back(slot);
  places_.push_back(place);
  is_own_[slot] = 1;
  return true;
}

void AlchemicalAtoms::place(std::span<const double> coordinates) {
  for (Molecule& molecule : molecules_) {
    molecule.radius = 0.0;
    for (std::size_t a = molecule.first; a < molecule.first + molecule.count; ++a) {
      const Vec3 at{coordinates[3 * a], coordinates[3 * a + 1], coordinates[3 * a + 2]};
      const Vec3& first = positions_[molecule.first];
      positions_[a] = a == molecule.first ? at : first + box_.nearest_image(at - first);
      const Vec3 arm = positions_[a] - first;
      molecule.radius = std::max(molecule.radius, std::sqrt(dot(arm, arm)));
    }
  }
}

}  // namespace sterna::md
