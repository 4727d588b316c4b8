// The near field of charges with dipoles; included by fmm_kernels.inl.

/// Vectors of targets, with the effects of one source cell: potential, field, force on the dipole.
template <class Real, std::size_t vectors>
struct DipoleTargets {
  using V = Vector<Real>;
  using Index = typename NearCharges<Real>::Index;

  V x[vectors], y[vectors], z[vectors];
  V moment_x[vectors], moment_y[vectors], moment_z[vectors];
  Vector<Index> molecule[vectors];

  template <bool same_molecules>
  [[gnu::always_inline]] inline void add(const NearCharges<Real>& charges,
                                         const NearCell<Real>& cell, V (&sums)[7][vectors]) const {
    for (std::size_t j = cell.begin; j < cell.end; ++j) {
      const Real at_x = charges.x[j] + cell.shift[0], at_y = charges.y[j] + cell.shift[1];
      const Real at_z = charges.z[j] + cell.shift[2];
      const Real charge = charges.charge[j];
      const Real source_x = charges.dipole_x[j], source_y = charges.dipole_y[j];
      const Real source_z = charges.dipole_z[j];
      const Index of_molecule = charges.molecule[j];
      for (std::size_t v = 0; v < vectors; ++v) {
        const V dx = x[v] - at_x, dy = y[v] - at_y, dz = z[v] - at_z;
        V b0 = inverse_root(dx * dx + dy * dy + dz * dz);
        if constexpr (same_molecules) b0 = (molecule[v] != of_molecule) ? b0 : V{};
        // b_n is the result of applying -1/r d/dr n times to 1/r.
        const V inverse2 = b0 * b0, b1 = b0 * inverse2;
        const V b2 = b1 * inverse2 * Real(3), b3 = b2 * inverse2 * Real(5);
        const V along = dx * source_x + dy * source_y + dz * source_z;
        const V slope = b1 * charge + along * b2;
        sums[0][v] += b0 * charge + along * b1;
        sums[1][v] += dx * slope - b1 * source_x;
        sums[2][v] += dy * slope - b1 * source_y;
        sums[3][v] += dz * slope - b1 * source_z;
        const V own = dx * moment_x[v] + dy * moment_y[v] + dz * moment_z[v];
        const V both = moment_x[v] * source_x + moment_y[v] * source_y + moment_z[v] * source_z;
        const V own_b2 = own * b2;
        const V radial = both * b2 - own * (b2 * charge + along * b3);
        sums[4][v] += moment_x[v] * slope + own_b2 * source_x + dx * radial;
        sums[5][v] += moment_y[v] * slope + own_b2 * source_y + dy * radial;
        sums[6][v] += moment_z[v] * slope + own_b2 * source_z + dz * radial;
      }
    }
  }
};

/// The lanes of an array from `begin` on; lanes behind `end` are 0.
template <class V, class Real>
V load_some(const StaggeredArray<Real>& array, std::size_t begin, std::size_t end) {
  constexpr std::size_t width = sizeof(V) / sizeof(Real);
  if (begin + width <= end) return load_unaligned<V>(array.data() + begin);
  V value{};
  std::memcpy(&value, array.data() + begin, (end - begin) * sizeof(Real));
  return value;
}

template <class Real, std::size_t vectors>
void near_dipoles_of(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                     std::span<const NearCell<Real>> sources, VirialProducts* virial) {
  using V = Vector<Real>;
  using I = Vector<typename NearCharges<Real>::Index>;
  constexpr std::size_t width = lanes<Real>;
  DipoleTargets<Real, vectors> targets;
  for (std::size_t v = 0; v < vectors; ++v) {
    const std::size_t i = begin + v * width;
    targets.x[v] = load_some<V>(charges.x, i, end);
    targets.y[v] = load_some<V>(charges.y, i, end);
    targets.z[v] = load_some<V>(charges.z, i, end);
    targets.moment_x[v] = load_some<V>(charges.dipole_x, i, end);
    targets.moment_y[v] = load_some<V>(charges.dipole_y, i, end);
    targets.moment_z[v] = load_some<V>(charges.dipole_z, i, end);
    targets.molecule[v] = load_some<I>(charges.molecule, i, end);
  }
  const std::size_t count = std::min(end - begin, vectors * width);
  double totals[7][vectors * width] = {};
  for (const NearCell<Real>& cell : sources) {
    V sums[7][vectors] = {};
    if (cell.same_molecules) {
      targets.template add<true>(charges, cell, sums);
    } else {
      targets.template add<false>(charges, cell, sums);
    }
    Real values[7][vectors * width];
    std::memcpy(values, sums, sizeof values);
    for (std::size_t c = 0; c < 7; ++c) {
      for (std::size_t k = 0; k < count; ++k) totals[c][k] += static_cast<double>(values[c][k]);
    }
    if (virial == nullptr) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double force = 0.0;
      for (std::size_t k = 0; k < count; ++k) {
        force += static_cast<double>(charges.charge[begin + k]) *
                     static_cast<double>(values[1 + axis][k]) +
                 static_cast<double>(values[4 + axis][k]);
      }
      for (std::size_t a = 0; a < 3; ++a) {
        (*virial)[3 * a + axis] -= 0.5 * static_cast<double>(cell.shift[a]) * force;
      }
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    charges.potential[begin + k] += static_cast<Real>(totals[0][k]);
    charges.field_x[begin + k] += static_cast<Real>(totals[1][k]);
    charges.field_y[begin + k] += static_cast<Real>(totals[2][k]);
    charges.field_z[begin + k] += static_cast<Real>(totals[3][k]);
    charges.dipole_force_x[begin + k] += static_cast<Real>(totals[4][k]);
    charges.dipole_force_y[begin + k] += static_cast<Real>(totals[5][k]);
    charges.dipole_force_z[begin + k] += static_cast<Real>(totals[6][k]);
  }
}

template <class Real>
void near_dipoles(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                  std::span<const NearCell<Real>> sources, VirialProducts* virial) {
  constexpr std::size_t width = lanes<Real>;
  std::size_t i = begin;
  for (; i + width < end; i += 2 * width) {
    near_dipoles_of<Real, 2>(charges, i, end, sources, virial);
  }
  if (i < end) near_dipoles_of<Real, 1>(charges, i, end, sources, virial);
}
