#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The radial basis functions g_k(r) of a pair of elements, by their names in files.
enum class AceRadialBasis {
  chebyshev_exponential,  ///< ChebExpCos
  chebyshev_power,        ///< ChebPow
  chebyshev_linear,       ///< ChebLinear
  bessel                  ///< SBessel
};

/// What happens to atoms at short distances.
enum class AceInnerCutoff {
  density,   ///< a core repulsion, which switches the expansion off where it is large
  distance,  ///< basis functions and a core repulsion that replace each other at a distance
  zbl  ///< the repulsion by Ziegler, Biersack and Littmark, by the distance of the nearest atom
};

/// An ordered pair of elements: the center and its neighbor. Lengths in angstrom, energies in eV.
struct AceBond {
  AceRadialBasis basis = AceRadialBasis::chebyshev_exponential;
  AceInnerCutoff inner_cutoff = AceInnerCutoff::density;
  int functions = 0;        ///< nradmax: the number of radial functions R_nl
  int largest_l = 0;        ///< lmax
  int basis_functions = 0;  ///< nradbasemax: the number of g_k
  double scale = 0.0;       ///< the first of radparameters, lambda
  /// R_nl = sum over k of coefficients[(n (largest_l + 1) + l) basis_functions + k] g_k.
  std::vector<double> coefficients{};
  double core_strength = 0.0, core_decay = 0.0;  ///< prehc, lambdahc
  double cutoff = 0.0, cutoff_width = 0.0;       ///< rcut, dcut
  double inner_begin = 0.0, inner_width = 0.0;   ///< rcut_in, dcut_in
};

/// A basis function: a sum over sets of m of products of the sums A over neighbors.
struct AceFunction {
  std::vector<int> elements{}, n{}, l{};  ///< a factor each; n counts from 0
  std::vector<int> m{};                   ///< of each set, for each factor
  std::vector<double> coefficients{};     ///< of each set, for each density
  std::size_t rank() const { return n.size(); }
};

/// An element, and the energy of its atoms as a function of the densities.
struct AceElement {
  std::string name;
  double lone_energy = 0.0;     ///< E0
  bool shifted_scaled = false;  ///< npoti = FinnisSinclairShiftedScaled, else FinnisSinclair
  struct Embedding {
    double factor, exponent;
  };
  std::vector<Embedding> embedding{};               ///< for each density
  double core_limit = 0.0, core_limit_width = 0.0;  ///< rho_core_cutoff, drho_core_cutoff
  std::vector<AceFunction> functions{};
};

/// All that a potential file says.
struct AceTables {
  double spacing = 0.001;  ///< deltaSplineBins: angstrom between the knots of radial functions
  std::vector<AceElement> elements{};
  std::vector<AceBond> bonds{};  ///< elements^2, by center, then neighbor
};

/// The basis functions of a pair of elements and its core repulsion at knots. Between two knots each
/// is the polynomial of degree three that has its values and slopes there.
struct AceKnots {
  double per_length = 0.0;  ///< knots per angstrom
  int last = 0;             ///< the knot at the cutoff; the first is 1
  /// Of each knot from 0 on: `stride` values, then `stride` slopes by the number of the knot. The
  /// core repulsion stands behind the basis functions.
  std::vector<double> values{};
  std::size_t stride = 0;
};

/// An atomic cluster expansion of an input's types: R. Drautz, Phys. Rev. B 99, 014104 (2019); Y.
/// Lysogorskiy et al., npj Comput. Mater. 7, 97 (2021).
class AcePotential {
 public:
  static constexpr int largest_l = 20;

  /// `of_type`: which of the elements each type is; the others are left out. `length` and `energy`:
  /// an angstrom and an eV in the units of the run. Throws std::invalid_argument for impossible
  /// parameters.
  AcePotential(AceTables tables, std::vector<std::size_t> of_type, double length, double energy);

  const AceTables& tables() const { return tables_; }
  double length_unit() const { return length_; }
  double energy_unit() const { return energy_; }
  int type_count() const { return static_cast<int>(of_type_.size()); }
  std::size_t element_count() const { return tables_.elements.size(); }
  std::size_t element(int type) const { return of_type_[static_cast<std::size_t>(type)]; }
  const AceBond& bond(std::size_t center, std::size_t neighbor) const {
    return tables_.bonds[center * element_count() + neighbor];
  }
  const AceKnots& knots(std::size_t center, std::size_t neighbor) const {
    return (*knots_)[center * element_count() + neighbor];
  }
  std::size_t basis_functions() const { return basis_functions_; }  ///< the most of a pair
  bool has_nuclei() const;  ///< whether the repulsion is that by Ziegler, Biersack and Littmark
  double cutoff(int a, int b) const { return length_ * bond(element(a), element(b)).cutoff; }
  double cutoff() const { return cutoff_; }  ///< the largest

  /// What is known of an atom before its energy, in eV and angstrom.
  struct Sums {
    double core = 0.0;  ///< sum of the core repulsions of its neighbors
    /// The smallest distance of a neighbor from where the expansion is off; negative for none.
    bool has_nearest = false;
    double nearest = 0.0;
    double nearest_width = 0.0;  ///< where that ends
  };
  struct Slopes {
    double by_core, by_nearest;
  };
  /// The energy of an atom, in eV. Sets its derivatives, by the densities in place of these.
  double embed(std::size_t element, std::span<double> densities, const Sums& sums,
               Slopes& slopes) const;

  struct Neighbor {
    Vec3 vector;  ///< from the center
    int type;
  };
  /// The energy of an atom, by the definition, without any derivative or vector instruction.
  double energy(int center, std::span<const Neighbor> neighbors) const;

  /// The minima of the energies of two lone atoms, less that of atoms apart: the shortest distance
  /// and the deepest energy over all pairs of elements. Without a minimum the cutoff and 0.
  struct Dimer {
    double length, energy;
  };
  Dimer strongest_dimer() const;

 private:
  struct SumsOverNeighbors;
  SumsOverNeighbors sum_over(int center, std::span<const Neighbor> neighbors) const;

  AceTables tables_;
  std::vector<std::size_t> of_type_;
  double length_, energy_;
  std::size_t basis_functions_ = 0;
  std::shared_ptr<const std::vector<AceKnots>> knots_;  ///< many megabytes; the same for all copies
  double cutoff_ = 0.0;
};

/// The coefficients of the recursion of normalized Legendre functions of m, those of spherical
/// harmonics times the square root of 4 pi, without the power of the sine:
/// P_l = a (z P_(l-1) + b P_(l-2)).
struct LegendreStep {
  double a, b;
};
LegendreStep legendre_step(int l, int m);
/// The first, P_m, which is a constant.
double legendre_start(int m);

/// The number of protons of an element; 0 for an unknown one.
int nuclear_charge(const std::string& element);

}  // namespace sterna::md
