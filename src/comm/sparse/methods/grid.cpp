// Idea:
//   Ranks form a near-square grid.
//   Items go along the row of the grid first, then along its column.
// Source:
//   bale's conveyors route over two hops (Maley and DeVinney 2019), as does KaMPIng's
//     alltoall_grid.
//   hypercube goes over log P hops.
// Cost:
//   A round takes 2 sqrt P messages instead of up to P, and twice the volume.
//   Memory grows with sqrt P.
// Hazards:
//   Items are packed and copied at the hop.
//   A rank on the way carries the load of others.
// Others:
//   Any direct method wins where rows are long or partners are few.

#include <cmath>
#include <vector>

#include "comm/family/requirements.hpp"
#include "comm/sparse/routed_rows.hpp"
#include "comm/sparse/table.hpp"

namespace sterna::comm {

namespace {

/// `size` ranks, row after row, on a grid whose last row may be incomplete. A missing position
/// there is held by the rank above it, so that each rank has a rank in every column of its row.
class RankGrid {
 public:
  explicit RankGrid(int size)
      : size_(size), width_(static_cast<int>(std::ceil(std::sqrt(static_cast<double>(size))))) {}

  /// The rank in the row of `from` and the column of `to`.
  int crossing(int from, int to) const {
    const int position = from / width_ * width_ + to % width_;
    return position < size_ ? position : position - width_;
  }
  bool same_column(int a, int b) const { return a % width_ == b % width_; }

 private:
  int size_;
  int width_;
};

class Grid final : public SparseMethod {
 public:
  explicit Grid(const SparseSetting& setting)
      : rank_(setting.context.rank()),
        item_size_(setting.item_size),
        grid_(setting.context.size()),
        first_packer_(item_size_),
        second_packer_(item_size_) {
    std::vector<int> row, column;
    for (int other = 0; other < setting.context.size(); ++other) {
      if (other == rank_) continue;
      if (meets(rank_, other) || meets(other, rank_)) row.push_back(other);
      if (grid_.same_column(rank_, other)) column.push_back(other);
    }
    SparseSetting hop = setting;
    hop.item_size = 1;
    hop.possible_sources = row;
    along_row_ = sparse_method::superset.make(hop);
    hop.possible_sources = column;
    along_column_ = sparse_method::superset.make(hop);
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    first_packer_.clear();
    second_packer_.clear();
    arrived_.clear();
    for (const OutgoingRow& row : round.rows) {
      const RoutedRow routed{{row.destination, rank_, row.count}, row.items};
      const int crossing = grid_.crossing(rank_, row.destination);
      if (crossing == rank_) {
        second_packer_.add(row.destination, routed);
      } else {
        first_packer_.add(crossing, routed);
      }
    }
    std::size_t messages = hop(*along_row_, first_packer_, round, first_hop_);
    for_each_routed_row(first_hop_, item_size_, [&](const RoutedRow& row) {
      if (row.head.destination == rank_) {
        arrived_.push_back(row);
      } else {
        second_packer_.add(row.head.destination, row);
      }
    });
    messages += hop(*along_column_, second_packer_, round, second_hop_);
    for_each_routed_row(second_hop_, item_size_,
                        [&](const RoutedRow& row) { arrived_.push_back(row); });
    deliver(arrived_, item_size_, incoming);
    return messages;
  }

 private:
  /// True if some rows that leave `from` make their turn at `at`: it is in the same row, or holds a
  /// missing position.
  bool meets(int from, int at) const { return grid_.crossing(from, at) == at; }

  static std::size_t hop(SparseMethod& method, RowPacker& packer, const OutgoingRound& round,
                         IncomingRows& incoming) {
    incoming.clear();
    return method.exchange({round.number, packer.pack(), 0}, incoming);
  }

  int rank_;
  std::size_t item_size_;
  RankGrid grid_;
  std::unique_ptr<SparseMethod> along_row_, along_column_;
  RowPacker first_packer_, second_packer_;
  IncomingRows first_hop_{1}, second_hop_{1};
  std::vector<RoutedRow> arrived_;
};

CostTerms cost_of_grid(const PatternShape& shape) {
  // Two hops, each with a message from each rank of the row or the column. The second hop begins
  // when all messages of the first have arrived.
  const double messages = 2.0 * (std::sqrt(static_cast<double>(shape.ranks)) - 1.0);
  return {.messages = messages,
          .global_steps = 2.0,
          .kilobytes = (2.0 * shape.bytes + 8.0 * messages) / 1e3,
          .copied = 5.0 * shape.bytes / 1e3};
}

constexpr std::string_view grid_aliases[] = {"alltoall_grid", "two-hop", "conveyor"};

}  // namespace

const SparseMethodRow sparse_method::grid{
    .info =
        {
            .name = "grid",
            .description =
                "two hops over a near-square grid of ranks, along its rows, then its columns",
            .needs = "two_sided",
            .aliases = grid_aliases,
        },
    .why_unavailable = needs_messages,
    .make = make_method<Grid, SparseMethod>,
    .cost = cost_of_grid,
};

}  // namespace sterna::comm
