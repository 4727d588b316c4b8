// Idea:    lanes are atoms of one coordination, so bonds and angles of all lanes are computed in
//          step, without masks.
// Paper:   J. Tersoff, Phys. Rev. B 37, 6991 (1988); 39, 5566 (1989); modified: T. Kumagai et al.,
//          Comput. Mater. Sci. 39, 457 (2007); in vectors: Hoehnerbach,
//          Ismail and Bientinesi, SC16, whose lanes are bonds and whose third atoms come by masked
//          gathers.
// Cost:    z bonds and z (z - 1) / 2 angles for each atom; both bond orders of an angle need one
//          cosine.
// Hazards: neighbors also get forces, so ghosts collect forces that must be returned.
// Others:  rows of hundreds of neighbors, for which angles would no longer fit into the cache.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include "md/forces/manybody/kernels/bond_groups.inl"
#include "md/forces/manybody/tersoff_work.hpp"

namespace sterna::md {
namespace {

template <class Real>
struct Bond {
  Vector<Real> x, y, z;  ///< from the atom to its neighbor
  Vector<Real> r, inverse_r;
  Vector<Real> cutoff, cutoff_slope;
  Vector<Real> zeta;        ///< then dE/dzeta
  Vector<Real> gx, gy, gz;  ///< dE/d(x, y, z) without the part along this bond
  Vector<Real> slope;       ///< dE/dr
  Vector<Real>
      along_cosine;  ///< sum of dE/dcos cos: the component of angles' forces along this bond
};

template <class Real>
struct Angle {
  Vector<Real> cosine;
  /// One bond's share of an angle: `first` is for the bond order of the first bond, with the second
  /// bond's atom as third atom; `second` is the reverse. It has g, dg/dcos, the exponential, the
  /// derivative of its exponent, and the third atom's cutoff function.
  struct Side {
    Vector<Real> g, g_slope, growth, exponent_slope, cutoff, cutoff_slope;
  } first, second;
};

/// The scratch memory for atoms of at most `longest` bonds: bonds, then the angles of a group.
template <class Real>
struct Scratch : BondScratch<Real> {
  Angle<Real>* angle;

