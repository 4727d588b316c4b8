#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/input.hpp"

namespace sterna::md {

/// The many-body potential by which a type interacts with types that have the same one. All other
/// pairs of types interact by pair potentials.
enum class ManyBodyKind { none, tersoff, stillinger_weber, embedded_atom, snap, ace };

/// What the input calls a many-body potential: `potential` in [interaction] and the key of a [[type]]
/// have the same name.
struct ManyBodyName {
  ManyBodyKind kind;
  InteractionPotential potential;
  std::string_view name;
  std::string Input::Type::*of_type;  ///< which parameters a type has
  std::string_view file_key;          ///< of [interaction]
  std::string Input::Interaction::*file;
};
std::span<const ManyBodyName> many_body_names();
/// The row of `kind`, which must not be `none`.
const ManyBodyName& name_of(ManyBodyKind kind);

/// A mistake in an input's many-body potential, with its place.
class ManyBodyInputError : public std::runtime_error {
 public:
  ManyBodyInputError(std::string place_in_input, const std::string& message)
      : std::runtime_error(message), place(std::move(place_in_input)) {}
  std::string place;  ///< "type[1].tersoff"
};

/// The text of a parameter file that the input names at this place. Throws ManyBodyInputError if it
/// cannot be read.
std::string many_body_file(const Input& input, const std::string& name, std::string place);

/// The text of the file of this kind; empty if the input names none.
std::string many_body_text(const Input& input, ManyBodyKind kind);

/// Which parameters a type has: its key, or its name.
const std::string& parameters_of(const Input& input, std::size_t type, ManyBodyKind kind);
/// The place of that key, or of the name.
std::string place_of_parameters(const Input& input, std::size_t type, ManyBodyKind kind);
/// Which parameters each type has. Types without this potential, and rigid molecules, which stand
/// behind the types, have those of the first type with it; they are never used.
std::vector<std::string> parameters_of_types(const Input& input, ManyBodyKind kind);

ManyBodyKind many_body_kind(const Input& input, std::size_t type);
/// Whether any type has this many-body potential.
bool uses(const Input& input, ManyBodyKind kind);
/// Whether any type has a many-body potential.
bool uses_many_body_potential(const Input& input);
/// Whether two types interact by a many-body potential, and so not by a pair potential.
bool have_many_body_potential(const Input& input, std::size_t a, std::size_t b);
/// Whether there may be pairs that interact by pair potentials.
inline bool has_pairs_besides(const Input& input) {
  return input.interaction.potential == InteractionPotential::lennard_jones;
}

}  // namespace sterna::md
