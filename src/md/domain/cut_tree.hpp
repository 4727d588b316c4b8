#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/domain/decomposition.hpp"

namespace sterna::md {

/// A division of a part of the box along one axis into `ranks.size()` smaller parts.
struct Cut {
  int axis = 0;
  std::vector<int> ranks;      ///< for each part, its number of ranks, at least 1
  std::vector<double> planes;  ///< between the parts, ascending; one fewer than parts
};

/// A box that is cut recursively until each part belongs to one rank: the result of bisection or
/// multisection. Ranks ascend from part to part.
class CutTree final : public Decomposition {
 public:
  /// A tree without cuts. Throws std::invalid_argument if `rank_count` is not positive.
  CutTree(const Box& box, int rank_count);
  /// The tree with these `cuts()`. Throws std::invalid_argument if they do not fit.
  CutTree(const Box& box, int rank_count, std::span<const Cut> cuts);

  struct Part {
    Region region;
    int first_rank, rank_count;
    Cut cut;                      ///< without planes: a part of one rank, or not cut yet
    std::size_t first_child = 0;  ///< in `parts()`; its other children follow
    bool is_cut() const { return !cut.planes.empty(); }
  };
  /// All parts, the whole box first. Children come behind all parts of their parents' level, so
  /// parts of two trees that were cut alike have equal indices.
  const std::vector<Part>& parts() const { return parts_; }
  /// Ascending indices of the parts that belong to several ranks and are not cut yet.
  std::vector<std::size_t> open_parts() const;
  /// Cuts an open part. Throws std::invalid_argument if the cut does not fit it.
  void cut(std::size_t part, const Cut& cut);
  /// The cuts of all parts, in the order of `parts()`.
  std::vector<Cut> cuts() const;

  /// The child of `part` that contains these coordinates; `part` itself if it is not cut.
  std::size_t child_at(std::size_t part, const Vec3& unsheared) const;

  const Box& box() const override { return box_; }
  int rank_count() const override { return parts_.front().rank_count; }
  /// The region of a rank; valid once no part is open.
  Region region(int rank) const override;
  int owner(const Vec3& unsheared) const override;

 private:
  Box box_;
  std::vector<Part> parts_;
  std::vector<std::size_t> part_of_rank_;
};

}  // namespace sterna::md
