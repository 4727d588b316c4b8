#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/model/tersoff_form.hpp"

namespace sterna::md {

/// Parameters of Tersoff's potential for a bond i-j in the presence of a third atom k, named as in
/// LAMMPS's files. Lengths, inverse lengths and energies are in one set of units; the others are
/// dimensionless.
///
///   E      = 1/2 sum_i sum_j fC(r_ij) (A exp(-lambda1 r_ij) - b_ij B exp(-lambda2 r_ij))
///   b_ij   = (1 + (beta zeta_ij)^n)^(-1/(2n))
///   zeta_ij = sum_k fC(r_ik) g(theta_ijk) exp(lambda3^m (r_ij - r_ik)^m)
///   g      = gamma (1 + c^2/d^2 - c^2/(d^2 + (cos_theta0 - cos theta)^2))
///   fC     = 1 below R - D, 0 above R + D, (1 - sin(pi (r - R) / (2 D))) / 2 between
///
/// With nuclei the two-body terms, times F, are added to (1 - F) times the repulsion by Ziegler,
/// Biersack and Littmark, where F = 1 / (1 + exp(-fermi_steepness (r - fermi_center))).
///
/// Modified, by T. Kumagai et al., Comput. Mater. Sci. 39, 457 (2007), with u = cos_theta0 - cos theta
/// and s = sin(pi (r - R) / (2 D)):
///
///   b_ij   = (1 + zeta_ij^eta)^(-1/(2n))
///   g      = c1 + c2 u^2 / (c3 + u^2) (1 + c4 exp(-c5 u^2))
///   fC     = 1/2 - 9/16 s - 1/16 sin(3 pi (r - R) / (2 D)) between R - D and R + D
struct TersoffParameters {
  double m = 3.0;  ///< 1 or 3
  double gamma = 1.0;
  double lambda3 = 0.0;
  double c = 0.0, d = 1.0;
  double cos_theta0 = 0.0;
  double n = 1.0, beta = 0.0;
  double lambda2 = 0.0, B = 0.0;  ///< attraction
  double R = 0.0, D = 0.0;        ///< middle and half width of the cutoff's window
  double lambda1 = 0.0, A = 0.0;  ///< repulsion
  // With nuclei:
  double nucleus_i = 0.0, nucleus_j = 0.0;  ///< atomic numbers
  double fermi_center = 0.0, fermi_steepness = 0.0;
  double nuclear_strength =
      0.0;  ///< nucleus_i nucleus_j e^2 / (4 pi epsilon_0): energy times length
  double screening_length = 1.0;
  // Modified:
  double eta = 1.0, c1 = 0.0, c2 = 0.0, c3 = 1.0, c4 = 0.0, c5 = 0.0;

  /// With the values that follow from others: nuclear_strength and screening_length by J. F. Ziegler,
  /// J. P. Biersack and U. Littmark, The Stopping and Range of Ions in Solids (1985), in eV and
  /// angstrom.
  TersoffParameters completed(TersoffForm form) const;

  /// The parameters in other units: the present units of length and energy are `length` and
  /// `energy` in the new ones.
  TersoffParameters scaled(double length, double energy) const;
};

/// The parameters of an element as published, in angstrom and eV.
struct TersoffElement {
  std::string_view name;      ///< "Si(D)"
  std::string_view element;   ///< "Si"
  std::string_view citation;  ///< "J. Tersoff, Phys. Rev. B 39, 5566 (1989)"
  TersoffParameters parameters;
};

/// Published parameter sets: Si(B), Si(C), Si(D), C, Ge.
std::span<const TersoffElement> tersoff_elements();
/// The set with this name, or null. "Si" means Si(D), the set that mixes with C and Ge.
const TersoffElement* find_tersoff_element(std::string_view name);

/// The parameters of all ordered triples of types.
class TersoffPotential {
 public:
  /// `triples[(i * types + j) * types + k]`: bond i-j with third atom k. Two-body parameters are
  /// taken from j = k. Throws std::invalid_argument for impossible parameters: R <= D, D or n not
  /// positive, d = 0, m neither 1 nor 3, atomic numbers that are none.
  TersoffPotential(std::vector<TersoffParameters> triples, int type_count,
                   TersoffForm form = TersoffForm::published);

  /// Types that are published elements, mixed as in J. Tersoff, Phys. Rev. B 39, 5566 (1989): means
  /// of lambda, geometric means of A, B and both ends of the cutoff's window, B times chi. Throws
  /// std::invalid_argument for two elements without a published chi. `length` and `energy` are an
  /// angstrom and an eV in the units of the run.
  static TersoffPotential of_elements(std::span<const TersoffElement* const> elements,
                                      double length, double energy);

  TersoffForm form() const { return form_; }
  int type_count() const { return type_count_; }
  const TersoffParameters& triple(int i, int j, int k) const {
    return triples_[static_cast<std::size_t>((i * type_count_ + j) * type_count_ + k)];
  }
  const TersoffParameters& pair(int i, int j) const { return triple(i, j, j); }
  /// The largest R + D.
  double cutoff() const { return cutoff_; }
  /// Whether m, gamma, lambda3, c, d, cos_theta0 and c1 to c5 depend only on the central atom, and the cutoff
  /// of r_ik on i and k, as in Tersoff's own mixtures.
  bool depends_on_center_only() const { return simple_; }
  bool has_distance_term() const { return distance_term_; }  ///< whether any lambda3 is not 0

  /// The minima of the energies of two lone atoms: the shortest distance and the deepest energy
  /// over all pairs of types.
  struct Dimer {
    double length, energy;
  };
  Dimer strongest_dimer() const;

 private:
  TersoffForm form_;
  int type_count_;
  double cutoff_ = 0.0;
  bool simple_ = true;
  bool distance_term_ = false;
  std::vector<TersoffParameters> triples_;
};

/// Tersoff's chi, the strength of the bond between two elements relative to the mean of both:
/// 0.9776 for "C"-"Si", 1.00061 for "Ge"-"Si", 1 for an element with itself. Negative if none is
/// published.
double tersoff_chi(const TersoffElement& a, const TersoffElement& b);

}  // namespace sterna::md
