#include "fmm/distribution.hpp"

#include <algorithm>

namespace sterna::fmm {

Distribution::Distribution(const comm::Context& context)
    : particles_(context, {"auto", "charges of the multipole method", {}}),
      results_(context, {"auto", "results of the multipole method", {}}) {}

void Distribution::deal_out(const md::Decomposition& decomposition,
                            std::span<const md::Vec3> positions, std::span<const double> charges,
                            bool periodic, bool wrapped) {
  const md::Box& box = decomposition.box();
  const md::Shear shear = box.shear();
  const std::size_t count = positions.size();
  const auto ranks = static_cast<std::size_t>(decomposition.rank_count());
  std::vector<int> owner_of(count);
  std::vector<md::Vec3> inside(wrapped ? count : 0);
  std::vector<std::size_t> next(ranks + 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    md::Vec3 place = positions[i];
    int image[3];
    if (periodic) place = box.wrap(place, image);
    if (wrapped) inside[i] = place;
    owner_of[i] = decomposition.owner(shear.unsheared(place));
    ++next[static_cast<std::size_t>(owner_of[i]) + 1];
  }
  owners_.clear();
  offsets_.assign(1, 0);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    next[rank + 1] += next[rank];
    if (next[rank + 1] == next[rank]) continue;
    owners_.push_back(static_cast<int>(rank));
    offsets_.push_back(next[rank + 1]);
  }
  order_.resize(count);
  outgoing_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = next[static_cast<std::size_t>(owner_of[i])]++;
    order_[place] = i;
    outgoing_[place] = {wrapped ? inside[i] : positions[i], charges[i]};
  }
  const auto rows = particles_({owners_, offsets_, outgoing_});
  sources_.assign(rows.ranks.begin(), rows.ranks.end());
  offsets_of_sources_.assign(rows.offsets.begin(), rows.offsets.end());
  positions_.resize(rows.items.size());
  charges_.resize(rows.items.size());
  for (std::size_t k = 0; k < rows.items.size(); ++k) {
    positions_[k] = rows.items[k].position;
    charges_[k] = rows.items[k].charge;
  }
}

std::size_t Distribution::first_for(int owner) const {
  const auto at = std::ranges::lower_bound(owners_, owner);
  return offsets_[static_cast<std::size_t>(at - owners_.begin())];
}

}  // namespace sterna::fmm
