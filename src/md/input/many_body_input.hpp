#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/input/input.hpp"

namespace sterna::md {

/// The many-body potential by which a type interacts with types that have the same one. All other
/// pairs of types interact by pair potentials.
enum class ManyBodyKind { none, tersoff, embedded_atom };

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
