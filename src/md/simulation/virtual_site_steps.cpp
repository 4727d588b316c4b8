// What a step does with virtual sites: they go where their atoms take them, and forces on them act
// on these atoms (md/integrate/virtual_sites.cpp).

#include <fmt/format.h>

#include <algorithm>

#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {

double Simulation::Implementation::put_virtual_sites() {
  // Wrapping an atom into the box rounds its place by as much.
  const double rounding =
      1e-13 * (system_.box.length.x + system_.box.length.y + system_.box.length.z);
  const double farthest = virtual_sites_->put(system_.particles, rounding);
  if (farthest > 0.0) rebuild();
  return farthest;
}

void Simulation::Implementation::report_virtual_sites(double farthest) {
  // Files with few digits are no news.
  if (farthest <= 1e-4 * skin_) return;
  console_.line(
      fmt::format("virtual sites: the start has them up to {} from their places, where "
                  "they are put",
                  input_.units.text(farthest, Dimension::length)));
}

void Simulation::Implementation::advance_virtual_sites() {
  const auto measured = timer_.measure(Phase::constraints);
  engine_->move_ghosts(system_.particles);
  const auto motion =
      virtual_sites_->follow(system_.particles, minimizer_ ? 0.0 : input_.run.timestep);
  integrator_->account_for(motion.path, motion.gain);
}

void Simulation::Implementation::spread_forces(EnergyAndVirial* sums) {
  const auto measured = timer_.measure(Phase::constraints);
  virtual_site_sums_ = {};
  virtual_sites_->spread(system_.particles,
                         {system_.particles.force.data(), system_.particles.local_count()},
                         sums == nullptr ? nullptr : &virtual_site_sums_);
  if (engine_->gives_impulses(clock_.step)) {
    virtual_sites_->spread(system_.particles, engine_->impulse_forces(), nullptr);
  }
  if (sums != nullptr) *sums += virtual_site_sums_;
}

}  // namespace sterna::md
