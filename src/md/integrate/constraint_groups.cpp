#include "md/integrate/constraint_groups.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/system/joined_atoms.hpp"
#include "md/system/rigid_shape.hpp"

namespace sterna::md {
namespace {

/// Factor on the halo width that constraints need, because distances may deviate at the start.
constexpr double margin = 1.1;

double extent_of(const RigidShape& shape) {
  double squared = 0.0;
  for (const Vec3& a : shape.points) {
    for (const Vec3& b : shape.points) squared = std::max(squared, dot(a - b, a - b));
  }
  return std::sqrt(squared);
}

/// Makes the group a rotor, if it can move as one.
void try_rotor(ConstraintGroup& group, const RigidShape& shape,
               std::span<const double> inverse_masses) {
  group.rotor = ConstraintRotor::of(shape, inverse_masses);
  if (!group.rotor) return;
  for (std::uint32_t k = 1; k < group.atoms.size(); ++k) {
    const auto parent = static_cast<std::uint32_t>(group.parent[k]);
    const auto joins = [&](const PointDistance& pair) {
      return std::minmax(pair.first, pair.second) == std::minmax(k, parent);
    };
    PointDistance& pair = *std::ranges::find_if(group.constraints, joins);
    pair.first = k;
    pair.second = parent;
    std::swap(pair, group.constraints[k - 1]);
  }
}

/// Lets SETTLE solve the group, if it is an isosceles triangle with equal masses at the base.
void try_settle(ConstraintGroup& group, std::span<const double> inverse_masses) {
  if (group.atoms.size() != 3 || group.constraints.size() != 3) return;
  for (std::uint32_t apex = 0; apex < 3; ++apex) {
    std::vector<PointDistance> sides = group.constraints;
    const auto at_apex = [apex](const PointDistance& side) {
      return side.first == apex || side.second == apex;
    };
    std::ranges::stable_partition(sides, at_apex);
    for (PointDistance& side : sides) {
      if (side.first == apex) std::swap(side.first, side.second);
    }
    const double leg = sides[0].distance, base = sides[2].distance;
    const double w = inverse_masses[apex], v = inverse_masses[sides[0].first];
    if (sides[1].distance != leg || !(base < 2.0 * leg)) continue;
    if (inverse_masses[sides[1].first] != v || !(w > 0.0) || !(v > 0.0)) continue;
    group.constraints = std::move(sides);
    group.settle.emplace(1.0 / w, 1.0 / v, leg, base);
    return;
  }
}

/// The change of each constraint of a group; empty if none changes.
std::vector<double> changes_of(const ConstraintGroup& group,
                               std::span<const ChangingConstraint> changing) {
  std::vector<double> changes(group.constraints.size(), 0.0);
  bool any = false;
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const PointDistance& pair = group.constraints[k];
    const auto atoms = std::minmax(group.atoms[pair.first], group.atoms[pair.second]);
    for (const ChangingConstraint& one : changing) {
      if (std::minmax(one.atoms[0], one.atoms[1]) != atoms) continue;
      changes[k] = one.change;
      any = true;
    }
  }
  return any ? changes : std::vector<double>();
}

}  // namespace

double ConstraintGroup::change_of(const Topology::Pair& wanted) const {
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const auto pair = std::minmax(atoms[constraints[k].first], atoms[constraints[k].second]);
    if (pair == std::minmax(wanted[0], wanted[1])) return changes[k];
  }
  return 0.0;
}

ConstraintGroups::ConstraintGroups(const Topology& topology, std::span<const double> inverse_masses,
                                   ConstraintAlgorithm algorithm, double tolerance, double halo,
                                   const ChangingConstraints& changing) {
  std::uint32_t number = 0;
  for (const Topology::Molecule& molecule : topology.molecules()) {
    Kind& kind = kinds_.emplace_back(kind_of(molecule));
    for (ConstraintGroup& group : kind.groups) {
      if (!changing.empty()) group.changes = changes_of(group, changing[kinds_.size() - 1]);
      group.number = number++;
      choose(group, molecule, inverse_masses, algorithm, tolerance, halo);
    }
    const auto has_rotor = [](const ConstraintGroup& group) { return group.rotor.has_value(); };
    if (std::ranges::any_of(kind.groups, has_rotor)) with_rotors_.push_back(molecule.name);
  }
}

