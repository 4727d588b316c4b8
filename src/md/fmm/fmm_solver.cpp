#include "md/fmm/fmm_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "md/fmm/kernels/fmm_kernels.hpp"
#include "md/fmm/lattice_operator.hpp"

namespace sterna::md {

class FmmSolver::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual CoulombResult solve(const PointCharges& charges) = 0;
  const Times& times() const { return times_; }

 protected:
  Times times_;
};

namespace {

using Cells = std::array<int, 3>;

/// Adds the seconds since the last call to one phase.
class Stopwatch {
 public:
  void lap(double& phase) {
    const auto now = std::chrono::steady_clock::now();
    phase = std::chrono::duration<double>(now - start_).count();
    start_ = now;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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

const FmmInstructionSet& select_instruction_set(std::string_view name) {
  for (const FmmInstructionSet* set : available_fmm_kernels()) {
    if (name == "auto" || name == set->name) return *set;
  }
  throw std::invalid_argument(fmt::format("no FMM kernels \"{}\" on this processor", name));
}

/// The expansions of a level below the top: those of the cells in the same octant of their parents
/// lie together in the order of the parents, so that all pairs of cells of one relative vector are
/// neighbors in memory on both sides. Parents have a border of one around them: images or nothing.
template <class Real>
class Level {
 public:
  Level(Cells parents, std::size_t coefficients, std::size_t lanes)
      : parents_(parents),
        width_(static_cast<std::size_t>(parents[0] + 2)),
        plane_(width_ * static_cast<std::size_t>(parents[1] + 2)),
        coefficients_(coefficients),
        // Whole vectors may reach beyond the last parent.
        stride_(plane_ * static_cast<std::size_t>(parents[2] + 2) + 2 * lanes),
        multipoles_(8 * coefficients * stride_),
        locals_(multipoles_.size()) {}

  const Cells& parents() const { return parents_; }
  std::size_t stride() const { return stride_; }
  /// Of a parent; -1 and the number of parents name the border.
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>(z + 1) * plane_ + static_cast<std::size_t>(y + 1) * width_ +
           static_cast<std::size_t>(x + 1);
  }
  std::ptrdiff_t distance(int x, int y, int z) const {
    return z * static_cast<std::ptrdiff_t>(plane_) + y * static_cast<std::ptrdiff_t>(width_) + x;
  }
  Real* multipoles(int octant) { return multipoles_.data() + octant * coefficients_ * stride_; }
  Real* locals(int octant) { return locals_.data() + octant * coefficients_ * stride_; }
  void clear() {
    std::fill(multipoles_.begin(), multipoles_.end(), Real(0));
    std::fill(locals_.begin(), locals_.end(), Real(0));
  }

  /// Pieces of memory that cover all parents (and some of the border, which does no harm), in
  /// groups that are small enough to stay in the cache.
  struct Segment {
    std::size_t begin, count;
  };
  std::vector<std::vector<Segment>> segments(std::size_t lanes) const {
    std::vector<std::vector<Segment>> groups;
    const auto columns = static_cast<std::size_t>(parents_[0]);
    if (columns % lanes == 0) {
      for (int z = 0; z < parents_[2]; ++z) {
        groups.emplace_back();
        for (int y = 0; y < parents_[1]; ++y) groups.back().push_back({index(0, y, z), columns});
      }
      return groups;
    }
    const std::size_t end = index(parents_[0] - 1, parents_[1] - 1, parents_[2] - 1) + 1;
    constexpr std::size_t vectors = 32;
    for (std::size_t begin = index(0, 0, 0); begin < end; begin += vectors * lanes) {
      const std::size_t left = (end - begin + lanes - 1) / lanes;
      groups.push_back({{begin, std::min(left, vectors) * lanes}});
    }
    return groups;
  }

  void fill_border_with_images() {
    for (int z = -1; z <= parents_[2]; ++z)
      for (int y = -1; y <= parents_[1]; ++y)
        for (int x = -1; x <= parents_[0]; ++x) {
          const auto wrap = [](int i, int n) { return (i + n) % n; };
          const std::size_t to = index(x, y, z);
          const std::size_t from =
              index(wrap(x, parents_[0]), wrap(y, parents_[1]), wrap(z, parents_[2]));
          if (to == from) continue;
          for (std::size_t row = 0; row < 8 * coefficients_; ++row) {
            multipoles_[row * stride_ + to] = multipoles_[row * stride_ + from];
          }
        }
  }

 private:
  Cells parents_;
  std::size_t width_, plane_, coefficients_, stride_;
  std::vector<Real> multipoles_, locals_;
};

template <class Real>
class Solver final : public FmmSolver::Implementation {
 public:
  Solver(const Lattice& lattice, const FmmSolver::Parameters& parameters)
      : lattice_(lattice),
        reciprocal_(lattice.reciprocal()),
        parameters_(parameters),
        order_(parameters.order),
        coefficients_(harmonics_count(order_)),
        factors_(order_),
        kernels_(select_instruction_set(parameters.instruction_set).kernels<Real>()) {
    for (int axis = 0; axis < 3; ++axis) leaves_[axis] = top()[axis] << parameters.levels;
    const auto count = [](const Cells& cells) {
      return static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) *
             static_cast<std::size_t>(cells[2]);
    };
    leaf_count_ = count(leaves_);
    top_count_ = count(top());
    leaf_unit_ = std::cbrt(lattice.volume() / static_cast<double>(leaf_count_));
    top_unit_ = std::cbrt(lattice.volume() / static_cast<double>(top_count_));
    for (int level = 0; level < parameters.levels; ++level) {
      levels_.emplace_back(Cells{top()[0] << level, top()[1] << level, top()[2] << level},
                           coefficients_, kernels_.lanes);
    }
    top_multipoles_.resize(coefficients_ * top_count_);
    top_locals_.resize(coefficients_ * top_count_);
    if (parameters.periodic) {
      const double longest = std::max({lattice.width(0), lattice.width(1), lattice.width(2)});
      for (int axis = 0; axis < 3; ++axis) {
        // A cube has its 26 neighbors near; 1.3 boxes count as one.
        images_[axis] = static_cast<int>(std::ceil(longest / lattice.width(axis) - 0.3));
      }
    }
    make_shifts_between_levels();
    make_pair_shifts();
    make_top_shifts();
    make_gradients();
    if (parameters.periodic) {
      root_unit_ = std::cbrt(lattice.volume());
      lattice_operator_ = make_lattice_operator(order_, lattice, images_, root_unit_);
    }
  }

