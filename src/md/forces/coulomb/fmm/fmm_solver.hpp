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
/// 325 (1987)) on a uniform tree: cells and their 26 neighbors interact charge by charge, all
/// else through expansions in solid harmonics. The cells of the top level, and all their images
/// where the box is periodic, act on each other by one convolution (CellConvolution). Shifts by
/// rotation, O(order^3), of many cells of one relative vector at once.
/// In one process, or on all ranks of a context, each with the charges of its region.
class FmmSolver {
 public:
  /// In this process alone. Throws std::invalid_argument for parameters out of range.
  FmmSolver(const Lattice& lattice, const FmmParameters& parameters);
  /// Collective, with all calls from then on. The regions need not follow the cells.
  /// `exchange_method`: a name of comm::neighbor_methods(), or "auto". Results do not depend on it,
  /// and on the number of ranks only by rounding. Throws std::invalid_argument as above and
  /// comm::Error where the exchange is not available.
  FmmSolver(const comm::Context& context, const Decomposition& decomposition,
            const FmmParameters& parameters, const std::string& exchange_method = "auto");
  ~FmmSolver();
  FmmSolver(FmmSolver&&) noexcept;
  FmmSolver& operator=(FmmSolver&&) noexcept;

  /// Puts the charges into cells, where they stay until the next call: those of a molecule, which
  /// follow each other, into that of their center, which is to lie in this rank's region. What is
  /// given but for the positions must stay until the next call. Throws
  /// std::invalid_argument, on the rank that sees it, where a molecule reaches farther than half a
  /// cell from its center, or has it outside of an open box.
  void rebuild(const PointCharges& charges);
  /// Begins a computation for the charges of the last `rebuild`, which may have moved by less than
  /// a cell since or, where leaves overlap, as far as the parameters' `travel`. Other work may be
  /// done until `finish`, while messages are on their way; positions must stay. `dipoles`: of each charge, where the
  /// parameters say that there are dipoles. `centers`: of each charge's molecule, where `rebuild`
  /// had them and leaves overlap. Without the far field `finish` gives the near one alone, of the
  /// charges in the cells around each, without the background that neutralizes the box: forces that
  /// change faster.
  void start(const VectorView& positions, std::span<const Vec3> dipoles = {},
             const VectorView& centers = {}, bool with_far_field = true);
  /// Of the charges of this rank, in the order of `rebuild`; the energy is half of their charges
  /// times potentials, to be added up over the ranks, as is the virial, which is computed where all
  /// ranks ask for it. Without the energy there are no potentials. The rest has the same bits with
  /// virial and energy and without. Valid until the next call of `start`.
  const CoulombResult& finish(bool with_virial = false, bool with_energy = true);
  /// The same, but adds the force on each charge to that in `forces`; the result has none, nor
  /// potentials. Only where `adds_forces`: leaves do not overlap and there are no dipoles.
  const CoulombResult& finish_into(std::span<Vec3> forces, bool with_virial, bool with_energy);
  bool adds_forces() const;
  /// Whether `far_part` is asked for from now on.
  void keep_far_part(bool kept);
  /// What of the last result is not of the near field, without energy and virial: after a `finish`
  /// with the far field, before the next `start`.
  const CoulombResult& far_part() const;
  /// All three.
  CoulombResult solve(const PointCharges& charges, bool with_virial = false);
  /// The forces on all charges, with what acts on the centers of molecules. Nothing can be computed
  /// afterwards, as memory goes back as soon as it is not needed any more.
  std::vector<Vec3> last_forces(const PointCharges& charges);

  const FmmParameters& parameters() const;
  /// Of this rank since the last call of `reset_times`.
  const FmmTimes& times() const;
  void reset_times();
  /// Of the exchanges behind it: charges, and two for each level that is not on every rank.
  std::vector<comm::Verdict> verdicts() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sterna::md
