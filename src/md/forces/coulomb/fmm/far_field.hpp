#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/forces/coulomb/fmm/cell_convolution.hpp"
#include "md/forces/coulomb/fmm/expansion_exchange.hpp"
#include "md/forces/coulomb/fmm/expansion_level.hpp"
#include "md/forces/coulomb/fmm/fmm_operators.hpp"
#include "md/forces/coulomb/fmm/fmm_times.hpp"
#include "md/forces/coulomb/fmm/tree_partition.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

/// The charges of a leaf. If the parameters say that there are dipoles, each component of a dipole
/// over the unit of the leaves is given as a charge at the same position.
template <class Real>
struct FarSources {
  FarCharges<Real> charges;
  std::array<FarCharges<Real>, 3> moments;
};

/// The potential of all charges outside of the 27 cells around, on all ranks of a context or,
/// without one, in this process.
///
/// A rank computes the multipoles of its charges in each leaf. They are sent to the owner of the
/// leaf and to ranks that have it near their own cells, where the parts are added: the rank's own
/// first, then others in the order of the ranks. Owners shift them up, the next level's exchange
/// follows, and meanwhile the level's multipoles become local expansions. Levels with fewer cells
/// than ranks, and the sums over all ranks that the caller wants, are one reduction; a top with
/// more cells is a convolution over all ranks. On the way down local expansions are sent to the
/// ranks that have the children, and at last to the ranks that have charges in the leaf.
template <class Real>
class FarField {
 public:
  static constexpr std::size_t sum_count = 8;

  FarField(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
           const TreePartition& partition, const std::string& exchange_method);

  /// Begins a computation and clears the last one. Afterwards the sources of each leaf that the
  /// region touches are added, by the leaf's index.
  void clear();
  void add_multipole(std::size_t leaf, const FarSources<Real>& sources);
  /// Collective. Sends the first messages. `sums`: of this rank. `last`: no computation follows, so
  /// memory is released as early as possible.
  void start(const std::array<double, sum_count>& sums, bool last, FmmTimes& times);
  /// The further stages, all collective. Each runs until it would have to wait for other ranks, so
  /// computing something else before the next stage hides the waiting.
  int stage_count() const { return static_cast<int>(stages_.size()); }
  void next_stage(bool with_virial, FmmTimes& times);
  /// After the last stage: sets potential and field at the sources of a leaf. Each moment is
  /// treated as a charge in a potential that is a component of the field.
  void evaluate(std::size_t leaf, FarSources<Real>& sources);
  double leaf_unit() const { return operators_.leaf_unit; }
  /// The sums over all ranks.
  std::array<double, sum_count> sums() const;
  /// The virial, if it was asked for: this rank's share for the centers of leaves, without the
  /// products of each charge's force and its position in its leaf.
  const VirialProducts& virial() const { return virial_; }

  std::vector<comm::Verdict> verdicts() const;

 private:
  /// The data of one depth below the top.
  struct Depth {
    ExpansionLevel<Real> level;
    std::optional<ExpansionExchange<Real>> multipoles;  ///< into the level with its border
    std::optional<ExpansionExchange<Real>> locals;      ///< from the level to those below
    CellExpansions<Real> of_parents;                    ///< multipoles, then locals
    /// The parents whose children's virial this rank counts, by ExpansionLevel::index.
    std::vector<std::size_t> counted;
    /// Like the level's local expansions, but each contribution is multiplied by a component of the
    /// vector to the target: from the source's center, or, from the parent's center, twice that
    /// vector.
    std::array<std::vector<Real>, 3> weighted;
  };
  using Coefficients = typename ExpansionExchange<Real>::Coefficients;
  static Coefficients cells_of(CellExpansions<Real>& cells) {
    return {cells.data(), cells.stride()};
  }
  static Coefficients multipoles_of(Depth& depth) {
    return {depth.level.multipoles(0), depth.level.stride()};
  }
  static Coefficients locals_of(Depth& depth) {
    return {depth.level.locals(0), depth.level.stride()};
  }
  Depth& depth(int number) { return depths_[static_cast<std::size_t>(number - 1)]; }
  bool distributed(int number) const { return number > partition_.first_distributed_depth(); }

