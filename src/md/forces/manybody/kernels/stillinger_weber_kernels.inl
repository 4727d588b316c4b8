// Idea:    lanes are atoms of one coordination. Of one kind of atom, the angles need no triples: a
//          sum over all pairs of bonds of (cos - c)^2 is a polynomial of moments of the bonds, of
//          order 0, 1 and 2.
// Paper:   F. H. Stillinger and T. A. Weber, Phys. Rev. B 31, 5262 (1985).
// Cost:    with z bonds, two walks along them for one kind of atom; z (z - 1) / 2 angles for
//          several, whose strength and angle depend on the two ends.
// Hazards: neighbors also get forces, so ghosts collect forces that must be returned. In a perfect
//          tetrahedron the moments' terms cancel: in single precision the energy is right to 1e-7 of
//          them, not of the rest.
// Others:  triples for one kind of atom, too, if rows had fewer than four bonds.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include "md/forces/manybody/kernels/bond_groups.inl"
#include "md/forces/manybody/stillinger_weber_work.hpp"

namespace sterna::md {
namespace {

template <class Real>
struct Bond {
  Vector<Real> x, y, z;     ///< from the atom to its neighbor
  Vector<Real> ux, uy, uz;  ///< the direction
  Vector<Real> inverse_r;
  Vector<Real> window, window_slope;  ///< the exponential of angles and its derivative
  Vector<Real> slope;                 ///< dE/dr
  Vector<Real> tx, ty, tz;            ///< dE/d(ux, uy, uz)
};

/// The two powers of a pair times their factors, and -r times the derivative of their difference.
template <class Real, class P>
inline void powers(Vector<Real> inverse_r, bool usual, const P& p, Vector<Real>& repulsion,
                   Vector<Real>& attraction, Vector<Real>& slopes) {
  using Table = StillingerWeberTable;
  const Vector<Real> ratio = p(Table::sigma) * inverse_r;
  repulsion = p(Table::repulsion);
  attraction = p(Table::attraction);
  if (usual) {
    const Vector<Real> squared = ratio * ratio;
    repulsion *= squared * squared;
    slopes = Real(4) * repulsion;
    return;
  }
  const Vector<Real> exponent = logarithm(ratio);
  repulsion *= bounded_exponential(p(Table::p) * exponent);
  attraction *= bounded_exponential(p(Table::q) * exponent);
  slopes = p(Table::p) * repulsion - p(Table::q) * attraction;
}

/// Sets a bond with what belongs to its pair; returns the energy of the pair. Lanes without an atom
/// have `valid` = 0.
template <class Real, class P>
inline Vector<Real> pair_of_bond(Bond<Real>& b, Vector<Real> valid, bool usual_powers, const P& p) {
  using V = Vector<Real>;
  using Table = StillingerWeberTable;
  const V r2 = b.x * b.x + b.y * b.y + b.z * b.z;
  const V r = square_root(r2);
  b.inverse_r = inverse(r);
  b.ux = b.x * b.inverse_r;
  b.uy = b.y * b.inverse_r;
  b.uz = b.z * b.inverse_r;
  // A bond at the cutoff, which rounding may put beyond it, has no energy.
  const V inside = inverse(smaller(r - p(Table::cutoff), -p(Table::closest)));
  const V exponent = p(Table::sigma) * inside;
  const V ending = bounded_exponential(exponent) * valid;
  V repulsion, attraction, slopes;
  powers<Real>(b.inverse_r, usual_powers, p, repulsion, attraction, slopes);
  const V energy = (repulsion - attraction) * ending;
  b.slope = Real(-0.5) * (slopes * b.inverse_r * ending + energy * exponent * inside);
  const V angle_exponent = p(Table::gamma_sigma) * inside;
  b.window = bounded_exponential(angle_exponent) * valid;
  b.window_slope = -b.window * angle_exponent * inside;
  return energy;
}

/// Adds all angles of an atom, by moments of its bonds; returns their energy.
template <class Real, class P>
inline Vector<Real> angles_by_moments(Bond<Real>* bond, std::uint32_t bonds, const P& p) {
  using V = Vector<Real>;
  using Table = StillingerWeberTable;
  const V c0 = p(Table::cos_theta0), strength = p(Table::strength);
  V count{}, squares{}, x{}, y{}, z{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for (std::uint32_t s = 0; s < bonds; ++s) {
    const Bond<Real>& b = bond[s];
    const V gx = b.window * b.ux, gy = b.window * b.uy, gz = b.window * b.uz;
    count += b.window;
    squares += b.window * b.window;
    x += gx;
    y += gy;
    z += gz;
    xx += gx * b.ux;
    yy += gy * b.uy;
    zz += gz * b.uz;
    xy += gx * b.uy;
    xz += gx * b.uz;
    yz += gy * b.uz;
  }
  // A bond with itself is no angle.
  const V itself = (Real(1) - c0) * (Real(1) - c0);
  const V zeroth = c0 * c0 * count;
  for (std::uint32_t s = 0; s < bonds; ++s) {
    Bond<Real>& b = bond[s];
    const V mx = xx * b.ux + xy * b.uy + xz * b.uz;
    const V my = xy * b.ux + yy * b.uy + yz * b.uz;
    const V mz = xz * b.ux + yz * b.uy + zz * b.uz;
    const V second = mx * b.ux + my * b.uy + mz * b.uz;
    const V first = x * b.ux + y * b.uy + z * b.uz;
    const V by_window = second - Real(2) * c0 * first + zeroth - itself * b.window;
    b.slope += strength * by_window * b.window_slope;
    const V along = Real(2) * strength * b.window;
    b.tx = along * (mx - c0 * x);
    b.ty = along * (my - c0 * y);
    b.tz = along * (mz - c0 * z);
  }
  const V second = xx * xx + yy * yy + zz * zz + Real(2) * (xy * xy + xz * xz + yz * yz);
  const V first = x * x + y * y + z * z;
  return Real(0.5) * strength * (second - Real(2) * c0 * first + zeroth * count - itself * squares);
}

/// Adds all angles of an atom, whose parameters depend on both ends; returns their energy.
/// `between(s, t)`: the parameters of the bonds s and t.
template <class Real, class Between>
inline Vector<Real> angles_by_pairs(Bond<Real>* bond, std::uint32_t bonds, const Between& between) {
  using V = Vector<Real>;
  using Table = StillingerWeberTable;
  V energy{};
  for (std::uint32_t s = 0; s < bonds; ++s) bond[s].tx = bond[s].ty = bond[s].tz = V{};
  for (std::uint32_t t = 1; t < bonds; ++t) {
    for (std::uint32_t s = 0; s < t; ++s) {
      Bond<Real>&a = bond[s], &b = bond[t];
      const auto& p = between(s, t);
      const V off = a.ux * b.ux + a.uy * b.uy + a.uz * b.uz - p(Table::cos_theta0);
      const V by_windows = p(Table::strength) * off * off;
      energy += by_windows * a.window * b.window;
      a.slope += by_windows * a.window_slope * b.window;
      b.slope += by_windows * a.window * b.window_slope;
      const V by_cosine = Real(2) * p(Table::strength) * off * a.window * b.window;
      a.tx += by_cosine * b.ux;
      a.ty += by_cosine * b.uy;
      a.tz += by_cosine * b.uz;
      b.tx += by_cosine * a.ux;
      b.ty += by_cosine * a.uy;
      b.tz += by_cosine * a.uz;
    }
  }
  return energy;
}

template <class Real, bool single>
void compute_group(StillingerWeberWork& work, const BondScratch<Real>& scratch,
                   const BondGroup<Real>& group) {
  using V = Vector<Real>;
  using Values = TripleValues<Real, StillingerWeberTable, single>;
  constexpr auto width = BondGroup<Real>::width;
  auto* const bond = reinterpret_cast<Bond<Real>*>(scratch.bond);
  const auto types = static_cast<std::uint32_t>(work.rows.type_count);
  const std::size_t stride = std::size_t{types} * types * types;
  const auto* const tables = static_cast<const Real*>(work.rows.tables);
  alignas(64) std::uint32_t center[width] = {}, triple[width] = {}, place[width];
  const Values values{tables, stride, triple};
  if constexpr (!single) {
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      center[lane] = static_cast<std::uint32_t>(work.rows.position[group.atom[lane]].type);
    }
  }
  const auto between = [&](std::uint32_t s, std::uint32_t t) -> const Values& {
    if constexpr (!single) {
      for (std::uint32_t lane = 0; lane < width; ++lane) {
        triple[lane] = (center[lane] * types + scratch.bond_type[s * width + lane]) * types +
                       scratch.bond_type[t * width + lane];
      }
    }
    return values;
  };
  V valid{};
  for (std::uint32_t lane = 0; lane < group.lane_count; ++lane) valid[lane] = Real(1);

  V pairs{};
  for (std::uint32_t s = 0; s < group.bonds; ++s) {
    for (std::uint32_t lane = 0; lane < width; ++lane) place[lane] = group.first_bond[lane] + s;
    Bond<Real>& b = bond[s];
    b.x = gather(scratch.dx, place);
    b.y = gather(scratch.dy, place);
    b.z = gather(scratch.dz, place);
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      scratch.bond_neighbor[s * width + lane] = scratch.neighbor[place[lane]];
      if constexpr (!single) scratch.bond_type[s * width + lane] = scratch.type[place[lane]];
    }
    pairs += pair_of_bond<Real>(b, valid, work.usual_powers, between(s, s));
  }
  V angles;
  if constexpr (single) {
    angles = angles_by_moments<Real>(bond, group.bonds, values);
  } else {
    angles = angles_by_pairs<Real>(bond, group.bonds, between);
  }

