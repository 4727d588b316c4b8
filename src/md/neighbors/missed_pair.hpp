#pragma once

#include <cstdint>
#include <span>

#include "md/neighbors/pair_list.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Whether the rows of a list may lack a pair that is nearer than `cutoff` now but was beyond the
/// list radius when the list was built. Pairs are those of this rank's particles, and of a particle
/// and a ghost. All ranks together find every such pair, if regions are wide enough that the
/// particle nearer to the border of two ranks is a ghost on the other rank. `far` are the local
/// particles that have moved by more than half the skin (list radius minus cutoff), from the last
/// `list.displacements`. Ghosts have the positions of a step ago; since then no particle has moved
/// by more than `ghost_path`. Also true if a particle has moved by nearly the whole skin.
bool list_misses_pair(PairList& list, const ParticleStore& particles, double cutoff,
                      std::span<const std::uint32_t> far, double ghost_path);

}  // namespace sterna::md
