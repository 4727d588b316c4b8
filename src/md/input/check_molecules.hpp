#pragma once

#include <cstddef>
#include <cstdint>

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What no key of [[molecule]] alone can tell. Completes names of atoms.
void check_molecules(Input& input, const IsGood& is_good, const Report& report);

/// Of all molecules; 0 where there are none.
std::int64_t atoms_of_molecules(const Input& input);

/// What is wrong with a start of so many particles; empty: nothing.
std::string wrong_particle_count(const Input& input, std::int64_t particles);

}  // namespace sterna::md