  V fx{}, fy{}, fz{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for (std::uint32_t s = 0; s < group.bonds; ++s) {
    const Bond<Real>& b = bond[s];
    // A change of the direction is across the bond.
    const V along = b.slope - (b.tx * b.ux + b.ty * b.uy + b.tz * b.uz) * b.inverse_r;
    const V gx = along * b.ux + b.tx * b.inverse_r;
    const V gy = along * b.uy + b.ty * b.inverse_r;
    const V gz = along * b.uz + b.tz * b.inverse_r;
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
  work.rows.energy += 0.5 * sum<Real>(pairs) + sum<Real>(angles);
  subtract_virial<Real>(work.rows, {xx, yy, zz, xy, xz, yz});
}

template <class Real>
constexpr std::size_t vectors_of_bond = sizeof(Bond<Real>) / sizeof(Vector<Real>);

template <class Real>
void compute(StillingerWeberWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  if (work.rows.longest_row == 0) return;
  BondScratch<Real> scratch;
  scratch.lay_out(work.rows.scratch, work.rows.longest_row, vectors_of_bond<Real>);
  if (work.rows.type_count == 1) {
    for_groups_of_cells<Real, true>(
        work.rows, scratch, cells, cell_count,
        [&](const BondGroup<Real>& group) { compute_group<Real, true>(work, scratch, group); });
  } else {
    for_groups_of_cells<Real, false>(
        work.rows, scratch, cells, cell_count,
        [&](const BondGroup<Real>& group) { compute_group<Real, false>(work, scratch, group); });
  }
}

std::size_t scratch_bytes(std::uint32_t longest_row) {
  BondScratch<double> scratch;  // doubles need more memory than floats
  return scratch.lay_out(nullptr, longest_row, vectors_of_bond<double>);
}

const StillingerWeberKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, compute<double>,
                                     compute<float>};

}  // namespace
}  // namespace sterna::md
