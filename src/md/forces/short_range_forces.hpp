#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "md/forces/force_term.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/system/ghost_forces.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Moves the local particles [begin, end) on to where they are in the next step.
using Mover = std::function<void(std::size_t begin, std::size_t end)>;
/// So few particles, by measurement, that all that belongs to them stays in the nearest cache while
/// one after the other does something with them, and the next ones are fetched meanwhile.
inline constexpr std::size_t moved_together = 32;

/// A term that computes from the rows of a neighbor list: from positions (and orientations) to
/// forces (and torques) of one rank's particles. A run has one such term or several (ShortRangeSet).
/// They are the first to touch the forces of a step, so each sets them, and all other terms add. The
/// engine owns the lists and the halo. On every rank it calls:
///
///     rebuild(list, particles)                 whenever the list was rebuilt
///     compute(list, particles, interior)       in every step, while ghosts are on their way
///     compute(list, particles, boundary)       when they have arrived
///     compute_pass(1, list, particles)         where there is a second pass, and so on
///     collected_forces(particles)              where ghosts have forces
///     compute(list, particles, late_interior)  while these return
///     set_forces(list, particles, move)        when all is added
///
/// Between two rebuilds particles keep their places in the store, and the rows of the list hold all
/// neighbors within `range()`: none comes within that range of another whose row lacks it and,
/// where `needs_early_rebuild`, no particle moves by more than half the skin.
class ShortRangeForces : public ForceTerm {
 public:
  bool keeps_momentum() const final { return true; }
  TimeScale time_scale() const final { return TimeScale::medium; }
  /// The force on a particle depends on particles whose centers are nearer than this, and on
  /// nothing else; but see `ghost_forces`. The halo and the rows of the list are this wide plus
  /// the skin.
  virtual double range() const = 0;
  /// How many particles should share a row of the list that `compute` reads.
  virtual std::uint32_t group() const { return 1; }
  /// Whether in the list that it reads only one of two local particles should have the other in its
  /// row.
  virtual bool reads_half_lists() const { return false; }
  /// Whether `compute` needs particles of this type in the list. A pair of two types has a force
  /// only where it needs both.
  virtual bool needs_in_list(int /*type*/) const { return true; }
  /// Whether particles of these two types act on each other by this term. Where a run has several
  /// short-range terms, rows have such pairs only.
  virtual bool acts_between(int a, int b) const { return needs_in_list(a) && needs_in_list(b); }
  /// The instruction set that computes: "avx512", "avx2", "baseline".
  virtual std::string_view kernels() const = 0;

  /// The list was built: local particles and ghosts are at the places that they keep until the next
  /// call, with positions, types and orientations of now.
  virtual void rebuild(const PairList& list, const ParticleStore& particles) = 0;
  void rebuild(const ParticleStore&) final {}

  /// With `set_forces` the calls of a step set `force` (and `torque`, where the store rotates)
  /// of all local particles; they may change those of ghosts. Adds to `sums`, where it is given, this
  /// rank's share of the energy and the virial: half of each pair that another rank computes too,
  /// so that the sum over all ranks is the whole.
  /// Interior cells come first. Nobody within `range()` of their particles is a ghost, and ghosts
  /// must not be read then, as they are of the step before or being written. When the boundary is
  /// done, no force on a ghost changes any more. The late interior has cells only with a half shell.
  virtual void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
                       EnergyAndVirial* sums) = 0;

  /// How often the term goes through its rows: once, or first for a value of each particle, as a
  /// density, that the forces depend on. Then `compute` leaves the values of the local particles in
  /// `values_of_pass`, the engine brings those of ghosts, and `compute_pass(1)` follows, which may in
  /// turn leave values for `compute_pass(2)`. A term of several passes puts no forces on ghosts.
  virtual int pass_count() const { return 1; }
  /// Of all particles, in the order of the store.
  virtual std::span<double> values_of_pass() { return {}; }
  /// For all cells; sets forces and adds to sums as `compute` does.
  virtual void compute_pass(int /*pass*/, const PairList&, ParticleStore&, EnergyAndVirial*) {}

  /// On which ghosts `compute` puts forces: on all, as a bond does whose order depends on the atoms
  /// around it, or on those of the half shell, as each pair does. When the boundary cells are done,
  /// the engine adds what ghosts have in `collected_forces` to their originals. A term of the half
  /// shell also serves lists of all ghosts, whose forces nobody asks for. The same on all ranks.
  virtual GhostForces ghost_forces() const { return GhostForces::none; }
  virtual CollectedForces collected_forces(ParticleStore&) { return {}; }

  /// The last call of a step: what was collected elsewhere is in the store then. `move` is given
  /// only where the term `can_move`, and called for all local particles, so few at a time that they
  /// are in the near caches before and after. Nobody else moves particles before the next `compute`,
  /// except with a `rebuild`.
  virtual void set_forces(const PairList&, ParticleStore&, const Mover* /*move*/) {}
  /// Whether `set_forces` moves particles: where it still has something to do with each of them when
  /// all pairs are done, or will have at first in the next step.
  virtual bool can_move() const { return false; }

  /// All is done when the boundary cells are.
  void finish(ParticleStore&, EnergyAndVirial*) final {}
};

}  // namespace sterna::md
