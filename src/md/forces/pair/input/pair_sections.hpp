#pragma once

#include <vector>

#include "md/input/physics_row.hpp"

namespace sterna::md {

namespace section {
InputSection pair();
}
/// "epsilon" and "sigma" in [[type]].
std::vector<AddedKey> keys_of_pairs();

}  // namespace sterna::md