  /// Sets the arrays; returns the bytes used.
  std::size_t lay_out(void* memory, std::uint32_t longest) {
    const std::size_t bonds =
        BondScratch<Real>::lay_out(memory, longest, sizeof(Bond<Real>) / sizeof(Vector<Real>));
    angle = reinterpret_cast<Angle<Real>*>(static_cast<char*>(memory) + bonds);
    const std::size_t angles = std::size_t{longest} * (longest - 1) / 2 + 1;
    return bonds + angles * sizeof(Angle<Real>);
  }
};

/// The cutoff function and its derivative, which are 1 and 0 for r below the window.
template <class Real, TersoffForm form, class P>
inline void cutoff_function(Vector<Real> r, const P& p, Vector<Real>& value, Vector<Real>& slope) {
  value = all<Real>(1.0);
  slope = Vector<Real>{};
  const Bits<Real> in_window = r > p(TersoffTable::inner);
  if (!any(in_window)) return;
  const Vector<Real> quarter = p(TersoffTable::quarter_pi_over_D);
  constexpr double quarter_pi = 0.78539816339744830962;
  const Vector<Real> limit = all<Real>(quarter_pi);
  const Vector<Real> phase = (r - p(TersoffTable::R)) * quarter;
  Vector<Real> sine, cosine;
  sine_and_cosine_of_double<Real>(smaller(larger(phase, -limit), limit), sine, cosine);
  Vector<Real> in_between = Real(0.5) - Real(0.5) * sine, falling = -quarter * cosine;
  if constexpr (form == TersoffForm::modified) {
    // The sine of the threefold phase is 3 sine - 4 sine^3.
    in_between = Real(0.5) - sine * (Real(0.75) - Real(0.25) * sine * sine);
    falling *= Real(1.5) * cosine * cosine;
  }
  value = phase < -limit ? value : in_between;
  value = phase < limit ? value : Vector<Real>{};
  slope = larger(phase, -phase) < limit ? falling : Vector<Real>{};
}

/// The function g of the angle, in a form without the published form's difference of large numbers.
template <class Real, TersoffForm form, class P>
inline void angle_function(Vector<Real> cosine, const P& p, Vector<Real>& g, Vector<Real>& slope) {
  const Vector<Real> u = p(TersoffTable::cos_theta0) - cosine;
  if constexpr (form == TersoffForm::modified) {
    const Vector<Real> u2 = u * u, c3 = p(TersoffTable::c3);
    const Vector<Real> q = inverse(c3 + u2), strength = p(TersoffTable::c2) * q;
    const Vector<Real> minus_c5 = p(TersoffTable::minus_c5);
    const Vector<Real> peak = p(TersoffTable::c4) * bounded_exponential(minus_c5 * u2);
    g = p(TersoffTable::c1) + strength * u2 * (Real(1) + peak);
    slope = Real(-2) * strength * u * (c3 * q * (Real(1) + peak) + u2 * minus_c5 * peak);
    return;
  }
  const Vector<Real> d2 = p(TersoffTable::d2);
  const Vector<Real> strength = p(TersoffTable::gamma_c2_over_d2);
  const Vector<Real> u2 = u * u;
  const Vector<Real> q = inverse(d2 + u2);
  g = p(TersoffTable::gamma) + strength * u2 * q;
  slope = Real(-2) * strength * d2 * u * q * q;
}

/// The exponent of a third atom's factor as a function of the difference of distances, and its
/// derivative.
template <class Real, class P>
inline void distance_function(Vector<Real> difference, const P& p, Vector<Real>& exponent,
                              Vector<Real>& slope) {
  constexpr double largest = 69.0776;  // exp of this is 1e30, as in LAMMPS
  const Vector<Real> lambda3 = p(TersoffTable::lambda3);
  const Vector<Real> linear = p(TersoffTable::linear), cubic = p(TersoffTable::cubic);
  const Vector<Real> x = lambda3 * difference;
  const Vector<Real> x2 = x * x;
  exponent = x * (linear + cubic * x2);
  exponent = smaller(larger(exponent, all<Real>(-largest)), all<Real>(largest));
  slope = lambda3 * (linear + Real(3) * cubic * x2);
}

/// The repulsion of two nuclei and its derivative. Constants: J. F. Ziegler, J. P. Biersack and
/// U. Littmark, The Stopping and Range of Ions in Solids (1985).
template <class Real, class P>
inline Vector<Real> repulsion_of_nuclei(const Bond<Real>& bond, const P& p, Vector<Real>& slope) {
  constexpr Real shares[] = {Real(0.1818), Real(0.5099), Real(0.2802), Real(0.02817)};
  constexpr Real decays[] = {Real(3.2), Real(0.9423), Real(0.4029), Real(0.2016)};
  const Vector<Real> scale = p(TersoffTable::minus_inverse_screening);
  Vector<Real> screened{}, by_length{};
  for (int k = 0; k < 4; ++k) {
    const Vector<Real> part = shares[k] * bounded_exponential(decays[k] * scale * bond.r);
    screened += part;
    by_length += decays[k] * scale * part;
  }
  const Vector<Real> bare = p(TersoffTable::nuclear_strength) * bond.inverse_r;
  slope = bare * (by_length - screened * bond.inverse_r);
  return bare * screened;
}

/// The energy of a bond with zeta: sets the derivatives for the forces, and returns twice the
/// energy.
template <class Real, TersoffForm form, class P>
inline Vector<Real> bond_energy(Bond<Real>& bond, const P& p) {
  constexpr double tiny = sizeof(Real) == 8 ? 1e-300 : 1e-36;
  constexpr double largest = sizeof(Real) == 8 ? 690.0 : 80.0;
  const Vector<Real> zeta = larger(bond.zeta, all<Real>(tiny));
  const Vector<Real> scaled = larger(p(TersoffTable::beta) * zeta, all<Real>(tiny));
  const Vector<Real> exponent = p(TersoffTable::n) * logarithm(scaled);
  const Vector<Real> limit = all<Real>(largest);
  const Vector<Real> power = exponential(smaller(larger(exponent, -limit), limit));
  const Vector<Real> one_more = Real(1) + power;
  // For large n, as in Si(B), the power may overflow, but its logarithm does not.
  const Vector<Real> log_one_more = exponent < limit ? logarithm(one_more) : exponent;
  const Vector<Real> order = exponential(p(TersoffTable::minus_half_over_n) * log_one_more);
  Vector<Real> factor = all<Real>(-0.5);
  if constexpr (form == TersoffForm::modified) factor = p(TersoffTable::slope_factor);
  const Vector<Real> order_slope = power < p(TersoffTable::smallest_power)
                                       ? Vector<Real>{}
                                       : factor * order * power * inverse(one_more * zeta);

  const Vector<Real> minus_lambda1 = p(TersoffTable::minus_lambda1);
  const Vector<Real> minus_lambda2 = p(TersoffTable::minus_lambda2);
  const Vector<Real> beyond = bond.r - p(TersoffTable::R);
  const Vector<Real> repulsion = p(TersoffTable::repulsion) * exponential(minus_lambda1 * beyond);
  const Vector<Real> attraction = p(TersoffTable::attraction) * exponential(minus_lambda2 * beyond);
  const Vector<Real> whole = repulsion - order * attraction;
  Vector<Real> cutoff = bond.cutoff, cutoff_slope = bond.cutoff_slope;
  Vector<Real> nuclei{}, nuclei_slope{};
  if constexpr (form == TersoffForm::nuclei) {
    const Vector<Real> steepness = p(TersoffTable::minus_fermi_steepness);
    const Vector<Real> part = inverse(
        Real(1) + bounded_exponential(steepness * (bond.r - p(TersoffTable::fermi_center))));
    const Vector<Real> rest = Real(1) - part, part_slope = -steepness * part * rest;
    Vector<Real> slope;
    const Vector<Real> whole_repulsion = repulsion_of_nuclei<Real>(bond, p, slope);
    // A lane without this bond has no cutoff function.
    const Bits<Real> bound = bond.cutoff > Vector<Real>{};
    nuclei = bound ? rest * whole_repulsion : Vector<Real>{};
    nuclei_slope = bound ? rest * slope - part_slope * whole_repulsion : Vector<Real>{};
    cutoff_slope = cutoff_slope * part + cutoff * part_slope;
    cutoff *= part;
  }
  bond.slope = Real(0.5) * (cutoff_slope * whole + cutoff * (minus_lambda1 * repulsion -
                                                             minus_lambda2 * order * attraction));
  bond.zeta = Real(-0.5) * cutoff * attraction * order_slope;
  if constexpr (form == TersoffForm::nuclei) {
    bond.slope += Real(0.5) * nuclei_slope;
    return cutoff * whole + nuclei;
  }
  return cutoff * whole;
}

/// Adds one side of an angle to the forces. `share`: dE/dzeta of the bond, times the exponential.
template <class Real>
inline Vector<Real> side_slopes(const typename Angle<Real>::Side& side, Vector<Real> share,
                                bool distance_term, Bond<Real>& bond, Bond<Real>& third) {
  if (distance_term) {
    share *= side.growth;
    const Vector<Real> by_distance = share * side.g * side.cutoff * side.exponent_slope;
    bond.slope += by_distance;
    third.slope -= by_distance;
  }
  third.slope += share * side.g * side.cutoff_slope;
  return share * side.cutoff * side.g_slope;
}

template <class Real, TersoffForm form, bool single, bool center_only>
void compute_group(TersoffWork& work, const Scratch<Real>& scratch, const BondGroup<Real>& group) {
  using V = Vector<Real>;
  using Parameters = TripleValues<Real, TersoffTable, single>;
  constexpr auto width = BondGroup<Real>::width;
  const std::uint32_t bonds = group.bonds;
  auto* const bond = reinterpret_cast<Bond<Real>*>(scratch.bond);
  auto* const angle = scratch.angle;
  const auto types = static_cast<std::uint32_t>(work.rows.type_count);
  const std::size_t stride = std::size_t{types} * types * types;
  const auto* const tables = static_cast<const Real*>(work.rows.tables);
  alignas(64) std::uint32_t center[width] = {}, place[width];
  alignas(64) std::uint32_t triple[width] = {};  // of the atoms' own types; later of bonds
  if constexpr (!single) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      center[lane] = static_cast<std::uint32_t>(work.rows.position[group.atom[lane]].type);
      triple[lane] = (center[lane] * types + center[lane]) * types + center[lane];
    }
  }
  const Parameters of_center{tables, stride, triple};
  // Triples of a bond i-j with j as the third atom, too, and triples of three different atoms.
  alignas(64) std::uint32_t bond_triple[width] = {}, other_triple[width] = {};
  const Parameters of_bond{tables, stride, bond_triple};
  const Parameters of_other{tables, stride, other_triple};
  const auto pair_of_types = [&](std::uint32_t s, std::uint32_t t, std::uint32_t* out) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      out[lane] = (center[lane] * types + scratch.bond_type[s * width + lane]) * types +
                  scratch.bond_type[t * width + lane];
    }
  };
  V valid{};
  for (std::uint32_t lane = 0; lane < group.lane_count; ++lane) valid[lane] = Real(1);

  for (std::uint32_t s = 0; s < bonds; ++s) {
    for (std::uint32_t lane = 0; lane < width; ++lane) place[lane] = group.first_bond[lane] + s;
    Bond<Real>& b = bond[s];
    b.x = gather(scratch.dx, place);
    b.y = gather(scratch.dy, place);
    b.z = gather(scratch.dz, place);
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      scratch.bond_neighbor[s * width + lane] = scratch.neighbor[place[lane]];
      if constexpr (!single) scratch.bond_type[s * width + lane] = scratch.type[place[lane]];
    }
    const V r2 = b.x * b.x + b.y * b.y + b.z * b.z;
    b.r = square_root(r2);
    b.inverse_r = inverse(b.r);
    if constexpr (!single) pair_of_types(s, s, bond_triple);
    cutoff_function<Real, form>(b.r, of_bond, b.cutoff, b.cutoff_slope);
    b.cutoff *= valid;
    b.cutoff_slope *= valid;
    b.zeta = b.gx = b.gy = b.gz = b.along_cosine = V{};
  }

  Angle<Real>* a = angle;
  for (std::uint32_t t = 1; t < bonds; ++t) {
    for (std::uint32_t s = 0; s < t; ++s, ++a) {
      Bond<Real>&first = bond[s], &second = bond[t];
      a->cosine = (first.x * second.x + first.y * second.y + first.z * second.z) *
                  (first.inverse_r * second.inverse_r);
      if constexpr (center_only) {
        angle_function<Real, form>(a->cosine, of_center, a->first.g, a->first.g_slope);
        a->second.g = a->first.g;
        a->second.g_slope = a->first.g_slope;
        a->first.cutoff = second.cutoff;
        a->first.cutoff_slope = second.cutoff_slope;
        a->second.cutoff = first.cutoff;
        a->second.cutoff_slope = first.cutoff_slope;
        V first_part = a->first.g * second.cutoff, second_part = a->first.g * first.cutoff;
        if (work.distance_term) {
          V exponent;
          distance_function<Real>(first.r - second.r, of_center, exponent, a->first.exponent_slope);
          a->second.exponent_slope = a->first.exponent_slope;
          a->first.growth = exponential(exponent);
          a->second.growth = inverse(a->first.growth);
          first_part *= a->first.growth;
          second_part *= a->second.growth;
        }
        first.zeta += first_part;
        second.zeta += second_part;
      } else {
        const auto one_side = [&](typename Angle<Real>::Side& side, Bond<Real>& of, Bond<Real>& by,
                                  std::uint32_t j, std::uint32_t k) {
          pair_of_types(j, k, other_triple);
          angle_function<Real, form>(a->cosine, of_other, side.g, side.g_slope);
          cutoff_function<Real, form>(by.r, of_other, side.cutoff, side.cutoff_slope);
          V part = side.g * side.cutoff;
          if (work.distance_term) {
            V exponent;
            distance_function<Real>(of.r - by.r, of_other, exponent, side.exponent_slope);
            side.growth = exponential(exponent);
            part *= side.growth;
          }
          of.zeta += part;
        };
        one_side(a->first, first, second, s, t);
        one_side(a->second, second, first, t, s);
      }
    }
  }

  V energy{};
  for (std::uint32_t s = 0; s < bonds; ++s) {
    if constexpr (!single) pair_of_types(s, s, bond_triple);
    energy += bond_energy<Real, form>(bond[s], of_bond);
  }

  a = angle;
  for (std::uint32_t t = 1; t < bonds; ++t) {
    for (std::uint32_t s = 0; s < t; ++s, ++a) {
      Bond<Real>&first = bond[s], &second = bond[t];
      V by_cosine = side_slopes<Real>(a->first, first.zeta, work.distance_term, first, second);
      by_cosine += side_slopes<Real>(a->second, second.zeta, work.distance_term, second, first);
      // The gradient of the cosine is along the other bond, minus its component along the bond
      // itself.
      const V across = by_cosine * (first.inverse_r * second.inverse_r);
      first.gx += across * second.x;
      first.gy += across * second.y;
      first.gz += across * second.z;
      second.gx += across * first.x;
      second.gy += across * first.y;
      second.gz += across * first.z;
      const V along = by_cosine * a->cosine;
      first.along_cosine += along;
      second.along_cosine += along;
    }
  }

  V fx{}, fy{}, fz{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for (std::uint32_t s = 0; s < bonds; ++s) {
    const Bond<Real>& b = bond[s];
    const V along = (b.slope - b.along_cosine * b.inverse_r) * b.inverse_r;
    const V gx = b.gx + along * b.x, gy = b.gy + along * b.y, gz = b.gz + along * b.z;
    fx += gx;
    fy += gy;
    fz += gz;
    xx += gx * b.x;
    yy += gy * b.y;
    zz += gz * b.z;
    xy += gy * b.x;
    xz += gz * b.x;
    yz += gz * b.y;
    add_to_particles<Real>(work.rows.force, scratch.bond_neighbor + s * width, group.lane_count,
                           -gx, -gy, -gz);
  }
  add_to_particles<Real>(work.rows.force, group.atom, group.lane_count, fx, fy, fz);
  work.rows.energy += 0.5 * sum<Real>(energy);
  subtract_virial<Real>(work.rows, {xx, yy, zz, xy, xz, yz});
}

