#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fmm/distribution.hpp"
#include "fmm/frame.hpp"
#include "fmm/parameter_search.hpp"
#include "md/core/agreement.hpp"
#include "md/domain/bisection.hpp"
#include "md/domain/regular_grid.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/fmm.hpp"

namespace sterna::fmm {
namespace {

using md::Vec3;

/// Throws an error of the engine as one of the library.
template <class Work>
decltype(auto) with_errors(Work&& work) {
  try {
    return work();
  } catch (const comm::Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw comm::Error(error.what());
  } catch (const std::logic_error& error) {
    throw comm::Error(error.what());
  }
}

void check(const Options& options) {
  if (!(options.accuracy > 0.0) || !std::isfinite(options.accuracy)) {
    throw comm::Error(
        fmt::format("an accuracy of {}: expected a number above 0", options.accuracy));
  }
  if (options.order != 0 &&
      (options.order < 2 || options.order > md::FmmParameters::highest_order)) {
    throw comm::Error(fmt::format("an order of {}: expected 2 to {}, or 0 for that of the accuracy",
                                  options.order, md::FmmParameters::highest_order));
  }
}

bool all_finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

}  // namespace

class Solver::Implementation {
 public:
  Implementation(const comm::Context& context, const Edges* edges, const Options& options)
      : context_(context),
        options_(options),
        periodic_(edges != nullptr),
        distribution_(context),
        facts_batch_(context, "charges of the multipole method"),
        sums_batch_(context, "sums of the multipole method") {
    check(options);
    if (periodic_) frame_.emplace(*edges);
    facts_batch_.sum(facts_.count).sum(facts_.failures).max(facts_.fields).max(facts_.virial);
    for (int axis = 0; axis < 3; ++axis) {
      facts_batch_.min(facts_.lower[axis]).max(facts_.upper[axis]);
    }
    sums_batch_.sum(totals_.energy).sum(totals_.virial.data(), 6).sum(totals_.infinite);
    sums_batch_.max(totals_.most);
  }

  void set_box(const Edges& edges) {
    if (!periodic_) throw comm::Error("set_box: this solver has no box, as it was made without");
    take_frame(Frame(edges));
  }

  void tune(std::span<const double> positions, std::span<const double> charges) {
    gather_facts(check_arguments(positions, charges), positions, false, false);
    deal_out(positions, charges);
    find_parameters();
  }

  Sums compute(std::span<const double> positions, std::span<const double> charges,
               std::span<double> potentials, std::span<double> fields, bool with_virial) {
    std::string fault = check_arguments(positions, charges);
    if (fault.empty() && potentials.size() != charges.size()) {
      fault = fmt::format("{} potentials for {} charges", potentials.size(), charges.size());
    }
    if (fault.empty() && !fields.empty() && fields.size() != positions.size()) {
      fault = fmt::format("{} components of fields for {} charges, expected three for each",
                          fields.size(), charges.size());
    }
    gather_facts(fault, positions, !fields.empty(), with_virial);
    deal_out(positions, charges);
    const double count = static_cast<double>(facts_.count);
    if (!parameters_ || count > 2.0 * tuned_count_ || 2.0 * count < tuned_count_) find_parameters();
    if (!solver_) {
      solver_.emplace(context_, *decomposition_, *parameters_, options_.exchange);
    }
    const md::PointCharges own{distribution_.positions(), distribution_.charges(), {}};
    solver_->rebuild(own);
    solver_->start(own);
    const bool with_fields = facts_.fields != 0;
    const md::CoulombResult& result = solver_->finish(facts_.virial != 0, true, with_fields);
    send_home(result, with_fields, potentials, fields);
    return sums_of(result);
  }

  const Errors& errors() const { return errors_; }
  int order() const { return parameters_ ? parameters_->order : 0; }
  std::string description() const {
    if (!parameters_) return "not tuned yet";
    const md::FmmParameters& p = *parameters_;
    return fmt::format("order {}, {} precision, {} x {} x {} leaves", p.order, name_of(p.precision),
                       p.top_cells[0] << p.levels, p.top_cells[1] << p.levels,
                       p.top_cells[2] << p.levels);
  }
  std::vector<comm::Verdict> verdicts() const {
    std::vector<comm::Verdict> verdicts = distribution_.verdicts();
    if (!solver_) return verdicts;
    for (comm::Verdict& verdict : solver_->verdicts()) verdicts.push_back(std::move(verdict));
    return verdicts;
  }

 private:
  /// What all ranks together have given.
  struct Facts {
    std::int64_t count, failures, fields, virial;
    Vec3 lower, upper;  ///< of the positions
  };
  struct Totals {
    double energy;
    std::array<double, 6> virial;
    std::int64_t infinite, most;  ///< charges without a finite potential; the most of one rank
  };

