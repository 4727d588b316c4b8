#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/vector.hpp"
#include "md/forces/molecular/molecular_work.hpp"
#include "md/forces/molecular/site_columns.hpp"
#include "md/model/molecule_model.hpp"
#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Components with so many sites that not all of them should be looked at for each neighbor:
/// nanoparticles, pieces of a wall. Their sites are sorted into cells of the body frame, where they
/// rest. There are such components only where the cutoff is that of sites.
class LargeBodies {
 public:
  /// Components with fewer points have loops over all pairs of sites.
  static constexpr std::size_t fewest_points = 32;

  /// `with_charges`: whether charges interact here.
  LargeBodies(const MoleculeModel& model, bool with_charges);

  bool is_large(std::size_t component) const { return bodies_[component].stride > 0; }
  /// The distance from the center of the farthest point of a large component.
  double extent(std::size_t component) const { return extents_[component]; }

  /// Adds the next pair of components, in the order of MolecularWork::term_begin. If one of the two
  /// is large and they interact, returns true. `columns` are those of all components.
  bool add_pair(const MoleculeModel& model, std::size_t a, std::size_t b,
                std::span<const SiteColumns> columns);

  /// Copies all numbers in single precision, when all pairs have been added.
  void round();
  /// Sets what the work says of large components.
  void put_into(MolecularWork& work) const;

 private:
  /// A point with at most one Lennard-Jones site and at most one charge, by their indices in the
  /// component; -1: none.
  struct Point {
    Vec3 position;
    int lennard_jones = -1, charge = -1;
  };
  std::vector<Point> points_of(const Component& component) const;
  /// Sorts the points of the last component into cells.
  void add_body(const MoleculeModel& model, const Component& component, std::vector<Point> points);
  /// Appends the parameters of all sites of component `a` with a Lennard-Jones site of `b`, zeros
  /// if there is none, and returns their place.
  std::size_t add_table(const MoleculeModel& model, std::size_t a, std::size_t b,
                        const Component::LennardJonesSite* site);

  bool with_charges_;
  std::vector<std::vector<Point>> points_;  ///< of all components; by cells in large ones
  std::vector<double> extents_;
  std::vector<LargeBody> bodies_;
  std::vector<std::uint32_t> cell_begin_;
  std::vector<BodyPair> pairs_;
  std::vector<BodyProbe> probes_;
  AlignedBuffer<double> numbers_;
  AlignedBuffer<float> numbers_single_;
};

}  // namespace sterna::md
