#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/domain/decomposition.hpp"
#include "md/system/ghost_forces.hpp"
#include "md/system/ghosted_vectors.hpp"
#include "md/system/particle_store.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/methods.hpp"

namespace sterna::md {

struct HaloOptions {
  std::string method = "direct";         ///< of halo_methods(): "direct", "staged"
  std::string exchange_method = "auto";  ///< of comm::neighbor_methods()
  /// Of which ghosts `start_forces` and `finish_forces` return the forces.
  GhostForces ghost_forces = GhostForces::none;
  /// Nobody needs other ghosts than those of the half shell: methods of one stage leave them out.
  /// Then only positions travel, and forces back.
  bool only_half_shell = false;
  /// Nobody needs others from farther away than `narrow_width`: methods of one stage bring no more.
  bool narrow_other_half = false;
  /// By type: whether ghosts come from `narrow_width` only. Empty: none is such.
  std::vector<char> narrow_types = {};
  double narrow_width = 0.0;
};

/// Keeps on each rank copies (ghosts) of all particles, and of their periodic images, that lie
/// within `width` of its region along the normals of all faces (per axis of an orthorhombic box
/// lower - width <= position <= upper + width), other than its own particles themselves. Types that
/// only their molecules ask for may have a narrower halo of their own. Any number
/// of ranks; regions and boxes may be narrower than the halo. The set of ghosts does not depend on
/// the method. Their order is that of stage, rank, periodic offset, index at the sender; it never
/// depends on the exchange or on time.
class Halo {
 public:
  /// Collective. `width`: cutoff plus skin, in the length unit. Throws std::invalid_argument where
  /// the width is not positive, the method is unknown or cannot serve the decomposition, or the
  /// ranks are not those of the context; comm::Error where the exchange is not available.
  Halo(const comm::Context& context, const Decomposition& decomposition, double width,
       const HaloOptions& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  /// Collective. Chooses again what to send, from particles that are all in their owner's region
  /// (after migration) and in their final order (after sorting), and replaces the ghosts of the
  /// store: positions and types, orientations where the store rotates, ids where ghosts have some.
  /// Until the next call the
  /// order of particles must not change.
  void rebuild(ParticleStore& particles);
  /// The same in its parts, for those who tell computing from communication: the ghosts are dropped
  /// by `begin_rebuild`; then each stage selects, on this rank alone, and exchanges.
  void begin_rebuild(ParticleStore& particles);
  std::size_t stage_count() const { return stages_.size(); }
  void select(const ParticleStore& particles, std::size_t stage);
  void exchange(ParticleStore& particles, std::size_t stage);

  /// Moves ghost k of the last `rebuild` to place `slots[k]` behind the local particles, a
  /// permutation, and delivers it there from now on: the pair list wants ghosts in the order of
  /// its cells. `slots` is copied.
  void order_ghosts(ParticleStore& particles, std::span<const std::uint32_t> slots);

  /// Sends the present positions, with the orientations in the same messages where the store
  /// rotates, to where `rebuild` decided; then the caller may compute with local particles, and
  /// `finish_positions` writes the ghosts. Types do not travel again. In between, `copy_images` may
  /// copy what this rank's own particles are the images of and needs no other rank; otherwise
  /// `finish_positions` does it.
  void start_positions(const ParticleStore& particles);
  void copy_images(ParticleStore& particles);
  void finish_positions(ParticleStore& particles);

  /// Collective, between `finish_positions` and the next `start_positions`. The vectors of ghosts
  /// become those of the particles that they are copies of, as vectors that no image shifts:
  /// velocities, forces.
  void exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  /// The same of a number of each particle, in the order of the store. Collective.
  void exchange_values(std::span<double> values);
  /// The same for the ghosts alone that the last `select_ghosts` named, on each rank its own; those
  /// of others stay as they are. Collective. In between, the vectors of particles that these are
  /// copies of must stay.
  void start_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  void finish_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  /// Collective, after `rebuild` and `order_ghosts`, and for so long as they last. `places`: of
  /// ghosts in the store.
  void select_ghosts(const ParticleStore& particles, std::span<const std::uint32_t> places);

  /// Of each ghost of the last `rebuild`, in the order in which they came: whether it is in the half
  /// shell of this rank. A pair of a particle and a ghost is seen from two sides: here, and where the
  /// ghost comes from, which may be this rank again. From exactly one of them the ghost is in the
  /// half shell.
  std::vector<char> half_shell() const;

  /// Collective, and only with `HaloOptions::ghost_forces`. Adds the force of every ghost, or of
  /// those in half shells, to that of the particle whose copy it is, on whichever rank; narrow types
  /// are left out. From one `rebuild` to the next the kinds and the type of force stay the same.
  /// Forces of all ghosts must be numbers, those that are not meant 0; they are of no meaning
  /// afterwards. In between, the caller may go on with the forces of local particles. The order of
  /// addition, and so every bit of the result, does not depend on the exchange or on time.
  void start_forces(const ParticleStore& particles, const CollectedForces& collected);
  void finish_forces(const ParticleStore& particles, const CollectedForces& collected);

  double width() const;
  /// Pairs of receiver and periodic offset that this rank serves, itself included.
  std::size_t ghost_shift_count() const;
  /// Positions that leave this rank in each step, and those that it copies for itself.
  std::size_t sent_positions() const;
  std::size_t copied_positions() const;
  /// Of the exchanges behind it: one, or one an axis; none where there is nobody to talk to.
  std::vector<comm::Verdict> verdicts() const;

 private:
  class Stage;
  comm::Context context_;
  HaloOptions options_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::uint32_t> slots_;
  Region own_;
  Shear shear_;
  double width_ = 0.0;
};

}  // namespace sterna::md
