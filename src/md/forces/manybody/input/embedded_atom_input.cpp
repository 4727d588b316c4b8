#include "md/forces/manybody/input/embedded_atom_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/manybody/input/embedded_atom_file.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

constexpr const char* place_of_file = "interaction.embedded_atom_file";

/// The index of a type's element in the tables.
std::size_t element_of_type(const Input& input, std::size_t n, const EmbeddedAtomTables& tables) {
  if (tables.elements[0] == any_element) return 0;
  const Input::Type& type = input.types[n];
  const std::string& element = type.embedded_atom.empty() ? type.name : type.embedded_atom;
  const auto found = std::ranges::find(tables.elements, element);
  if (found != tables.elements.end()) {
    return static_cast<std::size_t>(found - tables.elements.begin());
  }
  const std::vector<std::string_view> names(tables.elements.begin(), tables.elements.end());
  std::string message =
      fmt::format("the embedded-atom file {} has no element {}",
                  quote_path(input.interaction.embedded_atom_file), quote(element));
  if (const auto near = comm::nearest_name(element, names)) {
    message += fmt::format("; did you mean {}?", quote(*near));
  } else {
    message += fmt::format("; there is {}", comm::joined(names, ", "));
  }
  std::string place = fmt::format("type[{}].embedded_atom", n);
  if (!input.places.contains(place)) place = fmt::format("type[{}].name", n);
  throw ManyBodyInputError(std::move(place), message);
}

}  // namespace

std::string embedded_atom_text(const Input& input) {
  const std::string& name = input.interaction.embedded_atom_file;
  if (name.empty()) {
    throw ManyBodyInputError(
        input.places.contains("interaction") ? "interaction" : "interaction.potential",
        "[interaction] lacks the key \"embedded_atom_file\", required by the embedded-atom method: "
        "a file of the kind funcfl, setfl (eam/alloy) or Finnis-Sinclair (eam/fs)");
  }
  return many_body_file(input, name, place_of_file);
}

EmbeddedAtomPotential embedded_atom_potential(const Input& input, std::string_view text) {
  EmbeddedAtomTables tables;
  try {
    tables = read_embedded_atom_file(text, input.interaction.embedded_atom_file);
  } catch (const EmbeddedAtomFileError& error) {
    throw ManyBodyInputError(place_of_file, error.what());
  }
  std::vector<std::size_t> elements;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    const bool has_it = many_body_kind(input, n) == ManyBodyKind::embedded_atom;
    elements.push_back(has_it ? element_of_type(input, n, tables) : 0);
  }
  elements.resize(input.types.size() + input.components.size(), 0);  // rigid molecules have none
  const UnitSystem metal = *UnitSystem::by_name("metal");
  return {tables, elements, metal.to_internal(1.0, Dimension::length),
          metal.to_internal(1.0, Dimension::energy)};
}

}  // namespace sterna::md
