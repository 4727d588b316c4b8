// Idea:    lanes are atoms of one element, so that every instruction does the same for all of them.
//          Products of the sums over neighbors are made of products, each once, and their
//          derivatives go the same way back, as in the recursive evaluator of the second paper. The
//          last product of each chain, of which only the real part is needed, is never stored.
// Paper:   Y. Lysogorskiy et al., npj Comput. Mater. 7, 97 (2021); A. Bochkarev et al., Phys. Rev.
//          Mater. 6, 013804 (2022); G. Dusson et al., J. Comput. Phys. 454, 110946 (2022), for the
//          recursion.
// Cost:    for each neighbor, radial functions times harmonics twice; for each atom about ten
//          operations for each product, whatever its number of factors.
// Hazards: neighbors also get forces, so ghosts collect forces that must be returned. An atom without
//          neighbors has an energy, too. Nearer than the first knot of the radial functions these are
//          continued as polynomials.
// Others:  lanes as products of one atom: factors would be gathered.

// Included by one file for each instruction set, which defines STERNA_KERNEL_NAME.

#include "md/forces/manybody/ace_work.hpp"
#include "md/forces/manybody/kernels/bond_groups.inl"

namespace sterna::md {
namespace {

using V = Vector<double>;
constexpr auto width = static_cast<std::uint32_t>(lanes<double>);
constexpr std::uint32_t no_bond = ~0u;

struct Complex {
  V re, im;
};
inline Complex operator*(const Complex& x, const Complex& y) {
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
inline Complex operator*(V x, const Complex& y) {
  return {x * y.re, x * y.im};
}
inline Complex operator*(double x, const Complex& y) {
  return {x * y.re, x * y.im};
}
inline void operator+=(Complex& x, const Complex& y) {
  x.re += y.re;
  x.im += y.im;
}
/// Adds x y to a sum.
inline void add_product(Complex& sum, const Complex& x, const Complex& y) {
  sum.re += x.re * y.re;
  sum.im += x.re * y.im;
  sum.re -= x.im * y.im;
  sum.im += x.im * y.re;
}

/// A neighbor of each lane's atom.
struct Slot {
  V x, y, z;
  V nx, ny, nz;  ///< the direction
  V inverse_r;
  V core_slope;
};

struct AceScratch {
  BondScratch<double> bonds;
  Slot* slot;
  std::uint32_t* slot_bond;  ///< in `bonds`, by slot and lane
  std::uint32_t* slot_neighbor;
  std::uint32_t* slot_element;
  V* radial;  ///< of each slot the radial functions, then their slopes
  V *sum, *sum_slope;
  Complex *node, *node_slope;
  V *density, *by_density;
  double* row;  ///< values of each lane
  double* row_slope;
  double* of_lane;  ///< the densities of a lane

  std::size_t lay_out(void* memory, const AceWork& work) {
    const std::uint32_t longest = work.rows.longest_row > 0 ? work.rows.longest_row : 1;
    // Neighbors of different elements have slots of their own.
    const std::size_t slots =
        std::size_t{longest} * (work.elements < width ? work.elements : width);
    const std::size_t used = bonds.lay_out(memory, longest, 1);
    char* next = static_cast<char*>(memory) + used;
    const auto take = [&next](auto*& array, std::size_t count) {
      array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(next);
      next += (count * sizeof(*array) + 63) / 64 * 64;
    };
    take(slot, slots);
    take(slot_bond, slots * width);
    take(slot_neighbor, slots * width);
    take(slot_element, slots);
    take(radial, slots * 2 * work.radials);
    take(sum, std::size_t{work.elements} * work.sums);
    take(sum_slope, std::size_t{work.elements} * work.sums);
    take(node, work.most_nodes);
    take(node_slope, work.most_nodes);
    take(density, work.most_densities);
    take(by_density, work.most_densities);
    take(row, std::size_t{width} * work.stride);
    take(row_slope, std::size_t{width} * work.stride);
    take(of_lane, work.most_densities);
    return static_cast<std::size_t>(next - static_cast<char*>(memory));
  }
};

/// The atoms of a group. Lanes from `lane_count` on repeat the first atom.
struct AceGroupOfAtoms {
  alignas(64) std::uint32_t atom[width];
  std::uint32_t first_bond[width], bond_count[width];
  std::uint32_t lane_count = 0;
  std::uint32_t element = 0;
  std::uint32_t slots = 0;
  V core{};
  V nearest{};       ///< distance of the nearest neighbor from where the expansion is off
  V nearest_slot{};  ///< -1 for none
};

/// Sorts the bonds of all lanes by elements, so that those of a slot are of one element.
inline void set_slots(const AceWork& work, const AceScratch& scratch, AceGroupOfAtoms& group) {
  group.slots = 0;
  for (std::uint32_t element = 0; element < work.elements; ++element) {
    std::uint32_t count[width];
    std::uint32_t most = 0;
    std::uint32_t* const out = scratch.slot_bond + std::size_t{group.slots} * width;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      count[lane] = 0;
      for (std::uint32_t k = 0; k < group.bond_count[lane]; ++k) {
        const std::uint32_t bond = group.first_bond[lane] + k;
        if (work.element[scratch.bonds.type[bond]] != element) continue;
        out[count[lane]++ * width + lane] = bond;
      }
      most = count[lane] > most ? count[lane] : most;
    }
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      for (std::uint32_t k = count[lane]; k < most; ++k) out[k * width + lane] = no_bond;
    }
    for (std::uint32_t k = 0; k < most; ++k) scratch.slot_element[group.slots + k] = element;
    group.slots += most;
  }
}

/// Interpolates basis functions and core repulsion between the knots, for each lane into a row.
inline void read_knots(const AceWork& work, const AceScratch& scratch, const AcePair& pair, V r) {
  const V place = r * pair.knots_per_length;
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    auto knot = static_cast<std::int64_t>(place[lane]);
    knot = knot < 1 ? 1 : knot;
    knot = knot < pair.last_knot ? knot : pair.last_knot;
    const double t = place[lane] - static_cast<double>(knot);
    const double* const here =
        pair.knots + 2 * static_cast<std::size_t>(knot) * std::size_t{work.stride};
    for (std::uint32_t k = 0; k <= work.basis; k += width) {
      const auto at = [&](std::uint32_t part) {
        V values;
        __builtin_memcpy(&values, here + std::size_t{part} * work.stride + k, sizeof values);
        return values;
      };
      const V f = at(0), slope = at(1), difference = at(2) - f, next_slope = at(3);
      const V c2 = 3.0 * difference - next_slope - 2.0 * slope;
      const V c3 = next_slope + slope - 2.0 * difference;
      const V value = f + t * (slope + t * (c2 + t * c3));
      const V by_knot = slope + t * (2.0 * c2 + 3.0 * t * c3);
      __builtin_memcpy(scratch.row + lane * work.stride + k, &value, sizeof value);
      __builtin_memcpy(scratch.row_slope + lane * work.stride + k, &by_knot, sizeof by_knot);
    }
  }
}

