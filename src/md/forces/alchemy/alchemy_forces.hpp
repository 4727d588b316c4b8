#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/alchemy/alchemical_atoms.hpp"
#include "md/forces/alchemy/alchemical_charges.hpp"
#include "md/forces/alchemy/alchemical_pairs.hpp"
#include "md/forces/alchemy/alchemical_state.hpp"
#include "md/forces/alchemy/alchemical_term.hpp"
#include "md/forces/alchemy/changed_pairs.hpp"
#include "md/forces/alchemy/rigid_surroundings.hpp"
#include "md/forces/force_term.hpp"
#include "md/model/soft_core.hpp"
#include "md/system/topology.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Molecules whose van der Waals interactions and charges are switched off, state by state. The rows
/// of the neighbor list have no van der Waals pairs of their atoms: this term has all pairs of which
/// at least one atom is alchemical. Their charges, times 1 - lambda, are in the solver of charges or
/// in the rows like others. With q the whole charges of alchemical atoms the energy of charges is
///
/// U(lambda) = U_RR + (1 - lambda) U_RA + (1 - lambda)^2 U_AA,
///
/// where U_AA lacks the charges within one molecule, if these are kept. What the scaled charges lack
/// of them is added here. If energies are interpolated, (1 - lambda) U_AA is in place of the last
/// part: the difference, lambda (1 - lambda) U_AA, is added here, too.
///
/// Where molecules mutate, state B is not nothing: atoms have other types and charges there, and
/// U(lambda) is between both. Bonded terms and special pairs that change are all in this term.
///
/// All ranks know the positions of all alchemical atoms by a reduction. Each rank computes their
/// pairs with its own particles, and a second reduction adds the forces on alchemical atoms.
class AlchemyForces final : public AlchemicalTerm {
 public:
  using Value = AlchemicalPairs::Value;
  using Pair = AlchemicalPairs::Pair;

  struct Options {
    AlchemicalAtoms::Options atoms;
    States states;
    SoftCore soft_core{};
    /// Whether van der Waals interactions and charges within a molecule are kept: molecules are
    /// decoupled, not annihilated.
    bool keeps_molecules = true;
    std::vector<Pair> pairs;         ///< of all pairs of types, row by row
    std::vector<Pair> pairs_of_b{};  ///< likewise in state B; empty: there are none
    /// Energy and virial of the bonded terms of a kind of molecule that change, at a lambda and these
    /// positions of a whole molecule. Adds the forces on its atoms. Empty: there are none.
    std::function<EnergyAndVirial(std::size_t molecule, double lambda,
                                  std::span<const Vec3> positions, std::span<Vec3> forces)>
        changed_terms{};
    std::vector<std::vector<ChangedPair>> changed_pairs{};  ///< by kind of molecule; may be empty
    /// Rigid molecules around alchemical atoms; their kinds follow the types.
    std::optional<RigidSurroundings::Options> rigid{};
    bool tail_correction = false;
    AlchemicalCharges::Options charges{};
  };
  /// `whole`: the topology with all charges. The box outlives this object.
  AlchemyForces(const comm::Context& context, const Box& box, Topology whole, Options options);

  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override { return parts_; }
  Settings settings() const override;

  void set_charges(Topology& topology) const override;

  AlchemicalEnergies energies(const ParticleStore& particles,
                              std::span<const AlchemicalState> states) const override;

 private:
  using Molecule = AlchemicalAtoms::Molecule;
  /// This rank's part of the energies in some states.
  struct Sums {
    std::vector<double> lambdas;        ///< distinct ones of van der Waals interactions
    std::vector<double> van_der_waals;  ///< by these lambdas
    double by_van_der_waals = 0.0;
    AlchemicalCharges::Energies of_charges;
    std::vector<double> bonded_lambdas;  ///< distinct ones
    std::vector<double> bonded;          ///< by these
    double by_bonded = 0.0;
    double by_pairs_of_charges = 0.0;  ///< of changed pairs, which are linear in lambda
  };

  void count_types(const ParticleStore& particles);
  /// Pairs of atoms and rigid molecules, and their part of energies.
  RigidSurroundings::Parts add_rigid_forces(ParticleStore& particles, EnergyAndVirial& sums);
  void add_rigid_energies(const ParticleStore& particles, Sums& sums) const;
  std::vector<RigidSurroundings::Atom> atoms_among_rigid() const;
  std::span<const ChangedPair> changed_pairs_of(const Molecule& molecule) const {
    if (options_.changed_pairs.empty()) return {};
    return options_.changed_pairs[molecule.kind];
  }
  bool has_bonded() const { return static_cast<bool>(options_.changed_terms); }
  double bonded_energy(const Molecule& molecule, double lambda,
                       std::span<const Vec3> positions) const;
  /// dU/dlambda, by differences of four energies: exact to rounding where U is a polynomial in
  /// lambda of up to the fourth degree, as that of all harmonic terms is.
  double bonded_slope(const Molecule& molecule, double lambda,
                      std::span<const Vec3> positions) const;
  void add_changed_forces(EnergyAndVirial& sums);
  void add_changed_energies(Sums& sums) const;
  void add_van_der_waals(const ParticleStore& particles, Sums& sums) const;

  comm::Context context_;
  const Box& box_;
  Topology topology_;
  Options options_;
  AlchemicalPairs pairs_;
  AlchemicalAtoms atoms_;
  AlchemicalCharges charges_;
  bool has_changes_ = false;  ///< bonded terms or special pairs that change
  std::optional<std::size_t> changed_part_, charges_part_;  ///< indices in `parts_`
  bool types_are_counted_ = false;

  std::optional<RigidSurroundings> rigid_;
  std::vector<double> counts_of_kinds_;  ///< of types and rigid molecules

  std::vector<char> acts_on_;                ///< by type: whether an alchemical atom acts on it
  std::vector<std::uint32_t> surroundings_;  ///< places of particles on which an atom acts
  std::vector<double> coordinates_;          ///< three of each atom
  std::vector<double> forces_;               ///< three of each atom
  comm::ReductionBatch of_positions_, of_forces_;

  std::vector<Part> parts_;
};

}  // namespace sterna::md
