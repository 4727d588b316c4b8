// Idea:    excluded pairs are taken off the rows when these are made: kernels of all potentials,
//          precisions and instruction sets stay what they are.
// Source:  general.
// Cost:    a look at the id of each neighbor at each rebuild; rows of one particle instead of
//          several.
// Hazards: a row that particles share could not say which of them excludes a neighbor.
// Others:  shared rows with a mask for each of their particles.

#include "md/neighbors/excluded_neighbors.hpp"

#include <algorithm>
#include <span>

namespace sterna::md {

void drop_excluded_neighbors(PairList& list, const ParticleStore& particles,
                             const MoleculePlaces& places) {
  const Topology& topology = places.topology();
  std::uint32_t present = 0;
  Topology::Place place{};
  std::span<const std::uint32_t> excluded;
  bool known = false;
  list.drop_neighbors([&](std::uint32_t i, std::uint32_t j) {
    if (!known || i != present) {
      place = topology.place_of(particles.id[i]);
      excluded = topology.exclusions_of(place);
      present = i;
      known = true;
    }
    const std::int64_t other = particles.id[j] - place.first_id;
    return !excluded.empty() && other >= 0 && other <= std::int64_t{excluded.back()} &&
           std::ranges::binary_search(excluded, static_cast<std::uint32_t>(other)) &&
           places.is_nearest(particles.position[j].vector() - particles.position[i].vector());
  });
}

}  // namespace sterna::md
