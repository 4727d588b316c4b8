// Idea:    the Lennard-Jones part of two atoms whose pair is excluded elsewhere, which ends at a
//          cutoff as that of all other pairs does.
// Source:  general: special_bonds of LAMMPS scales pairs that are cut off, shifted and switched.
// Cost:    a square root and two divisions.
// Hazards: none.
// Others:  "lennard_jones", at any distance, as GROMACS, AMBER and CHARMM have pairs three bonds
//          apart.

#pragma once

#include <cmath>

#include "md/forces/bonded/bonded_term.hpp"
#include "md/model/truncation.hpp"

namespace sterna::md {
namespace {

struct EndedLennardJones {
  static constexpr std::string_view section = "special_pair";
  static constexpr std::string_view name = "ended_lennard_jones";
  static constexpr std::string_view energy_name = "ended_lennard_jones_14";
  static constexpr std::string_view sentence =
      "The Lennard-Jones part of a special pair that has a cutoff.";
  static constexpr std::string_view formula =
      "4 epsilon ((sigma/r)^12 - (sigma/r)^6), which ends as [interaction] says";
  static constexpr std::string_view source = "general";
  static constexpr int atoms = 2;
  /// `ending` is a `Truncation`, as a number.
  static constexpr BondedParameter parameters[] = {
      {"epsilon", Dimension::energy, from_zero, "depth of the well", 0.8, false, 0.0},
      {"sigma", Dimension::length, above_zero, "distance at which it is 0", 0.9, false, 1.0},
      {"cutoff", Dimension::length, above_zero, "where it ends", 1.6},
      {"switch_start", Dimension::length, above_zero, "where switching begins", 0.7},
      {"ending",
       Dimension::none,
       {.minimum = 0.0, .maximum = 6.0},
       "how it ends",
       static_cast<double>(Truncation::cubic_force_switched),
       true,
       0.0,
       true}};
  static constexpr int coefficient_count = 11;
  /// The coefficients are numbers of `PairFunction`: c12, c6, the cutoff, the begin of switching,
  /// the shifts of energy and force, the kind of ending, and four numbers of the ending.
  static void coefficients(std::span<const double> p, std::span<double> c) {
    const double rc = p[2], rs = p[3], width = rc - rs;
    const auto ending = static_cast<Truncation>(static_cast<int>(p[4]));
    const double s6 = std::pow(p[1], 6), c6 = 4.0 * p[0] * s6, c12 = c6 * s6;
    const double i3 = std::pow(rc, -3), i6 = i3 * i3;
    const double energy = i6 * (c12 * i6 - c6), force = i6 * (12.0 * c12 * i6 - 6.0 * c6) / rc;
    const double force_slope = i6 * (42.0 * c6 - 156.0 * c12 * i6) / (rc * rc);
    c[0] = c12;
    c[1] = c6;
    c[2] = rc;
    c[3] = is_switched(ending) ? rs : rc;
    c[6] = p[4];
    if (ending == Truncation::shifted) {
      c[4] = energy;
    } else if (ending == Truncation::force_shifted) {
      c[5] = force;
      c[4] = energy + rc * force;
    } else if (ending == Truncation::switched) {
      c[7] = std::pow(rc * rc - rs * rs, -3);
    } else if (ending == Truncation::quintic_switched) {
      c[8] = 1.0 / width;
    } else if (ending == Truncation::force_switched) {
      const double o3 = std::pow(rs, -3);
      c[4] = c12 * i6 * o3 * o3 - c6 * i3 * o3;
      c[7] = c12 / (1.0 - i6 / (o3 * o3));
      c[8] = c6 / (1.0 - i3 / o3);
      c[9] = i6;
      c[10] = i3;
    } else if (ending == Truncation::cubic_force_switched) {
      c[8] = (width * force_slope - 3.0 * force) / (width * width);
      c[9] = (2.0 * force - width * force_slope) / std::pow(width, 3);
      c[4] = energy - std::pow(width, 3) * (c[8] / 3.0 + width * c[9] / 4.0);
    }
  }
  template <class V>
  [[gnu::always_inline]] static V evaluate(const Triple<V>* b, const V* c, Triple<V>* f) {
    using Real = ElementOf<V>;
    const auto is = [&](Truncation ending) { return c[6] == V{} + static_cast<Real>(ending); };
    const V zero{}, one = V{} + Real(1);
    const V squared = not_zero(dot(b[0], b[0]));
    const V r = square_root(squared), inverse2 = Real(1) / squared;
    const V inverse6 = inverse2 * inverse2 * inverse2, inverse3 = inverse2 / r;
    V energy = inverse6 * (c[0] * inverse6 - c[1]) - (c[4] - c[5] * r);
    V force = inverse2 * inverse6 * (Real(12) * c[0] * inverse6 - Real(6) * c[1]) - c[5] / r;
    const V beyond = larger(r - c[3], zero);

    const V cubic = is(Truncation::cubic_force_switched) ? one : zero;
    energy = energy - cubic * beyond * beyond * beyond * (c[8] / Real(3) + beyond * c[9] / Real(4));
    force = force + cubic * beyond * beyond * (c[8] + beyond * c[9]) / r;

    const V gap = c[2] * c[2] - squared, outer = larger(squared - c[3] * c[3], zero);
    const V y = beyond * c[8], rest = one - y;
    V smooth = is(Truncation::switched)
                   ? gap * gap * (gap + Real(3) * outer) * c[7]
                   : one - y * y * y * (Real(10) - y * (Real(15) - Real(6) * y));
    V slope = is(Truncation::switched) ? Real(-12) * gap * outer * c[7]
                                       : Real(-30) * y * y * rest * rest * c[8] / r;
    const V switches = is(Truncation::switched)           ? one
                       : is(Truncation::quintic_switched) ? one
                                                          : zero;
    const V applies = beyond > zero ? switches : zero;
    smooth = applies * smooth + (one - applies);
    slope = applies * slope;
    force = force * smooth - energy * slope;
    energy = energy * smooth;

    const V far12 = inverse6 - c[9], far6 = inverse3 - c[10];
    const V replaced = is(Truncation::force_switched) ? (beyond > zero ? one : zero) : zero;
    energy = (one - replaced) * energy + replaced * (c[7] * far12 * far12 - c[8] * far6 * far6);
    force = (one - replaced) * force +
            replaced * inverse2 *
                (Real(12) * c[7] * inverse6 * far12 - Real(6) * c[8] * inverse3 * far6);
    const V inside = r < c[2] ? one : zero;
    f[0] = b[0] * (inside * force);
    return inside * energy;
  }
};

}  // namespace
}  // namespace sterna::md
