#include "md/fmm/fmm_operators.hpp"

#include <algorithm>
#include <cmath>

#include "md/fmm/lattice_operator.hpp"

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
FmmOperators<Real>::FmmOperators(const Lattice& lattice, const FmmParameters& parameters)
    : lattice_(lattice), parameters_(parameters) {
  const auto edges_of = [&](double scale) {
    const auto& n = parameters.top_cells;
    return Lattice{lattice.a * (scale / n[0]), lattice.b * (scale / n[1]),
                   lattice.c * (scale / n[2])};
  };
  const Lattice leaf = edges_of(std::ldexp(1.0, -parameters.levels));
  leaf_unit = std::cbrt(leaf.volume());
  top_unit = std::ldexp(leaf_unit, parameters.levels);
  root_unit = std::cbrt(lattice.volume());
  for (int octant = 0; octant < 8; ++octant) {
    const Cells o = octant_of(octant);
    const Vec3 to_parent = times(leaf, 0.5 - o[0], 0.5 - o[1], 0.5 - o[2]);
    up.push_back(shift_operator<Real>(parameters.order, Shift::multipole_to_multipole, to_parent,
                                      leaf_unit, 2 * leaf_unit));
    down.push_back(shift_operator<Real>(parameters.order, Shift::local_to_local, -1.0 * to_parent,
                                        2 * leaf_unit, leaf_unit));
    from_parent[static_cast<std::size_t>(octant)] = to_parent * (-1.0 / leaf_unit);
  }
  if (parameters.levels > 0) make_pairs(leaf);
  make_top();
  gradient = gradient_terms(parameters.order);
}

template <class Real>
void FmmOperators<Real>::make_pairs(const Lattice& leaf) {
  const int order = parameters_.order;
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

template <class Real>
Lattice FmmOperators<Real>::top_cell() const {
  const Cells& top = parameters_.top_cells;
  return {lattice_.a * (1.0 / top[0]), lattice_.b * (1.0 / top[1]), lattice_.c * (1.0 / top[2])};
}

template <class Real>
void FmmOperators<Real>::make_top() {
  if (!parameters_.periodic) {
    make_top_shifts();
    return;
  }
  // The expansions of a box and of those left to the lattice operator are to be separated about as
  // well as in a cube, which has its 26 neighbors near and the diagonal sqrt(3).
  double diagonal = 0.0;
  for (const int y : {-1, 1})
    for (const int z : {-1, 1}) {
      const Vec3 d = times(lattice_, 1, y, z);
      diagonal = std::max(diagonal, std::sqrt(dot(d, d)));
    }
  for (int axis = 0; axis < 3; ++axis) {
    const double boxes = 2.0 / std::sqrt(3.0) * diagonal / lattice_.width(axis);
    images[axis] = std::max(1, static_cast<int>(std::ceil(0.95 * boxes)) - 1);
  }
  parameters_.sums_of_top_fit() ? make_top_sums() : make_top_shifts();
  const Cells top = parameters_.top_cells;
  const Lattice cell = top_cell();
  CellBox::grid(top).for_each([&](const Cells& c) {
    const Vec3 to_center = times(cell, 0.5 * top[0] - c[0] - 0.5, 0.5 * top[1] - c[1] - 0.5,
                                 0.5 * top[2] - c[2] - 0.5);
    to_root.push_back(shift_operator<Real>(parameters_.order, Shift::multipole_to_multipole,
                                           to_center, top_unit, root_unit));
    from_root.push_back(shift_operator<Real>(parameters_.order, Shift::local_to_local,
                                             -1.0 * to_center, root_unit, top_unit));
    from_center.push_back(to_center * (-1.0 / top_unit));
  });
  lattice_operator = make_lattice_operator(parameters_.order, lattice_, images, root_unit);
}

template <class Real>
void FmmOperators<Real>::make_top_sums() {
  const Cells top = parameters_.top_cells;
  const Lattice cell = top_cell();
  const CellBox near_boxes =
      CellBox{{-images[0], -images[1], -images[2]}, {images[0] + 1, images[1] + 1, images[2] + 1}};
  std::vector<Vec3> sources;
  CellBox{{1 - top[0], 1 - top[1], 1 - top[2]}, top}.for_each([&](const Cells& by) {
    sources.clear();
    near_boxes.for_each([&](const Cells& box) {
      const Cells image{by[0] + box[0] * top[0], by[1] + box[1] * top[1], by[2] + box[2] * top[2]};
      if (!near(image)) sources.push_back(times(cell, image[0], image[1], image[2]));
    });
    const auto matrix = make_sum_operator(parameters_.order, sources, top_unit);
    top_sums.push_back({{matrix.begin(), matrix.end()}, by});
  });
}

template <class Real>
void FmmOperators<Real>::make_top_shifts() {
  if (!top_shifts.empty()) return;
  const Cells top = parameters_.top_cells;
  const Lattice cell = top_cell();
  // Index of a cell, or of the one that it is an image of; -1: none.
  const auto source_of = [&](const Cells& at) {
    int index = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const int k = top[axis], reach = images[axis] * k;
      if (at[axis] < -reach || at[axis] >= k + reach) return -1;
      index = index * k + (at[axis] + reach) % k;
    }
    return index;
  };
  const CellBox cells = CellBox::grid(top);
  CellBox around;  // relative positions of sources
  for (int axis = 0; axis < 3; ++axis) {
    around.lower[axis] = 1 - (1 + images[axis]) * top[axis];
    around.upper[axis] = 1 - around.lower[axis];
  }
  around.for_each([&](const Cells& by) {
    if (near(by)) return;
    TopShift shift;
    const Vec3 connection = times(cell, -by[0], -by[1], -by[2]);
    shift.operation = shift_operator<Real>(parameters_.order, Shift::multipole_to_local, connection,
                                           top_unit, top_unit);
    shift.connection = connection * (1.0 / top_unit);
    cells.for_each([&](const Cells& target) {
      shift.sources.push_back(source_of({target[0] + by[0], target[1] + by[1], target[2] + by[2]}));
    });
    top_shifts.push_back(std::move(shift));
  });
}

template class FmmOperators<float>;
template class FmmOperators<double>;

}  // namespace sterna::md
