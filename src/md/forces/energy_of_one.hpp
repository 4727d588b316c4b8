#pragma once

#include "md/core/quaternion.hpp"
#include "md/system/position.hpp"

namespace sterna::md {

/// What a `ForceTerm` is besides, if it acts on each molecule alone, so that the energy of one more
/// molecule is known without the others.
class HasEnergyOfOne {
 public:
  virtual ~HasEnergyOfOne() = default;

  /// The energy of a molecule of the position's type; infinite where it cannot be. The orientation
  /// of one that does not turn is left out.
  virtual double energy_of_one(const Position& position, const Quaternion& orientation) const = 0;
};

}  // namespace sterna::md
