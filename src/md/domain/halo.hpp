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
  std::string route = "direct";  ///< a name in halo_routes(): "direct", "staged"
  std::string method = "auto";   ///< a name in comm::neighbor_methods()
  /// The ghosts whose forces `start_forces` and `finish_forces` return.
  GhostForces ghost_forces = GhostForces::none;
  /// Only ghosts of the half shell are needed. Routes of one stage then omit the other ghosts, so
  /// that positions go to one half of the neighbors only, and forces come back from it.
  bool only_half_shell = false;
  /// Ghosts outside the half shell are needed only up to `narrow_width`. Routes of one stage then
  /// omit those farther away.
  bool narrow_other_half = false;
  /// For each type, whether its ghosts are needed only up to `narrow_width`. Empty: for no type.
  std::vector<char> narrow_types = {};
  double narrow_width = 0.0;
};

/// Keeps on each rank copies (ghosts) of all particles and periodic images within `width` of its
/// region, measured along the normals of all faces, except the rank's own particles themselves. In
/// an orthorhombic box that is lower - width <= position <= upper + width along each axis. Types
/// that only their own molecules look for may have a narrower halo. The number of ranks is
/// arbitrary, and regions and boxes may be narrower than the halo. The set of ghosts does not
/// depend on route and method. Ghosts are ordered by stage, rank, periodic offset and index at the
/// sender; the order never depends on the exchange or on timing.
class Halo {
 public:
  /// Collective. `width` is the cutoff plus the skin. Throws std::invalid_argument if the width is
  /// not positive, if the route is unknown or cannot serve the decomposition, or if the number of
  /// ranks differs from the context's. Throws comm::Error if the exchange is not available.
  Halo(const comm::Context& context, const Decomposition& decomposition, double width,
       const HaloOptions& options = {});
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  /// Collective. Selects again the particles to send and replaces the ghosts of the store:
  /// positions and types, orientations if the store rotates, ids if its ghosts have ids. Before it,
  /// all particles must be in their owner's region (after migration) and in their final order
  /// (after sorting). The order of particles must not change until the next call.
  void rebuild(ParticleStore& particles);
  /// `rebuild` in parts, for callers that time computing and communication separately.
  /// `begin_rebuild` drops the ghosts. Then each stage selects, without communication, and
  /// exchanges.
  void begin_rebuild(ParticleStore& particles);
  std::size_t stage_count() const { return stages_.size(); }
  void select(const ParticleStore& particles, std::size_t stage);
  void exchange(ParticleStore& particles, std::size_t stage);

  /// Moves ghost k of the last `rebuild` to place `slots[k]` behind the local particles. Later
  /// exchanges deliver it there, because the pair list needs ghosts in the order of its cells.
  /// `slots` is a permutation; it is copied.
  void order_ghosts(ParticleStore& particles, std::span<const std::uint32_t> slots);

  /// Sends the present positions, and in the same messages the orientations if the store rotates,
  /// to the receivers that `rebuild` found. Types are not sent again. Afterwards the caller may
  /// compute with local particles, and `finish_positions` writes the ghosts. In between,
  /// `copy_images` may write the images of this rank's own particles, which needs no other rank;
  /// otherwise `finish_positions` does it.
  void start_positions(const ParticleStore& particles);
  void copy_images(ParticleStore& particles);
  void finish_positions(ParticleStore& particles);

  /// Collective, between `finish_positions` and the next `start_positions`. Copies the vectors of
  /// particles to their ghosts. The vectors must not depend on the periodic image, as velocities
  /// and forces do not.
  void exchange_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  /// Collective. The same with one number per particle, in the order of the store.
  void exchange_values(std::span<double> values);
  /// Collective. The same only for the ghosts that each rank named in its last `select_ghosts`;
  /// vectors of other ghosts stay as they are. Between start and finish, the vectors of the
  /// original particles must not change.
  void start_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  void finish_selected_vectors(std::span<const Vec3> local, std::span<Vec3> ghosts);
  /// Collective, after `rebuild` and `order_ghosts`; valid until the next of these. `places` are
  /// places of ghosts in the store.
  void select_ghosts(const ParticleStore& particles, std::span<const std::uint32_t> places);

  /// For each ghost of the last `rebuild`, in the order of arrival, whether it is in the half shell
  /// of this rank. A pair of a particle and a ghost also exists, with the roles swapped, on the
  /// rank that the ghost comes from, which may be this rank. On exactly one of the two sides the
  /// ghost is in the half shell.
  std::vector<char> half_shell() const;

  /// Collective, and only with `HaloOptions::ghost_forces`. Adds the force of every ghost, or of
  /// every ghost in a half shell, to that of its original particle, on whichever rank; ghosts of
  /// narrow types are left out. Between two calls of `rebuild`, the number of kinds and the type of
  /// the forces must stay the same. Forces of all ghosts must be finite, 0 if they have none, and
  /// are meaningless afterwards. Between start and finish, the caller may add to the forces of
  /// local particles. The order of addition, and so every bit of the result, does not depend on the
  /// exchange or on timing.
  void start_forces(const ParticleStore& particles, const CollectedForces& collected);
  void finish_forces(const ParticleStore& particles, const CollectedForces& collected);

  double width() const;
  /// The number of pairs of receiver and periodic offset that this rank serves, itself included.
  std::size_t ghost_shift_count() const;
  /// The number of positions that leave this rank in each step, and of those that it copies for
  /// itself.
  std::size_t sent_positions() const;
  std::size_t copied_positions() const;
  /// The verdicts of the halo's exchanges: one set for a direct halo, one for each axis of a staged
  /// one. Empty if the halo needs no other rank.
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
