// Idea:    charges far away act through few coefficients: multipoles of cells become local
//          expansions of other cells, by one convolution at the top and shifts down a tree.
// Paper:   Greengard and Rokhlin, J. Comput. Phys. 73, 325 (1987); shifts by rotation: White and
//          Head-Gordon, J. Chem. Phys. 105, 5061 (1996).
// Cost:    O(N order^3 / charges per cell); messages of (order + 1)^2 numbers for each cell within
//          two cells of a neighbor's region, one per neighbor and level.
// Hazards: forces jump where a molecule changes its cell, by the truncation error: low orders do
//          not conserve energy, unless cells overlap (leaf_parts.cpp). A uniform tree wastes cells
//          where most of the box is empty.
// Else:    on one core and at low accuracy particle-mesh Ewald is faster; FMM wins where the
//          transposes of its Fourier transform cost more than they compute, and in open boxes.

#include "md/forces/coulomb/fmm/far_field.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace sterna::md {
namespace {

auto places_in(const CellBox& box) {
  return [box](const Cells& cell) { return box.index(cell); };
}
template <class Real>
auto places_in(const ExpansionLevel<Real>& level) {
  return [&level](const Cells& cell) { return level.place(cell); };
}

}  // namespace

template <class Real>
FarField<Real>::FarField(const comm::Context* context, const Lattice& lattice,
                         const FmmParameters& parameters, const TreePartition& partition,
                         const std::string& exchange_method)
    : parameters_(parameters),
      lattice_(lattice),
      partition_(partition),
      operators_(lattice, parameters),
      kernels_(select_fmm_kernels(parameters.instruction_set).kernels<Real>()),
      factors_(parameters.order),
      coefficients_(harmonics_count(parameters.order)),
      leaves_(partition.touched_leaves(partition.rank()), coefficients_),
      top_(operators_.top_cell, parameters.top_cells, parameters.periodic, parameters.order,
           operators_.top_unit, kernels_, partition.top_distributed() ? context : nullptr,
           boxes_of_top(), exchange_method),
      leaves_are_top_(partition.leaf_depth() == 0 && leaves_.box() == box_of_top()),
      top_locals_(leaves_are_top_ ? CellBox{} : box_of_top(), coefficients_) {
  make_depths(context, exchange_method);
  if (distributed(partition.leaf_depth())) stages_.push_back(Stage::climb);
  if (partition.top_distributed()) {
    stages_.insert(stages_.end(), {Stage::to_waves, Stage::multiply, Stage::from_waves});
  }
  stages_.push_back(Stage::descend);
  has_whole_top_ = (context == nullptr || context->size() == 1) &&
                   top_source().box() == CellBox::grid(partition.grid(0));
  const Cells leaves = partition.grid(partition.leaf_depth());
  if (!partition.top_distributed())
    images_of_leaves_ =
        CellTransfers::plan(
            0, 1, leaves, partition.periodic(), [&](int) { return CellBox::grid(leaves); },
            [&](int) { return leaves_.box(); })
            .receives;
  const CellBox shared = CellBox::grid(partition.grid(partition.first_distributed_depth()));
  reduced_ = std::make_unique<std::vector<double>>((has_whole_top_ ? 0
                                                    : partition.top_distributed()
                                                        ? background_count
                                                        : coefficients_ * shared.count()) +
                                                   sum_count);
  if (context != nullptr && context->size() > 1) {
    reduction_.emplace(*context, "fmm upper levels");
    reduction_->sum(reduced_->data(), reduced_->size());
  }
}

template <class Real>
void FarField<Real>::make_depths(const comm::Context* context, const std::string& exchange_method) {
  const int leaf = partition_.leaf_depth();
  depths_.reserve(static_cast<std::size_t>(leaf));
  for (int number = 1; number <= leaf; ++number) {
    add_depth(number);
    if (distributed(number)) {
      exchange_cells(number, context, exchange_method);
    } else {
      copy_cells(number);
    }
  }
}

