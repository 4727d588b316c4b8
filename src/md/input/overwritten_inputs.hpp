#pragma once

#include <string>
#include <vector>

#include "md/input/diagnostics.hpp"
#include "md/input/input.hpp"

namespace sterna::md {

/// An error for each file that a run of this input reads and would move, replace or remove as one
/// of its own. A run reads the input, the files that it names, the files that these use if they are
/// inputs of other programs, and `checkpoint` if it is not empty. Files are compared by identity, so
/// that symbolic and hard links are found, too.
std::vector<Diagnostic> overwritten_inputs(const Input& input, const std::string& checkpoint = {});

}  // namespace sterna::md
