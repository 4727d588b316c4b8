// Idea:    lanes are atoms, so that every instruction of the recursions and couplings does the same
//          for all of them. Derivatives are by the adjoint: the energy's slope by the sums of
//          harmonics once an atom, then backward through the recursion of each neighbor to the two
//          complex numbers of its rotation, in place of three derivatives of each harmonic.
// Paper:   A. P. Thompson et al., J. Comput. Phys. 285, 316 (2015); R. Gayatri et al.,
//          arXiv:2011.12875 (2020), for the adjoint sums; D. A. Varshalovich, A. N. Moskalev and
//          V. K. Khersonskii, Quantum Theory of Angular Momentum (1988), section 4.8.2, for the
//          recursion.
// Cost:    O(J^3) a neighbor for harmonics and their derivatives, O(J^5) an atom, whatever the
//          number of neighbors, for couplings; J = twojmax / 2.
// Hazards: neighbors also get forces, so ghosts collect forces that must be returned. An atom without
//          neighbors has an energy, too.
// Others:  harmonics of all neighbors in memory instead of their recursion twice: 25 kB a neighbor
//          of eight atoms, which does not stay in the cache.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include "md/forces/manybody/kernels/bond_groups.inl"
#include "md/forces/manybody/snap_work.hpp"

namespace sterna::md {
namespace {

using V = Vector<double>;
constexpr auto width = static_cast<std::uint32_t>(lanes<double>);

struct Complex {
  V re, im;
};
inline Complex conjugate(const Complex& z) {
  return {z.re, -z.im};
}
inline Complex operator*(const Complex& x, const Complex& y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
inline Complex operator*(V x, const Complex& y) {
  return {x * y.re, x * y.im};
}
inline Complex operator*(double x, const Complex& y) {
  return {x * y.re, x * y.im};
}
inline Complex operator-(const Complex& x, const Complex& y) {
  return {x.re - y.re, x.im - y.im};
}
inline void operator+=(Complex& x, const Complex& y) {
  x.re += y.re;
  x.im += y.im;
}
inline void operator-=(Complex& x, const Complex& y) {
  x.re -= y.re;
  x.im -= y.im;
}
/// The real part of conj(x) y.
inline V scalar_product(const Complex& x, const Complex& y) {
  return x.re * y.re + x.im * y.im;
}

/// A neighbor of each lane's atom.
struct Bond {
  V nx, ny, nz;  ///< the direction
  V x, y, z, inverse_r;
  Complex a, b;    ///< of the rotation
  V sine, cosine;  ///< of its angle
  V angle_slope;   ///< d angle / dr
  V weight, weight_slope;
};

struct SnapScratch {
  BondScratch<double> bonds;
  Complex* half;   ///< sums of harmonics, half matrices of all channels
  Complex* whole;  ///< whole matrices
  Complex* slope;  ///< derivative of the energy by the sums; twice for elements with a mirror image
  Complex* own;    ///< one neighbor's harmonics
  Complex* backward;  ///< two levels of derivatives by them
  Complex* mirrored;  ///< a row
  V *component, *by_component;

  std::size_t lay_out(void* memory, const SnapWork& work) {
    const std::uint32_t longest = work.rows.longest_row > 0 ? work.rows.longest_row : 1;
    const std::size_t used = bonds.lay_out(memory, longest, sizeof(Bond) / sizeof(V));
    char* next = static_cast<char*>(memory) + used;
    const auto take = [&next](auto*& array, std::size_t count) {
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(next);
      next += (count * sizeof(*array) + 63) / 64 * 64;
    };
    const auto channels = static_cast<std::size_t>(work.channels);
    const auto side = static_cast<std::size_t>(work.twice_j) + 1;
    take(half, channels * work.half_size);
    take(whole, channels * work.whole_size);
    take(slope, channels * work.half_size);
    take(own, work.half_size);
    take(backward, 2 * side * side);
    take(mirrored, side);
    take(component, work.component_count);
    take(by_component, work.component_count);
    return static_cast<std::size_t>(next - static_cast<char*>(memory));
  }
};

/// Sine and cosine of an angle between -pi / 3 and pi.
inline void sine_and_cosine(V angle, V& sine, V& cosine) {
  constexpr double quarter = 1.57079632679489661923;
  V s, c;
  sine_and_cosine_of_double(0.5 * (angle - quarter), s, c);
  sine = c;
  cosine = -s;
}

/// A row of level j - 1 of a neighbor's harmonics, from which row `row` of level j is made. The
/// middle row of an even level needs one that the half matrix lacks; it is made in `mirrored`.
inline const Complex* row_below(const Complex* below, int j, int row, Complex* mirrored) {
  if (2 * row < j) return below + row * j;
  const Complex* const image = below + (row - 1) * j;
  for (int k = 0; k < j; ++k) {
    const Complex value = conjugate(image[j - 1 - k]);
    mirrored[k] = (k + row) % 2 == 0 ? value : -1.0 * value;
  }
  return mirrored;
}

/// Computes a neighbor's harmonics of all levels into the half matrices of `own`.
inline void make_harmonics(const SnapWork& work, const Bond& bond, const SnapScratch& scratch) {
  Complex* const own = scratch.own;
  own[0] = Complex{all<double>(1.0), V{}};
  const Complex a = conjugate(bond.a), b = conjugate(bond.b);
  for (int j = 1; j <= work.twice_j; ++j) {
    const Complex* const below = own + work.half_offset[j - 1];
    Complex* out = own + work.half_offset[j];
    const double* root = work.roots + 2 * work.half_offset[j];
    for (int row = 0; 2 * row <= j; ++row) {
      const Complex* const from = row_below(below, j, row, scratch.mirrored);
      Complex carried{};
      for (int k = 0; k < j; ++k, root += 2) {
        // Each harmonic of the level below goes to two of this one.
        const Complex here = from[k];
        Complex value = root[0] * (a * here);
        value -= root[1] * carried;
        carried = b * here;
        *out++ = value;
      }
      *out++ = -root[1] * carried;
      root += 2;
    }
  }
}

/// Adds a neighbor's harmonics times its weight to the sums of its channel.
inline void add_harmonics(const SnapWork& work, const SnapScratch& scratch, const Bond& bond,
                          const std::uint32_t* types) {
  const auto add = [&](Complex* sums, V weight) {
    for (std::uint32_t k = 0; k < work.half_size; ++k) sums[k] += weight * scratch.own[k];
  };
  if (work.channels == 1) {
    add(scratch.half, bond.weight);
    return;
  }
  for (std::uint32_t channel = 0; channel < static_cast<std::uint32_t>(work.channels); ++channel) {
    V weight = bond.weight;
    bool any = false;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      const bool is_it = work.channel[types[lane]] == channel;
      any = any || is_it;
      if (!is_it) weight[lane] = 0.0;
    }
    if (any) add(scratch.half + std::size_t{channel} * work.half_size, weight);
  }
}

/// Completes the matrices of the sums.
inline void complete_matrices(const SnapWork& work, const SnapScratch& scratch) {
  for (int channel = 0; channel < work.channels; ++channel) {
    const Complex* const half = scratch.half + static_cast<std::size_t>(channel) * work.half_size;
    Complex* const whole = scratch.whole + static_cast<std::size_t>(channel) * work.whole_size;
    for (int j = 0; j <= work.twice_j; ++j) {
      const Complex* const from = half + work.half_offset[j];
      Complex* const to = whole + work.whole_offset[j];
      const int last = j * (j + 2);
      for (int row = 0; 2 * row <= j; ++row) {
        for (int k = 0; k <= j; ++k) {
          const int place = row * (j + 1) + k;
          to[place] = from[place];
          if (2 * row == j) continue;
          const Complex image = conjugate(from[place]);
          to[last - place] = (k + row) % 2 == 0 ? image : -1.0 * image;
        }
      }
    }
  }
}

/// Calls `use(place, value, twice)` for each element of a product's half matrix; `place`: in the
/// matrix; `twice`: whether it has a mirror image.
template <class Use>
inline void for_product(const SnapWork& work, const SnapScratch& scratch, const SnapProduct& p,
                        const Use& use) {
  const Complex* const a = scratch.whole + p.a;
  const Complex* const b = scratch.whole + p.b;
  const SnapTerm* term = work.terms + p.first_term;
  const std::uint32_t* counts = work.term_counts + p.first_element;
  const int size = (p.jc / 2 + 1) * (p.jc + 1);
  const int with_image = (p.jc + 1) / 2 * (p.jc + 1);
  for (int place = 0; place < size; ++place) {
    // Eight sums, so that none waits for the one before.
    V re0{}, re1{}, im0{}, im1{}, re2{}, re3{}, im2{}, im3{};
    const SnapTerm* const end = term + *counts++;
    for (; term + 1 < end; term += 2) {
      const Complex x = a[term->a], y = b[term->b];
      const V xr = term->coupling * x.re, xi = term->coupling * x.im;
      re0 += xr * y.re;
      re1 -= xi * y.im;
      im0 += xr * y.im;
      im1 += xi * y.re;
      const Complex z = a[term[1].a], w = b[term[1].b];
      const V zr = term[1].coupling * z.re, zi = term[1].coupling * z.im;
      re2 += zr * w.re;
      re3 -= zi * w.im;
      im2 += zr * w.im;
      im3 += zi * w.re;
    }
    if (term < end) {
      const Complex x = a[term->a], y = b[term->b];
      const V xr = term->coupling * x.re, xi = term->coupling * x.im;
      re0 += xr * y.re;
      re1 -= xi * y.im;
      im0 += xr * y.im;
      im1 += xi * y.re;
      ++term;
    }
    use(place, Complex{(re0 + re1) + (re2 + re3), (im0 + im1) + (im2 + im3)}, place < with_image);
  }
}

/// Computes the components.
inline void set_components(const SnapWork& work, const SnapScratch& scratch) {
  for (std::size_t k = 0; k < work.component_count; ++k) scratch.component[k] = V{};
  for (std::size_t n = 0; n < work.product_count; ++n) {
    const SnapProduct& product = work.products[n];
    if (product.components == 0) continue;
    for_product(work, scratch, product, [&](int place, const Complex& value, bool twice) {
      for (std::uint32_t c = 0; c < product.components; ++c) {
        const SnapComponent& component = work.components[product.first_component + c];
        scratch.component[component.component] +=
            (twice ? 2.0 * component.factor : component.factor) *
            scalar_product(scratch.half[component.other + static_cast<std::uint32_t>(place)],
                           value);
      }
    });
  }
}

/// The energy of the quadratic form, and its derivatives by the components.
inline V quadratic_energy(const SnapWork& work, const SnapScratch& scratch,
                          const std::uint32_t* centers) {
  const std::size_t count = work.component_count, pairs = count * (count + 1) / 2;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::uint32_t lane = 0; lane < width; ++lane)
      scratch.component[k][lane] -= work.lone[centers[lane] * count + k];
  }
  V energy{};
  for (std::size_t k = 0; k < count; ++k) energy += scratch.by_component[k] * scratch.component[k];
  const auto coefficient = [&](std::size_t k) {
    V value{};
    for (std::uint32_t lane = 0; lane < width; ++lane)
      value[lane] = work.quadratics[centers[lane] * pairs + k];
    return value;
  };
  std::size_t pair = 0;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = k; l < count; ++l, ++pair) {
      V strength = coefficient(pair);
      if (l == k) {
        strength *= scratch.component[k];
        energy += 0.5 * strength * scratch.component[k];
        scratch.by_component[k] += strength;
        continue;
      }
      scratch.by_component[k] += strength * scratch.component[l];
      scratch.by_component[l] += strength * scratch.component[k];
      energy += strength * scratch.component[k] * scratch.component[l];
    }
  }
  return energy;
}

