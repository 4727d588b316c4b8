#include "fmm/parameter_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::fmm {
namespace {

using md::FmmParameters;
using md::FmmPrecision;
using md::Lattice;
using md::Vec3;

/// Halves the number of leaves along each edge; false if there are too few.
bool widen(FmmParameters& tree) {
  if (tree.levels > 0) {
    --tree.levels;
    return true;
  }
  if (std::ranges::min(tree.top_cells) < 4) return false;
  for (int& cells : tree.top_cells) cells /= 2;
  return true;
}

bool same_tree(const FmmParameters& a, const FmmParameters& b) {
  return a.levels == b.levels && a.top_cells == b.top_cells;
}

}  // namespace

ParameterSearch::ParameterSearch(const comm::Context& context,
                                 const md::Decomposition& decomposition,
                                 const Distribution& particles, const Options& options,
                                 bool periodic, double count)
    : context_(context),
      decomposition_(decomposition),
      particles_(particles),
      options_(options),
      periodic_(periodic),
      count_(count) {}

double ParameterSearch::count_for_tree() const {
  // The near field costs as many pairs as leaves have, whose number grows with the mean of the squares
  // of densities over the square of their mean. The far field costs as much as there are leaves. So
  // both are in balance for as many leaves as with more charges that are spread evenly.
  constexpr int bins = 16;
  std::vector<double> counts(bins * bins * bins, 0.0);
  const md::Box& box = decomposition_.box();
  const md::Shear shear = box.shear();
  for (Vec3 at : particles_.positions()) {
    int image[3];
    if (periodic_) at = box.wrap(at, image);
    at = shear.unsheared(at);
    int bin = 0;
    for (int axis = 2; axis >= 0; --axis) {
      const int along = static_cast<int>(at[axis] / box.length[axis] * bins);
      bin = bins * bin + std::clamp(along, 0, bins - 1);
    }
    ++counts[static_cast<std::size_t>(bin)];
  }
  comm::ReductionBatch(context_, "density").sum(counts.data(), counts.size()).run();
  double pairs = 0.0;  // without those that a random spread has
  for (const double n : counts) pairs += n * (n - 1.0);
  const double even = count_ * count_ / static_cast<double>(counts.size());
  return count_ * std::sqrt(std::max(1.0, even > 0.0 ? pairs / even : 1.0));
}

FmmParameters ParameterSearch::tree_for(double field_accuracy) const {
  const Lattice lattice = Lattice::of(decomposition_.box());
  const auto count = static_cast<std::size_t>(std::max(1.0, count_for_tree()));
  FmmParameters tree = FmmParameters::candidates(lattice, periodic_, count, field_accuracy, 0.0, 0,
                                                 context_.size(), 1)
                           .front();
  const double separation = tree.separation(lattice);
  if (separation < FmmParameters::least_separation) {
    throw comm::Error(fmt::format(
        "expansions do not converge in this box: its shortest edges make cells that come as near "
        "to their second neighbors as {:.2f} of their diameter, and {:.2f} is needed",
        separation, FmmParameters::least_separation));
  }
  tree.surroundings = options_.surroundings == Surroundings::vacuum ? md::Surroundings::vacuum
                                                                    : md::Surroundings::conductor;
  if (options_.order > 0) tree.order = options_.order;
  return tree;
}

ParameterSearch::Solution ParameterSearch::solve(const FmmParameters& parameters) const {
  md::FmmSolver solver(context_, decomposition_, parameters, options_.exchange);
  const md::PointCharges charges{particles_.positions(), particles_.charges(), {}};
  solver.rebuild(charges);
  solver.start(charges);
  const md::CoulombResult& result = solver.finish(false, true, true);
  return {result.energy, result.potentials, result.fields};
}

