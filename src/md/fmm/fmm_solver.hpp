#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "md/fmm/point_charges.hpp"

namespace sterna::md {

/// Electrostatics in O(N) by the fast multipole method (Greengard and Rokhlin, J. Comput. Phys. 73,
/// 325 (1987)) on a uniform tree: cells and their 26 neighbors interact charge by charge, all
/// else through expansions in solid harmonics; periodic boxes through a lattice operator at the
/// root. Shifts by rotation, O(order^3), of many cells of one relative vector at once. Serial.
class FmmSolver {
 public:
  struct Parameters {
    int order = 8;  ///< highest degree, 2 to 16
    bool single_precision = false;
    /// The box is repeated in all directions; otherwise it holds all charges.
    bool periodic = true;
    Surroundings surroundings = Surroundings::conductor;
    /// Cells of the coarsest level along each edge, at least 2 (3 with one level).
    std::array<int, 3> top_cells{2, 2, 2};
    int levels = 1;  ///< each has twice the cells of the one above, along each edge
    std::string_view instruction_set = "auto";
  };
  /// Order and precision for a relative root-mean-square force error of about `accuracy` in liquid
  /// water, and a tree for which near and far field take about the same time.
  static Parameters parameters(const Lattice& lattice, bool periodic, std::size_t count,
                               double accuracy);
  struct Checked {
    Parameters parameters;
    double error;  ///< relative root-mean-square error of the forces, as measured
  };
  /// The same for these charges: the order is raised until the error, measured against the highest
  /// order in double precision, is below `accuracy`. Where even that has a larger one, it is what
  /// you get, and `error` says so: fewer levels, with larger cells, have smaller errors.
  static Checked checked_parameters(const Lattice& lattice, bool periodic,
                                    const PointCharges& charges, double accuracy);

  /// Throws std::invalid_argument for parameters out of range.
  FmmSolver(const Lattice& lattice, const Parameters& parameters);
  ~FmmSolver();
  FmmSolver(FmmSolver&&) noexcept;
  FmmSolver& operator=(FmmSolver&&) noexcept;

  /// Charges of a molecule follow each other. Throws std::invalid_argument where a molecule reaches
  /// farther than half a cell from its center, or has it outside of an open box.
  CoulombResult solve(const PointCharges& charges);

  /// Seconds of the last call, by phase.
  struct Times {
    double sort = 0.0, charges_to_multipoles = 0.0, multipoles_up = 0.0, multipoles_to_locals = 0.0,
           locals_down = 0.0, locals_to_charges = 0.0, near_field = 0.0;
  };
  const Times& times() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
