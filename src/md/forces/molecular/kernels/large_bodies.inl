// Sites that are looked up in the cells of a large body; included by molecular_kernels.inl.
//
// Idea:    a site of the neighbor is turned into the body's frame. There it looks at the rows of
//          cells that its cutoff touches. The sites of a row are consecutive, so a vector takes them
//          without any gather. The force on the site is enough: forces are central, so the torque on
//          the body is that of the opposite force at the same place.
// Cost:    a square root for each row of cells in reach, and 15 operations for each site of these.
// Hazards: in single precision a distance has the rounding of the body's size, not of the cutoff.
// Others:  loops over the columns of all sites, which look at those beyond the cutoff, too.

/// The force on a site at `place` of the body's frame, in this frame, and the energies.
struct ForceInBody {
  double force[3];
  double energy, lennard_jones;
};

template <class Pack>
const typename Pack::Real* body_numbers(const MolecularWork& work) {
  if constexpr (sizeof(typename Pack::Real) == sizeof(double)) {
    return work.body_numbers;
  } else {
    return work.body_numbers_single;
  }
}

/// Whether a point is so near the sites of a body that it must look them up.
inline bool reaches(const LargeBody& body, const double (&place)[3], double cutoff) {
  for (int axis = 0; axis < 3; ++axis) {
    const double from_low = place[axis] - body.low[axis];
    if (from_low < -cutoff || from_low > body.edge * body.count[axis] + cutoff) return false;
  }
  return true;
}

/// The cells between two distances from a body's first corner.
struct CellsOfBody {
  int begin, end;
  CellsOfBody(const LargeBody& body, int axis, double from, double to) {
    const double per_edge = 1.0 / body.edge;
    begin = from > 0.0 ? static_cast<int>(from * per_edge) : 0;
    end = to < 0.0 ? 0 : static_cast<int>(to * per_edge) + 1;
    end = end < body.count[axis] ? end : body.count[axis];
  }
};

/// The square of the distance of a point from a cell, along one axis.
inline double squared_gap(const LargeBody& body, int cell, double from_low) {
  const double below = cell * body.edge - from_low, above = from_low - (cell + 1) * body.edge;
  const double gap = below > above ? below : above;
  return gap > 0.0 ? gap * gap : 0.0;
}

template <class Pack, bool with_charges, bool with_energy>
ForceInBody force_in_body(const MolecularWork& work, const LargeBody& body, const BodyProbe& probe,
                          const double (&place)[3]) {
  using Real = typename Pack::Real;
  const Real* const sites = body_numbers<Pack>(work) + body.sites;
  const Real* const table = body_numbers<Pack>(work) + probe.table;
  const std::size_t stride = body.stride;
  // A cell may be chosen by rounded numbers, so the cutoff that chooses is a little longer.
  const double cutoff2 = work.cutoff_squared * (1.0 + 1e-6);
  const double cutoff = __builtin_sqrt(cutoff2);
  const Pack limit = Pack::all(work.lennard_jones_cutoff_squared);
  const Pack limit_of_charges = Pack::all(work.cutoff_squared);
  const Pack charge = Pack::all(probe.charge);
  const PackVector<Pack> at{Pack::all(place[0]), Pack::all(place[1]), Pack::all(place[2])};
  const double x = place[0] - body.low[0], y = place[1] - body.low[1], z = place[2] - body.low[2];
  PackVector<Pack> force{Pack::zero(), Pack::zero(), Pack::zero()};
  Pack energy = Pack::zero(), lennard_jones = Pack::zero();
  const CellsOfBody planes(body, 2, z - cutoff, z + cutoff);
  const CellsOfBody lines(body, 1, y - cutoff, y + cutoff);
  for (int plane = planes.begin; plane < planes.end; ++plane) {
    const double left = cutoff2 - squared_gap(body, plane, z);
    for (int line = lines.begin; line < lines.end; ++line) {
      const double rest = left - squared_gap(body, line, y);
      if (rest <= 0.0) continue;
      const double half = __builtin_sqrt(rest);
      const CellsOfBody cells(body, 0, x - half, x + half);
      if (cells.begin >= cells.end) continue;
      const auto row = static_cast<std::size_t>(plane * body.count[1] + line);
      const std::uint32_t* const begins =
          work.body_cells + body.cell_begin + row * static_cast<std::size_t>(body.count[0] + 1);
      // Sites before and behind these cells are beyond the cutoff, or far away.
      const std::size_t end = begins[cells.end];
      constexpr auto width = static_cast<std::size_t>(Pack::width);
      for (std::size_t k = begins[cells.begin] / width * width; k < end; k += width) {
        const PackVector<Pack> other = load<Pack>(sites + k, stride);
        const PackVector<Pack> d = at - other;
        const Pack r2 = dot(d, d);
        const typename Pack::Mask inside = r2 < limit;
        const LennardJonesPair<Pack> interaction(Pack::load(table + k),
                                                 Pack::load(table + stride + k),
                                                 Pack::load(table + 2 * stride + k));
        PairResult<Pack> result;
        interaction.template add<with_energy>(inside, Pack::inverse(inside, r2, Pack::all(1.0)),
                                              result);
        if constexpr (with_energy) lennard_jones = lennard_jones + result.energy;
        if constexpr (with_charges) {
          const Pack inverse = Pack::inverse_sqrt(r2 < limit_of_charges, r2);
          const Pack u = charge * Pack::load(sites + 3 * stride + k) * inverse;
          result.force_over_r = Pack::fma(u, inverse * inverse, result.force_over_r);
          if constexpr (with_energy) energy = energy + u;
        }
        force = fma(result.force_over_r, d, force);
      }
    }
  }
  const double of_wells = lennard_jones.sum();
  return {{force.x.sum(), force.y.sum(), force.z.sum()}, energy.sum() + of_wells, of_wells};
}

