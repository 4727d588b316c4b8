// Idea:    the few atoms that the particles of a row exclude are marked. In a row of one particle,
//          marked entries are removed. In a shared row they are moved to the front, and masks say
//          which of the row's particles exclude them. Kernels read masks of the first entries only.
// Source:  masks of pairs of clusters: Pall and Hess, Comput. Phys. Commun. 184, 2641 (2013).
// Cost:    a look at the mark of each entry at each rebuild; in a step one or two vectors of
//          neighbors with masks in each shared row.
// Hazards: each of the two particles of an excluded pair must list the other.
// Others:  rows of one particle, for kernels without masks.

#include "md/neighbors/excluded_neighbors.hpp"

namespace sterna::md {

void exclude_neighbors(PairList& list, const MoleculePlaces& places) {
  list.exclude([&](std::uint32_t i) { return places.excluded_of(i); });
}

}  // namespace sterna::md
