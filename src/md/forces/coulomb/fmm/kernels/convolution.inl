// Part of fmm_kernels.inl: transforms values of a grid to waves and back, where lanes are
// coefficients; multiplies sums and multipoles, where lanes are waves.

/// Transforms complex values, which lie `step` vectors apart, along one axis in place. Values at n
/// and -n share their cosines, and waves k and -k share all products.
template <bool inverse, class Real>
void transform_axis(const std::vector<Real>& cosines, const std::vector<Real>& sines, Real* values,
                    std::size_t step) {
  using V = Vector<Real>;
  constexpr std::size_t most = 2 * FmmParameters::most_top_cells;
  struct Pair {
    V even_re, even_im, odd_re, odd_im;
  };
  Pair pairs[most / 2 + 1];
  const std::size_t size = cosines.size(), half = (size - 1) / 2;
  const bool middle = size % 2 == 0;
  const auto re = [&](std::size_t n) { return load_unaligned<V>(values + n * step); };
  const auto im = [&](std::size_t n) { return load_unaligned<V>(values + n * step + lanes<Real>); };
  const auto set = [&](std::size_t n, V real, V imaginary) {
    store_unaligned(values + n * step, real);
    store_unaligned(values + n * step + lanes<Real>, imaginary);
  };
  for (std::size_t n = 1; n <= half; ++n) {
    const std::size_t opposite = size - n;
    pairs[n] = {re(n) + re(opposite), im(n) + im(opposite), re(n) - re(opposite),
                im(n) - im(opposite)};
  }
  const V first_re = re(0), first_im = im(0);
  V middle_re{}, middle_im{};
  if (middle) middle_re = re(size / 2), middle_im = im(size / 2);
  for (std::size_t k = 0; 2 * k <= size; ++k) {
    V even_re = k % 2 == 0 ? first_re + middle_re : first_re - middle_re;
    V even_im = k % 2 == 0 ? first_im + middle_im : first_im - middle_im;
    V odd_re{}, odd_im{};
    for (std::size_t n = 1, angle = k; n <= half; ++n) {
      const Real c = cosines[angle], s = inverse ? -sines[angle] : sines[angle];
      even_re += pairs[n].even_re * c;
      even_im += pairs[n].even_im * c;
      odd_re += pairs[n].odd_re * s;
      odd_im += pairs[n].odd_im * s;
      angle += k;
      if (angle >= size) angle -= size;
    }
    set(k, even_re + odd_im, even_im - odd_re);
    if (k > 0 && 2 * k < size) set(size - k, even_re - odd_im, even_im + odd_re);
  }
}

template <bool inverse, class Real>
void transform_planes(const GridTransform<Real>& plan, Real* waves) {
  const auto columns = static_cast<std::size_t>(plan.grid[0]);
  const auto rows = static_cast<std::size_t>(plan.grid[1]);
  constexpr std::size_t wave = 2 * lanes<Real>;
  for (std::size_t plane = 0; plane <= static_cast<std::size_t>(plan.grid[2]) / 2; ++plane) {
    Real* const begin = waves + plane * rows * columns * wave;
    for (std::size_t x = 0; x < columns; ++x) {
      transform_axis<inverse>(plan.cosines[1], plan.sines[1], begin + x * wave, columns * wave);
    }
    for (std::size_t y = 0; y < rows; ++y) {
      transform_axis<inverse>(plan.cosines[0], plan.sines[0], begin + y * columns * wave, wave);
    }
  }
}

template <class Real>
void to_waves(const GridTransform<Real>& plan, const Real* values, Real* waves) {
  using V = Vector<Real>;
  const auto plane = static_cast<std::size_t>(plan.grid[0] * plan.grid[1]);
  const auto size = static_cast<std::size_t>(plan.grid[2]), half = (size - 1) / 2;
  const auto value = [&](std::size_t n, std::size_t i) {
    return load_unaligned<V>(values + (n * plane + i) * lanes<Real>);
  };
  V even[FmmParameters::most_top_cells + 1], odd[FmmParameters::most_top_cells + 1];
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t n = 1; n <= half; ++n) {
      const V low = value(n, i), high = value(size - n, i);
      even[n] = low + high, odd[n] = low - high;
    }
    const V first = value(0, i), middle = size % 2 == 0 ? value(size / 2, i) : V{};
    for (std::size_t k = 0; 2 * k <= size; ++k) {
      V re = k % 2 == 0 ? first + middle : first - middle, im{};
      for (std::size_t n = 1, angle = k; n <= half; ++n) {
        re += even[n] * plan.cosines[2][angle];
        im -= odd[n] * plan.sines[2][angle];
        angle += k;
        if (angle >= size) angle -= size;
      }
      Real* const out = waves + 2 * (k * plane + i) * lanes<Real>;
      store_unaligned(out, re);
      store_unaligned(out + lanes<Real>, im);
    }
  }
  transform_planes<false>(plan, waves);
}