template <class Real, TersoffForm form, bool single, bool center_only>
void compute_cells(TersoffWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  Scratch<Real> scratch;
  scratch.lay_out(work.rows.scratch, work.rows.longest_row);
  for_groups_of_cells<Real, single>(
      work.rows, scratch, cells, cell_count, [&](const BondGroup<Real>& group) {
        compute_group<Real, form, single, center_only>(work, scratch, group);
      });
}

template <class Real, TersoffForm form>
void compute_form(TersoffWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  if (work.rows.type_count == 1) {
    compute_cells<Real, form, true, true>(work, cells, cell_count);
  } else if (work.center_only) {
    compute_cells<Real, form, false, true>(work, cells, cell_count);
  } else {
    compute_cells<Real, form, false, false>(work, cells, cell_count);
  }
}

template <class Real>
void compute(TersoffWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  if (work.rows.longest_row == 0) return;
  switch (work.form) {
    case TersoffForm::published:
      return compute_form<Real, TersoffForm::published>(work, cells, cell_count);
    case TersoffForm::nuclei:
      return compute_form<Real, TersoffForm::nuclei>(work, cells, cell_count);
    case TersoffForm::modified:
      return compute_form<Real, TersoffForm::modified>(work, cells, cell_count);
  }
}

std::size_t scratch_bytes(std::uint32_t longest_row) {
  Scratch<double> scratch;  // doubles need more memory than floats
  return scratch.lay_out(nullptr, longest_row);
}

const TersoffKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, compute<double>, compute<float>};

}  // namespace
}  // namespace sterna::md
