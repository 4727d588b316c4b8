#include "md/forces/coulomb/fmm/fmm_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "md/forces/coulomb/force_error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

double edge_of_leaf(const FmmParameters& parameters, double volume) {
  double leaves = 1.0;
  for (const int cells : parameters.top_cells) leaves *= std::ldexp(cells, parameters.levels);
  return std::cbrt(volume / leaves);
}

/// `make(parameters)`: makes a solver. `reduce(error)`: adds the sums of other ranks.
template <class Make, class Reduce>
CheckedFmmParameters checked(FmmParameters trial, double accuracy, const PointCharges& charges,
                             double volume, const std::function<std::vector<Vec3>()>& other_forces,
                             bool keep_precision, Make make, Reduce reduce) {
  std::vector<Vec3> reference;
  std::optional<FmmParameters> known;  // parameters of `reference`
  ForceError error;
  const auto difference = [&](const FmmParameters& a, const FmmParameters& b) {
    if (!known || known->order != b.order || known->precision != b.precision) {
      reference = {};
      reference = make(b).last_forces(charges);
      known = b;
    }
    const std::vector<Vec3> forces = make(a).last_forces(charges);
    error = {};
    error.add(forces, reference, charges, other_forces ? other_forces() : std::vector<Vec3>());
    reduce(error);
    return error.relative(volume);
  };
  CheckedFmmParameters result = check_parameters(trial, accuracy, difference);
  if (result.parameters.precision == FmmPrecision::full) return result;
  // A reference in single precision has the same rounding, so the difference does not show it.
  const double rounding = error.rounding(volume, edge_of_leaf(trial, volume));
  if (rounding <= 0.5 * accuracy) return result;
  if (keep_precision) {
    result.error = std::hypot(result.error, rounding);
    return result;
  }
  trial.precision = FmmPrecision::full;
  return check_parameters(trial, accuracy, difference);
}

}  // namespace

CheckedFmmParameters checked_fmm_parameters(const Lattice& lattice, bool periodic,
                                            const PointCharges& charges, double accuracy) {
  return checked(
      FmmParameters::choose(lattice, periodic, charges.size(), accuracy), accuracy, charges,
      lattice.volume(), {}, false,
      [&](const FmmParameters& parameters) { return FmmSolver(lattice, parameters); },
      [](ForceError&) {});
}

CheckedFmmParameters checked_fmm_parameters(const comm::Context& context,
                                            const Decomposition& decomposition,
                                            const FmmParameters& trial, const PointCharges& charges,
                                            double accuracy, const std::string& exchange_method,
                                            const std::function<std::vector<Vec3>()>& other_forces,
                                            bool keep_precision) {
  return checked(
      trial, accuracy, charges, decomposition.box().volume(), other_forces, keep_precision,
      [&](const FmmParameters& parameters) {
        return FmmSolver(context, decomposition, parameters, exchange_method);
      },
      [&](ForceError& error) {
        comm::ReductionBatch batch(context, "accuracy of the multipole method");
        batch.sum(error.sums().data(), error.sums().size()).run();
      });
}

CheckedFmmParameters fastest_fmm_parameters(const comm::Context& context,
                                            const Decomposition& decomposition,
                                            std::span<const FmmParameters> trials,
                                            const PointCharges& charges, double accuracy,
                                            const std::string& exchange_method,
                                            const std::function<std::vector<Vec3>()>& other_forces,
                                            bool keep_precision) {
  // The fastest of several runs counts, because for some milliseconds the machine may be slow.
  // Short computations are repeated more often.
  constexpr int fewest = 3, most = 16;
  constexpr double enough_seconds = 0.1;
  std::optional<CheckedFmmParameters> best;
  double least = HUGE_VAL;
  for (const FmmParameters& trial : trials) {
    const CheckedFmmParameters checked =
        checked_fmm_parameters(context, decomposition, trial, charges, accuracy, exchange_method,
                               other_forces, keep_precision);
    const bool accurate = checked.error <= accuracy;
    if (best && !accurate && checked.error >= best->error) continue;
    FmmSolver solver(context, decomposition, checked.parameters, exchange_method);
    solver.rebuild(charges);
    double seconds = HUGE_VAL;
    double spent = 0.0;
    for (int k = 0; k < fewest || (k < most && spent < enough_seconds); ++k) {
      double all = 0.0;
      Stopwatch watch;
      solver.start(charges);
      solver.finish(false, false);
      watch.lap(all);
      comm::ReductionBatch batch(context, "time of the multipole method");
      batch.max(all).run();
      seconds = std::min(seconds, all);
      spent += all;
    }
    const bool of_accurate = best && best->error <= accuracy;
    if (!best || (of_accurate ? accurate && seconds < least : checked.error < best->error)) {
      best = checked;
      least = seconds;
    }
  }
  return *best;
}

}  // namespace sterna::md
