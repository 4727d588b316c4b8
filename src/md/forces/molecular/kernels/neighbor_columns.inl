// Functions of compute_molecules on columns of a molecule's neighbors: copying, clearing, summing,
// and returning forces; included by molecular_kernels.inl.

template <class Pack>
const typename Pack::Real* records(const MolecularWork& work) {
  if constexpr (sizeof(typename Pack::Real) == sizeof(double)) {
    return work.sites;
  } else {
    return work.sites_single;
  }
}

/// The vectors from the neighbors to the center, for as many as a vector holds.
template <class Pack>
class CenterDistance {
 public:
  using Traits = RowTraits<Pack>;
  explicit CenterDistance(const PairWork& rows) : rows_(rows), step_(Pack::all(rows.fixed_scale)) {}
  [[gnu::always_inline]] PackVector<Pack> operator()(const typename Traits::Center& center,
                                                     const std::uint32_t* offsets) const {
    const typename Traits::Neighbors at(rows_, offsets);
    const PackVector<Pack> d{Traits::difference(at.x, center.x), Traits::difference(at.y, center.y),
                             Traits::difference(at.z, center.z)};
    // Positions in double precision are lengths already.
    if constexpr (std::is_same_v<Pack, DoublePack>) return d;
    return step_ * d;
  }

 private:
  const PairWork& rows_;
  Pack step_;
};

/// Appends the offsets whose bits are set, for one vector of candidates.
template <class Pack>
inline void append_offsets(std::uint32_t* out, unsigned selected, const std::uint32_t* offsets) {
  if constexpr (std::is_same_v<Pack, DoublePack>) {
    append_selected(out, selected, offsets);
  } else {
    append(out, selected, offsets);
  }
}

/// Copies the first columns of the listed neighbors, from vector `begin` on. Dummies fill the list
/// up to a whole vector.
template <class Pack>
void copy_distances(const PairWork& rows, const MolecularScratch<typename Pack::Real>& scratch,
                    const typename RowTraits<Pack>::Center& center, const std::uint32_t* list,
                    std::size_t begin, std::size_t count) {
  const CenterDistance<Pack> distance(rows);
  for (std::size_t k = begin; k < count; k += static_cast<std::size_t>(Pack::width)) {
    const PackVector<Pack> d = distance(center, list + k);
    store(d, scratch.columns + k, column_stride);
    dot(d, d).store(scratch.column(3) + k);
  }
}

/// The points and directions of neighbors that have columns.
struct NamedVectors {
  const std::uint32_t* begin;
  const std::uint32_t* end;
};

/// Copies points (relative to the center of molecule i) and directions of the listed neighbors into
/// columns, as grids and terms need them. Dummies fill the list up to a whole vector. `axes` is the
/// number of axes of a neighbor.
template <class Pack, std::size_t axes>
void copy_neighbors(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
                    const SiteLayout& layout, const NamedVectors& named, const std::uint32_t* list,
                    std::size_t count) {
  using Real = typename Pack::Real;
  constexpr auto width = static_cast<std::size_t>(Pack::width);
  const Real* const all = records<Pack>(work);
  const SiteVector* const vectors = work.vectors + layout.vector_begin;
  const auto stride =
      static_cast<std::uint32_t>(work.record_stride >> RowTraits<Pack>::offset_shift);
  for (std::size_t k = 0; k < count; k += width) {
    alignas(64) std::uint32_t place[longest_vector];
    for (std::size_t lane = 0; lane < width; ++lane) place[lane] = list[k + lane] * stride;
    PackVector<Pack> axis[axes];
    for (std::size_t r = 0; r < axes; ++r) {
      Pack four[4];
      Pack::load_four(all + 4 * r, place, four);
      axis[r] = {four[0], four[1], four[2]};
    }
    const PackVector<Pack> center = load<Pack>(scratch.columns + k, column_stride);
    for (const std::uint32_t* slot = named.begin; slot != named.end; ++slot) {
      PackVector<Pack> sum{Pack::zero(), Pack::zero(), Pack::zero()};
      if (*slot <= layout.point_count) sum = center;
      for (std::size_t r = 0; r < axes; ++r) {
        sum = fma(Pack::all(vectors[*slot].along[r]), axis[r], sum);
      }
      store(sum, scratch.column(column_of(*slot)) + k, column_stride);
    }
  }
}
template <class Pack>
void copy_neighbors(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
                    const SiteLayout& layout, const NamedVectors& named, const std::uint32_t* list,
                    std::size_t count) {
  switch (layout.record_vectors) {
    case 0:
      break;
    case 1:
      return copy_neighbors<Pack, 1>(work, scratch, layout, named, list, count);
    case 2:
      return copy_neighbors<Pack, 2>(work, scratch, layout, named, list, count);
    default:
      return copy_neighbors<Pack, 3>(work, scratch, layout, named, list, count);
  }
}

