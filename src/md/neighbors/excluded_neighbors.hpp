#pragma once

#include "md/neighbors/pair_list.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// Takes the pairs that molecules exclude off a list that was built for the particles of `places`,
/// in the nearest images of their atoms; other images stay. So no kernel computes them, and nothing
/// has to be subtracted again.
void exclude_neighbors(PairList& list, const MoleculePlaces& places);

}  // namespace sterna::md
