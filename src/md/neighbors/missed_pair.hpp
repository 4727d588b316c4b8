#pragma once

#include <cstdint>
#include <span>

#include "md/neighbors/pair_list.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Whether the rows of a list may lack a pair of this rank's particles, or of one of them and a
/// ghost, that is nearer than `cutoff` now: one that was farther apart than the list radius when
/// the list was built. All ranks together find every such pair where regions are wide enough that
/// the particle that was nearer to the border between two ranks is a ghost at the other.
/// `far`: the local particles that have moved by more than half the skin, the list radius less the
/// cutoff, by `list.displacements` as it found them last. Ghosts are where they were a step ago;
/// nobody has moved by more than `ghost_path` since. True, too, where one has moved by nearly the
/// whole skin.
bool list_misses_pair(PairList& list, const ParticleStore& particles, double cutoff,
                      std::span<const std::uint32_t> far, double ghost_path);

}  // namespace sterna::md
