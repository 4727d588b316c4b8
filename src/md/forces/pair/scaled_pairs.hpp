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

/// Pairs of atoms of a molecule that have a share of the potential between their types, and a share
/// of the interaction of their charges if that ends at a cutoff: the factors of LAMMPS's
/// special_bonds. The neighbor list excludes these pairs.
///
/// Each rank computes the pairs of its own atoms, and pairs of two own atoms twice, so no force is
/// communicated. A partner that the store lacks is beyond the cutoff until the next rebuild.
class ScaledPairs final : public ForceTerm {
 public:
  struct Pair {
    std::int32_t atoms[2];  ///< indices in the molecule, from 0
    double share, charge_share;
  };
  /// `pairs` has the pairs of each kind of molecule, all of which are exclusions. `functions` has
  /// tables of all pairs of types, whose potentials are added. `charges` and the factor for charges
  /// of atoms are used if a pair has a share of the charges. The owner of `places` rebuilds it
  /// before this term.
  ScaledPairs(std::shared_ptr<const MoleculePlaces> places,
              const std::vector<std::vector<Pair>>& pairs,
              const std::vector<std::vector<PairFunction>>& functions, CutoffCharges charges,
              double charge_factor);

  std::string_view name() const override { return "scaled_pairs"; }
  bool keeps_momentum() const override { return true; }
  void rebuild(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  Settings settings() const override;
  /// The energy of the charges, if they have a share.
  std::vector<Part> parts() const override { return parts_; }

 private:
  /// A partner of one atom, with the shares of the pair.
  struct Partner {
    std::uint32_t atom;
    double share, charge_share;
  };
  struct Local {
    std::uint32_t particle, other;  ///< places in the store
    std::uint32_t types;            ///< index in `functions_`
    double share, charge_product;
  };

  std::shared_ptr<const MoleculePlaces> places_;
  std::vector<std::vector<PairFunction>> functions_;  ///< for each pair of types
  std::size_t type_count_;
  CutoffCharges charges_;
  double charge_factor_;
  /// The partners by kind of molecule and atom.
  std::vector<std::vector<std::vector<Partner>>> partners_;
  std::vector<Local> local_;
  std::vector<Part> parts_;
};

}  // namespace sterna::md
