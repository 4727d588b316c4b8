#pragma once

#include <array>
#include <cstddef>
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
  /// The charges are elsewhere now, in the same image of the box. `centers`: as they were given to
  /// `rebuild`, used where leaves overlap. Throws std::runtime_error where a molecule has gone
  /// farther than the parameters' `travel`.
  void move(std::span<const Vec3> positions, std::span<const Vec3> centers);

  /// Of a charge in a leaf; all parts lie in the order of the leaves.
  struct Part {
    std::size_t charge;
    double weight;
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// Where leaves overlap, of each part the gradient of its weight over the molecule's center.
  const std::vector<Vec3>& slopes() const { return slopes_; }
  /// Position of each part from the center of its leaf.
  const std::vector<Vec3>& offsets() const { return offsets_; }
  /// Where the parts of each leaf of `leaves` begin, and the end.
  const std::vector<std::size_t>& begins() const { return begins_; }
  /// Those with parts, TreePartition::touched_leaves.
  const CellBox& leaves() const { return leaves_; }
  /// From the center of the box to that of a leaf or, beyond the box, of the leaf it is an image
  /// of.
  Vec3 from_box_center(const Cells& leaf) const;
  /// How many parts each leaf may have before the next call of `rebuild`.
  std::vector<std::size_t> most_parts() const;

 private:
  struct Molecule {
    std::size_t first, end;  ///< charges
    Vec3 center;
  };
  struct Whole {  ///< a molecule in a leaf
    std::size_t molecule, leaf;
    double weight;
    Vec3 slope, origin;
  };
  /// Leaves along one axis.
  struct Along {
    int count;
    std::array<int, 2> leaf;
    std::array<double, 2> weight, slope;  ///< over the position in units of leaves
  };

  /// In units of leaves, in the image of the box nearest to `leaves_`.
  Vec3 place_of(const Molecule& molecule) const;
  Along along(int axis, double place) const;
  /// Those in which a molecule at such a place has a part, along each axis.
  std::array<Along, 3> leaves_of(const Vec3& place) const;
  void place_molecules();
  void set_offsets(std::span<const Vec3> positions);

  Lattice lattice_, reciprocal_;
  bool periodic_, midplanes_;
  double overlap_, travel_;
  Cells grid_;    ///< leaves of the box
  Lattice leaf_;  ///< edges of one
  CellBox leaves_;

  std::vector<Molecule> molecules_;
  /// Of each charge as given, what brings it next to its molecule's center. As `wholes_`, only
  /// `rebuild` has them where leaves do not overlap.
  std::vector<Vec3> images_;
  bool centers_given_ = false;

  std::vector<Whole> wholes_;
  std::vector<Part> parts_;
  std::vector<Vec3> slopes_;
  std::vector<Vec3> origins_;  ///< centers of the leaves, in the images of the box of the charges
  std::vector<Vec3> offsets_;
  std::vector<std::size_t> begins_;
};

}  // namespace sterna::md
