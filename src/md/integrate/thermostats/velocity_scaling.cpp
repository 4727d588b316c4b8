#include "md/integrate/thermostats/velocity_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "md/input/thermostat_parts.hpp"
#include "md/integrate/thermostats/thermostat_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {
constexpr std::size_t molecules = 0, translation = 1, rotations = 2, rotation = 3,
                      sums_per_slab = 4;
}  // namespace

VelocityScaling::VelocityScaling(std::vector<Zone> zones, std::span<const double> masses,
                                 std::span<const RigidBody> bodies)
    : zones_(std::move(zones)),
      masses_(masses.begin(), masses.end()),
      bodies_(bodies.begin(), bodies.end()) {
  std::size_t slabs = 0;
  for (const Zone& zone : zones_) {
    first_slab_.push_back(slabs);
    slabs += static_cast<std::size_t>(zone.slabs);
  }
  sums_.resize(sums_per_slab * slabs);
}

std::span<double> VelocityScaling::measure(const ParticleStore& particles, const Box& box) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::size_t z = 0; z < zones_.size(); ++z) {
    const Zone& zone = zones_[z];
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const int slab = slab_along_y(zone.where, zone.slabs, particles.position[i], box);
      if (slab < 0) continue;
      double* sums =
          sums_.data() + sums_per_slab * (first_slab_[z] + static_cast<std::size_t>(slab));
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      sums[molecules] += 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double v = particles.velocity[i][axis];
        if (zone.directions[static_cast<std::size_t>(axis)]) {
          sums[translation] += masses_[type] * v * v;
        }
      }
      if (!particles.turns(i)) continue;
      sums[rotations] += bodies_[type].degrees_of_freedom();
      sums[rotation] += 2.0 * bodies_[type].kinetic_energy(particles.orientation[i],
                                                           particles.angular_momentum[i]);
    }
  }
  return sums_;
}

VelocityScaling::Scaled VelocityScaling::scale(ParticleStore& particles, const Box& box) const {
  Scaled result;
  for (std::size_t z = 0; z < zones_.size(); ++z) {
    const Zone& zone = zones_[z];
    const auto factor = [&](double degrees, double twice_energy) {
      if (!(degrees > 0.0) || !(twice_energy > 0.0)) return 1.0;
      const double b = std::pow(degrees * zone.thermal_energy / twice_energy, zone.exponent);
      return zone.rule == Rule::power ? b : 2.0 - 1.0 / b;
    };
    const double directions = static_cast<double>(zone.directions[0]) +
                              static_cast<double>(zone.directions[1]) +
                              static_cast<double>(zone.directions[2]);
    struct Factors {
      double velocity, angular_momentum;
    };
    std::vector<Factors> factors;
    double of_zone = 1.0;
    for (std::size_t slab = 0; slab < static_cast<std::size_t>(zone.slabs); ++slab) {
      const double* sums = sums_.data() + sums_per_slab * (first_slab_[z] + slab);
      factors.push_back({factor(directions * sums[molecules], sums[translation]),
                         factor(sums[rotations], sums[rotation])});
      of_zone = std::max(of_zone, std::abs(factors.back().velocity));
    }
    result.largest_factor *= of_zone;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const int slab = slab_along_y(zone.where, zone.slabs, particles.position[i], box);
      if (slab < 0) continue;
      const auto [b, r] = factors[static_cast<std::size_t>(slab)];
      const auto type = static_cast<std::size_t>(particles.position[i].type);
      for (int axis = 0; axis < 3; ++axis) {
        if (!zone.directions[static_cast<std::size_t>(axis)]) continue;
        double& v = particles.velocity[i][axis];
        result.taken_up += 0.5 * masses_[type] * v * v * (b * b - 1.0);
        v *= b;
      }
      if (!particles.turns(i)) continue;
      result.taken_up +=
          (r * r - 1.0) *
          bodies_[type].kinetic_energy(particles.orientation[i], particles.angular_momentum[i]);
      particles.angular_momentum[i] *= r;
    }
  }
  return result;
}

