#include "md/simulation/starting/start_velocity.hpp"

#include <cmath>

namespace sterna::md {
namespace {

// Sums are exact in fixed point. Quantities in units of their scale are below 2^7 (a normal deviate
// from uniform numbers of 52 bits is below 8.6). With 45 fractional bits, divided into a high part
// below 2^28 and a low part below 2^24, sums over 2^35 particles stay below 2^63.
constexpr double one = 0x1p45;
constexpr std::int64_t low_part = std::int64_t{1} << 24;

constexpr std::size_t momentum = 0;  // x; y and z follow
constexpr std::size_t mass_sum = 3;
constexpr std::size_t kinetic_energy = 4;
constexpr std::size_t energy_of_rotation = 5;
// Indices in sums_. The quantities above take two entries each, for high and low part.
constexpr std::size_t particle_count = 12;
constexpr std::size_t rotational_degrees = 13;

}  // namespace

StartVelocity::StartVelocity(std::uint64_t seed, double largest_mass, double thermal_energy)
    : stream_(seed, RandomPurpose::velocity),
      rotation_stream_(seed, RandomPurpose::angular_momentum),
      largest_mass_(largest_mass),
      thermal_energy_(thermal_energy),
      momentum_scale_(std::sqrt(largest_mass * thermal_energy)) {}

Vec3 StartVelocity::draw(std::int64_t id, double mass) const {
  auto sequence = stream_.sequence(static_cast<std::uint64_t>(id), 0);
  const double speed = std::sqrt(thermal_energy_ / mass);
  Vec3 velocity;
  for (int axis = 0; axis < 3; ++axis) velocity[axis] = speed * sequence.normal();
  return velocity;
}

void StartVelocity::add_fixed_point(std::size_t quantity, double value) {
  const auto fixed = static_cast<std::int64_t>(std::llround(value * one));
  const std::int64_t low = ((fixed % low_part) + low_part) % low_part;
  sums_[2 * quantity] += (fixed - low) / low_part;
  sums_[2 * quantity + 1] += low;
}

double StartVelocity::value_of(std::size_t quantity) const {
  return (static_cast<double>(sums_[2 * quantity]) * static_cast<double>(low_part) +
          static_cast<double>(sums_[2 * quantity + 1])) /
         one;
}

void StartVelocity::add(const Vec3& velocity, double mass) {
  ++sums_[particle_count];
  if (thermal_energy_ <= 0.0) return;
  for (int axis = 0; axis < 3; ++axis) {
    add_fixed_point(momentum + static_cast<std::size_t>(axis),
                    mass * velocity[axis] / momentum_scale_);
  }
  add_fixed_point(mass_sum, mass / largest_mass_);
  add_fixed_point(kinetic_energy, 0.5 * mass * dot(velocity, velocity) / thermal_energy_);
}

Vec3 StartVelocity::draw_rotation(std::int64_t id, const Vec3& inertia) const {
  auto sequence = rotation_stream_.sequence(static_cast<std::uint64_t>(id), 0);
  Vec3 angular_momentum;
  for (int axis = 0; axis < 3; ++axis) {
    angular_momentum[axis] = std::sqrt(thermal_energy_ * inertia[axis]) * sequence.normal();
  }
  return angular_momentum;
}

void StartVelocity::add_rotation(double energy, int degrees_of_freedom) {
  sums_[rotational_degrees] += degrees_of_freedom;
  if (thermal_energy_ > 0.0) add_fixed_point(energy_of_rotation, energy / thermal_energy_);
}

StartVelocity::Adjustment StartVelocity::adjustment() const {
  Adjustment adjustment;
  if (thermal_energy_ <= 0.0) return adjustment;
  const double of_rotation = value_of(energy_of_rotation);
  if (of_rotation > 0.0) {
    adjustment.rotation_scale =
        std::sqrt(0.5 * static_cast<double>(sums_[rotational_degrees]) / of_rotation);
  }
  if (sums_[particle_count] < 2) return adjustment;
  Vec3 total;
  for (int axis = 0; axis < 3; ++axis) {
    total[axis] = value_of(momentum + static_cast<std::size_t>(axis));
  }
  const double mass = value_of(mass_sum);
  const double left = value_of(kinetic_energy) - 0.5 * dot(total, total) / mass;
  const double wanted = 1.5 * static_cast<double>(sums_[particle_count] - 1);
  if (left > 0.0) {
    adjustment.drift = total * (momentum_scale_ / largest_mass_ / mass);
    adjustment.scale = std::sqrt(wanted / left);
  }
  return adjustment;
}

}  // namespace sterna::md
