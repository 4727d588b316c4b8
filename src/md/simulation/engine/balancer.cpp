#include "md/simulation/engine/balancer.hpp"
#include "md/core/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "md/output/checkpoint_file.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The method that "auto" changes to if a regular grid is not even enough.
constexpr const char* kAutomatic = "bisection";
/// With static weights: the number of steps between two checks, and the imbalance below which the
/// regions stay as they are.
constexpr std::int64_t kStaticInterval = 100;
constexpr double kStaticTolerance = 1.05;
/// The grid is kept if the slowest rank has at most 1.1 times the mean work, counted by neighbors.
/// Measured times then differ by the machine's noise only, and regions cut by noise would make the
/// run irreproducible.
constexpr double kEvenWork = 1.1;
/// Another grid than the default is taken if its fullest rank has at most this share of the
/// particles on the default's fullest rank.
constexpr double kGainOfGrid = 0.99;
/// Steps between two measurements that serve the log only: the first interval, and the longest.
constexpr std::int64_t kFirstMeasurement = 50;
constexpr std::int64_t kLongestMeasurement = 800;

double seconds_since(PhaseTimer::Clock::time_point start) {
  return std::chrono::duration<double>(PhaseTimer::Clock::now() - start).count();
}

}  // namespace

Balancer::Settings::Settings(const Input& input, int ranks)
    : method(input.domain.decomposition),
      measures_time(input.domain.weights == DomainWeights::time),
      model(input.domain.weights == DomainWeights::particles ? CostModel::particles
                                                             : CostModel::neighbors),
      grid(input.domain.grid),
      forced_interval(input.domain.rebalance_interval),
      migration_method(input.communication.migration) {
  if (method == "auto") {
    const bool free = std::all_of(grid.begin(), grid.end(), [](int n) { return n == 0; }) &&
                      input.domain.halo_route == "direct" && !input.barostat.is_used();
    method = free ? kAutomatic : "grid";
  } else {
    starts_with_grid = method == "grid";
  }
  balances = decomposition_method(method).weighs && ranks > 1;
  if (balances && input.domain.halo_route != "direct") {
    throw std::invalid_argument(
        fmt::format("the {} halo needs a regular grid of regions, decomposition = \"{}\" makes "
                    "others; use halo_route = \"direct\"",
                    input.domain.halo_route, method));
  }
}

Balancer::Balancer(const comm::Context& context, const Input& input, const Box& box,
                   double list_radius, PhaseTimer& timer, AddedFields& fields)
    : context_(context),
      box_(box),
      list_radius_(list_radius),
      timer_(timer),
      fields_(fields),
      settings_(input, context.size()),
      decomposition_(std::make_unique<RegularGrid>(box, context.size(), input.domain.grid)),
      measurement_(context, timer) {}

std::string Balancer::description() const {
  if (const RegularGrid* regular = grid()) {
    return fmt::format("{} x {} x {}", regular->grid()[0], regular->grid()[1], regular->grid()[2]);
  }
  return fmt::format("{} by {}", context_.size(), settings_.method);
}

bool Balancer::work_is_even(const ParticleStore& particles, const PairList& list) const {
  double most = cost_by_neighbors(particles.local_count(), list.neighbor_count());
  double sum = most;
  comm::ReductionBatch(context_, "balance").max(most).sum(sum).run();
  return most <= kEvenWork * sum / context_.size();
}

double Balancer::longest(double seconds) const {
  comm::ReductionBatch(context_, "balance").max(seconds).run();
  return seconds;
}

// ---- Cutting

ParticleCosts Balancer::particle_costs(const ParticleStore& particles) const {
  ParticleCosts costs = md::particle_costs(particles, box_, decomposition_->region(context_.rank()),
                                           list_radius_, settings_.model);
  if (settings_.measures_time && measurement_.seconds_per_step()) {
    costs.scale_to(*measurement_.seconds_per_step());
  }
  return costs;
}

