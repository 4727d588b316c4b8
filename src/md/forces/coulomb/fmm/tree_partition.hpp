#pragma once

#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/coulomb/fmm/cell_box.hpp"

namespace sterna::md {

/// The distribution of the cells of the tree over the ranks. Depth 0 is the top, each depth has
/// twice the cells of the one above along each edge, and the deepest has the leaves. The regions of
/// the ranks are boxes that need not follow the cells: a cell belongs to the rank in whose region
/// its center lies, with all of its children's expansions, so a rank's cells of a depth are a box,
/// perhaps an empty one. Charges stay on their rank: it has charges in all leaves that its region
/// touches or, if charges move on or leaves overlap, into which it reaches.
class TreePartition {
 public:
  /// A region in fractions of the edges of the box, lower <= position < upper.
  struct FractionRegion {
    Vec3 lower{0, 0, 0}, upper{1, 1, 1};
  };
  /// `most_shared`: FmmParameters::most_shared_cells. `reach`: the distance outside of their region
  /// at which a rank's charges may lie, in fractions of the edges; less than a leaf.
  TreePartition(const Cells& top, int depth, bool periodic, std::vector<FractionRegion> regions,
                int rank, std::size_t most_shared, const Vec3& reach = {});

  int rank() const { return rank_; }
  int rank_count() const { return static_cast<int>(regions_.size()); }
  bool periodic() const { return periodic_; }
  int leaf_depth() const { return depth_; }
  Cells grid(int depth) const;
  /// The cells of this depth whose centers lie in the region.
  CellBox owned(int depth, int rank) const;
  /// The leaves that the region touches or reaches into. In a periodic box these may be images of
  /// leaves, at most one beyond the grid.
  CellBox touched_leaves(int rank) const;
  /// The axis along which the regions have the most bounds; the last of several such axes.
  int most_cut_axis() const;
  /// Depths above this one have at most as many cells as ranks, and at most as many as may be
  /// shared. Each rank has all cells of these depths and of this one by a reduction, which saves
  /// exchanges. At least 0; leaf_depth(): no exchanges.
  int first_distributed_depth() const { return first_distributed_; }
  /// Whether even the top has more cells, so that each rank has only its own cells of it, if any.
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

/// Cells that are sent from this rank to another, or received from it. `source` is in the sender's
/// coordinates; on the receiver they lie at source + shift, a multiple of the grid for images.
struct CellBlock {
  int rank;
  CellBox source;
  Cells shift;
  CellBox target() const { return source.shifted(shift); }
};

/// The cells that must be sent so that every rank receives the cells that it wants from all ranks
/// that provide them. Ascending by rank, then by shift, which is the same order on both ranks.
struct CellTransfers {
  std::vector<CellBlock> sends, receives;

  /// `provides(rank)`: may extend beyond the grid by one cell if `periodic`; if several images of a
  /// cell are provided, each is wanted. `wants(rank)`: may extend beyond the grid by its size.
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