inline V column(const double* rows, std::uint32_t stride, std::uint32_t k) {
  V values;
  for (std::uint32_t lane = 0; lane < width; ++lane) values[lane] = rows[lane * stride + k];
  return values;
}

/// Makes `count` radial functions and their slopes of the basis functions.
template <int count>
inline void mix_radial(const double* rows, std::uint32_t basis, const V* g, const V* g_slope,
                       V* out, V* out_slope) {
  V value[count], slope[count];
  for (int row = 0; row < count; ++row) value[row] = slope[row] = V{};
  for (std::uint32_t k = 0; k < basis; ++k) {
    const V here = g[k], here_slope = g_slope[k];
    for (int row = 0; row < count; ++row) {
      const double c = rows[static_cast<std::uint32_t>(row) * basis + k];
      value[row] += c * here;
      slope[row] += c * here_slope;
    }
  }
  for (int row = 0; row < count; ++row) {
    out[row] = value[row];
    out_slope[row] = slope[row];
  }
}

/// Sets direction and radial functions of a slot.
inline void set_slot(const AceWork& work, const AceScratch& scratch, AceGroupOfAtoms& group,
                     std::uint32_t s) {
  Slot& slot = scratch.slot[s];
  const std::size_t which_pair =
      std::size_t{group.element} * work.elements + scratch.slot_element[s];
  const AcePair& pair = work.pairs[which_pair];
  V present{};
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    const std::uint32_t bond = scratch.slot_bond[s * width + lane];
    if (bond != no_bond) {
      slot.x[lane] = scratch.bonds.dx[bond];
      slot.y[lane] = scratch.bonds.dy[bond];
      slot.z[lane] = scratch.bonds.dz[bond];
      scratch.slot_neighbor[s * width + lane] = scratch.bonds.neighbor[bond];
      present[lane] = 1.0;
    } else {
      // A lane without this neighbor has one whose radial functions are 0.
      slot.x[lane] = slot.y[lane] = 0.0;
      slot.z[lane] = work.usual_distance[which_pair];
      scratch.slot_neighbor[s * width + lane] = group.atom[lane];
    }
  }
  const V r = square_root(slot.x * slot.x + slot.y * slot.y + slot.z * slot.z);
  slot.inverse_r = 1.0 / r;
  slot.nx = slot.x * slot.inverse_r;
  slot.ny = slot.y * slot.inverse_r;
  slot.nz = slot.z * slot.inverse_r;
  read_knots(work, scratch, pair, r);
  V* const radial = scratch.radial + std::size_t{s} * 2 * work.radials;
  V* const radial_slope = radial + work.radials;
  const V per_length = present * pair.knots_per_length;
  for (std::uint32_t k = 0; k < work.basis; ++k) {
    radial[k] = present * column(scratch.row, work.stride, k);
    radial_slope[k] = per_length * column(scratch.row_slope, work.stride, k);
  }
  group.core += present * column(scratch.row, work.stride, work.basis);
  slot.core_slope = per_length * column(scratch.row_slope, work.stride, work.basis);
  V* const made = radial + work.basis;
  V* const made_slope = radial_slope + work.basis;
  std::uint32_t row = 0;
  for (; row + 4 <= work.radial_functions; row += 4)
    mix_radial<4>(pair.radial + std::size_t{row} * work.basis, work.basis, radial, radial_slope,
                  made + row, made_slope + row);
  for (; row < work.radial_functions; ++row)
    mix_radial<1>(pair.radial + std::size_t{row} * work.basis, work.basis, radial, radial_slope,
                  made + row, made_slope + row);
  if (!work.has_nuclei) return;
  const V beyond = r - pair.nearest_begin;
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    if (present[lane] == 0.0) continue;
    if (group.nearest_slot[lane] >= 0.0 && beyond[lane] >= group.nearest[lane]) continue;
    group.nearest[lane] = beyond[lane];
    group.nearest_slot[lane] = static_cast<double>(s);
  }
}

