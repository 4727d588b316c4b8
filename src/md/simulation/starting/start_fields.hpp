#pragma once

#include <string>

#include "md/domain/decomposition.hpp"
#include "md/simulation/simulated_system.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// A start file that is a checkpoint, whose particles have been brought to their ranks.
struct CheckpointStart {
  std::string path;
  bool on_all_ranks;  ///< whether all ranks can read it; otherwise rank 0 does
  bool renumbered;    ///< whether ids count from 1 in the order of the file
};

/// Collective. Gives the particles the added fields that the checkpoint has, with their numbers. Who
/// adds a field of such a name finds these numbers. Throws FileError on all ranks.
void take_fields_of_checkpoint(const comm::Context& context, const CheckpointStart& start,
                               const Decomposition& decomposition, SimulatedSystem& system);

}  // namespace sterna::md
