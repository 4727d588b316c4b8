#include "md/system/joined_atoms.hpp"

namespace sterna::md {

JoinedGroups joined_by_constraints(const Topology::Molecule& molecule) {
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
  JoinedGroups result;
  result.group_of.assign(molecule.atoms.size(), -1);
  std::vector<std::uint32_t> place_of(molecule.atoms.size());  // place of each atom in its group
  for (std::size_t start = 0; start < joined.size(); ++start) {
    if (joined[start].empty() || result.group_of[start] >= 0) continue;
    const auto number = static_cast<std::int32_t>(result.groups.size());
    JoinedAtoms& group = result.groups.emplace_back();
    const auto take = [&](std::int32_t atom, std::int32_t parent, double distance) {
      const auto a = static_cast<std::size_t>(atom);
      result.group_of[a] = number;
      place_of[a] = static_cast<std::uint32_t>(group.atoms.size());
      group.atoms.push_back(atom);
      group.parent.push_back(parent);
      group.to_parent.push_back(distance);
    };
    take(static_cast<std::int32_t>(start), -1, 0.0);
    for (std::size_t next = 0; next < group.atoms.size(); ++next) {
      for (const auto& [other, distance] : joined[static_cast<std::size_t>(group.atoms[next])]) {
        if (result.group_of[static_cast<std::size_t>(other)] >= 0) continue;
        take(other, static_cast<std::int32_t>(next), distance);
      }
    }
  }
  for (std::uint32_t k = 0; k < molecule.constraints.size(); ++k) {
    const auto& [atoms, distance] = molecule.constraints[k];
    const auto first = static_cast<std::size_t>(atoms[0]);
    const auto second = static_cast<std::size_t>(atoms[1]);
    JoinedAtoms& group = result.groups[static_cast<std::size_t>(result.group_of[first])];
    group.constraints.push_back(k);
    group.distances.push_back({place_of[first], place_of[second], distance});
  }
  return result;
}

}  // namespace sterna::md