/// Legendre functions of `count` slots and one m, for ascending l.
template <int count>
struct Legendre {
  V z[count], before[count], here[count];
  V before_slope[count], here_slope[count];

  Legendre(const Slot* slots, double start) {
    for (int s = 0; s < count; ++s) {
      z[s] = slots[s].nz;
      before[s] = before_slope[s] = here_slope[s] = V{};
      here[s] = V{} + start;
    }
  }
  template <bool slopes>
  void step(double a, double ab) {
    for (int s = 0; s < count; ++s) {
      const V az = a * z[s];
      const V next = az * here[s] + ab * before[s];
      if constexpr (slopes) {
        const V next_slope = a * here[s] + az * here_slope[s] + ab * before_slope[s];
        before_slope[s] = here_slope[s];
        here_slope[s] = next_slope;
      }
      before[s] = here[s];
      here[s] = next;
    }
  }
};

/// Adds the products of radial functions and harmonics of `count` slots of one element to its sums.
template <int count>
inline void add_to_sums(const AceWork& work, const AceScratch& scratch, std::uint32_t first,
                        V* sum) {
  const Slot* const slots = scratch.slot + first;
  const V* const radial = scratch.radial + std::size_t{first} * 2 * work.radials;
  const std::size_t stride = std::size_t{2} * work.radials;
  const double* step = work.legendre;
  Complex phase[count];
  for (int s = 0; s < count; ++s) phase[s] = {V{} + 1.0, V{}};
  for (std::uint32_t m = 0; m <= work.largest_l; ++m) {
    Legendre<count> legendre(slots, work.legendre_start[m]);
    for (std::uint32_t l = m; l <= work.largest_l; ++l) {
      if (l > m) {
        legendre.template step<false>(step[0], step[1]);
        step += 2;
      }
      const AceLevel level = work.levels[l];
      const V* const values = radial + level.first_radial;
      if (m == 0) {
        for (std::uint32_t q = 0; q < level.radials; ++q) {
          V here = *sum;
          for (int s = 0; s < count; ++s)
            here += values[static_cast<std::size_t>(s) * stride + q] * legendre.here[s];
          *sum++ = here;
        }
        continue;
      }
      Complex y[count];
      for (int s = 0; s < count; ++s) y[s] = legendre.here[s] * phase[s];
      for (std::uint32_t q = 0; q < level.radials; ++q, sum += 2) {
        V re = sum[0], im = sum[1];
        for (int s = 0; s < count; ++s) {
          const V value = values[static_cast<std::size_t>(s) * stride + q];
          re += value * y[s].re;
          im += value * y[s].im;
        }
        sum[0] = re;
        sum[1] = im;
      }
    }
    for (int s = 0; s < count; ++s) phase[s] = phase[s] * Complex{slots[s].nx, slots[s].ny};
  }
}

