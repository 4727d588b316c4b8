#pragma once

#include <stdexcept>
#include <string_view>

#include "md/model/embedded_atom.hpp"

namespace sterna::md {

/// What is wrong with a file of the embedded-atom method: "Cu.eam, line 3, column 12: ...".
class EmbeddedAtomFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a funcfl file, which names no element, calls its own.
inline constexpr std::string_view any_element = "*";

/// Reads a file in one of LAMMPS's and DYNAMO's formats: funcfl (one element, effective charges),
/// setfl ("eam/alloy") or Finnis-Sinclair ("eam/fs"). Which one it is follows from its head and from
/// how many numbers it has. `name` is that of the file, for messages. Throws EmbeddedAtomFileError.
EmbeddedAtomTables read_embedded_atom_file(std::string_view text, std::string_view name);

}  // namespace sterna::md
