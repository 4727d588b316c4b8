// The near field of charges without dipoles; included by fmm_kernels.inl.
//
// The charges of all near cells are copied into contiguous arrays, so that vectors of sources are
// full for any number of charges in a cell. A few target charges are computed with each vector of
// sources: the targets' sums stay in registers, and the sources' sums are added to memory once for
// all of them. Each pair of cells of this rank is computed once, which costs 19 operations for each
// vector of pairs instead of twice 15. Sums of one target cell are kept as two thirds of their
// value, which saves an operation for each pair.

constexpr std::size_t targets_together = vector_registers == 32 ? 3 : 1;
constexpr double unit_of_sums = 1.5;

/// A range of sources of one kind in NearSources, in whole vectors.
struct NearRange {
  std::size_t begin, end;
};
/// Ranges by `same_molecules` and `mutual`.
using NearRanges = std::array<std::array<NearRange, 2>, 2>;

/// The sum over the lanes of each of these vectors.
template <class Real, std::size_t count>
void add_up(const Vector<Real> (&vectors)[count], double (&sums)[count]) {
  using Pack = std::conditional_t<sizeof(Real) == sizeof(float), FloatPack, DoublePack>;
  if constexpr (sizeof(Pack) == vector_bytes) {
    Pack packs[count];
    for (std::size_t k = 0; k < count; ++k) part(packs[k], 0) = vectors[k];
    Pack::sums(packs, sums);
  } else {
    for (std::size_t k = 0; k < count; ++k) sums[k] = sum<Real>(vectors[k]);
  }
}

/// Target charges, each of which meets whole vectors of sources.
template <class Real, std::size_t count, bool potentials>
struct NearTargets {
  using V = Vector<Real>;
  using I = Vector<typename NearCharges<Real>::Index>;

  I molecule[count];
  V x[count], y[count], z[count], charge[count];
  V potential[count], field_x[count], field_y[count], field_z[count];

  NearTargets(const NearCharges<Real>& charges, std::size_t first) {
    for (std::size_t t = 0; t < count; ++t) {
      x[t] = V{} + charges.x[first + t];
      y[t] = V{} + charges.y[first + t];
      z[t] = V{} + charges.z[first + t];
      molecule[t] = I{} + charges.molecule[first + t];
      charge[t] = V{} + charges.charge[first + t];
      potential[t] = field_x[t] = field_y[t] = field_z[t] = V{};
    }
  }

  template <bool same_molecules, bool mutual>
  [[gnu::always_inline]] inline void meet(NearSources<Real>& sources, const NearRange& range) {
    for (std::size_t j = range.begin; j < range.end; j += lanes<Real>) {
      const V at_x = load_unaligned<V>(sources.x.data() + j);
      const V at_y = load_unaligned<V>(sources.y.data() + j);
      const V at_z = load_unaligned<V>(sources.z.data() + j);
      const V at_charge = load_unaligned<V>(sources.charge.data() + j);
      V back_potential{}, back_x{}, back_y{}, back_z{};
      if constexpr (mutual) {
        if constexpr (potentials) back_potential = load_unaligned<V>(sources.potential.data() + j);
        back_x = load_unaligned<V>(sources.field_x.data() + j);
        back_y = load_unaligned<V>(sources.field_y.data() + j);
        back_z = load_unaligned<V>(sources.field_z.data() + j);
      }
#pragma GCC unroll 4
      for (std::size_t t = 0; t < count; ++t) {
        const V dx = x[t] - at_x, dy = y[t] - at_y, dz = z[t] - at_z;
        const V squared = dx * dx + dy * dy + dz * dz;
        V cube = two_thirds_of_inverse_root_cubed(squared);
        // The charge itself, at distance 0, is excluded here, because it is of its own molecule.
        if constexpr (same_molecules) {
          const I at_molecule = load_unaligned<I>(sources.molecule.data() + j);
          cube = (molecule[t] != at_molecule) ? cube : V{};
        }
        [[maybe_unused]] const V inverse = cube * squared;
        if constexpr (potentials) potential[t] += inverse * at_charge;
        const V slope = cube * at_charge;
        field_x[t] += slope * dx;
        field_y[t] += slope * dy;
        field_z[t] += slope * dz;
        if constexpr (mutual) {
          if constexpr (potentials) back_potential += inverse * charge[t];
          const V back_slope = cube * charge[t];
          back_x -= back_slope * dx;
          back_y -= back_slope * dy;
          back_z -= back_slope * dz;
        }
      }
      if constexpr (mutual) {
        if constexpr (potentials) store_unaligned(sources.potential.data() + j, back_potential);
        store_unaligned(sources.field_x.data() + j, back_x);
        store_unaligned(sources.field_y.data() + j, back_y);
        store_unaligned(sources.field_z.data() + j, back_z);
      }
    }
  }