/// Sets the derivative of the energy by the sums of harmonics.
inline void set_slopes(const SnapWork& work, const SnapScratch& scratch) {
  const std::size_t size = static_cast<std::size_t>(work.channels) * work.half_size;
  for (std::size_t k = 0; k < size; ++k) scratch.slope[k] = Complex{};
  for (std::size_t n = 0; n < work.product_count; ++n) {
    const SnapProduct& product = work.products[n];
    for (std::uint32_t s = 0; s < product.slopes; ++s) {
      const SnapSlope& slope = work.slopes[product.first_slope + s];
      V factor{};
      for (std::uint32_t c = 0; c < slope.shares; ++c) {
        const SnapShare& share = work.shares[slope.first_share + c];
        factor += share.factor * scratch.by_component[share.component];
      }
      scratch.component[s] = factor;
    }
    for_product(work, scratch, product, [&](int place, const Complex& value, bool twice) {
      const Complex here = twice ? 2.0 * value : value;
      for (std::uint32_t s = 0; s < product.slopes; ++s) {
        const SnapSlope& slope = work.slopes[product.first_slope + s];
        scratch.slope[slope.target + static_cast<std::uint32_t>(place)] +=
            scratch.component[s] * here;
      }
    });
  }
}

/// The gradient of the energy by a neighbor's position: backward through its recursion.
inline void gradient(const SnapWork& work, const SnapScratch& scratch, const Bond& bond,
                     const std::uint32_t* types, V& gx, V& gy, V& gz) {
  const Complex* const own = scratch.own;
  // Elements of neighbors that differ from lane to lane have slopes of different channels.
  V is_it[most_snap_channels];
  const int channels = work.channels;
  for (int channel = 0; channels > 1 && channel < channels; ++channel) {
    for (std::uint32_t lane = 0; lane < width; ++lane)
      is_it[channel][lane] = static_cast<int>(work.channel[types[lane]]) == channel ? 1.0 : 0.0;
  }
  V by_weight{};
  const auto start = [&](int j, Complex* level) {
    const std::uint32_t begin = work.half_offset[j];
    const int count = (j / 2 + 1) * (j + 1);
    for (int k = 0; k < count; ++k) {
      const std::uint32_t place = begin + static_cast<std::uint32_t>(k);
      Complex slope = scratch.slope[place];
      if (channels > 1) {
        slope = is_it[0] * slope;
        for (int channel = 1; channel < channels; ++channel)
          slope += is_it[channel] *
                   scratch.slope[static_cast<std::size_t>(channel) * work.half_size + place];
      }
      by_weight += scalar_product(slope, own[place]);
      level[k] = bond.weight * slope;
    }
  };
  const auto level_size = static_cast<std::size_t>((work.twice_j + 1) * (work.twice_j + 1));
  Complex* level = scratch.backward;
  Complex* next = level + level_size;
  start(work.twice_j, level);
  Complex by_a{}, by_b{};
  for (int j = work.twice_j; j > 0; --j) {
    const Complex* const below = own + work.half_offset[j - 1];
    const double* root = work.roots + 2 * work.half_offset[j];
    start(j - 1, next);
    const Complex* from_above = level;
    for (int row = 0; 2 * row <= j; ++row, from_above += j + 1, root += 2) {
      const Complex* const from = row_below(below, j, row, scratch.mirrored);
      const bool is_mirrored = 2 * row == j;
      for (int k = 0; k < j; ++k, root += 2) {
        const Complex first = root[0] * from_above[k], second = root[3] * from_above[k + 1];
        by_a += from[k] * conjugate(first);
        by_b -= from[k] * conjugate(second);
        const Complex here = bond.a * first - bond.b * second;
        if (!is_mirrored) {
          next[row * j + k] += here;
        } else if ((k + row) % 2 == 0) {
          next[(row - 1) * j + j - 1 - k] += conjugate(here);
        } else {
          next[(row - 1) * j + j - 1 - k] -= conjugate(here);
        }
      }
    }
    Complex* const done = level;
    level = next;
    next = done;
  }
  // a = cos - i sin nz, b = sin (ny - i nx), with sine and cosine of the angle.
  const V tx = -bond.sine * by_b.im, ty = bond.sine * by_b.re, tz = -bond.sine * by_a.im;
  const V by_angle = bond.cosine * (bond.ny * by_b.re - bond.nx * by_b.im - bond.nz * by_a.im) -
                     bond.sine * by_a.re;
  const V across = tx * bond.nx + ty * bond.ny + tz * bond.nz;
  const V along =
      by_angle * bond.angle_slope + by_weight * bond.weight_slope - across * bond.inverse_r;
  gx = along * bond.nx + tx * bond.inverse_r;
  gy = along * bond.ny + ty * bond.inverse_r;
  gz = along * bond.nz + tz * bond.inverse_r;
}

