// Idea:    a well of any width in the cosine of an angle.
// Source:  angle_style cosine/shift/exp of LAMMPS.
// Cost:    that of "cosine_polynomial" and an exponential.
// Hazards: unless theta0 is 0 or 180 the force has an edge where atoms are in line.
// Others:  "cosine_polynomial".

#pragma once

#include "md/forces/bonded/terms/bend.hpp"
#include "md/forces/bonded/terms/cosine_exponential.hpp"

namespace sterna::md {
namespace {

struct CosineExponentialAngle {
  static constexpr std::string_view section = "angle";
  static constexpr std::string_view name = "cosine_exponential";
  static constexpr std::string_view energy_name = "cosine_exponential_angle";
  static constexpr std::string_view sentence = "A well of any width in the cosine of an angle.";
  static constexpr std::string_view formula =
      "depth (1 - exp(steepness (1 + cos(theta - theta0))/2)) / (exp(steepness) - 1)";
  static constexpr std::string_view source = "LAMMPS, angle_style cosine/shift/exp";
  static constexpr int atoms = 3;
  static constexpr BondedParameter parameters[] = {
      {"depth", Dimension::energy, any_value, "of the well, which is below 0", 8.0},
      {"theta0", Dimension::none, of_angles, "angle at rest, in degrees", 109.5},
      {"steepness", Dimension::none, CosineExponential::of_steepness,
       "the larger, the narrower the well; not 0", 2.0}};
  static constexpr std::string_view contradiction(std::span<const double> p) {
    return CosineExponential::problem_of(p[2]);
  }
  static constexpr int coefficient_count = CosineExponential::coefficient_count;
  static void coefficients(std::span<const double> p, std::span<double> c) {
    CosineExponential::coefficients(p[0], radians_per_degree * p[1], p[2], c);
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    const V zero{};
    const Triple<V> u{zero - b[0].x, zero - b[0].y, zero - b[0].z};
    const Bend<V> bend(u, b[1]);
    const V inverse = ElementOf<V>(1) / not_zero(square_root(dot(b[0], b[0]) * dot(b[1], b[1])));
    const V cosine = bend.cosine * inverse, sine = bend.sine * inverse;
    const auto value = CosineExponential::evaluate(cosine, sine, c);
    Triple<V> at_first{}, at_last{};
    bend.add_forces(u, b[1], value.over_sine * cosine - value.over_cosine * sine, at_first,
                    at_last);
    f[0] = {zero - at_first.x, zero - at_first.y, zero - at_first.z};
    f[1] = at_last;
    return value.energy;
  }
};

}  // namespace
}  // namespace sterna::md
