// The reader of files of atomic cluster expansions, and of YAML.
//
// sources: src/md/forces/manybody/input/ace_file.cpp src/md/forces/manybody/input/yaml_tree.cpp
// sources: src/md/model/ace.cpp src/md/core/display_text.cpp src/md/input/fields.cpp
// sources: src/md/input/line_reader.cpp src/comm/context/nearest_name.cpp
// sources: src/comm/context/joined.cpp

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "md/forces/manybody/input/ace_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    sterna::md::AceTables tables = sterna::md::read_ace_file(text, "fuzzed.yace");
    // A table of a million knots for each pair would take most of the time.
    for (const sterna::md::AceBond& bond : tables.bonds) {
      if (bond.cutoff / tables.spacing > 1e4) return 0;
    }
    std::vector<std::size_t> elements(tables.elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = k;
    if (elements.size() > 3) return 0;
    const sterna::md::AcePotential potential(std::move(tables), elements, 0.1, 96.5);
    static_cast<void>(potential.strongest_dimer());
  } catch (const sterna::md::AceFileError&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
