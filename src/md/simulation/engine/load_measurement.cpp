#include "md/simulation/engine/load_measurement.hpp"

#include <unistd.h>

#include <algorithm>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// The computing time of forces is measured in every fourth step.
constexpr std::int64_t sampling_interval = 4;
/// A measurement needs at least so many samples, and their sum must be at least so many times the
/// clock's resolution.
constexpr std::int64_t least_samples = 5;
constexpr double least_resolutions = 50.0;

double list_seconds(const PhaseTimer& timer) {
  return timer.processor_seconds(Phase::sorting) + timer.processor_seconds(Phase::pair_list);
}

/// Wall time of the work that every step does. Phases that only some steps have, such as output,
/// are left out.
double step_seconds(const PhaseTimer& timer) {
  double sum = timer.seconds_of_terms();
  for (const Phase phase :
       {Phase::images, Phase::halo, Phase::rebuild_decision, Phase::migration, Phase::sorting,
        Phase::halo_selection, Phase::halo_lists, Phase::pair_list, Phase::displacements,
        Phase::integration, Phase::thermostat}) {
    sum += timer.seconds(phase);
  }
  return sum;
}

/// Collective. Whether any node has more ranks than cores. The cores of the whole node are counted,
/// because the cores that this process is bound to say nothing about the other ranks.
bool ranks_share_cores(const comm::Context& context) {
  const auto cores = static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  std::int64_t sharing = context.ranks_on_node().size() > cores ? 1 : 0;
  comm::ReductionBatch(context, "cores").max(sharing).run();
  return sharing != 0;
}

}  // namespace

LoadMeasurement::LoadMeasurement(const comm::Context& context, PhaseTimer& timer)
    : context_(context),
      timer_(timer),
      resolution_(processor_clock_resolution()),
      shares_cores_(ranks_share_cores(context)) {
  timer_.leave_out_waits(context_);
}

void LoadMeasurement::begin_step(std::int64_t step, bool samples_all) {
  // The loop has just reset the timer, so the readings taken before are worthless.
  if (!in_loop_) begin(step - 1);
  in_loop_ = true;
  const bool sample = step % sampling_interval == 0 || samples_all;
  timer_.measure_processor(true, sample);
  sampled_steps_ += sample ? 1 : 0;
}

void LoadMeasurement::begin(std::int64_t step) {
  begin_ = step;
  sampled_steps_ = 0;
  seconds_at_begin_ = {timer_.processor_seconds_of_terms(), list_seconds(timer_),
                       step_seconds(timer_)};
}

std::optional<LoadMeasurement::Costs> LoadMeasurement::measure(std::int64_t step) {
  const std::int64_t steps = step - begin_;
  if (sampled_steps_ < least_samples) return std::nullopt;
  const double forces = timer_.processor_seconds_of_terms() - seconds_at_begin_.forces;
  const double lists = list_seconds(timer_) - seconds_at_begin_.lists;
  double whole = (step_seconds(timer_) - seconds_at_begin_.whole) / static_cast<double>(steps);
  double largest = forces + lists;
  double resolution = resolution_;
  double mine = forces / static_cast<double>(sampled_steps_) + lists / static_cast<double>(steps);
  if (smoothed_) mine = 0.5 * (mine + *smoothed_);
  double most = mine, mean = mine;
  comm::ReductionBatch(context_, "balance")
      .max(largest)
      .max(resolution)
      .max(whole)
      .max(most)
      .sum(mean)
      .run();
  if (largest < least_resolutions * resolution) return std::nullopt;
  begin(step);
  smoothed_ = mine;
  mean /= context_.size();
  last_imbalance_ = most / mean;
  if (!first_imbalance_) first_imbalance_ = last_imbalance_;
  // If ranks share cores, the step's wall time is replaced by the imbalance: a processor that is
  // slow for a while is slow for all ranks.
  return Costs{most, mean, shares_cores_ ? most / mean : whole};
}

}  // namespace sterna::md
