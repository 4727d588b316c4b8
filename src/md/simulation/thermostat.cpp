#include "md/simulation/thermostat.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "md/dynamics/langevin.hpp"
#include "md/dynamics/nose_hoover_chain.hpp"
#include "md/dynamics/stochastic_velocity_rescaling.hpp"
#include "md/dynamics/velocity_scaling.hpp"
#include "md/observe/kinetic.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Where a thermostat of the input acts.
Selection selection_of(const Input::Thermostat& thermostat, std::span<const std::string> names) {
  Selection where;
  where.lower = thermostat.lower.value_or(where.lower);
  where.upper = thermostat.upper.value_or(where.upper);
  if (!thermostat.component.empty()) {
    where.type = static_cast<int>(std::ranges::find(names, thermostat.component) - names.begin());
  }
  return where;
}

/// Degrees of freedom of the molecules that a thermostat without region acts on: of some of them
/// those of their motion relative to their center of mass.
double degrees_of(const Selection& where, const ThermostatMolecules& molecules) {
  if (where.is_everything()) return molecules.degrees_of_freedom;
  const auto type = static_cast<std::size_t>(where.type);
  const int rotations = molecules.bodies.empty() ? 0 : molecules.bodies[type].degrees_of_freedom();
  return std::max(1.0, static_cast<double>(molecules.counts[type]) * (3.0 + rotations) - 3.0);
}

/// One factor for the velocities and angular momenta of all molecules that it acts on, from their
/// kinetic energy. Of some of the molecules it leaves the motion of their common center of mass as
/// it is, so that the total momentum is kept.
class GroupThermostat : public Thermostat {
 public:
  GroupThermostat(const comm::Context& context, const Input& input, std::size_t number,
                  const ThermostatMolecules& molecules)
      : Thermostat(context, input, number, molecules),
        timestep_(input.run.timestep),
        all_degrees_(molecules.degrees_of_freedom),
        masses_(molecules.masses.begin(), molecules.masses.end()),
        bodies_(molecules.bodies.begin(), molecules.bodies.end()) {}

  double apply(ParticleStore& particles, const Box& box, std::int64_t step) override {
    return where_.is_everything() ? apply_to_all(particles, step)
                                  : apply_to_some(particles, box, step);
  }

 protected:
  virtual double factor(double kinetic_energy, double degrees, double interval,
                        std::int64_t step) = 0;

  double timestep_;

 private:
  double interval() const { return static_cast<double>(interval_) * timestep_; }

  double apply_to_all(ParticleStore& particles, std::int64_t step) {
    double energy = kinetic_sums(particles, masses_).energy;
    if (particles.rotating()) energy += rotational_energy(particles, bodies_);
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(energy).run();
    const double b = factor(energy, all_degrees_, interval(), step);
    for (Vec3& velocity : particles.velocity) velocity *= b;
    for (Vec3& momentum : particles.angular_momentum) momentum *= b;
    return std::abs(b);
  }

  double apply_to_some(ParticleStore& particles, const Box& box, std::int64_t step) {
    double energy = 0.0, mass = 0.0, degrees = 0.0;
    Vec3 momentum;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!where_.contains(particles.position[i], box)) continue;
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      const Vec3& velocity = particles.velocity[i];
      energy += 0.5 * masses_[type] * dot(velocity, velocity);
      momentum += masses_[type] * velocity;
      mass += masses_[type];
      degrees += 3.0;
      if (!particles.rotating()) continue;
      energy +=
          bodies_[type].kinetic_energy(particles.orientation[i], particles.angular_momentum[i]);
      degrees += bodies_[type].degrees_of_freedom();
    }
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(energy).sum(mass).sum(degrees).sum(momentum.x).sum(momentum.y).sum(momentum.z).run();
    degrees -= 3.0;
    if (!(degrees >= 1.0)) return 1.0;  // at most one molecule, or none
    const Vec3 common = (1.0 / mass) * momentum;
    energy -= 0.5 * dot(momentum, common);
    const double b = factor(energy, degrees, interval(), step);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!where_.contains(particles.position[i], box)) continue;
      Vec3& velocity = particles.velocity[i];
      velocity = common + b * (velocity - common);
      if (particles.rotating()) particles.angular_momentum[i] *= b;
    }
    return std::max(1.0, std::abs(b));
  }

  double all_degrees_;
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
};

class StochasticRescalingThermostat final : public GroupThermostat {
 public:
  StochasticRescalingThermostat(const comm::Context& context, const Input& input,
                                std::size_t number, const ThermostatMolecules& molecules)
      : GroupThermostat(context, input, number, molecules),
        method_(input.run.seed, input.units.boltzmann() * input.thermostats[number].temperature,
                input.thermostats[number].time_constant, number) {
    // Often enough to be smooth on the scale of the time constant, seldom enough to cost nothing.
    const double steps = input.thermostats[number].time_constant / (10.0 * timestep_);
    interval_ = static_cast<std::int64_t>(std::clamp(steps, 1.0, 10.0));
  }

  double exchanged_energy() const override {
    return first_rank_ ? method_.exchanged_energy() : 0.0;
  }
  void set_exchanged_energy(double energy) override { method_.set_exchanged_energy(energy); }

 private:
  double factor(double kinetic_energy, double degrees, double interval,
                std::int64_t step) override {
    return method_.factor(kinetic_energy, degrees, interval, step);
  }

  StochasticVelocityRescaling method_;
};

