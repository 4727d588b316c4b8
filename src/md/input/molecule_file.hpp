#pragma once

#include <string>
#include <string_view>

#include "md/input/input.hpp"

namespace sterna::md {

/// The path of a molecule's file as seen from the working directory.
std::string molecule_file_path(const Input& input, const Input::Molecule& molecule);
/// Its text. Throws std::runtime_error, with the reason, where it cannot be read.
std::string molecule_file_text(const Input& input, const Input::Molecule& molecule);
/// Reads such a text into the molecule of this number. Throws FileError, with all that is wrong,
/// where it is not valid.
void take_molecule_file(Input& input, std::size_t molecule, std::string_view text);

}  // namespace sterna::md