void ConstraintGroups::choose(ConstraintGroup& group, const Topology::Molecule& molecule,
                              std::span<const double> inverse_masses, ConstraintAlgorithm algorithm,
                              double tolerance, double halo) {
  using enum ConstraintAlgorithm;
  std::optional<RigidShape> shape;
  if (group.atoms.size() > 2) {
    shape = rigid_shape(group.atoms.size(), group.constraints, tolerance);
  }
  if (shape) group.extent = margin * extent_of(*shape);
  group.spans_ranks =
      algorithm == conjugate_gradients || (algorithm != shake && group.extent > halo);
  if (group.spans_ranks) return;
  std::vector<double> of_atoms;
  for (const std::int32_t atom : group.atoms) {
    const auto type = molecule.atoms[static_cast<std::size_t>(atom)].type;
    of_atoms.push_back(inverse_masses[static_cast<std::size_t>(type)]);
  }
  const bool is_fixed = group.changes.empty();
  if (algorithm == automatic && shape && is_fixed) try_rotor(group, *shape, of_atoms);
  if (algorithm == settle && is_fixed) try_settle(group, of_atoms);
  if (!group.rotor && !group.settle) group.shape = shape_of(group);
}

ConstraintGroups::Kind ConstraintGroups::kind_of(const Topology::Molecule& molecule) {
  JoinedGroups joined = joined_by_constraints(molecule);
  Kind kind{.groups = {}, .group_of = std::move(joined.group_of)};
  for (JoinedAtoms& atoms : joined.groups) {
    std::vector<double> from_first;  // distances along the tree of parents
    for (std::size_t k = 0; k < atoms.atoms.size(); ++k) {
      const std::int32_t parent = atoms.parent[k];
      from_first.push_back(atoms.to_parent[k] +
                           (parent < 0 ? 0.0 : from_first[static_cast<std::size_t>(parent)]));
    }
    // The longest path between two atoms goes from the farthest through the first to the next
    // farthest.
    std::ranges::sort(from_first, std::greater<>());
    ConstraintGroup& group = kind.groups.emplace_back();
    group.extent = margin * (from_first[0] + from_first[1]);
    group.constraints = std::move(atoms.distances);
    group.atoms = std::move(atoms.atoms);
    group.parent = std::move(atoms.parent);
  }
  return kind;
}

std::optional<std::uint32_t> ConstraintGroups::shape_of(const ConstraintGroup& group) {
  if (group.atoms.size() > most_atoms_together ||
      group.constraints.size() > most_constraints_together) {
    return std::nullopt;
  }
  std::vector<ConstrainedPair> pairs;
  for (const PointDistance& pair : group.constraints) {
    pairs.push_back({pair.first, pair.second});
  }
  const auto found = std::ranges::find(shapes_, pairs);
  const auto shape = static_cast<std::uint32_t>(found - shapes_.begin());
  if (found == shapes_.end()) shapes_.push_back(std::move(pairs));
  return shape;
}

const ConstraintGroup* ConstraintGroups::of(const Topology::Place& place) const {
  const Kind& kind = kinds_[place.molecule];
  const std::int32_t group = kind.group_of[static_cast<std::size_t>(place.atom)];
  return group < 0 ? nullptr : &kind.groups[static_cast<std::size_t>(group)];
}

bool ConstraintGroups::span_ranks() const {
  return std::ranges::any_of(kinds_, [](const Kind& kind) {
    return std::ranges::any_of(kind.groups, &ConstraintGroup::spans_ranks);
  });
}

bool ConstraintGroups::lengths_change() const {
  return std::ranges::any_of(kinds_, [](const Kind& kind) {
    return std::ranges::any_of(kind.groups,
                               [](const ConstraintGroup& group) { return !group.changes.empty(); });
  });
}

double ConstraintGroups::extent() const {
  double extent = 0.0;
  for (const Kind& kind : kinds_) {
    for (const ConstraintGroup& group : kind.groups) {
      if (group.spans_ranks) {
        const double longest =
            std::ranges::max(group.constraints, {}, &PointDistance::distance).distance;
        extent = std::max(extent, margin * longest);
      } else {
        extent = std::max(extent, group.extent);
      }
    }
  }
  return extent;
}

}  // namespace sterna::md
