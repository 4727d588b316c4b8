#include "md/forces/coulomb/fmm/fmm_charge_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "md/forces/coulomb/fmm/fmm_choice.hpp"

namespace sterna::md {
namespace {

std::optional<FmmPrecision> precision_of(WantedFmmPrecision wanted) {
  switch (wanted) {
    case WantedFmmPrecision::single:
      return FmmPrecision::single;
    case WantedFmmPrecision::mixed:
      return FmmPrecision::mixed;
    case WantedFmmPrecision::full:
      return FmmPrecision::full;
    case WantedFmmPrecision::automatic:
      break;
  }
  return std::nullopt;
}

}  // namespace

FmmChargeSolver::FmmChargeSolver(const ChargeSolverRequest& request, const FmmOptions& options,
                                 const std::string& exchange_method)
    : context_(request.context),
      decomposition_(&request.decomposition),
      accuracy_(request.accuracy),
      periodic_(request.periodic),
      surroundings_(request.surroundings),
      has_dipoles_(request.has_dipoles),
      molecule_radius_(request.molecule_radius),
      travel_(options.smoothing > 0.0 ? request.travel : 0.0),
      options_(options),
      precision_(precision_of(options.precision)),
      exchange_method_(exchange_method) {
  const double shortest = decomposition_->box().least_height();
  if (6.0 * molecule_radius_ > shortest) {
    throw std::invalid_argument(
        fmt::format("the box is {} wide, too small for molecules whose charges lie {} from the "
                    "center: the multipole method needs six times that",
                    shortest, molecule_radius_));
  }
}

void FmmChargeSolver::set_options(FmmParameters& parameters) const {
  parameters.surroundings = surroundings_;
  parameters.dipoles = has_dipoles_;
  parameters.overlap = options_.smoothing;
  parameters.travel = travel_;
}

void FmmChargeSolver::choose_parameters(const PointCharges& charges, const ChargeCounts& counts,
                                        const std::function<std::vector<Vec3>()>& other_forces) {
  const Lattice lattice = Lattice::of(decomposition_->box());
  // A molecule must reach at most half a leaf from its center. If leaves overlap, its parts may be
  // one leaf from their position when the leaves were filled.
  const double least_width = std::max(2.5 * molecule_radius_, 1.5 * travel_);
  constexpr std::size_t timed_trees = 6;
  std::vector<FmmParameters> trials = FmmParameters::candidates(
      lattice, periodic_, counts.on_all_ranks, accuracy_, least_width, options_.levels,
      context_.size(), options_.tree == FmmTree::measured ? timed_trees : 1);
  for (FmmParameters& trial : trials) {
    set_options(trial);
    if (precision_) trial.precision = *precision_;
    if (options_.order > 0) trial.order = options_.order;
  }
  const double accuracy = options_.order > 0 ? HUGE_VAL : accuracy_;
  const bool keep_precision = precision_.has_value();
  const auto checked =
      trials.size() > 1
          ? fastest_fmm_parameters(context_, *decomposition_, trials, charges, accuracy,
                                   exchange_method_, other_forces, keep_precision)
          : checked_fmm_parameters(context_, *decomposition_, trials.front(), charges, accuracy,
                                   exchange_method_, other_forces, keep_precision);
  parameters_ = checked.parameters;
  error_ = checked.error;
}

void FmmChargeSolver::set_decomposition(const Decomposition& decomposition) {
  decomposition_ = &decomposition;
  solver_.reset();
}

void FmmChargeSolver::rebuild(const PointCharges& charges, const ChargeCounts&) {
  if (!solver_) {
    solver_ =
        std::make_unique<FmmSolver>(context_, *decomposition_, *parameters_, exchange_method_);
  }
  solver_->rebuild(charges);
}

void FmmChargeSolver::start(const PointCharges& charges, bool with_slow_part) {
  solver_->keep_far_part(keeps_far_part_);
  solver_->start(charges, with_slow_part);
}

const CoulombResult& FmmChargeSolver::finish(const Wanted& wanted) {
  return wanted.forces.empty() ? solver_->finish(wanted.virial, wanted.energy)
                               : solver_->finish_into(wanted.forces, wanted.virial, wanted.energy);
}

std::vector<double> FmmChargeSolver::potentials_at(std::span<const Vec3> points,
                                                   const PointCharges& charges,
                                                   const ChargeCounts& counts) {
  const ProbedCharges probed(charges, counts, points);
  FmmSolver solver(context_, *decomposition_, *parameters_, exchange_method_);
  return probed.of_points(solver.solve(probed.view()).potentials);
}

std::string FmmChargeSolver::description() const {
  const FmmParameters& p = *parameters_;
  return fmt::format("order {}, {} precision, {} x {} x {} leaves{}", p.order, name_of(p.precision),
                     p.top_cells[0] << p.levels, p.top_cells[1] << p.levels,
                     p.top_cells[2] << p.levels,
                     p.overlap > 0.0 ? fmt::format(" that overlap by {}", p.overlap) : "");
}

std::string_view FmmChargeSolver::subject_of_error() const {
  if (options_.order > 0) return {};
  const bool is_rounded = parameters_ && parameters_->precision != FmmPrecision::full;
  return is_rounded ? "the precision that is asked for does" : "the highest order does";
}

std::array<double, 7> FmmChargeSolver::wishes() const {
  return {0.0,  // Ewald sums have 1 here
          accuracy_,
          static_cast<double>(options_.order),
          static_cast<double>(options_.levels),
          precision_ ? static_cast<double>(*precision_) : -1.0,
          options_.smoothing,
          options_.tree == FmmTree::measured ? 1.0 : 0.0};
}

std::vector<double> FmmChargeSolver::state() const {
  const FmmParameters& p = *parameters_;
  std::vector<double> state{static_cast<double>(p.order),
                            static_cast<double>(p.precision),
                            static_cast<double>(p.levels),
                            static_cast<double>(p.top_cells[0]),
                            static_cast<double>(p.top_cells[1]),
                            static_cast<double>(p.top_cells[2]),
                            error_};
  const auto wished = wishes();
  state.insert(state.end(), wished.begin(), wished.end());
  return state;
}

void FmmChargeSolver::restore(std::span<const double> state) {
  constexpr std::size_t chosen = 7;
  const auto wished = wishes();
  // States of versions up to 0.1 have no wishes at the end; those of version 0.2 lack the last
  // wish, which was added later.
  const std::size_t known = state.size() < chosen ? 0 : state.size() - chosen;
  const bool is_state =
      state.size() == chosen || known == wished.size() || known + 1 == wished.size();
  if (!is_state || !std::ranges::equal(state.last(known), std::span(wished).first(known))) return;
  if (known + 1 == wished.size() && options_.tree == FmmTree::measured) return;
  FmmParameters p;
  p.order = static_cast<int>(state[0]);
  p.precision = static_cast<FmmPrecision>(static_cast<int>(state[1]));
  p.levels = static_cast<int>(state[2]);
  for (int axis = 0; axis < 3; ++axis) p.top_cells[axis] = static_cast<int>(state[3 + axis]);
  p.periodic = periodic_;
  set_options(p);
  p.check();
  parameters_ = p;
  error_ = state[6];
}

}  // namespace sterna::md
