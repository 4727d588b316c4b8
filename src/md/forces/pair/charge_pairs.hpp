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

/// Charges that act on each other within a cutoff: each pair has the energy
///
///     q q' (1/r + curvature r^2 - shift),
///
/// excluded pairs have the same without 1/r, and each charge has -q^2 shift / 2. Where there is a
/// curve, a pair has the energy q q' curve(r)/r.
struct CutoffCharges {
  double cutoff = 0.0;
  double curvature = 0.0, shift = 0.0;
  std::vector<double> of_types;  ///< of particles without a topology; internal units
  std::shared_ptr<const ChargeCurve> curve = nullptr;
  bool answers_excluded = true;  ///< of a curve: excluded pairs have all but 1/r, else nothing

  /// A dielectric with the permittivity `outside` beyond the cutoff and `inside` within it. Both
  /// are relative, and charges must already be divided by the root of `inside`. Barker and Watts,
  /// Mol. Phys. 26, 789 (1973); Tironi et al., J. Chem. Phys. 102, 5451 (1995).
  static CutoffCharges reaction_field(double cutoff, double inside, double outside);
  /// Charges that a charge of the other sign on the sphere of the cutoff neutralizes, damped by
  /// erfc(damping r): Wolf et al., J. Chem. Phys. 110, 8254 (1999). With `shifts_force` the force,
  /// too, is 0 at the cutoff: Fennell and Gezelter, J. Chem. Phys. 124, 234104 (2006).
  static CutoffCharges damped(double cutoff, double damping, bool shifts_force);
  /// exp(-kappa r)/r: Debye and Hueckel, Phys. Z. 24, 185 (1923).
  static CutoffCharges screened(double cutoff, double kappa);
  /// 1/r + r/cutoff^2 - 2/cutoff: the shift of CHARMM.
  static CutoffCharges force_shifted(double cutoff);
  /// A constant less than 1/r up to `start`, then a polynomial by which the force and its slope go to
  /// 0: the shift of GROMACS.
  static CutoffCharges cubic_force_switched(double cutoff, double start);

  /// u and -u'/r of two charges of 1 within the cutoff.
  struct Value {
    double energy, force_over_r;
  };
  Value value(double r) const;
  /// What an excluded pair within the cutoff lacks of that.
  Value lacking_of_excluded(double r) const;
  double energy(double r) const { return value(r).energy; }
};

/// The part of `PairForces` that computes pairs of charges from the rows of the list.
class ChargePairs {
 public:
  ChargePairs(CutoffCharges charges, std::string_view kernels);

  double cutoff() const { return charges_.cutoff; }
  /// Takes the charges of atoms from their molecules from now on, times `factor`.
  void set_topology(const Topology& topology, double factor);
  /// Whether a particle of the type may have a charge.
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
  std::vector<double> charge_;        ///< by place, in double precision
  std::vector<float> charge_single_;  ///< in mixed precision
  double self_energy_ = 0.0;
};

}  // namespace sterna::md
