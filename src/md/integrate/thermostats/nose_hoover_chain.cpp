#include "md/integrate/thermostats/nose_hoover_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/integrate/moving_targets.hpp"
#include "md/integrate/thermostats/group_thermostat.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"

namespace sterna::md {

NoseHooverChain::NoseHooverChain(double thermal_energy, double time_constant, double degrees,
                                 bool kt_moves)
    : thermal_energy_(thermal_energy),
      frequency_(2.0 * std::numbers::pi / time_constant),
      degrees_(degrees),
      kt_moves_(kt_moves) {
  set_masses();
}

void NoseHooverChain::set_degrees(double degrees) {
  degrees_ = degrees;
  set_masses();
}

void NoseHooverChain::set_masses() {
  mass_.fill(thermal_energy_ / (frequency_ * frequency_));
  mass_[0] *= degrees_;
}

void NoseHooverChain::set_thermal_energy(double thermal_energy) {
  if (thermal_energy == thermal_energy_) return;
  const double before = energy();
  thermal_energy_ = thermal_energy;
  set_masses();
  cost_ += before - energy();
}

double NoseHooverChain::part_of(double left, double kinetic_energy) const {
  constexpr double largest_turn = 0.1;
  double fastest = 0.0, drive = std::abs(2.0 * kinetic_energy - degrees_ * thermal_energy_);
  for (std::size_t k = 0; k < length; ++k) {
    const double acceleration = drive / mass_[k];
    fastest = std::max({fastest, std::abs(velocity_[k]), std::sqrt(acceleration)});
    const double speed = std::abs(velocity_[k]) + acceleration * left;
    drive = mass_[k] * speed * speed + thermal_energy_;
  }
  return left / std::max(1.0, std::ceil(fastest * left / largest_turn));
}

double NoseHooverChain::factor(double kinetic_energy, double interval) {
  if (!(kinetic_energy > 0.0)) return 1.0;
  const double w = 1.0 / (2.0 - std::cbrt(2.0));
  const double weights[3] = {w, 1.0 - 2.0 * w, w};
  double scale = 1.0;
  double twice = 2.0 * kinetic_energy;
  // The force on link k: twice its predecessor's energy minus the mean of this.
  const auto force = [&](std::size_t k) {
    if (k == 0) return (twice - degrees_ * thermal_energy_) / mass_[0];
    return (mass_[k - 1] * velocity_[k - 1] * velocity_[k - 1] - thermal_energy_) / mass_[k];
  };
  const auto kick = [&](std::size_t k, double dt) {
    if (k + 1 == length) {
      velocity_[k] += 0.5 * dt * force(k);
      return;
    }
    const double damping = std::exp(-0.25 * dt * velocity_[k + 1]);
    velocity_[k] = (velocity_[k] * damping + 0.5 * dt * force(k)) * damping;
  };
  constexpr double most_parts = 1e6;
  for (double left = interval; left > 0.0;) {
    const double part = std::min(left, std::max(part_of(left, 0.5 * twice), interval / most_parts));
    for (const double weight : weights) {
      const double dt = weight * part;
      for (std::size_t k = length; k-- > 0;) kick(k, dt);
      const double slow = std::exp(-dt * velocity_[0]);
      scale *= slow;
      twice *= slow * slow;
      for (std::size_t k = 0; k < length; ++k) position_[k] += dt * velocity_[k];
      for (std::size_t k = 0; k < length; ++k) kick(k, dt);
    }
    left -= part;
  }
  return scale;
}

double NoseHooverChain::energy() const {
  double energy = cost_ + degrees_ * thermal_energy_ * position_[0];
  for (std::size_t k = 0; k < length; ++k) {
    energy += 0.5 * mass_[k] * velocity_[k] * velocity_[k];
    if (k > 0) energy += thermal_energy_ * position_[k];
  }
  return energy;
}

std::vector<double> NoseHooverChain::state() const {
  std::vector<double> state(position_.begin(), position_.end());
  state.insert(state.end(), velocity_.begin(), velocity_.end());
  if (kt_moves_) state.insert(state.end(), {thermal_energy_, cost_});
  return state;
}

void NoseHooverChain::set_state(const std::vector<double>& state) {
  for (std::size_t k = 0; k < length; ++k) {
    position_[k] = state.at(k);
    velocity_[k] = state.at(length + k);
  }
  if (!kt_moves_) return;
  thermal_energy_ = state.at(2 * length);
  cost_ = state.at(2 * length + 1);
  set_masses();
}

namespace {

/// Degrees of freedom of the selected motion, relative to the center of mass.
double inner_degrees(const SelectedMotion& motion, const MoleculeTable& molecules) {
  const double of_translation = motion.has_translation() ? 3.0 : 0.0;
  double degrees = -of_translation;
  for (std::size_t type = 0; type < molecules.counts.size(); ++type) {
    if (!motion.where().contains_type(static_cast<std::int64_t>(type))) continue;
    const bool turns = motion.has_rotation() && !molecules.bodies.empty();
    const int rotations = turns ? molecules.bodies[type].degrees_of_freedom() : 0;
    degrees += static_cast<double>(molecules.counts[type]) * (of_translation + rotations);
  }
  return std::max(1.0, degrees);
}

class NoseHooverThermostat final : public GroupThermostat {
 public:
  explicit NoseHooverThermostat(const ThermostatRequest& request)
      : GroupThermostat(request),
        chain_(request.thermal_energy(), request.wanted().time_constant,
               inner_degrees(motion_, request.molecules),
               request.wanted().end_temperature.has_value() ||
                   request.input.section<MovingTargets>().by_states) {}