  CoulombResult solve(const PointCharges& charges) override {
    times_ = {};
    Stopwatch watch;
    sort(charges);
    watch.lap(times_.sort);
    charges_to_multipoles();
    watch.lap(times_.charges_to_multipoles);
    multipoles_up();
    watch.lap(times_.multipoles_up);
    far_field_of_top();
    for (Level<Real>& level : levels_) multipoles_to_locals(level);
    watch.lap(times_.multipoles_to_locals);
    locals_down();
    watch.lap(times_.locals_down);
    locals_to_charges();
    watch.lap(times_.locals_to_charges);
    near_field();
    watch.lap(times_.near_field);
    return result(charges);
  }

 private:
  const Cells& top() const { return parameters_.top_cells; }
  /// A vector in edges of leaf cells.
  Vec3 in_leaves(double x, double y, double z) const {
    return lattice_.position({x / leaves_[0], y / leaves_[1], z / leaves_[2]});
  }
  static Cells octant_of(int octant) { return {octant & 1, octant >> 1 & 1, octant >> 2}; }

  void make_shifts_between_levels() {
    // Cells and units shrink together, so the shifts of all levels are alike.
    for (int octant = 0; octant < 8; ++octant) {
      const Cells o = octant_of(octant);
      const Vec3 to_parent = in_leaves(0.5 - o[0], 0.5 - o[1], 0.5 - o[2]);
      up_.push_back(shift_operator<Real>(order_, Shift::multipole_to_multipole, to_parent,
                                         leaf_unit_, 2 * leaf_unit_));
      down_.push_back(shift_operator<Real>(order_, Shift::local_to_local, -1.0 * to_parent,
                                           2 * leaf_unit_, leaf_unit_));
    }
  }

