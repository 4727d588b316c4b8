#include "md/simulation/engine/force_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "md/neighbors/missed_pair.hpp"

namespace sterna::md {

ForceEngine::ForceEngine(const comm::Context& context, const Decomposition& decomposition,
                         std::vector<std::unique_ptr<ShortRangeForces>> short_range,
                         std::vector<std::unique_ptr<ForceTerm>> terms, const Options& options,
                         PhaseTimer& timer)
    : context_(context),
      options_(options),
      decomposition_(&decomposition),
      timer_(timer),
      short_range_(std::move(short_range), {.kernels = options.kernels,
                                            .skin = options.skin,
                                            .type_count = options.type_count,
                                            .lists_all_pairs = options.lists_all_pairs,
                                            .lists_full_shell = options.lists_full_shell}),
      list_radius_(short_range_.range() + options.skin),
      terms_(std::move(terms)),
      time_steps_(options.time_steps),
      needs_early_rebuild_(some_need_early_rebuild()),
      halo_width_(width_of_halo()),
      migration_(context, decomposition, halo_width_, migration_options()),
      halo_(context, decomposition, halo_width_, halo_options()),
      decision_(
          context, options.may_miss_pairs ? std::numeric_limits<double>::max() : 0.5 * options.skin,
          std::max(1, options.maximum_interval / static_cast<int>(options.time_steps.longest())),
          timer) {
  short_range_.list().set_expected_particles(options_.particles_per_rank);
  set_region(decomposition);
  for (const ForceTerm* term : this->terms()) phases_.push_back(timer_.add_term(term->name()));
  sums_by_term_.resize(phases_.size());
  find_term_on_others();
}

void ForceEngine::find_term_on_others() {
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    auto* const acting = dynamic_cast<ActsOnOtherTerms*>(terms_[k].get());
    if (acting == nullptr) continue;
    on_others_ = acting;
    term_on_others_ = k;
  }
}

void ForceEngine::announce_checkpoint() {
  for (const auto& term : terms_) {
    if (auto* const writing = dynamic_cast<WritesFilesOfItsOwn*>(term.get())) {
      writing->announce_checkpoint();
    }
  }
}

std::string ForceEngine::reason_to_stop() const {
  for (const auto& term : terms_) {
    const auto* const writing = dynamic_cast<const WritesFilesOfItsOwn*>(term.get());
    if (writing == nullptr) continue;
    if (std::string reason = writing->reason_to_stop(); !reason.empty()) return reason;
  }
  return {};
}

HaloOptions ForceEngine::halo_options() const {
  HaloOptions options = options_.halo;
  options.ghost_forces = short_range_.ghost_forces();
  options.only_half_shell = narrows_other_half() && !options_.places;
  options.narrow_other_half = narrows_other_half();
  options.narrow_types = short_range_.unlisted_types();
  // Bonds may be longer in the present configuration than the input's bond lengths say.
  options.narrow_width = std::max(options_.molecule_extent, 0.5 * list_radius_);
  return options;
}

double ForceEngine::width_of_halo() const {
  const double width = std::max(list_radius_, options_.molecule_extent);
  // The half shell must show this rank all pairs that the list comes to lack, because no other rank
  // checks for them.
  const bool looks = narrows_other_half() && !options_.may_miss_pairs && !needs_early_rebuild_;
  return looks ? std::max(width, list_radius_ + options_.skin) : width;
}

bool ForceEngine::some_need_early_rebuild() const {
  // With multiple time steps no rank checks for missed pairs in the steps between two full
  // computations. The check for missed pairs knows the first list only.
  // Wide rows around few particles hold longer, if the halo is as wide.
  const bool rows_hold = short_range_.rows_around_few_are_wide() && narrows_other_half();
  return time_steps_.are_used() || (short_range_.has_rows_around_few() && !rows_hold) ||
         std::ranges::any_of(terms(),
                             [](const ForceTerm* term) { return term->needs_early_rebuild(); });
}

void ForceEngine::add(std::unique_ptr<ForceTerm> term) {
  for (const ForceTerm* other : std::as_const(*this).terms()) {
    if (other->name() == term->name()) {
      throw std::invalid_argument(
          fmt::format("the simulation has a force term \"{}\" already", term->name()));
    }
  }
  phases_.push_back(timer_.add_term(term->name()));
  sums_by_term_.resize(phases_.size());
  lacks_ghosts_ = lacks_ghosts_ || (narrows_other_half() && term->needs_all_ghosts());
  terms_.push_back(std::move(term));
  needs_early_rebuild_ = some_need_early_rebuild();
}

