#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "md/forces/force_term.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/system/ghost_forces.hpp"
#include "md/system/particle_store.hpp"

namespace sterna::md {

/// Moves the local particles [begin, end) to their positions in the next step.
using Mover = std::function<void(std::size_t begin, std::size_t end)>;
/// The number of particles that are treated together. By measurement their data stay in the
/// first-level cache while several functions use them one after the other, and the next ones are
/// fetched meanwhile.
inline constexpr std::size_t moved_together = 32;

/// A term that computes forces (and torques) of one rank's particles from the rows of a neighbor
/// list. A run has one such term or several (ShortRangeSet). They are the first to write the forces
/// of a step, so each sets them, and all other terms add. The engine owns the lists and the halo.
/// On every rank it calls:
///
///     rebuild(list, particles)                 whenever the list was rebuilt
///     compute(list, particles, interior)       in every step, while ghosts are on their way
///     compute(list, particles, boundary)       after they have arrived
///     compute_pass(1, list, particles)         if there is a second pass, and so on
///     collected_forces(particles)              if ghosts have forces
///     compute(list, particles, late_interior)  while these return
///     set_forces(list, particles, move)        after all forces are added
///
/// Between two rebuilds particles keep their places in the store, and the rows of the list hold all
/// neighbors within `range()`: the list is rebuilt before a pair that it lacks comes within that
/// range and, if `needs_early_rebuild`, before a particle has moved by more than half the skin.
class ShortRangeForces : public ForceTerm {
 public:
  bool keeps_momentum() const final { return true; }
  TimeScale time_scale() const final { return TimeScale::medium; }
  /// The range of the forces: the force on a particle depends only on particles whose centers are
  /// nearer than this (but see `ghost_forces`). The halo and the rows of the list have this width
  /// plus the skin.
  virtual double range() const = 0;
  /// The number of particles that should share a row of the list that `compute` reads.
  virtual std::uint32_t group() const { return 1; }
  /// Whether `compute` reads half lists, in which only one of two local particles has the other in
  /// its row.
  virtual bool reads_half_lists() const { return false; }
  /// Whether `compute` needs particles of this type in the list. A pair of two types has a force
  /// only if both are needed.
  virtual bool needs_in_list(int /*type*/) const { return true; }
  /// Whether particles of these two types act on each other by this term. Where a run has several
  /// short-range terms, rows have such pairs only.
  virtual bool acts_between(int a, int b) const { return needs_in_list(a) && needs_in_list(b); }
  /// Whether each pair of this term has a particle of few, such as a body of many sites, and reaches
  /// so far that other terms should not have its cells. Beside other terms its rows are then built
  /// around these few, its types that act among themselves. Such a term reads half lists, and its
  /// `set_forces` adds to the forces of the other terms, which come first.
  virtual bool acts_around_few() const { return false; }
  /// Whether rows around few should be wider by one more skin, so that they need not be built before
  /// the others.
  virtual bool widens_rows_around_few() const { return false; }
  /// The range of the forces between particles of these two types, at most `range()`.
  virtual double range_between(int /*a*/, int /*b*/) const { return range(); }
  /// The name of the instruction set that computes: "avx512", "avx2", "baseline".
  virtual std::string_view kernels() const = 0;

  /// Called when the list was built: local particles and ghosts keep their places until the next
  /// call; positions, types and orientations are the present ones.
  virtual void rebuild(const PairList& list, const ParticleStore& particles) = 0;
  void rebuild(const ParticleStore&) final {}

  /// With `set_forces` the calls of a step set `force` (and `torque`, where it `sets_torques` and
  /// the store rotates) of all local particles; they may change those of ghosts. Adds to `sums`,
  /// where it is given, this rank's share of the energy and the virial: half of each pair that
  /// another rank computes too, so that the sum over all ranks is the whole.
  /// Interior cells come first. Nobody within `range()` of their particles is a ghost, and ghosts
  /// must not be read then, as they are of the step before or being written. When the boundary is
  /// done, no force on a ghost changes any more. The late interior has cells only with a half shell.
  virtual void compute(const PairList& list, ParticleStore& particles, PairList::Cells cells,
                       EnergyAndVirial* sums) = 0;

  /// The number of passes through the rows: one, or more if the forces depend on a value of each
  /// particle, such as a density, that is computed first. Then `compute` leaves the values of the
  /// local particles in `values_of_pass`, the engine sets those of ghosts, and `compute_pass(1)`
  /// follows, which may in turn leave values for `compute_pass(2)`. A term of several passes puts
  /// no forces on ghosts.
  virtual int pass_count() const { return 1; }
  /// The values of all particles, in the order of the store.
  virtual std::span<double> values_of_pass() { return {}; }
  /// Computes a further pass for all cells; sets forces and adds to sums as `compute` does.
  virtual void compute_pass(int /*pass*/, const PairList&, ParticleStore&, EnergyAndVirial*) {}

  /// The ghosts on which `compute` puts forces: all, as for a bond whose order depends on the atoms
  /// around it, or those of the half shell, as for pairs. After the boundary cells the engine adds
  /// the forces of ghosts in `collected_forces` to their originals. A term of the half shell also
  /// works with lists of all ghosts, whose forces are then ignored. The same on all ranks.
  virtual GhostForces ghost_forces() const { return GhostForces::none; }
  virtual CollectedForces collected_forces(ParticleStore&) { return {}; }
  /// Called after the boundary cells, before forces return. A term around few particles may add its
  /// forces on ghosts to `sums`, which are those of the first term.
  virtual void add_forces_of_ghosts(const ParticleStore&, const CollectedForces& /*sums*/) {}

  /// The last call of a step, when forces collected on other ranks are in the store. `move` is
  /// given only if the term `can_move`; it must be called for all local particles, in blocks so
  /// small that they stay in the cache before and after. No other function moves particles before
  /// the next `compute`, except with a `rebuild`.
  virtual void set_forces(const PairList&, ParticleStore&, const Mover* /*move*/) {}
  /// Whether it sets torques, too. A term that does not leaves them as they are.
  virtual bool sets_torques() const { return false; }
  /// Whether `set_forces` moves particles: where it still has something to do with each of them when
  /// all pairs are done, or will have at first in the next step.
  virtual bool can_move() const { return false; }

  /// Does nothing, because all forces are complete after `set_forces`.
  void finish(ParticleStore&, EnergyAndVirial*) final {}
};

}  // namespace sterna::md
