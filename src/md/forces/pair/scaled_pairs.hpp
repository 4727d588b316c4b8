#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "md/forces/force_term.hpp"
#include "md/forces/pair/charge_pairs.hpp"
#include "md/forces/pair/pair_function.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// Pairs of atoms of a molecule that interact by a share of what acts between their types, and by a
/// share of their charges that end at a cutoff: the factors of LAMMPS's special_bonds. The list of
/// neighbors excludes them.
///
/// Each rank computes the pairs of its own atoms, and pairs of two own atoms twice, so no force is
/// communicated. A partner that the store lacks is beyond the cutoff until the next rebuild.
class ScaledPairs final : public ForceTerm {
 public:
  struct Pair {
    std::int32_t atoms[2];  ///< in the molecule, from 0
    double share, charge_share;
  };
  /// `pairs`: of each kind of molecule, all of them exclusions there. `functions`: tables of all pairs
  /// of types, which add up. `charges` and the factor of those of atoms: where a pair has a share of
  /// them. `places` is rebuilt by others, before this.
  ScaledPairs(std::shared_ptr<const MoleculePlaces> places,
              const std::vector<std::vector<Pair>>& pairs,
              const std::vector<std::vector<PairFunction>>& functions, CutoffCharges charges,
              double charge_factor);

  std::string_view name() const override { return "scaled_pairs"; }
  bool keeps_momentum() const override { return true; }
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  Settings settings() const override;
  /// Where charges have a share: their energy by itself.
  std::vector<Part> parts() const override { return parts_; }

 private:
  /// A partner of one atom of a molecule.
  struct Partner {
    std::uint32_t atom;
    double share, charge_product;
  };
  struct Local {
    std::uint32_t particle, other;  ///< places in the store
    std::uint32_t types;            ///< which of `functions_`
    double share, charge_product;
  };

  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<std::vector<PairFunction>> functions_;  ///< of each pair of types
  std::size_t type_count_;
  CutoffCharges charges_;
  /// Of each atom of each kind of molecule.
  std::vector<std::vector<std::vector<Partner>>> partners_;
  std::vector<Local> local_;
  std::vector<Part> parts_;
};

}  // namespace sterna::md
