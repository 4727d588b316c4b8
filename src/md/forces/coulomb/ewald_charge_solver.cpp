#include "md/forces/coulomb/ewald_charge_solver.hpp"

#include <algorithm>

#include "md/forces/coulomb/force_error.hpp"
#include "md/forces/coulomb/gathered_ewald.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

EwaldChargeSolver::EwaldChargeSolver(const ChargeSolverRequest& request)
    : context_(request.context),
      decomposition_(&request.decomposition),
      accuracy_(request.accuracy),
      surroundings_(request.surroundings) {}

CoulombResult EwaldChargeSolver::solve(double accuracy, const PointCharges& charges,
                                       const ChargeCounts& counts) const {
  const Lattice lattice = Lattice::of(decomposition_->box());
  auto parameters =
      EwaldSolver::parameters(lattice, accuracy, std::max<std::size_t>(1, counts.on_all_ranks));
  parameters.surroundings = surroundings_;
  return gathered_ewald(context_, EwaldSolver(lattice, parameters), charges, counts.molecules);
}

void EwaldChargeSolver::choose_parameters(const PointCharges& charges, const ChargeCounts& counts,
                                          const std::function<std::vector<Vec3>()>& other_forces) {
  const auto reference = solve(1e-6 * accuracy_, charges, counts).forces;
  accuracy_of_sums_ = accuracy_;
  // The truncation needed for an error depends on the charges, so it is found by trial.
  for (;;) {
    ForceError error;
    error.add(solve(*accuracy_of_sums_, charges, counts).forces, reference, charges,
              other_forces ? other_forces() : std::vector<Vec3>());
    comm::ReductionBatch batch(context_, "accuracy of the Ewald sums");
    batch.sum(error.sums().data(), error.sums().size()).run();
    error_ = error.relative(decomposition_->box().volume());
    if (error_ <= accuracy_ || *accuracy_of_sums_ <= 1e-4 * accuracy_) return;
    *accuracy_of_sums_ *= 0.5 * accuracy_ / error_;
  }
}

const CoulombResult& EwaldChargeSolver::finish(const Wanted&) {
  result_ = solve(*accuracy_of_sums_, charges_, counts_);
  return result_;
}

std::vector<double> EwaldChargeSolver::potentials_at(std::span<const Vec3> points,
                                                     const PointCharges& charges,
                                                     const ChargeCounts& counts) {
  const ProbedCharges probed(charges, counts, points);
  return probed.of_points(solve(*accuracy_of_sums_, probed.view(), probed.counts()).potentials);
}

// The state has the accuracy of the sums, the error, a number that is 1, and the accuracy that was
// asked for. Version 0.1 had the first two. Later versions had four or five more numbers at the end,
// which were for the multipole method.
std::vector<double> EwaldChargeSolver::state() const {
  return {*accuracy_of_sums_, error_, 1.0, accuracy_};
}

void EwaldChargeSolver::restore(std::span<const double> state) {
  const bool is_of_first_version = state.size() == 2;
  const bool is_later = state.size() == 4 || state.size() == 8 || state.size() == 9;
  if (!is_of_first_version && !(is_later && state[2] == 1.0 && state[3] == accuracy_)) return;
  accuracy_of_sums_ = state[0];
  error_ = state[1];
}

}  // namespace sterna::md