Errors ParameterSearch::difference(const Solution& a, const Solution& b, double factor) const {
  enum { energies, energy, charges, fields, field, potentials, potential, weighted, sums };
  std::array<double, sums> sum{};
  sum[energies] = b.energy;
  sum[energy] = a.energy - b.energy;
  for (std::size_t i = 0; i < a.potentials.size(); ++i) {
    const double charge = particles_.charges()[i];
    const double by = a.potentials[i] - b.potentials[i];
    const Vec3 apart = a.fields[i] - b.fields[i];
    sum[charges] += charge * charge;
    sum[fields] += dot(b.fields[i], b.fields[i]);
    sum[field] += dot(apart, apart);
    sum[potentials] += b.potentials[i] * b.potentials[i];
    sum[potential] += by * by;
    sum[weighted] += charge * charge * by * by;
  }
  comm::ReductionBatch(context_, "errors of the multipole method").sum(sum.data(), sums).run();
  for (const double value : sum) {
    if (std::isfinite(value)) continue;
    throw comm::Error(coinciding);
  }
  Errors errors;
  if (count_ == 0.0) return errors;
  const double nearest = std::cbrt(count_ / decomposition_.box().volume());
  const double size = std::sqrt(sum[charges] / count_);
  const auto relative = [](double error, double whole, double least) {
    return error > 0.0 ? error / std::max(whole, least) : 0.0;
  };
  errors.absolute_field = factor * std::sqrt(sum[field] / count_);
  errors.absolute_potential = factor * std::sqrt(sum[potential] / count_);
  errors.absolute_energy = factor * std::max(std::abs(sum[energy]), 0.5 * std::sqrt(sum[weighted]));
  errors.field = relative(errors.absolute_field, std::sqrt(sum[fields] / count_),
                          0.1 * size * nearest * nearest);
  errors.potential = relative(errors.absolute_potential, std::sqrt(sum[potentials] / count_),
                              0.1 * size * nearest);
  errors.energy = relative(errors.absolute_energy, std::abs(sum[energies]),
                           0.05 * count_ * size * size * nearest);
  return errors;
}

Errors ParameterSearch::measured(const FmmParameters& trial,
                                 std::optional<Reference>& reference) const {
  // One order halves the error.
  constexpr int orders_above = 8, fewest_above = 4;
  const int highest = FmmParameters::highest_order;
  const bool known = reference && same_tree(reference->parameters, trial) &&
                     reference->parameters.order >= std::min(highest, trial.order + fewest_above);
  if (!known) {
    FmmParameters better = trial;
    better.order = std::min(highest, trial.order + orders_above);
    better.precision = FmmPrecision::full;
    reference.reset();
    reference = Reference{better, solve(better)};
  }
  FmmParameters compared = trial;
  double factor = 1.0 / (1.0 - std::ldexp(1.0, trial.order - reference->parameters.order));
  if (trial.order == highest) {
    // Two orders less have four times the error.
    compared.order -= 2;
    factor = 1.0 / 3.0;
  }
  return difference(solve(compared), reference->solution, factor);
}

double ParameterSearch::error_of(const Errors& errors) const {
  switch (options_.tolerance) {
    case Tolerance::field:
      return errors.field;
    case Tolerance::potential:
      return errors.potential;
    case Tolerance::energy:
      return errors.energy;
    case Tolerance::absolute_field:
      return errors.absolute_field;
    case Tolerance::absolute_potential:
      return errors.absolute_potential;
    case Tolerance::absolute_energy:
      return errors.absolute_energy;
  }
  return errors.field;
}

ParameterSearch::Found ParameterSearch::run() const {
  const double accuracy = options_.accuracy;
  const bool of_fields = options_.tolerance == Tolerance::field;
  std::optional<Reference> reference;
  constexpr double first_guess = 1e-4;
  FmmParameters tree = tree_for(of_fields ? accuracy : first_guess);
  Errors errors = measured(tree, reference);
  if (options_.order > 0) return {tree, errors};
  if (!of_fields && error_of(errors) > 0.0) {
    // The error of the fields that goes with the accuracy.
    const double wanted = errors.field * (accuracy / error_of(errors));
    tree = tree_for(std::clamp(wanted, 1e-13, 1e-2));
    errors = measured(tree, reference);
  }
  while (error_of(errors) > accuracy) {
    double ratio = error_of(errors) / accuracy;
    if (tree.precision != FmmPrecision::full) {
      FmmParameters exact = tree;
      exact.precision = FmmPrecision::full;
      const Errors of_exact = measured(exact, reference);
      const double ratio_of_exact = error_of(of_exact) / accuracy;
      if (ratio_of_exact < 0.5 * ratio || ratio_of_exact <= 1.0) {
        tree = exact;
        errors = of_exact;
        ratio = ratio_of_exact;
        if (ratio <= 1.0) break;
      }
    }
    const int more = std::max(1, static_cast<int>(std::ceil(std::log2(ratio))));
    if (tree.order < FmmParameters::highest_order) {
      tree.order = std::min(FmmParameters::highest_order, tree.order + more);
    } else if (tree.precision != FmmPrecision::full) {
      tree.precision = FmmPrecision::full;
    } else if (!widen(tree)) {
      throw comm::Error(
          fmt::format("an accuracy of {:.2g} cannot be had for these charges: the multipole method "
                      "reaches {:.2g} with its highest order in double precision",
                      accuracy, error_of(errors)));
    }
    errors = measured(tree, reference);
  }
  return {tree, errors};
}

}  // namespace sterna::fmm
