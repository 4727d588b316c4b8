#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "md/input/input.hpp"

namespace sterna::md {

/// By which many-body potential a type interacts with others that have the same one. All other pairs
/// of types interact in pairs.
enum class ManyBodyKind { none, tersoff, embedded_atom };

/// What is wrong with what an input says of a many-body potential, and where it says that.
class ManyBodyInputError : public std::runtime_error {
 public:
  ManyBodyInputError(std::string place_in_input, const std::string& message)
      : std::runtime_error(message), place(std::move(place_in_input)) {}
  std::string place;  ///< "type[1].tersoff"
};

/// The text of a parameter file, which the input names at this place. Throws ManyBodyInputError where
/// it cannot be read.
std::string many_body_file(const Input& input, const std::string& name, std::string place);

ManyBodyKind many_body_kind(const Input& input, std::size_t type);
/// Whether any type has this one.
bool uses(const Input& input, ManyBodyKind kind);
/// Whether any type has one of them.
bool uses_many_body_potential(const Input& input);
/// Whether two types interact by a many-body potential, and so not in pairs.
bool have_many_body_potential(const Input& input, std::size_t a, std::size_t b);
/// Whether there may be pairs that no many-body potential takes.
inline bool has_pairs_besides(const Input& input) {
  return input.interaction.potential == InteractionPotential::lennard_jones;
}

}  // namespace sterna::md