/// Sets direction, rotation and weight of a neighbor. `present`: 0 in lanes without it.
inline void set_bond(const SnapWork& work, const std::uint32_t* centers, const std::uint32_t* types,
                     V present, Bond& bond) {
  V phase_per_length, inner_middle, inner_phase, weight;
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    const SnapPair& pair =
        work.pairs[centers[lane] * static_cast<std::uint32_t>(work.rows.type_count) + types[lane]];
    phase_per_length[lane] = pair.phase_per_length;
    inner_middle[lane] = pair.inner_middle;
    inner_phase[lane] = pair.inner_phase_per_length;
    weight[lane] = work.weight[types[lane]];
  }
  const V r = square_root(bond.x * bond.x + bond.y * bond.y + bond.z * bond.z);
  bond.inverse_r = 1.0 / r;
  bond.nx = bond.x * bond.inverse_r;
  bond.ny = bond.y * bond.inverse_r;
  bond.nz = bond.z * bond.inverse_r;
  const V phase = (r - work.rmin0) * phase_per_length;
  bond.angle_slope = work.rfac0 * phase_per_length;
  sine_and_cosine(work.rfac0 * phase, bond.sine, bond.cosine);
  bond.a = {bond.cosine, -bond.sine * bond.nz};
  bond.b = {bond.sine * bond.ny, -bond.sine * bond.nx};
  bond.weight = weight * present;
  bond.weight_slope = V{};
  if (work.switched) {
    V sine, cosine;
    sine_and_cosine(larger(phase, V{}), sine, cosine);
    bond.weight_slope = -0.5 * bond.weight * sine * phase_per_length;
    bond.weight *= 0.5 + 0.5 * cosine;
  }
  if (work.inner_switch) {
    constexpr double quarter = 1.57079632679489661923;
    const V off = (r - inner_middle) * inner_phase;  // from -pi/2 to pi/2
    V sine, cosine;
    sine_and_cosine_of_double(0.5 * smaller(larger(off, V{} - quarter), V{} + quarter), sine,
                              cosine);
    const V inside = 0.5 + 0.5 * sine;
    const V moving = off > -quarter ? (off < quarter ? V{} + 1.0 : V{}) : V{};
    bond.weight_slope =
        bond.weight_slope * inside + bond.weight * (0.5 * moving * cosine * inner_phase);
    bond.weight *= inside;
  }
}

