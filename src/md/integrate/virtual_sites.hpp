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

/// The virtual sites of flexible molecules: puts them where their atoms want them, and gives the
/// forces on them to their atoms. See virtual_sites.cpp. Functions that take a store are
/// collective, but for `follow`.
class VirtualSites {
 public:
  /// As those of `Constraints`.
  using GhostVectors = std::function<void(std::span<const Vec3> local, std::span<Vec3> ghosts)>;

  VirtualSites(const comm::Context& context, std::shared_ptr<const MoleculePlaces> places,
               GhostVectors ghost_vectors);

  /// Whether some kinds change the virial of the forces on sites.
  bool change_virial() const { return change_virial_; }

  /// After `places` was rebuilt. Throws FileError on all ranks where a rank lacks an atom of a site
  /// that one of its own is, or is part of.
  void rebuild(const ParticleStore& particles);

  /// What the sites of this rank have done in a step.
  struct Motion {
    double path = 0.0;  ///< longest path in the step
    double gain = 0.0;  ///< most that a path differs from that of the step before
  };
  /// After all particles, the sites by their velocities of the last step, and ghosts have moved for
  /// a time step: corrects positions and velocities of the sites. A minimization has no time step
  /// (0), and leaves the sites at rest.
  Motion follow(ParticleStore& particles, double timestep) const;

  /// Puts those sites to their places that are farther from them than rounding, at rest. Returns
  /// the largest distance from them, of all ranks; 0: no site has moved.
  double put(ParticleStore& particles, double rounding) const;

  /// Gives the forces on the sites to their atoms: a force for each local particle. Adds this
  /// rank's share of what that changes in the virial where asked.
  void spread(const ParticleStore& particles, std::span<Vec3> forces, EnergyAndVirial* sums);

 private:
  /// A site that this rank owns, or an atom of.
  struct Local {
    const VirtualSite* kind;
    std::uint32_t site;  ///< the local particle, or where the store has it
    bool is_own;         ///< the former
    std::size_t first;   ///< of its atoms, in the lists below
  };

  void add(const ParticleStore& particles, std::uint32_t particle, const Topology::Place& place,
           const VirtualSite& site, std::string& missing);
  /// From its first atom to the site; leaves `points_` as `VirtualSite::from_first` does.
  Vec3 from_first(const Local& local, const ParticleStore& particles) const;
  Vec3 position_of(const Local& local, const ParticleStore& particles) const;

  comm::Context context_;
  std::shared_ptr<const MoleculePlaces> places_;
  GhostVectors ghost_vectors_;
  bool change_virial_ = false;
  std::vector<Local> sites_;
  /// Of the atoms of all sites: beside each other, and as `Local::site`.
  std::vector<std::uint32_t> places_of_atoms_, atoms_;
  std::vector<Vec3> forces_, parts_;
  mutable std::vector<Vec3> points_;  ///< room
};

}  // namespace sterna::md
