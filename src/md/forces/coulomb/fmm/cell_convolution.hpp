#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "md/forces/coulomb/fmm/expansion_level.hpp"
#include "md/forces/coulomb/fmm/image_sums.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::md {

/// Computes the local expansions of all cells of a grid from the multipoles of all cells that are
/// not near, including images if the grid is periodic. On several ranks each transforms some of the
/// coefficients and multiplies some of the waves.
template <class Real>
class CellConvolution {
 public:
  /// With a context all calls are collective; without one everything is computed in this process.
  /// `cell`: its edges; coefficients are in units of `unit`. `boxes`: the cells that each rank
  /// gives and receives, perhaps images of cells; contributions of several ranks to a cell are
  /// added in the order of the ranks. `exchange`: as for FmmSolver.
  CellConvolution(const Lattice& cell, const Cells& grid, bool periodic, int order, double unit,
                  const FmmKernels<Real>& kernels, const comm::Context* context,
                  std::vector<CellBox> boxes, const std::string& exchange_method);

  /// This rank's share of the virial: minus the derivatives of the energy with respect to a strain
  /// of the cells' positions and the lattice (xx yy zz xy xz yz). The multipoles stay the same. The
  /// unit of length is that of the coefficients.
  using Virial = std::array<double, 6>;
  /// The five stages of a computation, all collective. Each receives the messages of the stage
  /// before and sends its own, so ranks that do other work in between need not wait for each other.
  /// `multipoles`, of this rank's box, must stay valid until `to_waves` has returned.
  void start(const CellExpansions<Real>& multipoles);
  void to_waves();
  /// Multiplies the waves; also computes the virial if it is given.
  void multiply(Virial* virial = nullptr);
  /// The last two stages set `locals`, of the same box; they may use the memory of the multipoles.
  void from_waves(CellExpansions<Real>& locals);
  void finish(CellExpansions<Real>& locals);

  /// Releases most of the memory after the last computation.
  void forget();

  std::vector<comm::Verdict> verdicts() const;

 private:
  /// The place of a real coefficient's cosine or sine part among the complex ones, and its factors
  /// as a multipole and as a local expansion.
  struct Place {
    std::size_t part;
    int degree;
    Real into, out_of;
  };
  struct Range {
    std::size_t begin, end;
    std::size_t count() const { return end - begin; }
  };
  /// The work of each rank: whole blocks of `lanes_` waves, and whole groups of as many
  /// coefficients.
  Range blocks_of(std::size_t rank) const;
  Range coefficients_of(std::size_t rank) const;
  std::size_t blocks() const { return (plan_.waves().count() + lanes_ - 1) / lanes_; }
  std::size_t block_size() const { return 4 * wave_count(order_) * lanes_; }
  std::size_t sums_size() const { return 2 * wave_count(2 * order_) * lanes_; }
  /// The size of a message between a rank that transforms and one that multiplies: two parts for
  /// each coefficient and each block of waves.
  std::size_t wave_message(std::size_t transforms, std::size_t multiplies) const {
    return coefficients_of(transforms).count() * blocks_of(multiplies).count() * 2 * lanes_;
  }

  void make_places();
  void make_exchanges(const comm::Context& context, const std::string& exchange_method);
  /// The sums in the layout that kernels read; for strained sums, one array for each strain.
  std::vector<std::vector<Real>> packed_sums(ImageSums::Kind kind) const;
  /// The virial of the multipoles in `expansions_`.
  Virial virial();
  /// Gathers the values of `count` coefficients at all cells from all ranks; scatters them back.
  void gather_values(std::size_t first, std::size_t count);
  void scatter_values(std::size_t first, std::size_t count, const std::vector<Real*>& outboxes,
                      CellExpansions<Real>& locals);

  int peer_of(std::size_t rank) const { return static_cast<int>(rank < rank_ ? rank : rank - 1); }
  template <class Function>
  void for_each_peer(Function function) const {
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
      if (rank != rank_) function(peer_of(rank), rank);
    }
  }
  /// Calls function(block, parts of the coefficient) for all blocks: this rank's are in `own`, the
  /// others' in messages.
  template <class Function>
  void for_each_block(std::size_t coefficient, Real* own, const std::vector<Real*>& messages,
                      Function function) const {
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
      const Range blocks = blocks_of(rank);
      const std::size_t before = coefficient - coefficients_of(rank_).begin;
      Real* at = rank == rank_ ? own + places_[coefficient].part * lanes_
                               : messages[rank] + before * blocks.count() * 2 * lanes_;
      for (std::size_t block = blocks.begin; block < blocks.end; ++block) {
        function(block, at);
        at += rank == rank_ ? block_size() : 2 * lanes_;
      }
    }
  }
  /// Calls function(parts) for the coefficients that another rank transforms, for this rank's
  /// blocks in `own`, in the order of messages.
  template <class Function>
  void for_each_part_of(std::size_t rank, Real* own, Function function) const {
    const Range coefficients = coefficients_of(rank);
    for (std::size_t a = coefficients.begin; a < coefficients.end; ++a) {
      for (std::size_t block = 0; block < blocks_of(rank_).count(); ++block) {
        function(own + block * block_size() + places_[a].part * lanes_);
      }
    }
  }

  Lattice cell_;  ///< in the coefficients' unit of length
  bool periodic_;
  int order_;
  const FmmKernels<Real>& kernels_;
  std::size_t lanes_;
  GridTransform<Real> plan_;
  std::size_t rank_;
  std::vector<CellBox> boxes_;
  std::vector<std::vector<std::size_t>> cells_;  ///< for each box the places of its cells in
                                                 ///< values_
  double scale_;  ///< its powers keep factorials, which grow with the degree, near 1
  std::vector<Place> places_;
  std::vector<Real> sums_;
  std::vector<std::vector<Real>> strained_sums_;  ///< empty until the virial is computed
  /// The expansions at this rank's waves: multipoles, then local expansions.
  std::vector<Real> expansions_;
  std::vector<Real> values_, waves_;  ///< of one group of coefficients
  const CellExpansions<Real>* own_ = nullptr;
  /// Exchanges of multipoles to the ranks that transform them, of their waves to the ranks that
  /// multiply them, and of the results back.
  std::optional<comm::NeighborExchange<Real>> cells_out_, waves_out_, waves_back_, cells_back_;
};

extern template class CellConvolution<float>;
extern template class CellConvolution<double>;

}  // namespace sterna::md