  void make_depths(const comm::Context* context, const std::string& exchange_method);
  CellBox targets_of(int number, int rank) const;
  void add_depth(int number);
  void copy_cells(int number);
  void exchange_cells(int number, const comm::Context* context, const std::string& exchange_method);
  /// Starts the far field of the top levels. `part`: this rank's multipoles of the deepest level that
  /// is not distributed, or of a distributed top.
  void start_top(const CellExpansions<Real>& part);
  enum class Stage { climb, to_waves, multiply, from_waves, descend };
  /// Shifts multipoles up from the leaves to the top.
  void climb(FmmTimes& times);
  /// Computes the far field of a top that is not distributed.
  void compute_top(FmmTimes& times);
  /// Shifts local expansions down from the top to the leaves.
  void descend(FmmTimes& times);
  /// The multipoles of the top, or this rank's part of them.
  const CellExpansions<Real>& top_source() const {
    return depths_.empty() ? leaves_ : depths_.front().of_parents;
  }
  /// The local expansions of the top. If there is no level below and the leaves are the top's
  /// cells, the leaves have them directly.
  CellExpansions<Real>& top_locals() { return leaves_are_top_ ? leaves_ : top_locals_; }
  void shift_up(Depth& depth);
  void multipoles_to_locals(Depth& depth);
  void shift_down(Depth& depth);
  /// The cells that each rank gives and receives if the top is distributed; otherwise all cells.
  std::vector<CellBox> boxes_of_top() const;
  CellBox box_of_top() const {  ///< of this rank
    const int number = partition_.top_distributed() ? partition_.rank() : 0;
    return boxes_of_top()[static_cast<std::size_t>(number)];
  }
  void add_moments(const FarSources<Real>& sources, Real* multipole, std::size_t stride);
  /// Appends the expansions of the gradient's components to the expansion of the potential.
  void add_gradient(std::vector<Real>& local) const;
  /// Sums over cells that are needed to move the background: charge, charges times their vectors
  /// from the cells' centers, cells' charges times these centers c, the same times c again, and
  /// products of c with the vectors.
  static constexpr std::size_t background_count = 25;
  using Background = std::array<double, background_count>;
  Background background_of(const CellExpansions<Real>& multipoles) const;
  /// The second stage of the top's convolution, with the virial if it is wanted.
  void multiply_top();
  /// Moves the background. The caller's is about the center of the box, the convolution's about the
  /// centers of the cells.
  void move_background_of_top(const Background& background);
  /// The vector from the center of the box to that of a cell; for an image, to the cell that it is
  /// an image of.
  Vec3 top_center(const Cells& place) const;

  /// The arrays `weighted` for the cells in an octant of the parents from `begin` on.
  std::array<Real*, 3> weighted_at(Depth& depth, int octant, std::size_t begin);
  /// As kernels_.shift; also adds the result times the components of `vector` to the arrays
  /// `weighted`.
  void shift_weighted(const ShiftOperator<Real>& shift, const Vec3& vector, const Real* source,
                      std::size_t source_stride, Real* target, const std::array<Real*, 3>& weighted,
                      std::size_t target_stride, std::size_t count);
  /// Adds a cell's share of the virial, from its multipole and the weighted local expansions.
  void add_virial(const Real* multipole, const std::array<const Real*, 3>& weighted,
                  std::size_t stride, double unit);
  void add_virial_of_level(int number);
  void add_virial_of_top(const std::array<double, 6>& virial);
  /// Reads the local expansions that are known at cells of a depth whose level is on this rank.
  void read_locals(int number, const CellBox& cells, Real* out);

  FmmParameters parameters_;
  Lattice lattice_;
  TreePartition partition_;
  FmmOperators<Real> operators_;
  const FmmKernels<Real>& kernels_;
  HarmonicFactors factors_;
  std::size_t coefficients_;
  std::vector<Depth> depths_;
  CellExpansions<Real> leaves_;              ///< of this rank's leaves: multipoles, then local
                                             ///< expansions
  std::vector<CellBlock> images_of_leaves_;  ///< the cells of the grid of which leaves are images
  CellConvolution<Real> top_;
  bool leaves_are_top_;
  /// This process has all cells of the top, so no communication is needed.
  bool has_whole_top_;
  CellExpansions<Real> top_locals_;  ///< if leaves are not the top
  std::vector<Real> scratch_;
  std::vector<Real> local_, slope_;  ///< scratch of `evaluate`

  std::vector<Stage> stages_;
  std::size_t next_stage_ = 0;
  bool last_ = false;  ///< the present computation is the last
  bool with_virial_ = false;
  VirialProducts virial_{};
  std::vector<Real> shifted_;

  /// Multipoles of the deepest level that every rank has, or the sums that move the background of a
  /// distributed top; then the caller's sums.
  std::unique_ptr<std::vector<double>> reduced_;
  std::optional<comm::ReductionBatch> reduction_;
};

extern template class FarField<float>;
extern template class FarField<double>;

}  // namespace sterna::md
