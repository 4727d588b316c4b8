#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sterna::md {

/// The head of a file with the energies of one state's samples in all states. It is in the form of
/// GROMACS's dhdl.xvg, which alchemlyb reads.
struct DhdlHead {
  std::string comment;             ///< lines that begin with "# "
  double temperature = 0.0;        ///< 0: not known
  double thermal_energy = 0.0;     ///< k times that, in the unit of the file
  std::vector<std::string> parts;  ///< names of the parts of lambda, such as "coul-lambda"
  std::vector<std::vector<double>> lambdas;  ///< of each state, one number for each part
  std::size_t derivatives = 0;               ///< so many parts, the first ones, have a column each

  std::string of_state(std::size_t state) const;
};

}  // namespace sterna::md
