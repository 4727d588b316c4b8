#include "md/simulation/program_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "md/core/file_error.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {

void ProgramParts::require_terms() const {
  std::vector<std::string> missing;
  std::ranges::set_difference(terms_of_file, terms, std::back_inserter(missing));
  if (missing.empty()) return;
  throw FileError(
      fmt::format("the checkpoint is of a simulation with force terms of a program, which it does "
                  "not hold: add them again before the run goes on: {}",
                  comm::joined(missing, ", ")));
}

}  // namespace sterna::md
