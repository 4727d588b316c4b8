#pragma once

#include <stdexcept>
#include <string_view>

#include "md/model/embedded_atom.hpp"

namespace sterna::md {

/// A mistake in a file of the embedded-atom method: "Cu.eam, line 3, column 12: ...".
class EmbeddedAtomFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The name of the element in a funcfl file, which names none.
inline constexpr std::string_view any_element = "*";

/// Reads a file in one of LAMMPS's and DYNAMO's formats: funcfl (one element, effective charges),
/// setfl ("eam/alloy"), Finnis-Sinclair ("eam/fs") or angular-dependent ("adp"). The format follows
/// from the head of the file and the number of values. `name`: the file's name, for messages. Throws
/// EmbeddedAtomFileError.
EmbeddedAtomTables read_embedded_atom_file(std::string_view text, std::string_view name);

}  // namespace sterna::md
