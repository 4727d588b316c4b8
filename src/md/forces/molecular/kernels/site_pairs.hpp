#pragma once

// The physics of every pair of site types, each in one small class over a pack of pairs; included
// by molecular_kernels.inl.
//
// Site a feels the force, and site b its opposite; d = x_a - x_b, n = d / r, y = 1/r. Directions m (a
// dipole with its moment) and e (unit axis of a quadrupole) belong to the site named. `gradient_a` is
// minus the derivative of the energy by the direction of a, `gradient_b` by that of b: the torque is
// that direction times it.
// Formulas: Gray and Gubbins, Theory of Molecular Fluids, vol. 1 (1984), eq. 2.180 to 2.184.

#include <type_traits>

#include "md/forces/molecular/molecular_work.hpp"
#include "md/neighbors/kernels/row_traits.hpp"

namespace sterna::md {
namespace {

template <class Pack>
struct PackVector {
  Pack x, y, z;
};
template <class Pack>
inline Pack dot(const PackVector<Pack>& a, const PackVector<Pack>& b) {
  return Pack::fma(a.z, b.z, Pack::fma(a.y, b.y, a.x * b.x));
}
template <class Pack>
inline PackVector<Pack> operator*(const std::type_identity_t<Pack>& s, const PackVector<Pack>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
/// s a + b
template <class Pack>
inline PackVector<Pack> fma(const std::type_identity_t<Pack>& s, const PackVector<Pack>& a,
                            const PackVector<Pack>& b) {
  return {Pack::fma(s, a.x, b.x), Pack::fma(s, a.y, b.y), Pack::fma(s, a.z, b.z)};
}

/// b - s a
template <class Pack>
inline PackVector<Pack> fnma(const std::type_identity_t<Pack>& s, const PackVector<Pack>& a,
                             const PackVector<Pack>& b) {
  return {Pack::fnma(s, a.x, b.x), Pack::fnma(s, a.y, b.y), Pack::fnma(s, a.z, b.z)};
}

template <class Pack>
inline PackVector<Pack> cross(const PackVector<Pack>& a, const PackVector<Pack>& b) {
  return {Pack::fnma(a.z, b.y, a.y * b.z), Pack::fnma(a.x, b.z, a.z * b.x),
          Pack::fnma(a.y, b.x, a.x * b.y)};
}

/// The distances of a pack of pairs; each kind of pair reads only what it needs.
template <class Pack>
struct PairDistance {
  PackVector<Pack> d;
  Pack r2;
  typename Pack::Mask inside;
};

/// The results of a pack of pairs. Pairs with a central force set `force_over_r`, others `force`.
template <class Pack>
struct PairResult {
  Pack force_over_r;
  PackVector<Pack> force;
  PackVector<Pack> gradient_a, gradient_b;
  Pack energy;
  Pack reaction_field;  ///< the part of the energy that belongs to the reaction field
  Pack lennard_jones;   ///< the part of the energy between Lennard-Jones sites
};

template <class Pack>
struct LennardJonesPair {
  static constexpr bool radial = true, direction_a = false, direction_b = false;
  static constexpr bool lennard_jones_cutoff = true, with_reaction_field = false;
  static constexpr bool with_lennard_jones = true;
  Pack twelve_c12, six_c6, energy_shift;
  LennardJonesPair(Pack twelve_c12_of, Pack six_c6_of, Pack shift)
      : twelve_c12(twelve_c12_of), six_c6(six_c6_of), energy_shift(shift) {}
  LennardJonesPair(const SiteTerm& term, const PackVector<Pack>&)
      : twelve_c12(Pack::all(term.coefficient[0])),
        six_c6(Pack::all(term.coefficient[1])),
        energy_shift(Pack::all(term.coefficient[2])) {}

  template <bool with_energy>
  void add(const typename Pack::Mask inside, const Pack inverse2, PairResult<Pack>& result) const {
    const Pack inverse6 = inverse2 * inverse2 * inverse2;
    const Pack r_times_force = inverse6 * Pack::fma(twelve_c12, inverse6, Pack::zero() - six_c6);
    result.force_over_r = inverse2 * r_times_force;
    if constexpr (with_energy) {
      const Pack u = inverse6 * Pack::fma(twelve_c12 * Pack::all(1.0 / 12.0), inverse6,
                                          Pack::all(-1.0 / 6.0) * six_c6);
      result.energy = u - Pack::select(inside, energy_shift);
      result.lennard_jones = result.energy;
    }
  }
  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>&,
                  PairResult<Pack>& result) const {
    add<with_energy>(pair.inside, Pack::inverse(pair.inside, pair.r2, Pack::all(1.0)), result);
  }
};

/// u = q_a q_b y
template <class Pack>
struct ChargeChargePair {
  static constexpr bool radial = true, direction_a = false, direction_b = false;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  Pack product;
  ChargeChargePair(const SiteTerm& term, const PackVector<Pack>&)
      : product(Pack::all(term.coefficient[3])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>&,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const Pack u = product * y;
    result.force_over_r = u * (y * y);
    if constexpr (with_energy) result.energy = u;
  }
};

/// A Lennard-Jones and a charge interaction between the same two points.
template <class Pack>
struct LennardJonesAndChargesPair {
  static constexpr bool radial = true, direction_a = false, direction_b = false;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = true;
  LennardJonesPair<Pack> lennard_jones;
  Pack product;
  LennardJonesAndChargesPair(const SiteTerm& term, const PackVector<Pack>& unused)
      : lennard_jones(term, unused), product(Pack::all(term.coefficient[3])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>&,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const Pack y2 = y * y;
    lennard_jones.template add<with_energy>(pair.inside, y2, result);
    const Pack u = product * y;
    result.force_over_r = Pack::fma(u, y2, result.force_over_r);
    if constexpr (with_energy) result.energy = result.energy + u;
  }
};

/// u = q_a (m_b.n) y^2
template <class Pack>
struct ChargeDipolePair {
  static constexpr bool radial = false, direction_a = false, direction_b = true;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  Pack charge;
  ChargeDipolePair(const SiteTerm& term, const PackVector<Pack>&)
      : charge(Pack::all(term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>& m,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack c = dot(m, n);
    const Pack qy2 = charge * (y * y);
    const Pack qy3 = qy2 * y;
    result.force = fma(Pack::all(3.0) * (qy3 * c), n, (Pack::zero() - qy3) * m);
    result.gradient_b = (Pack::zero() - qy2) * n;
    if constexpr (with_energy) result.energy = qy2 * c;
  }
};

/// u = -q_b (m_a.n) y^2
template <class Pack>
struct DipoleChargePair {
  static constexpr bool radial = false, direction_a = true, direction_b = false;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  PackVector<Pack> m;
  Pack charge;
  DipoleChargePair(const SiteTerm& term, const PackVector<Pack>& direction)
      : m(direction), charge(Pack::all(term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>&,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack c = dot(m, n);
    const Pack qy2 = charge * (y * y);
    const Pack qy3 = qy2 * y;
    result.force = fma(Pack::all(-3.0) * (qy3 * c), n, qy3 * m);
    result.gradient_a = qy2 * n;
    if constexpr (with_energy) result.energy = Pack::zero() - qy2 * c;
  }
};

/// u = k y^3 (3 c^2 - 1), c = e.n, k = q Q / 2; the quadrupole on either side.
template <class Pack, bool quadrupole_first>
struct ChargeQuadrupoleForm {
  static constexpr bool radial = false;
  static constexpr bool direction_a = quadrupole_first, direction_b = !quadrupole_first;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  PackVector<Pack> own;
  Pack factor;
  ChargeQuadrupoleForm(const SiteTerm& term, const PackVector<Pack>& direction)
      : own(direction), factor(Pack::all(term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>& other,
                  PairResult<Pack>& result) const {
    const PackVector<Pack>& e = quadrupole_first ? own : other;
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack c = dot(e, n);
    const Pack ky3 = factor * (y * y * y);
    const Pack ky4 = ky3 * y;
    const Pack six_c = Pack::all(6.0) * c;
    result.force = fma(ky4 * Pack::fma(Pack::all(15.0) * c, c, Pack::all(-3.0)), n,
                       (Pack::zero() - ky4 * six_c) * e);
    (quadrupole_first ? result.gradient_a : result.gradient_b) = (Pack::zero() - ky3 * six_c) * n;
    if constexpr (with_energy) {
      result.energy = ky3 * Pack::fma(Pack::all(3.0) * c, c, Pack::all(-1.0));
    }
  }
};
template <class Pack>
using ChargeQuadrupolePair = ChargeQuadrupoleForm<Pack, false>;
template <class Pack>
using QuadrupoleChargePair = ChargeQuadrupoleForm<Pack, true>;

/// u = y^3 (m_a.m_b - 3 (m_a.n)(m_b.n)) - k m_a.m_b; k: reaction field (Barker and Watts, Mol.
/// Phys. 26, 789 (1973)), 2 (epsilon - 1) / ((2 epsilon + 1) rc^3).
template <class Pack>
struct DipoleDipolePair {
  static constexpr bool radial = false, direction_a = true, direction_b = true;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = true;
  static constexpr bool with_lennard_jones = false;
  PackVector<Pack> m;
  Pack field;
  DipoleDipolePair(const SiteTerm& term, const PackVector<Pack>& direction)
      : m(direction), field(Pack::all(term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>& other,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack ca = dot(m, n);
    const Pack cb = dot(other, n);
    const Pack g = dot(m, other);
    const Pack y3 = y * y * y;
    const Pack three_y4 = Pack::all(3.0) * (y3 * y);
    const Pack k = Pack::select(pair.inside, field);
    result.force = fma(three_y4 * Pack::fnma(Pack::all(5.0) * ca, cb, g), n,
                       fma(three_y4 * cb, m, (three_y4 * ca) * other));
    result.gradient_a = fma(Pack::all(3.0) * (y3 * cb), n, (k - y3) * other);
    result.gradient_b = fma(Pack::all(3.0) * (y3 * ca), n, (k - y3) * m);
    if constexpr (with_energy) {
      result.reaction_field = Pack::zero() - k * g;
      result.energy = Pack::fma(y3, Pack::fnma(Pack::all(3.0) * ca, cb, g), result.reaction_field);
    }
  }
};

/// u = k y^4 (2 c g + t (1 - 5 c^2)), c = e.n, t = m.n, g = m.e, k = 3/2 Q, with the dipole on a;
/// the opposite with the quadrupole on a.
template <class Pack, bool quadrupole_first>
struct DipoleQuadrupoleForm {
  static constexpr bool radial = false, direction_a = true, direction_b = true;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  PackVector<Pack> own;
  Pack factor;
  DipoleQuadrupoleForm(const SiteTerm& term, const PackVector<Pack>& direction)
      : own(direction),
        factor(Pack::all(quadrupole_first ? -term.coefficient[0] : term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>& other,
                  PairResult<Pack>& result) const {
    const PackVector<Pack>& m = quadrupole_first ? other : own;
    const PackVector<Pack>& e = quadrupole_first ? own : other;
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack c = dot(e, n);
    const Pack t = dot(m, n);
    const Pack g = dot(m, e);
    const Pack y2 = y * y;
    const Pack ky4 = factor * (y2 * y2);
    const Pack minus_ky5 = Pack::zero() - ky4 * y;
    const Pack five_c = Pack::all(5.0) * c;
    const Pack on_m = Pack::fnma(five_c, c, Pack::all(1.0));
    // Half of the factor of e; minus a fifth of the factor of n.
    const Pack on_e = Pack::fnma(five_c, t, g);
    const Pack on_n =
        Pack::fma(Pack::all(2.0) * c, g, t * Pack::fnma(Pack::all(7.0) * c, c, Pack::all(1.0)));
    result.force = fma(minus_ky5 * (Pack::all(2.0) * on_e), e,
                       fma(minus_ky5 * on_m, m, (minus_ky5 * (Pack::all(-5.0) * on_n)) * n));
    const Pack minus_ky4 = Pack::zero() - ky4;
    const Pack two_c = Pack::all(2.0) * c;
    const PackVector<Pack> by_e =
        fma(minus_ky4 * (Pack::all(2.0) * on_e), n, (minus_ky4 * two_c) * m);
    const PackVector<Pack> by_m = fma(minus_ky4 * on_m, n, (minus_ky4 * two_c) * e);
    result.gradient_a = quadrupole_first ? by_e : by_m;
    result.gradient_b = quadrupole_first ? by_m : by_e;
    if constexpr (with_energy) result.energy = ky4 * Pack::fma(two_c, g, t * on_m);
  }
};
template <class Pack>
using DipoleQuadrupolePair = DipoleQuadrupoleForm<Pack, false>;
template <class Pack>
using QuadrupoleDipolePair = DipoleQuadrupoleForm<Pack, true>;

/// u = k y^5 (1 + 2 g^2 - 5 (ca^2 + cb^2 + 4 g ca cb) + 35 ca^2 cb^2), g = e_a.e_b,
/// k = 3/4 Q_a Q_b
template <class Pack>
struct QuadrupoleQuadrupolePair {
  static constexpr bool radial = false, direction_a = true, direction_b = true;
  static constexpr bool lennard_jones_cutoff = false, with_reaction_field = false;
  static constexpr bool with_lennard_jones = false;
  PackVector<Pack> e;
  Pack factor;
  QuadrupoleQuadrupolePair(const SiteTerm& term, const PackVector<Pack>& direction)
      : e(direction), factor(Pack::all(term.coefficient[0])) {}

