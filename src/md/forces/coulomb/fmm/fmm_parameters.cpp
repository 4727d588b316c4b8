#include "md/forces/coulomb/fmm/fmm_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace sterna::md {
namespace {

/// Relative root mean square error of forces by order, for 200 molecules of SPC/E water (NIST),
/// repeated, in cells of 30 to 150 charges.
constexpr struct {
  int order;
  double error;
} measured_errors[] = {{3, 9e-3},    {4, 4e-3},    {5, 1.9e-3},  {6, 9e-4},    {7, 5e-4},
                       {8, 2.6e-4},  {9, 1.4e-4},  {10, 8e-5},   {11, 4e-5},   {12, 2.4e-5},
                       {13, 1.4e-5}, {14, 8e-6},   {15, 5e-6},   {16, 3e-6},   {17, 1.8e-6},
                       {18, 1.1e-6}, {19, 7e-7},   {20, 4.5e-7}, {22, 1.7e-7}, {24, 7e-8},
                       {26, 3e-8},   {28, 1.2e-8}, {30, 5e-9},   {32, 2e-9}};

/// Top-level cells that are about equally wide between all of their faces, with `shortest` cells
/// where the box is narrowest.
std::array<int, 3> even_cells(const Lattice& lattice, int shortest) {
  const double width = std::min({lattice.width(0), lattice.width(1), lattice.width(2)}) / shortest;
  std::array<int, 3> cells{};
  for (int axis = 0; axis < 3; ++axis) {
    cells[static_cast<std::size_t>(axis)] = std::min(
        FmmParameters::most_top_cells, static_cast<int>(std::lround(lattice.width(axis) / width)));
  }
  return cells;
}

bool rectangular(const Lattice& lattice) {
  return dot(lattice.a, lattice.b) == 0.0 && dot(lattice.b, lattice.c) == 0.0 &&
         dot(lattice.c, lattice.a) == 0.0;
}

Lattice top_cell(const Lattice& lattice, const std::array<int, 3>& cells) {
  return {lattice.a * (1.0 / cells[0]), lattice.b * (1.0 / cells[1]), lattice.c * (1.0 / cells[2])};
}

int order_for(double accuracy, double charges_per_leaf) {
  // Smaller leaves have a larger error, because molecules extend farther beyond their borders.
  const double factor = 0.2 + 46.0 / charges_per_leaf;
  for (const auto& [order, error] : measured_errors) {
    if (error * factor <= accuracy) return order;
  }
  return FmmParameters::highest_order;
}

/// The number of coefficients that are transformed together with AVX-512 in single precision.
constexpr double transformed_together = 16.0;

double cells_of(const std::array<int, 3>& cells) {
  return static_cast<double>(cells[0]) * cells[1] * cells[2];
}

/// Time of the messages of one computation on a usual network: 0.6 us for each message, 1 us of
/// latency, 6 GB/s; a reduction adds a number in 1 ns.
double nanoseconds_of_messages(const FmmParameters& parameters, double ranks,
                               double distributed_levels, double shared_cells) {
  if (ranks == 1.0) return 0.0;
  constexpr double message = 600.0, latency = 1000.0, per_byte = 1.0 / 6.0, per_sum = 1.0;
  const double size = parameters.precision == FmmPrecision::single ? 4.0 : 8.0;
  const double coefficients = std::pow(parameters.order + 1.0, 2);
  const double around = std::min(26.0, ranks - 1.0);
  // The exchanges of multipoles going up and local expansions going down.
  double sum = distributed_levels * 2.0 * (latency + around * message);
  double reduced = coefficients * shared_cells;
  if (shared_cells == 0.0) {
    // Only few ranks transform. Each of them exchanges messages with all others four times.
    const double bytes =
        std::min(coefficients, transformed_together) * cells_of(parameters.top_cells) * size;
    sum += 4.0 * (latency + (ranks - 1.0) * message + bytes * per_byte);
    reduced = 25.0;
  }
  return sum +
         std::ceil(std::log2(ranks)) * (latency + message + reduced * (8.0 * per_byte + per_sum));
}

/// Time of one computation on the busiest of so many ranks, fitted to times on one core of Zen 5
/// with AVX-512; infinite if the sums of the top take too much memory.
double nanoseconds(const FmmParameters& parameters, double count, double ranks) {
  const double far_width = parameters.precision == FmmPrecision::single ? 1.0 : 2.0;
  const double near_width = parameters.precision == FmmPrecision::full ? 2.5 : 1.0;
  const double coefficients = std::pow(parameters.order + 1.0, 2);
  const double top = cells_of(parameters.top_cells);
  const double leaves = std::ldexp(top, 3 * parameters.levels);
  // Open boxes are padded to twice their cells along each edge.
  const int padding = parameters.periodic ? 1 : 2;
  const double waves = top * std::pow(padding, 3);
  double edges = 0.0;
  for (const int cells : parameters.top_cells) edges += padding * cells;
  const double bytes_of_sums = 4.0 * far_width * 2.0 * coefficients * waves;
  if (bytes_of_sums > FmmParameters::most_bytes_of_sums) return HUGE_VAL;

  // Levels that all ranks have are determined as in TreePartition.
  const double most_shared = std::min<double>(ranks, parameters.most_shared_cells);
  const bool top_is_shared_out = ranks > 1.0 && top > most_shared;
  double shared_cells = top_is_shared_out ? 0.0 : top;
  double distributed_levels = 0.0, shifted = 0.0;
  for (int level = 1; level <= parameters.levels; ++level) {
    const double cells = std::ldexp(top, 3 * level);
    const bool all_have_it = !top_is_shared_out && std::ldexp(top, 3 * (level - 1)) <= most_shared;
    if (all_have_it) shared_cells = cells;
    if (!all_have_it) ++distributed_levels;
    // A rank has at least the eight children of a cell.
    shifted += std::max(cells / ranks, 8.0);
  }
  const double near = 27.0 * 0.064 * near_width * count * (count / leaves + 31.0) / ranks;
  const double shifts = 189.0 * shifted * 0.08 * std::pow(coefficients, 1.5);
  const double transform_ranks =
      top_is_shared_out ? std::min(ranks, std::ceil(coefficients / transformed_together)) : 1.0;
  const double convolution = waves * coefficients *
                             ((5.0 + 0.045 * edges) / transform_ranks +
                              0.017 * coefficients / (top_is_shared_out ? ranks : 1.0));
  const double expansions = coefficients * (8.0 * leaves + 0.22 * count) / ranks;
  return near + far_width * (shifts + convolution) + (far_width > 1.0 ? 1.4 : 1.0) * expansions +
         nanoseconds_of_messages(parameters, ranks, distributed_levels, shared_cells);
}

}  // namespace

