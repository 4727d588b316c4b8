// All interactions of two molecules of the commonest shapes in one loop over the neighbors: of linear
// ones, such as carbon dioxide and nitrogen, and of planar ones of three sites, such as ethylene
// oxide; included by molecular_kernels.inl.
//
// Idea:    only the axes of a neighbor come from memory, of which its sites are sums, and only a force
//          and a torque go back. Everything between stays in registers. The energy of two linear molecules
//          depends on four numbers: the squared distance of the centers, and the products of the axes
//          with each other and with the way between the centers. These give the distance of any two
//          sites by two operations, and four derivatives give both forces and torques. Of planar
//          molecules the torque on the neighbor follows from force and torque on the molecule, as
//          angular momentum is conserved.
// Source:  forces and torques from derivatives by such products: Price, Stone, Alderton, Mol. Phys. 52,
//          987 (1984); Allen, Germano, Mol. Phys. 104, 3225 (2006).
// Cost:    some 15 operations for a pair of Lennard-Jones sites of linear molecules, where a grid of
//          points takes 22. Each shape has a function of its own.
// Hazards: squared distances of sites of linear molecules are differences: molecules many times longer
//          than thick lose digits in single precision.
// Others:  site_grid.inl and sum_term take any shape, and cutoffs of sites.

/// For a vector of pairs: the vectors between the centers, and which pairs interact.
template <class Pack>
struct CenterPair {
  PackVector<Pack> d;
  Pack r2;
  typename Pack::Mask lennard_jones, charges;
};

/// The results of a vector of pairs of molecules. The loop's `torque_of` makes the torque on the
/// molecule from `turning`.
template <class Pack>
struct MoleculePair {
  PackVector<Pack> force, turning;  ///< force on the molecule
  PackVector<Pack> torque_taken;    ///< minus the torque on the neighbor
  Pack of_lennard_jones = Pack::zero(), of_charges = Pack::zero();  ///< energies
  Pack reaction_field = Pack::zero();  ///< the reaction field's part of `of_charges`
};

/// The force over the distance of a pair of sites.
template <class Pack, bool charges, bool lennard_jones, bool divides, bool with_energy>
[[gnu::always_inline]] inline Pack site_force_over_r(const SiteTerm& term, const Pack& r2,
                                                     const CenterPair<Pack>& centers,
                                                     MoleculePair<Pack>& result) {
  const typename Pack::Mask inside = charges ? centers.charges : centers.lennard_jones;
  PairResult<Pack> pair;
  if constexpr (charges) {
    const Pack inverse = Pack::inverse_sqrt(inside, r2);
    const Pack inverse2 = inverse * inverse;
    const Pack u = Pack::all(term.coefficient[3]) * inverse;
    if constexpr (with_energy) result.of_charges = result.of_charges + u;
    if constexpr (!lennard_jones) return u * inverse2;
    LennardJonesPair<Pack>(term, PackVector<Pack>{})
        .template add<with_energy>(inside, inverse2, pair);
    pair.force_over_r = Pack::fma(u, inverse2, pair.force_over_r);
  } else {
    const Pack one = Pack::all(1.0);
    const Pack inverse2 =
        divides ? divided_inverse<Pack>(inside, r2, one) : Pack::inverse(inside, r2, one);
    LennardJonesPair<Pack>(term, PackVector<Pack>{})
        .template add<with_energy>(inside, inverse2, pair);
  }
  if constexpr (with_energy) result.of_lennard_jones = result.of_lennard_jones + pair.energy;
  return pair.force_over_r;
}

/// The molecule whose neighbors the loop visits.
template <class Pack>
struct MoleculeHere {
  const SiteLayout& layout;
  const typename Pack::Real* record;
};