/// A sum of the axes of a molecule, whose record is given.
template <class Real>
void sum_of_axes(const Real* record, std::uint32_t axes, const double* along, double (&sum)[3]) {
  for (int q = 0; q < 3; ++q) sum[q] = 0.0;
  for (std::uint32_t r = 0; r < axes; ++r) {
    for (int q = 0; q < 3; ++q) sum[q] += along[r] * static_cast<double>(record[4 * r + q]);
  }
}

inline void add_cross(const double (&a)[3], const double (&b)[3], double factor, double (&sum)[3]) {
  sum[0] += factor * (a[1] * b[2] - a[2] * b[1]);
  sum[1] += factor * (a[2] * b[0] - a[0] * b[2]);
  sum[2] += factor * (a[0] * b[1] - a[1] * b[0]);
}

/// Sums the interactions of molecule i with the listed neighbors, where one of the two is a large
/// body.
template <class Pack, bool with_energy>
void sum_bodies(const MolecularWork& work, std::size_t i, std::size_t b, const std::uint32_t* list,
                std::size_t count, TermSums& total) {
  using Traits = RowTraits<Pack>;
  using Real = typename Pack::Real;
  const PairWork& rows = work.rows;
  const Real* const all = records<Pack>(work);
  const auto a = static_cast<std::size_t>(rows.position[i].type);
  const BodyPair& pair = work.body_pairs[a * work.component_count + b];
  const LargeBody& body = work.bodies[pair.first_is_body ? a : b];
  const SiteLayout& layout = work.layouts[pair.first_is_body ? b : a];
  const double cutoff = __builtin_sqrt(work.cutoff_squared) * (1.0 + 1e-6);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t j = list[k] >> Traits::offset_shift;
    const std::size_t large = pair.first_is_body ? i : j, other = pair.first_is_body ? j : i;
    const Real* const axes = all + large * work.record_stride;
    const Real* const of_other = all + other * work.record_stride;
    const Position& to = rows.position[other];
    const Position& from = rows.position[large];
    const double apart[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
    double force[3] = {}, torque[3] = {}, torque_of_other[3] = {};
    double energy = 0.0, lennard_jones = 0.0;
    for (std::size_t n = pair.probe_begin; n < pair.probe_end; ++n) {
      const BodyProbe& probe = work.body_probes[n];
      double arm[3], in_lab[3], place[3];
      sum_of_axes(of_other, layout.record_vectors, probe.place.along, arm);
      for (int q = 0; q < 3; ++q) in_lab[q] = apart[q] + arm[q];
      for (std::size_t r = 0; r < 3; ++r) {
        place[r] = 0.0;
        for (std::size_t q = 0; q < 3; ++q) {
          place[r] += in_lab[q] * static_cast<double>(axes[4 * r + q]);
        }
      }
      if (!reaches(body, place, cutoff)) continue;
      const ForceInBody found =
          pair.with_charges ? force_in_body<Pack, true, with_energy>(work, body, probe, place)
                            : force_in_body<Pack, false, with_energy>(work, body, probe, place);
      double on_site[3];
      sum_of_axes(axes, 3, found.force, on_site);
      for (int q = 0; q < 3; ++q) force[q] += on_site[q];
      add_cross(arm, on_site, 1.0, torque_of_other);
      add_cross(in_lab, on_site, -1.0, torque);
      energy += found.energy;
      lennard_jones += found.lennard_jones;
    }
    Traits::add(rows, other, force[0], force[1], force[2]);
    Traits::add(rows, large, -force[0], -force[1], -force[2]);
    Traits::add(work.torques, large, torque[0], torque[1], torque[2]);
    if (layout.record_vectors > 0) {
      Traits::add(work.torques, other, torque_of_other[0], torque_of_other[1], torque_of_other[2]);
    }
    if constexpr (with_energy) {
      // As in full lists, which have pairs of this rank twice.
      const double weight = j < rows.whole_below ? 2.0 : 1.0;
      total.energy += weight * energy;
      total.lennard_jones += weight * lennard_jones;
      for (int q = 0; q < 3; ++q) total.virial[q] += weight * apart[q] * force[q];
      total.virial[3] += weight * apart[1] * force[0];
      total.virial[4] += weight * apart[2] * force[0];
      total.virial[5] += weight * apart[2] * force[1];
    }
  }
}