std::string_view name_of(FmmPrecision precision) {
  constexpr std::array<std::string_view, 3> names{"single", "mixed", "double"};
  return names[static_cast<std::size_t>(precision)];
}

void FmmParameters::check() const {
  if (order < 2 || order > highest_order) {
    throw std::invalid_argument(
        fmt::format("the order of the multipole method is {}, not 2 to {}", order, highest_order));
  }
  for (const int cells : top_cells) {
    if (cells < 2 || cells > most_top_cells || levels < 0 || levels > 12) {
      throw std::invalid_argument(
          fmt::format("{} levels below {} top cells along an edge: 0 to 12 levels are possible, "
                      "and 2 to {} cells",
                      levels, cells, most_top_cells));
    }
  }
  if (!(overlap >= 0.0 && overlap <= 0.5)) {
    throw std::invalid_argument(fmt::format(
        "the cells of the multipole method overlap by {} of their edges, not 0 to 0.5", overlap));
  }
}

FmmParameters FmmParameters::even_tree(const Lattice& lattice, bool periodic) {
  FmmParameters tree;
  tree.periodic = periodic, tree.levels = 0;
  tree.top_cells = even_cells(lattice, 8);
  return tree;
}

CellBorders FmmParameters::borders(const Lattice& lattice) const {
  const bool whole = periodic && levels == 0 && overlap == 0.0;
  return whole && !rectangular(lattice) ? CellBorders::midplanes : CellBorders::faces;
}

double FmmParameters::separation(const Lattice& lattice) const {
  return CellShape(top_cell(lattice, top_cells), borders(lattice)).separation();
}

