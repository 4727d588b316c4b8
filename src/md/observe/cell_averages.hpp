#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/core/units.hpp"
#include "md/input/check_input.hpp"
#include "md/observe/frame.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Densities of types or groups and the temperature in cells of space.
class CellAverages {
 public:
  /// `names`: of the types, where there are no groups.
  CellAverages(std::vector<std::string> names, std::vector<AtomGroup> groups,
               const UnitSystem& units, std::size_t cells);

  /// A particle of this rank is in this cell.
  void add(const Frame& frame, std::size_t particle, std::size_t cell);
  /// This rank's sums for each cell: particles of each type or group, particles with a mass, m v^2.
  std::span<double> sums() { return sums_; }

  /// Names and units of the columns, each after a space.
  std::string header() const;
  /// Values of a cell in the same order. `volume`: of the cell, summed over the frames.
  std::string row(std::span<const double> all_sums, std::size_t cell, double volume) const;

 private:
  std::size_t stride() const { return names_.size() + 2; }

  std::vector<std::string> names_;
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  std::vector<double> sums_;
};

/// Returns the center of mass of all particles in a periodic box: in each direction the phase of
/// its first Fourier coefficient (Bai and Breen, J. Graphics Tools 13, 53 (2008)). Collective.
Vec3 center_of_mass_in_box(const comm::Context& context, const Frame& frame);

/// The section's box must be orthorhombic: an error at `place` where it is not.
void check_right_angles(const Box& box, std::string_view place, std::string_view what,
                        const Report& report);

}  // namespace sterna::md