  static bool near(const Cells& d) {
    return std::abs(d[0]) <= 1 && std::abs(d[1]) <= 1 && std::abs(d[2]) <= 1;
  }

  /// For pairs of cells whose parents are neighbors but which are not neighbors themselves.
  void make_pair_shifts() {
    if (levels_.empty()) return;
    std::vector<int> known(7 * 7 * 7, -1);
    for (int octant = 0; octant < 8; ++octant) {
      const Cells o = octant_of(octant);
      for (int z = -2 - o[2]; z <= 3 - o[2]; ++z)
        for (int y = -2 - o[1]; y <= 3 - o[1]; ++y)
          for (int x = -2 - o[0]; x <= 3 - o[0]; ++x) {
            if (near({x, y, z})) continue;
            int& index = known[static_cast<std::size_t>((z + 3) * 49 + (y + 3) * 7 + x + 3)];
            if (index < 0) {
              index = static_cast<int>(pair_shifts_.size());
              pair_shifts_.push_back(shift_operator<Real>(order_, Shift::multipole_to_local,
                                                          in_leaves(-x, -y, -z), leaf_unit_,
                                                          leaf_unit_));
            }
            const Cells child{x + o[0], y + o[1], z + o[2]};
            const auto half = [](int i) { return (i + 4) / 2 - 2; };
            pairs_[octant].push_back({index,
                                      (child[0] & 1) + 2 * (child[1] & 1) + 4 * (child[2] & 1),
                                      {half(child[0]), half(child[1]), half(child[2])}});
          }
    }
  }

  void make_top_shifts() {
    Cells low, high;  // of the relative position of a source
    for (int axis = 0; axis < 3; ++axis) {
      const int k = top()[axis];
      low[axis] = 1 - (1 + images_[axis]) * k;
      high[axis] = -low[axis];
    }
    const double scale = std::ldexp(1.0, parameters_.levels);
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) {
          if (near({x, y, z})) continue;
          TopShift shift;
          shift.operation = shift_operator<Real>(order_, Shift::multipole_to_local,
                                                 in_leaves(-x * scale, -y * scale, -z * scale),
                                                 top_unit_, top_unit_);
          for_each_top_cell([&](const Cells& cell, std::size_t) {
            shift.sources.push_back(top_source({cell[0] + x, cell[1] + y, cell[2] + z}));
          });
          top_shifts_.push_back(std::move(shift));
        }
  }

