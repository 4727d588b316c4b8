#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/model/mixing.hpp"
#include "md/model/truncation.hpp"

namespace sterna::md {

/// The Lennard-Jones parameters of all pairs of types, in the form that the kernels read.
/// u(r) = c12/r^12 - c6/r^6 with c12 = 4 epsilon sigma^12 and c6 = 4 epsilon sigma^6.
class LennardJones {
 public:
  struct PairParameters {
    double epsilon;  ///< energy
    double sigma;    ///< length
  };
  /// Whether the fast kernels support this truncation; `PairFunction` supports all of them.
  static constexpr bool ends_by(Truncation truncation) {
    return truncation <= Truncation::switched;
  }
  /// `pairs`: type_count x type_count, symmetric. Throws std::invalid_argument if the fast kernels
  /// do not support the truncation.
  LennardJones(std::span<const PairParameters> pairs, int type_count, double cutoff,
               Truncation truncation, double switch_start = 0.0);

  int type_count() const { return type_count_; }
  double cutoff() const { return cutoff_; }
  Truncation truncation() const { return truncation_; }
  double switch_start() const { return switch_start_; }

  /// Row-major tables over pairs of types.
  std::span<const double> c12() const { return c12_; }
  std::span<const double> c6() const { return c6_; }
  /// The energy subtracted from u: u(rc) if shifted; u(rc) - rc u'(rc) if force-shifted; else 0.
  std::span<const double> energy_shift() const { return energy_shift_; }
  /// The force at the cutoff, -u'(rc), if force-shifted; else 0.
  std::span<const double> force_shift() const { return force_shift_; }

  /// Long-range correction for a homogeneous fluid beyond the cutoff, for the potential truncated
  /// without shift (Allen and Tildesley, Computer Simulation of Liquids, eq. 2.144 and 2.146). For
  /// `counts` particles of each type in `volume` it gives the energy and the virial sum r.f, both
  /// summed over all particles; the pressure correction is virial / (3 volume).
  struct TailCorrection {
    double energy;
    double virial;
  };
  TailCorrection tail_correction(std::span<const double> counts, double volume) const;

 private:
  int type_count_;
  double cutoff_;
  Truncation truncation_;
  double switch_start_;
  std::vector<double> c12_, c6_, energy_shift_, force_shift_;
};

/// The parameters of an unlike pair; formulas and sources are in docs/potentials.md. Two that are
/// alike are not changed, and one without a depth leaves none.
LennardJones::PairParameters mix(Mixing rule, LennardJones::PairParameters a,
                                 LennardJones::PairParameters b);

}  // namespace sterna::md
