#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "md/core/vector.hpp"

namespace sterna::md {

/// The form of a spectral neighbor analysis potential (SNAP), named as in LAMMPS's files.
struct SnapForm {
  double cutoff_factor = 0.0;  ///< rcutfac: the cutoff of a pair, in sums of two radii
  int twice_j = 0;             ///< twojmax: the largest 2j of a hyperspherical harmonic
  double rfac0 = 0.99363;      ///< the largest polar angle of the sphere, in pi
  double rmin0 = 0.0;          ///< distance of the angle 0; a length
  bool switched = true;        ///< switchflag: whether weights fall to 0 at the cutoff
  bool subtract_lone = true;   ///< bzeroflag: without the components of an atom alone
  bool quadratic = false;      ///< quadraticflag
  bool chemical = false;       ///< chemflag: components of triples of elements
  bool normalized = false;     ///< bnormflag: components over 2j + 1
  bool self_of_all = false;    ///< wselfallflag: the atom counts in the sums of all elements
  bool inner_switch = false;   ///< switchinnerflag: weights fall to 0 at short distances, too
};

/// An element of a SNAP file.
struct SnapElement {
  std::string name;
  double radius = 0.0;  ///< in the units of `SnapForm::rmin0`, over those of cutoff_factor
  double weight = 1.0;
  /// The constant, then one for each component, then, for a quadratic form, those of pairs of
  /// components, the upper triangle by rows. Energies.
  std::vector<double> coefficients{};
  double inner_middle = 0.0, inner_half_width = 0.0;  ///< sinner, dinner; halves of lengths
};

/// The bispectrum component of three harmonics, j2 <= j1 <= j; twice the quantum numbers.
struct SnapTriple {
  int j1, j2, j;
};

/// The distinct components up to 2j = `twice_j`, in the order of the coefficients.
std::vector<SnapTriple> snap_triples(int twice_j);

/// The coefficient by Clebsch and Gordan of harmonics ja and jb for jc, all doubled; the projections
/// are counted from 0: m = k - j. The projection of jc is that of the sum.
double clebsch_gordan(int ja, int ka, int jb, int kb, int jc);

/// A spectral neighbor analysis potential of an input's types: A. P. Thompson et al., J. Comput.
/// Phys. 285, 316 (2015); quadratic form: M. A. Wood and A. P. Thompson, J. Chem. Phys. 148, 241721
/// (2018); components of elements: M. A. Cusentino et al., J. Phys. Chem. A 124, 5456 (2020).
class SnapPotential {
 public:
  static constexpr int largest_twice_j = 14;
  static constexpr std::size_t most_channels = 16;

  /// `elements`: of the file, in angstrom and eV; `of_type`: which of them each type is. `length` and
  /// `energy`: an angstrom and an eV in the units of the run. Throws std::invalid_argument for
  /// impossible parameters.
  SnapPotential(SnapForm form, std::vector<SnapElement> elements, std::vector<std::size_t> of_type,
                double length, double energy);

  const SnapForm& form() const { return form_; }
  int type_count() const { return static_cast<int>(of_type_.size()); }
  const SnapElement& element(int type) const {
    return elements_[of_type_[static_cast<std::size_t>(type)]];
  }
  /// The number of elements that sums distinguish: 1 unless the form is `chemical`.
  int channels() const { return form_.chemical ? static_cast<int>(elements_.size()) : 1; }
  int channel(int type) const {
    return form_.chemical ? static_cast<int>(of_type_[static_cast<std::size_t>(type)]) : 0;
  }
  const std::vector<SnapTriple>& triples() const { return triples_; }
  /// The number of components: triples of harmonics times channels^3.
  std::size_t component_count() const;
  double cutoff(int a, int b) const {
    return form_.cutoff_factor * (element(a).radius + element(b).radius);
  }
  double cutoff() const { return cutoff_; }  ///< the largest
  /// The component of an atom alone, which is subtracted where the form says so.
  double lone_component(int center, std::size_t component) const;

  /// The number of coefficients that an element has.
  static std::size_t coefficient_count(const SnapForm& form, std::size_t elements);

  struct Neighbor {
    Vec3 vector;  ///< from the center
    int type;
  };
  /// The energy of an atom, by the definition, without any derivative or vector instruction.
  double energy(int center, std::span<const Neighbor> neighbors) const;

  /// The minima of the energies of two lone atoms, less that of atoms apart: the shortest distance
  /// and the deepest energy over all pairs of types.
  struct Dimer {
    double length, energy;
  };
  Dimer strongest_dimer() const;

  using Harmonics = std::vector<std::vector<std::complex<double>>>;  ///< [2j][kb * (2j + 1) + ka]

 private:
  Harmonics harmonics_of(const Neighbor& neighbor, double cutoff) const;
  /// For each channel the weighted sum over an atom and its neighbors.
  std::vector<Harmonics> sums_of_harmonics(int center, std::span<const Neighbor> neighbors) const;
  /// The bispectrum components of these sums, by three channels and the triple.
  std::vector<double> bispectrum(const std::vector<Harmonics>& sums) const;
  double weight_of(int center, const Neighbor& neighbor) const;

  SnapForm form_;
  std::vector<SnapElement> elements_;
  std::vector<std::size_t> of_type_;
  std::vector<SnapTriple> triples_;
  double cutoff_ = 0.0;
};

}  // namespace sterna::md