struct Gradient {
  V x, y, z;
};

/// The derivatives of the energy by the positions of `count` slots of one element, without those of
/// the core repulsion; `radial_slope`: what is added to those along the bond.
template <int count>
inline void find_gradients(const AceWork& work, const AceScratch& scratch, std::uint32_t first,
                           const V* by_sum, const V* along_bond, Gradient* gradient) {
  const Slot* const slots = scratch.slot + first;
  const V* const radial = scratch.radial + std::size_t{first} * 2 * work.radials;
  const std::size_t stride = std::size_t{2} * work.radials;
  const double* step = work.legendre;
  Complex phase[count], phase_before[count];
  V along[count], by_x[count], by_y[count], by_z[count];
  for (int s = 0; s < count; ++s) {
    phase[s] = {V{} + 1.0, V{}};
    phase_before[s] = {V{}, V{}};
    along[s] = along_bond[s];
    by_x[s] = by_y[s] = by_z[s] = V{};
  }
  for (std::uint32_t m = 0; m <= work.largest_l; ++m) {
    Legendre<count> legendre(slots, work.legendre_start[m]);
    // Sums over l of the derivatives by harmonics and by radial functions, without the phase.
    Complex by_phase[count], by_polar[count], by_radial[count];
    for (int s = 0; s < count; ++s) by_phase[s] = by_polar[s] = by_radial[s] = {V{}, V{}};
    for (std::uint32_t l = m; l <= work.largest_l; ++l) {
      if (l > m) {
        legendre.template step<true>(step[0], step[1]);
        step += 2;
      }
      const AceLevel level = work.levels[l];
      const V* const values = radial + level.first_radial;
      const V* const slopes = values + work.radials;
      Complex of_value[count], of_slope[count];
      for (int s = 0; s < count; ++s) of_value[s] = of_slope[s] = {V{}, V{}};
      if (m == 0) {
        for (std::uint32_t q = 0; q < level.radials; ++q) {
          const V w = *by_sum++;
          for (int s = 0; s < count; ++s) {
            of_value[s].re += values[static_cast<std::size_t>(s) * stride + q] * w;
            of_slope[s].re += slopes[static_cast<std::size_t>(s) * stride + q] * w;
          }
        }
      } else {
        for (std::uint32_t q = 0; q < level.radials; ++q, by_sum += 2) {
          const V re = by_sum[0], im = by_sum[1];
          for (int s = 0; s < count; ++s) {
            const V value = values[static_cast<std::size_t>(s) * stride + q];
            const V slope = slopes[static_cast<std::size_t>(s) * stride + q];
            of_value[s].re += value * re;
            of_value[s].im += value * im;
            of_slope[s].re += slope * re;
            of_slope[s].im += slope * im;
          }
        }
      }
      for (int s = 0; s < count; ++s) {
        by_phase[s] += legendre.here[s] * of_value[s];
        by_polar[s] += legendre.here_slope[s] * of_value[s];
        by_radial[s] += legendre.here[s] * of_slope[s];
      }
    }
    for (int s = 0; s < count; ++s) {
      along[s] += by_radial[s].re * phase[s].re - by_radial[s].im * phase[s].im;
      by_z[s] += by_polar[s].re * phase[s].re - by_polar[s].im * phase[s].im;
      const Complex turned = static_cast<double>(m) * (by_phase[s] * phase_before[s]);
      by_x[s] += turned.re;
      by_y[s] -= turned.im;
      phase_before[s] = phase[s];
      phase[s] = phase[s] * Complex{slots[s].nx, slots[s].ny};
    }
  }
  for (int s = 0; s < count; ++s) {
    const Slot& slot = slots[s];
    const V across = by_x[s] * slot.nx + by_y[s] * slot.ny + by_z[s] * slot.nz;
    const V straight = along[s] - across * slot.inverse_r;
    gradient[s] = {straight * slot.nx + by_x[s] * slot.inverse_r,
                   straight * slot.ny + by_y[s] * slot.inverse_r,
                   straight * slot.nz + by_z[s] * slot.inverse_r};
  }
}

