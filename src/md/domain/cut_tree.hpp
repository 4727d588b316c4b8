#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "md/domain/decomposition.hpp"

namespace sterna::md {

/// Divides a part of the box along one axis: into `ranks.size()` parts, each for so many ranks.
struct Cut {
  int axis = 0;
  std::vector<int> ranks;      ///< at least 1 each
  std::vector<double> planes;  ///< ascending, between the parts: one fewer than them
};

/// A box that is cut, and its parts cut again, until each part belongs to one rank: bisection and
/// multisection alike. Ranks ascend from part to part.
class CutTree final : public Decomposition {
 public:
  /// Nothing is cut yet. Throws std::invalid_argument where there are no ranks.
  CutTree(const Box& box, int rank_count);
  /// From `cuts()` of another one. Throws std::invalid_argument where they do not fit.
  CutTree(const Box& box, int rank_count, std::span<const Cut> cuts);

  struct Part {
    Region region;
    int first_rank, rank_count;
    Cut cut;                      ///< no planes: of one rank, or not cut yet
    std::size_t first_child = 0;  ///< in `parts()`; the others follow it
    bool is_cut() const { return !cut.planes.empty(); }
  };
  /// The whole box first. Children stand behind all parts of their parents' level, so parts of
  /// two trees that were cut alike have the same places.
  const std::vector<Part>& parts() const { return parts_; }
  /// Places of the parts that still belong to several ranks, ascending.
  std::vector<std::size_t> open_parts() const;
  /// `part` must be open. Throws std::invalid_argument where the cut does not fit it.
  void cut(std::size_t part, const Cut& cut);
  /// All of them, in the order of `parts()`.
  std::vector<Cut> cuts() const;

  /// The child of `part` where these coordinates are; `part` itself where that is not cut.
  std::size_t child_at(std::size_t part, const Vec3& unsheared) const;

  const Box& box() const override { return box_; }
  int rank_count() const override { return parts_.front().rank_count; }
  /// Once nothing is open.
  Region region(int rank) const override;
  int owner(const Vec3& unsheared) const override;

 private:
  Box box_;
  std::vector<Part> parts_;
  std::vector<std::size_t> part_of_rank_;
};

}  // namespace sterna::md
