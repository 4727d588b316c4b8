// Compiled once for each instruction set. The lanes of vectors are cells (with one relative vector)
// or charges (of one cell).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

/// Computes out(i) = sum over j of matrix(i, j) in(j). The element lies at j * N + i or, for the
/// transposed matrix, at i * N + j.
template <int N, bool transposed, class V, class Real, class In, class Out>
void multiply(const Real* matrix, In in, Out out) {
  V sums[N] = {};
#pragma GCC unroll 1
  for (int j = 0; j < N; ++j) {
    const V value = in(j);
#pragma GCC unroll 21
    for (int i = 0; i < N; ++i) sums[i] += value * matrix[transposed ? i * N + j : j * N + i];
  }
#pragma GCC unroll 21
  for (int i = 0; i < N; ++i) out(i, sums[i]);
}

/// As `multiply`, for contiguous vectors.
template <int N, bool transposed, class V, class Real>
[[gnu::noinline]] void rotate_block(const Real* matrix, const V* in, V* out) {
  multiply<N, transposed, V>(
      matrix, [&](int j) { return in[j]; }, [&](int i, V value) { out[i] = value; });
}

/// Multiplies the coefficients of one m. Those of degree l begin at l^2 + offset, where the offset
/// is m for cosines and l + m for sines, so that the index is l^2 + l * by_degree + m.
template <int N, class V, class Real>
[[gnu::noinline]] void shift_block(const Real* matrix, const V* in, V* out, int m, int by_degree) {
  const auto index = [&](int k) { return (m + k) * (m + k) + by_degree * (m + k) + m; };
  multiply<N, false, V>(
      matrix, [&](int j) { return in[index(j)]; }, [&](int i, V value) { out[index(i)] = value; });
}

template <class V, class Real>
using RotateBlock = void (*)(const Real*, const V*, V*);
template <class V, class Real>
using ShiftBlock = void (*)(const Real*, const V*, V*, int, int);

template <bool transposed, class V, class Real, int... n>
constexpr auto rotate_blocks(std::integer_sequence<int, n...>) {
  return std::array<RotateBlock<V, Real>, sizeof...(n)>{
      rotate_block<n + 1, transposed, V, Real>...};
}
template <class V, class Real, int... n>
constexpr auto shift_blocks(std::integer_sequence<int, n...>) {
  return std::array<ShiftBlock<V, Real>, sizeof...(n)>{shift_block<n + 1, V, Real>...};
}
/// Sizes up to this one have functions of their own, whose sums stay in registers.
constexpr int unrolled = 21;
using Sizes = std::make_integer_sequence<int, unrolled>;

/// As `multiply`, for any size: the highest orders are computed with eight sums at a time.
template <bool transposed, class V, class Real, class In, class Out>
void multiply_any(const Real* matrix, int size, In in, Out out) {
  constexpr int together = 8;
  for (int first = 0; first < size; first += together) {
    V sums[together] = {};
    const int count = std::min(together, size - first);
    for (int j = 0; j < size; ++j) {
      const V value = in(j);
      for (int i = 0; i < count; ++i) {
        sums[i] += value * matrix[transposed ? (first + i) * size + j : j * size + first + i];
      }
    }
    for (int i = 0; i < count; ++i) out(first + i, sums[i]);
  }
}

template <bool transposed, class V, class Real>
void rotate(const ShiftOperator<Real>& shift, const V* in, V* out) {
  static constexpr auto blocks = rotate_blocks<transposed, V, Real>(Sizes{});
  const Real* matrix = shift.rotations.data();
  const auto block = [&](int size, const V* from, V* to) {
    if (size <= unrolled) {
      blocks[size - 1](matrix, from, to);
    } else {
      multiply_any<transposed, V>(
          matrix, size, [&](int j) { return from[j]; }, [&](int i, V value) { to[i] = value; });
    }
    matrix += size * size;
  };
  for (int l = 0; l <= shift.order; ++l) {
    block(l + 1, in + l * l, out + l * l);
    if (l > 0) block(l, in + l * l + l + 1, out + l * l + l + 1);
  }
}