std::vector<const ForceTerm*> ForceEngine::terms() const {
  std::vector<const ForceTerm*> all;
  for (std::size_t k = 0; k < short_range_.size(); ++k) all.push_back(&short_range_.term(k));
  for (const auto& term : terms_) all.push_back(term.get());
  return all;
}

std::vector<ForceTerm*> ForceEngine::terms() {
  std::vector<ForceTerm*> all;
  for (std::size_t k = 0; k < short_range_.size(); ++k) all.push_back(&short_range_.term(k));
  for (const auto& term : terms_) all.push_back(term.get());
  return all;
}

void ForceEngine::connect(const Decomposition& decomposition) {
  lacks_ghosts_ = false;
  earlier_ = verdicts();
  decomposition_ = &decomposition;
  halo_width_ = width_of_halo();
  migration_ = Migration(context_, decomposition, halo_width_, migration_options());
  halo_ = Halo(context_, decomposition, halo_width_, halo_options());
  set_region(decomposition);
}

void ForceEngine::set_decomposition(const Decomposition& decomposition) {
  connect(decomposition);
  for (ForceTerm* term : terms()) term->set_decomposition(decomposition);
}

void ForceEngine::set_region(const Decomposition& decomposition) {
  const Shear& shear = decomposition.box().shear();
  const Region region = decomposition.region(context_.rank());
  short_range_.list().set_region(region.lower, region.upper,
                                 short_range_.range_of_cells() + options_.skin, shear, halo_width_);
  // Two particles that meet before the list is rebuilt are at most this far apart when it is made.
  // If ranks have half shells only, the halo has this width. Otherwise each region must be this
  // wide, so that the regions of such a pair are neighbors. One particle of the pair is then in the
  // halo of the other's rank: along each axis, their distance is at least the sum of their
  // distances from the other's region. In a tilted box this does not hold.
  const double farthest = list_radius_ + options_.skin;
  borders_show_pairs_ = shear.none() && farthest < std::numbers::sqrt2 * list_radius_;
  for (int rank = 0; rank < decomposition.rank_count() && borders_show_pairs_; ++rank) {
    const Region other = decomposition.region(rank);
    for (int axis = 0; axis < 3; ++axis) {
      if (other.upper[axis] - other.lower[axis] < farthest) borders_show_pairs_ = false;
    }
  }
}

void ForceEngine::rebuild(ParticleStore& particles, std::int64_t step) {
  if (lacks_ghosts_) connect(*decomposition_);
  {
    const auto measured = timer_.measure(Phase::migration);
    migration_.migrate(particles, step);
  }
  {
    const auto measured = timer_.measure(Phase::sorting);
    const auto source = short_range_.list().sort_local(particles);
    if (options_.fields != nullptr) options_.fields->reorder(source);
  }
  halo_.begin_rebuild(particles);
  for (std::size_t stage = 0; stage < halo_.stage_count(); ++stage) {
    {
      const auto measured = timer_.measure(Phase::halo_selection);
      halo_.select(particles, stage);
    }
    const auto measured = timer_.measure(Phase::halo_lists);
    halo_.exchange(particles, stage);
  }
  {
    const auto measured = timer_.measure(Phase::sorting);
    place_ghosts(particles);
  }
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const auto measured = timer_.measure(phase_of_term(k));
    terms_[k]->rebuild(particles);
  }
  const auto measured = timer_.measure(Phase::pair_list);
  short_range_.rebuild(particles, options_.places.get(), options_.may_miss_pairs);
  ++rebuilds_;
  decision_.list_was_built(look_number(step));
}

void ForceEngine::place_ghosts(ParticleStore& particles) {
  std::vector<char> half_shell;
  if (short_range_.ghost_forces() == GhostForces::half_shell) {
    half_shell = halo_.half_shell();
    short_range_.place_ghosts(particles, ghost_slots_, half_shell);
  } else {
    short_range_.place_ghosts(particles, ghost_slots_, {});
  }
  halo_.order_ghosts(particles, ghost_slots_);
  if (!options_.places) return;
  options_.places->rebuild(particles);
  if (!shares_spanning_molecules()) return;
  std::vector<char> by_place(half_shell.size());
  for (std::size_t k = 0; k < by_place.size(); ++k) by_place[ghost_slots_[k]] = half_shell[k];
  options_.places->spanning().find(context_, *options_.places, particles, by_place,
                                   short_range_.unlisted_types());
}