/// Linear molecules, with axes of length one: A of this molecule and B of the neighbor.
template <class Pack, SiteGrids grids>
class LinearPairs {
 public:
  static constexpr std::size_t axes = 1;
  LinearPairs(const MolecularWork& work, const MolecularScratch<typename Pack::Real>&,
              const MoleculeHere<Pack>& here, const SiteLayout& there, const SiteTerm* terms)
      : terms_(terms),
        here_(work.vectors + here.layout.vector_begin),
        there_(work.vectors + there.vector_begin),
        axis_(broadcast<Pack>(here.record)) {}

  template <bool with_energy>
  [[gnu::always_inline]] void operator()(const CenterPair<Pack>& centers,
                                         const PackVector<Pack> (&axes_there)[axes],
                                         MoleculePair<Pack>& result) const {
    const PackVector<Pack>&a = axis_, &b = axes_there[0], &d = centers.d;
    const Products products{dot(a, d), dot(b, d), dot(a, b)};
    Derivatives sums;
    constexpr GridShape first = shape_of(grids.first);
    add_grid<first, true, with_energy>(terms_, centers, products, sums, result);
    const SiteTerm* const rest = terms_ + first.points * first.points;
    if constexpr (grids.of_three_charges) {
      add_grid<GridShape{3, true, 0}, false, with_energy>(rest, centers, products, sums, result);
    }
    if constexpr (grids.multipole == CentralMultipole::dipole) {
      add_dipoles<with_energy>(*rest, centers, products, sums, result);
    } else if constexpr (grids.multipole == CentralMultipole::quadrupole) {
      add_quadrupoles<with_energy>(*rest, centers, products, sums, result);
    }
    result.force = fnma(sums.by_d, d, fma(sums.by_a, a, sums.by_b * b));
    result.turning = fnma(sums.by_a, d, sums.by_both * b);
    result.torque_taken = cross(fnma(sums.by_b, d, sums.by_both * a), b);
  }
  PackVector<Pack> torque_of(const PackVector<Pack>& turning) const {
    return cross(axis_, turning);
  }

 private:
  struct Products {
    Pack a_d, b_d, a_b;
  };
  /// Minus the derivatives of the energy with respect to d^2 / 2, A.(-d), B.(-d) and A.B.
  struct Derivatives {
    Pack by_d, by_a, by_b, by_both;
  };
  Pack along(const SiteVector* vectors, std::uint32_t column) const {
    return Pack::all(vectors[slot_of(column)].along[0]);
  }

  template <GridShape shape, bool sets, bool with_energy>
  [[gnu::always_inline]] void add_grid(const SiteTerm* terms, const CenterPair<Pack>& centers,
                                       const Products& products, Derivatives& sums,
                                       MoleculePair<Pack>& result) const {
    constexpr int points = shape.points;
    const Pack two = Pack::all(2.0);
    Pack place_a[points], from_center[points];
    unrolled<points>([&]<int p>() __attribute__((always_inline)) {
      place_a[p] = along(here_, terms[points * p].point_a);
      from_center[p] = Pack::fma(place_a[p], Pack::fnma(two, products.a_d, place_a[p]), centers.r2);
    });
    unrolled<points>([&]<int q>() __attribute__((always_inline)) {
      const Pack b = along(there_, terms[q].point_b);
      const Pack beyond = b * Pack::fma(two, products.b_d, b);
      const Pack slope = Pack::all(-2.0) * b * products.a_b;
      Pack sum, sum_a;
      unrolled<points>([&]<int p>() __attribute__((always_inline)) {
        constexpr int pair = points * p + q;
        const Pack r2 = Pack::fma(place_a[p], slope, from_center[p] + beyond);
        const Pack s =
            site_force_over_r<Pack, shape.charges, (pair < shape.lennard_jones_pairs),
                              pair % 3 != 0, with_energy>(terms[pair], r2, centers, result);
        if constexpr (p == 0) {
          sum = s;
          sum_a = place_a[p] * s;
        } else {
          sum = sum + s;
          sum_a = Pack::fma(place_a[p], s, sum_a);
        }
      });
      if constexpr (sets && q == 0) {
        sums = {sum, sum_a, Pack::zero() - b * sum, Pack::zero() - b * sum_a};
      } else {
        sums.by_d = sums.by_d + sum;
        sums.by_a = sums.by_a + sum_a;
        sums.by_b = Pack::fnma(b, sum, sums.by_b);
        sums.by_both = Pack::fnma(b, sum_a, sums.by_both);
      }
    });
  }

