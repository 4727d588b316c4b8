#pragma once

#include "md/forces/coulomb/fmm/point_charges.hpp"

namespace sterna::md {

/// The terms of the energy, as in the NIST reference calculations. Charge^2/length.
struct EwaldEnergies {
  double real = 0.0;            ///< erfc(kappa r) / r of pairs of different molecules, all images
  double fourier = 0.0;         ///< sum over reciprocal vectors
  double self = 0.0;            ///< each charge with its own screening cloud
  double intramolecular = 0.0;  ///< subtracts erf(kappa r) / r of pairs of one molecule from
                                ///< `fourier`
  double background = 0.0;      ///< of a charged system
  double surface = 0.0;         ///< dipole term, if vacuum surrounds the images

  double total() const { return real + fourier + self + intramolecular + background + surface; }
};

/// The reference for periodic electrostatics: direct sums in real and reciprocal space, for any
/// lattice and any accuracy (Ewald, Ann. Phys. 369, 253 (1921); de Leeuw, Perram, Smith, Proc. R.
/// Soc. A 373, 27 (1980)). The cost is N^(3/2) at best; for tests and small systems. In one
/// process: `gathered_ewald` distributes the terms.
class EwaldSolver {
 public:
  struct Parameters {
    double splitting;          ///< kappa, 1/length
    double real_cutoff;        ///< length; may exceed the box, as images are summed
    double reciprocal_cutoff;  ///< 1/length: bound of |k|, k = 2 pi reciprocal vector
    Surroundings surroundings = Surroundings::conductor;
  };
  /// Parameters whose truncation errors of a pair are about `accuracy` relative to 1/width of the
  /// box, with about equal costs of both sums for `count` charges.
  static Parameters parameters(const Lattice& lattice, double accuracy, std::size_t count);

  EwaldSolver(const Lattice& lattice, const Parameters& parameters);

  struct Result : CoulombResult {
    EwaldEnergies energies;
  };
  /// A part of the terms of both sums, over all charges. The results of all parts add up to the
  /// whole.
  struct Part {
    std::size_t index = 0, count = 1;
  };
  /// Energies and forces of all charges. Pairs of one molecule are left out in their nearest image.
  /// All charges must be listed.
  Result solve(const PointCharges& charges) const { return solve(charges, {}); }
  Result solve(const PointCharges& charges, Part part) const;

 private:
  void add_real(const PointCharges& charges, Part part, Result& result,
                VirialProducts& virial) const;
  void add_fourier(const PointCharges& charges, Part part, Result& result,
                   VirialProducts& virial) const;
  void add_corrections(const PointCharges& charges, Result& result, VirialProducts& virial) const;
  /// The shortest image of a connection.
  Vec3 nearest(const Vec3& connection) const;

  Lattice lattice_;
  Lattice reciprocal_;
  Parameters parameters_;
  /// Half the length of the shortest lattice vector. A connection shorter than this is the shortest
  /// of its images.
  double surely_nearest_;
};

}  // namespace sterna::md