RebuildDecision::Motion ForceEngine::motion(const ParticleStore& particles, std::int64_t step,
                                            const LargestStep& largest) {
  RebuildDecision::Motion motion;
  if (options_.may_miss_pairs) return motion;
  const auto steps = static_cast<double>(time_steps_.longest());
  motion.step = steps * largest.length;
  motion.growth = steps * largest.growth;
  const double half_skin = 0.5 * options_.skin;
  const double longest_path = motion.step + motion.growth;
  // Particles outside of this list cannot exceed half the skin in the next step.
  const auto displacements = short_range_.list().displacements(
      particles, std::max(0.0, half_skin - longest_path), list_is_lost_by_pairs());
  // Those around which there are wide rows may move by the whole skin.
  const double of_few = short_range_.rows_around_few_are_wide() && list_is_lost_by_pairs()
                            ? 0.5 * short_range_.displacement_of_few(particles)
                            : 0.0;
  motion.displacement = std::max(displacements.largest, of_few);
  // The list stores positions as floats, relative to the center of its region.
  motion.rounding = short_range_.list().extent() * std::numeric_limits<float>::epsilon();
  // The list must hold until the next check, or including that step. The bound uses 1.25 times the
  // longest path but no growth: the largest forces on the fastest particles are vibrations, which
  // reverse in the next step.
  constexpr double faster = 1.25;
  const double last = ends_steps_before_rebuild() ? steps : steps - 1.0;
  motion.displacement += last * faster * largest.length;
  if (motion.displacement <= half_skin) {
    forecast(particles, displacements.far, of_few, largest, motion);
  }
  // The check is also needed if only particles of other ranks have moved this far, because one of
  // them may have come near from beyond the halo of its rank. It comes last, because it measures
  // displacements of ghosts, which invalidates `displacements`.
  if (list_is_lost_by_pairs() &&
      std::max(motion.displacement, decision_.longest_displacement(look_number(step))) >
          half_skin) {
    motion.lost = of_few + longest_path > half_skin ||
                  !holds_beyond_half_skin(particles, displacements.far, longest_path);
  }
  return motion;
}

void ForceEngine::forecast(const ParticleStore& particles, std::span<const std::uint32_t> far,
                           double of_few, const LargestStep& largest,
                           RebuildDecision::Motion& motion) const {
  // If missing pairs decide, the list is checked again beyond half the skin, so no lower bound is
  // given.
  const bool certain = !list_is_lost_by_pairs();
  motion.next_most = motion.displacement + motion.step + motion.growth;
  if (motion.next_most <= 0.5 * options_.skin || largest.timestep == 0.0) return;
  // The next step follows from the present velocities and from forces that are not known yet. They
  // are taken as the last step's forces, with an error of the same size.
  const double dt = largest.timestep;
  motion.next_most = 0.0;
  for (const std::uint32_t i : far) {
    const double mass = largest.masses[static_cast<std::size_t>(particles.position[i].type)];
    const Vec3 gain = (dt * dt / mass) * particles.force[i];
    const Vec3 next =
        short_range_.list().displacement(particles, i) + dt * particles.velocity[i] + gain;
    const double distance = std::sqrt(dot(next, next));
    const double error = std::sqrt(dot(gain, gain)) + 0.05 * largest.growth;
    if (certain) motion.next_least = std::max(motion.next_least, distance - error);
    motion.next_most = std::max(motion.next_most, distance + error);
  }
  // Those around which rows are wide are not in this list, and may move twice as far.
  motion.next_most = std::max(motion.next_most, of_few + 0.5 * (motion.step + motion.growth));
}

bool ForceEngine::holds_beyond_half_skin(const ParticleStore& particles,
                                         std::span<const std::uint32_t> far, double longest_path) {
  const double half_skin = 0.5 * options_.skin;
  beyond_half_skin_.clear();
  for (const std::uint32_t i : far) {
    const Vec3 moved = short_range_.list().displacement(particles, i);
    if (dot(moved, moved) > half_skin * half_skin) beyond_half_skin_.push_back(i);
  }
  // If there are many such particles, checking their surroundings costs more than a new list.
  if (beyond_half_skin_.size() > 16 + particles.local_count() / 256) return false;
  const double ghost_path = std::max(longest_path, decision_.longest_path());
  return !list_misses_pair(short_range_.list(), particles, short_range_.range_of_cells(),
                           beyond_half_skin_, ghost_path);
}