/// Makes the factors of the sums over neighbors, and all products that others are made of.
inline void make_nodes(const AceCenter& center, const AceScratch& scratch) {
  for (std::size_t n = 0; n < center.factor_count; ++n) {
    const AceFactor& factor = center.factors[n];
    const double* const coefficients = center.factor_coefficients + factor.first_coefficient;
    const V* sum = scratch.sum + factor.first_sum;
    Complex value{V{}, V{}};
    const bool is_real = factor.step == 1;
    for (std::uint32_t k = 0; k < factor.count; ++k, sum += factor.step) {
      value.re += coefficients[k] * sum[0];
      if (!is_real) value.im += coefficients[k] * sum[1];
    }
    scratch.node[factor.node] = value;
    if (!is_real) scratch.node[factor.mirror] = {factor.sign * value.re, -factor.sign * value.im};
  }
  Complex* out = scratch.node + center.first_product;
  for (std::size_t n = 0; n < center.product_count; ++n) {
    const AceProduct product = center.products[n];
    *out++ = scratch.node[product.a] * scratch.node[product.b];
  }
}

/// Sets the densities of the center's element. `fixed`: their number, or 0 for any.
template <std::uint32_t fixed>
inline void set_densities(const AceCenter& center, const AceScratch& scratch) {
  const std::uint32_t densities = fixed == 0 ? center.densities : fixed;
  constexpr std::uint32_t room = fixed == 0 ? 1 : fixed;
  const double* coefficient = center.coefficients;
  const std::uint32_t* other = center.others;
  V first[room]{}, second[room]{};
  for (std::uint32_t p = 0; p < densities; ++p) scratch.density[p] = V{};
  for (std::size_t g = 0; g < center.group_count; ++g) {
    const Complex a = scratch.node[center.groups[g].a];
    std::uint32_t count = center.groups[g].count;
    const auto add = [&](V* sums) {
      const Complex& b = scratch.node[*other++];
      const V product = a.re * b.re - a.im * b.im;
      for (std::uint32_t p = 0; p < densities; ++p) sums[p] += *coefficient++ * product;
    };
    if constexpr (fixed == 0) {
      for (; count > 0; --count) add(scratch.density);
    } else {
      for (; count > 1; count -= 2) {
        add(first);
        add(second);
      }
      if (count > 0) add(first);
    }
  }
  if constexpr (fixed != 0) {
    for (std::uint32_t p = 0; p < densities; ++p) scratch.density[p] = first[p] + second[p];
  }
  coefficient = center.lone_coefficients;
  for (std::size_t n = 0; n < center.lone_count; ++n) {
    for (std::uint32_t p = 0; p < densities; ++p)
      scratch.density[p] += *coefficient++ * scratch.sum[center.lone[n]];
  }
}