  void add_to(NearCharges<Real>& charges, std::size_t first) const {
    for (std::size_t t = 0; t < count; ++t) {
      if constexpr (potentials) {
        charges.potential[first + t] += static_cast<Real>(unit_of_sums * sum<Real>(potential[t]));
      }
      const V field[3] = {field_x[t], field_y[t], field_z[t]};
      double sums[3];
      add_up<Real>(field, sums);
      charges.field_x[first + t] += static_cast<Real>(unit_of_sums * sums[0]);
      charges.field_y[first + t] += static_cast<Real>(unit_of_sums * sums[1]);
      charges.field_z[first + t] += static_cast<Real>(unit_of_sums * sums[2]);
    }
  }
};

/// Computes targets from `first` on with all sources. `back`: whether sums over the targets are
/// kept for all sources instead of for mutual ones only.
template <class Real, std::size_t count, bool potentials>
void meet_near_sources(NearCharges<Real>& charges, std::size_t first, NearSources<Real>& sources,
                       const NearRanges& ranges, bool back) {
  NearTargets<Real, count, potentials> targets(charges, first);
  if (back) {
    targets.template meet<true, true>(sources, ranges[1][0]);
    targets.template meet<false, true>(sources, ranges[0][0]);
  } else {
    targets.template meet<true, false>(sources, ranges[1][0]);
    targets.template meet<false, false>(sources, ranges[0][0]);
  }
  targets.template meet<true, true>(sources, ranges[1][1]);
  targets.template meet<false, true>(sources, ranges[0][1]);
  targets.add_to(charges, first);
}

/// Calls `function(cell, place of its first charge)` for each cell of one kind.
template <class Real, class Function>
void for_each_near_cell(std::span<const NearCell<Real>> cells, bool same_molecules, bool mutual,
                        std::size_t place, Function function) {
  for (const NearCell<Real>& cell : cells) {
    if (cell.same_molecules != same_molecules || cell.mutual != mutual) continue;
    function(cell, place);
    place += cell.end - cell.begin;
  }
}

/// Copies the charges of a cell to `place` in whole vectors; the rest of the last vector is
/// meaningless.
template <bool same_molecules, class Real>
void gather_near_cell(const NearCharges<Real>& charges, const NearCell<Real>& cell,
                      std::size_t place, NearSources<Real>& sources) {
  using V = Vector<Real>;
  using I = Vector<typename NearCharges<Real>::Index>;
  for (std::size_t i = cell.begin; i < cell.end; i += lanes<Real>, place += lanes<Real>) {
    const auto copy = [&](const StaggeredArray<Real>& from, StaggeredArray<Real>& to, Real shift) {
      store_unaligned(to.data() + place, load_unaligned<V>(from.data() + i) + shift);
    };
    copy(charges.x, sources.x, cell.shift[0]);
    copy(charges.y, sources.y, cell.shift[1]);
    copy(charges.z, sources.z, cell.shift[2]);
    store_unaligned(sources.charge.data() + place, load_unaligned<V>(charges.charge.data() + i));
    if constexpr (same_molecules) {
      store_unaligned(sources.molecule.data() + place,
                      load_unaligned<I>(charges.molecule.data() + i));
    }
  }
}

template <class Real>
NearRanges gather_near_sources(const NearCharges<Real>& charges,
                               std::span<const NearCell<Real>> cells, NearSources<Real>& sources) {
  std::size_t most = 5 * lanes<Real>;
  for (const NearCell<Real>& cell : cells) most += cell.end - cell.begin;
  if (most > sources.molecule.size()) {
    for (auto* array : {&sources.x, &sources.y, &sources.z, &sources.charge}) array->resize(most);
    sources.molecule.resize(most);
  }
  NearRanges ranges;
  std::size_t end = 0;
  for (const bool same_molecules : {true, false}) {
    for (const bool mutual : {false, true}) {
      NearRange& range = ranges[same_molecules][mutual];
      range.begin = end;
      for_each_near_cell(cells, same_molecules, mutual, end, [&](const auto& cell, std::size_t j) {
        same_molecules ? gather_near_cell<true>(charges, cell, j, sources)
                       : gather_near_cell<false>(charges, cell, j, sources);
        end = j + cell.end - cell.begin;
      });
      for (; end % lanes<Real> != 0; ++end) {
        // The position is far from all charges, so that no distance is 0, but near enough that its
        // powers do not overflow.
        sources.x[end] = sources.y[end] = sources.z[end] = Real(1e9);
        sources.charge[end] = 0;
        sources.molecule[end] = -1;
      }
      range.end = end;
    }
  }
  return ranges;
}

