// Molecules of one kind that meet by a grid of sites (site_grid.inl), such as water with a reaction
// field; included by molecular_kernels.inl.
//
// Idea:    molecules that are close to each other share a row of a half list. The sites of as many
//          neighbors as a vector holds are loaded into registers once for the whole row. Each pair
//          is computed once, and the forces of the row on a neighbor's sites are stored once.
// Source:  as pair_kernels.inl and site_grid.inl.
// Cost:    pairs beyond the cutoff, which a neighbor has with some molecules of the row: in a liquid
//          half as many as those within. No pass chooses neighbors, and nothing is copied.
// Hazards: coordinates are from the first molecule of the row, so in single precision distances are
//          exact to 2^-24 of the radius of the list.
// Others:  compute_molecules for mixtures, and where there are dipoles and quadrupoles.

/// A molecule of a row: its center and the points of its grid, from the center of the row's first
/// molecule, and the forces on these points, of which each lane is a part.
template <int points>
struct RowMember {
  std::size_t molecule;
  float center[3];
  float point[points][3];
  PackVector<FloatPack> force[points];
};

/// The center of molecule i relative to the center of the grid.
inline Vec3 center_of(const PairWork& rows, std::size_t i) {
  const FixedPosition& p = rows.fixed_position[i];
  return rows.fixed_scale *
         Vec3{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

/// Adds to the force on a point of molecule i.
inline void add_to_point(const MolecularWork& work, std::uint32_t column, std::size_t i,
                         const PackVector<FloatPack>& f) {
  const FloatPack of_axes[3] = {f.x, f.y, f.z};
  double sums[3];
  FloatPack::sums(of_axes, sums);
  SingleForce& sum = work.point_force[slot_of(column) * work.point_stride + i];
  sum = {sum.x + static_cast<float>(sums[0]), sum.y + static_cast<float>(sums[1]),
         sum.z + static_cast<float>(sums[2]), 0.0f};
}

/// Subtracts from the forces on a point of as many neighbors as a vector holds.
[[gnu::always_inline]] inline void subtract_from_points(const MolecularWork& work,
                                                        std::uint32_t column,
                                                        const std::uint32_t* offsets,
                                                        const PackVector<FloatPack>& f) {
  SingleForce* const forces = work.point_force + slot_of(column) * work.point_stride;
  FloatPack::subtract_from_records(&forces->x, offsets, f.x, f.y, f.z);
}

/// Two thirds of 1/r^3 where the mask is set, 0 elsewhere.
[[gnu::always_inline]] inline FloatPack two_thirds_of_inverse_cube(FloatPack::Mask mask,
                                                                   FloatPack r2) {
  FloatPack result;
  part(result, 0) = two_thirds_of_inverse_root_cubed(part(r2, 0));
  return FloatPack::select(mask, result);
}

/// Computes the rows of some cells. For the arguments see `sum_grid`.
template <GridShape shape, bool site_cutoff, bool with_energy>
class SharedRows {
  using Pack = FloatPack;
  using Traits = RowTraits<Pack>;
  static constexpr int points = shape.points;
  static constexpr bool charges = shape.charges;
  using Member = RowMember<points>;
  static constexpr int pairs = points * points;
  static constexpr bool has_lennard_jones(int pair) { return pair < shape.lennard_jones_pairs; }

 public:
  explicit SharedRows(MolecularWork& work)
      : work_(work),
        rows_(work.rows),
        distance_(rows_),
        stride_(static_cast<std::uint32_t>(work.record_stride >> Traits::offset_shift)),
        limit_(Pack::all(charges ? work.cutoff_squared : work.lennard_jones_cutoff_squared)),
        range_(Pack::all(work.range_squared)) {
    for (int p = 0; p < points; ++p) {
      column_[p] = work.terms[p].point_b;
      at_center_[p] = column_[p] < first_vector_column;
      sites_[p] = work.sites_single + (at_center_[p] ? 0 : column_[p] - first_vector_column);
    }
    for (int pair = 0; pair < pairs; ++pair) {
      const double* const coefficient = work.terms[pair].coefficient;
      twelve_c12_[pair] = Pack::all(coefficient[0]);
      six_c6_[pair] = Pack::all(coefficient[1]);
      energy_shift_[pair] = Pack::all(coefficient[2]);
      // Charges without Lennard-Jones use two thirds of 1/r^3, so their product gets the factor
      // 3/2.
      product_[pair] = Pack::all((has_lennard_jones(pair) ? 1.0 : 1.5) * coefficient[3]);
    }
    for (Pack& sum : virial_) sum = Pack::zero();
    energy_ = lennard_jones_ = Pack::zero();
  }

  void compute(const std::uint32_t* cells, std::size_t cell_count) {
    Decoder<Pack> decode(rows_);
    for (std::size_t c = 0; c < cell_count; ++c) {
      const CellRange cell = rows_.cells[cells[c]];
      decode.go_to_cell(cells[c]);
      const std::uint32_t groups = group_count(cell.count, rows_.group);
      const std::uint32_t* const begins = rows_.row_begin + first_row(rows_, cells[c]);
      for (std::uint32_t g = 0; g < groups; ++g) {
        const std::size_t first = begins[g], count = begins[g + 1] - first;
        compute_row(decode(first, count), count, size_of_group(cell.count, groups, g));
        // Sums are in double precision, because a sum over many molecules would lose digits.
        if constexpr (with_energy) add_sums();
      }
    }
    // Sums were weighted as in full lists, which contain each pair twice.
    work_.energy += 0.5 * total_.energy;
    work_.lennard_jones += 0.5 * total_.lennard_jones;
    for (int k = 0; k < 6; ++k) work_.virial[k] += 0.5 * total_.virial[k];
  }

 private:
  void take_member(std::size_t molecule, const Vec3& origin, Member& member) const {
    member.molecule = molecule;
    const Vec3 center = center_of(rows_, molecule) - origin;
    for (int axis = 0; axis < 3; ++axis) {
      member.center[axis] = static_cast<float>(center[axis]);
      for (int p = 0; p < points; ++p) {
        const float* const site = sites_[p] + molecule * work_.record_stride;
        member.point[p][axis] =
            at_center_[p] ? member.center[axis]
                          : static_cast<float>(center[axis] + static_cast<double>(site[axis]));
      }
    }
    for (PackVector<Pack>& force : member.force) {
      force = {Pack::zero(), Pack::zero(), Pack::zero()};
    }
  }

  void compute_row(const std::uint32_t* entries, std::size_t count, std::uint32_t size) {
    Member members[largest_group];
    const std::size_t first = entries[0] >> Traits::offset_shift;
    const Vec3 origin = center_of(rows_, first);
    for (std::uint32_t q = 0; q < size; ++q) {
      take_member(entries[q] >> Traits::offset_shift, origin, members[q]);
    }
    const Traits::Center center(rows_, first);
    alignas(64) std::uint32_t place[longest_vector];
    for (std::size_t k = 0; k < count; k += static_cast<std::size_t>(Pack::width)) {
      const PackVector<Pack> at = distance_(center, entries + k);
      for (int lane = 0; lane < Pack::width; ++lane) place[lane] = entries[k + lane] * stride_;
      PackVector<Pack> other[points], back[points];
      for (int r = 0; r < points; ++r) {
        other[r] = at;
        if (!at_center_[r]) {
          Pack four[4];
          Pack::load_four(sites_[r], place, four);
          other[r] = {at.x + four[0], at.y + four[1], at.z + four[2]};
        }
        back[r] = {Pack::zero(), Pack::zero(), Pack::zero()};
      }
      Pack weight = Pack::zero();
      if constexpr (with_energy) weight = weights<Pack>(rows_, entries + k);
      for (std::uint32_t q = 0; q < size; ++q) {
        const PackVector<Pack> own = broadcast<Pack>(members[q].center);
        const PackVector<Pack> d{at.x - own.x, at.y - own.y, at.z - own.z};
        Pack::Mask near = dot(d, d) < (site_cutoff ? range_ : limit_);
        // The first neighbors are the row's own molecules; count each pair of them once.
        for (int lane = 0; k == 0 && lane <= static_cast<int>(q); ++lane) {
          near = Pack::without(near, lane);
        }
        if (Pack::bits(near) != 0) meet(members[q], d, near, other, weight, back);
      }
      for (int r = 0; r < points; ++r) {
        subtract_from_points(work_, column_[r], entries + k, back[r]);
      }
    }
    for (std::uint32_t q = 0; q < size; ++q) {
      for (int p = 0; p < points; ++p) {
        add_to_point(work_, column_[p], members[q].molecule, members[q].force[p]);
      }
    }
  }

  [[gnu::always_inline]] void meet(Member& member, const PackVector<Pack>& d, Pack::Mask near,
                                   const PackVector<Pack> (&other)[points], Pack weight,
                                   PackVector<Pack> (&back)[points]) {
    // Forces of charges are summed apart, so that they cancel before small forces are added.
    PackVector<Pack> of_charges{Pack::zero(), Pack::zero(), Pack::zero()}, of_others = of_charges;
    Pack u_charges = Pack::zero(), u_others = Pack::zero();
    unrolled<points>([&]<int p>() __attribute__((always_inline)) {
      const PackVector<Pack> own = broadcast<Pack>(member.point[p]);
      PackVector<Pack> force = member.force[p];
      unrolled<points>([&]<int r>() __attribute__((always_inline)) {
        constexpr int pair = points * p + r;
        constexpr bool with_lennard_jones = has_lennard_jones(pair);
        const PackVector<Pack> e{own.x - other[r].x, own.y - other[r].y, own.z - other[r].z};
        const Pack r2 = dot(e, e);
        Pack::Mask inside = near;
        if constexpr (site_cutoff) inside = Pack::keep(r2 < limit_, Pack::bits(near));
        // Forces of charges and of Lennard-Jones sites, over the distance.
        Pack charge_force = Pack::zero(), u_charge = Pack::zero(), inverse2;
        if constexpr (charges && with_lennard_jones) {
          const Pack inverse = Pack::inverse_sqrt(inside, r2);
          inverse2 = inverse * inverse;
          u_charge = product_[pair] * inverse;
          charge_force = u_charge * inverse2;
        } else if constexpr (charges) {
          charge_force = product_[pair] * two_thirds_of_inverse_cube(inside, r2);
          if constexpr (with_energy) u_charge = charge_force * r2;
        } else {
          inverse2 = Pack::inverse(inside, r2, Pack::all(1.0));
        }
        PairResult<Pack> result;
        Pack force_over_r = charge_force;
        if constexpr (with_lennard_jones) {
          const LennardJonesPair<Pack> interaction{twelve_c12_[pair], six_c6_[pair],
                                                   energy_shift_[pair]};
          interaction.template add<with_energy>(inside, inverse2, result);
          force_over_r = charges ? charge_force + result.force_over_r : result.force_over_r;
        }
        force = fma(force_over_r, e, force);
        back[r] = fma(force_over_r, e, back[r]);
        if constexpr (with_energy) {
          if constexpr (charges) {
            of_charges = fma(charge_force, e, of_charges);
            u_charges = u_charges + u_charge;
          }
          if constexpr (with_lennard_jones) {
            of_others = fma(result.force_over_r, e, of_others);
            u_others = u_others + result.energy;
          }
        }
      });
      member.force[p] = force;
    });
    if constexpr (with_energy) {
      energy_ = Pack::fma(weight, u_charges + u_others, energy_);
      lennard_jones_ = Pack::fma(weight, u_others, lennard_jones_);
      const PackVector<Pack> f =
          weight * PackVector<Pack>{of_charges.x + of_others.x, of_charges.y + of_others.y,
                                    of_charges.z + of_others.z};
      add_center_virial(d, f, virial_);
    }
  }

  void add_sums() {
    total_.energy += energy_.sum();
    total_.lennard_jones += lennard_jones_.sum();
    for (int k = 0; k < 6; ++k) total_.virial[k] += virial_[k].sum();
    energy_ = lennard_jones_ = Pack::zero();
    for (Pack& sum : virial_) sum = Pack::zero();
  }

  MolecularWork& work_;
  const PairWork& rows_;
  CenterDistance<Pack> distance_;
  std::uint32_t stride_;
  Pack limit_, range_;
  std::uint32_t column_[points];
  bool at_center_[points];
  const float* sites_[points];
  Pack twelve_c12_[pairs], six_c6_[pairs], energy_shift_[pairs], product_[pairs];
  Pack energy_, lennard_jones_, virial_[6];  ///< sums over the present row
  TermSums total_;
};

/// Whether molecules share rows. By measurement it is faster than columns in single precision in
/// wide registers.
template <class Pack>
constexpr bool shares_rows = sizeof(typename Pack::Real) == sizeof(float) && vector_bytes >= 32;

template <bool site_cutoff, bool with_energy>
void compute_shared_rows(MolecularWork& work, const std::uint32_t* cells, std::size_t cell_count) {
  with_grid(work.site_grids[0].first, [&]<GridShape shape>() {
    SharedRows<shape, site_cutoff, with_energy>(work).compute(cells, cell_count);
  });
}
