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
#include "sterna/comm/methods.hpp"

namespace sterna::md {

class Decomposition;
class SpanningMolecules;

/// How fast forces change: with multiple time steps the slower ones are computed in some steps only.
enum class TimeScale { fast, medium, slow };

/// One term of the potential energy: pair potential, charges, walls, fields. A run has a set of
/// terms. `ForceEngine` knows them by this interface alone and calls, on every rank
/// and in the same order,
///
///     rebuild(particles)         whenever particles have changed their places in the store
///     begin_step(now)            in every step in which its forces are due
///     start(particles)           in every step, while ghosts are on their way
///     compute_spanning(...)      when they have arrived, and before forces on ghosts return
///     finish(particles, sums)    when all neighbors' positions and the pairs' forces are there
///
/// What computes from the rows of the neighbor list is a `ShortRangeForces`, which has more calls.
///
/// A new term is one class in one folder, and one row of `simulation/force_term_table.cpp`.
class ForceTerm {
 public:
  virtual ~ForceTerm() = default;

  /// Under this name the log, the final table and the timing breakdown show the term. The same on
  /// all ranks, and unlike that of all other terms of the run: lower case, words joined by '_'.
  virtual std::string_view name() const = 0;

  /// Whether its forces on all particles add up to nothing, so that the total momentum stays. Where
  /// all terms say so, and nothing else changes it, the three degrees of freedom of the center of
  /// mass do not count in the temperature. The same on all ranks and in all steps.
  virtual bool keeps_momentum() const { return false; }

  /// Of all its forces, but for a slow part.
  virtual TimeScale time_scale() const { return TimeScale::fast; }
  /// With multiple time steps, before each `start`: whether what follows includes the part of the
  /// forces that is slow, where there is one. The same on all ranks.
  virtual void include_slow_part(bool) {}
  /// The slow part of what the last `finish` has added to the local particles. Empty where it was
  /// left out, where there is none, and without a call of `include_slow_part`.
  struct SlowForces {
    std::span<const Vec3> forces, torques;
  };
  virtual SlowForces slow_forces() const { return {}; }
  /// Whether `rebuild` changes which part of the forces is slow, by more than rounding.
  virtual bool rebuild_moves_slow_part() const { return false; }

  /// Whether the neighbor list must be rebuilt as soon as a particle has moved by half the skin.
  /// Otherwise it is kept until a pair that it lacks comes within the range of the forces.
  virtual bool needs_early_rebuild() const { return false; }

  /// Whether it looks at ghosts that neither the short-range term needs, which may be those of the
  /// half shell only (Halo::half_shell), nor the atoms of molecules need of each other.
  virtual bool needs_all_ghosts() const { return true; }

  /// Collective. Other regions from now on; `rebuild` follows. The decomposition lives as long as
  /// it is in use here.
  virtual void set_decomposition(const Decomposition&) {}
  /// Collective. Local particles and ghosts stay at these places of the store until the next call.
  virtual void rebuild(const ParticleStore&) {}
  /// The step of what follows, for forces that depend on the time. It may be called again for the
  /// same step, where forces are computed anew.
  virtual void begin_step(const StepContext&) {}
  /// Begins with the present positions and orientations of local particles. Ghosts must not be
  /// read.
  virtual void start(const ParticleStore&) {}
  /// Only where forces on ghosts return in each step: adds the forces that act within the molecules
  /// which this rank computes for others, too. `with_sums`: the next `finish` has to add their part.
  virtual void compute_spanning(SpanningMolecules&, bool /*with_sums*/) {}
  /// Adds to the forces (and torques, where the store rotates) of local particles. Where `sums` is
  /// given, adds this rank's share of energy and virial.
  virtual void finish(ParticleStore& particles, EnergyAndVirial* sums) = 0;

  /// A part of the term that the log shows under a name of its own.
  struct Part {
    std::string_view name;
    double energy;                      ///< this rank's share, and of the next
    std::optional<double> virial = {};  ///< trace; where the log shall show it too
    double seconds = 0.0;               ///< that this rank has spent on it; 0: not known
  };
  /// Of the last step in which sums were asked for; the same names in the same order on all ranks.
  virtual std::vector<Part> parts() const { return {}; }

  /// Exchanges with other ranks of its own: what was chosen for them, and why.
  virtual std::vector<comm::Verdict> verdicts() const { return {}; }

  /// Collective. What a resumed run needs to go on with the same bits; that of rank 0 counts. An
  /// empty state needs no `restore`.
  virtual std::vector<double> state() const { return {}; }
  /// Before the first `rebuild`: what `state` said. Throws std::invalid_argument where it is of
  /// another kind of term.
  virtual void restore(std::span<const double>) {}

  // After the first `rebuild`:

  /// What the start of the log says of the term: names and values, in this order.
  using Settings =
      std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;
  virtual Settings settings() const { return {}; }
  /// A line for people at the start of a run; empty: none.
  virtual std::string description() const { return {}; }
  /// What a user should know before the run goes on, a sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace sterna::md