  /// u = m (y^3 A.B - 3 y^5 (A.d) (B.d) - k A.B), m the product of the moments, y = 1/|d|, k as in
  /// DipoleDipolePair.
  template <bool with_energy>
  [[gnu::always_inline]] void add_dipoles(const SiteTerm& term, const CenterPair<Pack>& centers,
                                          const Products& products, Derivatives& sums,
                                          MoleculePair<Pack>& result) const {
    const Pack m = along(here_, term.direction_a) * along(there_, term.direction_b);
    const Pack k = Pack::select(centers.charges, m * Pack::all(term.coefficient[0]));
    const Pack y = Pack::inverse_sqrt(centers.charges, centers.r2);
    const Pack y2 = y * y;
    const Pack my3 = m * (y2 * y);
    const Pack three_my5 = Pack::all(3.0) * (my3 * y2);
    const Pack product = products.a_d * products.b_d;
    const Pack& g = products.a_b;
    sums.by_d = Pack::fma(three_my5, Pack::fnma(Pack::all(5.0) * y2, product, g), sums.by_d);
    sums.by_a = Pack::fnma(three_my5, products.b_d, sums.by_a);
    sums.by_b = Pack::fnma(three_my5, products.a_d, sums.by_b);
    sums.by_both = sums.by_both + (k - my3);
    if constexpr (with_energy) {
      result.reaction_field = Pack::zero() - k * g;
      result.of_charges = result.of_charges +
                          Pack::fma(my3, g, Pack::fnma(three_my5, product, result.reaction_field));
    }
  }

  /// u as in QuadrupoleQuadrupolePair. The axis of a quadrupole is A or -A, which are equivalent.
  template <bool with_energy>
  [[gnu::always_inline]] void add_quadrupoles(const SiteTerm& term, const CenterPair<Pack>& centers,
                                              const Products& products, Derivatives& sums,
                                              MoleculePair<Pack>& result) const {
    const Pack y = Pack::inverse_sqrt(centers.charges, centers.r2);
    const Pack y2 = y * y;
    const Pack ky5 = Pack::all(term.coefficient[0]) * (y2 * y2 * y);
    const Pack ky6 = ky5 * y;
    const Pack ca = products.a_d * y, cb = products.b_d * y, g = products.a_b;
    const Pack product = ca * cb, fourth = product * product;
    const Pack constant = Pack::fma(Pack::all(2.0) * g, g, Pack::all(1.0));
    const Pack squares = Pack::fma(Pack::all(4.0) * g, product, Pack::fma(ca, ca, cb * cb));
    const Pack two_g = Pack::all(2.0) * g, seven_product = Pack::all(7.0) * product;
    const Pack ten_ky6 = Pack::all(10.0) * ky6;
    sums.by_d =
        Pack::fma(Pack::all(5.0) * (ky6 * y),
                  Pack::fma(Pack::all(63.0), fourth, Pack::fma(Pack::all(-7.0), squares, constant)),
                  sums.by_d);
    sums.by_a =
        Pack::fnma(ten_ky6, Pack::fnma(seven_product, cb, Pack::fma(two_g, cb, ca)), sums.by_a);
    sums.by_b =
        Pack::fnma(ten_ky6, Pack::fnma(seven_product, ca, Pack::fma(two_g, ca, cb)), sums.by_b);
    sums.by_both =
        Pack::fnma(Pack::all(4.0) * ky5, Pack::fnma(Pack::all(5.0), product, g), sums.by_both);
    if constexpr (with_energy) {
      result.of_charges = Pack::fma(
          ky5, Pack::fma(Pack::all(35.0), fourth, Pack::fma(Pack::all(-5.0), squares, constant)),
          result.of_charges);
    }
  }

