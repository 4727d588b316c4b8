#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/observe/frame.hpp"
#include "md/system/atom_group.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::md {

/// Makes flexible molecules whole. Their atoms are spread over ranks and periodic images; here all
/// atoms of a molecule come to one rank, and each atom is moved to the image nearest to an atom to
/// which it is bonded. The rank of a molecule follows from its number and is always the same.
class WholeMolecules {
 public:
  struct Molecule {
    std::size_t kind;
    std::int64_t number;    ///< among all molecules, from 1
    std::int64_t first_id;  ///< atom k of the molecule has id first_id + k
    /// The positions of all atoms, in their order. The first atom has moved without jumps since the
    /// start.
    std::span<const Vec3> positions;
  };

  /// Gathers the molecules that may have atoms in any of the groups. `topology` must outlive this
  /// object; `name`: name of the exchange.
  WholeMolecules(const comm::Context& context, const Topology& topology,
                 std::span<const AtomGroup> groups, const std::string& name);

  /// Collective. The molecules that come to this rank, by number. Valid until the next call.
  std::span<const Molecule> gather(const Frame& frame);

  const Topology& topology() const { return *topology_; }

 private:
  struct Item {
    std::int64_t id;
    Vec3 position;  ///< unwrapped
  };
  /// An atom and the bonded atom next to which it is placed.
  struct Link {
    std::uint32_t atom, to;
  };
  int keeper(std::int64_t molecule_number) const;

  const Topology* topology_;
  int ranks_;
  std::vector<char> wanted_;              ///< by kind
  std::vector<std::vector<Link>> links_;  ///< by kind: all atoms but the first, in placing order
  comm::SparseExchange<Item> to_keepers_;
  std::vector<Item> incoming_;
  std::vector<Vec3> positions_;
  std::vector<Molecule> molecules_;
};

/// For each atom of a molecule, the atoms to which a bond or a constraint joins it.
std::vector<std::vector<std::uint32_t>> bonded_atoms(const Topology::Molecule& molecule);

}  // namespace sterna::md
