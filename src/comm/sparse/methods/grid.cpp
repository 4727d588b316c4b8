// Idea: ranks form a near-square grid; a row goes along the grid's row first, then its column.
// Paper: two-hop routing of bale's conveyors (Maley, DeVinney 2019); alltoall_grid of KaMPIng.
// Cost: 2 sqrt P messages instead of up to P, twice the volume; memory grows with sqrt P.
// Hazards: items are packed and copied at the hop; a rank on the way carries the load of others.
// Another wins: any direct method where rows are long or partners are few.
#include "comm/sparse/methods/grid.hpp"

#include <cmath>
#include <vector>

#include "comm/sparse/methods/superset.hpp"
#include "comm/sparse/parcels.hpp"

namespace sterna::comm {

namespace {

/// `size` ranks, row after row, on a grid whose last row may be short. A place that is missing
/// there is held by the rank above, so that it has a rank in each column.
class RankGrid {
 public:
  explicit RankGrid(int size)
      : size_(size), width_(static_cast<int>(std::ceil(std::sqrt(static_cast<double>(size))))) {}

  /// The rank in the row of `from` and the column of `to`.
  int crossing(int from, int to) const {
    const int place = from / width_ * width_ + to % width_;
    return place < size_ ? place : place - width_;
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
        first_bags_(item_size_),
        second_bags_(item_size_) {
    std::vector<int> row, column;
    for (int other = 0; other < setting.context.size(); ++other) {
      if (other == rank_) continue;
      if (meets(rank_, other) || meets(other, rank_)) row.push_back(other);
      if (grid_.same_column(rank_, other)) column.push_back(other);
    }
    SparseSetting hop = setting;
    hop.item_size = 1;
    hop.possible_sources = row;
    along_row_ = make_superset(hop);
    hop.possible_sources = column;
    along_column_ = make_superset(hop);
  }

  std::size_t exchange(const OutgoingRound& round, IncomingRows& incoming) override {
    first_bags_.clear();
    second_bags_.clear();
    arrived_.clear();
    for (const OutgoingRow& row : round.rows) {
      const Parcel parcel{{row.destination, rank_, row.count}, row.items};
      const int crossing = grid_.crossing(rank_, row.destination);
      if (crossing == rank_) {
        second_bags_.add(row.destination, parcel);
      } else {
        first_bags_.add(crossing, parcel);
      }
    }
    std::size_t messages = hop(*along_row_, first_bags_, round, first_hop_);
    for_each_parcel(first_hop_, item_size_, [&](const Parcel& parcel) {
      if (parcel.label.destination == rank_) {
        arrived_.push_back(parcel);
      } else {
        second_bags_.add(parcel.label.destination, parcel);
      }
    });
    messages += hop(*along_column_, second_bags_, round, second_hop_);
    for_each_parcel(second_hop_, item_size_,
                    [&](const Parcel& parcel) { arrived_.push_back(parcel); });
    deliver(arrived_, item_size_, incoming);
    return messages;
  }

 private:
  /// Whether some rows that leave `from` cross at `at`: it is in the same row, or holds a place.
  bool meets(int from, int at) const { return grid_.crossing(from, at) == at; }

  static std::size_t hop(SparseMethod& method, ParcelBags& bags, const OutgoingRound& round,
                         IncomingRows& incoming) {
    incoming.clear();
    return method.exchange({round.number, bags.pack(), 0}, incoming);
  }

  int rank_;
  std::size_t item_size_;
  RankGrid grid_;
  std::unique_ptr<SparseMethod> along_row_, along_column_;
  ParcelBags first_bags_, second_bags_;
  IncomingRows first_hop_{1}, second_hop_{1};
  std::vector<Parcel> arrived_;
};

}  // namespace

std::unique_ptr<SparseMethod> make_grid(const SparseSetting& setting) {
  return std::make_unique<Grid>(setting);
}

CostTerms cost_of_grid(const PatternShape& shape) {
  // Two hops, each with a message from each rank of the row or the column.
  const double messages = 2.0 * (std::sqrt(static_cast<double>(shape.ranks)) - 1.0);
  return {.messages = messages,
          .kilobytes = (2.0 * shape.bytes + 8.0 * messages) / 1e3,
          .copied = 5.0 * shape.bytes / 1e3};
}

}  // namespace sterna::comm
