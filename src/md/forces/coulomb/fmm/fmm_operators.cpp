#include "md/forces/coulomb/fmm/fmm_operators.hpp"

#include <cmath>

namespace sterna::md {
namespace {

template <class Real>
ShiftOperator<Real> shift_operator(int order, Shift shift, const Vec3& vector, double from_unit,
                                   double to_unit) {
  const auto wide = make_shift_operator(order, shift, vector, from_unit, to_unit);
  if constexpr (sizeof(Real) == 4) {
    return narrowed(wide);
  } else {
    return wide;
  }
}

Vec3 times(const Lattice& edges, double x, double y, double z) {
  return edges.position({x, y, z});
}

bool near(const Cells& d) {
  return std::abs(d[0]) <= 1 && std::abs(d[1]) <= 1 && std::abs(d[2]) <= 1;
}

Cells octant_of(int octant) {
  return {octant & 1, octant >> 1 & 1, octant >> 2};
}

}  // namespace

template <class Real>
FmmOperators<Real>::FmmOperators(const Lattice& lattice, const FmmParameters& parameters) {
  const auto edges_of = [&](double scale) {
    const auto& n = parameters.top_cells;
    return Lattice{lattice.a * (scale / n[0]), lattice.b * (scale / n[1]),
                   lattice.c * (scale / n[2])};
  };
  const Lattice leaf = edges_of(std::ldexp(1.0, -parameters.levels));
  leaf_unit = std::cbrt(leaf.volume());
  top_cell = edges_of(1.0);
  top_unit = std::ldexp(leaf_unit, parameters.levels);
  for (int octant = 0; octant < 8; ++octant) {
    const Cells o = octant_of(octant);
    const Vec3 to_parent = times(leaf, 0.5 - o[0], 0.5 - o[1], 0.5 - o[2]);
    up.push_back(shift_operator<Real>(parameters.order, Shift::multipole_to_multipole, to_parent,
                                      leaf_unit, 2 * leaf_unit));
    down.push_back(shift_operator<Real>(parameters.order, Shift::local_to_local, -1.0 * to_parent,
                                        2 * leaf_unit, leaf_unit));
    from_parent[static_cast<std::size_t>(octant)] = to_parent * (-1.0 / leaf_unit);
  }
  if (parameters.levels > 0) make_pairs(leaf, parameters.order);
  gradient = gradient_terms(parameters.order);
}

template <class Real>
void FmmOperators<Real>::make_pairs(const Lattice& leaf, int order) {
  std::vector<int> known(7 * 7 * 7, -1);
  for (int octant = 0; octant < 8; ++octant) {
    const Cells o = octant_of(octant);
    for (int z = -2 - o[2]; z <= 3 - o[2]; ++z)
      for (int y = -2 - o[1]; y <= 3 - o[1]; ++y)
        for (int x = -2 - o[0]; x <= 3 - o[0]; ++x) {
          if (near({x, y, z})) continue;
          int& index = known[static_cast<std::size_t>((z + 3) * 49 + (y + 3) * 7 + x + 3)];
          if (index < 0) {
            index = static_cast<int>(pair_shifts.size());
            const Vec3 connection = times(leaf, -x, -y, -z);
            pair_shifts.push_back(shift_operator<Real>(order, Shift::multipole_to_local, connection,
                                                       leaf_unit, leaf_unit));
            pair_connections.push_back(connection * (1.0 / leaf_unit));
          }
          const Cells child{x + o[0], y + o[1], z + o[2]};
          const auto half = [](int i) { return (i + 4) / 2 - 2; };
          pairs[octant].push_back({index,
                                   (child[0] & 1) + 2 * (child[1] & 1) + 4 * (child[2] & 1),
                                   {half(child[0]), half(child[1]), half(child[2])}});
        }
  }
}

template class FmmOperators<float>;
template class FmmOperators<double>;

}  // namespace sterna::md
