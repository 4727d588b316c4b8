#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fmm/frame.hpp"
#include "md/core/vector.hpp"
#include "md/domain/decomposition.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/sparse_exchange.hpp"

namespace sterna::fmm {

/// The way of particles from the ranks that have them to the owners of their places, and of results
/// back. All calls are collective.
class Distribution {
 public:
  explicit Distribution(const comm::Context& context);

  /// Deals out the charges of all ranks. `positions`: of this rank, in the frame's box. If they are
  /// `wrapped`, they arrive wrapped into the box, and otherwise as they are.
  void deal_out(const md::Decomposition& decomposition, std::span<const md::Vec3> positions,
                std::span<const double> charges, bool periodic, bool wrapped);
  /// What this rank has got, until the next `deal_out`.
  const std::vector<md::Vec3>& positions() const { return positions_; }
  const std::vector<double>& charges() const { return charges_; }

  struct Result {
    double potential;
    md::Vec3 field;
  };
  /// Sends results for `positions()` home. Calls `take(i, result)` for each charge i of this rank.
  template <class Take>
  void bring_back(std::span<const Result> results, Take take) {
    const auto rows = results_({sources_, offsets_of_sources_, results});
    for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
      // The owner keeps the order in which this rank has sent its particles.
      const std::size_t first = first_for(rows.ranks[row]);
      const auto items = rows.of(row);
      for (std::size_t k = 0; k < items.size(); ++k) take(order_[first + k], items[k]);
    }
  }
  std::vector<comm::Verdict> verdicts() const { return {particles_.verdict(), results_.verdict()}; }

 private:
  struct Particle {
    md::Vec3 position;
    double charge;
  };
  std::size_t first_for(int owner) const;

  comm::SparseExchange<Particle> particles_;
  comm::SparseExchange<Result> results_;
  std::vector<int> owners_;           ///< to which this rank has sent particles, ascending
  std::vector<std::size_t> offsets_;  ///< of their particles in `order_`
  std::vector<std::size_t> order_;    ///< this rank's particles, by owner
  std::vector<int> sources_;          ///< that have sent particles to this rank
  std::vector<std::size_t> offsets_of_sources_;
  std::vector<md::Vec3> positions_;
  std::vector<double> charges_;
  std::vector<Particle> outgoing_;
};

}  // namespace sterna::fmm