/// The cells of a level whose multipoles or local expansions a rank needs. Of levels that every rank
/// has as a whole, a rank computes only the ancestors of its own cells.
template <class Real>
CellBox FarField<Real>::targets_of(int number, int rank) const {
  const int leaf = partition_.leaf_depth(), shared = partition_.first_distributed_depth();
  CellBox needed = shared == leaf
                       ? covering_images(partition_.touched_leaves(rank), partition_.grid(leaf))
                       : partition_.owned(shared, rank);
  for (int below = shared; below >= number; --below) needed = needed.parents();
  return needed;
}

template <class Real>
void FarField<Real>::add_depth(int number) {
  const int own = partition_.rank();
  const bool spread = distributed(number);
  const CellBox parents =
      spread ? partition_.owned(number - 1, own) : CellBox::grid(partition_.grid(number - 1));
  const CellBox wanted = spread ? parents : targets_of(number, own);
  depths_.push_back({{parents, wanted, coefficients_, kernels_.lanes},
                     {},
                     {},
                     {},
                     std::vector<std::size_t>{},
                     {}});
  Depth& depth = depths_.back();
  // If several ranks compute a cell, the first of them counts it in the virial.
  std::vector<char> taken(parents.count(), 0);
  for (int rank = 0; rank < own && !spread; ++rank) {
    targets_of(number, rank).for_each([&](const Cells& cell) { taken[parents.index(cell)] = 1; });
  }
  wanted.for_each([&](const Cells& cell) {
    if (taken[parents.index(cell)] == 0) depth.counted.push_back(depth.level.index(cell));
  });
  depth.of_parents = CellExpansions<Real>(parents, coefficients_);
}

/// Prepares a level that every rank has as a whole: its border is of images.
template <class Real>
void FarField<Real>::copy_cells(int number) {
  const Cells grid = partition_.grid(number);
  const CellBox parents = CellBox::grid(partition_.grid(number - 1));
  const auto all = [&](int) { return CellBox::grid(grid); };
  const auto with_images = [&](int) { return parents.grown(1).children(); };
  Depth& depth = this->depth(number);
  depth.multipoles.emplace(nullptr,
                           CellTransfers::plan(0, 1, grid, partition_.periodic(), all, with_images),
                           coefficients_, places_in(CellBox::grid(grid)), places_in(depth.level),
                           comm::NeighborOptions{});
}

/// Prepares a distributed level: multipoles come from the ranks that have the cells, and local
/// expansions go to those that have the cells below.
template <class Real>
void FarField<Real>::exchange_cells(int number, const comm::Context* context,
                                    const std::string& exchange_method) {
  const int own = partition_.rank(), ranks = partition_.rank_count();
  const Cells grid = partition_.grid(number);
  const auto below = [&](int rank) {
    return number == partition_.leaf_depth() ? partition_.touched_leaves(rank)
                                             : partition_.owned(number, rank);
  };
  const auto children = [&](int rank) { return partition_.owned(number - 1, rank).children(); };
  const auto with_border = [&](int rank) {
    return partition_.owned(number - 1, rank).grown(1).children();
  };
  Depth& depth = this->depth(number);
  depth.multipoles.emplace(
      context, CellTransfers::plan(own, ranks, grid, partition_.periodic(), below, with_border),
      coefficients_, places_in(below(own)), places_in(depth.level),
      comm::NeighborOptions{exchange_method, fmt::format("fmm multipoles, level {}", number)});
  depth.locals.emplace(
      context, CellTransfers::plan(own, ranks, grid, partition_.periodic(), children, below),
      coefficients_, places_in(depth.level), places_in(below(own)),
      comm::NeighborOptions{exchange_method,
                            fmt::format("fmm local expansions, level {}", number)});
}

template <class Real>
void FarField<Real>::add_moments(const FarSources<Real>& sources, Real* multipole,
                                 std::size_t stride) {
  // The multipole of a dipole is its component along the gradient of the harmonics.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    scratch_.assign(coefficients_, Real(0));
    kernels_.charges_to_multipole(factors_, sources.moments[axis], operators_.leaf_unit,
                                  scratch_.data(), 1);
    for (const GradientTerm& term : operators_.gradient) {
      if (term.component != static_cast<int>(axis)) continue;
      multipole[term.from * stride] += static_cast<Real>(term.factor) * scratch_[term.to];
    }
  }
}

