#pragma once

#include <string>
#include <string_view>

#include "md/input/input.hpp"
#include "md/input/many_body_input.hpp"
#include "md/model/embedded_atom.hpp"

namespace sterna::md {

/// The text of the input's file of the embedded-atom method. Throws ManyBodyInputError if there is
/// none or it cannot be read.
std::string embedded_atom_text(const Input& input);

/// The potential of the input's types, in internal units, from the text of the file. Types with
/// another potential get the functions of the first type, which are never used. Throws
/// ManyBodyInputError if the file has a mistake or lacks an element.
EmbeddedAtomPotential embedded_atom_potential(const Input& input, std::string_view text);

}  // namespace sterna::md
