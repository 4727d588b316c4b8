#include "md/simulation/thermostat.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "md/integrate/andersen.hpp"
#include "md/integrate/langevin.hpp"
#include "md/integrate/nose_hoover_chain.hpp"
#include "md/integrate/stochastic_velocity_rescaling.hpp"
#include "md/integrate/velocity_scaling.hpp"
#include "md/observe/kinetic.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// Degrees of freedom of the molecules that a thermostat without region acts on: of some of them
/// those of their motion relative to their center of mass.
double degrees_of(const Selection& where, const MoleculeTable& molecules) {
  if (where.is_everything()) return molecules.degrees_of_freedom;
  double degrees = -3.0;
  for (std::size_t type = 0; type < molecules.counts.size(); ++type) {
    if (!where.contains_type(static_cast<std::int64_t>(type))) continue;
    const int rotations =
        molecules.bodies.empty() ? 0 : molecules.bodies[type].degrees_of_freedom();
    degrees += static_cast<double>(molecules.counts[type]) * (3.0 + rotations);
  }
  return std::max(1.0, degrees);
}

class Thermostat : public StepModifier {
 protected:
  /// `number`: in the input, from 0.
  Thermostat(const comm::Context& context, const Input& input, std::size_t number,
             const MoleculeTable& molecules)
      : Thermostat(context, input, input.thermostats[number], molecules) {}

  Selection where_;

 private:
  Thermostat(const comm::Context& context, const Input& input, const Input::Thermostat& wanted,
             const MoleculeTable& molecules)
      : StepModifier(context, StepRange::of(input, wanted.start_step, wanted.stop_step, 1),
                     molecules, input.units.boltzmann() * wanted.temperature),
        where_(selection_of(wanted.component, wanted.lower, wanted.upper, molecules)) {}
};

/// One factor for the velocities and angular momenta of all molecules that it acts on, from their
/// kinetic energy. Of some of the molecules it leaves the motion of their common center of mass as
/// it is, so that the total momentum is kept.
class GroupThermostat : public Thermostat {
 public:
  GroupThermostat(const comm::Context& context, const Input& input, std::size_t number,
                  const MoleculeTable& molecules)
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
  double interval() const { return static_cast<double>(steps_.interval) * timestep_; }

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
                                std::size_t number, const MoleculeTable& molecules)
      : GroupThermostat(context, input, number, molecules),
        method_(input.run.seed, input.units.boltzmann() * input.thermostats[number].temperature,
                input.thermostats[number].time_constant, number) {
    // Often enough to be smooth on the scale of the time constant, seldom enough to cost nothing.
    const double steps = input.thermostats[number].time_constant / (10.0 * timestep_);
    steps_.interval = static_cast<std::int64_t>(std::clamp(steps, 1.0, 10.0));
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
                       const MoleculeTable& molecules)
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

class ScalingThermostat final : public Thermostat {
 public:
  ScalingThermostat(const comm::Context& context, const Input& input, std::size_t number,
                    const MoleculeTable& molecules)
      : Thermostat(context, input, number, molecules),
        method_({zone_of(input, number)}, molecules.masses, molecules.bodies) {
    steps_.interval = input.thermostats[number].interval;
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

/// Langevin dynamics and Andersen's collisions: noise on each molecule.
template <class Method>
class NoiseThermostat final : public Thermostat {
 public:
  NoiseThermostat(const comm::Context& context, const Input& input, std::size_t number,
                  const MoleculeTable& molecules)
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
  Method method_;
};

struct Kind {
  std::string_view name;
  std::unique_ptr<StepModifier> (*make)(const comm::Context&, const Input&, std::size_t number,
                                        const MoleculeTable&);
};

template <class Method>
std::unique_ptr<StepModifier> make(const comm::Context& context, const Input& input,
                                   std::size_t number, const MoleculeTable& molecules) {
  return std::make_unique<Method>(context, input, number, molecules);
}

constexpr Kind kinds[] = {
    {"stochastic_velocity_rescaling", make<StochasticRescalingThermostat>},
    {"nose_hoover_chain", make<NoseHooverThermostat>},
    {"langevin", make<NoiseThermostat<Langevin>>},
    {"andersen", make<NoiseThermostat<Andersen>>},
    {"velocity_scaling", make<ScalingThermostat>},
};

}  // namespace

bool thermostats_keep_momentum(const Input& input) {
  return std::ranges::none_of(input.thermostats, [](const Input::Thermostat& thermostat) {
    const bool scales_some =
        thermostat.kind == "velocity_scaling" && (thermostat.is_partial() || thermostat.slabs > 1);
    return thermostat.kind == "langevin" || thermostat.kind == "andersen" || scales_some;
  });
}

void make_thermostats(const comm::Context& context, const Input& input,
                      const MoleculeTable& molecules,
                      std::vector<std::unique_ptr<StepModifier>>& modifiers) {
  for (std::size_t n = 0; n < input.thermostats.size(); ++n) {
    const std::string& kind = input.thermostats[n].kind;
    if (kind == "none") continue;
    const Kind* const found = std::ranges::find(kinds, kind, &Kind::name);
    if (found == std::end(kinds)) {
      throw std::invalid_argument("there is no thermostat \"" + kind + "\"");
    }
    modifiers.push_back(found->make(context, input, n, molecules));
  }
}

}  // namespace sterna::md
