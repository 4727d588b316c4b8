#include "md/forces/neighborhood.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace sterna::md {

Neighborhood::Neighborhood(const comm::Context& context, const Decomposition& decomposition,
                           const Options& options)
    : context_(context), options_(options) {
  atoms_.set_ghost_ids(true);
  make_halo(decomposition);
}

void Neighborhood::make_halo(const Decomposition& decomposition) {
  const HaloOptions halo{.ghost_forces =
                             options_.returns_forces ? GhostForces::full_shell : GhostForces::none};
  halo_ = std::make_unique<Halo>(context_, decomposition, options_.range + options_.skin, halo);
  const Region region = decomposition.region(context_.rank());
  center_ = 0.5 * (region.lower + region.upper);
}

void Neighborhood::set_decomposition(const Decomposition& decomposition) {
  make_halo(decomposition);
}

void Neighborhood::take_positions(const ParticleStore& particles) {
  std::copy_n(particles.position.data(), particles.local_count(), atoms_.position.data());
}

void Neighborhood::rebuild(const ParticleStore& particles) {
  atoms_.resize_local(particles.local_count());
  take_positions(particles);
  std::copy_n(particles.id.data(), particles.local_count(), atoms_.id.data());
  halo_->rebuild(atoms_);
  std::vector<std::uint32_t> as_they_came(atoms_.ghost_count());
  std::iota(as_they_came.begin(), as_they_came.end(), 0u);
  halo_->order_ghosts(atoms_, as_they_came);
  if (options_.cutoff == 0.0) return;
  rows_.build({atoms_.position.data(), atoms_.total_count()}, atoms_.local_count(),
              options_.cutoff + options_.skin, options_.ghost_steps, options_.unlisted_types);
}

void Neighborhood::start(const ParticleStore& particles) {
  take_positions(particles);
  halo_->start_positions(atoms_);
}

void Neighborhood::finish() {
  halo_->copy_images(atoms_);
  halo_->finish_positions(atoms_);
  force_.resize(atoms_.total_count());
  std::ranges::fill(force_, PaddedForce{});
}

void Neighborhood::return_forces(ParticleStore& particles, EnergyAndVirial* sums) {
  if (sums != nullptr) {
    for (std::size_t i = 0; i < force_.size(); ++i) {
      // Forces add up to 0, so the origin does not matter; a near one loses fewer digits.
      const Vec3 r = atoms_.position[i].vector() - center_;
      const PaddedForce& f = force_[i];
      sums->virial[0] += r.x * f.x;
      sums->virial[1] += r.y * f.y;
      sums->virial[2] += r.z * f.z;
      sums->virial[3] += r.y * f.x;
      sums->virial[4] += r.z * f.x;
      sums->virial[5] += r.z * f.y;
    }
  }
  if (options_.returns_forces) {
    const CollectedForces collected{force_.span()};
    halo_->start_forces(atoms_, collected);
    halo_->finish_forces(atoms_, collected);
  }
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    particles.force[i] += Vec3{force_[i].x, force_[i].y, force_[i].z};
  }
}

}  // namespace sterna::md
