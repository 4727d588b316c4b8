#pragma once

#include <string>
#include <vector>

#include "md/input/input.hpp"
#include "md/input/input_schema.hpp"

namespace sterna::md {

/// The input as the text of an input file: every key that `input.places` names, with all digits,
/// in the order of the reference page. Reading that text gives the same input. In reduced units.
std::string input_text(const Input& input);

/// A key with the value that it has in an input.
struct GivenKey {
  std::string place;  ///< "start.density", "type[0].sigma"
  const KeySchema* key = nullptr;
  std::string value;  ///< as `input_text` writes it, in internal units
  std::string file;   ///< the path as the input gives it, of keys that name a file
};
/// Every key that `input.places` names and whose value is not what it would be without it.
std::vector<GivenKey> given_keys(const Input& input);

}  // namespace sterna::md
