#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

/// In u, the heaviest that `hydrogen_mass` makes hydrogen.
inline constexpr double largest_hydrogen_mass = 4.0;

/// What hinders the masses of a molecule from being moved.
class HydrogenMassError : public std::invalid_argument {
 public:
  HydrogenMassError(std::size_t molecule, const std::string& message)
      : std::invalid_argument(message), molecule_(molecule) {}
  std::size_t molecule() const { return molecule_; }

 private:
  std::size_t molecule_;
};

/// Gives the types of hydrogen in each [[molecule]] with a `hydrogen_mass` that mass, and takes the
/// difference from the heavier atom that each hydrogen is bonded to. The mass of a molecule stays as
/// it is: hydrogen mass repartitioning (Hopkins et al., J. Chem. Theory Comput. 11, 1864 (2015)).
/// What has been done already is not done again. Bonded are atoms of a [[molecule.bond]], or, where
/// a hydrogen has none, of a [[molecule.constraint]].
///
/// Throws HydrogenMassError where a hydrogen has no heavier partner or several, where an atom would
/// become lighter than its hydrogens, and where atoms of one type would have different masses.
void move_hydrogen_masses(Input& input);

}  // namespace sterna::md
