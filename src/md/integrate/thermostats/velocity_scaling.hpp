#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "md/core/axis.hpp"
#include "md/core/box.hpp"
#include "md/core/choice.hpp"
#include "md/integrate/rigid_rotor.hpp"
#include "md/system/particle_store.hpp"
#include "md/system/selection.hpp"

namespace sterna::md {

/// Velocity scaling as ls1-MarDyn does it. Idea: multiply velocities, and angular momenta by a
/// factor of their own, by a power of the ratio of the target temperature to the present one.
/// Paper: Woodcock, Chem. Phys. Lett. 10, 257 (1971), with exponent 1/2. Cost: one sum over the
/// particles and one reduction of four numbers per zone and slab. Hazards: samples no ensemble;
/// counts three degrees of freedom per molecule, whatever is conserved; heat flows between
/// translation and rotation only through the forces. Another wins: stochastic velocity rescaling,
/// if fluctuations or an ensemble matter.
class VelocityScaling {
 public:
  enum class Rule {
    power,       ///< factor b = (T0 / T)^exponent: ls1's VelocityScaling
    linearized,  ///< 2 - 1 / b: ls1's TemperatureControl
  };
  /// A selection of molecules and the temperature that they are kept at.
  struct Zone {
    Selection where{};
    int slabs = 1;  ///< of equal width along y, each with a temperature of its own
    std::array<bool, 3> directions{true, true, true};  ///< velocity components that are scaled
    double thermal_energy = 0.0;                       ///< kT to keep
    double exponent = 0.5;
    Rule rule = Rule::power;
  };

  /// `masses` and `bodies` (empty if nothing rotates): by type. Zones act one after another; if
  /// they overlap, each of them scales the molecules.
  VelocityScaling(std::vector<Zone> zones, std::span<const double> masses,
                  std::span<const RigidBody> bodies);

  /// This rank's sums, to be added in place over all ranks. For each slab of each zone: the number
  /// of molecules, sum m v^2 over the zone's directions, the number of rotations, sum I w^2.
  std::span<double> measure(const ParticleStore& particles, const Box& box);
  struct Scaled {
    double taken_up = 0.0;        ///< energy gained by this rank's particles
    double largest_factor = 1.0;  ///< of velocities, the same on all ranks
  };
  /// Sets kT of all zones from now on.
  void set_thermal_energy(double thermal_energy) {
    for (Zone& zone : zones_) zone.thermal_energy = thermal_energy;
  }
  /// Scales velocities by the factors that follow from the sums.
  Scaled scale(ParticleStore& particles, const Box& box) const;

 private:
  std::vector<Zone> zones_;
  std::vector<std::size_t> first_slab_;  ///< by zone
  std::vector<double> masses_;
  std::vector<RigidBody> bodies_;
  std::vector<double> sums_;
};

template <>
inline constexpr auto choice_table<VelocityScaling::Rule> =
    std::to_array<Choice<VelocityScaling::Rule>>(
        {{"power", VelocityScaling::Rule::power,
          "\"power\": velocities are multiplied by b = (temperature to keep / "
          "temperature)^exponent."},
         {"linearized", VelocityScaling::Rule::linearized,
          "\"linearized\": by 2 - 1/b, as ls1-MarDyn's TemperatureControl does."}});

struct VelocityScalingOptions {  ///< of [thermostat] with kind = "velocity_scaling"
  double exponent = 0.5;         ///< factor b = (T0 / T)^exponent of the velocities
  VelocityScaling::Rule scaling = VelocityScaling::Rule::power;
  std::vector<Axis> directions{Axis::x, Axis::y, Axis::z};  ///< velocity components that are scaled
  int slabs = 1;              ///< along y, each with a temperature of its own
  std::int64_t interval = 1;  ///< steps
};

}  // namespace sterna::md