/// Computes the atoms of the lanes. Lanes from `lane_count` on repeat the first atom.
inline void compute_group(SnapWork& work, const SnapScratch& scratch, const std::uint32_t* atom,
                          const std::uint32_t* first_bond, const std::uint32_t* bond_count,
                          std::uint32_t lane_count) {
  auto* const bonds = reinterpret_cast<Bond*>(scratch.bonds.bond);
  alignas(64) std::uint32_t centers[width];
  std::uint32_t most = 0;
  V valid{};
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    centers[lane] = static_cast<std::uint32_t>(work.rows.position[atom[lane]].type);
    most = bond_count[lane] > most ? bond_count[lane] : most;
    valid[lane] = lane < lane_count ? 1.0 : 0.0;
  }

  // The atom itself.
  for (int channel = 0; channel < work.channels; ++channel) {
    Complex* const half = scratch.half + static_cast<std::size_t>(channel) * work.half_size;
    V self;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      const bool counts =
          work.self_of_all || static_cast<int>(work.channel[centers[lane]]) == channel;
      self[lane] = counts ? 1.0 : 0.0;
    }
    for (std::uint32_t k = 0; k < work.half_size; ++k) half[k] = Complex{};
    for (int j = 0; j <= work.twice_j; ++j) {
      for (int row = 0; 2 * row <= j; ++row)
        half[work.half_offset[j] + static_cast<std::uint32_t>(row * (j + 2))].re = self;
    }
  }
  for (std::uint32_t s = 0; s < most; ++s) {
    std::uint32_t* const types = scratch.bonds.bond_type + s * width;
    Bond& bond = bonds[s];
    V present{};
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      if (s < bond_count[lane]) {
        const std::uint32_t place = first_bond[lane] + s;
        bond.x[lane] = scratch.bonds.dx[place];
        bond.y[lane] = scratch.bonds.dy[place];
        bond.z[lane] = scratch.bonds.dz[place];
        types[lane] = scratch.bonds.type[place];
        scratch.bonds.bond_neighbor[s * width + lane] = scratch.bonds.neighbor[place];
        present[lane] = 1.0;
      } else {
        // A lane without this neighbor has one of weight 0 at the middle of the cutoff.
        types[lane] = centers[lane];
        bond.x[lane] = bond.y[lane] = 0.0;
        bond.z[lane] =
            0.5 * work.pairs[centers[lane] * static_cast<std::uint32_t>(work.rows.type_count) +
                             centers[lane]]
                      .cutoff;
        scratch.bonds.bond_neighbor[s * width + lane] = atom[lane];
      }
    }
    set_bond(work, centers, types, present, bond);
    make_harmonics(work, bond, scratch);
    add_harmonics(work, scratch, bond, types);
  }
  complete_matrices(work, scratch);

  V energy;
  for (std::uint32_t lane = 0; lane < width; ++lane) energy[lane] = work.constant[centers[lane]];
  if (work.quadratic) set_components(work, scratch);
  for (std::size_t k = 0; k < work.component_count; ++k) {
    for (std::uint32_t lane = 0; lane < width; ++lane)
      scratch.by_component[k][lane] = work.linear[centers[lane] * work.component_count + k];
  }
  if (work.quadratic) energy += quadratic_energy(work, scratch, centers);
  set_slopes(work, scratch);
  if (!work.quadratic) {
    // A component is of degree three in the sums, so it is a third of their product with its slope.
    const std::size_t size = static_cast<std::size_t>(work.channels) * work.half_size;
    V product{};
    for (std::size_t k = 0; k < size; ++k)
      product += scalar_product(scratch.slope[k], scratch.half[k]);
    energy += product / 3.0;
  }
  work.rows.energy += sum<double>(energy * valid);

  V fx{}, fy{}, fz{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for (std::uint32_t s = 0; s < most; ++s) {
    const Bond& bond = bonds[s];
    make_harmonics(work, bond, scratch);
    V gx, gy, gz;
    gradient(work, scratch, bond, scratch.bonds.bond_type + s * width, gx, gy, gz);
    fx += gx;
    fy += gy;
    fz += gz;
    xx += gx * bond.x;
    yy += gy * bond.y;
    zz += gz * bond.z;
    xy += gy * bond.x;
    xz += gz * bond.x;
    yz += gz * bond.y;
    add_to_particles<double>(work.rows.force, scratch.bonds.bond_neighbor + s * width, lane_count,
                             -gx, -gy, -gz);
  }
  add_to_particles<double>(work.rows.force, atom, lane_count, fx, fy, fz);
  subtract_virial<double>(work.rows,
                          {xx * valid, yy * valid, zz * valid, xy * valid, xz * valid, yz * valid});
}

