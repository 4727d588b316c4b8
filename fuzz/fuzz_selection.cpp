// The selection language: any text gives a group that every atom is in or not, or an error whose
// column is in the text.
//
// sources: src/md/system/selection_expression.cpp src/md/system/atom_group.cpp
// sources: src/md/system/topology.cpp src/md/system/joined_atoms.cpp src/md/system/rigid_shape.cpp
// sources: src/md/core/units.cpp src/md/core/display_text.cpp
// sources: src/comm/context/nearest_name.cpp

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "md/system/atom_group.hpp"

namespace {

using namespace sterna::md;

void require(bool holds) {
  if (!holds) std::abort();
}

Topology molecules() {
  Topology::Molecule molecule;
  molecule.name = "M[1]";
  molecule.atoms = {{"C1", 0, 0.0}, {"H*", 1, 0.0}};
  return Topology({molecule}, {{0, 3}}, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Topology topology = molecules();
  const std::vector<AtomGroup::Particle> particles{{"C1", "C", "M[1]", "R*", 12.0, -0.5},
                                                   {"H*", "H", "M[1]", "R*", 1.0, 0.5}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const SelectionExpression expression(text);
    const AtomGroup group("group", expression, topology, particles, *UnitSystem::by_name("real"));
    bool any = false;
    for (std::int64_t id = 1; id <= topology.atom_count(); ++id) {
      const Position position{0.1 * static_cast<double>(id), 0.5, 1.5, 0};
      any = group.contains(id, position, Box{{1.0, 1.0, 1.0}}) || any;
    }
    require(!any || group.may_contain_molecule(0));
  } catch (const SelectionExpression::Error& error) {
    require(error.column() >= 1 && error.column() <= size + 1);
  }
  return 0;
}