  template <bool with_energy>
  void operator()(const PairDistance<Pack>& pair, const PackVector<Pack>& other,
                  PairResult<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(pair.inside, pair.r2);
    const PackVector<Pack> n = y * pair.d;
    const Pack ca = dot(e, n);
    const Pack cb = dot(other, n);
    const Pack g = dot(e, other);
    const Pack y2 = y * y;
    const Pack ky5 = factor * (y2 * y2 * y);
    const Pack ky6 = ky5 * y;
    const Pack product = ca * cb;
    const Pack constant = Pack::fma(Pack::all(2.0) * g, g, Pack::all(1.0));
    const Pack squares = Pack::fma(Pack::all(4.0) * g, product, Pack::fma(ca, ca, cb * cb));
    const Pack fourth = product * product;
    // A tenth of the derivatives with respect to ca and cb, with the sign of the force.
    const Pack seven_product = Pack::all(7.0) * product;
    const Pack two_g = Pack::all(2.0) * g;
    const Pack by_a = Pack::fnma(seven_product, cb, Pack::fma(two_g, cb, ca));
    const Pack by_b = Pack::fnma(seven_product, ca, Pack::fma(two_g, ca, cb));
    const Pack on_n = Pack::all(5.0) * Pack::fma(Pack::all(63.0), fourth,
                                                 Pack::fma(Pack::all(-7.0), squares, constant));
    const Pack ten = Pack::all(10.0);
    result.force = fma(ky6 * on_n, n, fma(ky6 * (ten * by_a), e, (ky6 * (ten * by_b)) * other));
    const Pack on_other = Pack::all(4.0) * Pack::fnma(Pack::all(5.0), product, g);
    result.gradient_a = fma(ky5 * (ten * by_a), n, (Pack::zero() - ky5 * on_other) * other);
    result.gradient_b = fma(ky5 * (ten * by_b), n, (Pack::zero() - ky5 * on_other) * e);
    if constexpr (with_energy) {
      result.energy =
          ky5 * Pack::fma(Pack::all(35.0), fourth, Pack::fma(Pack::all(-5.0), squares, constant));
    }
  }
};

}  // namespace
}  // namespace sterna::md
