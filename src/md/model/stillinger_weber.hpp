#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sterna::md {

/// Parameters of the potential of Stillinger and Weber for a central atom i with neighbors j and k,
/// named as in LAMMPS's files. Lengths and energies are in one set of units; the others are
/// dimensionless.
///
///   E    = 1/2 sum_i sum_j phi2(r_ij) + 1/2 sum_i sum_j sum_k phi3(r_ij, r_ik, theta_jik), j != k
///   phi2 = A epsilon (B (sigma / r)^p - (sigma / r)^q) exp(sigma / (r - a sigma))
///   phi3 = lambda epsilon (cos theta - cos_theta0)^2
///          exp(gamma sigma / (r_ij - a sigma)) exp(gamma sigma / (r_ik - a sigma))
///
/// Both are 0 from a sigma on. The triple i, j, j has the pair of i and j: all of phi2, and sigma, a
/// and gamma of phi3. The triple i, j, k has lambda epsilon and cos_theta0 of phi3.
struct StillingerWeberParameters {
  double epsilon = 0.0, sigma = 0.0, a = 0.0;
  double lambda = 0.0, gamma = 0.0, cos_theta0 = 0.0;
  double A = 0.0, B = 0.0, p = 0.0, q = 0.0;
  double tolerance = 0.0;  ///< not 0: terms end where they fall below it, before a sigma

  /// The parameters in other units: the present units of length and energy are `length` and
  /// `energy` in the new ones.
  StillingerWeberParameters scaled(double length, double energy) const;
  /// The distance from which on this pair has no terms.
  double cutoff() const;
};

/// A published set of parameters of one kind of atom, in angstrom and eV.
struct StillingerWeberElement {
  std::string_view name;  ///< "mW"
  std::string_view citation;
  StillingerWeberParameters parameters;
};

/// Published parameter sets: Si, mW.
std::span<const StillingerWeberElement> stillinger_weber_elements();
/// The set with this name, or null.
const StillingerWeberElement* find_stillinger_weber_element(std::string_view name);

/// The parameters of all ordered triples of types.
class StillingerWeberPotential {
 public:
  /// `triples[(i * types + j) * types + k]`: center i with neighbors j and k. Throws
  /// std::invalid_argument for impossible parameters, and where the pair of i and j is not that of j
  /// and i, or the angle of j and k not that of k and j.
  StillingerWeberPotential(std::vector<StillingerWeberParameters> triples, int type_count);

  int type_count() const { return type_count_; }
  const StillingerWeberParameters& triple(int i, int j, int k) const {
    return triples_[static_cast<std::size_t>((i * type_count_ + j) * type_count_ + k)];
  }
  const StillingerWeberParameters& pair(int i, int j) const { return triple(i, j, j); }
  /// The strength of an angle, lambda epsilon. Files round epsilon and lambda one by one, so that
  /// they may differ in the order of j and k; this is the mean of both.
  double strength(int i, int j, int k) const;
  /// The largest cutoff.
  double cutoff() const { return cutoff_; }

  /// The minima of the energies of two lone atoms: the shortest distance and the deepest energy
  /// over all pairs of types.
  struct Dimer {
    double length, energy;
  };
  Dimer strongest_dimer() const;

 private:
  void check_pair(int i, int j) const;
  void check_angle(int i, int j, int k) const;

  int type_count_;
  double cutoff_ = 0.0;
  std::vector<StillingerWeberParameters> triples_;
};

}  // namespace sterna::md