  const SiteTerm* terms_;
  const SiteVector *here_, *there_;
  PackVector<Pack> axis_;
};

/// Three sites in each molecule. Of the neighbor's sites the first two are the axes, and the third
/// is a sum of these.
template <class Pack, SiteGrids grids>
class PlanarPairs {
 public:
  static constexpr std::size_t axes = 2;
  PlanarPairs(const MolecularWork& work, const MolecularScratch<typename Pack::Real>& scratch,
              const MoleculeHere<Pack>&, const SiteLayout& there, const SiteTerm* terms)
      : terms_(terms), there_(work.vectors + there.vector_begin) {
    for (int p = 0; p < points; ++p) {
      own_[p] = broadcast<Pack>(scratch.own + terms[points * p].point_a);
    }
    if constexpr (grids.multipole == CentralMultipole::dipole) {
      moment_ = broadcast<Pack>(scratch.own + terms[points * points].direction_a);
    }
  }

  template <bool with_energy>
  [[gnu::always_inline]] void operator()(const CenterPair<Pack>& centers,
                                         const PackVector<Pack> (&axes_there)[axes],
                                         MoleculePair<Pack>& result) const {
    constexpr GridShape shape = shape_of(grids.first);
    PackVector<Pack> force[points];
    unrolled<points>([&]<int q>() __attribute__((always_inline)) {
      const PackVector<Pack> other =
          q < 2 ? centers.d + axes_there[q] : by_axes(terms_[q].point_b, axes_there) + centers.d;
      unrolled<points>([&]<int p>() __attribute__((always_inline)) {
        constexpr int pair = points * p + q;
        const PackVector<Pack> d = own_[p] - other;
        const Pack s =
            site_force_over_r<Pack, shape.charges, (pair < shape.lennard_jones_pairs),
                              pair % 3 != 0, with_energy>(terms_[pair], dot(d, d), centers, result);
        force[p] = q == 0 ? s * d : fma(s, d, force[p]);
      });
    });
    result.force = force[0] + force[1] + force[2];
    result.turning = cross(own_[0], force[0]) + cross(own_[1], force[1]) + cross(own_[2], force[2]);
    if constexpr (grids.multipole == CentralMultipole::dipole) {
      add_dipoles<with_energy>(terms_[points * points], centers, axes_there, result);
    }
    result.torque_taken = result.turning - cross(centers.d, result.force);
  }
  PackVector<Pack> torque_of(const PackVector<Pack>& turning) const { return turning; }

 private:
  static constexpr int points = 3;
  PackVector<Pack> by_axes(std::uint32_t column, const PackVector<Pack> (&axes_there)[axes]) const {
    const double(&along)[most_axes] = there_[slot_of(column)].along;
    return fma(Pack::all(along[1]), axes_there[1], Pack::all(along[0]) * axes_there[0]);
  }

  template <bool with_energy>
  [[gnu::always_inline]] void add_dipoles(const SiteTerm& term, const CenterPair<Pack>& centers,
                                          const PackVector<Pack> (&axes_there)[axes],
                                          MoleculePair<Pack>& result) const {
    const Pack minus = Pack::all(-1.0);
    PairResult<Pack> pair;
    DipoleDipolePair<Pack>(term, moment_)
        .template operator()<with_energy>({minus * centers.d, centers.r2, centers.charges},
                                          by_axes(term.direction_b, axes_there), pair);
    result.force = result.force + pair.force;
    result.turning = result.turning + cross(moment_, pair.gradient_a);
    if constexpr (with_energy) {
      result.reaction_field = pair.reaction_field;
      result.of_charges = result.of_charges + pair.energy;
    }
  }

  const SiteTerm* terms_;
  const SiteVector* there_;
  PackVector<Pack> own_[points], moment_;
};

