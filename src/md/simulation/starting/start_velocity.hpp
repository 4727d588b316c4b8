#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "md/core/random.hpp"
#include "md/core/vector.hpp"

namespace sterna::md {

/// Velocities at the start, in three parts, because the middle one is a sum over all ranks:
///
///     StartVelocity start(seed, mass_of_heaviest_type, boltzmann * temperature);
///     for each local particle:  v = start.draw(id, mass);  start.add(v, mass);
///     batch.sum(start.sums().data(), start.sums().size()).run();
///     const auto adjust = start.adjustment();
///     for each local particle:  v = adjust(v);
///
/// The sums are of integers, so the result has the same bits for any distribution of particles over
/// ranks. Velocities are drawn from the Maxwell-Boltzmann distribution by (seed, id). After the
/// adjustment the total momentum is 0 and the kinetic energy (3 N - 3) / 2 kT, both to rounding. A
/// single particle, or kT = 0, gets velocity 0. Angular momenta of rotating particles are drawn
/// likewise; after the adjustment their energy is kT / 2 for each degree of freedom.
class StartVelocity {
 public:
  /// `largest_mass` over all types, `thermal_energy` kT, in internal units.
  StartVelocity(std::uint64_t seed, double largest_mass, double thermal_energy);

  /// A velocity of three normal deviates times sqrt(kT / mass).
  Vec3 draw(std::int64_t id, double mass) const;
  void add(const Vec3& velocity, double mass);
  /// An angular momentum in the body frame: a normal deviate times sqrt(kT * moment) for each axis.
  Vec3 draw_rotation(std::int64_t id, const Vec3& inertia) const;
  void add_rotation(double energy, int degrees_of_freedom);

  /// Momentum, mass and kinetic energies in fixed point, and the numbers of particles and of
  /// rotational degrees of freedom. The caller sums them over the ranks.
  std::span<std::int64_t> sums() { return sums_; }

  struct Adjustment {
    Vec3 drift;                   ///< velocity of the center of mass
    double scale = 0.0;           ///< factor of velocities relative to `drift`
    double rotation_scale = 0.0;  ///< factor of angular momenta
    Vec3 operator()(const Vec3& velocity) const { return scale * (velocity - drift); }
  };
  /// The adjustment that follows from the sums over all ranks.
  Adjustment adjustment() const;

 private:
  void add_fixed_point(std::size_t quantity, double value);
  double value_of(std::size_t quantity) const;

  RandomStream stream_, rotation_stream_;
  double largest_mass_;
  double thermal_energy_;
  double momentum_scale_;
  std::array<std::int64_t, 14> sums_{};
};

}  // namespace sterna::md
