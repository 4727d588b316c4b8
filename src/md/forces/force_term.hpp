#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/core/step_context.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::comm {
struct Verdict;
}

namespace sterna::md {

class Decomposition;
class SpanningMolecules;

/// How fast forces change. With multiple time steps slower forces are computed in some steps only.
enum class TimeScale { fast, medium, slow };

/// A term of the potential energy, such as pair potentials, charges, walls or fields. A run has a
/// set of terms. `ForceEngine` knows them by this interface only and calls, on every rank and in
/// the same order,
///
///     rebuild(particles)         whenever particles have changed their places in the store
///     begin_step(now)            in every step in which its forces are due
///     start(particles)           in every step, while ghosts are on their way
///     compute_spanning(...)      after ghosts have arrived, before forces on ghosts return
///     finish(particles, sums)    after all neighbors' positions and the pairs' forces are complete
///
/// A term that computes from the rows of the neighbor list is a `ShortRangeForces`, which has more
/// calls.
///
/// A new term is one class in one folder, and one row of `simulation/force_term_table.cpp`.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// The name of the term in the log, the final table and the timing breakdown. It is the same on
  /// all ranks and unique among the terms of the run: lower case, words joined by '_'.
  virtual std::string_view name() const = 0;

  /// Whether its forces on all particles add up to 0, so that the total momentum is conserved. If
  /// this holds for all terms and for everything else that acts on particles, the three degrees of
  /// freedom of the center of mass do not count in the temperature. The same on all ranks and in
  /// all steps.
  virtual bool keeps_momentum() const { return false; }

  /// The time scale of all its forces, without a slow part.
  virtual TimeScale time_scale() const { return TimeScale::fast; }
  /// Called with multiple time steps, before each `start`: whether the following computation
  /// includes the slow part of the forces, if there is one. The same on all ranks.
  virtual void include_slow_part(bool) {}
  /// The slow part of the forces that the last `finish` has added to the local particles. Empty if
  /// it was left out, if there is none, and without a call of `include_slow_part`.
  struct SlowForces {
    std::span<const Vec3> forces, torques;
  };
  virtual SlowForces slow_forces() const { return {}; }
  /// Whether `rebuild` moves forces between the slow part and the rest, by more than rounding.
  virtual bool rebuild_moves_slow_part() const { return false; }

  /// Whether the neighbor list must be rebuilt as soon as a particle has moved by half the skin. If
  /// not, it is kept until a pair that it lacks comes within the range of the forces.
  virtual bool needs_early_rebuild() const { return false; }

  /// Whether it reads all ghosts. If not, ghosts are enough that the short-range term needs,
  /// perhaps of the half shell only (Halo::half_shell), and that atoms of molecules need of each
  /// other.
  virtual bool needs_all_ghosts() const { return true; }

  /// Collective. Changes the regions; `rebuild` follows. The decomposition lives as long as it is
  /// in use here.
  virtual void set_decomposition(const Decomposition&) {}
  /// Collective. Local particles and ghosts stay at these places of the store until the next call.
  virtual void rebuild(const ParticleStore&) {}
  /// Tells the step and time of the following computation, for forces that depend on them. It may
  /// be called again for the same step, if forces are computed again.
  virtual void begin_step(const StepContext&) {}
  /// Begins with the present positions and orientations of local particles. Ghosts must not be
  /// read.
  virtual void start(const ParticleStore&) {}
  /// Called only if forces on ghosts return in each step: adds the forces within the molecules that
  /// this rank computes for other ranks, too. `with_sums`: the next `finish` must add their energy
  /// and virial.
  virtual void compute_spanning(SpanningMolecules&, bool /*with_sums*/) {}
  /// Adds to the forces (and torques, if particles rotate) of local particles. If `sums` is given,
  /// adds this rank's share of energy and virial.
  virtual void finish(ParticleStore& particles, EnergyAndVirial* sums) = 0;

  /// A part of the term that has a name of its own in the log.
  struct Part {
    std::string_view name;
    double energy;                      ///< this rank's share, like `virial`
    std::optional<double> virial = {};  ///< trace; nothing: not shown in the log
    double seconds = 0.0;               ///< computing time of this rank; 0: not known
  };
  /// The parts at the last step with sums; the same names in the same order on all ranks.
  virtual std::vector<Part> parts() const { return {}; }

  /// This rank's share of the energy that the term has given to the system because its potential
  /// changes in time, since the start of the run: the conserved energy is without it.
  virtual double given_energy() const { return 0.0; }

  /// A file of lines that grows in the run. A resumed run goes on with the lines of its checkpoint.
  struct GrowingText {
    std::string_view ending;  ///< of its name, behind that of the run
    std::string head;         ///< of a new file
    std::string lines = {};   ///< what the engine writes, on rank 0, and then removes
  };
  /// The files of the term, the same on all ranks. They belong to the kinds of physics that name
  /// their endings (`PhysicsRow::text_files`).
  virtual std::span<GrowingText> texts() { return {}; }

  /// The term's own exchanges with other ranks: the chosen methods, and why they were chosen.
  virtual std::vector<comm::Verdict> verdicts() const;

  /// Collective. The state with which a resumed run has the same bits; the state of rank 0 counts.
  /// An empty state needs no `restore`.
  virtual std::vector<double> state() const { return {}; }
  /// Called before the first `rebuild`, with the result of `state`. Throws std::invalid_argument if
  /// it is of another kind of term.
  virtual void restore(std::span<const double>) {}

  // Called after the first `rebuild`:

  /// The settings of the term for the start of the log: names and values, in this order.
  using Settings =
      std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;
  virtual Settings settings() const { return {}; }
  /// A line for the user at the start of a run; empty: none.
  virtual std::string description() const { return {}; }
  /// Warnings for the user at the start of a run, a sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace sterna::md