std::unique_ptr<Decomposition> Balancer::make(const ParticleCosts& costs, double* predicted_most,
                                              double* mean) const {
  DecompositionRequest request;
  request.box = box_;
  const Vec3 extent = box_.shear().extent(list_radius_);
  request.least_width = std::max({extent.x, extent.y, extent.z});
  request.points = costs.points;
  request.weights = costs.weights;
  request.previous = decomposition_.get();
  auto next = decomposition_method(settings_.method).make(context_, request);
  const auto predicted = loads(context_, *next, costs.points, costs.weights);
  *predicted_most = *std::max_element(predicted.begin(), predicted.end());
  *mean = std::accumulate(predicted.begin(), predicted.end(), 0.0) / context_.size();
  return next;
}

void Balancer::take(std::unique_ptr<Decomposition> next, ParticleStore& particles,
                    ForceEngine* engine, std::int64_t step) {
  if (move_) {
    move_->set_decomposition(*next);
  } else {
    move_.emplace(context_, *next, 0.0,
                  MigrationOptions{.exchange_method = settings_.migration_method,
                                   .anywhere = true,
                                   .rotating = particles.rotating(),
                                   .only_some_rotate = particles.only_some_rotate(),
                                   .name = "rebalancing",
                                   .fields = &fields_});
  }
  move_->migrate(particles, step);
  record_.moved += static_cast<std::int64_t>(move_->departed());
  if (engine != nullptr) engine->set_decomposition(*next);
  former_ = std::move(decomposition_);
  decomposition_ = std::move(next);
  cut_at_ = step;
}

void Balancer::take_most_even_grid(ParticleStore& particles, std::int64_t step) {
  const auto grids = RegularGrid::of_least_surface(box_, context_.size(), settings_.grid);
  if (grids.size() == 1) return;
  const auto ranks = static_cast<std::size_t>(context_.size());
  std::vector<std::int64_t> counts(grids.size() * ranks, 0);
  const Shear shear = box_.shear();
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const RegularGrid grid(box_, context_.size(), grids[g]);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      const Vec3 place = shear.unsheared(particles.position[i].vector());
      ++counts[g * ranks + static_cast<std::size_t>(grid.owner(place))];
    }
  }
  comm::ReductionBatch(context_, "grids").sum(counts.data(), counts.size()).run();
  const auto most = [&](std::size_t g) {
    return *std::max_element(counts.begin() + g * ranks, counts.begin() + (g + 1) * ranks);
  };
  std::size_t best = 0;
  for (std::size_t g = 1; g < grids.size(); ++g) {
    if (most(g) < most(best)) best = g;
  }
  if (static_cast<double>(most(best)) > kGainOfGrid * static_cast<double>(most(0))) return;
  take(std::make_unique<RegularGrid>(box_, context_.size(), grids[best]), particles, nullptr, step);
  record_.moved = 0;  // the first distribution is not rebalancing
}

void Balancer::cut_at_start(ParticleStore& particles, std::int64_t step) {
  if (context_.size() == 1) return;
  if (settings_.starts_with_grid) return take_most_even_grid(particles, step);
  if (!settings_.balances) return;
  double most = 0.0, mean = 0.0;
  auto next = make(particle_costs(particles), &most, &mean);
  take(std::move(next), particles, nullptr, step);
  record_.moved = 0;  // the first distribution is not rebalancing
}

void Balancer::set_box(const Box& box, ForceEngine& engine) {
  box_ = box;
  auto next = std::make_unique<RegularGrid>(box, context_.size(), grid()->grid());
  engine.set_decomposition(*next);
  decomposition_ = std::move(next);
}

// ---- Checkpoints

Json Balancer::state() const {
  const auto* tree = dynamic_cast<const CutTree*>(decomposition_.get());
  if (tree == nullptr) return {};
  Json state = {{"method", settings_.method}, {"looked_at", looked_at_}, {"cut_at", cut_at_}};
  for (const Cut& cut : tree->cuts()) {
    Json planes;
    for (const double plane : cut.planes) planes.push_back(exact_text(plane));
    state["cuts"].push_back({{"axis", cut.axis}, {"ranks", cut.ranks}, {"planes", planes}});
  }
  return state;
}