template <class Real>
void FarField<Real>::add_gradient(std::vector<Real>& local) const {
  for (const GradientTerm& term : operators_.gradient) {
    const auto component = static_cast<std::size_t>(term.component) + 1;
    local[component * coefficients_ + term.to] += static_cast<Real>(term.factor) * local[term.from];
  }
}

template <class Real>
void FarField<Real>::clear() {
  for (Depth& depth : depths_) depth.level.clear();
  leaves_.clear();
}

template <class Real>
void FarField<Real>::add_multipole(std::size_t leaf, const FarSources<Real>& sources) {
  Real* const multipole = leaves_.data() + leaf;
  kernels_.charges_to_multipole(factors_, sources.charges, operators_.leaf_unit, multipole,
                                leaves_.stride());
  if (parameters_.dipoles) add_moments(sources, multipole, leaves_.stride());
}

template <class Real>
void FarField<Real>::start(const std::array<double, sum_count>& sums, bool last, FmmTimes& times) {
  Stopwatch watch;
  last_ = last;
  next_stage_ = 0;
  virial_ = {};
  std::fill(reduced_->begin(), reduced_->end(), 0.0);
  std::copy(sums.begin(), sums.end(), reduced_->end() - sum_count);
  const int leaf = partition_.leaf_depth();
  if (!distributed(leaf)) {
    start_top(leaves_);
  } else {
    depth(leaf).multipoles->start(cells_of(leaves_), multipoles_of(depth(leaf)));
    if (last) leaves_ = {};
  }
  watch.lap(times.communication);
}

template <class Real>
void FarField<Real>::next_stage(bool with_virial, FmmTimes& times) {
  with_virial_ = with_virial;
  const Stage stage = stages_.at(next_stage_++);
  if (stage == Stage::climb) return climb(times);
  if (stage == Stage::descend) return descend(times);
  Stopwatch watch;
  if (stage == Stage::to_waves) top_.to_waves();
  if (stage == Stage::multiply) multiply_top();
  if (stage == Stage::from_waves) top_.from_waves(top_locals());
  watch.lap(times.multipoles_to_locals);
}

template <class Real>
void FarField<Real>::start_top(const CellExpansions<Real>& part) {
  if (has_whole_top_) return;
  if (partition_.top_distributed()) {
    const auto background = background_of(part);
    std::copy(background.begin(), background.end(), reduced_->begin());
    reduction_->start();
    top_.start(part);
    return;
  }
  const Cells grid = partition_.grid(partition_.first_distributed_depth());
  const CellBox shared = CellBox::grid(grid);
  std::vector<std::size_t> places;
  places.reserve(part.box().count());
  part.box().for_each(
      [&](const Cells& cell) { places.push_back(shared.index(wrapped(cell, grid))); });
  for (std::size_t a = 0; a < coefficients_; ++a) {
    const Real* from = part.data() + a * part.stride();
    double* to = reduced_->data() + a * shared.count();
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] += static_cast<double>(from[i]);
  }
  if (reduction_) reduction_->start();
}

template <class Real>
void FarField<Real>::climb(FmmTimes& times) {
  Stopwatch watch;
  const int shared = partition_.first_distributed_depth();
  for (int number = partition_.leaf_depth(); number > shared; --number) {
    Depth& here = depth(number);
    here.multipoles->finish(multipoles_of(here));
    watch.lap(times.communication);
    shift_up(here);
    watch.lap(times.multipoles_up);
    if (number - 1 > shared) {
      depth(number - 1)
          .multipoles->start(cells_of(here.of_parents), multipoles_of(depth(number - 1)));
    } else {
      start_top(here.of_parents);
    }
    watch.lap(times.communication);
    multipoles_to_locals(here);
    watch.lap(times.multipoles_to_locals);
  }
}

template <class Real>
void FarField<Real>::multiply_top() {
  // If the top is not distributed, all ranks have the same result, and rank 0 counts it.
  const bool counted = partition_.top_distributed() || partition_.rank() == 0;
  typename CellConvolution<Real>::Virial virial{};
  const bool with_virial = with_virial_ && counted;
  top_.multiply(with_virial ? &virial : nullptr);
  if (with_virial) add_virial_of_top(virial);
}

