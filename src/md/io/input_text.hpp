#pragma once

#include <string>

#include "md/io/input.hpp"

namespace sterna::md {

/// The input as the text of an input file: every key that `input.places` names, with all digits,
/// in the order of the reference page. Reading that text gives the same input. In reduced units.
std::string input_text(const Input& input);

}  // namespace sterna::md
