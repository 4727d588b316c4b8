#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"

namespace sterna::md {

/// Names of the input's types and components, in the order of `Position::type`: types first.
std::vector<std::string_view> particle_names(const Input& input);
/// Returns the section of the particles: "[[type]]", "[[component]]" or "[[type]] or
/// [[component]]".
std::string_view particle_section(const Input& input);
/// Whether a [[component]] has the name.
bool is_component(const Input& input, std::string_view name);

/// The message about an unknown name: "no [[type]] has the name "B"; did you mean "A"?"
std::string unknown_particle(const Input& input, std::string_view name);

}  // namespace sterna::md