template <class Real>
void FarField<Real>::compute_top(FmmTimes& times) {
  Stopwatch watch;
  CellExpansions<Real> whole;
  const CellExpansions<Real>* source = &top_source();
  const int shared = partition_.first_distributed_depth();
  if (!has_whole_top_) {
    whole = CellExpansions<Real>(CellBox::grid(partition_.grid(shared)), coefficients_);
    const std::size_t cells = whole.box().count();
    for (std::size_t a = 0; a < coefficients_; ++a) {
      std::copy_n(reduced_->data() + a * cells, cells, whole.data() + a * whole.stride());
    }
    for (int number = shared; number > 0; --number) {
      Depth& here = depth(number);
      here.multipoles->start(cells_of(whole), multipoles_of(here));
      shift_up(here);
      whole = here.of_parents;
      watch.lap(times.multipoles_up);
      multipoles_to_locals(here);
      watch.lap(times.multipoles_to_locals);
    }
    source = &whole;
  }
  top_.start(*source);
  const Background background = background_of(*source);
  top_.to_waves();
  multiply_top();
  top_.from_waves(top_locals());
  if (parameters_.periodic) move_background_of_top(background);
  watch.lap(times.multipoles_to_locals);
}

template <class Real>
void FarField<Real>::descend(FmmTimes& times) {
  Stopwatch watch;
  const int shared = partition_.first_distributed_depth(), leaf = partition_.leaf_depth();
  if (reduction_) reduction_->finish();
  if (!partition_.top_distributed()) {
    watch.lap(times.communication);
    compute_top(times);
    watch = {};
  } else {
    top_.finish(top_locals());
    watch.lap(times.communication);
    Background background;
    std::copy_n(reduced_->begin(), background_count, background.begin());
    if (parameters_.periodic) move_background_of_top(background);
    watch.lap(times.multipoles_to_locals);
  }

  std::vector<Real> block;
  for (int number = 1; number <= leaf; ++number) {
    Depth& here = depth(number);
    here.of_parents.clear();
    if (number - 1 > shared) {
      Depth& above = depth(number - 1);
      above.locals->start(locals_of(above), cells_of(here.of_parents));
      above.locals->finish(cells_of(here.of_parents));
      watch.lap(times.communication);
    } else if (const CellBox& cells = here.level.targets(); !cells.empty()) {
      block.resize(coefficients_ * cells.count());
      read_locals(number - 1, cells, block.data());
      here.of_parents.add(cells, block.data());
    }
    shift_down(here);
    if (with_virial_) add_virial_of_level(number);
    watch.lap(times.locals_down);
  }
  if (last_ && leaf > shared) {
    leaves_ = CellExpansions<Real>(partition_.touched_leaves(partition_.rank()), coefficients_);
  } else if (!leaves_are_top_) {
    leaves_.clear();
  }
  if (leaf > shared) {
    Depth& deepest = depth(leaf);
    deepest.locals->start(locals_of(deepest), cells_of(leaves_));
    deepest.locals->finish(cells_of(leaves_));
  } else if (!leaves_are_top_) {
    block.resize(coefficients_ * leaves_.box().count());
    for (const CellBlock& images : images_of_leaves_) {
      read_locals(leaf, images.source, block.data());
      leaves_.add(images.target(), block.data());
    }
  }
  if (last_) {
    top_.forget();
    for (Depth& here : depths_) here.level.forget_locals();
  }
  watch.lap(times.communication);
}

template <class Real>
void FarField<Real>::evaluate(std::size_t leaf, FarSources<Real>& sources) {
  const auto evaluate = [&](const std::vector<Real>& local, FarCharges<Real>& charges) {
    kernels_.local_to_charges(factors_, local.data(), operators_.leaf_unit, charges);
  };
  local_.assign(4 * coefficients_, Real(0));
  const Real* from = leaves_.data() + leaf;
  for (std::size_t a = 0; a < coefficients_; ++a) local_[a] = from[a * leaves_.stride()];
  add_gradient(local_);
  evaluate(local_, sources.charges);
  for (std::size_t axis = 0; axis < 3 && parameters_.dipoles; ++axis) {
    slope_.assign(local_.size(), Real(0));
    std::copy_n(local_.data() + (axis + 1) * coefficients_, coefficients_, slope_.data());
    add_gradient(slope_);
    evaluate(slope_, sources.moments[axis]);
  }
}

