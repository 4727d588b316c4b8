// The reader of files of the embedded-atom method.
//
// sources: src/md/forces/manybody/input/embedded_atom_file.cpp src/md/model/embedded_atom.cpp
// sources: src/md/core/display_text.cpp src/md/input/fields.cpp src/md/input/line_reader.cpp

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "md/forces/manybody/input/embedded_atom_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto tables = sterna::md::read_embedded_atom_file(text, "fuzzed.eam");
    std::vector<std::size_t> elements(tables.elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = k;
    const sterna::md::EmbeddedAtomPotential potential(tables, elements, 0.1, 96.5);
    static_cast<void>(potential.strongest_dimer());
  } catch (const sterna::md::EmbeddedAtomFileError&) {
  }
  return 0;
}