/// Adds a cell's sums, from `place` on, to its charges. Zeros may be added behind them, where there
/// is room.
template <bool potentials, class Real>
void add_near_sums(const NearSources<Real>& sources, std::size_t place, const NearCell<Real>& cell,
                   NearCharges<Real>& charges) {
  using V = Vector<Real>;
  using Index = typename NearCharges<Real>::Index;
  constexpr auto unit = static_cast<Real>(unit_of_sums);
  Vector<Index> left{};
  for (std::size_t k = 0; k < lanes<Real>; ++k) {
    left[k] = static_cast<Index>(cell.end - cell.begin) - static_cast<Index>(k);
  }
  for (std::size_t i = cell.begin; i < cell.end; i += lanes<Real>, place += lanes<Real>) {
    const auto add = [&](const StaggeredArray<Real>& from, StaggeredArray<Real>& to) {
      const V sums = load_unaligned<V>(from.data() + place) * unit;
      store_unaligned(to.data() + i, load_unaligned<V>(to.data() + i) + (left > 0 ? sums : V{}));
    };
    if constexpr (potentials) add(sources.potential, charges.potential);
    add(sources.field_x, charges.field_x);
    add(sources.field_y, charges.field_y);
    add(sources.field_z, charges.field_z);
    left -= static_cast<Index>(lanes<Real>);
  }
}

template <class Real>
void add_near_virial(const NearSources<Real>& sources, std::size_t place,
                     const NearCell<Real>& cell, double unit, VirialProducts& virial) {
  const StaggeredArray<Real>* const field[3] = {&sources.field_x, &sources.field_y,
                                                &sources.field_z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double force = 0.0;
    for (std::size_t j = place; j < place + cell.end - cell.begin; ++j) {
      force += static_cast<double>(sources.charge[j]) * static_cast<double>((*field[axis])[j]);
    }
    for (std::size_t a = 0; a < 3; ++a) {
      virial[3 * a + axis] += unit * static_cast<double>(cell.shift[a]) * force;
    }
  }
}

template <class Real, bool potentials>
void near_charges_of(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                     std::span<const NearCell<Real>> cells, NearSources<Real>& sources,
                     VirialProducts* virial) {
  const NearRanges ranges = gather_near_sources(charges, cells, sources);
  const std::size_t count = ranges[0][1].end;
  const auto clear = [&](StaggeredArray<Real>& sums) { sums.assign(count + lanes<Real>, Real(0)); };
  if constexpr (potentials) clear(sources.potential);
  for (auto* array : {&sources.field_x, &sources.field_y, &sources.field_z}) clear(*array);
  std::size_t i = begin;
  for (; i + targets_together <= end; i += targets_together) {
    meet_near_sources<Real, targets_together, potentials>(charges, i, sources, ranges,
                                                          virial != nullptr);
  }
  if constexpr (targets_together > 2) {
    if (i + 2 == end) {
      meet_near_sources<Real, 2, potentials>(charges, i, sources, ranges, virial != nullptr);
      i += 2;
    }
  }
  for (; i < end; ++i) {
    meet_near_sources<Real, 1, potentials>(charges, i, sources, ranges, virial != nullptr);
  }
  for (const bool same_molecules : {true, false}) {
    for (const bool mutual : {false, true}) {
      for_each_near_cell(cells, same_molecules, mutual, ranges[same_molecules][mutual].begin,
                         [&](const NearCell<Real>& cell, std::size_t place) {
                           if (mutual) {
                             add_near_sums<potentials>(sources, place, cell, charges);
                           }
                           if (virial != nullptr) {
                             add_near_virial(sources, place, cell,
                                             (mutual ? 1.0 : 0.5) * unit_of_sums, *virial);
                           }
                         });
    }
  }
}

template <class Real>
void near_charges(NearCharges<Real>& charges, std::size_t begin, std::size_t end,
                  std::span<const NearCell<Real>> cells, NearSources<Real>& sources,
                  bool potentials, VirialProducts* virial) {
  const auto compute = potentials ? near_charges_of<Real, true> : near_charges_of<Real, false>;
  compute(charges, begin, end, cells, sources, virial);
}