  std::string check_arguments(std::span<const double> positions,
                              std::span<const double> charges) const {
    if (positions.size() != 3 * charges.size()) {
      return fmt::format("{} coordinates for {} charges, expected three for each", positions.size(),
                         charges.size());
    }
    if (!all_finite(positions)) return "a coordinate is not finite";
    if (!all_finite(charges)) return "a charge is not finite";
    return {};
  }

  void gather_facts(const std::string& fault, std::span<const double> positions, bool fields,
                    bool virial) {
    facts_ = {.count = static_cast<std::int64_t>(positions.size() / 3),
              .failures = fault.empty() ? 0 : 1,
              .fields = fields ? 1 : 0,
              .virial = virial ? 1 : 0,
              .lower = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
              .upper = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (std::size_t i = 0; fault.empty() && !periodic_ && i < positions.size(); ++i) {
      const int axis = static_cast<int>(i % 3);
      facts_.lower[axis] = std::min(facts_.lower[axis], positions[i]);
      facts_.upper[axis] = std::max(facts_.upper[axis], positions[i]);
    }
    facts_batch_.run();
    if (facts_.failures > 0) throw comm::Error(md::shared_failure(context_, fault));
    if (!periodic_) enclose();
  }

  /// Takes a box around the charges of an open system, unless the present one fits.
  void enclose() {
    Vec3 lower = facts_.lower, upper = facts_.upper;
    if (facts_.count == 0) lower = upper = {};
    const Vec3 extent = upper - lower;
    double widest = std::max({extent.x, extent.y, extent.z});
    if (widest == 0.0) widest = 1.0;
    Vec3 wanted;
    // Cells are as wide along each axis, so a thin box would have many of them.
    constexpr double thinnest = 1.0 / 4.0, margin = 0.05;
    for (int axis = 0; axis < 3; ++axis) {
      wanted[axis] = (1.0 + 2.0 * margin) * std::max(extent[axis], thinnest * widest);
    }
    if (frame_) {
      const Vec3 below = frame_->to_box(lower), above = frame_->to_box(upper);
      bool fits = true;
      for (int axis = 0; axis < 3; ++axis) {
        const double length = frame_->box().length[axis];
        fits = fits && below[axis] > 0.0 && above[axis] < length && length < 2.0 * wanted[axis];
      }
      if (fits) return;
    }
    take_frame(Frame(0.5 * (lower + upper - wanted), wanted));
  }

  void take_frame(const Frame& frame) {
    if (frame_ && parameters_) {
      const md::Lattice before = md::Lattice::of(tuned_box_), after = md::Lattice::of(frame.box());
      const double scale = std::cbrt(after.volume() / before.volume());
      bool alike = tuned_box_.tilt.none() == frame.box().tilt.none();
      for (int axis = 0; axis < 3; ++axis) {
        const double ratio = after.width(axis) / (scale * before.width(axis));
        alike = alike && ratio > 0.8 && ratio < 1.25;
      }
      if (!alike) parameters_.reset();
    }
    frame_ = frame;
    decomposition_.reset();
    solver_.reset();
  }

  /// Brings the charges to the ranks of their regions, which get new ones where one rank had too many.
  void deal_out(std::span<const double> positions, std::span<const double> charges) {
    own_.resize(charges.size());
    for (std::size_t i = 0; i < own_.size(); ++i) {
      own_[i] = frame_->to_box({positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]});
    }
    if (!decomposition_) {
      decomposition_ = std::make_unique<md::RegularGrid>(frame_->box(), context_.size());
      is_uneven_ = is_uneven_ || by_bisection_;
      if (!parameters_ && !is_uneven_) is_uneven_ = grid_is_uneven();
    }
    if (is_uneven_) cut_evenly();
    const bool wrapped = periodic_ && options_.surroundings == Surroundings::conductor;
    distribution_.deal_out(*decomposition_, own_, charges, periodic_, wrapped);
  }

  std::vector<Vec3> places() const {
    const md::Box& box = frame_->box();
    const md::Shear shear = box.shear();
    std::vector<Vec3> places(own_);
    int image[3];
    for (Vec3& place : places) {
      if (periodic_) place = box.wrap(place, image);
      place = shear.unsheared(place);
    }
    return places;
  }

  bool is_too_many(double most) const {
    constexpr double most_over_mean = 1.25, few = 64.0;
    return most > most_over_mean * static_cast<double>(facts_.count) / context_.size() + few;
  }

