#pragma once

#include "md/input/input.hpp"
#include "md/model/component.hpp"
#include "md/model/molecule_model.hpp"

namespace sterna::md {

/// The molecule in its body frame: charges and multipoles times sqrt(1/(4 pi epsilon_0)), axes of
/// length 1.
Component component_from_input(const Input::Component& component, const UnitSystem& units);

/// The dipole moment of charges and point dipoles about the center of mass, in the body frame.
Vec3 dipole_of(const Component& component);

/// Returns the model of the components of a valid input, which has at least one, and their
/// interactions. The types, if there are any, come first, as atoms.
MoleculeModel molecule_model_from_input(const Input& input);

}  // namespace sterna::md
