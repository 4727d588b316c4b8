#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/forces/coulomb/fmm/point_charges.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

/// The arguments from which a solver of charges is made. The context and the decomposition outlive
/// the solver.
struct ChargeSolverRequest {
  const comm::Context& context;
  const Decomposition& decomposition;
  double accuracy = 1e-4;  ///< relative root mean square error of the forces
  bool periodic = true;    ///< false: charges have no images
  Surroundings surroundings = Surroundings::conductor;
  bool has_dipoles = false;
  double molecule_radius = 0.0;  ///< largest distance of a charge from its molecule's center
  double travel = 0.0;           ///< largest path of particles between two calls of `rebuild`
};

/// The numbers of charges that a solver may need besides the charges of this rank.
struct ChargeCounts {
  std::size_t molecules = 0;  ///< of this rank: their numbers are below this one
  std::size_t on_all_ranks = 0;
};

/// What computes the interaction of charges, and of point dipoles, at any distance. A kind of solver
/// is one file with a row in a table (`input/charge_solver_row.hpp`). Everything else knows solvers by
/// this interface and their rows alone, and `tests/forces/coulomb/test_charge_solvers.cpp` holds each
/// row against direct sums and finite differences.
///
/// Functions are collective unless they say otherwise. Each rank has the charges whose molecules'
/// centers lie in its region, listed or in place. Results are for these charges; the caller adds
/// energy and virial over the ranks.
class ChargeSolver {
 public:
  ChargeSolver() = default;
  ChargeSolver(const ChargeSolver&) = delete;
  ChargeSolver& operator=(const ChargeSolver&) = delete;
  virtual ~ChargeSolver() = default;

  /// Whether the parameters are known: chosen, or restored. Not collective.
  virtual bool has_parameters() const = 0;
  /// Chooses parameters with which the forces on these charges have the accuracy, and measures their
  /// error against a far more accurate computation. `other_forces` returns forces on this rank's
  /// charges that are added to those of the solver, or nothing: the error is relative to the sums.
  virtual void choose_parameters(const PointCharges& charges, const ChargeCounts& counts,
                                 const std::function<std::vector<Vec3>()>& other_forces = {}) = 0;
  /// The measured error (`ForceError`); 0 before it is known. Not collective.
  virtual double error() const = 0;
  /// Parameters, their error and what they were chosen for, for a checkpoint. Not collective.
  virtual std::vector<double> state() const = 0;
  /// Takes the parameters of a state. Numbers that are not a state of this solver, or that were chosen
  /// for something else, change nothing. Not collective.
  virtual void restore(std::span<const double> state) = 0;

  /// Changes the regions, and perhaps the box; `rebuild` follows. Not collective.
  virtual void set_decomposition(const Decomposition& decomposition) = 0;
  /// Takes new charges, once there are parameters. Values, molecules and absent particles stay valid
  /// until the next call.
  virtual void rebuild(const PointCharges& charges, const ChargeCounts& counts) = 0;
  /// Begins a computation for the charges of the last `rebuild`, which have moved since. Other work
  /// is done until `finish`, while messages are on their way; the charges stay valid until then.
  /// Without the slow part `finish` gives what changes faster.
  virtual void start(const PointCharges& charges, bool with_slow_part = true) = 0;
  struct Wanted {
    bool virial = false;
    bool energy = false;  ///< and the potentials
    /// The array to which forces on charges in place are added, by particle. The result then has those
    /// on listed charges alone, and perhaps no potentials. Only if `adds_forces`.
    std::span<Vec3> forces = {};
  };
  /// The result is valid until the next call of `start`. It has energy, virial and potentials if all
  /// ranks ask for them; the rest has the same bits with and without.
  virtual const CoulombResult& finish(const Wanted& wanted) = 0;
  /// Potentials of these charges at points of this rank's region that are none of the charges. The
  /// charges may differ from those of the last `rebuild`, whose computations are not disturbed. So
  /// charges that change while particles stay, and charges that are tried, have their potentials.
  virtual std::vector<double> potentials_at(std::span<const Vec3> points,
                                            const PointCharges& charges,
                                            const ChargeCounts& counts) = 0;

  // What follows is not collective. A solver changes what differs from the usual.

  /// Whether `finish` can add the forces to an array.
  virtual bool adds_forces() const { return false; }
  /// Whether `start` needs the centers of molecules.
  virtual bool needs_centers() const { return false; }
  /// Whether charges must stay within half the skin of where they were at the last `rebuild`.
  virtual bool needs_early_rebuild() const { return false; }
  /// Keeps the slow part of the forces in each computation that has it, for `slow_part`.
  virtual void keep_slow_part() {}
  /// The slow part of the last result, which is in that result, without energy and virial.
  virtual const CoulombResult* slow_part() const { return nullptr; }
  /// Whether `rebuild` moves forces between the slow part and the rest.
  virtual bool rebuild_moves_slow_part() const { return false; }

  virtual std::string_view name() const = 0;  ///< of its row
  /// The parameters for the user: "order 8, single precision, 16 x 16 x 16 leaves".
  virtual std::string description() const = 0;
  /// The order of an expansion or interpolation; 0: there is none.
  virtual int order() const { return 0; }
  /// Who does not reach the accuracy, if the error is larger: "the Ewald sums do". Empty if the user
  /// has chosen the parameters himself.
  virtual std::string_view subject_of_error() const = 0;
  /// Traffic of its exchanges.
  virtual std::vector<comm::Verdict> verdicts() const { return {}; }
};

using MakeChargeSolver = std::function<std::unique_ptr<ChargeSolver>(const ChargeSolverRequest&)>;

/// Charges, and points as listed charges of 0 behind the listed ones, each in a molecule of its own.
/// So a solver whose result has potentials gives those at points, too. Charges in place stay there.
class ProbedCharges {
 public:
  ProbedCharges(const PointCharges& charges, const ChargeCounts& counts,
                std::span<const Vec3> points);
  PointCharges view() const {
    return {positions_, values_, molecules_, centers_, dipoles_, in_place_};
  }
  ChargeCounts counts() const { return counts_; }
  /// The potentials at the points, from those of a result.
  std::vector<double> of_points(const std::vector<double>& potentials) const;

 private:
  std::size_t first_, points_;
  ChargeCounts counts_;
  ChargesInPlace in_place_;
  std::vector<Vec3> positions_, centers_, dipoles_;
  std::vector<double> values_;
  std::vector<std::int32_t> molecules_;
};

}  // namespace sterna::md
