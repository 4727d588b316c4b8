#pragma once

#include <cstddef>
#include <cstdint>

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Checks of [[molecule]] that need more than one key. Also sets missing names of atoms.
void check_molecules(Input& input, bool look_at_files, const IsGood& is_good, const Report& report);

/// The number of atoms of all molecules; 0 if there are none.
std::int64_t atoms_of_molecules(const Input& input);

/// The mistake of a start with so many particles; empty: none.
std::string wrong_particle_count(const Input& input, std::int64_t particles);

}  // namespace sterna::md