template <class Real>
std::array<double, FarField<Real>::sum_count> FarField<Real>::sums() const {
  std::array<double, sum_count> sums;
  std::copy(reduced_->end() - sum_count, reduced_->end(), sums.begin());
  return sums;
}

template <class Real>
void FarField<Real>::read_locals(int number, const CellBox& cells, Real* out) {
  if (number == 0) {
    top_locals_.read(cells, out);
  } else {
    depth(number).level.read_locals(cells, out);
  }
}

template <class Real>
void FarField<Real>::shift_up(Depth& depth) {
  ExpansionLevel<Real>& level = depth.level;
  if (level.parents().empty()) return;
  scratch_.assign(coefficients_ * level.stride(), Real(0));
  for (const auto& group : level.segments()) {
    for (const auto& [begin, count] : group) {
      for (int octant = 0; octant < 8; ++octant) {
        kernels_.shift(operators_.up[static_cast<std::size_t>(octant)],
                       level.multipoles(octant) + begin, level.stride(), scratch_.data() + begin,
                       level.stride(), count);
      }
    }
  }
  level.parents().for_each([&](const Cells& parent) {
    Real* to = depth.of_parents.at(parent);
    const Real* from = scratch_.data() + level.index(parent);
    for (std::size_t a = 0; a < coefficients_; ++a) {
      to[a * depth.of_parents.stride()] = from[a * level.stride()];
    }
  });
}

template <class Real>
void FarField<Real>::multipoles_to_locals(Depth& depth) {
  ExpansionLevel<Real>& level = depth.level;
  if (with_virial_) {
    for (auto& weighted : depth.weighted) weighted.assign(level.size(), Real(0));
  }
  for (const auto& group : level.target_segments()) {
    for (int octant = 0; octant < 8; ++octant) {
      for (const auto& pair : operators_.pairs[static_cast<std::size_t>(octant)]) {
        const std::ptrdiff_t distance = level.distance(pair.parent);
        const Real* sources = level.multipoles(pair.octant);
        const auto& shift = operators_.pair_shifts[static_cast<std::size_t>(pair.shift)];
        const Vec3& connection = operators_.pair_connections[static_cast<std::size_t>(pair.shift)];
        for (const auto& [begin, count] : group) {
          const Real* source = sources + (static_cast<std::ptrdiff_t>(begin) + distance);
          Real* target = level.locals(octant) + begin;
          if (with_virial_) {
            shift_weighted(shift, connection, source, level.stride(), target,
                           weighted_at(depth, octant, begin), level.stride(), count);
          } else {
            kernels_.shift(shift, source, level.stride(), target, level.stride(), count);
          }
        }
      }
    }
  }
  // Multipoles are needed again for the virial only.
  if (last_ && !with_virial_) level.forget_multipoles();
}

template <class Real>
void FarField<Real>::shift_down(Depth& depth) {
  ExpansionLevel<Real>& level = depth.level;
  if (level.targets().empty()) return;
  scratch_.assign(coefficients_ * level.stride(), Real(0));
  level.targets().for_each([&](const Cells& parent) {
    const Real* from = depth.of_parents.at(parent);
    Real* to = scratch_.data() + level.index(parent);
    for (std::size_t a = 0; a < coefficients_; ++a) {
      to[a * level.stride()] = from[a * depth.of_parents.stride()];
    }
  });
  for (const auto& group : level.target_segments()) {
    for (const auto& [begin, count] : group) {
      for (int octant = 0; octant < 8; ++octant) {
        const auto& shift = operators_.down[static_cast<std::size_t>(octant)];
        const Real* source = scratch_.data() + begin;
        Real* target = level.locals(octant) + begin;
        if (with_virial_) {
          shift_weighted(shift, 2.0 * operators_.from_parent[static_cast<std::size_t>(octant)],
                         source, level.stride(), target, weighted_at(depth, octant, begin),
                         level.stride(), count);
        } else {
          kernels_.shift(shift, source, level.stride(), target, level.stride(), count);
        }
      }
    }
  }
}