double FmmParameters::reach(const Lattice& lattice, int axis) const {
  const int leaves = top_cells[static_cast<std::size_t>(axis)] << levels;
  // A margin, so that rounding leaves no molecule outside.
  constexpr double more = 1e-6;
  if (borders(lattice) == CellBorders::midplanes) {
    const CellShape shape(top_cell(lattice, top_cells), CellBorders::midplanes);
    return (shape.extent()[axis] - 0.5 + more) / leaves;
  }
  if (overlap == 0.0) return 0.0;
  return (0.5 * overlap + more) / leaves + travel / lattice.width(axis);
}

FmmParameters FmmParameters::choose(const Lattice& lattice, bool periodic, std::size_t count,
                                    double accuracy, double least_width, int all_levels,
                                    int ranks) {
  return candidates(lattice, periodic, count, accuracy, least_width, all_levels, ranks, 1).front();
}

std::vector<FmmParameters> FmmParameters::candidates(const Lattice& lattice, bool periodic,
                                                     std::size_t count, double accuracy,
                                                     double least_width, int all_levels, int ranks,
                                                     std::size_t most) {
  std::vector<std::pair<double, FmmParameters>> found;  // trees with their costs
  for (int levels = 0; levels <= 12; ++levels) {
    if (all_levels > 0 ? levels != all_levels - 1 : levels > 0 && !rectangular(lattice)) continue;
    for (int shortest = 2; shortest <= most_top_cells; ++shortest) {
      FmmParameters trial;
      trial.periodic = periodic;
      trial.precision = accuracy >= 2e-5   ? FmmPrecision::single
                        : accuracy >= 5e-6 ? FmmPrecision::mixed
                                           : FmmPrecision::full;
      trial.levels = levels;
      trial.top_cells = even_cells(lattice, shortest);
      bool wide = true;
      for (int axis = 0; axis < 3; ++axis) {
        const int along = trial.top_cells[static_cast<std::size_t>(axis)];
        wide = wide && std::ldexp(lattice.width(axis) / along, -levels) >= least_width;
      }
      const double leaves = std::ldexp(cells_of(trial.top_cells), 3 * levels);
      const double charges = static_cast<double>(count) / leaves;
      trial.order = order_for(accuracy, charges);
      // The first tree is kept in any case, because it has the widest leaves.
      if (wide || found.empty()) {
        found.emplace_back(nanoseconds(trial, static_cast<double>(count), ranks), trial);
      }
    }
  }
  std::ranges::stable_sort(found, {}, [](const auto& tree) { return tree.first; });
  // The largest factor by which the model errs.
  constexpr double nearly = 1.5;
  std::vector<FmmParameters> result;
  for (const auto& [cost, tree] : found) {
    if (result.empty() || (result.size() < most && cost < nearly * found.front().first)) {
      result.push_back(tree);
    }
  }
  return result;
}

CheckedFmmParameters check_parameters(
    FmmParameters trial, double accuracy,
    const std::function<double(const FmmParameters& a, const FmmParameters& b)>& difference) {
  // Memory and time of the reference grow at least with the square of its order. One order halves
  // the error, so with eight orders more than the trial the reference has 1/256 of its error.
  constexpr int orders_above = 8, fewest_above = 4;
  // A reference in single precision needs half of the memory. Both computations share a rounding
  // error of about 1e-6 of the forces, so errors below this limit are measured again in double
  // precision.
  constexpr double least_of_single = 2e-5;
  FmmParameters reference = trial;
  const bool in_single = trial.precision == FmmPrecision::single && accuracy >= least_of_single;
  if (!in_single) reference.precision = FmmPrecision::full;
  while (trial.order < FmmParameters::highest_order) {
    if (reference.order < trial.order + fewest_above) {
      reference.order = std::min(trial.order + orders_above, FmmParameters::highest_order);
    }
    // The difference lacks the reference's share of the error, which is added here.
    const double error =
        difference(trial, reference) / (1.0 - std::ldexp(1.0, trial.order - reference.order));
    if (reference.precision == FmmPrecision::single && error < least_of_single) {
      reference.precision = FmmPrecision::full;
      continue;
    }
    if (error <= accuracy) return {trial, error};
    trial.order += std::max(1, static_cast<int>(std::ceil(std::log2(error / accuracy))));
  }
  reference.order = FmmParameters::highest_order;
  reference.precision = FmmPrecision::full;
  FmmParameters lower = reference;
  lower.order -= 2;
  return {reference, difference(lower, reference) / 3.0};
}

}  // namespace sterna::md
