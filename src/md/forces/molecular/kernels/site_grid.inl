// All Lennard-Jones sites and charges of two molecules of the commonest shapes at once: three points
// here and three there, as in water and ethylene oxide, or two and two, and three charges at other
// points, as in carbon dioxide; included by molecular_kernels.inl.
//
// Idea:    one loop over the columns for all pairs of points. Coordinates of a neighbor are loaded
//          once instead of once for each pair, and forces stay in registers. The force on a
//          neighbor's point is stored after its pairs with all points of the molecule. If the cutoff
//          is that of centers, one comparison serves all pairs.
// Source:  water's own kernels: Lindahl, Hess, van der Spoel, J. Mol. Model. 7, 306 (2001).
// Cost:    a fifth fewer instructions than loops pair by pair; one function for each shape.
// Hazards: more points than three have more sums than there are registers.
// Others:  molecule_pairs.inl for linear and planar molecules; sum_term takes any number of points, and
//          dipoles and quadrupoles.

/// `count` neighbors; `terms`: point q there with point p here at [points p + q]. Sets what
/// `scratch.back` has of these points, or `adds` to it.
template <class Pack, GridShape shape, bool adds, bool site_cutoff, bool with_energy>
void sum_grid(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
              const SiteTerm* terms, std::size_t count, TermSums& total) {
  using Real = typename Pack::Real;
  constexpr int points = shape.points, lennard_jones_pairs = shape.lennard_jones_pairs;
  constexpr bool charges = shape.charges;
  constexpr std::size_t stride = column_stride;
  constexpr auto width = static_cast<std::size_t>(Pack::width);
  const Pack limit = Pack::all(charges ? work.cutoff_squared : work.lennard_jones_cutoff_squared);
  PackVector<Pack> own[points], force[points];
  const Real* there[points];
  Real* back[points];
  for (int p = 0; p < points; ++p) {
    own[p] = broadcast<Pack>(scratch.own + terms[points * p].point_a);
    force[p] =
        load<Pack>(scratch.sums + terms[points * p].point_a * longest_vector, longest_vector);
    there[p] = scratch.column(terms[p].point_b);
    back[p] = scratch.back_column(terms[p].point_b);
  }
  // Sums over the neighbors; the virial is that of the centers.
  Pack energy = Pack::zero(), lennard_jones = Pack::zero(), virial[6];
  for (Pack& sum : virial) sum = Pack::zero();

  for (std::size_t k = 0; k < count; k += width) {
    typename Pack::Mask near{};
    if constexpr (!site_cutoff) near = Pack(Pack::load(scratch.column(3) + k)) < limit;
    // Forces of charges are summed apart, so that they cancel before small forces are added.
    PackVector<Pack> of_charges{Pack::zero(), Pack::zero(), Pack::zero()}, of_others = of_charges;
    Pack u_charges = Pack::zero(), u_others = Pack::zero();
    PackVector<Pack> other, on_a;
    unrolled<points * points>([&]<int number>() __attribute__((always_inline)) {
      constexpr int q = number / points, p = number % points, pair = points * p + q;
      constexpr bool with_lennard_jones = pair < lennard_jones_pairs;
      if constexpr (p == 0) {
        other = load<Pack>(there[q] + k, stride);
        if constexpr (adds) {
          on_a = load<Pack>(back[q] + k, stride);
        } else {
          on_a = {Pack::zero(), Pack::zero(), Pack::zero()};
        }
      }
      const SiteTerm& term = terms[pair];
      const PackVector<Pack> d{own[p].x - other.x, own[p].y - other.y, own[p].z - other.z};
      const Pack r2 = dot(d, d);
      const typename Pack::Mask inside = site_cutoff ? r2 < limit : near;
      Pack inverse2, u_charge = Pack::zero();
      if constexpr (charges) {
        const Pack inverse = Pack::inverse_sqrt(inside, r2);
        inverse2 = inverse * inverse;
        u_charge = Pack::all(term.coefficient[3]) * inverse;
      } else {
        // Two of three reciprocals are divisions, as many as the divider can overlap with the rest.
        constexpr bool divides = number % 3 != 0;
        const Pack one = Pack::all(1.0);
        inverse2 =
            divides ? divided_inverse<Pack>(inside, r2, one) : Pack::inverse(inside, r2, one);
      }
      PairResult<Pack> result;
      Pack force_over_r = u_charge * inverse2;
      if constexpr (with_lennard_jones) {
        LennardJonesPair<Pack>(term, d).template add<with_energy>(inside, inverse2, result);
        force_over_r =
            charges ? Pack::fma(u_charge, inverse2, result.force_over_r) : result.force_over_r;
      }
      force[p] = fma(force_over_r, d, force[p]);
      on_a = fma(force_over_r, d, on_a);
      if constexpr (p + 1 == points) store(on_a, back[q] + k, stride);
      if constexpr (with_energy) {
        if constexpr (charges) {
          of_charges = fma(u_charge * inverse2, d, of_charges);
          u_charges = u_charges + u_charge;
        }
        if constexpr (with_lennard_jones) {
          of_others = fma(result.force_over_r, d, of_others);
          u_others = u_others + result.energy;
        }
      }
    });
    if constexpr (with_energy) {
      const Pack weight = Pack::load(scratch.weights + k);
      energy = Pack::fma(weight, u_charges + u_others, energy);
      lennard_jones = Pack::fma(weight, u_others, lennard_jones);
      const PackVector<Pack> f =
          weight * PackVector<Pack>{of_charges.x + of_others.x, of_charges.y + of_others.y,
                                    of_charges.z + of_others.z};
      add_center_virial(load<Pack>(scratch.column(0) + k, stride), f, virial);
    }
  }
  for (int p = 0; p < points; ++p) {
    store(force[p], scratch.sums + terms[points * p].point_a * longest_vector, longest_vector);
  }
  if constexpr (with_energy) {
    total.energy += energy.sum();
    total.lennard_jones += lennard_jones.sum();
    for (int k = 0; k < 6; ++k) total.virial[k] += virial[k].sum();
  }
}

/// Calls function.operator()<shape>() with the shape of the grid, if it is one.
template <class Function>
void with_grid(SiteGrid grid, const Function& function) {
  constexpr int count = static_cast<int>(SiteGrid::one_lennard_jones) + 1;
  unrolled<count - 1>([&]<int k>() {
    constexpr auto one = static_cast<SiteGrid>(k + 1);
    if (grid == one) function.template operator()<shape_of(one)>();
  });
}

/// Sums the interactions of the grids of two components. Returns the first of the other terms.
template <class Pack, bool site_cutoff, bool with_energy>
const SiteTerm* sum_site_grids(const MolecularWork& work,
                               const MolecularScratch<typename Pack::Real>& scratch,
                               const SiteGrids& grids, const SiteTerm* terms, std::size_t count,
                               TermSums& total) {
  with_grid(grids.first, [&]<GridShape shape>() {
    sum_grid<Pack, shape, false, site_cutoff, with_energy>(work, scratch, terms, count, total);
    terms += shape.points * shape.points;
  });
  if (grids.of_three_charges) {
    constexpr GridShape shape{.points = 3, .charges = true, .lennard_jones_pairs = 0};
    sum_grid<Pack, shape, true, site_cutoff, with_energy>(work, scratch, terms, count, total);
    terms += 9;
  }
  return terms;
}