class NoseHooverThermostat final : public GroupThermostat {
 public:
  NoseHooverThermostat(const comm::Context& context, const Input& input, std::size_t number,
                       const ThermostatMolecules& molecules)
      : GroupThermostat(context, input, number, molecules),
        chain_(input.units.boltzmann() * input.thermostats[number].temperature,
               input.thermostats[number].time_constant, degrees_of(where_, molecules)) {}

  /// What the chain has lost.
  double exchanged_energy() const override { return first_rank_ ? -chain_.energy() : 0.0; }
  void set_exchanged_energy(double) override {}  // follows from the state
  std::vector<double> state() const override { return chain_.state(); }
  void set_state(const std::vector<double>& state) override { chain_.set_state(state); }

 private:
  double factor(double kinetic_energy, double, double interval, std::int64_t) override {
    return chain_.factor(kinetic_energy, interval);
  }

  NoseHooverChain chain_;
};

class LangevinThermostat final : public Thermostat {
 public:
  LangevinThermostat(const comm::Context& context, const Input& input, std::size_t number,
                     const ThermostatMolecules& molecules)
      : Thermostat(context, input, number, molecules),
        timestep_(input.run.timestep),
        method_(input.run.seed, input.units.boltzmann() * input.thermostats[number].temperature,
                1.0 / input.thermostats[number].time_constant, molecules.masses, molecules.bodies,
                where_) {}

  double apply(ParticleStore& particles, const Box& box, std::int64_t step) override {
    add_exchanged_energy(method_.apply(particles, box, timestep_, step));
    return 1.0;
  }

 private:
  double timestep_;
  Langevin method_;
};

class ScalingThermostat final : public Thermostat {
 public:
  ScalingThermostat(const comm::Context& context, const Input& input, std::size_t number,
                    const ThermostatMolecules& molecules)
      : Thermostat(context, input, number, molecules),
        method_({zone_of(input, number)}, molecules.masses, molecules.bodies) {
    interval_ = input.thermostats[number].interval;
  }

  double apply(ParticleStore& particles, const Box& box, std::int64_t) override {
    const std::span<double> sums = method_.measure(particles, box);
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(sums.data(), sums.size()).run();
    const VelocityScaling::Scaled scaled = method_.scale(particles, box);
    add_exchanged_energy(scaled.taken_up);
    return scaled.largest_factor;
  }

 private:
  VelocityScaling::Zone zone_of(const Input& input, std::size_t number) const {
    const Input::Thermostat& thermostat = input.thermostats[number];
    VelocityScaling::Zone zone;
    zone.where = where_;
    zone.slabs = thermostat.slabs;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      zone.directions[axis] =
          std::ranges::find(thermostat.directions, name) != thermostat.directions.end();
    }
    zone.thermal_energy = input.units.boltzmann() * thermostat.temperature;
    zone.exponent = thermostat.exponent;
    zone.rule = thermostat.scaling == "linearized" ? VelocityScaling::Rule::linearized
                                                   : VelocityScaling::Rule::power;
    return zone;
  }

  VelocityScaling method_;
};

}  // namespace

Thermostat::Thermostat(const comm::Context& context, const Input& input, std::size_t number,
                       const ThermostatMolecules& molecules)
    : context_(context),
      first_rank_(context.rank() == 0),
      where_(selection_of(input.thermostats[number], molecules.names)),
      start_(input.thermostats[number].start_step),
      stop_(input.thermostats[number].stop_step > 0 ? input.thermostats[number].stop_step
                                                    : input.run.steps) {
  const double count = std::accumulate(molecules.counts.begin(), molecules.counts.end(), 0.0);
  int exponent = 0;
  static_cast<void>(std::frexp(
      count * input.units.boltzmann() * input.thermostats[number].temperature, &exponent));
  energy_quantum_ = std::ldexp(1.0, exponent - 44);
}

void Thermostat::add_exchanged_energy(double energy) {
  exchanged_energy_ += std::round(energy / energy_quantum_) * energy_quantum_;
}

bool Thermostat::keep_momentum(const Input& input) {
  return std::ranges::none_of(input.thermostats, [](const Input::Thermostat& thermostat) {
    const bool scales_some =
        thermostat.kind == "velocity_scaling" && (thermostat.is_partial() || thermostat.slabs > 1);
    return thermostat.kind == "langevin" || scales_some;
  });
}

std::vector<std::unique_ptr<Thermostat>> Thermostat::from_input(
    const comm::Context& context, const Input& input, const ThermostatMolecules& molecules) {
  std::vector<std::unique_ptr<Thermostat>> thermostats;
  for (std::size_t n = 0; n < input.thermostats.size(); ++n) {
    const std::string& kind = input.thermostats[n].kind;
    if (kind == "none") continue;
    if (kind == "stochastic_velocity_rescaling") {
      thermostats.push_back(
          std::make_unique<StochasticRescalingThermostat>(context, input, n, molecules));
    } else if (kind == "nose_hoover_chain") {
      thermostats.push_back(std::make_unique<NoseHooverThermostat>(context, input, n, molecules));
    } else if (kind == "langevin") {
      thermostats.push_back(std::make_unique<LangevinThermostat>(context, input, n, molecules));
    } else if (kind == "velocity_scaling") {
      thermostats.push_back(std::make_unique<ScalingThermostat>(context, input, n, molecules));
    } else {
      throw std::invalid_argument("there is no thermostat \"" + kind + "\"");
    }
  }
  return thermostats;
}

}  // namespace sterna::md
