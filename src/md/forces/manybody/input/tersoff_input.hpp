#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/many_body_input.hpp"
#include "md/model/tersoff.hpp"

namespace sterna::md {

/// The text of the input's parameter file. Throws ManyBodyInputError if it cannot be read.
std::string tersoff_parameter_text(const Input& input);

/// The potential of the input's types, in internal units. Types without parameters get those of the
/// first type that has some; they are never used. `parameter_text`: the text of the parameter file,
/// if the input names one. Throws ManyBodyInputError for unknown parameters, elements without a
/// published mixture, and an incomplete file.
TersoffPotential tersoff_potential(const Input& input, std::string_view parameter_text);

/// The publications of the published parameters that the input's types use.
std::vector<std::string_view> tersoff_citations(const Input& input);
/// The same publications as BibTeX entries; empty if there are none.
std::string tersoff_bibliography(const Input& input);

}  // namespace sterna::md
