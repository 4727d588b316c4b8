// Idea:    a site does not move by forces. After its atoms have moved, the rank that owns the site
//          computes its position. After forces were computed, every rank that owns one of its atoms
//          adds this atom's share of the force on the site. As with constraints, a site and its
//          atoms need not be on one rank, and no particle migrates for another one's sake.
// Source:  Berendsen and van Gunsteren, in "Molecular Liquids: Dynamics and Interactions" (1984),
//          475; Feenstra, Hess and Berendsen, J. Comput. Chem. 20, 786 (1999); the transposes are
//          those of system/virtual_site.cpp.
// Cost:    two exchanges with the ghosts in each step: positions of all atoms before the sites are
//          computed, forces before they are distributed.
// Hazards: the velocities of sites are half a step behind: they are the last step's path over the
//          time step. The sites and their atoms must lie within the halo.
// Others:  rigid molecules (`[[component]]`), whose sites need no particles.

#include "md/integrate/virtual_sites.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "md/core/agreement.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

double length_of(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

void set(Position& position, const Vec3& to) {
  position.x = to.x;
  position.y = to.y;
  position.z = to.z;
}

}  // namespace

VirtualSites::VirtualSites(const comm::Context& context,
                           std::shared_ptr<const MoleculePlaces> places, GhostVectors ghost_vectors)
    : context_(context), places_(std::move(places)), ghost_vectors_(std::move(ghost_vectors)) {
  for (const Topology::Molecule& molecule : places_->topology().molecules()) {
    for (const VirtualSite& site : molecule.virtual_sites) {
      change_virial_ = change_virial_ || !site.is_linear();
    }
  }
}

void VirtualSites::rebuild(const ParticleStore& particles) {
  sites_.clear();
  places_of_atoms_.clear();
  atoms_.clear();
  const Topology& topology = places_->topology();
  std::string missing;
  for (std::uint32_t i = 0; i < particles.local_count() && missing.empty(); ++i) {
    const Topology::Place place = topology.place_of(particles.id[i]);
    for (const std::uint32_t s : topology.virtual_sites_of(place)) {
      add(particles, i, place, topology.molecules()[place.molecule].virtual_sites[s], missing);
    }
  }
  agree(context_, missing);
}

void VirtualSites::add(const ParticleStore& particles, std::uint32_t particle,
                       const Topology::Place& place, const VirtualSite& site,
                       std::string& missing) {
  const auto id = [&](std::size_t k) { return place.first_id + site.atoms[k]; };
  Local local{.kind = &site, .site = 0, .is_own = false, .first = atoms_.size()};
  const auto own = places_->local(place.first_id + site.atom);
  // The rank's own site adds it; without one, its first local atom does.
  if (own && *own != particle) return;
  for (std::size_t k = 0; k < site.atoms.size() && !own; ++k) {
    const auto atom = places_->local(id(k));
    if (!atom) continue;
    if (*atom != particle) return;
    break;
  }
  const auto beside = [&](std::int64_t wanted, std::uint32_t other) {
    const auto found = places_->nearest(wanted, particles.position[other].vector());
    if (!found && missing.empty()) {
      missing = places_->missing(particles.id[other], wanted, context_.rank());
    }
    return found.value_or(other);
  };
  std::uint32_t beside_first = particle;
  for (std::size_t k = 0; k < site.atoms.size(); ++k) {
    const std::uint32_t near = beside(id(k), beside_first);
    if (k == 0) beside_first = near;
    places_of_atoms_.push_back(near);
    atoms_.push_back(places_->local(id(k)).value_or(near));
  }
  local.is_own = own.has_value();
  local.site = own ? particle : beside(place.first_id + site.atom, beside_first);
  sites_.push_back(local);
}

Vec3 VirtualSites::from_first(const Local& local, const ParticleStore& particles) const {
  const std::uint32_t* const places = places_of_atoms_.data() + local.first;
  const Vec3 first = particles.position[places[0]].vector();
  points_.assign(1, Vec3{});
  for (std::size_t k = 1; k < local.kind->atoms.size(); ++k) {
    points_.push_back(particles.position[places[k]].vector() - first);
  }
  return local.kind->from_first(points_);
}

Vec3 VirtualSites::position_of(const Local& local, const ParticleStore& particles) const {
  const Vec3 first = particles.position[places_of_atoms_[local.first]].vector();
  return first + from_first(local, particles);
}

VirtualSites::Motion VirtualSites::follow(ParticleStore& particles, double timestep) const {
  Motion motion;
  for (const Local& local : sites_) {
    if (!local.is_own) continue;
    Position& position = particles.position[local.site];
    Vec3& velocity = particles.velocity[local.site];
    const Vec3 to = position_of(local, particles), shift = to - position.vector();
    const Vec3 path = timestep * velocity + shift;
    set(position, to);
    velocity = timestep > 0.0 ? (1.0 / timestep) * path : Vec3{};
    motion.path = std::max(motion.path, length_of(path));
    motion.gain = std::max(motion.gain, 2.0 * length_of(shift));
  }
  return motion;
}

double VirtualSites::put(ParticleStore& particles, double rounding) const {
  double farthest = 0.0;
  for (const Local& local : sites_) {
    if (!local.is_own) continue;
    Position& position = particles.position[local.site];
    const Vec3 to = position_of(local, particles);
    const double distance = length_of(to - position.vector());
    if (distance <= rounding) continue;
    set(position, to);
    particles.velocity[local.site] = {};
    farthest = std::max(farthest, distance);
  }
  comm::ReductionBatch(context_, "virtual sites").max(farthest).run();
  return farthest;
}

void VirtualSites::spread(const ParticleStore& particles, std::span<Vec3> forces,
                          EnergyAndVirial* sums) {
  forces_.resize(particles.total_count());
  std::copy(forces.begin(), forces.end(), forces_.begin());
  const std::size_t count = particles.local_count();
  const std::span<Vec3> all(forces_);
  ghost_vectors_(all.first(count), all.subspan(count));
  for (const Local& local : sites_) {
    const Vec3 site = from_first(local, particles);
    local.kind->spread(points_, forces_[local.site], parts_);
    const std::size_t atoms = local.kind->atoms.size();
    for (std::size_t k = 0; k < atoms; ++k) {
      const std::uint32_t atom = atoms_[local.first + k];
      if (atom < count) forces[atom] += parts_[k];
    }
    if (!local.is_own) continue;
    forces[local.site] = {};
    if (sums == nullptr || local.kind->is_linear()) continue;
    for (std::size_t k = 0; k < atoms; ++k) {
      const Vec3 arm = points_[k] - site, &force = parts_[k];
      sums->virial[0] += arm.x * force.x;
      sums->virial[1] += arm.y * force.y;
      sums->virial[2] += arm.z * force.z;
      sums->virial[3] += arm.x * force.y;
      sums->virial[4] += arm.x * force.z;
      sums->virial[5] += arm.y * force.z;
    }
  }
}

}  // namespace sterna::md
