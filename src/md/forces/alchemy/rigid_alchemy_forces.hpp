#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/energy_and_virial.hpp"
#include "md/core/quaternion.hpp"
#include "md/forces/alchemy/alchemical_term.hpp"
#include "md/forces/body_pairs.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// Rigid molecules whose van der Waals interactions, charges and multipoles are switched off, state by
/// state. The rows of the neighbor list have no pairs of them: this term has all. With whole charges
/// and multipoles, U_RA is the energy of these molecules with others, and U_AA that of these with
/// each other. The energy of the term is
///
/// U(lambda) = (1 - lambda) U_RA + (1 - lambda)^2 U_AA,
///
/// or (1 - lambda) (U_RA + U_AA), if energies are interpolated. Where a solver has charges and
/// dipoles, it has those of alchemical molecules times 1 - lambda, and this term has quadrupoles. If
/// energies are interpolated, the solver's part of U_AA lacks lambda (1 - lambda) U_AA, which is
/// added here. A rigid molecule has no energy within
/// itself, so it is decoupled and annihilated alike.
///
/// All ranks know the places and orientations of all alchemical molecules by a reduction. Each rank
/// computes their pairs with its own particles, and a second reduction adds the forces and torques on
/// alchemical molecules.
class RigidAlchemyForces final : public AlchemicalTerm {
 public:
  /// Charges and dipoles at any distance, by a solver.
  struct SolvedCharges {
    /// Gives all alchemical molecules this factor of their charges and dipoles.
    std::function<void(double)> scale{};
    /// Collective. This rank's share of whole charges times potentials of all charges as they are, and
    /// of dipoles and fields likewise, of these particles, given by ascending places in the store.
    std::function<double(const ParticleStore&, std::span<const std::uint32_t>)> in_potentials{};
    struct Body {
      std::size_t kind;
      Vec3 center;
      Quaternion orientation;
    };
    /// This rank's share of whole charges and dipoles of these bodies with each other and with the
    /// images of all: energy and virial, and forces and torques on each body.
    struct WithImages {
      EnergyAndVirial sums;
      std::vector<Vec3> forces, torques;
    };
    std::function<WithImages(std::span<const Body>)> with_images{};
  };
  struct Options {
    std::vector<char> is_alchemical;  ///< by kind
    States states;
    std::shared_ptr<const BodyPairs> pairs;
    /// Whether the energy of charges is linear in lambda, in place of the charges.
    bool interpolates_energies = false;
    std::function<BodiesBeyond(std::span<const double> counts, double volume)>
        beyond{};  ///< or empty
    std::optional<SolvedCharges> solved_charges{};
  };
  /// The box outlives this object.
  RigidAlchemyForces(const comm::Context& context, const Box& box, Options options);

  void restore(std::span<const double> state) override;
  void set_state_parameters(const StateParameters& values) override;
  void rebuild(const ParticleStore& particles) override;
  void start(const ParticleStore& particles) override;
  void finish(ParticleStore& particles, EnergyAndVirial* sums) override;
  std::vector<Part> parts() const override { return parts_; }
  Settings settings() const override;
  AlchemicalEnergies energies(const ParticleStore& particles,
                              std::span<const AlchemicalState> states) const override;

 private:
  struct Molecule {
    std::int64_t id;
    std::size_t kind;
    Vec3 center{};
    Quaternion orientation{};
    std::vector<Vec3> sites{};  ///< as BodyPairs turns them
  };

  void scale_charges() const;
  void list_molecules(const ParticleStore& particles);
  void take_places();
  /// The energy of charges is this times U_AA.
  double share_of_own(double lambda) const {
    return options_.interpolates_energies ? 1.0 - lambda : (1.0 - lambda) * (1.0 - lambda);
  }
  BodiesBeyond beyond() const {
    return options_.beyond ? options_.beyond(counts_, box_.volume()) : BodiesBeyond{};
  }
  /// Calls visit(m, i, kind of i, connection from particle i to molecule m, sites of i) for particles
  /// of this rank that are not alchemical.
  template <class Visit>
  void for_each_surrounding(const ParticleStore& particles, Visit&& visit) const;
  /// Calls visit(m, n, connection from n to m) for two alchemical molecules, of which the first is
  /// this rank's.
  template <class Visit>
  void for_each_pair(Visit&& visit) const;
  std::vector<SolvedCharges::Body> bodies() const;
  void push(std::size_t molecule, const Vec3& force, const Vec3& torque);
  /// Adds what the solver's charges of alchemical molecules with each other lack, if energies are
  /// interpolated. Returns this rank's share of its energy.
  double add_lacking_images(EnergyAndVirial& sums);

  comm::Context context_;
  const Box& box_;
  Options options_;
  bool is_listed_ = false;
  std::vector<double> counts_;  ///< of particles of each kind
  std::vector<char> acts_on_;   ///< by kind: whether an alchemical molecule acts on it
  std::vector<Molecule> molecules_;

  std::vector<std::uint32_t> slot_of_own_;   ///< index in `molecules_` of each own alchemical one
  std::vector<std::uint32_t> place_of_own_;  ///< its place in the store, ascending
  std::vector<char> is_own_;                 ///< by index in `molecules_`
  std::vector<std::uint32_t> surroundings_;  ///< places of particles on which a molecule acts
  /// Seven numbers of each molecule, center and orientation; and six, force and torque.
  std::vector<double> places_, forces_;
  std::optional<comm::ReductionBatch> of_places_, of_forces_;
  std::vector<Part> parts_;
};

}  // namespace sterna::md
