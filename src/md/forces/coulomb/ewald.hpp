#pragma once

#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// Energy by the terms of the sum, as the NIST reference calculations list them. Charge^2/length.
struct EwaldEnergies {
  double real = 0.0;            ///< erfc(kappa r) / r of pairs of different molecules, all images
  double fourier = 0.0;         ///< sum over reciprocal vectors
  double self = 0.0;            ///< each charge with its own cloud
  double intramolecular = 0.0;  ///< takes erf(kappa r) / r of pairs of one molecule off `fourier`
  double background = 0.0;      ///< of a charged system
  double surface = 0.0;         ///< the dipole term, with vacuum around

  double total() const { return real + fourier + self + intramolecular + background + surface; }
};

/// The reference for periodic electrostatics: direct sums in both spaces, any lattice, any
/// accuracy (Ewald, Ann. Phys. 369, 253 (1921); de Leeuw, Perram, Smith, Proc. R. Soc. A 373, 27
/// (1980)). Cost N^(3/2) at best; for tests and small systems. In one process: `gathered_ewald`
/// shares the terms out.
class EwaldSolver {
 public:
  struct Parameters {
    double splitting;          ///< kappa, 1/length
    double real_cutoff;        ///< length; may exceed the box, images are summed
    double reciprocal_cutoff;  ///< 1/length: |k| below it, k = 2 pi times the reciprocal lattice
    Surroundings surroundings = Surroundings::conductor;
  };
  /// Parameters whose truncation errors of a pair are about `accuracy` relative to 1/width of the
  /// box, with the costs of both sums about equal for `count` charges.
  static Parameters parameters(const Lattice& lattice, double accuracy, std::size_t count);

  EwaldSolver(const Lattice& lattice, const Parameters& parameters);

  struct Result : CoulombResult {
    EwaldEnergies energies;
  };
  /// Some of the terms of both sums, of all charges: those of all parts add up to the whole.
  struct Part {
    std::size_t index = 0, count = 1;
  };
  /// Pairs of one molecule are left out in their nearest images.
  Result solve(const PointCharges& charges) const { return solve(charges, {}); }
  Result solve(const PointCharges& charges, Part part) const;

 private:
  void add_real(const PointCharges& charges, Part part, Result& result,
                VirialProducts& virial) const;
  void add_fourier(const PointCharges& charges, Part part, Result& result,
                   VirialProducts& virial) const;
  void add_corrections(const PointCharges& charges, Result& result, VirialProducts& virial) const;
  /// The image of the connection that is shortest.
  Vec3 nearest(const Vec3& connection) const;

  Lattice lattice_;
  Lattice reciprocal_;
  Parameters parameters_;
  /// A connection below this length is the shortest of its images: no vector of the lattice is
  /// shorter than twice this length.
  double surely_nearest_;
};

}  // namespace sterna::md
