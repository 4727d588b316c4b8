#pragma once

#include <string>
#include <string_view>

#include "md/input/input.hpp"

namespace sterna::md {

/// The path of a molecule's file, relative to the working directory.
std::string molecule_file_path(const Input& input, const Input::Molecule& molecule);
/// The text of a molecule's file. Throws std::runtime_error, with the reason, if it cannot be read.
std::string molecule_file_text(const Input& input, const Input::Molecule& molecule);
/// Reads the text of a molecule's file into the molecule of this index. Throws FileError, with all
/// mistakes, if the text is invalid.
void take_molecule_file(Input& input, std::size_t molecule, std::string_view text);

}  // namespace sterna::md