/// Computes a block of atoms, those of about the same number of neighbors together.
inline void compute_block(SnapWork& work, const SnapScratch& scratch, const std::uint32_t* atoms,
                          std::uint32_t atom_count) {
  BondsOfBlock bonds;
  filter_bonds<double, false>(work.rows, scratch.bonds, atoms, atom_count, bonds);
  alignas(64) std::uint32_t group[width], group_bond[width], group_count[width];
  std::uint32_t lane = 0;
  const auto flush = [&] {
    if (lane == 0) return;
    for (std::uint32_t k = lane; k < width; ++k) {
      group[k] = group[0];
      group_bond[k] = group_bond[0];
      group_count[k] = group_count[0];
    }
    compute_group(work, scratch, group, group_bond, group_count, lane);
    lane = 0;
  };
  for (std::uint32_t coordination = 0; coordination <= bonds.most; ++coordination) {
    for (std::uint32_t n = 0; n < atom_count; ++n) {
      if (bonds.count[n] != coordination) continue;
      group[lane] = atoms[n];
      group_bond[lane] = bonds.first[n];
      group_count[lane] = coordination;
      if (++lane == width) flush();
    }
  }
  flush();
}

void compute(SnapWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  SnapScratch scratch;
  scratch.lay_out(work.rows.scratch, work);
  const BondRows& rows = work.rows;
  const auto has_it = [&](std::uint32_t i) {
    const auto type = rows.position[i].type;
    return rows.bond_cutoff_squared[type * rows.type_count + type] != 0.0;
  };
  for_blocks_of_cells(rows, cells, cell_count, has_it,
                      [&](const std::uint32_t* atoms, std::uint32_t count) {
                        compute_block(work, scratch, atoms, count);
                      });
}

std::size_t scratch_bytes(const SnapWork& work) {
  SnapScratch scratch;
  return scratch.lay_out(nullptr, work);
}

const SnapKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, compute};

}  // namespace
}  // namespace sterna::md
