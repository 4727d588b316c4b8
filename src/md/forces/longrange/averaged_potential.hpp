#pragma once

#include <cstddef>
#include <vector>

#include "md/model/lennard_jones.hpp"
#include "md/model/molecule_model.hpp"

namespace sterna::md {

/// The Lennard-Jones energy of two molecules beyond the cutoff, averaged over all orientations of
/// both. It is a function of the distance R of their centers only, as a series of powers,
///   U(R) = sum over n of coefficient[n] (R / rc)^(-6 - 2 n).
/// With a cutoff of sites each pair of sites is its own pair of centers. A pair of components whose
/// energy is shifted at the cutoff is given none, and so is a pair of atoms.
class AveragedPotential {
 public:
  /// Throws std::invalid_argument if sites reach so far that sites of two molecules can touch while
  /// the centers are beyond the cutoff.
  AveragedPotential(const MoleculeModel& model, std::size_t a, std::size_t b);
  /// The potential of two particles: c12 / R^12 - c6 / R^6.
  AveragedPotential(double c6, double c12, double cutoff);

  double cutoff() const { return cutoff_; }
  /// U(R) and R U'(R) at a distance of at least the cutoff.
  double energy(double distance) const;
  double slope(double distance) const;
  /// Integrals of s U(s) and of s^2 U(s) from R to infinity, for R of at least the cutoff.
  double first_moment(double distance) const;
  double second_moment(double distance) const;
  /// The integral of the first moment from R to infinity.
  double first_moment_integral(double distance) const;

 private:
  void add(double strength, int power, double radius_a, double radius_b);
  /// The sum of coefficient[n] (R/rc)^(-6-2n) weight(6 + 2n).
  template <class Weight>
  double sum(double distance, Weight&& weight) const;

  double cutoff_;
  std::vector<double> coefficient_;
};

/// The potentials of all pairs of components, components^2.
std::vector<AveragedPotential> averaged_potentials(const MoleculeModel& model);
/// The potentials of all pairs of types, as if they were cut off without a shift.
std::vector<AveragedPotential> averaged_potentials(const LennardJones& potential);

}  // namespace sterna::md
