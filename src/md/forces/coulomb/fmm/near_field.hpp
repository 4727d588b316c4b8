#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/fmm_times.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/forces/coulomb/fmm/leaf_parts.hpp"
#include "md/forces/coulomb/fmm/tree_partition.hpp"
#include "sterna/comm/neighbor_exchange.hpp"

namespace sterna::md {

/// The potential of the charges of the 27 cells around, charge by charge, without charges of the
/// same molecule. Charges of leaves that touch or border on another rank's region are sent there.
/// Between two rebuilds these are the same charges, so a message has only coordinates. If leaves
/// overlap, charges come and go, and a message also has their numbers and values.
///
/// Each pair of charges is computed once, even if they are on two ranks: by the rank whose leaf is
/// lower along the axis that is cut most, or along the next axis if both are equal there. So a rank
/// receives charges from half of its surroundings only. The effects on received charges are
/// returned to their owners in a second message, which is sent before the work that needs no other
/// rank. Within one leaf the two ranks alternate from leaf to leaf. For dipoles there is no such
/// kernel: their pairs are computed on both sides.
template <class Real>
class NearField {
 public:
  NearField(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
            const TreePartition& partition, const std::string& exchange_method);

  /// Collective if leaves do not overlap. Sets the parts of these charges in the leaves that this
  /// rank's region touches. A molecule lies in one leaf as a whole or, if leaves overlap, in
  /// several as a whole.
  void rebuild(const LeafParts& parts, const PointCharges& charges, FmmTimes& times);
  /// Collective. Reserves room in messages for so many charges of each leaf.
  void reserve(std::span<const std::size_t> charges);
  /// Collective. Sends the parts of charges where they are now, and the dipoles of the parts if the
  /// parameters say that there are some; clears the results.
  void start(const LeafParts& parts, const PointCharges& charges, std::span<const Vec3> dipoles,
             FmmTimes& times);
  /// The results besides fields. With dipoles potentials are always computed.
  struct Wanted {
    bool potentials, virial;
  };
  /// Collective. Receives the charges sent by others at `start`, computes the pairs that need them,
  /// and sends the results back.
  void compute_arrived(Wanted wanted, FmmTimes& times);
  /// Computes one of several parts of the work that needs no charges of other ranks.
  void compute_local(Wanted wanted, int part, int parts, FmmTimes& times);
  /// Collective. Receives the results of this rank's charges from other ranks.
  void finish(Wanted wanted, FmmTimes& times);
  /// The charges of this rank with their results.
  const NearCharges<Real>& charges() const { return charges_; }
  /// The virial, if it was asked for: half of the sum over pairs of near leaves of their distance
  /// times force.
  const VirialProducts& virial() const { return virial_; }

  std::vector<comm::Verdict> verdicts() const;

 private:
  /// A range of charges in one leaf.
  struct Range {
    std::size_t begin, end;
    int rank;
    // For charges of this rank:
    std::size_t source = 0;  ///< their leaf of own_
    bool in_place = false;   ///< not in another image of the box
  };
  /// The ranges of each leaf of around_, ordered by leaf.
  class Ranges {
   public:
    void clear() { found_.clear(); }
    void add(std::size_t leaf, const Range& range) { found_.push_back({leaf, range}); }
    /// Is called after all `add`; keeps the order within a leaf.
    void sort(std::size_t leaf_count);
    std::span<const Range> of(std::size_t leaf) const {
      return {sorted_.data() + begins_[leaf], begins_[leaf + 1] - begins_[leaf]};
    }

   private:
    std::vector<std::pair<std::size_t, Range>> found_;
    std::vector<std::size_t> begins_;
    std::vector<Range> sorted_;
  };
  using Counts = std::vector<std::int32_t>;
  template <class Function>
  void for_each_remote_block(std::span<const CellBlock> blocks, int rank, Function function) const;
  /// One round of messages: `write(block of own cells, out)` returns the end of its data;
  /// `read(rank, in)`.
  template <class Write, class Read>
  void exchange(Write write, Read read);
  /// Bytes that are sent for a charge in each round.
  std::size_t bytes_per_charge() const {
    return 3 * sizeof(Real) + (dipoles_ ? 3 * sizeof(Real) : 0) + (overlapping_ ? sizeof(Real) : 0);
  }
  /// Write the numbers of charges of a block's leaves, and the elements of `array` for its charges.
  std::byte* write_counts(const CellBox& block, std::byte* out) const;
  template <class Array>
  std::byte* write_charges(const Array& array, const CellBox& block, std::byte* out) const;
  /// Reads the counts of all blocks of a peer.
  const std::byte* read_counts(int peer, const std::byte* in, Counts& counts) const;
  void place_own();
  /// Places received charges behind this rank's own, in the order of ranks.
  void place_arriving(std::span<const Counts> counts);
  void resize(std::size_t count);
  void receive_positions();
  void receive_all();
  /// Reads the arrays of a peer's charges, which follow the counts.
  void read_arrays(int peer, const std::byte* in, std::size_t place);
  /// Computes leaves from index `begin` up to `end`.
  void compute(bool local, Wanted wanted, std::size_t begin, std::size_t end);
  /// Whether this rank computes pairs of its charges with another rank's in the same leaf.
  bool computes_within(const Cells& leaf, int other) const;
  void clear_results(Wanted wanted);
  /// Calls `function` for each array of results that goes back to the owners of charges.
  template <class Function>
  void for_each_returned(Wanted wanted, Function function);
  void return_results(Wanted wanted);

  TreePartition partition_;
  const FmmKernels<Real>& kernels_;
  bool dipoles_, overlapping_;
  bool once_;     ///< each pair is computed once
  Lattice leaf_;  ///< edges of a leaf
  /// The step from a leaf to itself or to a leaf around it.
  struct Step {
    Cells by;
    std::array<Real, 3> shift;  ///< vector between their centers
    bool up;                    ///< direction in which pairs are computed if once
  };
  static constexpr std::size_t to_itself = 13;  ///< index of the step to the leaf itself
  std::array<Step, 27> steps_;
  int rank_;
  Cells grid_;            ///< number of leaves in the box
  CellBox own_, around_;  ///< leaves of this rank's charges; the same with neighbors
  CellTransfers transfers_;
  std::optional<comm::NeighborExchange<std::byte>> exchange_;
  std::optional<comm::NeighborExchange<Real>> returns_;  ///< if pairs are computed once

  NearCharges<Real> charges_;  ///< this rank's, then received ones, block by block
  std::vector<std::size_t> begins_;
  Ranges own_ranges_, arrived_ranges_;
  std::vector<std::size_t> arrived_;   ///< number of charges from each peer
  std::vector<NearCell<Real>> cells_;  ///< near the present leaf
  std::vector<Vec3> offsets_;          ///< of the present leaf
  NearSources<Real> sources_;
  VirialProducts virial_{};
};

extern template class NearField<float>;
extern template class NearField<double>;

}  // namespace sterna::md