template <class Real>
std::vector<CellBox> FarField<Real>::boxes_of_top() const {
  if (!partition_.top_distributed()) return {CellBox::grid(partition_.grid(0))};
  std::vector<CellBox> boxes;
  for (int rank = 0; rank < partition_.rank_count(); ++rank) {
    boxes.push_back(partition_.leaf_depth() == 0 ? partition_.touched_leaves(rank)
                                                 : partition_.owned(0, rank));
  }
  return boxes;
}

template <class Real>
Vec3 FarField<Real>::top_center(const Cells& place) const {
  const Cells& grid = parameters_.top_cells;
  const Cells cell = wrapped(place, grid);
  return lattice_.position({(cell[0] + 0.5) / grid[0] - 0.5, (cell[1] + 0.5) / grid[1] - 0.5,
                            (cell[2] + 0.5) / grid[2] - 0.5});
}

template <class Real>
typename FarField<Real>::Background FarField<Real>::background_of(
    const CellExpansions<Real>& multipoles) const {
  Background sums{};
  VirialProducts second{}, mixed{};
  multipoles.box().for_each([&](const Cells& cell) {
    const Real* multipole = multipoles.at(cell);
    const auto value = [&](std::size_t a) {
      return static_cast<double>(multipole[a * multipoles.stride()]);
    };
    const double charge = value(0);
    const Vec3 center = top_center(cell);
    const Vec3 dipole =
        operators_.top_unit *
        Vec3{value(cosine_index(1, 1)), value(sine_index(1, 1)), value(cosine_index(1, 0))};
    sums[0] += charge;
    for (int axis = 0; axis < 3; ++axis) {
      sums[static_cast<std::size_t>(1 + axis)] += dipole[axis];
      sums[static_cast<std::size_t>(4 + axis)] += charge * center[axis];
    }
    add_product(second, center, charge * center);
    add_product(mixed, center, dipole);
  });
  std::copy(second.begin(), second.end(), sums.begin() + 7);
  std::copy(mixed.begin(), mixed.end(), sums.begin() + 16);
  return sums;
}

template <class Real>
void FarField<Real>::move_background_of_top(const Background& sums) {
  // With u = r - c for the center c of a cell, the convolution has |u_i - u_j|^2 for pairs i, j of
  // charges instead of |r_i - r_j|^2. The difference is that of a monopole and a dipole in each
  // cell.
  const double unit = operators_.top_unit;
  const double scale = 2.0 * std::numbers::pi / (3.0 * lattice_.volume());
  const double charge = sums[0];
  const Vec3 dipole{sums[1], sums[2], sums[3]}, first{sums[4], sums[5], sums[6]};
  VirialProducts second, mixed;
  std::copy_n(sums.begin() + 7, 9, second.begin());
  std::copy_n(sums.begin() + 16, 9, mixed.begin());
  const auto trace = [](const VirialProducts& products) {
    return products[0] + products[4] + products[8];
  };
  CellExpansions<Real>& locals = top_locals();
  locals.box().for_each([&](const Cells& cell) {
    const Vec3 c = top_center(cell);
    const double potential = scale * (2.0 * dot(c, dipole + first) - 2.0 * trace(mixed) -
                                      charge * dot(c, c) - trace(second));
    const Vec3 gradient = (2.0 * scale) * (first - charge * c);
    Real* local = locals.at(cell);
    const auto add = [&](std::size_t a, double value) {
      local[a * locals.stride()] += static_cast<Real>(value);
    };
    add(0, potential * unit);
    add(cosine_index(1, 1), gradient.x * unit * unit);
    add(sine_index(1, 1), gradient.y * unit * unit);
    add(cosine_index(1, 0), gradient.z * unit * unit);
  });
  if (!with_virial_ || partition_.rank() != 0) return;
  VirialProducts apart{};
  add_product(apart, first, dipole + first);
  // The whole energy is divided by the volume, so its strain derivative adds it to the diagonal.
  const double energy = -scale * (2.0 * (charge * trace(mixed) - dot(first, dipole)) +
                                  charge * trace(second) - dot(first, first));
  for (std::size_t k = 0; k < 9; ++k) {
    virial_[k] +=
        2.0 * scale * (charge * (mixed[k] + second[k]) - apart[k]) + (k % 4 == 0 ? energy : 0.0);
  }
}

