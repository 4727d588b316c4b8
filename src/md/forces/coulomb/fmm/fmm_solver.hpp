#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/forces/coulomb/fmm/fmm_parameters.hpp"
#include "md/forces/coulomb/fmm/fmm_times.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

/// Electrostatics in O(N) by the fast multipole method (Greengard and Rokhlin, J. Comput. Phys. 73,
/// 325 (1987)) on a uniform tree. A cell and its 26 neighbors interact charge by charge, all other
/// cells through expansions in solid harmonics. The cells of the top level, and all their images if
/// the box is periodic, act on each other by one convolution (CellConvolution). Shifts are
/// rotations, O(order^3), of many cells with one relative vector at once. It runs in one process,
/// or on all ranks of a context, each with the charges of its region.
class FmmSolver {
 public:
  /// A solver in this process only. Throws std::invalid_argument for parameters out of range.
  FmmSolver(const Lattice& lattice, const FmmParameters& parameters);
  /// Collective, like all further calls. The regions need not follow the cells. `exchange_method`:
  /// a name of comm::neighbor_methods(), or "auto". Results do not depend on it, and depend on the
  /// number of ranks only by rounding. Throws std::invalid_argument as above, and comm::Error if
  /// the exchange is not available.
  FmmSolver(const comm::Context& context, const Decomposition& decomposition,
            const FmmParameters& parameters, const std::string& exchange_method = "auto");
  ~FmmSolver();
  FmmSolver(FmmSolver&&) noexcept;
  FmmSolver& operator=(FmmSolver&&) noexcept;

  /// Assigns the charges to cells, where they stay until the next call. The charges of a molecule,
  /// which must be consecutive, go into the cell of its center, which must lie in this rank's
  /// region. Values, molecules and absent particles must stay valid until the next call. Throws
  /// std::invalid_argument, on the rank that finds it, if a molecule reaches farther than half a
  /// cell from its center, or if its center is outside of an open box.
  void rebuild(const PointCharges& charges);
  /// Begins a computation for the charges of the last `rebuild`. They may have moved since by less
  /// than a cell or, if leaves overlap, by the parameters' `travel`. Other work may be done until
  /// `finish`, while messages are on their way; positions must stay valid. Values and molecules are
  /// those of `rebuild`. There must be dipoles of listed charges if the parameters say so, and
  /// centers if `rebuild` had them and leaves overlap. Without the far field `finish` gives the near
  /// field alone, of the charges in the cells around each, without the background that neutralizes
  /// the box. These are the forces that change faster.
  void start(const PointCharges& charges, bool with_far_field = true);
  /// The result for the charges of this rank, in the order of `rebuild`. The energy is half of
  /// their charges times potentials; the caller adds energy and virial over the ranks. The virial
  /// is computed if all ranks ask for it. Without the energy there are no potentials. There are fields
  /// if they are asked for, or if there are dipoles. The other results have the same bits with and
  /// without virial, energy and fields. Valid until the next call of `start`.
  const CoulombResult& finish(bool with_virial = false, bool with_energy = true,
                              bool with_fields = false);
  /// As `finish`, but adds the forces on charges in place to `forces`, by particle. The result has the
  /// forces on listed charges alone, and no potentials. Only if `adds_forces`: leaves do not overlap
  /// and there are no dipoles.
  const CoulombResult& finish_into(std::span<Vec3> forces, bool with_virial, bool with_energy);
  bool adds_forces() const;
  /// Sets whether `far_part` will be asked for.
  void keep_far_part(bool kept);
  /// The part of the last result that is not of the near field, without energy and virial.
  /// Available after a `finish` with the far field, until the next `start`.
  const CoulombResult& far_part() const;
  /// Calls rebuild, start and finish.
  CoulombResult solve(const PointCharges& charges, bool with_virial = false);
  /// The forces on all charges, including forces on the centers of molecules. Nothing can be
  /// computed afterwards, because memory is released as soon as it is not needed any more.
  std::vector<Vec3> last_forces(const PointCharges& charges);

  const FmmParameters& parameters() const;
  /// Times of this rank since the last call of `reset_times`.
  const FmmTimes& times() const;
  void reset_times();
  /// Traffic of the exchanges: of charges, and two for each level that is not on every rank.
  std::vector<comm::Verdict> verdicts() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
