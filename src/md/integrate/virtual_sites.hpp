#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/energy_and_virial.hpp"
#include "md/system/molecule_places.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/virtual_site.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// The virtual sites of flexible molecules: computes their positions from their atoms, and
/// distributes the forces on them to their atoms. See virtual_sites.cpp. Functions that take a
/// store are collective, except `follow`.
class VirtualSites {
 public:
  /// Copies vectors of particles to their ghosts, as for `Constraints`.
  using GhostVectors = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;

  VirtualSites(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
               GhostVectors ghost_vectors);

  /// Whether sites of some kind change the virial when their forces are distributed.
  bool change_virial() const { return change_virial_; }

  /// To be called after `places` was rebuilt. Throws FileError on all ranks if a rank lacks an atom
  /// of a site that is, or depends on, one of its local particles.
  void rebuild(const ParticleStore& particles);

  /// The motion of this rank's sites in a step.
  struct Motion {
    double path = 0.0;  ///< longest path in the step
    double gain = 0.0;  ///< largest difference from the path of the step before
  };
  /// Corrects positions and velocities of the sites. All particles and ghosts must have moved for a
  /// time step before, the sites by their velocities of the step before. A minimization passes 0 as
  /// time step, and the sites stay at rest.
  Motion follow(ParticleStore& particles, double timestep) const;

  /// Moves sites that deviate from their positions by more than rounding to these positions, at
  /// rest. Returns the largest deviation over all ranks; 0: no site has moved.
  double put(ParticleStore& particles, double rounding) const;

  /// Adds the forces on the sites to those of their atoms: a force for each local particle. If
  /// `sums` is not null, adds this rank's share of the resulting change of the virial.
  void spread(const ParticleStore& particles, std::span<Vec3> forces, EnergyAndVirial* sums);

 private:
  /// A site that this rank owns, or of which it owns an atom.
  struct Local {
    const VirtualSite* kind;
    std::uint32_t site;  ///< the local particle, or else its image in the store
    bool is_own;         ///< whether it is the local particle
    std::size_t first;   ///< of its atoms, in the lists below
  };

  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const VirtualSite& site, std::string& missing);
  /// The vector from its first atom to the site; leaves `points_` as `VirtualSite::from_first`
  /// does.
  Vec3 from_first(const Local& local, const ParticleStore& particles) const;
  Vec3 position_of(const Local& local, const ParticleStore& particles) const;

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  GhostVectors ghost_vectors_;
  bool change_virial_ = false;
  std::vector<Local> sites_;
  /// For the atoms of all sites: places of images near each other, and places as in `Local::site`.
  std::vector<std::uint32_t> places_of_atoms_, atoms_;
  std::vector<Vec3> forces_, parts_;
  mutable std::vector<Vec3> points_;  ///< work space
};

}  // namespace sterna::md
