#pragma once

#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The input as the text of an input file: every key in `input.places`, with all digits, in the
/// order of the reference page. Reading the text gives the same input. Only for reduced units.
std::string input_text(const Input& input);

/// A key with its value in an input.
struct GivenKey {
  std::string place;  ///< "start.density", "type[0].sigma"
  const KeySchema* key = nullptr;
  std::string value;  ///< in internal units, as `input_text` writes it
  std::string file;   ///< for keys that name a file: the path as given
};
/// All keys in `input.places` whose value differs from the default.
std::vector<GivenKey> given_keys(const Input& input);

}  // namespace sterna::md
