#include "md/domain/cut_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace sterna::md {

CutTree::CutTree(const Box& box, int rank_count) : box_(box) {
  if (rank_count < 1) {
    throw std::invalid_argument(fmt::format("a decomposition needs ranks, not {}", rank_count));
  }
  parts_.push_back({{{0.0, 0.0, 0.0}, box.length}, 0, rank_count, {}});
  part_of_rank_.assign(static_cast<std::size_t>(rank_count), 0);
}

CutTree::CutTree(const Box& box, int rank_count, std::span<const Cut> cuts)
    : CutTree(box, rank_count) {
  std::size_t next = 0;
  for (const Cut& given : cuts) {
    while (next < parts_.size() && parts_[next].rank_count == 1) ++next;
    if (next == parts_.size()) throw std::invalid_argument("more cuts than parts to cut");
    cut(next++, given);
  }
  if (!open_parts().empty()) throw std::invalid_argument("too few cuts for so many ranks");
}

std::vector<std::size_t> CutTree::open_parts() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].rank_count > 1 && !parts_[i].is_cut()) open.push_back(i);
  }
  return open;
}

void CutTree::cut(std::size_t part, const Cut& cut) {
  const Region region = parts_[part].region;
  const bool fits =
      cut.axis >= 0 && cut.axis < 3 && cut.ranks.size() >= 2 &&
      cut.planes.size() + 1 == cut.ranks.size() &&
      std::all_of(cut.ranks.begin(), cut.ranks.end(), [](int ranks) { return ranks >= 1; }) &&
      std::accumulate(cut.ranks.begin(), cut.ranks.end(), 0) == parts_[part].rank_count;
  if (!fits || parts_[part].is_cut()) throw std::invalid_argument("a cut does not fit its part");
  double lower = region.lower[cut.axis];
  int rank = parts_[part].first_rank;
  const std::size_t first_child = parts_.size();
  for (std::size_t k = 0; k < cut.ranks.size(); ++k) {
    const double upper = k < cut.planes.size() ? cut.planes[k] : region.upper[cut.axis];
    // The negated form also rejects NaN.
    if (!(lower < upper)) {
      throw std::invalid_argument(fmt::format("a part from {} to {} has no width", lower, upper));
    }
    Part child{region, rank, cut.ranks[k], {}};
    child.region.lower[cut.axis] = lower;
    child.region.upper[cut.axis] = upper;
    if (child.rank_count == 1) part_of_rank_[static_cast<std::size_t>(rank)] = parts_.size();
    parts_.push_back(std::move(child));
    lower = upper;
    rank += cut.ranks[k];
  }
  parts_[part].cut = cut;
  parts_[part].first_child = first_child;
}

std::vector<Cut> CutTree::cuts() const {
  std::vector<Cut> cuts;
  for (const Part& part : parts_) {
    if (part.is_cut()) cuts.push_back(part.cut);
  }
  return cuts;
}

std::size_t CutTree::child_at(std::size_t part, const Vec3& unsheared) const {
  const Part& at = parts_[part];
  if (!at.is_cut()) return part;
  const auto& planes = at.cut.planes;
  const auto above = std::upper_bound(planes.begin(), planes.end(), unsheared[at.cut.axis]);
  return at.first_child + static_cast<std::size_t>(above - planes.begin());
}

Region CutTree::region(int rank) const {
  return parts_[part_of_rank_[static_cast<std::size_t>(rank)]].region;
}

int CutTree::owner(const Vec3& unsheared) const {
  std::size_t part = 0;
  while (parts_[part].is_cut()) part = child_at(part, unsheared);
  return parts_[part].first_rank;
}

}  // namespace sterna::md
