#pragma once

#include <string>

#include "md/input/input.hpp"

namespace sterna::md {

struct PlumedOptions {  ///< [plumed]
  std::string file;
  std::string kernel;
  bool keeps_momentum = true;
  int replica = -1;  ///< of a run with replicas; below 0: there are none

  bool is_used() const { return !file.empty(); }
};

/// The path of PLUMED's input, relative to the working directory. To it PLUMED adds the number of a
/// replica where there is such a file.
std::string plumed_file_path(const Input& input);

/// The text of the file that PLUMED reads in this replica; below 0: there are no replicas. Throws
/// std::runtime_error, with the reason, if it cannot be read.
std::string plumed_file_text(const Input& input, int replica);

}  // namespace sterna::md