  /// Index of the cell, or of the one that it is an image of in the near boxes; -1: none.
  int top_source(Cells cell) const {
    int index = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const int k = top()[axis];
      const int images = images_[axis];
      if (cell[axis] < -images * k || cell[axis] >= (1 + images) * k) return -1;
      index = index * k + (cell[axis] + images * k) % k;
    }
    return index;
  }

  template <class Function>
  void for_each_top_cell(Function function) const {
    std::size_t index = 0;
    for (int z = 0; z < top()[2]; ++z)
      for (int y = 0; y < top()[1]; ++y)
        for (int x = 0; x < top()[0]; ++x) function(Cells{x, y, z}, index++);
  }

  void make_gradients() {
    std::vector<double> unit(coefficients_, 0.0);
    for (std::size_t from = 0; from < coefficients_; ++from) {
      unit[from] = 1.0;
      const GradientExpansions columns = gradient_expansions(order_, unit);
      unit[from] = 0.0;
      std::size_t component = 1;
      for (const auto* column : {&columns.x, &columns.y, &columns.z}) {
        for (std::size_t to = 0; to < coefficients_; ++to) {
          if ((*column)[to] == 0.0) continue;
          gradient_.push_back(
              {component * coefficients_ + to, from, static_cast<Real>((*column)[to])});
        }
        ++component;
      }
    }
  }

  /// A molecule belongs as a whole to the cell of its center, though some of its charges may lie
  /// beyond: its halves would have charges and large multipoles, where the whole has none.
  void sort(const PointCharges& charges) {
    const std::size_t count = charges.size();
    offsets_.resize(count);
    cell_of_.resize(count);
    begins_.assign(leaf_count_ + 1, 0);
    for (std::size_t first = 0, end = 0; first < count; first = end) {
      while (end < count && charges.molecules[end] == charges.molecules[first]) ++end;
      Vec3 center;  // in fractions of the box, from the first charge on
      for (std::size_t i = first; i < end; ++i) {
        center += offsets_[i] = nearest_fraction(charges.positions[i] - charges.positions[first]);
      }
      center *= 1.0 / static_cast<double>(end - first);
      Cells cell;
      Vec3 in_cell;
      for (int axis = 0; axis < 3; ++axis) {
        double fraction = dot(reciprocal_[axis], charges.positions[first]) + center[axis];
        if (parameters_.periodic) {
          fraction -= std::floor(fraction);
        } else if (!(fraction >= 0.0 && fraction <= 1.0)) {
          throw std::invalid_argument(fmt::format("charge {} lies outside of the open box", first));
        }
        cell[axis] = std::min(static_cast<int>(fraction * leaves_[axis]), leaves_[axis] - 1);
        in_cell[axis] = fraction - (cell[axis] + 0.5) / leaves_[axis] - center[axis];
      }
      for (std::size_t i = first; i < end; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
          if (std::abs(offsets_[i][axis] - center[axis]) * leaves_[axis] > 0.5) {
            throw std::invalid_argument(
                fmt::format("molecule {} reaches farther from its center than half a cell of the "
                            "multipole method; fewer levels have larger cells",
                            charges.molecules[i]));
          }
        }
        offsets_[i] = lattice_.position(offsets_[i] + in_cell);
        cell_of_[i] = cell;
      }
      begins_[leaf_index(cell) + 1] += end - first;
    }
    for (std::size_t c = 0; c < leaf_count_; ++c) begins_[c + 1] += begins_[c];
    for (auto* array : {&sorted_.x, &sorted_.y, &sorted_.z, &sorted_.charge}) array->resize(count);
    sorted_.molecule.resize(count);
    for (auto* array : {&sorted_.potential, &sorted_.field_x, &sorted_.field_y, &sorted_.field_z}) {
      array->assign(count, Real(0));
    }
    place_of_.resize(count);
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = next[leaf_index(cell_of_[i])]++;
      place_of_[i] = place;
      sorted_.x[place] = static_cast<Real>(offsets_[i].x);
      sorted_.y[place] = static_cast<Real>(offsets_[i].y);
      sorted_.z[place] = static_cast<Real>(offsets_[i].z);
      sorted_.charge[place] = static_cast<Real>(charges.charges[i]);
      sorted_.molecule[place] = charges.molecules[i];
    }
  }

  Vec3 nearest_fraction(const Vec3& connection) const {
    Vec3 fraction;
    for (int axis = 0; axis < 3; ++axis) {
      fraction[axis] = dot(reciprocal_[axis], connection);
      if (parameters_.periodic) fraction[axis] -= std::round(fraction[axis]);
    }
    return fraction;
  }

  std::size_t leaf_index(const Cells& cell) const {
    return (static_cast<std::size_t>(cell[2]) * static_cast<std::size_t>(leaves_[1]) +
            static_cast<std::size_t>(cell[1])) *
               static_cast<std::size_t>(leaves_[0]) +
           static_cast<std::size_t>(cell[0]);
  }

  template <class Function>
  void for_each_leaf(Function function) const {
    for (int z = 0; z < leaves_[2]; ++z)
      for (int y = 0; y < leaves_[1]; ++y)
        for (int x = 0; x < leaves_[0]; ++x) {
          const Cells cell{x, y, z};
          const std::size_t index = leaf_index(cell);
          if (begins_[index] < begins_[index + 1]) function(cell, index);
        }
  }

  /// Where the coefficients of a leaf lie.
  struct Expansion {
    Real* first;
    std::size_t stride;
  };
  Expansion leaf_expansion(const Cells& cell, std::size_t index, bool local) {
    if (levels_.empty()) {
      return {(local ? top_locals_ : top_multipoles_).data() + index, top_count_};
    }
    Level<Real>& level = levels_.back();
    const int octant = (cell[0] & 1) + 2 * (cell[1] & 1) + 4 * (cell[2] & 1);
    return {(local ? level.locals(octant) : level.multipoles(octant)) +
                level.index(cell[0] / 2, cell[1] / 2, cell[2] / 2),
            level.stride()};
  }

  void charges_to_multipoles() {
    for (Level<Real>& level : levels_) level.clear();
    std::fill(top_multipoles_.begin(), top_multipoles_.end(), Real(0));
    std::fill(top_locals_.begin(), top_locals_.end(), Real(0));
    for_each_leaf([&](const Cells& cell, std::size_t index) {
      const Expansion multipole = leaf_expansion(cell, index, false);
      kernels_.charges_to_multipole(factors_, sorted_, begins_[index], begins_[index + 1],
                                    leaf_unit_, multipole.first, multipole.stride);
    });
  }

  /// Calls function(index of a parent of `level`, first coefficient and stride of that parent's own
  /// expansion, one level up).
  template <class Function>
  void for_each_parent(std::size_t number, bool local, Function function) {
    const Level<Real>& level = levels_[number];
    const Cells& n = level.parents();
    for (int z = 0; z < n[2]; ++z)
      for (int y = 0; y < n[1]; ++y)
        for (int x = 0; x < n[0]; ++x) {
          const std::size_t parent = level.index(x, y, z);
          if (number == 0) {
            const auto index = static_cast<std::size_t>((z * n[1] + y) * n[0] + x);
            function(parent, (local ? top_locals_ : top_multipoles_).data() + index, top_count_);
            continue;
          }
          Level<Real>& above = levels_[number - 1];
          const int octant = (x & 1) + 2 * (y & 1) + 4 * (z & 1);
          function(parent,
                   (local ? above.locals(octant) : above.multipoles(octant)) +
                       above.index(x / 2, y / 2, z / 2),
                   above.stride());
        }
  }

  void multipoles_up() {
    for (std::size_t number = levels_.size(); number-- > 0;) {
      Level<Real>& level = levels_[number];
      of_parents_.assign(coefficients_ * level.stride(), Real(0));
      for (const auto& group : level.segments(kernels_.lanes)) {
        for (const auto& [begin, count] : group) {
          for (int octant = 0; octant < 8; ++octant) {
            kernels_.shift(up_[octant], level.multipoles(octant) + begin, level.stride(),
                           of_parents_.data() + begin, level.stride(), count);
          }
        }
      }
      for_each_parent(number, false, [&](std::size_t parent, Real* first, std::size_t stride) {
        for (std::size_t a = 0; a < coefficients_; ++a) {
          first[a * stride] = of_parents_[a * level.stride() + parent];
        }
      });
    }
  }

  void far_field_of_top() {
    std::vector<Real> sources(top_multipoles_.size());
    for (const TopShift& shift : top_shifts_) {
      for (std::size_t a = 0; a < coefficients_; ++a) {
        const std::size_t row = a * top_count_;
        for (std::size_t cell = 0; cell < top_count_; ++cell) {
          const int source = shift.sources[cell];
          sources[row + cell] = source < 0 ? Real(0) : top_multipoles_[row + source];
        }
      }
      kernels_.shift(shift.operation, sources.data(), top_count_, top_locals_.data(), top_count_,
                     top_count_);
    }
    if (!parameters_.periodic) return;
    std::vector<Real> root(coefficients_, Real(0)), local(coefficients_, Real(0));
    const auto to_root = [&](const Cells& cell) {
      Vec3 fraction;
      for (int axis = 0; axis < 3; ++axis) fraction[axis] = 0.5 - (cell[axis] + 0.5) / top()[axis];
      return lattice_.position(fraction);
    };
    for_each_top_cell([&](const Cells& cell, std::size_t index) {
      kernels_.shift(shift_operator<Real>(order_, Shift::multipole_to_multipole, to_root(cell),
                                          top_unit_, root_unit_),
                     top_multipoles_.data() + index, top_count_, root.data(), 1, 1);
    });
    std::vector<double> sum(coefficients_, 0.0);
    for (std::size_t b = 0; b < coefficients_; ++b) {
      for (std::size_t a = 0; a < coefficients_; ++a) {
        sum[a] += lattice_operator_[b * coefficients_ + a] * static_cast<double>(root[b]);
      }
    }
    for (std::size_t a = 0; a < coefficients_; ++a) local[a] = static_cast<Real>(sum[a]);
    for_each_top_cell([&](const Cells& cell, std::size_t index) {
      kernels_.shift(shift_operator<Real>(order_, Shift::local_to_local, -1.0 * to_root(cell),
                                          root_unit_, top_unit_),
                     local.data(), 1, top_locals_.data() + index, top_count_, 1);
    });
  }

  void multipoles_to_locals(Level<Real>& level) {
    if (parameters_.periodic) level.fill_border_with_images();
    for (const auto& group : level.segments(kernels_.lanes)) {
      for (int octant = 0; octant < 8; ++octant) {
        for (const Pair& pair : pairs_[octant]) {
          const Real* sources = level.multipoles(pair.octant) +
                                level.distance(pair.parent[0], pair.parent[1], pair.parent[2]);
          for (const auto& [begin, count] : group) {
            kernels_.shift(pair_shifts_[pair.shift], sources + begin, level.stride(),
                           level.locals(octant) + begin, level.stride(), count);
          }
        }
      }
    }
  }

  void locals_down() {
    for (std::size_t number = 0; number < levels_.size(); ++number) {
      Level<Real>& level = levels_[number];
      of_parents_.assign(coefficients_ * level.stride(), Real(0));
      for_each_parent(number, true, [&](std::size_t parent, const Real* first, std::size_t stride) {
        for (std::size_t a = 0; a < coefficients_; ++a) {
          of_parents_[a * level.stride() + parent] = first[a * stride];
        }
      });
      for (const auto& group : level.segments(kernels_.lanes)) {
        for (const auto& [begin, count] : group) {
          for (int octant = 0; octant < 8; ++octant) {
            kernels_.shift(down_[octant], of_parents_.data() + begin, level.stride(),
                           level.locals(octant) + begin, level.stride(), count);
          }
        }
      }
    }
  }

  void locals_to_charges() {
    std::vector<Real> local(4 * coefficients_);
    for_each_leaf([&](const Cells& cell, std::size_t index) {
      const Expansion expansion = leaf_expansion(cell, index, true);
      std::fill(local.begin(), local.end(), Real(0));
      for (std::size_t a = 0; a < coefficients_; ++a) {
        local[a] = expansion.first[a * expansion.stride];
      }
      for (const GradientTerm& term : gradient_) local[term.to] += term.factor * local[term.from];
      kernels_.local_to_charges(factors_, local.data(), leaf_unit_, sorted_, begins_[index],
                                begins_[index + 1]);
    });
  }

  void near_field() {
    std::vector<NearCell> sources;
    for_each_leaf([&](const Cells& cell, std::size_t index) {
      sources.clear();
      for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
          for (int x = -1; x <= 1; ++x) {
            Cells neighbor{cell[0] + x, cell[1] + y, cell[2] + z};
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
              const int n = leaves_[axis];
              if (!parameters_.periodic && (neighbor[axis] < 0 || neighbor[axis] >= n)) {
                inside = false;
              }
              neighbor[axis] = (neighbor[axis] + n) % n;
            }
            const std::size_t other = leaf_index(neighbor);
            if (!inside || begins_[other] == begins_[other + 1]) continue;
            const Vec3 shift = in_leaves(x, y, z);
            sources.push_back({begins_[other], begins_[other + 1], {shift.x, shift.y, shift.z}});
          }
      kernels_.near_field(sorted_, begins_[index], begins_[index + 1], sources);
    });
  }

  CoulombResult result(const PointCharges& charges) const {
    const std::size_t count = charges.size();
    CoulombResult result;
    result.potentials.resize(count);
    result.forces.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = place_of_[i];
      result.potentials[i] = static_cast<double>(sorted_.potential[place]);
      result.forces[i] = charges.charges[i] * Vec3{static_cast<double>(sorted_.field_x[place]),
                                                   static_cast<double>(sorted_.field_y[place]),
                                                   static_cast<double>(sorted_.field_z[place])};
    }
    if (parameters_.periodic) add_background(charges, result);
    for (std::size_t i = 0; i < count; ++i) {
      result.energy += 0.5 * charges.charges[i] * result.potentials[i];
    }
    return result;
  }

  /// What of the lattice's potential is not harmonic, and the dipole term with vacuum around.
  void add_background(const PointCharges& charges, CoulombResult& result) const {
    const auto from_center = [&](std::size_t i) {
      Vec3 fraction;
      for (int axis = 0; axis < 3; ++axis) {
        fraction[axis] = (cell_of_[i][axis] + 0.5) / leaves_[axis] - 0.5;
      }
      return offsets_[i] + lattice_.position(fraction);
    };
    double total = 0.0, spread = 0.0;
    Vec3 dipole, given_dipole;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const Vec3 position = from_center(i);
      total += charges.charges[i];
      dipole += charges.charges[i] * position;
      spread += charges.charges[i] * dot(position, position);
      given_dipole += charges.charges[i] * charges.positions[i];
    }
    const double scale = 2.0 * std::numbers::pi / (3.0 * lattice_.volume());
    const bool vacuum = parameters_.surroundings == Surroundings::vacuum;
    for (std::size_t i = 0; i < charges.size(); ++i) {
      const Vec3 position = from_center(i);
      result.potentials[i] +=
          scale * (total * dot(position, position) - 2.0 * dot(dipole, position) + spread);
      result.forces[i] += (2.0 * scale * charges.charges[i]) * (dipole - total * position);
      if (vacuum) {
        result.potentials[i] += 2.0 * scale * dot(given_dipole, charges.positions[i]);
        result.forces[i] -= (2.0 * scale * charges.charges[i]) * given_dipole;
      }
    }
  }

  struct Pair {
    int shift;     ///< index into pair_shifts_
    int octant;    ///< of the source
    Cells parent;  ///< of the source, relative to the target's
  };
  struct TopShift {
    ShiftOperator<Real> operation;
    std::vector<int> sources;  ///< for each cell, -1 for none
  };
  struct GradientTerm {
    std::size_t to, from;
    Real factor;
  };

  Lattice lattice_, reciprocal_;
  FmmSolver::Parameters parameters_;
  int order_;
  std::size_t coefficients_;
  HarmonicFactors factors_;
  const FmmKernels<Real>& kernels_;
  Cells leaves_{};
  Cells images_{};  ///< boxes around that the top level treats one by one; none in an open box
  std::size_t leaf_count_ = 0, top_count_ = 0;
  double leaf_unit_ = 1.0, top_unit_ = 1.0, root_unit_ = 1.0;
  std::vector<ShiftOperator<Real>> up_, down_, pair_shifts_;
  std::array<std::vector<Pair>, 8> pairs_;
  std::vector<TopShift> top_shifts_;
  std::vector<GradientTerm> gradient_;
  std::vector<double> lattice_operator_;

  std::vector<Level<Real>> levels_;  ///< the last holds the leaves
  std::vector<Real> top_multipoles_, top_locals_, of_parents_;
  std::vector<Vec3> offsets_;  ///< of each charge from the center of its cell
  std::vector<Cells> cell_of_;
  std::vector<std::size_t> begins_, place_of_;
  CellCharges<Real> sorted_;
};

