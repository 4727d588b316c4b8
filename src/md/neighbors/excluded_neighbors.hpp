#pragma once

#include "md/neighbors/pair_list.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// Takes the pairs that molecules exclude off a list that was built for these particles, in the
/// nearest images of their atoms; other images stay. So no kernel meets them, and nothing has to be
/// subtracted again. No row is shared.
void drop_excluded_neighbors(PairList& list, const ParticleStore& particles,
                             const MoleculePlaces& places);

}  // namespace sterna::md
