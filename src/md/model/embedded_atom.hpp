#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sterna::md {

/// The contents of a parameter file of the embedded-atom method: functions tabulated at equal
/// distances, starting at 0. Lengths in angstrom, energies in eV.
struct EmbeddedAtomTables {
  std::vector<std::string> elements;
  double density_spacing = 0.0, distance_spacing = 0.0, cutoff = 0.0;
  std::vector<std::vector<double>> embedding;  ///< for each element, F of the density
  /// elements x elements, entry (a, b): the density that an atom of b causes at an atom of a.
  std::vector<std::vector<double>> density;
  std::vector<std::vector<double>> pair;  ///< elements x elements: r phi(r)
  // Of the angular-dependent potential only, elements x elements:
  std::vector<std::vector<double>> dipole, quadrupole;  ///< u(r), w(r)
};

/// A function interpolated between equidistant points. Each bin has a cubic through its two ends,
/// with slopes from the four points around (Murray Daw's and Stephen Foiles's code; LAMMPS has the
/// same). Value and slope are continuous.
struct EmbeddedAtomCubic {
  /// Coefficients of a bin: ((c[3] x + c[2]) x + c[1]) x + c[0] with x from 0 to 1 in the bin.
  struct Bin {
    double c[4];
  };
  EmbeddedAtomCubic() = default;
  explicit EmbeddedAtomCubic(std::span<const double> values, double scale);
  /// The function with `count` bins: cubics through this function's values and slopes at their
  /// ends.
  EmbeddedAtomCubic with_bins(std::size_t count) const;
  std::vector<Bin> bins;
};

/// The embedded-atom method for the types of a run (M. S. Daw, M. I. Baskes, Phys. Rev. B 29, 6443
/// (1984); densities that depend on both elements: M. W. Finnis, J. E. Sinclair, Phil. Mag. A 50,
/// 45 (1984)):
///
///   E = sum_i F_a(rho_i) + 1/2 sum_ij phi_ab(r_ij),   rho_i = sum_j rho_ab(r_ij)
///
/// With dipole and quadrupole functions (ADP; Y. Mishin, M. J. Mehl, D. A. Papaconstantopoulos, Acta
/// Mater. 53, 4029 (2005)) an atom has in addition, with r from it to its neighbors:
///
///   1/2 |mu|^2 + 1/2 |lambda|^2 - 1/6 (tr lambda)^2,   mu = sum_j u_ab r,   lambda = sum_j w_ab r r
class EmbeddedAtomPotential {
 public:
  /// `elements` has for each type a place in `tables.elements`. `length` and `energy` are an
  /// angstrom and an eV in the units of the run.
  EmbeddedAtomPotential(const EmbeddedAtomTables& tables, std::span<const std::size_t> elements,
                        double length, double energy);

  int type_count() const { return type_count_; }
  double cutoff() const { return cutoff_; }
  double density_spacing() const { return density_spacing_; }
  double distance_spacing() const { return distance_spacing_; }
  const EmbeddedAtomCubic& embedding(int type) const {
    return embedding_[static_cast<std::size_t>(type)];
  }
  /// The density that an atom of type b causes at an atom of type a.
  const EmbeddedAtomCubic& density(int a, int b) const { return density_[place(a, b)]; }
  const EmbeddedAtomCubic& pair(int a, int b) const { return pair_[place(a, b)]; }
  /// Whether it has the following functions.
  bool is_angular() const { return !dipole_.empty(); }
  const EmbeddedAtomCubic& dipole(int a, int b) const { return dipole_[place(a, b)]; }
  const EmbeddedAtomCubic& quadrupole(int a, int b) const { return quadrupole_[place(a, b)]; }

  /// The minima of the energies of two lone atoms: the shortest distance and the deepest energy
  /// over all pairs of types.
  struct Dimer {
    double length, energy;
  };
  Dimer strongest_dimer() const;

 private:
  std::size_t place(int a, int b) const { return static_cast<std::size_t>(a * type_count_ + b); }
  double dimer_energy(int a, int b, double distance) const;

  int type_count_;
  double cutoff_, density_spacing_, distance_spacing_;
  std::vector<EmbeddedAtomCubic> embedding_, density_, pair_, dipole_, quadrupole_;
};

/// Value and slope of a function at `x`, which is counted in bins from 0. Beyond its last point a
/// function of the distance is constant; for functions of the density see `embedding_at`.
struct ValueAndSlope {
  double value, slope;
};
inline ValueAndSlope value_in_bin(const EmbeddedAtomCubic::Bin& bin, double x) {
  const double* c = bin.c;
  return {((c[3] * x + c[2]) * x + c[1]) * x + c[0], (3.0 * c[3] * x + 2.0 * c[2]) * x + c[1]};
}
inline ValueAndSlope value_at(const EmbeddedAtomCubic& function, double x) {
  const std::size_t last = function.bins.size() - 1;
  const std::size_t bin = x < static_cast<double>(last) ? static_cast<std::size_t>(x) : last;
  const double part = x - static_cast<double>(bin);
  return value_in_bin(function.bins[bin], part < 1.0 ? part : 1.0);
}
/// Beyond its last point the function continues along its tangent.
ValueAndSlope embedding_at(const EmbeddedAtomCubic& function, double x);

}  // namespace sterna::md