std::unique_ptr<FmmSolver::Implementation> make_solver(const Lattice& lattice,
                                                       const FmmSolver::Parameters& parameters) {
  if (parameters.order < 2 || parameters.order > fmm_highest_order) {
    throw std::invalid_argument(fmt::format("the order of the multipole method is {}, not 2 to {}",
                                            parameters.order, fmm_highest_order));
  }
  const int fewest = parameters.levels == 0 ? 3 : 2;
  for (const int cells : parameters.top_cells) {
    if (cells < fewest || cells > 64 || parameters.levels < 0 || parameters.levels > 12) {
      throw std::invalid_argument(
          fmt::format("{} levels below {} top cells along an edge: 0 to 12 levels are possible, "
                      "and {} to 64 cells",
                      parameters.levels, cells, fewest));
    }
  }
  if (parameters.single_precision) return std::make_unique<Solver<float>>(lattice, parameters);
  return std::make_unique<Solver<double>>(lattice, parameters);
}

/// Relative root-mean-square force error of an order: 200 molecules of SPC/E water (NIST),
/// repeated, in cells of 30 to 150 charges.
constexpr struct {
  int order;
  double error;
} measured_errors[] = {{3, 9e-3},    {4, 4e-3},   {5, 1.9e-3}, {6, 9e-4},  {7, 5e-4},
                       {8, 2.6e-4},  {9, 1.4e-4}, {10, 8e-5},  {11, 4e-5}, {12, 2.4e-5},
                       {13, 1.4e-5}, {14, 8e-6},  {15, 5e-6},  {16, 3e-6}};

}  // namespace