bool ForceEngine::ends_steps_before_rebuild() const {
  return time_steps_.divide_slow_parts() && std::ranges::any_of(terms_, [](const auto& term) {
           return term->rebuild_moves_slow_part();
         });
}

bool ForceEngine::must_rebuild(const ParticleStore& particles, std::int64_t step,
                               const std::function<LargestStep()>& largest_step,
                               std::int64_t asked) {
  if (!looks_in(step)) return false;
  return decision_.must_rebuild(
      look_number(step), [&] { return motion(particles, step, largest_step()); }, asked);
}

void ForceEngine::move_ghosts(ParticleStore& particles) {
  halo_.start_positions(particles);
  halo_.copy_images(particles);
  halo_.finish_positions(particles);
}

void ForceEngine::compute_forces_and_move(ParticleStore& particles, const StepContext& now,
                                          const Mover& move) {
  compute_forces(particles, now, true, nullptr, &move);
}

void ForceEngine::compute_forces(ParticleStore& particles, const StepContext& now,
                                 EnergyAndVirial* sums) {
  const bool all = time_steps_.all_are_due(now.step);
  if (sums != nullptr) compute_forces(particles, now, true, sums, nullptr);
  // The forces that move particles are computed alone, so that they do not depend on whether
  // energies are observed.
  if (sums == nullptr || !all) compute_forces(particles, now, all, nullptr, nullptr);
}

void ForceEngine::compute_forces(ParticleStore& particles, const StepContext& now, bool all,
                                 EnergyAndVirial* sums, const Mover* move) {
  const bool pairs_act = all || time_steps_.is_due(TimeScale::medium, now.step);
  const auto acts = [&](const ForceTerm& term) {
    return pairs_act || term.time_scale() == TimeScale::fast;
  };
  time_steps_.begin();
  EnergyAndVirial unasked;
  {
    const auto measured = timer_.measure(Phase::halo);
    halo_.start_positions(particles);
  }
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    if (!acts(*terms_[k])) continue;
    const auto measured = timer_.measure(phase_of_term(k));
    if (time_steps_.are_used()) terms_[k]->include_slow_part(all);
    terms_[k]->begin_step(now);
    terms_[k]->start(particles);
  }
  if (on_others_ != nullptr && on_others_->needs_other_sums() && sums == nullptr) sums = &unasked;
  if (sums != nullptr) std::fill(sums_by_term_.begin(), sums_by_term_.end(), EnergyAndVirial{});
  if (pairs_act) {
    for (std::size_t k = 0; k < short_range_.size(); ++k) short_range_.term(k).begin_step(now);
    compute_short_range(particles, PairList::Cells::interior, sums);
  }
  decision_.progress();
  {
    const auto measured = timer_.measure(Phase::images);
    halo_.copy_images(particles);
  }
  {
    const auto measured = timer_.measure(Phase::halo);
    halo_.finish_positions(particles);
  }
  if (pairs_act) {
    compute_boundary(particles, sums, move);
  } else {
    clear_forces(particles);
  }
  const auto finish_terms = [&](auto&& chosen) {
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      if (!acts(*terms_[k]) || !chosen(*terms_[k])) continue;
      if (on_others_ != nullptr && k == term_on_others_) continue;
      const auto measured = timer_.measure(phase_of_term(k));
      terms_[k]->finish(particles, sums_of(short_range_.size() + k, sums));
    }
  };
  if (time_steps_.are_used()) {
    finish_terms([](const ForceTerm& term) { return term.time_scale() != TimeScale::fast; });
    if (pairs_act) add_impulses(particles, now.step);
    finish_terms([](const ForceTerm& term) { return term.time_scale() == TimeScale::fast; });
  } else {
    finish_terms([](const ForceTerm&) { return true; });
  }
  if (on_others_ != nullptr) finish_term_on_others(particles, sums);
  if (sums == nullptr) return;
  for (const EnergyAndVirial& of_term : sums_by_term_) *sums += of_term;
}

