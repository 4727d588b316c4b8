#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sterna::md {

struct KimSection {  ///< [kim]
  std::string model;
  std::vector<std::string> types;    ///< names of types; empty: all
  std::vector<std::string> species;  ///< of each of these; empty: their names

  /// Whether types of this name have the model, so that they need no pair potential.
  bool has(std::string_view type) const {
    return !model.empty() && (types.empty() || std::ranges::find(types, type) != types.end());
  }
};

}  // namespace sterna::md
