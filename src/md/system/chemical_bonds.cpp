#include "md/system/chemical_bonds.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace sterna::md {

std::vector<Topology::Pair> chemical_bonds(const Topology::Molecule& molecule) {
  const auto ordered = [](std::int32_t a, std::int32_t b) -> Topology::Pair {
    return {std::min(a, b), std::max(a, b)};
  };
  std::set<Topology::Pair> pairs;
  std::map<Topology::Pair, double> distances;
  std::vector<std::set<std::int32_t>> near(molecule.atoms.size());
  const auto join = [&near](const Topology::Pair& pair) {
    near[static_cast<std::size_t>(pair[0])].insert(pair[1]);
    near[static_cast<std::size_t>(pair[1])].insert(pair[0]);
  };
  for (const auto& [a, b] : molecule.bonds) {
    pairs.insert(ordered(a, b));
    join({a, b});
  }
  for (const Topology::Constraint& constraint : molecule.constraints) {
    distances.emplace(ordered(constraint.atoms[0], constraint.atoms[1]), constraint.distance);
    join(constraint.atoms);
  }
  const auto distance_of = [&](std::int32_t a, std::int32_t b) {
    const auto found = distances.find(ordered(a, b));
    return found == distances.end() ? 0.0 : found->second;
  };
  for (const auto& [pair, distance] : distances) {
    const auto& others = near[static_cast<std::size_t>(pair[1])];
    // The tolerance keeps all bonds of a three-membered ring, whose sides have nearly equal
    // lengths.
    const auto is_long_side = [&, first = pair[0], second = pair[1]](std::int32_t third) {
      return others.contains(third) &&
             distance > 1.05 * std::max(distance_of(first, third), distance_of(second, third));
    };
    if (std::ranges::none_of(near[static_cast<std::size_t>(pair[0])], is_long_side)) {
      pairs.insert(pair);
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace sterna::md