FmmSolver::Parameters FmmSolver::parameters(const Lattice& lattice, bool periodic,
                                            std::size_t count, double accuracy) {
  Parameters parameters;
  parameters.periodic = periodic;
  parameters.order = fmm_highest_order;
  for (const auto& [order, error] : measured_errors) {
    if (error > accuracy) continue;
    parameters.order = order;
    break;
  }
  parameters.single_precision = accuracy >= 2e-5;

  // In units of a near pair: a shift's operations grow with the cube of the order.
  const double n = parameters.order + 1.0, shift_cost = 0.5 * n * n * n;
  double lowest = 0.0;
  for (int levels = 0; levels <= 12; ++levels) {
    for (int shortest : {2, 3}) {
      if (levels == 0 && shortest == 2) continue;
      Cells top;
      const double width =
          std::min({lattice.width(0), lattice.width(1), lattice.width(2)}) / shortest;
      double cells = 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        top[axis] = std::min(64, static_cast<int>(std::lround(lattice.width(axis) / width)));
        cells *= std::ldexp(top[axis], levels);
      }
      const double charges = static_cast<double>(count) / cells;
      const double cost = 27.0 * charges * static_cast<double>(count) + 189.0 * cells * shift_cost;
      if (lowest == 0.0 || cost < lowest) {
        lowest = cost;
        parameters.levels = levels;
        parameters.top_cells = top;
      }
    }
  }
  return parameters;
}

