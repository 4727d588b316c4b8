#include "md/simulation/engine/rebuild_decision.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// Before the next check no particle is assumed to be faster than this times the fastest now.
constexpr double kFaster = 1.25;

/// The number of steps in which no particle can move by `distance`. The bound assumes that the
/// fastest particle goes straight on, 25 % faster, and is also the one with the largest
/// acceleration. (Even if all are at rest, the largest acceleration may carry one far away soon.)
double safe_steps(double distance, double step, double growth) {
  const double length = kFaster * step;
  const double denominator = length + std::sqrt(length * length + 2.0 * growth * distance);
  return denominator > 0.0 ? 2.0 * distance / denominator : std::numeric_limits<double>::max();
}

}  // namespace

RebuildDecision::RebuildDecision(const comm::Context& context, double half_skin,
                                 int maximum_interval, PhaseTimer& timer)
    : half_skin_(half_skin),
      maximum_interval_(maximum_interval),
      timer_(timer),
      agreement_(context, "rebuild decision") {
  agreement_.max(travelling_.displacement)
      .max(travelling_.rounding)
      .max(travelling_.step)
      .max(travelling_.growth)
      .max(travelling_.next_least)
      .max(travelling_.next_most)
      .max(travelling_over_)
      .max(travelling_asked_);
}

bool RebuildDecision::must_rebuild(std::int64_t step, const std::function<Motion()>& look,
                                   std::int64_t asked) {
  complete();
  // Displacements were not checked since the list was built. The check may wait if a step at the
  // former pace is short.
  const bool paced =
      known_.step > 0.0 && 2.0 * (kFaster * known_.step + known_.growth) < half_skin_;
  bool closely = closely_ || (step == built_at_ + 1 && !paced);
  closely_ = false;
  const bool looked = looked_at_ > built_at_;
  if (looked && over_) return list_is_over();
  if (looked && looked_at_ == step - 1 && step > safe_until_ && !closely) {
    if (known_.next_least > half_skin_) return true;
    closely = known_.next_most > half_skin_;
  }
  const bool last = step - built_at_ >= maximum_interval_;
  if (last && looked) return true;
  if (!closely && !last && step < next_look_) return false;
  start(step, look, asked);
  if (!closely && !last) return false;
  complete();
  if (over_) return list_is_over();
  return last;
}

double RebuildDecision::longest_path() const {
  return kFaster * known_.step + known_.growth;
}

double RebuildDecision::longest_displacement(std::int64_t step) const {
  return known_.displacement +
         static_cast<double>(step - std::max(looked_at_, built_at_)) * longest_path();
}

bool RebuildDecision::list_is_over() {
  // If the displacement is beyond the limit by more than a step, a particle sped up between two
  // checks.
  const double beyond = known_.displacement - std::max(half_skin_, seen_);
  if (beyond > known_.step + known_.rounding) ++late_rebuilds_;
  return true;
}

void RebuildDecision::start(std::int64_t step, const std::function<Motion()>& look,
                            std::int64_t asked) {
  {
    const auto measured = timer_.measure(Phase::displacements);
    travelling_ = look();
    travelling_over_ = travelling_.lost.value_or(travelling_.displacement > half_skin_) ? 1 : 0;
  }
  const auto measured = timer_.measure(Phase::rebuild_decision);
  travelling_asked_ = asked;
  looked_at_ = step;
  agreement_.start();
  under_way_ = true;
}

void RebuildDecision::progress() {
  if (!under_way_) return;
  const auto measured = timer_.measure(Phase::rebuild_decision);
  agreement_.progress();
}

void RebuildDecision::complete() {
  if (!under_way_) return;
  const auto measured = timer_.measure(Phase::rebuild_decision);
  agreement_.finish();
  under_way_ = false;
  seen_ = known_.displacement;
  known_ = travelling_;
  over_ = travelling_over_ != 0;
  asked_ = travelling_asked_;
  const double left = std::max(0.0, half_skin_ - known_.displacement);
  const auto steps = static_cast<std::int64_t>(std::min(
      safe_steps(left, known_.step, known_.growth), static_cast<double>(maximum_interval_)));
  safe_until_ = looked_at_ + steps;
  // The check comes early enough that `asked` is known in the last step of the interval.
  next_look_ = std::max(looked_at_ + 1, std::min(safe_until_, built_at_ + maximum_interval_ - 1));
}

void RebuildDecision::list_was_built(std::int64_t step) {
  complete();
  built_at_ = step;
  known_.displacement = 0.0;
  // The check waits for the next step, because a resumed run would see the speeds at another moment
  // of this step and could decide otherwise.
  next_look_ = step + 1;
  safe_until_ = step;
}

}  // namespace sterna::md
