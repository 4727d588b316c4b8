#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "md/input/read_input.hpp"

namespace sterna::md {

/// An input of another program, as one of Sterna's.
struct ForeignInput {
  Input given;  ///< numbers as its file has them: `input_text(given)` is an input of Sterna's
  ReadResult checked;
};

/// A program whose inputs are read as they are.
struct ForeignProgramRow {
  std::string_view name;    ///< for messages
  std::string_view ending;  ///< of the names of its inputs
  ForeignInput (*read)(const std::string& path);
  /// The files that such an input leads to, apart from itself; some may not be there.
  std::vector<std::string> (*files)(const std::string& path);
};

/// The program that inputs of this name are of; null: Sterna.
const ForeignProgramRow* foreign_program_of(std::string_view path);

/// As `OwnerTables::files_behind`.
std::vector<std::string> files_behind(const std::string& path);

/// "ls1-MarDyn (.xml), ...": all of them.
std::string foreign_programs();

}  // namespace sterna::md
