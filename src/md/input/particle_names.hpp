#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"

namespace sterna::md {

/// Names of the input's types or components, in the order of `Position::type`.
std::vector<std::string_view> particle_names(const Input& input);

/// The message about an unknown name: "no [[type]] has the name "B"; did you mean "A"?"
std::string unknown_particle(const Input& input, std::string_view name);

}  // namespace sterna::md