/// Sets the derivatives of the energy by the nodes to those by way of the densities.
template <std::uint32_t fixed>
inline void derive_densities(const AceCenter& center, const AceScratch& scratch) {
  const std::uint32_t densities = fixed == 0 ? center.densities : fixed;
  const double* coefficient = center.coefficients;
  const std::uint32_t* other = center.others;
  for (std::uint32_t n = 0; n < center.nodes; ++n) scratch.node_slope[n] = {V{}, V{}};
  V by_density[fixed == 0 ? 1 : fixed];
  for (std::uint32_t p = 0; p < fixed; ++p) by_density[p] = scratch.by_density[p];
  const V* const slopes = fixed == 0 ? scratch.by_density : by_density;
  for (std::size_t g = 0; g < center.group_count; ++g) {
    const AceGroup group = center.groups[g];
    const Complex a = scratch.node[group.a];
    Complex by_a{V{}, V{}};
    for (std::uint32_t n = 0; n < group.count; ++n) {
      V theta = *coefficient++ * slopes[0];
      for (std::uint32_t p = 1; p < densities; ++p) theta += *coefficient++ * slopes[p];
      const std::uint32_t place = *other++;
      const Complex b = scratch.node[place];
      by_a.re += theta * b.re;
      by_a.im += theta * b.im;
      scratch.node_slope[place].re += theta * a.re;
      scratch.node_slope[place].im += theta * a.im;
    }
    scratch.node_slope[group.a] += by_a;
  }
}

/// Goes back from the nodes to the sums over neighbors.
inline void derive_nodes(const AceWork& work, const AceCenter& center, const AceScratch& scratch) {
  for (std::size_t n = center.product_count; n-- > 0;) {
    const AceProduct product = center.products[n];
    const Complex slope = scratch.node_slope[center.first_product + n];
    add_product(scratch.node_slope[product.a], slope, scratch.node[product.b]);
    add_product(scratch.node_slope[product.b], slope, scratch.node[product.a]);
  }
  const std::size_t sums = std::size_t{work.elements} * work.sums;
  for (std::size_t k = 0; k < sums; ++k) scratch.sum_slope[k] = V{};
  for (std::size_t n = 0; n < center.factor_count; ++n) {
    const AceFactor& factor = center.factors[n];
    const double* const coefficients = center.factor_coefficients + factor.first_coefficient;
    V* slope = scratch.sum_slope + factor.first_sum;
    Complex here = scratch.node_slope[factor.node];
    const bool is_real = factor.step == 1;
    if (!is_real) {
      const Complex& image = scratch.node_slope[factor.mirror];
      here.re += factor.sign * image.re;
      here.im -= factor.sign * image.im;
    }
    for (std::uint32_t k = 0; k < factor.count; ++k, slope += factor.step) {
      slope[0] += coefficients[k] * here.re;
      if (!is_real) slope[1] += coefficients[k] * here.im;
    }
  }
  const double* coefficient = center.lone_coefficients;
  for (std::size_t n = 0; n < center.lone_count; ++n) {
    V& slope = scratch.sum_slope[center.lone[n]];
    for (std::uint32_t p = 0; p < center.densities; ++p)
      slope += *coefficient++ * scratch.by_density[p];
  }
}

