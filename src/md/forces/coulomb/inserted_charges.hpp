#pragma once

#include <array>
#include <span>
#include <vector>

#include "md/core/box.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The Coulomb energy that one more molecule would have in a periodic system of charges and point
/// dipoles, with a conductor around the images: by Ewald sums, whose structure factors of the
/// system are computed once for all inserted molecules. The molecule must be neutral.
class InsertedCharges {
 public:
  struct Site {
    Vec3 position;
    double charge;
    Vec3 dipole;
  };
  /// `accuracy`: of what both sums leave out, relative to the energy of two charges.
  InsertedCharges(const comm::Context& context, double accuracy);

  /// Collective. `own`: the sites of this rank's particles. `real_cutoff`: pairs of sites up to this
  /// distance will be added by `near`.
  void prepare(const Box& box, double real_cutoff, std::span<const Site> own);
  /// The energy of two sites of different molecules, screened; d points from b to a.
  double near(const Site& a, const Site& b, const Vec3& d) const;
  /// The rest of the energy of the molecule, whose sites are in one image.
  double far(std::span<const Site> molecule);

 private:
  /// Waves with the same numbers along the second and third edge.
  struct Row {
    int y, z;
    int first, last;    ///< numbers along the first edge
    std::size_t begin;  ///< index of the first one
  };
  using Factors = std::array<double, 3>;  ///< of products of charges, mixed ones, of dipoles

  void choose_waves(double most);
  void add(const Site& site, std::vector<double>& real, std::vector<double>& imaginary);
  static double of_pair(const Site& a, const Site& b, const Vec3& d, const Factors& by);
  /// What the sum over waves has of two sites at this distance, which is no pair of one molecule.
  Factors smooth(double r2) const;

  comm::Context context_;
  double decay_;  ///< s of exp(-s^2)
  double kappa_ = 0.0;
  Lattice reciprocal_{};
  int most_[3] = {0, 0, 0};
  std::vector<Row> rows_;
  std::vector<double> weight_, real_, imaginary_;  ///< of each wave
  std::vector<double> own_real_, own_imaginary_;   ///< of the inserted molecule
  std::vector<double> phase_real_[3], phase_imaginary_[3];
};

}  // namespace sterna::md