FmmSolver::Checked FmmSolver::checked_parameters(const Lattice& lattice, bool periodic,
                                                 const PointCharges& charges, double accuracy) {
  const auto forces = [&](const Parameters& parameters) {
    return FmmSolver(lattice, parameters).solve(charges).forces;
  };
  const auto relative_difference = [](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double difference = 0.0, size = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Vec3 d = a[i] - b[i];
      difference += dot(d, d);
      size += dot(b[i], b[i]);
    }
    return size > 0.0 ? std::sqrt(difference / size) : 0.0;
  };
  Parameters trial = parameters(lattice, periodic, charges.size(), accuracy);
  Parameters highest = trial;
  highest.order = fmm_highest_order;
  highest.single_precision = false;
  const auto reference = forces(highest);
  while (trial.order < fmm_highest_order) {
    // An order takes about half of the error away, so this much of the error is the reference's.
    const double error = relative_difference(forces(trial), reference) /
                         (1.0 - std::ldexp(1.0, trial.order - fmm_highest_order));
    if (error <= accuracy) return {trial, error};
    trial.order += std::max(1, static_cast<int>(std::ceil(std::log2(error / accuracy))));
  }
  Parameters lower = highest;
  lower.order -= 2;
  return {highest, relative_difference(forces(lower), reference) / 3.0};
}

FmmSolver::FmmSolver(const Lattice& lattice, const Parameters& parameters)
    : implementation_(make_solver(lattice, parameters)) {}
FmmSolver::~FmmSolver() = default;
FmmSolver::FmmSolver(FmmSolver&&) noexcept = default;
FmmSolver& FmmSolver::operator=(FmmSolver&&) noexcept = default;

CoulombResult FmmSolver::solve(const PointCharges& charges) {
  return implementation_->solve(charges);
}

const FmmSolver::Times& FmmSolver::times() const {
  return implementation_->times();
}

}  // namespace sterna::md
