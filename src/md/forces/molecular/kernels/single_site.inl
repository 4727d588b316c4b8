// Molecules of one kind that meet by one Lennard-Jones site each, such as water whose charges a
// long-range solver has; included by molecular_kernels.inl.
//
// Idea:    with one pair of sites there is nothing to gain from columns that many terms share. The
//          row is walked through once, each vector of neighbors with those beyond the cutoff masked.
// Source:  general.
// Cost:    half of the way through columns, as neighbors are loaded once instead of twice. Lists are
//          full: giving neighbors a force and a torque takes longer than computing the pair again.
// Hazards: none.
// Others:  shared_rows.inl in single precision; compute_molecules for all other molecules.

/// Whether any two molecules interact by a single Lennard-Jones pair.
inline bool meet_by_single_sites(const MolecularWork& work) {
  return work.component_count == 1 && work.term_begin[1] - work.term_begin[0] == 1 &&
         work.terms[0].kind == SitePair::lennard_jones;
}

template <class Pack, bool site_cutoff, bool with_energy>
void compute_single_sites(MolecularWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  using Real = typename Pack::Real;
  using Traits = RowTraits<Pack>;
  constexpr auto width = static_cast<std::size_t>(Pack::width);
  const PairWork& rows = work.rows;
  const SiteTerm& term = work.terms[0];
  const bool at_center = term.point_a < first_vector_column;
  const LennardJonesPair<Pack> interaction(term, {Pack::zero(), Pack::zero(), Pack::zero()});
  const Pack limit = Pack::all(work.lennard_jones_cutoff_squared);
  const std::size_t to_site = at_center ? 0 : term.point_a - first_vector_column;
  const Real* const sites = records<Pack>(work) + to_site;
  const auto stride = static_cast<std::uint32_t>(work.record_stride >> Traits::offset_shift);
  const std::uint32_t dummy = rows.total << Traits::offset_shift;
  const CenterDistance<Pack> distance(rows);
  TermSums totals;

  constexpr std::size_t piece = 1024;
  alignas(64) std::uint32_t decoded[piece + longest_vector];
  alignas(64) std::uint32_t place[longest_vector];

  for (std::size_t c = 0; c < cell_count; ++c) {
    const CellRange cell = rows.cells[cells[c]];
    alignas(64) std::uint32_t begins[32];
    if (rows.compressed != nullptr) gather_begins(rows, cells[c], begins);
    const RowDecoder<Traits::offset_shift> decode(begins);
    for (std::uint32_t i = cell.begin; i < cell.begin + cell.count; ++i) {
      const typename Traits::Center center(rows, i);
      const Real* const own = sites + i * work.record_stride;
      PackVector<Pack> site{Pack::zero(), Pack::zero(), Pack::zero()};
      if (!at_center) site = broadcast<Pack>(own);
      PackVector<Pack> force{Pack::zero(), Pack::zero(), Pack::zero()};
      Pack energy = Pack::zero();
      Pack virial[6];
      for (Pack& sum : virial) sum = Pack::zero();

      const std::size_t first = rows.row_begin[i];
      const std::size_t length = rows.row_begin[i + 1] - first;
      for (std::size_t start = 0; start < length; start += piece) {
        const std::size_t count = length - start < piece ? length - start : piece;
        if (rows.compressed != nullptr) {
          decode(rows.compressed + first + start, count, decoded);
        } else {
          for (std::size_t k = 0; k < count; ++k) {
            decoded[k] = rows.plain[first + start + k] << Traits::offset_shift;
          }
        }
        for (std::size_t k = 0; k < longest_vector; ++k) decoded[count + k] = dummy;
        for (std::size_t k = 0; k < count; k += width) {
          const PackVector<Pack> centers = distance(center, decoded + k);
          PackVector<Pack> other = centers;
          if (!at_center) {
            for (std::size_t lane = 0; lane < width; ++lane) {
              place[lane] = decoded[k + lane] * stride;
            }
            Pack four[4];
            Pack::load_four(sites, place, four);
            other = {four[0] + centers.x, four[1] + centers.y, four[2] + centers.z};
          }
          PairDistance<Pack> pair;
          pair.d = {site.x - other.x, site.y - other.y, site.z - other.z};
          pair.r2 = dot(pair.d, pair.d);
          pair.inside = (site_cutoff ? pair.r2 : dot(centers, centers)) < limit;
          PairResult<Pack> result;
          interaction.template operator()<with_energy>(pair, site, result);
          force = fma(result.force_over_r, pair.d, force);
          if constexpr (with_energy) {
            energy = energy + result.energy;
            const PackVector<Pack> f = result.force_over_r * pair.d;
            add_center_virial(centers, f, virial);
          }
        }
      }
      const Vec3 total{force.x.sum(), force.y.sum(), force.z.sum()};
      Vec3 torque;
      if (!at_center) {
        const Vec3 arm{static_cast<double>(own[0]), static_cast<double>(own[1]),
                       static_cast<double>(own[2])};
        torque = {arm.y * total.z - arm.z * total.y, arm.z * total.x - arm.x * total.z,
                  arm.x * total.y - arm.y * total.x};
      }
      work.force[i] = total;
      work.torque[i] = torque;
      if constexpr (with_energy) {
        // Sums are in double precision, because a sum over many molecules would lose digits.
        totals.energy += energy.sum();
        for (int q = 0; q < 6; ++q) totals.virial[q] += virial[q].sum();
      }
    }
  }
  // Full lists contain each pair twice.
  work.energy += 0.5 * totals.energy;
  work.lennard_jones += 0.5 * totals.energy;
  for (int q = 0; q < 6; ++q) work.virial[q] += 0.5 * totals.virial[q];
}
