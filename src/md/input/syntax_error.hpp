#pragma once

#include <string>
#include <string_view>

#include "md/input/input.hpp"

namespace sterna::md {

/// What the TOML parser found, in words for the person who wrote the file.
struct SyntaxError {
  Input::Place place;
  std::string message;
};

/// `description` is the parser's own text about `place`. Where the line shows a mistake that people
/// often make - a text without quotes, a number with a unit, an open quote - that is said instead.
SyntaxError explain_syntax_error(Input::Place place, std::string_view description);

}  // namespace sterna::md