/// The energies of the group's atoms, and their derivatives by densities, core repulsion and the
/// distance of the nearest neighbor; nothing for lanes that repeat an atom.
inline double embed_group(const AceWork& work, const AceScratch& scratch,
                          const AceGroupOfAtoms& group, V& by_core, V& by_nearest) {
  const AceCenter& center = work.centers[group.element];
  double energy = 0.0;
  by_core = by_nearest = V{};
  for (std::uint32_t p = 0; p < center.densities; ++p) scratch.by_density[p] = V{};
  for (std::uint32_t lane = 0; lane < group.lane_count; ++lane) {
    for (std::uint32_t p = 0; p < center.densities; ++p)
      scratch.of_lane[p] = scratch.density[p][lane];
    AceAtom atom{group.core[lane], false, group.nearest[lane], 0, 0.0, 0.0};
    if (work.has_nuclei && group.nearest_slot[lane] >= 0.0) {
      atom.has_nearest = true;
      atom.nearest_other =
          scratch.slot_element[static_cast<std::uint32_t>(group.nearest_slot[lane])];
    }
    energy += work.embed(work.potential, group.element, scratch.of_lane, atom);
    for (std::uint32_t p = 0; p < center.densities; ++p)
      scratch.by_density[p][lane] = scratch.of_lane[p];
    by_core[lane] = atom.by_core;
    by_nearest[lane] = atom.by_nearest;
  }
  return energy;
}

/// Calls `use(first, std::integral_constant count, element)` for runs of `chunk` slots of one element,
/// and for those that are left over one by one.
template <int chunk, class Use>
inline void for_chunks(const AceScratch& scratch, const AceGroupOfAtoms& group, const Use& use) {
  std::uint32_t s = 0;
  while (s < group.slots) {
    const std::uint32_t element = scratch.slot_element[s];
    constexpr auto many = static_cast<std::uint32_t>(chunk);
    if (s + many <= group.slots && scratch.slot_element[s + many - 1] == element) {
      use.template operator()<chunk>(s, element);
      s += many;
    } else {
      use.template operator()<1>(s, element);
      ++s;
    }
  }
}

