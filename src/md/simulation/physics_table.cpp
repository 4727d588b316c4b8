#include "md/simulation/physics_table.hpp"

#include <vector>

#include "md/ensemble/ensemble_physics.hpp"
#include "md/forces/bonded/input/flexible_molecules_physics.hpp"
#include "md/forces/manybody/input/many_body_physics.hpp"
#include "md/forces/molecular/input/rigid_molecules_physics.hpp"
#include "md/forces/pair/input/pairs_physics.hpp"
#include "md/integrate/motion_physics.hpp"
#include "md/simulation/force_term_table.hpp"

namespace sterna::md {

const Registry<PhysicsRow>& physics_table() {
  static const Registry<PhysicsRow> table("kind of physics", [] {
    std::vector<PhysicsRow> rows{physics::pairs(), physics::rigid_molecules(),
                                 physics::flexible_molecules(), physics::many_body()};
    for (const ForceTermRow& term : force_term_table()) {
      if (term.physics != nullptr) rows.push_back(term.physics());
    }
    rows.push_back(physics::motion());
    rows.push_back(physics::ensemble());
    return rows;
  }());
  return table;
}

}  // namespace sterna::md