  void set_degrees_of_freedom(double degrees) override {
    GroupThermostat::set_degrees_of_freedom(degrees);
    if (motion_.is_everything()) chain_.set_degrees(degrees);
  }

  /// The exchanged energy is the energy that the chain has lost.
  double exchanged_energy() const override { return first_rank_ ? -chain_.energy() : 0.0; }
  void set_exchanged_energy(double) override {}  // it follows from the state
  std::vector<double> state() const override { return chain_.state(); }
  void set_state(const std::vector<double>& state) override { chain_.set_state(state); }

 private:
  double factor(double kinetic_energy, double, double interval, std::int64_t) override {
    return chain_.factor(kinetic_energy, interval);
  }
  void set_thermal_energy(double thermal_energy) override {
    chain_.set_thermal_energy(thermal_energy);
  }

  NoseHooverChain chain_;
};

}  // namespace

ThermostatRow thermostat::nose_hoover_chain() {
  return {.name = "nose_hoover_chain",
          .sentence =
              "A Nose-Hoover chain samples the canonical ensemble without random numbers "
              "(Martyna, Tuckerman, Tobias and Klein, Mol. Phys. 87, 1117 (1996)).",
          .equations =
              "dv/dt  = F/m - ξ₁ v\n"
              "dξ₁/dt = (2K - N k T) / Q₁ - ξ₂ ξ₁\n"
              "Q₁     = N k T (τ / 2π)²",
          .remarks =
              "Each link of the chain keeps the one before it at its own temperature. The ensemble "
              "is canonical, and nothing is random. τ is `time_constant`, the period of the "
              "oscillation, which stays where the temperature moves: masses follow it. A small or "
              "stiff system may need a stochastic thermostat to visit all "
              "states.",
          .source = "Martyna, Tuckerman, Tobias and Klein, Mol. Phys. 87, 1117 (1996)",
          .aliases = {"nose", "nose_hoover", "nose-hoover", "nhc"},
          .time_constant = "the period of the oscillation",
          .takes_ramps = true,
          .is_canonical = true,
          .constraints = ThermostatRow::Constraints::kept,
          .takes_motions = true,
          .not_in_a_region =
              "a Nose-Hoover chain is made for a fixed number of molecules, but they "
              "come and go in a region",
          .make = make_thermostat<NoseHooverThermostat>};
}

}  // namespace sterna::md
