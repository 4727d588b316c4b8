#pragma once

namespace sterna::md {

/// The potential of a wall as a function of the distance d from its surface:
///
///     lj_9_3     epsilon [(2/15) (sigma/d)^9 - (sigma/d)^3]
///     lj_10_4    2 pi epsilon [(2/5) (sigma/d)^10 - (sigma/d)^4]
///     lj_10_4_3  lj_10_4 - 2 pi epsilon sigma^4 / (3 delta (d + 0.61 delta)^3)
///     lj_12_6    4 epsilon [(sigma/d)^12 - (sigma/d)^6]
///     harmonic   (k/2) d^2 if d < 0, behind the surface
///
/// The potentials 9-3, 10-4 and 10-4-3 are those of a half space, of one layer, and of layers of
/// sites at distance delta. Lennard-Jones potentials end at the cutoff and are shifted to 0 there.
/// Source: Steele, Surf. Sci. 36, 317 (1973); the formulas are LAMMPS's (fix wall/lj93, lj1043 and
/// lj126), in which epsilon of the 9-3 potential contains (2 pi/3) times density, sigma^3 and
/// epsilon of the sites.
class WallPotential {
 public:
  enum class Kind { lj_9_3, lj_10_4, lj_10_4_3, lj_12_6, harmonic };

  /// `layer_spacing`: delta.
  static WallPotential lennard_jones(Kind kind, double epsilon, double sigma, double cutoff,
                                     double layer_spacing = 0.0);
  static WallPotential harmonic(double stiffness);

  struct Value {
    double energy = 0.0, force = 0.0;  ///< positive if it points away from the wall
  };
  /// The energy and force; nothing beyond the cutoff. Lennard-Jones potentials need a positive
  /// distance.
  Value at(double distance) const;

  bool is_harmonic() const { return kind_ == Kind::harmonic; }
  /// The distance beyond which there is no force.
  double cutoff() const { return cutoff_; }

 private:
  Value unshifted(double distance) const;

  Kind kind_ = Kind::harmonic;
  double epsilon_ = 0.0, sigma_ = 0.0, cutoff_ = 0.0, layer_spacing_ = 0.0, stiffness_ = 0.0;
  double energy_at_cutoff_ = 0.0;
};

}  // namespace sterna::md
