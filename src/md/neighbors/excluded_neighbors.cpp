// Idea:    a row looks up the few atoms that its particles exclude and marks them; entries with a
//          mark leave a row of one particle, and come first in a shared row, where masks say which
//          of its particles exclude them. Kernels look at masks of the first entries only.
// Source:  masks of pairs of clusters: Pall and Hess, Comput. Phys. Commun. 184, 2641 (2013).
// Cost:    a look at the mark of each entry at each rebuild; in a step one or two vectors of
//          neighbors with masks in each shared row.
// Hazards: both particles of an excluded pair must know of it.
// Others:  rows of one particle, where a kernel knows nothing of masks.

#include "md/neighbors/excluded_neighbors.hpp"

namespace sterna::md {

void exclude_neighbors(PairList& list, const MoleculePlaces& places) {
  list.exclude([&](std::uint32_t i) { return places.excluded_of(i); });
}

}  // namespace sterna::md
