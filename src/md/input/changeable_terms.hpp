#pragma once

#include <string_view>
#include <vector>

#include "md/forces/bonded/bonded_table.hpp"

namespace sterna::md {

/// The bonded term of this section and potential, if its parameters can change in a run: it has no
/// table. Null: there is none.
const BondedRow* find_changeable_term(std::string_view section, std::string_view potential);
/// The potentials of such terms of a section.
std::vector<std::string_view> changeable_potentials(std::string_view section);

}  // namespace sterna::md
