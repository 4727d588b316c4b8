#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "md/core/box.hpp"
#include "md/dynamics/rigid_rotor.hpp"
#include "md/dynamics/selection.hpp"
#include "md/io/input.hpp"
#include "md/particles/particle_store.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// What thermostats ask of the molecules, all by type.
struct ThermostatMolecules {
  std::span<const std::string> names;
  std::span<const std::int64_t> counts;  ///< on all ranks
  std::span<const double> masses;
  std::span<const RigidBody> bodies;  ///< empty where nothing rotates
  double degrees_of_freedom = 0.0;    ///< of all together
};

/// Keeps the temperature of a run as one [thermostat] says, on all ranks together.
class Thermostat {
 public:
  /// Collective like all of it. Those of the input, without those of kind "none".
  static std::vector<std::unique_ptr<Thermostat>> from_input(const comm::Context& context,
                                                             const Input& input,
                                                             const ThermostatMolecules& molecules);
  /// Whether all thermostats leave the total momentum as it is; otherwise the motion of the center
  /// of mass takes part in the temperature.
  static bool keep_momentum(const Input& input);

  virtual ~Thermostat() = default;
  Thermostat(const Thermostat&) = delete;
  Thermostat& operator=(const Thermostat&) = delete;

  bool is_due(std::int64_t step) const {
    return step >= start_ && step <= stop_ && step % interval_ == 0;
  }
  /// In a step in which it is due, with velocities of the time of the positions. Returns by what
  /// factor speeds have grown, the same on all ranks: noise on single molecules left out.
  virtual double apply(ParticleStore& particles, const Box& box, std::int64_t step) = 0;

  /// This rank's part of the energy given to the particles since the start: their total energy
  /// less the sum of it over the ranks is constant.
  virtual double exchanged_energy() const { return exchanged_energy_; }

  /// What a checkpoint keeps besides the sum of the exchanged energy, and the way back.
  virtual std::vector<double> state() const { return {}; }
  virtual void set_state(const std::vector<double>&) {}
  /// `energy`: the sum; rank 0 goes on with it.
  virtual void set_exchanged_energy(double energy) {
    if (first_rank_) exchanged_energy_ = energy;
  }

 protected:
  /// `number`: in the input, from 0.
  Thermostat(const comm::Context& context, const Input& input, std::size_t number,
             const ThermostatMolecules& molecules);

  /// Adds to the exchanged energy, rounded to 2^-44 of the thermal energy of all molecules: sums of
  /// these are exact, so that a resumed run, which begins with the sum of all ranks, has the same
  /// bits.
  void add_exchanged_energy(double energy);

  comm::Context context_;
  bool first_rank_;
  std::int64_t interval_ = 1;
  Selection where_;

 private:
  std::int64_t start_, stop_;
  double energy_quantum_;  ///< a power of two
  double exchanged_energy_ = 0.0;
};

}  // namespace sterna::md
