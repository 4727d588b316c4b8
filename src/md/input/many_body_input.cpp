#include "md/input/many_body_input.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {

std::string many_body_file(const Input& input, const std::string& name, std::string place) {
  constexpr std::size_t largest_file = 64u << 20;  // bytes
  const std::filesystem::path path = std::filesystem::path(input.path).parent_path() / name;
  try {
    return comm::read_regular_file(path.string(), largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw ManyBodyInputError(
        std::move(place), fmt::format("the parameter file {} {}", quote_path(name), error.what()));
  }
}

ManyBodyKind many_body_kind(const Input& input, std::size_t type) {
  switch (input.interaction.potential) {
    case InteractionPotential::tersoff:
      return ManyBodyKind::tersoff;
    case InteractionPotential::embedded_atom:
      return ManyBodyKind::embedded_atom;
    case InteractionPotential::lennard_jones:
      break;
  }
  if (!input.types[type].tersoff.empty()) return ManyBodyKind::tersoff;
  if (!input.types[type].embedded_atom.empty()) return ManyBodyKind::embedded_atom;
  return ManyBodyKind::none;
}

bool uses(const Input& input, ManyBodyKind kind) {
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (many_body_kind(input, n) == kind) return true;
  }
  return false;
}

bool uses_many_body_potential(const Input& input) {
  return uses(input, ManyBodyKind::tersoff) || uses(input, ManyBodyKind::embedded_atom);
}

bool have_many_body_potential(const Input& input, std::size_t a, std::size_t b) {
  const ManyBodyKind kind = many_body_kind(input, a);
  return kind != ManyBodyKind::none && kind == many_body_kind(input, b);
}

}  // namespace sterna::md
