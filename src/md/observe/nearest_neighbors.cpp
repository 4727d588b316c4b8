#include "md/observe/nearest_neighbors.hpp"

#include <tuple>

namespace sterna::md {
namespace {

/// Neighbors at the same distance have an order, too, which does not depend on that of the list.
bool is_before(const NearestNeighbors::Neighbor& a, const NearestNeighbors::Neighbor& b) {
  return std::tie(a.squared_distance, a.away.x, a.away.y, a.away.z) <
         std::tie(b.squared_distance, b.away.x, b.away.y, b.away.z);
}

}  // namespace

void NearestNeighbors::insert(std::size_t i, const Neighbor& neighbor) {
  Neighbor* const nearest = nearest_.data() + i * most_;
  std::size_t place = counts_[i]++;
  if (place >= most_) {
    place = most_ - 1;
    if (!is_before(neighbor, nearest[place])) return;
  }
  for (; place > 0 && is_before(neighbor, nearest[place - 1]); --place) {
    nearest[place] = nearest[place - 1];
  }
  nearest[place] = neighbor;
}

}  // namespace sterna::md
