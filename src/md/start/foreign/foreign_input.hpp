#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/read_input.hpp"

namespace sterna::md {

/// An input of another program, converted to an input of Sterna.
struct ForeignInput {
  Input given;  ///< with the numbers of its file; `input_text(given)` is an input of Sterna
  ReadResult checked;
};

/// A program whose inputs are read as they are.
struct ForeignProgramRow {
  std::string_view name;    ///< for messages
  std::string_view ending;  ///< of its inputs' file names
  ForeignInput (*read)(const std::string& path);
  /// The files to which such an input refers; some may not exist.
  std::vector<std::string> (*files)(const std::string& path);
};

/// The program that inputs of this name are of; null: Sterna.
const ForeignProgramRow* foreign_program_of(std::string_view path);

/// As `OwnerTables::files_behind`.
std::vector<std::string> files_behind(const std::string& path);

/// All programs, for messages: "ls1-MarDyn (.xml), ...".
std::string foreign_programs();

}  // namespace sterna::md
