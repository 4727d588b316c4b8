#pragma once

#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/coulomb/fmm/cell_box.hpp"

namespace sterna::md {

/// Which cells of the tree belong to which rank. Depth 0 is the top, each depth has twice the cells
/// of the one above along each edge, the deepest holds the leaves. The regions of the ranks are
/// boxes that need not follow the cells: a cell belongs to the rank in whose region its center
/// lies, with all of its children's expansions, so that what a rank has of a depth is a box of
/// cells, perhaps an empty one. Charges stay where they are: a rank has charges in all leaves that
/// its region touches or, where charges move on or leaves overlap, reaches into.
class TreePartition {
 public:
  /// In fractions of the edges of the box, lower <= position < upper.
  struct FractionRegion {
    Vec3 lower{0, 0, 0}, upper{1, 1, 1};
  };
  /// `most_shared`: FmmParameters::most_shared_cells. `reach`: how far outside of their region charges may count as its own, in fractions of the
  /// edges; less than a leaf.
  TreePartition(const Cells& top, int depth, bool periodic, std::vector<FractionRegion> regions,
                int rank, std::size_t most_shared, const Vec3& reach = {});

  int rank() const { return rank_; }
  int rank_count() const { return static_cast<int>(regions_.size()); }
  bool periodic() const { return periodic_; }
  int leaf_depth() const { return depth_; }
  Cells grid(int depth) const;
  /// Cells of this depth whose centers lie in the region.
  CellBox owned(int depth, int rank) const;
  /// Leaves that the region touches, or reaches into: in a periodic box also images of leaves,
  /// beyond the grid by one at most.
  CellBox touched_leaves(int rank) const;
  /// Along which the regions have the most bounds; of several such axes the last.
  int most_cut_axis() const;
  /// Depths above this one have no more cells than there are ranks, and than are shared at most:
  /// each rank has all of them and of this one, by a reduction, which saves exchanges. 0 at least;
  /// leaf_depth(): no exchanges.
  int first_distributed_depth() const { return first_distributed_; }
  /// Whether even the top has more cells than that: then each rank has its own of them, if any.
  bool top_distributed() const {
    return regions_.size() > 1 && first_distributed_ == 0 &&
           CellBox::grid(top_).count() > most_shared_;
  }

 private:
  Cells top_;
  int depth_;
  bool periodic_;
  std::vector<FractionRegion> regions_;
  int rank_;
  std::size_t most_shared_;
  Vec3 reach_;
  int first_distributed_ = 0;
};

/// Cells that go from this rank to another, or come from there: `source` in the sender's
/// coordinates; at the receiver they lie at source + shift, a multiple of the grid: images.
struct CellBlock {
  int rank;
  CellBox source;
  Cells shift;
  CellBox target() const { return source.shifted(shift); }
};

/// What must move so that every rank gets the cells that it wants from all ranks that provide
/// them. Ascending by rank, then in the order of shifts, which is the same at both ends.
struct CellTransfers {
  std::vector<CellBlock> sends, receives;

  /// `provides(rank)`: may reach beyond the grid by one cell where `periodic`, and what several
  /// images of a cell provide is wanted from each. `wants(rank)`: by up to its size.
  template <class Provides, class Wants>
  static CellTransfers plan(int rank, int rank_count, const Cells& grid, bool periodic,
                            Provides provides, Wants wants) {
    CellTransfers transfers;
    const int images = periodic ? 2 : 0;
    const CellBox own_provided = provides(rank), own_wanted = wants(rank);
    for (int other = 0; other < rank_count; ++other) {
      const CellBox provided = provides(other), wanted = wants(other);
      CellBox{{-images, -images, -images}, {images + 1, images + 1, images + 1}}.for_each(
          [&](const Cells& image) {
            const Cells shift{image[0] * grid[0], image[1] * grid[1], image[2] * grid[2]};
            const Cells back{-shift[0], -shift[1], -shift[2]};
            const auto add = [&](std::vector<CellBlock>& blocks, const CellBox& from,
                                 const CellBox& to) {
              if (from.empty() || to.empty()) return;
              const CellBox source = intersection(from, to.shifted(back));
              if (!source.empty()) blocks.push_back({other, source, shift});
            };
            add(transfers.sends, own_provided, wanted);
            add(transfers.receives, provided, own_wanted);
          });
    }
    return transfers;
  }
};

}  // namespace sterna::md
