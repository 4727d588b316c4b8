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

/// Flexible molecules as wholes: however their atoms are spread over ranks and periodic images, all
/// atoms of a molecule come to one rank, and each atom is put to the image that is nearest to one
/// that it is bonded to. The rank of a molecule follows from its number and is always the same.
class WholeMolecules {
 public:
  struct Molecule {
    std::size_t kind;
    std::int64_t number;    ///< among all, from 1
    std::int64_t first_id;  ///< its atoms have this id and the following ones
    /// Of all atoms, in their order. The first one has moved without jumps since the start.
    std::span<const Vec3> positions;
  };

  /// Of those molecules that may have atoms in any of the groups. `topology` lives as long as this;
  /// `name`: of the exchange.
  WholeMolecules(const comm::Context& context, const Topology& topology,
                 std::span<const AtomGroup> groups, const std::string& name);

  /// Collective. The molecules of this rank, by number. Valid until the next call.
  std::span<const Molecule> gather(const Frame& frame);

  const Topology& topology() const { return *topology_; }

 private:
  struct Item {
    std::int64_t id;
    Vec3 position;  ///< unwrapped
  };
  /// An atom that is put next to another one.
  struct Link {
    std::uint32_t atom, to;
  };
  int keeper(std::int64_t molecule_number) const;

  const Topology* topology_;
  int ranks_;
  std::vector<char> wanted_;              ///< by kind
  std::vector<std::vector<Link>> links_;  ///< by kind: of all atoms but the first, in this order
  comm::SparseExchange<Item> to_keepers_;
  std::vector<Item> incoming_;
  std::vector<Vec3> positions_;
  std::vector<Molecule> molecules_;
};

/// Which atoms of a molecule have a bond or a constraint in common with each of its atoms.
std::vector<std::vector<std::uint32_t>> bonded_atoms(const Topology::Molecule& molecule);

}  // namespace sterna::md
