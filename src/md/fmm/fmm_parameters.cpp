#include "md/fmm/fmm_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace sterna::md {
namespace {

/// Relative root-mean-square force error of an order: 200 molecules of SPC/E water (NIST),
/// repeated, in cells of 30 to 150 charges.
constexpr struct {
  int order;
  double error;
} measured_errors[] = {{3, 9e-3},    {4, 4e-3},    {5, 1.9e-3},  {6, 9e-4},    {7, 5e-4},
                       {8, 2.6e-4},  {9, 1.4e-4},  {10, 8e-5},   {11, 4e-5},   {12, 2.4e-5},
                       {13, 1.4e-5}, {14, 8e-6},   {15, 5e-6},   {16, 3e-6},   {17, 1.8e-6},
                       {18, 1.1e-6}, {19, 7e-7},   {20, 4.5e-7}, {22, 1.7e-7}, {24, 7e-8},
                       {26, 3e-8},   {28, 1.2e-8}, {30, 5e-9},   {32, 2e-9}};

/// Cells of the top level that are about as wide between all of their faces, `shortest` where the
/// box is narrowest.
std::array<int, 3> even_cells(const Lattice& lattice, int shortest) {
  const double width = std::min({lattice.width(0), lattice.width(1), lattice.width(2)}) / shortest;
  std::array<int, 3> cells{};
  for (int axis = 0; axis < 3; ++axis) {
    cells[static_cast<std::size_t>(axis)] =
        std::min(64, static_cast<int>(std::lround(lattice.width(axis) / width)));
  }
  return cells;
}

}  // namespace

FmmPrecision fmm_precision_by_name(std::string_view name) {
  for (const auto precision : {FmmPrecision::single, FmmPrecision::mixed, FmmPrecision::full}) {
    if (name == name_of(precision)) return precision;
  }
  throw std::invalid_argument(fmt::format("no precision \"{}\"", name));
}

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
    if (cells < 2 || cells > 64 || levels < 0 || levels > 12) {
      throw std::invalid_argument(
          fmt::format("{} levels below {} top cells along an edge: 0 to 12 levels are possible, "
                      "and 2 to 64 cells",
                      levels, cells));
    }
  }
  if (!(overlap >= 0.0 && overlap <= 0.5)) {
    throw std::invalid_argument(fmt::format(
        "the cells of the multipole method overlap by {} of their edges, not 0 to 0.5", overlap));
  }
}

double FmmParameters::reach(const Lattice& lattice, int axis) const {
  if (overlap == 0.0) return 0.0;
  // A little more, so that rounding leaves no molecule out.
  const int leaves = top_cells[static_cast<std::size_t>(axis)] << levels;
  return (0.5 * overlap + 1e-6) / leaves + travel / lattice.width(axis);
}

bool FmmParameters::sums_of_top_fit() const {
  double bytes = precision == FmmPrecision::single ? sizeof(float) : sizeof(double);
  for (const int cells : top_cells) bytes *= 2.0 * cells - 1.0;
  return bytes * std::pow(order + 1.0, 4) <= 64.0 * 1024.0 * 1024.0;
}

FmmParameters FmmParameters::choose(const Lattice& lattice, bool periodic, std::size_t count,
                                    double accuracy, double least_width) {
  FmmParameters parameters;
  parameters.periodic = periodic;
  parameters.order = highest_order;
  for (const auto& [order, error] : measured_errors) {
    if (error > accuracy) continue;
    parameters.order = order;
    break;
  }
  parameters.precision = accuracy >= 2e-5   ? FmmPrecision::single
                         : accuracy >= 1e-6 ? FmmPrecision::mixed
                                            : FmmPrecision::full;

  // In units of a near pair: a shift's operations grow with the cube of the order, those of a
  // matrix with its fourth power.
  const double n = parameters.order + 1.0, shift_cost = 0.5 * n * n * n;
  const double matrix_cost = 0.1 * n * n * n * n;
  double lowest = 0.0;
  for (int levels = 0; levels <= 12; ++levels) {
    for (const int shortest : {2, 3}) {
      FmmParameters trial = parameters;
      trial.levels = levels;
      trial.top_cells = even_cells(lattice, shortest);
      double top = 1.0;
      bool wide = true;
      for (int axis = 0; axis < 3; ++axis) {
        const int along = trial.top_cells[static_cast<std::size_t>(axis)];
        top *= along;
        wide = wide && std::ldexp(lattice.width(axis) / along, -levels) >= least_width;
      }
      const double leaves = std::ldexp(top, 3 * levels);
      const double charges = static_cast<double>(count) / leaves;
      // In a periodic box all top cells act on each other, and so do their images.
      double cost = 27.0 * charges * static_cast<double>(count) +
                    189.0 * (leaves - top) * 8.0 / 7.0 * shift_cost;
      if (periodic) {
        cost += trial.sums_of_top_fit() ? top * top * matrix_cost : 27.0 * top * top * shift_cost;
      } else {
        cost += top * std::max(0.0, top - 27.0) * shift_cost;
      }
      if (lowest == 0.0 || (wide && cost < lowest)) {
        lowest = cost;
        parameters.levels = trial.levels;
        parameters.top_cells = trial.top_cells;
      }
    }
  }
  return parameters;
}

double FmmParameters::separation(const Lattice& lattice) {
  const std::array<int, 3> cells = even_cells(lattice, 2);
  const Lattice cell{lattice.a * (1.0 / cells[0]), lattice.b * (1.0 / cells[1]),
                     lattice.c * (1.0 / cells[2])};
  const auto length = [&](int x, int y, int z) {
    const Vec3 v = cell.position({double(x), double(y), double(z)});
    return std::sqrt(dot(v, v));
  };
  const double diameter =
      std::max({length(1, 1, 1), length(-1, 1, 1), length(1, -1, 1), length(1, 1, -1)});
  double nearest = HUGE_VAL;
  for (int x = -3; x <= 3; ++x)
    for (int y = -3; y <= 3; ++y)
      for (int z = -3; z <= 3; ++z) {
        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) < 2) continue;
        nearest = std::min(nearest, length(x, y, z));
      }
  return nearest / diameter;
}

CheckedFmmParameters check_parameters(
    FmmParameters trial, double accuracy,
    const std::function<double(const FmmParameters& a, const FmmParameters& b)>& difference) {
  // The cost of the reference grows with the cube of its order, and few ask for more than this.
  constexpr int usual = 20;
  FmmParameters highest = trial;
  highest.precision = FmmPrecision::full;
  for (const int order : {usual, FmmParameters::highest_order}) {
    if (order == usual && accuracy < 1e-6) continue;
    highest.order = order;
    while (trial.order < order) {
      // An order takes about half of the error away, so this much of it is the reference's.
      const double error =
          difference(trial, highest) / (1.0 - std::ldexp(1.0, trial.order - order));
      if (error <= accuracy) return {trial, error};
      trial.order += std::max(1, static_cast<int>(std::ceil(std::log2(error / accuracy))));
    }
  }
  FmmParameters lower = highest;
  lower.order -= 2;
  return {highest, difference(lower, highest) / 3.0};
}

}  // namespace sterna::md
