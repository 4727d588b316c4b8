#pragma once

#include <stdexcept>
#include <string_view>

#include "md/model/ace.hpp"

namespace sterna::md {

/// A mistake in a file of an atomic cluster expansion: "Cu.yace, line 3, column 1: ...".
class AceFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a file of pacemaker and of LAMMPS's pair_style pace (.yace). `name`: of the file, for
/// messages. Throws AceFileError.
AceTables read_ace_file(std::string_view text, std::string_view name);

}  // namespace sterna::md
