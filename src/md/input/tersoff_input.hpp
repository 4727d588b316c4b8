#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/input/input.hpp"
#include "md/model/tersoff.hpp"

namespace sterna::md {

/// What is wrong with what an input says of Tersoff's potential, and where it says that.
class TersoffInputError : public std::runtime_error {
 public:
  TersoffInputError(std::string place_in_input, const std::string& message)
      : std::runtime_error(message), place(std::move(place_in_input)) {}
  std::string place;  ///< "type[1].tersoff"
};

/// The text of the input's parameter file. Throws TersoffInputError where it cannot be read.
std::string tersoff_parameter_text(const Input& input);

/// The potential of the input's types, in internal units. `parameter_text` is that of the parameter
/// file, where the input names one. Throws TersoffInputError: unknown parameters, elements of which
/// no mixture is published, a file that lacks something.
TersoffPotential tersoff_potential(const Input& input, std::string_view parameter_text);

/// Papers of the published parameters that the input's types have.
std::vector<std::string_view> tersoff_citations(const Input& input);
/// The same as entries of a BibTeX file; empty where there are none.
std::string tersoff_bibliography(const Input& input);

}  // namespace sterna::md
