#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/many_body_input.hpp"
#include "md/model/tersoff.hpp"

namespace sterna::md {

/// The text of the input's parameter file. Throws ManyBodyInputError where it cannot be read.
std::string tersoff_parameter_text(const Input& input);

/// The potential of the input's types, in internal units. Types without parameters have those of the
/// first type that has some, as nobody asks for theirs. `parameter_text` is that of the parameter
/// file, where the input names one. Throws ManyBodyInputError: unknown parameters, elements of which
/// no mixture is published, a file that lacks something.
TersoffPotential tersoff_potential(const Input& input, std::string_view parameter_text);

/// Papers of the published parameters that the input's types have.
std::vector<std::string_view> tersoff_citations(const Input& input);
/// The same as entries of a BibTeX file; empty where there are none.
std::string tersoff_bibliography(const Input& input);

}  // namespace sterna::md