/// Shifts the expansions of one vector of cells.
template <class V, class Real>
void shift_cells(const ShiftOperator<Real>& shift, const Real* source, std::size_t source_stride,
                 Real* target, std::size_t target_stride) {
  constexpr std::size_t most = harmonics_count(FmmParameters::highest_order);
  V first[most], second[most];
  const int order = shift.order;
  // Rotates about z, so that the vector lies in the xz plane.
  for (int l = 0; l <= order; ++l) {
    first[l * l] = load_unaligned<V>(source + cosine_index(l, 0) * source_stride);
    for (int m = 1; m <= l; ++m) {
      const V cosine = load_unaligned<V>(source + cosine_index(l, m) * source_stride);
      const V sine = load_unaligned<V>(source + sine_index(l, m) * source_stride);
      first[cosine_index(l, m)] = cosine * shift.cosines[m] + sine * shift.sines[m];
      first[sine_index(l, m)] = sine * shift.cosines[m] - cosine * shift.sines[m];
    }
  }
  rotate<false>(shift, first, second);
  static constexpr auto blocks = shift_blocks<V, Real>(Sizes{});
  const Real* matrix = shift.along_z.data();
  for (int m = 0; m <= order; ++m) {
    const int size = order + 1 - m;
    for (int by_degree = 0; by_degree <= (m > 0 ? 1 : 0); ++by_degree) {
      if (size <= unrolled) {
        blocks[size - 1](matrix, second, first, m, by_degree);
        continue;
      }
      const auto index = [&](int k) { return (m + k) * (m + k) + by_degree * (m + k) + m; };
      multiply_any<false, V>(
          matrix, size, [&](int j) { return second[index(j)]; },
          [&](int i, V value) { first[index(i)] = value; });
    }
    matrix += size * size;
  }
  rotate<true>(shift, first, second);
  const auto add = [&](std::size_t coefficient, V value) {
    Real* at = target + coefficient * target_stride;
    store_unaligned(at, load_unaligned<V>(at) + value);
  };
  for (int l = 0; l <= order; ++l) {
    add(cosine_index(l, 0), second[l * l]);
    for (int m = 1; m <= l; ++m) {
      const V cosine = second[cosine_index(l, m)], sine = second[sine_index(l, m)];
      add(cosine_index(l, m), cosine * shift.cosines[m] - sine * shift.sines[m]);
      add(sine_index(l, m), sine * shift.cosines[m] + cosine * shift.sines[m]);
    }
  }
}

template <class Real>
void shift_all(const ShiftOperator<Real>& shift, const Real* source, std::size_t source_stride,
               Real* target, std::size_t target_stride, std::size_t count) {
  std::size_t i = 0;
  for (; i + lanes<Real> <= count; i += lanes<Real>) {
    shift_cells<Vector<Real>>(shift, source + i, source_stride, target + i, target_stride);
  }
  for (; i < count; ++i) {
    shift_cells<Real>(shift, source + i, source_stride, target + i, target_stride);
  }
}

template <class V, class Real>
void regular_harmonics_of(const HarmonicFactors& factors, V x, V y, V z, V* values) {
  const V r2 = x * x + y * y + z * z;
  values[0] = V{} + Real(1);
  for (int l = 1; l <= factors.order; ++l) {
    const V* below = values + (l - 1) * (l - 1);
    const V* two_below = l > 1 ? values + (l - 2) * (l - 2) : values;
    V* here = values + l * l;
    const V cosine = below[l - 1], sine = l == 1 ? V{} : below[2 * (l - 1)];
    const Real diagonal = static_cast<Real>(factors.diagonal[l]);
    here[l] = (x * cosine - y * sine) * diagonal;
    here[2 * l] = (x * sine + y * cosine) * diagonal;
    const double* rise = factors.rise.data() + l * (l + 1) / 2;
    const double* fall = factors.fall.data() + l * (l + 1) / 2;
    const V z_rise_last = z * static_cast<Real>(rise[l - 1]);
    here[l - 1] = z_rise_last * below[l - 1];
    if (l > 1) here[l + l - 1] = z_rise_last * below[l - 1 + l - 1];
    for (int m = 0; m < l - 1; ++m) {
      const V up = z * static_cast<Real>(rise[m]), down = r2 * static_cast<Real>(fall[m]);
      here[m] = up * below[m] - down * two_below[m];
      if (m > 0) here[l + m] = up * below[l - 1 + m] - down * two_below[l - 2 + m];
    }
  }
}

