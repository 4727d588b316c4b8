#include "md/input/many_body_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {

std::span<const ManyBodyName> many_body_names() {
  static constexpr ManyBodyName names[] = {
      {ManyBodyKind::tersoff, InteractionPotential::tersoff, "tersoff", &Input::Type::tersoff,
       "parameter_file", &Input::Interaction::parameter_file},
      {ManyBodyKind::stillinger_weber, InteractionPotential::stillinger_weber, "stillinger_weber",
       &Input::Type::stillinger_weber, "stillinger_weber_file",
       &Input::Interaction::stillinger_weber_file},
      {ManyBodyKind::embedded_atom, InteractionPotential::embedded_atom, "embedded_atom",
       &Input::Type::embedded_atom, "embedded_atom_file", &Input::Interaction::embedded_atom_file},
      {ManyBodyKind::snap, InteractionPotential::snap, "snap", &Input::Type::snap, "snap_file",
       &Input::Interaction::snap_file},
      {ManyBodyKind::ace, InteractionPotential::ace, "ace", &Input::Type::ace, "ace_file",
       &Input::Interaction::ace_file}};
  return names;
}

const ManyBodyName& name_of(ManyBodyKind kind) {
  return *std::ranges::find(many_body_names(), kind, &ManyBodyName::kind);
}

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

std::string many_body_text(const Input& input, ManyBodyKind kind) {
  const ManyBodyName& row = name_of(kind);
  const std::string& file = input.interaction.*row.file;
  if (file.empty()) return {};
  return many_body_file(input, file, fmt::format("interaction.{}", row.file_key));
}

const std::string& parameters_of(const Input& input, std::size_t type, ManyBodyKind kind) {
  const std::string& name = input.types[type].*name_of(kind).of_type;
  return name.empty() ? input.types[type].name : name;
}

std::string place_of_parameters(const Input& input, std::size_t type, ManyBodyKind kind) {
  std::string place = fmt::format("type[{}].{}", type, name_of(kind).name);
  return input.places.contains(place) ? place : fmt::format("type[{}].name", type);
}

std::vector<std::string> parameters_of_types(const Input& input, ManyBodyKind kind) {
  const auto has_it = [&](std::size_t n) { return many_body_kind(input, n) == kind; };
  std::size_t first = 0;
  while (first + 1 < input.types.size() && !has_it(first)) ++first;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    names.push_back(parameters_of(input, has_it(n) ? n : first, kind));
  }
  names.insert(names.end(), input.components.size(), parameters_of(input, first, kind));
  return names;
}

ManyBodyKind many_body_kind(const Input& input, std::size_t type) {
  for (const ManyBodyName& row : many_body_names()) {
    if (row.potential == input.interaction.potential) return row.kind;
  }
  for (const ManyBodyName& row : many_body_names()) {
    if (!(input.types[type].*row.of_type).empty()) return row.kind;
  }
  return ManyBodyKind::none;
}

bool uses(const Input& input, ManyBodyKind kind) {
  for (std::size_t n = 0; n < input.types.size(); ++n) {
    if (many_body_kind(input, n) == kind) return true;
  }
  return false;
}

bool uses_many_body_potential(const Input& input) {
  return std::ranges::any_of(many_body_names(),
                             [&](const ManyBodyName& row) { return uses(input, row.kind); });
}

bool have_many_body_potential(const Input& input, std::size_t a, std::size_t b) {
  const ManyBodyKind kind = many_body_kind(input, a);
  return kind != ManyBodyKind::none && kind == many_body_kind(input, b);
}

}  // namespace sterna::md
