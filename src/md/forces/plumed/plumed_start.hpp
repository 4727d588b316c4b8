#pragma once

#include <optional>
#include <string>

#include "md/forces/plumed/plumed_kernel.hpp"

namespace sterna::md {

/// What a kernel is told before its first step.
struct PlumedStart {
  std::string path;                ///< of PLUMED's input
  std::string text;                ///< the content of that file
  bool has_natural_units = false;  ///< reduced units; else nm, ps, kJ/mol, u, e
  double timestep = 1.0;
  double thermal_energy = 0.0;  ///< k T; 0: not known
  int atom_count = 0;
  bool restarts = false;  ///< whether the run goes on from a checkpoint
  int replica = -1;       ///< whose number is in the names of files; below 0: none
};

/// Starts the kernel, which reads its input and opens its files. Throws PlumedError.
void start_plumed(Plumed& plumed, const PlumedStart& start);

/// A mistake in an input of PLUMED.
struct PlumedMistake {
  int line = 0;  ///< of the file, from 1; 0: not known
  std::string message;
};

/// Lets the kernel read the input and removes the files that it opens for that. Returns the first
/// mistake.
std::optional<PlumedMistake> find_plumed_mistake(const std::shared_ptr<const PlumedKernel>& kernel,
                                                 const PlumedStart& start);

}  // namespace sterna::md
