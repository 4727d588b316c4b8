#pragma once

#include <vector>

#include "md/input/physics_row.hpp"

namespace sterna::md {

namespace section {
InputSection electrostatics();
}
/// "charge" in [[type]].
std::vector<AddedKey> keys_of_charges();

}  // namespace sterna::md