void ForceEngine::finish_term_on_others(ParticleStore& particles, EnergyAndVirial* sums) {
  const std::size_t own = short_range_.size() + term_on_others_;
  if (on_others_->needs_other_sums()) {
    EnergyAndVirial others;
    for (std::size_t k = 0; k < sums_by_term_.size(); ++k) {
      if (k != own) others += sums_by_term_[k];
    }
    on_others_->take_other_sums(others);
  }
  const auto measured = timer_.measure(phase_of_term(term_on_others_));
  terms_[term_on_others_]->finish(particles, sums_of(own, sums));
}

void ForceEngine::compute_short_range(ParticleStore& particles, PairList::Cells cells,
                                      EnergyAndVirial* sums) {
  for (std::size_t k = 0; k < short_range_.size(); ++k) {
    const auto measured = timer_.measure(phases_[k]);
    short_range_.compute(k, particles, cells, sums_of(k, sums));
  }
}

void ForceEngine::compute_further_passes(ParticleStore& particles, EnergyAndVirial* sums) {
  for (std::size_t k = 0; k < short_range_.size(); ++k) {
    ShortRangeForces& term = short_range_.term(k);
    for (int pass = 1; pass < term.pass_count(); ++pass) {
      {
        const auto measured = timer_.measure(Phase::halo);
        halo_.exchange_values(term.values_of_pass());
      }
      const auto measured = timer_.measure(phases_[k]);
      short_range_.compute_pass(k, pass, particles, sums_of(k, sums));
    }
  }
}

void ForceEngine::compute_boundary(ParticleStore& particles, EnergyAndVirial* sums,
                                   const Mover* move) {
  compute_short_range(particles, PairList::Cells::boundary, sums);
  compute_further_passes(particles, sums);
  short_range_.add_forces_of_ghosts(particles);
  for (std::size_t k = 0; k < short_range_.size(); ++k) {
    if (!short_range_.returns_forces(k)) continue;
    const CollectedForces collected = short_range_.collected_forces(k, particles);
    if (k == 0 && shares_spanning_molecules()) {
      compute_spanning(particles, collected, sums != nullptr);
    }
    {
      const auto measured = timer_.measure(Phase::halo);
      halo_.start_forces(particles, collected);
    }
    {
      const auto measured = timer_.measure(phases_[k]);
      short_range_.compute(k, particles, PairList::Cells::late_interior, sums_of(k, sums));
    }
    const auto measured = timer_.measure(Phase::halo);
    halo_.finish_forces(particles, collected);
  }
  for (std::size_t k = 0; k < short_range_.size(); ++k) {
    const auto measured = timer_.measure(phases_[k]);
    short_range_.set_forces(k, particles, move);
  }
}

void ForceEngine::compute_spanning(const ParticleStore& particles, const CollectedForces& collected,
                                   bool with_sums) {
  SpanningMolecules& molecules = options_.places->spanning();
  molecules.take_positions(particles);
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const auto measured = timer_.measure(phase_of_term(k));
    terms_[k]->compute_spanning(molecules, with_sums);
  }
  molecules.add_forces(collected);
}

void ForceEngine::add_impulses(const ParticleStore& particles, std::int64_t step) {
  time_steps_.add_impulses_of_medium_terms(particles, step);
  for (const auto& term : terms_) time_steps_.add_impulses_of_slow_part(term->slow_forces());
}

void ForceEngine::clear_forces(ParticleStore& particles) {
  std::ranges::fill(std::span(particles.force.data(), particles.local_count()), Vec3{});
  std::ranges::fill(particles.torque.span(), Vec3{});
}

std::vector<comm::Verdict> ForceEngine::verdicts() const {
  std::vector<comm::Verdict> verdicts = halo_.verdicts();
  verdicts.push_back(migration_.verdict());
  for (const ForceTerm* term : terms()) {
    for (auto& verdict : term->verdicts()) verdicts.push_back(std::move(verdict));
  }
  for (comm::Verdict& verdict : verdicts) {
    for (const comm::Verdict& earlier : earlier_) {
      if (earlier.exchange != verdict.exchange) continue;
      verdict.rounds += earlier.rounds;
      verdict.bytes_sent += earlier.bytes_sent;
      verdict.messages_sent += earlier.messages_sent;
      comm::add_sent(verdict.sent, earlier.sent);
    }
  }
  return verdicts;
}

}  // namespace sterna::md
