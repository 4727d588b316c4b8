#pragma once

#include <string>
#include <string_view>

#include "md/input/input.hpp"

namespace sterna::md {

/// An error of the TOML parser, in words for the author of the file.
struct SyntaxError {
  Input::Place place;
  std::string message;
};

/// `description`: the parser's message about `place`. If the line shows a frequent mistake - a text
/// without quotes, a number with a unit, an open quote - the result describes this instead.
SyntaxError explain_syntax_error(Input::Place place, std::string_view description);

}  // namespace sterna::md
