#include "md/integrate/constraint_groups.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sterna::md {
namespace {

/// What halos are wider by than the constraints ask for, as the distances may deviate at the start.
constexpr double margin = 1.1;

/// Makes it one of SETTLE's where it is a triangle of two equal sides, between atoms of the right
/// masses.
void try_settle(ConstraintGroup& group, std::span<const double> inverse_masses) {
  using Pair = ConstraintGroup::Pair;
  if (group.atoms.size() != 3 || group.constraints.size() != 3) return;
  for (std::uint32_t apex = 0; apex < 3; ++apex) {
    std::vector<Pair> sides = group.constraints;
    const auto at_apex = [apex](const Pair& side) {
      return side.first == apex || side.second == apex;
    };
    std::ranges::stable_partition(sides, at_apex);
    for (Pair& side : sides) {
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

}  // namespace

ConstraintGroups::ConstraintGroups(const Topology& topology, std::span<const double> inverse_masses,
                                   ConstraintAlgorithm algorithm, double halo) {
  for (const Topology::Molecule& molecule : topology.molecules()) {
    Kind& kind = kinds_.emplace_back(kind_of(molecule));
    for (ConstraintGroup& group : kind.groups) {
      if (algorithm == ConstraintAlgorithm::automatic) {
        std::vector<double> of_atoms;
        for (const std::int32_t atom : group.atoms) {
          const auto type = molecule.atoms[static_cast<std::size_t>(atom)].type;
          of_atoms.push_back(inverse_masses[static_cast<std::size_t>(type)]);
        }
        try_settle(group, of_atoms);
      }
      group.spans_ranks = algorithm == ConstraintAlgorithm::conjugate_gradients ||
                          (algorithm == ConstraintAlgorithm::automatic && group.reach > halo);
      if (group.spans_ranks) group.settle.reset();
      if (!group.settle && !group.spans_ranks) group.shape = shape_of(group);
    }
  }
}

ConstraintGroups::Kind ConstraintGroups::kind_of(const Topology::Molecule& molecule) {
  struct Joined {
    std::int32_t atom;
    double distance;
  };
  std::vector<std::vector<Joined>> joined(molecule.atoms.size());
  for (const Topology::Constraint& constraint : molecule.constraints) {
    const auto [a, b] = constraint.atoms;
    joined[static_cast<std::size_t>(a)].push_back({b, constraint.distance});
    joined[static_cast<std::size_t>(b)].push_back({a, constraint.distance});
  }
  Kind kind;
  kind.group_of.assign(molecule.atoms.size(), -1);
  std::vector<std::uint32_t> place_in_group(molecule.atoms.size());
  for (std::size_t start = 0; start < joined.size(); ++start) {
    if (joined[start].empty() || kind.group_of[start] >= 0) continue;
    const auto number = static_cast<std::int32_t>(kind.groups.size());
    ConstraintGroup& group = kind.groups.emplace_back();
    std::vector<double> from_first;  // along the tree
    const auto take = [&](std::int32_t atom, std::int32_t parent, double distance) {
      const auto a = static_cast<std::size_t>(atom);
      kind.group_of[a] = number;
      place_in_group[a] = static_cast<std::uint32_t>(group.atoms.size());
      group.atoms.push_back(atom);
      group.parent.push_back(parent);
      from_first.push_back(distance);
    };
    take(static_cast<std::int32_t>(start), -1, 0.0);
    for (std::size_t next = 0; next < group.atoms.size(); ++next) {
      for (const auto& [other, distance] : joined[static_cast<std::size_t>(group.atoms[next])]) {
        if (kind.group_of[static_cast<std::size_t>(other)] >= 0) continue;
        take(other, static_cast<std::int32_t>(next), from_first[next] + distance);
      }
    }
    // To the first atom from the farthest one, and on to any other.
    std::ranges::sort(from_first, std::greater<>());
    group.reach = margin * (from_first[0] + from_first[1]);
  }
  for (const Topology::Constraint& constraint : molecule.constraints) {
    const auto a = static_cast<std::size_t>(constraint.atoms[0]);
    const auto b = static_cast<std::size_t>(constraint.atoms[1]);
    kind.groups[static_cast<std::size_t>(kind.group_of[a])].constraints.push_back(
        {place_in_group[a], place_in_group[b], constraint.distance});
  }
  return kind;
}

std::optional<std::uint32_t> ConstraintGroups::shape_of(const ConstraintGroup& group) {
  if (group.atoms.size() > most_atoms_together ||
      group.constraints.size() > most_constraints_together) {
    return std::nullopt;
  }
  std::vector<ConstrainedPair> pairs;
  for (const ConstraintGroup::Pair& pair : group.constraints) {
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

double ConstraintGroups::reach() const {
  double reach = 0.0;
  for (const Kind& kind : kinds_) {
    for (const ConstraintGroup& group : kind.groups) {
      if (group.spans_ranks) {
        const double longest =
            std::ranges::max(group.constraints, {}, &ConstraintGroup::Pair::distance).distance;
        reach = std::max(reach, margin * longest);
      } else {
        reach = std::max(reach, group.reach);
      }
    }
  }
  return reach;
}

}  // namespace sterna::md