/// Adds the energy of the pairs of molecules, and the virial of their centers.
template <class Pack>
void add_pair_sums(const MolecularScratch<typename Pack::Real>& scratch, std::size_t count,
                   TermSums& total) {
  Pack energy = Pack::zero();
  Pack sums[6];
  for (Pack& sum : sums) sum = Pack::zero();
  for (std::size_t k = 0; k < count; k += static_cast<std::size_t>(Pack::width)) {
    const PackVector<Pack> d = load<Pack>(scratch.column(0) + k, column_stride);
    const Pack weight = Pack::load(scratch.weights + k);
    const PackVector<Pack> f = weight * load<Pack>(scratch.pair_sums + k, column_stride);
    energy = Pack::fma(weight, Pack::load(scratch.pair_sums + 3 * column_stride + k), energy);
    add_center_virial(d, f, sums);
  }
  total.energy += energy.sum();
  for (int q = 0; q < 6; ++q) total.virial[q] += sums[q].sum();
}

/// The number of times that full lists of this rank would have pairs with these neighbors.
template <class Pack>
inline Pack weights(const PairWork& rows, const std::uint32_t* offsets) {
  alignas(64) typename Pack::Real weights[Pack::width];
  for (int lane = 0; lane < Pack::width; ++lane) {
    weights[lane] = offsets[lane] >> RowTraits<Pack>::offset_shift < rows.whole_below ? 2 : 1;
  }
  return Pack::load(weights);
}

/// Clears the forces on neighbors, except those on points of the first grid, which sets them.
/// `terms` begins at the term of its first point.
template <class Pack>
void clear_back(const MolecularScratch<typename Pack::Real>& scratch, const SiteGrids& grids,
                const SiteTerm* terms, const NamedVectors& named, std::size_t count) {
  const int points = shape_of(grids.first).points;
  const auto clear = [&](typename Pack::Real* columns) {
    for (std::size_t k = 0; k < count; k += static_cast<std::size_t>(Pack::width)) {
      store<Pack>({Pack::zero(), Pack::zero(), Pack::zero()}, columns + k, column_stride);
    }
  };
  const auto set_by_grid = [&](std::uint32_t column) {
    return std::any_of(terms, terms + points,
                       [column](const SiteTerm& term) { return term.point_b == column; });
  };
  if (!set_by_grid(0)) clear(scratch.back);
  for (const std::uint32_t* slot = named.begin; slot != named.end; ++slot) {
    const std::uint32_t column = column_of(*slot);
    if (!set_by_grid(column)) clear(scratch.back_column(column));
  }
}

/// Subtracts the summed forces from the forces on the listed neighbors, and their torques about the
/// neighbors' centers from the torques.
template <class Pack>
void give_back(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
               const SiteLayout& layout, const NamedVectors& named, const std::uint32_t* list,
               std::size_t count) {
  for (std::size_t k = 0; k < count; k += static_cast<std::size_t>(Pack::width)) {
    const auto at = [k](const typename Pack::Real* columns) {
      return load<Pack>(columns + k, column_stride);
    };
    PackVector<Pack> force = at(scratch.back), torque{Pack::zero(), Pack::zero(), Pack::zero()};
    for (const std::uint32_t* slot = named.begin; slot != named.end; ++slot) {
      PackVector<Pack> arm = at(scratch.column(column_of(*slot)));
      const PackVector<Pack> back = at(scratch.back_column(column_of(*slot)));
      if (*slot <= layout.point_count) {
        arm = arm - at(scratch.columns);
        force = force + back;
      }
      torque = torque + cross(arm, back);
    }
    RowTraits<Pack>::subtract(work.rows, list + k, force.x, force.y, force.z);
    if (layout.vectors() == 0) continue;
    RowTraits<Pack>::subtract(work.torques, list + k, torque.x, torque.y, torque.z);
  }
}

/// Copies the points and directions of molecule i, and clears its sums.
template <class Pack>
void place_own(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
               const SiteLayout& layout, std::size_t i) {
  using Real = typename Pack::Real;
  const Real* const record = records<Pack>(work) + i * work.record_stride;
  for (std::uint32_t slot = 0; slot <= layout.vectors(); ++slot) {
    const SiteVector& vector = work.vectors[layout.vector_begin + slot];
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      const std::uint32_t column = column_of(slot) + axis;
      Real sum = 0;
      for (std::uint32_t r = 0; r < layout.record_vectors; ++r) {
        sum += static_cast<Real>(vector.along[r]) * record[4 * r + axis];
      }
      scratch.own[column] = sum;
    }
  }
  const PackVector<Pack> nothing{Pack::zero(), Pack::zero(), Pack::zero()};
  store(nothing, scratch.torque, longest_vector);
  for (std::uint32_t slot = 0; slot <= layout.summed_vectors; ++slot) {
    store(nothing, scratch.sums + column_of(slot) * longest_vector, longest_vector);
  }
}
