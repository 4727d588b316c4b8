#include "md/simulation/thermostat.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "md/dynamics/langevin.hpp"
#include "md/dynamics/nose_hoover_chain.hpp"
#include "md/dynamics/stochastic_velocity_rescaling.hpp"
#include "md/dynamics/velocity_scaling.hpp"
#include "md/observe/kinetic.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// One factor for all velocities and angular momenta, from the total kinetic energy.
class GlobalThermostat : public Thermostat {
 public:
  GlobalThermostat(const comm::Context& context, const Input& input, std::span<const double> masses,
                   std::span<const RigidBody> bodies)
      : Thermostat(context, input),
        timestep_(input.run.timestep),
        masses_(masses.begin(), masses.end()),
        bodies_(bodies.begin(), bodies.end()) {}

  double apply(ParticleStore& particles, const Box&, std::int64_t step) override {
    double energy = kinetic_sums(particles, masses_).energy;
    if (particles.rotating()) energy += rotational_energy(particles, bodies_);
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(energy).run();
    const double b = factor(energy, static_cast<double>(interval_) * timestep_, step);
    for (Vec3& velocity : particles.velocity) velocity *= b;
    for (Vec3& momentum : particles.angular_momentum) momentum *= b;
    return std::abs(b);
  }

 protected:
  virtual double factor(double kinetic_energy, double interval, std::int64_t step) = 0;

  double timestep_;

 private:
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
};

class StochasticRescalingThermostat final : public GlobalThermostat {
 public:
  StochasticRescalingThermostat(const comm::Context& context, const Input& input,
                                std::span<const double> masses, std::span<const RigidBody> bodies,
                                double degrees)
      : GlobalThermostat(context, input, masses, bodies),
        method_(input.run.seed, input.units.boltzmann() * input.thermostat.temperature,
                input.thermostat.time_constant, degrees) {
    // Often enough to be smooth on the scale of the time constant, seldom enough to cost nothing.
    const double steps = input.thermostat.time_constant / (10.0 * timestep_);
    interval_ = static_cast<std::int64_t>(std::clamp(steps, 1.0, 10.0));
  }

  double exchanged_energy() const override {
    return first_rank_ ? method_.exchanged_energy() : 0.0;
  }
  void set_exchanged_energy(double energy) override { method_.set_exchanged_energy(energy); }

 private:
  double factor(double kinetic_energy, double interval, std::int64_t step) override {
    return method_.factor(kinetic_energy, interval, step);
  }

  StochasticVelocityRescaling method_;
};

class NoseHooverThermostat final : public GlobalThermostat {
 public:
  NoseHooverThermostat(const comm::Context& context, const Input& input,
                       std::span<const double> masses, std::span<const RigidBody> bodies,
                       double degrees)
      : GlobalThermostat(context, input, masses, bodies),
        chain_(input.units.boltzmann() * input.thermostat.temperature,
               input.thermostat.time_constant, degrees) {}

  /// What the chain has lost.
  double exchanged_energy() const override { return first_rank_ ? -chain_.energy() : 0.0; }
  void set_exchanged_energy(double) override {}  // follows from the state
  std::vector<double> state() const override { return chain_.state(); }
  void set_state(const std::vector<double>& state) override { chain_.set_state(state); }

 private:
  double factor(double kinetic_energy, double interval, std::int64_t) override {
    return chain_.factor(kinetic_energy, interval);
  }

  NoseHooverChain chain_;
};

class LangevinThermostat final : public Thermostat {
 public:
  LangevinThermostat(const comm::Context& context, const Input& input,
                     std::span<const double> masses, std::span<const RigidBody> bodies)
      : Thermostat(context, input),
        timestep_(input.run.timestep),
        method_(input.run.seed, input.units.boltzmann() * input.thermostat.temperature,
                1.0 / input.thermostat.time_constant, masses, bodies) {}

  double apply(ParticleStore& particles, const Box&, std::int64_t step) override {
    exchanged_energy_ += method_.apply(particles, timestep_, step);
    return 1.0;
  }

 private:
  double timestep_;
  Langevin method_;
};

class ScalingThermostat final : public Thermostat {
 public:
  ScalingThermostat(const comm::Context& context, const Input& input,
                    std::span<const double> masses, std::span<const RigidBody> bodies)
      : Thermostat(context, input), method_(zones_of(input), masses, bodies) {}

  double apply(ParticleStore& particles, const Box& box, std::int64_t) override {
    const std::span<double> sums = method_.measure(particles, box);
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(sums.data(), sums.size()).run();
    const VelocityScaling::Scaled scaled = method_.scale(particles, box);
    exchanged_energy_ += scaled.taken_up;
    return scaled.largest_factor;
  }

 private:
  static std::vector<VelocityScaling::Zone> zones_of(const Input& input) {
    VelocityScaling::Zone whole;
    whole.thermal_energy = input.units.boltzmann() * input.thermostat.temperature;
    whole.exponent = input.thermostat.exponent;
    return {whole};
  }

  VelocityScaling method_;
};

}  // namespace

Thermostat::Thermostat(const comm::Context& context, const Input& input)
    : context_(context),
      first_rank_(context.rank() == 0),
      start_(input.thermostat.start_step),
      stop_(input.thermostat.stop_step > 0 ? input.thermostat.stop_step : input.run.steps) {}

std::unique_ptr<Thermostat> Thermostat::from_input(const comm::Context& context, const Input& input,
                                                   std::span<const double> masses,
                                                   std::span<const RigidBody> bodies,
                                                   double degrees_of_freedom) {
  const std::string& kind = input.thermostat.kind;
  if (kind == "none") return nullptr;
  if (kind == "stochastic_velocity_rescaling") {
    return std::make_unique<StochasticRescalingThermostat>(context, input, masses, bodies,
                                                           degrees_of_freedom);
  }
  if (kind == "nose_hoover_chain") {
    return std::make_unique<NoseHooverThermostat>(context, input, masses, bodies,
                                                  degrees_of_freedom);
  }
  if (kind == "langevin") {
    return std::make_unique<LangevinThermostat>(context, input, masses, bodies);
  }
  if (kind == "velocity_scaling") {
    return std::make_unique<ScalingThermostat>(context, input, masses, bodies);
  }
  throw std::invalid_argument("there is no thermostat \"" + kind + "\"");
}

}  // namespace sterna::md