/// Sums force and torque on molecule i over the listed neighbors, and subtracts those of the
/// neighbors. Dummies fill the list's last vector.
template <class Pack, class Pairs, bool with_energy>
void sum_molecule_pairs(const MolecularWork& work,
                        const MolecularScratch<typename Pack::Real>& scratch, const Pairs& pairs,
                        const std::uint32_t* list, std::size_t count, TermSums& total) {
  using Traits = RowTraits<Pack>;
  constexpr std::size_t stride = column_stride;
  constexpr auto width = static_cast<std::size_t>(Pack::width);
  const typename Pack::Real* const all = records<Pack>(work);
  const auto record_stride = static_cast<std::uint32_t>(work.record_stride >> Traits::offset_shift);
  const Pack lennard_jones_limit = Pack::all(work.lennard_jones_cutoff_squared);
  const Pack charges_limit = Pack::all(work.cutoff_squared);
  PackVector<Pack> force = load<Pack>(scratch.sums, longest_vector);
  PackVector<Pack> turning{Pack::zero(), Pack::zero(), Pack::zero()};
  Pack lennard_jones = Pack::zero(), charges = Pack::zero(), reaction_field = Pack::zero();
  Pack virial[6];
  for (Pack& sum : virial) sum = Pack::zero();

  for (std::size_t k = 0; k < count; k += width) {
    alignas(64) std::uint32_t place[width];
    for (std::size_t lane = 0; lane < width; ++lane) place[lane] = list[k + lane] * record_stride;
    PackVector<Pack> axes[Pairs::axes];
    for (std::size_t r = 0; r < Pairs::axes; ++r) {
      Pack four[4];
      Pack::load_four(all + 4 * r, place, four);
      axes[r] = {four[0], four[1], four[2]};
    }
    const Pack r2 = Pack::load(scratch.column(3) + k);
    const CenterPair<Pack> centers{.d = load<Pack>(scratch.columns + k, stride),
                                   .r2 = r2,
                                   .lennard_jones = r2 < lennard_jones_limit,
                                   .charges = r2 < charges_limit};
    MoleculePair<Pack> result;
    pairs.template operator()<with_energy>(centers, axes, result);
    force = force + result.force;
    turning = turning + result.turning;
    Traits::subtract(work.rows, list + k, result.force.x, result.force.y, result.force.z);
    Traits::subtract(work.torques, list + k, result.torque_taken.x, result.torque_taken.y,
                     result.torque_taken.z);
    if constexpr (with_energy) {
      const Pack weight = Pack::load(scratch.weights + k);
      lennard_jones = Pack::fma(weight, result.of_lennard_jones, lennard_jones);
      charges = Pack::fma(weight, result.of_charges, charges);
      reaction_field = Pack::fma(weight, result.reaction_field, reaction_field);
      add_center_virial(centers.d, weight * result.force, virial);
    }
  }
  store(force, scratch.sums, longest_vector);
  const PackVector<Pack> torque = load<Pack>(scratch.torque, longest_vector);
  store(torque + pairs.torque_of(turning), scratch.torque, longest_vector);
  if constexpr (with_energy) {
    total.lennard_jones += lennard_jones.sum();
    total.energy += lennard_jones.sum() + charges.sum();
    total.reaction_field += reaction_field.sum();
    for (int q = 0; q < 6; ++q) total.virial[q] += virial[q].sum();
  }
}

/// Calls function.operator()<Pairs>() with the loop of these components.
template <class Pack, class Function>
void with_molecule_pairs(const SiteGrids& of, const Function& function) {
  unrolled<static_cast<int>(std::size(molecule_pair_shapes))>([&]<int k>() {
    constexpr SiteGrids grids = molecule_pair_shapes[k];
    if (grids != of) return;
    if constexpr (grids.loop == PairLoop::linear) {
      function.template operator()<LinearPairs<Pack, grids>>();
    } else {
      function.template operator()<PlanarPairs<Pack, grids>>();
    }
  });
}