namespace {

class ScalingThermostat final : public Thermostat {
 public:
  explicit ScalingThermostat(const ThermostatRequest& request)
      : Thermostat(request),
        method_({zone_of(request)}, request.molecules.masses, request.molecules.bodies) {
    steps_.act_every(request.wanted().options<VelocityScalingOptions>().interval);
  }

 private:
  double act(ParticleStore& particles, const StepContext& now) override {
    const std::span<double> sums = method_.measure(particles, now.box);
    comm::ReductionBatch batch(context_, "thermostat");
    batch.sum(sums.data(), sums.size()).run();
    const VelocityScaling::Scaled scaled = method_.scale(particles, now.box);
    add_exchanged_energy(scaled.taken_up);
    return scaled.largest_factor;
  }
  void set_thermal_energy(double thermal_energy) override {
    method_.set_thermal_energy(thermal_energy);
  }

  VelocityScaling::Zone zone_of(const ThermostatRequest& request) const {
    const auto& options = request.wanted().options<VelocityScalingOptions>();
    VelocityScaling::Zone zone;
    zone.where = motion_.where();
    zone.slabs = options.slabs;
    zone.directions = {};
    for (const Axis axis : options.directions) {
      zone.directions[static_cast<std::size_t>(index_of(axis))] = true;
    }
    zone.thermal_energy = request.thermal_energy();
    zone.exponent = options.exponent;
    zone.rule = options.scaling;
    return zone;
  }

  VelocityScaling method_;
};

}  // namespace

ThermostatRow thermostat::velocity_scaling() {
  return {
      .name = "velocity_scaling",
      .sentence =
          "Velocity scaling multiplies all velocities by a power of the ratio of the temperatures "
          "in every step, as ls1-MarDyn does; its fluctuations are those of no ensemble.",
      .equations = "v → v (T / T_now)^exponent",
      .remarks =
          "`exponent` is 1/2 in the textbook form, and the fluctuations are those of no ensemble. "
          "Use it to reach a temperature, or to repeat runs of ls1-MarDyn. All 3 N degrees of "
          "freedom of N molecules count, as in ls1-MarDyn. Where the total momentum stays, the "
          "temperature that Sterna shows counts 3 N - 3. It is then N / (N - 1) of the one to "
          "keep: 1.3 % above it for 80 molecules.",
      .source = "Woodcock, Chem. Phys. Lett. 10, 257 (1971)",
      .aliases = {"velocityscaling"},
      .has_time_constant = false,
      .keys =
          {{.name = "exponent",
            .target = thermostat_option<&VelocityScalingOptions::exponent>,
            .description =
                "Velocities are multiplied by (temperature to keep / temperature)^exponent, where "
                "all 3 N degrees of freedom count. 0.5 brings that temperature to its target in "
                "every step; ls1-MarDyn uses 0.4.",
            .range = {.minimum = 0.0, .maximum = 0.5, .exclusive_minimum = true}},
           {.name = "scaling", .target = thermostat_option<&VelocityScalingOptions::scaling>},
           {.name = "directions",
            .target = thermostat_option<&VelocityScalingOptions::directions>,
            .description = "Components of the velocities that are measured and scaled."},
           {.name = "slabs",
            .target = thermostat_option<&VelocityScalingOptions::slabs>,
            .description = "Divides the region into slabs across y, each of which is kept at the "
                           "temperature for itself.",
            .range = {.minimum = 1.0, .maximum = 1e4},
            .aliases = {"numslabs"}},
           {.name = "interval",
            .target = thermostat_option<&VelocityScalingOptions::interval>,
            .description = "Steps from one scaling to the next.",
            .range = {.minimum = 1.0, .maximum = 1e6},
            .aliases = {"frequency", "every"}}},
      .takes_ramps = true,
      .keeps_momentum =
          [](const Input::Thermostat& thermostat) {
            return !acts_on_a_part(thermostat) &&
                   thermostat.options<VelocityScalingOptions>().slabs == 1;
          },
      .orthorhombic_key = [](const Input::Thermostat& thermostat) -> std::string_view {
        return thermostat.options<VelocityScalingOptions>().slabs > 1 ? "slabs" : "";
      },
      .make = make_thermostat<ScalingThermostat>};
}

}  // namespace sterna::md
