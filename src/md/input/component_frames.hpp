#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "md/input/input.hpp"
#include "md/model/body_frame.hpp"

namespace sterna::md {

/// The molecule's own frame relative to the frame of its sites in the input. Both are the same if,
/// to 1e-5, the origin is the center of mass and the axes are principal axes. If `inertia` is
/// given, only the origin may differ.
BodyFrame body_frame_of(const Input::Component& component);
/// The positions of the atoms of a molecule in its body frame, in the order of its sites. Sites at
/// the same position are one atom, with or without mass.
std::vector<Vec3> atom_places(const Input::Component& component);
/// For each site the index of its atom.
std::vector<std::size_t> atoms_of_sites(const Input::Component& component);

/// Returns `atom_places` of each type and component, and the moments of inertia of each. Types are
/// atoms at their own place, without moments. Both are empty if there are no components.
std::vector<std::vector<Vec3>> atom_places_of_particles(const Input& input);
std::vector<Vec3> inertia_of_particles(const Input& input);

/// The charge that all atoms of a type have, in units of the input: atoms of molecules have charges of
/// their own. Nothing where they differ.
std::optional<double> charge_of_atoms(const Input& input, std::size_t type);

}  // namespace sterna::md
