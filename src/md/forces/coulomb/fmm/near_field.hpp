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

/// The potential of the charges of the 27 cells around, charge by charge, without those of the same
/// molecule. Charges of leaves that touch or border on another rank's region travel there; between
/// two rebuilds the same ones, so that a message is coordinates only, unless leaves overlap: then
/// charges come and go, and a message has the numbers of them and the charges too.
///
/// Each pair of charges is computed once, also where they are of two ranks: by the rank whose leaf
/// lies lower along the axis that is cut most, or along the next where both lie alike. So a rank
/// receives charges from half of its surroundings only. What its charges do to those goes back to
/// their owners in a second message, which leaves before all that needs no other rank is computed.
/// Within one leaf either rank computes, in turns from leaf to leaf. Dipoles have no kernel for
/// this: their pairs are computed on both sides.
template <class Real>
class NearField {
 public:
  NearField(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
            const TreePartition& partition, const std::string& exchange_method);

  /// Collective where leaves do not overlap. The parts of these charges in the leaves that this
  /// rank's region touches; a molecule lies in one leaf as a whole, or, where leaves overlap, in
  /// several as a whole.
  void rebuild(const LeafParts& parts, const PointCharges& charges, FmmTimes& times);
  /// Collective: room in messages for this many charges of each leaf.
  void reserve(std::span<const std::size_t> charges);
  /// Collective: sends the parts where the charges have these positions, with their dipoles where
  /// the parameters say that there are some; forgets the results.
  void start(const LeafParts& parts, const VectorView& positions, std::span<const Vec3> dipoles,
             FmmTimes& times);
  /// Besides fields. Dipoles have potentials all the same.
  struct Wanted {
    bool potentials, virial;
  };
  /// Collective: receives what others sent at `start`, computes what needs it, and sends what their
  /// charges get.
  void compute_arrived(Wanted wanted, FmmTimes& times);
  /// A part, of several, of what needs no charges of other ranks.
  void compute_local(Wanted wanted, int part, int parts, FmmTimes& times);
  /// Collective: receives what the charges of this rank got elsewhere.
  void finish(Wanted wanted, FmmTimes& times);
  /// Has the results for the charges of this rank.
  const NearCharges<Real>& charges() const { return charges_; }
  /// Where it was asked for: half of the sum over pairs of near leaves of their distance and force.
  const VirialProducts& virial() const { return virial_; }

  std::vector<comm::Verdict> verdicts() const;

 private:
  /// Charges that lie in one leaf.
  struct Range {
    std::size_t begin, end;
    int rank;
    // Of this rank's:
    std::size_t source = 0;  ///< the leaf of own_ that has them
    bool in_place = false;   ///< where they are, not in another image of the box
  };
  /// Those of each leaf of around_, one leaf after the other.
  class Ranges {
   public:
    void clear() { found_.clear(); }
    void add(std::size_t leaf, const Range& range) { found_.push_back({leaf, range}); }
    /// After all `add`; keeps their order.
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
  /// One round: `write(block of own cells, out)` returns the end of what it wrote, `read(rank,
  /// in)`.
  template <class Write, class Read>
  void exchange(Write write, Read read);
  /// Of what is sent of a charge in each round.
  std::size_t bytes_per_charge() const {
    return 3 * sizeof(Real) + (dipoles_ ? 3 * sizeof(Real) : 0) + (overlapping_ ? sizeof(Real) : 0);
  }
  /// How many charges the leaves of a block have; of the elements of `array`, those of its charges.
  std::byte* write_counts(const CellBox& block, std::byte* out) const;
  template <class Array>
  std::byte* write_charges(const Array& array, const CellBox& block, std::byte* out) const;
  /// The counts of all blocks of a peer.
  const std::byte* read_counts(int peer, const std::byte* in, Counts& counts) const;
  void place_own();
  /// Those that arrive lie behind those that are here, in the order of ranks.
  void place_arriving(std::span<const Counts> counts);
  void resize(std::size_t count);
  void receive_positions();
  void receive_all();
  /// What was written of a peer's charges, but for the counts.
  void read_arrays(int peer, const std::byte* in, std::size_t place);
  /// Of leaves from `begin` up to `end`, by their index.
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
  bool once_;     ///< whether each pair is computed once
  Lattice leaf_;  ///< edges of a leaf
  /// From a leaf to one of those around it.
  struct Step {
    Cells by;
    std::array<Real, 3> shift;  ///< between their centers
    bool up;                    ///< pairs that are computed once are computed in this direction
  };
  static constexpr std::size_t to_itself = 13;  ///< of the steps
  std::array<Step, 27> steps_;
  int rank_;
  Cells grid_;            ///< of all leaves
  CellBox own_, around_;  ///< leaves with charges of this rank, and those with their neighbors
  CellTransfers transfers_;
  std::optional<comm::NeighborExchange<std::byte>> exchange_;
  std::optional<comm::NeighborExchange<Real>> returns_;  ///< where pairs are computed once

  NearCharges<Real> charges_;  ///< of this rank, then those that arrived, block by block
  std::vector<std::size_t> begins_;
  Ranges own_ranges_, arrived_ranges_;
  std::vector<std::size_t> arrived_;   ///< from each peer
  std::vector<NearCell<Real>> cells_;  ///< near the one that is computed
  std::vector<Vec3> offsets_;          ///< of the leaf at hand
  NearSources<Real> sources_;
  VirialProducts virial_{};
};

extern template class NearField<float>;
extern template class NearField<double>;

}  // namespace sterna::md