/// Adds the forces of the group's bonds and their virial.
inline void add_forces(AceWork& work, const AceScratch& scratch, const AceGroupOfAtoms& group,
                       V by_core, V by_nearest) {
  V fx{}, fy{}, fz{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
  for_chunks<2>(scratch, group, [&]<int count>(std::uint32_t first, std::uint32_t element) {
    V along[count];
    Gradient gradient[count];
    for (int k = 0; k < count; ++k) {
      const std::uint32_t s = first + static_cast<std::uint32_t>(k);
      along[k] = by_core * scratch.slot[s].core_slope;
      if (!work.has_nuclei) continue;
      const V is_nearest = group.nearest_slot == static_cast<double>(s) ? V{} + 1.0 : V{};
      along[k] += is_nearest * by_nearest;
    }
    find_gradients<count>(work, scratch, first,
                          scratch.sum_slope + std::size_t{element} * work.sums, along, gradient);
    for (int k = 0; k < count; ++k) {
      const std::uint32_t s = first + static_cast<std::uint32_t>(k);
      const Slot& slot = scratch.slot[s];
      const Gradient& g = gradient[k];
      fx += g.x;
      fy += g.y;
      fz += g.z;
      xx += g.x * slot.x;
      yy += g.y * slot.y;
      zz += g.z * slot.z;
      xy += g.y * slot.x;
      xz += g.z * slot.x;
      yz += g.z * slot.y;
      add_to_particles<double>(work.rows.force, scratch.slot_neighbor + s * width, group.lane_count,
                               -g.x, -g.y, -g.z);
    }
  });
  add_to_particles<double>(work.rows.force, group.atom, group.lane_count, fx, fy, fz);
  subtract_virial<double>(work.rows, {xx, yy, zz, xy, xz, yz});
}

inline void compute_group(AceWork& work, const AceScratch& scratch, AceGroupOfAtoms& group) {
  for (std::uint32_t lane = group.lane_count; lane < width; ++lane) {
    group.atom[lane] = group.atom[0];
    group.first_bond[lane] = group.first_bond[0];
    group.bond_count[lane] = group.bond_count[0];
  }
  group.core = group.nearest = V{};
  group.nearest_slot = V{} - 1.0;
  set_slots(work, scratch, group);
  const std::size_t sums = std::size_t{work.elements} * work.sums;
  for (std::size_t k = 0; k < sums; ++k) scratch.sum[k] = V{};
  for (std::uint32_t s = 0; s < group.slots; ++s) set_slot(work, scratch, group, s);
  for_chunks<4>(scratch, group, [&]<int count>(std::uint32_t first, std::uint32_t element) {
    add_to_sums<count>(work, scratch, first, scratch.sum + std::size_t{element} * work.sums);
  });
  const AceCenter& center = work.centers[group.element];
  make_nodes(center, scratch);
  if (center.densities == 1) {
    set_densities<1>(center, scratch);
  } else if (center.densities == 2) {
    set_densities<2>(center, scratch);
  } else {
    set_densities<0>(center, scratch);
  }
  V by_core, by_nearest;
  work.rows.energy += embed_group(work, scratch, group, by_core, by_nearest);
  if (center.densities == 1) {
    derive_densities<1>(center, scratch);
  } else if (center.densities == 2) {
    derive_densities<2>(center, scratch);
  } else {
    derive_densities<0>(center, scratch);
  }
  derive_nodes(work, center, scratch);
  add_forces(work, scratch, group, by_core, by_nearest);
}

/// Computes a block of atoms: those of one element and of the same number of neighbors together.
inline void compute_block(AceWork& work, const AceScratch& scratch, const std::uint32_t* atoms,
                          std::uint32_t atom_count) {
  BondsOfBlock bonds;
  filter_bonds<double, false>(work.rows, scratch.bonds, atoms, atom_count, bonds);
  AceGroupOfAtoms group;
  for (group.element = 0; group.element < work.elements; ++group.element) {
    const auto flush = [&] {
      if (group.lane_count > 0) compute_group(work, scratch, group);
      group.lane_count = 0;
    };
    for (std::uint32_t coordination = 0; coordination <= bonds.most; ++coordination) {
      for (std::uint32_t n = 0; n < atom_count; ++n) {
        if (bonds.count[n] != coordination) continue;
        if (work.element[work.rows.position[atoms[n]].type] != group.element) continue;
        group.atom[group.lane_count] = atoms[n];
        group.first_bond[group.lane_count] = bonds.first[n];
        group.bond_count[group.lane_count] = coordination;
        if (++group.lane_count == width) flush();
      }
    }
    flush();
  }
}

void compute(AceWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  AceScratch scratch;
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

std::size_t scratch_bytes(const AceWork& work) {
  AceScratch scratch;
  return scratch.lay_out(nullptr, work);
}

const AceKernels kernels{STERNA_KERNEL_NAME, scratch_bytes, compute};

}  // namespace
}  // namespace sterna::md