template <class Real>
std::array<Real*, 3> FarField<Real>::weighted_at(Depth& depth, int octant, std::size_t begin) {
  const std::size_t at =
      static_cast<std::size_t>(octant) * coefficients_ * depth.level.stride() + begin;
  return {depth.weighted[0].data() + at, depth.weighted[1].data() + at,
          depth.weighted[2].data() + at};
}

template <class Real>
void FarField<Real>::shift_weighted(const ShiftOperator<Real>& shift, const Vec3& vector,
                                    const Real* source, std::size_t source_stride, Real* target,
                                    const std::array<Real*, 3>& weighted, std::size_t target_stride,
                                    std::size_t count) {
  shifted_.assign(coefficients_ * count, Real(0));
  kernels_.shift(shift, source, source_stride, shifted_.data(), count, count);
  const Real x = static_cast<Real>(vector.x), y = static_cast<Real>(vector.y);
  const Real z = static_cast<Real>(vector.z);
  for (std::size_t a = 0; a < coefficients_; ++a) {
    const Real* values = shifted_.data() + a * count;
    const std::size_t row = a * target_stride;
    for (std::size_t i = 0; i < count; ++i) target[row + i] += values[i];
    for (std::size_t i = 0; i < count; ++i) weighted[0][row + i] += x * values[i];
    for (std::size_t i = 0; i < count; ++i) weighted[1][row + i] += y * values[i];
    for (std::size_t i = 0; i < count; ++i) weighted[2][row + i] += z * values[i];
  }
}

template <class Real>
void FarField<Real>::add_virial(const Real* multipole, const std::array<const Real*, 3>& weighted,
                                std::size_t stride, double unit) {
  // Each cell of a pair is a target once, so each takes half. The force on a cell is minus its
  // multipole times the gradient of the potential's expansion.
  VirialProducts sum{};
  for (const GradientTerm& term : operators_.gradient) {
    const double factor = term.factor * static_cast<double>(multipole[term.to * stride]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[3 * axis + static_cast<std::size_t>(term.component)] +=
          factor * static_cast<double>(weighted[axis][term.from * stride]);
    }
  }
  for (std::size_t k = 0; k < 9; ++k) virial_[k] -= 0.5 / unit * sum[k];
}

template <class Real>
void FarField<Real>::add_virial_of_level(int number) {
  Depth& here = depth(number);
  const double unit = std::ldexp(operators_.leaf_unit, partition_.leaf_depth() - number);
  for (int octant = 0; octant < 8; ++octant) {
    for (const std::size_t parent : here.counted) {
      const auto weighted = weighted_at(here, octant, parent);
      add_virial(here.level.multipoles(octant) + parent, {weighted[0], weighted[1], weighted[2]},
                 here.level.stride(), unit);
    }
  }
}

template <class Real>
void FarField<Real>::add_virial_of_top(const std::array<double, 6>& virial) {
  constexpr std::size_t places[6][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {2, 6}, {5, 7}};
  for (std::size_t k = 0; k < 6; ++k) {
    const double value = virial[k] / operators_.top_unit;
    virial_[places[k][0]] += value;
    if (k > 2) virial_[places[k][1]] += value;
  }
}

template <class Real>
std::vector<comm::Verdict> FarField<Real>::verdicts() const {
  std::vector<comm::Verdict> verdicts = top_.verdicts();
  for (const Depth& depth : depths_) {
    for (const auto* exchange : {&depth.multipoles, &depth.locals}) {
      if (!*exchange) continue;
      if (const auto verdict = (*exchange)->verdict()) verdicts.push_back(*verdict);
    }
  }
  return verdicts;
}

template class FarField<float>;
template class FarField<double>;

}  // namespace sterna::md
