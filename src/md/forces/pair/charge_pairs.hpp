#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "md/core/precision.hpp"
#include "md/forces/pair/charge_curve.hpp"
#include "md/forces/pair/charge_work.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/topology.hpp"

namespace sterna::md {

/// Charges that act on each other within a cutoff. Each pair has the energy
///
/// q q' (1/r + curvature r^2 - shift),
///
/// excluded pairs have the same without 1/r, and each charge has -q^2 shift / 2. If there is a
/// curve, a pair has the energy q q' curve(r)/r.
struct CutoffCharges {
  double cutoff = 0.0;
  double curvature = 0.0, shift = 0.0;
  std::vector<double> of_types;  ///< charges of particles without a topology, in internal units
  std::shared_ptr<const ChargeCurve> curve = nullptr;
  /// with a curve: true if excluded pairs have its energy without 1/r, false if they have none
  bool answers_excluded = true;

  /// A dielectric with the permittivity `outside` beyond the cutoff and `inside` within it. Both
  /// are relative, and charges must already be divided by the root of `inside`. Barker and Watts,
  /// Mol. Phys. 26, 789 (1973); Tironi et al., J. Chem. Phys. 102, 5451 (1995).
  static CutoffCharges reaction_field(double cutoff, double inside, double outside);
  /// The charge of each particle's neighborhood is neutralized by opposite charges on the sphere of
  /// the cutoff, damped by erfc(damping r): Wolf et al., J. Chem. Phys. 110, 8254 (1999). With
  /// `shifts_force` the force, too, is 0 at the cutoff: Fennell and Gezelter, J. Chem. Phys. 124,
  /// 234104 (2006).
  static CutoffCharges damped(double cutoff, double damping, bool shifts_force);
  /// exp(-kappa r)/r: Debye and Hueckel, Phys. Z. 24, 185 (1923).
  static CutoffCharges screened(double cutoff, double kappa);
  /// 1/r + r/cutoff^2 - 2/cutoff: the shift of CHARMM.
  static CutoffCharges force_shifted(double cutoff);
  /// 1/r minus a constant up to `start`, then a polynomial that brings the force and its slope to
  /// 0: the shift of GROMACS.
  static CutoffCharges cubic_force_switched(double cutoff, double start);

  /// u and -u'/r of two charges of 1 within the cutoff.
  struct Value {
    double energy, force_over_r;
  };
  Value value(double r) const;
  /// The value to subtract for an excluded pair within the cutoff.
  Value lacking_of_excluded(double r) const;
  double energy(double r) const { return value(r).energy; }
};

/// The part of `PairForces` that computes pairs of charges from the rows of the list.
class ChargePairs {
 public:
  ChargePairs(CutoffCharges charges, std::string_view kernels);

  double cutoff() const { return charges_.cutoff; }
  /// From now on takes the charges of atoms from their molecules, times `factor`.
  void set_topology(const Topology& topology, double factor);
  /// True if a particle of the type may have a charge.
  bool has_charges(int type) const;
  /// Stores the charges of particles and ghosts by place; valid until the next call.
  void rebuild(const ParticleStore& particles, Precision precision);
  /// Adds to the forces, energy and virial of `work`.
  void compute(PairWork& work, std::span<const std::uint32_t> cells, Precision precision,
               bool with_sums) const;
  /// The energy of local particles in the reaction field that each of them causes itself.
  double self_energy() const { return self_energy_; }

 private:
  CutoffCharges charges_;
  const ChargeKernels& kernels_;
  std::vector<float> curve_single_;
  const Topology* topology_ = nullptr;
  double factor_ = 1.0;
  std::vector<char> types_with_charges_;
  std::vector<double> charge_;        ///< in double precision, by place in the store
  std::vector<float> charge_single_;  ///< in mixed precision
  double self_energy_ = 0.0;
};

}  // namespace sterna::md