void harmonics(const HarmonicFactors& factors, const double* x, const double* y, const double* z,
               double* values) {
  using V = Vector<double>;
  V made[harmonics_count(2 * FmmParameters::highest_order)];
  for (std::size_t i = 0; i < points_together; i += lanes<double>) {
    regular_harmonics_of<V, double>(factors, load_unaligned<V>(x + i), load_unaligned<V>(y + i),
                                    load_unaligned<V>(z + i), made);
    for (std::size_t a = 0; a < harmonics_count(factors.order); ++a) {
      store_unaligned(values + a * points_together + i, made[a]);
    }
  }
}

/// The regular harmonics of the charges from `i` on. `scale`: one over the unit of length.
template <class Real>
void regular_harmonics_at(const HarmonicFactors& factors, const FarCharges<Real>& charges,
                          std::size_t i, Real scale, Vector<Real>* values) {
  const auto coordinate = [&](const std::vector<Real>& array) {
    return load_unaligned<Vector<Real>>(array.data() + i) * scale;
  };
  regular_harmonics_of<Vector<Real>, Real>(factors, coordinate(charges.x), coordinate(charges.y),
                                           coordinate(charges.z), values);
}

template <class Real>
void charges_to_multipole(const HarmonicFactors& factors, const FarCharges<Real>& charges,
                          double unit, Real* multipole, std::size_t stride) {
  using V = Vector<Real>;
  constexpr std::size_t most = harmonics_count(FmmParameters::highest_order);
  V values[most], sums[most];
  const std::size_t count = harmonics_count(factors.order);
  for (std::size_t a = 0; a < count; ++a) sums[a] = V{};
  const Real scale = static_cast<Real>(1.0 / unit);
  for (std::size_t i = 0; i < charges.count; i += lanes<Real>) {
    regular_harmonics_at<Real>(factors, charges, i, scale, values);
    const V charge = load_unaligned<V>(charges.charge.data() + i);
    for (std::size_t a = 0; a < count; ++a) sums[a] += charge * values[a];
  }
  for (std::size_t a = 0; a < count; ++a) {
    Real sum = 0;
    for (std::size_t k = 0; k < lanes<Real>; ++k) sum += sums[a][k];
    multipole[a * stride] += sum;
  }
}

template <class Real>
void local_to_charges(const HarmonicFactors& factors, const Real* local, double unit,
                      FarCharges<Real>& charges) {
  using V = Vector<Real>;
  V values[harmonics_count(FmmParameters::highest_order)];
  const std::size_t count = harmonics_count(factors.order);
  const Real scale = static_cast<Real>(1.0 / unit), scale2 = scale * scale;
  for (std::size_t i = 0; i < charges.count; i += lanes<Real>) {
    regular_harmonics_at<Real>(factors, charges, i, scale, values);
    V potential{}, x{}, y{}, z{};
    for (std::size_t a = 0; a < count; ++a) {
      potential += values[a] * local[a];
      x += values[a] * local[count + a];
      y += values[a] * local[2 * count + a];
      z += values[a] * local[3 * count + a];
    }
    store_unaligned(charges.potential.data() + i, potential * scale);
    store_unaligned(charges.field_x.data() + i, -x * scale2);
    store_unaligned(charges.field_y.data() + i, -y * scale2);
    store_unaligned(charges.field_z.data() + i, -z * scale2);
  }
}

#include "md/forces/coulomb/fmm/kernels/near_charges.inl"

#include "md/forces/coulomb/fmm/kernels/near_dipoles.inl"

#include "md/forces/coulomb/fmm/kernels/convolution.inl"

template <class Real>
constexpr FmmKernels<Real> kernels{lanes<Real>,
                                   shift_all<Real>,
                                   to_waves<Real>,
                                   from_waves<Real>,
                                   convolve<Real>,
                                   charges_to_multipole<Real>,
                                   local_to_charges<Real>,
                                   near_charges<Real>,
                                   near_dipoles<Real>};
constexpr FmmInstructionSet instruction_set{STERNA_KERNEL_NAME, kernels<float>, kernels<double>,
                                            harmonics};

}  // namespace
}  // namespace sterna::md
