#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/tree_partition.hpp"

namespace sterna::md {

/// Assigns charges to leaves. A molecule belongs as a whole to the leaf of its center, even if some
/// of its charges lie beyond: its halves would have net charges and large multipoles, which the
/// whole does not have. The borders of leaves are those of FmmParameters::borders. If leaves
/// overlap, a molecule near a face belongs to the leaves on both sides, to each as a whole. Its
/// weights are smooth functions of its center and add up to 1. At a corner it has up to eight
/// parts.
class LeafParts {
 public:
  LeafParts(const Lattice& lattice, const FmmParameters& parameters,
            const TreePartition& partition);

  /// Assigns molecules to leaves; without overlap they stay there until the next call. Throws
  /// std::invalid_argument if a molecule reaches farther than half a leaf from its center, or if
  /// its center is outside of an open box.
  void rebuild(const PointCharges& charges);
  /// For overlapping leaves: sets new positions of the charges, in the same image of the box, and
  /// new centers if `rebuild` had some. Throws std::runtime_error if a molecule has moved farther
  /// than the parameters' `travel`.
  void move(const PointCharges& charges);

  /// The number of parts; a part is a charge in a leaf. Parts are in the order of the leaves.
  std::size_t count() const { return charges_.size(); }
  /// The number of a part's charge.
  std::size_t charge(std::size_t part) const { return charges_[part]; }
  double weight(std::size_t part) const { return weights_.empty() ? 1.0 : weights_[part]; }
  /// For overlapping leaves: the gradient of the part's weight with respect to the molecule's
  /// center.
  const Vec3& slope(std::size_t part) const { return slopes_[part]; }
  /// The first part of each leaf of `leaves`, then the number of parts.
  const std::vector<std::size_t>& begins() const { return begins_; }
  /// The leaves that may have parts, TreePartition::touched_leaves.
  const CellBox& leaves() const { return leaves_; }
  /// The positions of the parts of a leaf, given by its index, from its center. `charges`: where
  /// they are now.
  void offsets(std::size_t leaf, const PointCharges& charges, std::vector<Vec3>& offsets) const;
  /// Whether `rebuild` had the centers of the molecules of listed charges.
  bool centers_given() const { return centers_given_; }
  /// The vector from the center of the box to a leaf's; beyond the box, to the leaf that it is an
  /// image of.
  Vec3 from_box_center(const Cells& leaf) const;
  /// For overlapping leaves: the largest number of parts of each leaf until the next call of
  /// `rebuild`.
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
  /// The vector by which a charge, whole or part is moved from another image of the box to its
  /// leaf. There are few, so they are stored separately, in ascending order of `of`.
  struct Shift {
    std::uint32_t of;
    Vec3 by;
  };
  /// The leaves of a position along one axis, with their weights.
  struct Along {
    int count;
    std::array<int, 2> leaf;
    std::array<double, 2> weight, slope;  ///< slope: derivative by position in units of leaves
  };

  /// The charges of a molecule, moved to the image of the first one's center, and checked.
  Molecule molecule_of(const PointCharges& charges, std::size_t first, std::size_t end);
  /// The position in units of leaves, in the image of the box nearest to `leaves_`, which is
  /// `boxes` boxes away.
  Vec3 place_of(const Vec3& center, Vec3& boxes) const;
  Along along(int axis, double place) const;
  /// The leaves in which a molecule at this position has parts, along each axis.
  std::array<Along, 3> leaves_of(const Vec3& place) const;
  void forget_parts();
  void place(const Molecule& molecule);
  void sort_parts();
  static Vec3 shift_of(std::uint32_t of, std::span<const Shift> shifts);

  Lattice lattice_, reciprocal_;
  bool periodic_, midplanes_;
  double overlap_, travel_;
  Cells grid_;    ///< number of leaves in the box
  Lattice leaf_;  ///< edges of a leaf
  CellBox leaves_;

  // If leaves do not overlap, these exist during `rebuild` only:
  std::vector<Molecule> molecules_;
  std::vector<Shift> images_;  ///< of charges, to the image at their molecule's center
  std::vector<Whole> wholes_;
  std::vector<Weight> weights_of_wholes_;
  std::vector<Shift> shifts_of_wholes_;
  bool centers_given_ = false;

  std::vector<std::uint32_t> charges_;  ///< by part
  std::vector<double> weights_;         ///< by part; empty if leaves do not overlap
  std::vector<Vec3> slopes_;            ///< by part; empty if leaves do not overlap
  std::vector<Shift> shifts_;           ///< of parts
  std::vector<std::size_t> begins_;
};

}  // namespace sterna::md
