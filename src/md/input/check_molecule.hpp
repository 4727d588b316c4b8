#pragma once

#include <cstddef>

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// What no key of one [[molecule]] alone can tell of what it is made of. Completes names of atoms.
/// Its places begin with "molecule[N]".
void check_molecule(Input& input, std::size_t molecule, const IsGood& is_good,
                    const Report& report);

}  // namespace sterna::md