bool Balancer::restore(const Json& state) {
  if (!settings_.balances || !state.is_object() || state.value("method", "") != settings_.method)
    return false;
  std::vector<Cut> cuts;
  for (const auto& text : state.at("cuts")) {
    Cut cut{text.at("axis").get<int>(), text.at("ranks").get<std::vector<int>>(), {}};
    for (const auto& plane : text.at("planes")) cut.planes.push_back(exact_value(plane));
    cuts.push_back(std::move(cut));
  }
  decomposition_ = std::make_unique<CutTree>(box_, context_.size(), cuts);
  looked_at_ = state.at("looked_at").get<std::int64_t>();
  cut_at_ = state.at("cut_at").get<std::int64_t>();
  return true;
}

bool Balancer::restore(const std::array<int, 3>& grid) {
  const auto grids = RegularGrid::of_least_surface(box_, context_.size(), settings_.grid);
  if (!settings_.starts_with_grid || std::ranges::find(grids, grid) == grids.end()) return false;
  decomposition_ = std::make_unique<RegularGrid>(box_, context_.size(), grid);
  return true;
}

// ---- Measuring

void Balancer::start(std::int64_t step, double cost) {
  if (cut_at_ == 0) cut_at_ = step;
  if (context_.size() == 1) return;
  policy_.emplace(step, longest(cost));
  measurement_interval_ = kFirstMeasurement;
  next_measurement_ = step + measurement_interval_;
}

void Balancer::begin_step(std::int64_t step) {
  if (context_.size() == 1) return;
  measurement_.begin_step(step, settings_.forced_interval > 0);
}

// ---- Deciding

bool Balancer::must_cut(std::int64_t step) const {
  return settings_.balances && settings_.forced_interval > 0 &&
         step - cut_at_ >= settings_.forced_interval;
}

std::optional<Json> Balancer::before_rebuild(ParticleStore& particles, ForceEngine& engine,
                                             std::int64_t step, std::int64_t steps_left) {
  if (!policy_) return std::nullopt;
  const auto in_balance = timer_.measure(Phase::balance);
  Json event = {{"step", step}};
  std::optional<Costs> costs;
  if (settings_.forced_interval > 0 || !by_gain()) {
    if (must_cut(step) || step >= next_measurement_) costs = measurement_.measure(step);
    if (costs && step >= next_measurement_) {
      measurement_interval_ = std::min(2 * measurement_interval_, kLongestMeasurement);
      next_measurement_ = step + measurement_interval_;
    }
  } else if (step >= policy_->next_look()) {
    costs = measurement_.measure(step);
  }
  if (costs) {
    event["computing_ms"] = {{"most", 1e3 * costs->most}, {"mean", 1e3 * costs->mean}};
    event["imbalance"] = costs->most / costs->mean;
  }
  bool decided = false;
  if (by_gain()) {
    if (costs) decide_by_gain(*costs, particles, engine, step, steps_left, event);
    decided = costs.has_value();
  } else if (must_cut(step) || (settings_.balances && settings_.forced_interval == 0 &&
                                step - looked_at_ >= kStaticInterval)) {
    decide_by_weights(particles, engine, step, event);
    decided = true;
  }
  if (!costs && !decided) return std::nullopt;
  return event;
}

void Balancer::decide_by_weights(ParticleStore& particles, ForceEngine& engine, std::int64_t step,
                                 Json& event) {
  looked_at_ = step;
  const ParticleCosts weights = particle_costs(particles);
  double predicted = 0.0, mean = 0.0;
  auto next = make(weights, &predicted, &mean);
  const double present = longest(weights.sum());
  const bool pays = present > kStaticTolerance * mean && predicted < 0.98 * present;
  if (mean > 0.0) event["weights"] = {{"present", present / mean}, {"predicted", predicted / mean}};
  event["decision"] = must_cut(step) || pays ? "cut" : "kept";
  if (!must_cut(step) && !pays) return;
  take(std::move(next), particles, &engine, step);
  ++record_.cuts;
  record_.last_cut = step;
}