  bool grid_is_uneven() const {
    if (context_.size() == 1) return false;
    const std::vector<Vec3> at = places();
    const std::vector<double> weights(at.size(), 1.0);
    return is_too_many(std::ranges::max(md::loads(context_, *decomposition_, at, weights)));
  }

  void cut_evenly() {
    is_uneven_ = false;
    if (context_.size() == 1) return;
    const std::vector<Vec3> at = places();
    const std::vector<double> weights(at.size(), 1.0);
    md::DecompositionRequest request;
    request.box = frame_->box();
    request.points = at;
    request.weights = weights;
    decomposition_ = md::make_bisection(context_, request);
    by_bisection_ = true;
    solver_.reset();
  }

  void find_parameters() {
    solver_.reset();
    const ParameterSearch search(context_, *decomposition_, distribution_, options_, periodic_,
                                 static_cast<double>(facts_.count));
    const ParameterSearch::Found found = search.run();
    parameters_ = found.parameters;
    errors_ = found.errors;
    tuned_count_ = static_cast<double>(facts_.count);
    tuned_box_ = frame_->box();
  }

  void send_home(const md::CoulombResult& result, bool with_fields, std::span<double> potentials,
                 std::span<double> fields) {
    results_.resize(result.potentials.size());
    totals_.infinite = 0;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      results_[k].potential = result.potentials[k];
      if (with_fields) results_[k].field = frame_->from_box(result.fields[k]);
      if (!std::isfinite(result.potentials[k])) ++totals_.infinite;
    }
    distribution_.bring_back(results_, [&](std::size_t i, const Distribution::Result& found) {
      potentials[i] = found.potential;
      if (fields.empty()) return;
      for (int axis = 0; axis < 3; ++axis) {
        fields[3 * i + static_cast<std::size_t>(axis)] = found.field[axis];
      }
    });
  }

  Sums sums_of(const md::CoulombResult& result) {
    totals_.energy = result.energy;
    totals_.virial = result.virial;
    totals_.most = static_cast<std::int64_t>(distribution_.charges().size());
    sums_batch_.run();
    if (totals_.infinite > 0) throw comm::Error(coinciding);
    is_uneven_ = context_.size() > 1 && is_too_many(static_cast<double>(totals_.most));
    Sums sums;
    sums.energy = totals_.energy;
    if (facts_.virial == 0) return sums;
    // The energy is homogeneous of degree -1 in all lengths, so it is the trace of the virial.
    std::array<double, 6> virial = totals_.virial;
    const double third = (totals_.energy - virial[0] - virial[1] - virial[2]) / 3.0;
    for (std::size_t k = 0; k < 3; ++k) virial[k] += third;
    sums.virial = frame_->from_box(virial);
    return sums;
  }

  comm::Context context_;
  Options options_;
  bool periodic_;
  std::optional<Frame> frame_;  ///< nothing: an open system before its first charges
  std::unique_ptr<md::Decomposition> decomposition_;
  bool is_uneven_ = false, by_bisection_ = false;
  Distribution distribution_;
  std::vector<Vec3> own_;  ///< positions of this rank's charges in the frame's box
  std::optional<md::FmmParameters> parameters_;
  Errors errors_;
  double tuned_count_ = 0.0;
  md::Box tuned_box_{};
  std::optional<md::FmmSolver> solver_;
  std::vector<Distribution::Result> results_;
  Facts facts_{};
  Totals totals_{};
  comm::ReductionBatch facts_batch_, sums_batch_;
};

Solver::Solver(const comm::Context& context, const Options& options)
    : implementation_(with_errors(
          [&] { return std::make_unique<Implementation>(context, nullptr, options); })) {}
Solver::Solver(const comm::Context& context, const Edges& edges, const Options& options)
    : implementation_(
          with_errors([&] { return std::make_unique<Implementation>(context, &edges, options); })) {
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

void Solver::set_box(const Edges& edges) {
  with_errors([&] { implementation_->set_box(edges); });
}

void Solver::tune(std::span<const double> positions, std::span<const double> charges) {
  with_errors([&] { implementation_->tune(positions, charges); });
}

Sums Solver::compute(std::span<const double> positions, std::span<const double> charges,
                     std::span<double> potentials, std::span<double> fields, bool with_virial) {
  return with_errors([&] {
    return implementation_->compute(positions, charges, potentials, fields, with_virial);
  });
}

const Errors& Solver::errors() const {
  return implementation_->errors();
}

std::string Solver::description() const {
  return implementation_->description();
}

int Solver::order() const {
  return implementation_->order();
}

std::vector<comm::Verdict> Solver::verdicts() const {
  return implementation_->verdicts();
}

}  // namespace sterna::fmm
