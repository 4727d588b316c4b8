#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/tree_partition.hpp"

namespace sterna::md {

/// Which leaf holds which charge. A molecule belongs as a whole to the leaf of its center, though
/// some of its charges may lie beyond: its halves would have charges and large multipoles, where
/// the whole has none. The borders of leaves are those of FmmParameters::borders. Where leaves
/// overlap, a molecule near a face belongs to the leaves at both sides, as a whole to each, with
/// weights that are smooth functions of its center and add up to 1: up to eight parts at a corner.
class LeafParts {
 public:
  LeafParts(const Lattice& lattice, const FmmParameters& parameters,
            const TreePartition& partition);

  /// Molecules from now on, and their leaves; without overlap they stay there until the next call.
  /// Throws std::invalid_argument where a molecule reaches farther than half a leaf from its
  /// center, or has it outside of an open box.
  void rebuild(const PointCharges& charges);
  /// Where leaves overlap: the charges are elsewhere now, in the same image of the box. `centers`:
  /// as they were given to `rebuild`. Throws std::runtime_error where a molecule has gone farther
  /// than the parameters' `travel`.
  void move(const VectorView& positions, const VectorView& centers);

  /// Parts of charges in leaves, in the order of the leaves.
  std::size_t count() const { return charges_.size(); }
  std::size_t charge(std::size_t part) const { return charges_[part]; }
  double weight(std::size_t part) const { return weights_.empty() ? 1.0 : weights_[part]; }
  /// Where leaves overlap, the gradient of its weight over the molecule's center.
  const Vec3& slope(std::size_t part) const { return slopes_[part]; }
  /// Where the parts of each leaf of `leaves` begin, and the end.
  const std::vector<std::size_t>& begins() const { return begins_; }
  /// Those with parts, TreePartition::touched_leaves.
  const CellBox& leaves() const { return leaves_; }
  /// Of the parts of a leaf, by its index: the positions from its center, where the charges have
  /// these positions.
  void offsets(std::size_t leaf, const VectorView& positions, std::vector<Vec3>& offsets) const;
  /// Whether `rebuild` had the centers of molecules.
  bool centers_given() const { return centers_given_; }
  /// From the center of the box to that of a leaf or, beyond the box, of the leaf it is an image
  /// of.
  Vec3 from_box_center(const Cells& leaf) const;
  /// How many parts each leaf may have before the next call of `rebuild`, where leaves overlap.
  std::vector<std::size_t> most_parts() const;

 private:
  struct Molecule {
    std::uint32_t first, end;  ///< charges
    Vec3 center;
  };
  struct Whole {  ///< a molecule in a leaf
    std::uint32_t first, end, leaf;
  };
  struct Weight {
    double weight;
    Vec3 slope;
  };
  /// What brings a charge, a whole or a part to its leaf from another image of the box. There are
  /// few, so they are kept apart, in ascending order.
  struct Shift {
    std::uint32_t of;
    Vec3 by;
  };
  /// Leaves along one axis.
  struct Along {
    int count;
    std::array<int, 2> leaf;
    std::array<double, 2> weight, slope;  ///< over the position in units of leaves
  };

  /// Next to the first charge's center, and checked.
  Molecule molecule_of(const PointCharges& charges, std::size_t first, std::size_t end);
  /// In units of leaves, in the image of the box nearest to `leaves_`, which is `boxes` away.
  Vec3 place_of(const Vec3& center, Vec3& boxes) const;
  Along along(int axis, double place) const;
  /// Those in which a molecule at such a place has a part, along each axis.
  std::array<Along, 3> leaves_of(const Vec3& place) const;
  void forget_parts();
  void place(const Molecule& molecule);
  void sort_parts();
  static Vec3 shift_of(std::uint32_t of, std::span<const Shift> shifts);

  Lattice lattice_, reciprocal_;
  bool periodic_, midplanes_;
  double overlap_, travel_;
  Cells grid_;    ///< leaves of the box
  Lattice leaf_;  ///< edges of one
  CellBox leaves_;

  // Only `rebuild` has these where leaves do not overlap.
  std::vector<Molecule> molecules_;
  std::vector<Shift> images_;  ///< of charges: next to their molecule's center
  std::vector<Whole> wholes_;
  std::vector<Weight> weights_of_wholes_;
  std::vector<Shift> shifts_of_wholes_;
  bool centers_given_ = false;

  std::vector<std::uint32_t> charges_;  ///< of each part
  std::vector<double> weights_;         ///< likewise; empty where leaves do not overlap
  std::vector<Vec3> slopes_;            ///< likewise
  std::vector<Shift> shifts_;           ///< of parts
  std::vector<std::size_t> begins_;
};

}  // namespace sterna::md
