#include "md/input/molecule_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "md/core/display_text.hpp"
#include "md/core/file_error.hpp"
#include "md/input/read_input.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {

std::string molecule_file_path(const Input& input, const Input::Molecule& molecule) {
  const std::filesystem::path file(molecule.file);
  if (file.is_absolute()) return molecule.file;
  return (std::filesystem::path(input.path).parent_path() / file).string();
}

std::string molecule_file_text(const Input& input, const Input::Molecule& molecule) {
  constexpr std::size_t largest_file = 1u << 30;  // bytes; an atom with its terms takes about 500
  try {
    return comm::read_regular_file(molecule_file_path(input, molecule), largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw std::runtime_error(
        fmt::format("the file of the molecule, {}, {}", quote_path(molecule.file), error.what()));
  }
}

void take_molecule_file(Input& input, std::size_t molecule, std::string_view text) {
  ReadResult result = read_molecule_text(input, molecule, text);
  if (!result.ok()) throw FileError(render(result.diagnostics));
  input.molecules[molecule] = std::move(result.input.molecules[0]);
}

}  // namespace sterna::md
