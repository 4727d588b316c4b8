#pragma once

#include "md/neighbors/pair_list.hpp"
#include "md/system/molecule_places.hpp"

namespace sterna::md {

/// Removes the pairs that molecules exclude from a list that was built for the particles of
/// `places`. Only the nearest image of an excluded atom is removed; other images stay. So no kernel
/// computes excluded pairs, and nothing needs to be subtracted afterwards.
void exclude_neighbors(PairList& list, const MoleculePlaces& places);

}  // namespace sterna::md
