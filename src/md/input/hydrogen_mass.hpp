#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

/// u; upper limit of `hydrogen_mass`.
inline constexpr double largest_hydrogen_mass = 4.0;

/// The reason why the masses of a molecule cannot be moved.
class HydrogenMassError : public std::invalid_argument {
 public:
  HydrogenMassError(std::size_t molecule, const std::string& message)
      : std::invalid_argument(message), molecule_(molecule) {}
  std::size_t molecule() const { return molecule_; }

 private:
  std::size_t molecule_;
};

/// Sets the mass of hydrogen types in each [[molecule]] with a `hydrogen_mass`, and subtracts the
/// difference from the heavier atom to which each hydrogen is bonded. The mass of the molecule is
/// unchanged: hydrogen mass repartitioning (Hopkins et al., J. Chem. Theory Comput. 11, 1864
/// (2015)). Calling it again changes nothing. Atoms are bonded by a [[molecule.bond]] or, if a
/// hydrogen has none, by a [[molecule.constraint]].
///
/// Throws HydrogenMassError if a hydrogen has no or several heavier partners, if an atom would
/// become lighter than its hydrogens, or if atoms of one type would have different masses.
void move_hydrogen_masses(Input& input);

}  // namespace sterna::md
