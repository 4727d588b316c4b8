#include "md/simulation/phase_timer.hpp"

namespace sterna::md {

PhaseInfo phase_info(Phase phase) {
  switch (phase) {
    case Phase::forces:
      return {"forces", false};
    case Phase::halo:
      return {"halo exchange", true};
    case Phase::rebuild_decision:
      return {"rebuild decision", true};
    case Phase::migration:
      return {"migration", true};
    case Phase::sorting:
      return {"sorting", false};
    case Phase::halo_lists:
      return {"halo lists", true};
    case Phase::pair_list:
      return {"pair list", false};
    case Phase::displacements:
      return {"displacements", false};
    case Phase::integration:
      return {"integration", false};
    case Phase::thermostat:
      return {"thermostat", false};
    case Phase::observers:
      return {"observers", false};
    case Phase::output:
      return {"output", false};
    case Phase::checkpoint:
      return {"checkpoint", false};
  }
  return {"", false};
}

}  // namespace sterna::md