void Balancer::decide_by_gain(const Costs& costs, ParticleStore& particles, ForceEngine& engine,
                              std::int64_t step, std::int64_t steps_left, Json& event) {
  const auto start = PhaseTimer::Clock::now();
  event["decision"] = "kept";
  switch (policy_->look({step, steps_left, costs.most, costs.mean, costs.whole})) {
    case BalancePolicy::Decision::keep:
      if (policy_->is_off()) event["decision"] = "off";
      break;
    case BalancePolicy::Decision::cut: {
      if (grid() != nullptr && work_is_even(particles, engine.list())) {
        policy_->accepts(costs.most);
        event["reason"] = "the grid is kept: matter is spread evenly, so the times differ by noise";
        return;
      }
      double predicted = 0.0, mean = 0.0;
      auto next = make(particle_costs(particles), &predicted, &mean);
      event["predicted"] = predicted / mean;
      if (!policy_->accepts(predicted)) break;
      take(std::move(next), particles, &engine, step);
      const double seconds = longest(seconds_since(start));
      policy_->cut_was_made(seconds);
      event["decision"] = "cut";
      event["seconds"] = seconds;
      ++record_.cuts;
      record_.last_cut = step;
      measurement_.forget_earlier();
      break;
    }
    case BalancePolicy::Decision::roll_back: {
      take(std::move(former_), particles, &engine, step);
      const double seconds = longest(seconds_since(start));
      policy_->rolled_back(seconds);
      event["decision"] = "rolled back";
      event["seconds"] = seconds;
      ++record_.roll_backs;
      measurement_.forget_earlier();
      break;
    }
  }
  event["reason"] = policy_->reason();
}

// ---- Reporting

std::optional<comm::Verdict> Balancer::verdict() const {
  if (!move_) return std::nullopt;
  return move_->verdict();
}

Balancer::Summary Balancer::summary(std::int64_t step) {
  Summary summary;
  if (!policy_) return summary;
  measurement_.measure(step);
  std::int64_t moved = record_.moved;
  comm::ReductionBatch(context_, "balance").sum(moved).run();
  auto& values = summary.values;
  values["decomposition"] = grid() != nullptr ? "grid" : settings_.method;
  values["cuts"] = record_.cuts;
  values["rolled_back"] = record_.roll_backs;
  values["off"] = policy_->is_off();
  values["moved_particles"] = moved;
  std::string imbalance = "not measured (the run was too short)";
  if (measurement_.last_imbalance()) {
    values["first_imbalance"] = *measurement_.first_imbalance();
    values["imbalance"] = *measurement_.last_imbalance();
    imbalance = fmt::format("{:.3f} at first, {:.3f} at last", *measurement_.first_imbalance(),
                            *measurement_.last_imbalance());
  }
  std::string what;
  if (!settings_.balances) {
    what = "regular grid, by request";
  } else if (record_.cuts == 0) {
    what = grid() != nullptr ? "regular grid kept"
                             : fmt::format("{}, never cut again", settings_.method);
  } else {
    what = fmt::format("{}, cut {} time{}, last at step {}; {} particles moved", settings_.method,
                       record_.cuts, record_.cuts == 1 ? "" : "s", record_.last_cut, moved);
    if (record_.roll_backs > 0)
      what += fmt::format("; taken back {} times as it did harm", record_.roll_backs);
  }
  if (policy_->is_off()) what += "; off, as cuts did not help";
  summary.lines.push_back(fmt::format("load balance: {}", what));
  summary.lines.push_back(fmt::format("  computing time, slowest rank over mean: {}", imbalance));
  return summary;
}

}  // namespace sterna::md