template <class Real>
void from_waves(const GridTransform<Real>& plan, Real* waves, Real* values) {
  using V = Vector<Real>;
  const auto plane = static_cast<std::size_t>(plan.grid[0] * plan.grid[1]);
  const auto size = static_cast<std::size_t>(plan.grid[2]), half = (size - 1) / 2;
  transform_planes<true>(plan, waves);
  const auto wave = [&](std::size_t k, std::size_t i) {
    return waves + 2 * (k * plane + i) * lanes<Real>;
  };
  V re[FmmParameters::most_top_cells + 1], im[FmmParameters::most_top_cells + 1];
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t k = 1; k <= half; ++k) {
      re[k] = load_unaligned<V>(wave(k, i)) * Real(2);
      im[k] = load_unaligned<V>(wave(k, i) + lanes<Real>) * Real(2);
    }
    const V first = load_unaligned<V>(wave(0, i)),
            middle = size % 2 == 0 ? load_unaligned<V>(wave(size / 2, i)) : V{};
    for (std::size_t n = 0; 2 * n <= size; ++n) {
      V even = n % 2 == 0 ? first + middle : first - middle, odd{};
      for (std::size_t k = 1, angle = n; k <= half; ++k) {
        even += re[k] * plan.cosines[2][angle];
        odd -= im[k] * plan.sines[2][angle];
        angle += n;
        if (angle >= size) angle -= size;
      }
      store_unaligned(values + (n * plane + i) * lanes<Real>, even + odd);
      if (n == 0 || 2 * n == size) continue;
      store_unaligned(values + ((size - n) * plane + i) * lanes<Real>, even - odd);
    }
  }
}

/// Factors from the sums, by l + l': from the cosine and sine parts of multipoles of degree l' to
/// those of local expansions of degree l.
template <class Real>
struct Products {
  Vector<Real> cosine_to_cosine, sine_to_cosine, cosine_to_sine, sine_to_sine;
};

template <int rows, bool with_sines, class Real>
void add_products(const Products<Real>* products, const Real* source, int count, Real* target) {
  using V = Vector<Real>;
  V sums[rows][4] = {};
  for (int j = 0; j < count; ++j) {
    V in[4];
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part) {
      in[part] = load_unaligned<V>(source + static_cast<std::size_t>(4 * j + part) * lanes<Real>);
    }
#pragma GCC unroll 4
    for (int i = 0; i < rows; ++i) {
      const Products<Real>& by = products[i + j];
#pragma GCC unroll 2
      for (int column = 0; column < 2; ++column) {
        sums[i][column] += by.cosine_to_cosine * in[column];
        sums[i][column + 2] += by.cosine_to_sine * in[column];
        if (with_sines) {
          sums[i][column] += by.sine_to_cosine * in[column + 2];
          sums[i][column + 2] += by.sine_to_sine * in[column + 2];
        }
      }
    }
  }
  for (int i = 0; i < 4 * rows; ++i) {
    Real* const at = target + static_cast<std::size_t>(i) * lanes<Real>;
    store_unaligned(at, load_unaligned<V>(at) + sums[i / 4][i % 4]);
  }
}

/// Multiplies by a matrix over degrees whose elements depend on the sum of the degrees only, for
/// one m and one m'.
template <bool with_sines, class Real>
void add_degrees(const Products<Real>* products, const Real* source, int from, Real* target,
                 int to) {
  constexpr int rows = vector_registers == 32 ? 4 : 2;
  constexpr std::size_t degree = 4 * lanes<Real>;
  int i = 0;
  for (; i + rows <= to; i += rows, target += rows * degree) {
    add_products<rows, with_sines>(products + i, source, from, target);
  }
  for (; i < to; ++i, target += degree) {
    add_products<1, with_sines>(products + i, source, from, target);
  }
}

template <class Real>
void convolve(int order, const Real* sums, const Real* multipoles, Real* locals) {
  using V = Vector<Real>;
  Products<Real> products[2 * FmmParameters::highest_order + 1];
  for (int m = 0; m <= order; ++m) {
    Real* const target = locals + 4 * lanes<Real> * wave_index(order, m, m);
    for (int from = 0; from <= order; ++from) {
      // The sums of degree l + l' for m + m' (above) and for the difference of m and m' (below).
      const int distance = std::abs(m - from), least = m + from, count = 2 * order - least + 1;
      const Real* above = sums + 2 * lanes<Real> * wave_index(2 * order, least, least);
      const Real* below = sums + 2 * lanes<Real> * wave_index(2 * order, least, distance);
      const Real* source = multipoles + 4 * lanes<Real> * wave_index(order, from, from);
      const auto part = [](const Real* begin, int j, int which) {
        return load_unaligned<V>(begin + static_cast<std::size_t>(2 * j + which) * lanes<Real>);
      };
      if (from == 0) {
        for (int j = 0; j < count; ++j) {
          products[j] = {part(above, j, 0), V{}, part(above, j, 1), V{}};
        }
        add_degrees<false>(products, source, order + 1, target, order + 1 - m);
        continue;
      }
      // The factor is (-1)^from I_(m - from), by conjugation if m - from is below 0.
      const Real even = from % 2 == 0 ? Real(1) : Real(-1);
      const Real re_sign = m < from && distance % 2 != 0 ? -even : even;
      const Real im_sign = m < from ? -re_sign : re_sign;
      for (int j = 0; j < count; ++j) {
        const V re = part(below, j, 0) * re_sign, im = part(below, j, 1) * im_sign;
        const V above_re = part(above, j, 0), above_im = part(above, j, 1);
        products[j] = {above_re + re, above_im - im, above_im + im, re - above_re};
      }
      add_degrees<true>(products, source, order + 1 - from, target, order + 1 - m);
    }
  }
}
