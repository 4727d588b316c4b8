#pragma once

#include <vector>

#include "md/core/deformation.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// A degree of freedom of the box: its strain is a number times `direction`.
struct StrainMode {
  Tensor direction;  ///< 1 or 0 for xx yy zz xy xz yz
  double edges;      ///< number of edges that it stretches; 0: a shear
  double parts() const { return edges > 0.0 ? edges : 1.0; }
  /// The sum of the tensor's components that belong to this mode.
  double of(const Tensor& tensor) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < 6; ++k) sum += direction[k] * tensor[k];
    return sum;
  }
};

/// The independent modes of a coupling. A volume V with these strains has the measure V d(strains)
/// of the isothermal-isobaric ensemble: dV with one factor for all edges, dLx dLy dLz with three
/// (Martyna, Tobias and Klein, J. Chem. Phys. 101, 4177 (1994), section II, with the rotations of
/// the box integrated out).
inline std::vector<StrainMode> strain_modes(const Input::Barostat& barostat) {
  using enum BoxCoupling;
  const auto normal = static_cast<std::size_t>(index_of(barostat.axis));
  Tensor along{}, across{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  along[normal] = 1.0;
  across[normal] = 0.0;
  switch (barostat.coupling) {
    case isotropic:
      return {{{1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, 3.0}};
    case semi_isotropic:
      return {{across, 2.0}, {along, 1.0}};
    case uniaxial:
      return {{along, 1.0}};
    case anisotropic:
    case triclinic:
      break;
  }
  std::vector<StrainMode> modes;
  for (std::size_t k = 0; k < (barostat.coupling == triclinic ? 6U : 3U); ++k) {
    modes.push_back({{}, k < 3 ? 1.0 : 0.0});
    modes.back().direction[k] = 1.0;
  }
  return modes;
}

}  // namespace sterna::md
