#include "md/simulation/force_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sterna::md {

ForceEngine::ForceEngine(const comm::Context& context, const Decomposition& decomposition,
                         std::unique_ptr<ShortRangeForces> forces, const Options& options,
                         PhaseTimer& timer)
    : context_(context),
      options_(options),
      halo_width_(forces->reach() + options.skin),
      skin_(options.skin),
      maximum_interval_(options.maximum_interval),
      timer_(timer),
      migration_(context, decomposition, halo_width_, migration_options()),
      halo_(context, decomposition, halo_width_, halo_options(*forces)),
      list_(options.kernels),
      forces_(std::move(forces)),
      agreement_(context, "rebuild decision") {
  const Region region = decomposition.region(context.rank());
  list_.set_region(region.lower, region.upper, halo_width_, decomposition.box().shear());
  agreement_.max(displacement_).max(step_length_).max(step_growth_).max(asked_);
}

void ForceEngine::set_decomposition(const Decomposition& decomposition) {
  earlier_ = verdicts();
  migration_ = Migration(context_, decomposition, halo_width_, migration_options());
  halo_ = Halo(context_, decomposition, halo_width_, halo_options(*forces_));
  const Region region = decomposition.region(context_.rank());
  list_.set_region(region.lower, region.upper, halo_width_, decomposition.box().shear());
  if (electrostatics_) electrostatics_->set_decomposition(decomposition);
}

void ForceEngine::rebuild(ParticleStore& particles, std::int64_t step) {
  {
    const auto measured = timer_.measure(Phase::migration);
    migration_.migrate(particles, step);
  }
  {
    const auto measured = timer_.measure(Phase::sorting);
    list_.sort_local(particles);
  }
  {
    const auto measured = timer_.measure(Phase::halo_lists);
    halo_.rebuild(particles);
  }
  {
    const auto measured = timer_.measure(Phase::sorting);
    const std::size_t local = particles.local_count();
    list_.place_ghosts({particles.position.data() + local, particles.ghost_count()}, local,
                       ghost_slots_);
    halo_.order_ghosts(particles, ghost_slots_);
  }
  if (electrostatics_) {
    const auto measured = timer_.measure(Phase::electrostatics);
    electrostatics_->rebuild(particles);
  }
  const auto measured = timer_.measure(Phase::pair_list);
  list_.build(particles);
  forces_->rebuild(list_, particles);
  ++rebuilds_;
  built_at_ = step;
  // The next step looks at the speeds. (Not now: a resumed run would see those of another moment
  // of the step and could decide otherwise.)
  next_check_ = step + 1;
}

bool ForceEngine::must_rebuild(const ParticleStore& particles, std::int64_t step,
                               const std::function<LargestStep()>& largest_step,
                               std::int64_t asked) {
  if (step - built_at_ >= maximum_interval_) next_check_ = std::min(next_check_, step);
  if (step < next_check_) return false;
  {
    const auto measured = timer_.measure(Phase::displacements);
    displacement_ = std::sqrt(list_.largest_displacement_squared(particles));
    const LargestStep largest = largest_step();
    step_length_ = largest.length;
    step_growth_ = largest.growth;
    asked_ = asked;
  }
  {
    const auto measured = timer_.measure(Phase::rebuild_decision);
    agreement_.run();
  }
  const double room = 0.5 * skin_ - displacement_;
  if (room < 0.0 || step - built_at_ >= maximum_interval_) {
    // More than a step too far: somebody sped up between two looks.
    if (-room > step_length_) ++late_rebuilds_;
    return true;
  }
  // Steps that are safe even if the fastest particle goes straight on, gains a quarter, and is the
  // one that is pulled hardest: from rest, too, it may be far away soon.
  const double length = 1.25 * step_length_;
  const double reach = length + std::sqrt(length * length + 2.0 * step_growth_ * room);
  const double safe_steps = reach > 0.0 ? 2.0 * room / reach : std::numeric_limits<double>::max();
  next_check_ =
      step + std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(
                                           safe_steps, static_cast<double>(maximum_interval_))));
  return false;
}

void ForceEngine::compute_forces(ParticleStore& particles, PairSums* sums) {
  {
    const auto measured = timer_.measure(Phase::halo);
    halo_.start_positions(particles);
  }
  if (electrostatics_) {
    const auto measured = timer_.measure(Phase::electrostatics);
    electrostatics_->start(particles);
  }
  {
    const auto measured = timer_.measure(Phase::forces);
    forces_->compute(list_, particles, PairList::Cells::interior, sums);
  }
  {
    const auto measured = timer_.measure(Phase::halo);
    halo_.finish_positions(particles);
  }
  {
    const auto measured = timer_.measure(Phase::forces);
    forces_->compute(list_, particles, PairList::Cells::boundary, sums);
  }
  if (forces_->acts_on_ghosts()) {
    {
      const auto measured = timer_.measure(Phase::halo);
      halo_.return_forces(forces_->collected_forces());
    }
    const auto measured = timer_.measure(Phase::forces);
    forces_->set_forces(particles);
  }
  if (electrostatics_) {
    const auto measured = timer_.measure(Phase::electrostatics);
    electrostatics_->finish(particles, sums);
  }
}

std::vector<comm::Verdict> ForceEngine::verdicts() const {
  std::vector<comm::Verdict> verdicts = halo_.verdicts();
  verdicts.push_back(migration_.verdict());
  if (electrostatics_) {
    for (auto& verdict : electrostatics_->verdicts()) verdicts.push_back(std::move(verdict));
  }
  for (comm::Verdict& verdict : verdicts) {
    for (const comm::Verdict& earlier : earlier_) {
      if (earlier.exchange != verdict.exchange) continue;
      verdict.rounds += earlier.rounds;
      verdict.bytes_sent += earlier.bytes_sent;
      verdict.messages_sent += earlier.messages_sent;
    }
  }
  return verdicts;
}

}  // namespace sterna::md
