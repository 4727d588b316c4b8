#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// Pairs of atoms of a molecule that interact by a fraction of the potential between their types,
/// as with the factors of LAMMPS's special_bonds. The neighbor list excludes them.
///
/// Each rank computes the pairs of its own atoms, and pairs of two own atoms twice, so no force is
/// communicated. A partner that the store lacks is beyond the cutoff until the next rebuild.
class ScaledPairs final : public ForceTerm {
 public:
  struct Pair {
    std::int32_t atoms[2];  ///< in the molecule, from 0
    double share;
  };
  /// `pairs`: for each kind of molecule; all of them are exclusions of the topology. `functions`:
  /// for all pairs of types. `places` must be rebuilt before this object.
  ScaledPairs(std::shared_ptr<const MoleculePlaces> places,
              const std::vector<std::vector<Pair>>& pairs, std::vector<PairFunction> functions);

  std::string_view name() const override { return "scaled_pairs"; }
  bool keeps_momentum() const override { return true; }
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  Settings settings() const override;

 private:
  /// A partner of one atom of a molecule.
  struct Partner {
    std::uint32_t atom;
    double share;
  };
  struct Local {
    std::uint32_t particle, other;  ///< places in the store
    std::uint32_t function;
    double share;
  };

  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<PairFunction> functions_;
  std::size_t type_count_;
  /// For each atom of each kind of molecule.
  std::vector<std::vector<std::vector<Partner>>> partners_;
  std::vector<Local> local_;
};

}  // namespace sterna::md
