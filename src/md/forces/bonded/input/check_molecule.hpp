#pragma once

#include <cstddef>

#include "md/input/check_input.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// Checks of one [[molecule]] that need more than one key of its content. Also sets missing names
/// of atoms. Places begin with "molecule[N]".
void check_molecule(Input& input, std::size_t molecule, const IsGood& is_good,
                    const Report& report);

}  // namespace sterna::md
