// The step loop: a run as data flow (ARCHITECTURE.md, "A step").

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "md/core/json.hpp"
#include "md/core/sort_by.hpp"
#include "md/core/unstable_run.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/synchronized_timing.hpp"

namespace sterna::md {

void Simulation::Implementation::stop_if_asked() {
  auto most = static_cast<std::int64_t>(requested());
  comm::ReductionBatch(context_, "signals").max(most).run();
  if (static_cast<Request>(most) == Request::stop) throw StartInterrupted();
}

std::int64_t Simulation::Implementation::asked() const {
  const double interval = input_.output.checkpoint_time;
  const std::chrono::duration<double> since =
      std::chrono::steady_clock::now() - last_checkpoint_time_;
  // One rank's clock is enough: what it asks for travels to all.
  const bool is_time = context_.rank() == 0 && interval > 0.0 && since.count() >= interval;
  if (stop_when_ && stop_when_()) return static_cast<std::int64_t>(Request::stop);
  return static_cast<std::int64_t>(
      std::max(requested(), is_time ? Request::checkpoint : Request::none));
}

void Simulation::Implementation::begin() {
  if (begun_) return;
  begun_ = true;
  last_checkpoint_time_ = std::chrono::steady_clock::now();
  minimizer_ ? console_.minimization_header() : console_.table_header();
  // Terms that the program has added find their particles.
  if (!program_terms_.empty()) rebuild();
  rebuilds_at_begin_ = engine_->rebuilds();
  EnergyAndVirial sums;
  {
    const auto measured = start_times_.measure(StartTimes::forces);
    compute_forces(&sums);
  }
  if (first_step_ == 0 && !resumed_) warn_of_overlaps();
  check_first_forces();
  integrator_->forces_are_those_of_a_start();
  start_barostat(sums);
  log_start_times();
  if (first_step_ == 0 && !resumed_) {
    report();
    observe(sums);
  }
}

void Simulation::Implementation::log_start_times() {
  if (!options_.files) return;
  auto seconds = start_times_.seconds();
  comm::ReductionBatch batch(context_, "start times");
  for (double& part : seconds) batch.max(part);
  batch.run();
  if (!log_) return;
  Json parts;
  for (std::size_t part = 0; part < seconds.size(); ++part) {
    parts[std::string(StartTimes::names[part])] = seconds[part];
  }
  log_->write("started", {{"step", step_}, {"seconds", parts}});
}

void Simulation::Implementation::begin_anew(EnergyAndVirial& sums) {
  complete_velocities();
  if (!minimizer_) frozen_.set_velocities(particles_);
  Migration anywhere(context_, balancer_->decomposition(), 0.0,
                     {.anywhere = true, .rotating = particles_.rotating()});
  anywhere.migrate(particles_, step_);
  constrained_atoms_checked_ = false;
  rebuild();
  if (constraints_) project_start();
  if (virtual_sites_) put_virtual_sites();
  engine_->look_at_speeds();
  compute_forces(&sums);
  check_first_forces();
  integrator_->forces_are_those_of_a_start();
  start_barostat(sums);
  changed_ = false;
  measured_step_ = -1;
}

Outcome Simulation::Implementation::run(std::int64_t steps) {
  if (steps < 0) throw std::invalid_argument("Simulation::run: the number of steps is negative");
  require_program_terms();
  last_step_ = step_ + steps;
  begin();
  if (run_seconds_ == 0.0) timer_.reset();
  last_outcome_ = timed_advance();
  if (last_outcome_ == Outcome::interrupted) clear_stop_request();
  return last_outcome_;
}

Outcome Simulation::Implementation::timed_advance() {
  // Of the loop alone: start and end have exchanges of their own.
  std::optional<comm::SynchronizedTiming> synchronized;
  if (input_.output.timing == Input::Output::Timing::synchronized) synchronized.emplace(context_);
  struct Parting {
    PhaseTimer& timer;
    ~Parting() { timer.part_by(nullptr); }
  } const parting{timer_};
  timer_.part_by(synchronized ? &*synchronized : nullptr);
  const auto start = PhaseTimer::Clock::now();
  const Outcome outcome = advance();
  run_seconds_ += std::chrono::duration<double>(PhaseTimer::Clock::now() - start).count();
  return outcome;
}

void Simulation::Implementation::finish() {
  if (!options_.files || run_seconds_ == 0.0) return;
  report_end(last_outcome_, std::exchange(run_seconds_, 0.0));
}

Outcome Simulation::Implementation::advance() {
  if (changed_) {
    EnergyAndVirial sums;
    begin_anew(sums);
  }
  Outcome outcome = Outcome::complete;
  while (step_ < last_step_ && !has_converged()) {
    step();
    if (hook_) hook_(step_);
    if (must_write_checkpoint()) {
      if (options_.files) write_checkpoint();
      clear_checkpoint_request();
      if (static_cast<Request>(engine_->others_asked()) == Request::stop) {
        outcome = Outcome::interrupted;
        break;
      }
    }
    console_.progress(step_, first_step_, last_step_);
  }
  engine_->complete();
  return outcome;
}

Outcome Simulation::Implementation::run_to_the_end() {
  if (finished_) return Outcome::complete;
  last_step_ = input_.run.steps;
  writes_last_checkpoint_ = options_.only_runs_to_the_end;
  begin();
  // No list may be rebuilt before the end of a short run.
  if (writes_last_checkpoint_ && options_.files && last_step_ - step_ <= longest_list() &&
      last_checkpoint_ != step_) {
    write_checkpoint();
  }

  timer_.reset();
  const Outcome outcome = timed_advance();
  // The table of times is that of the loop, as other programs count it.
  const PhaseTimer loop = timer_;
  if (options_.files && outcome == Outcome::complete && last_checkpoint_ != step_) {
    write_checkpoint();
  }
  timer_ = loop;
  report_end(outcome, std::exchange(run_seconds_, 0.0));
  if (options_.files) report_files();
  return outcome;
}

void Simulation::Implementation::add(std::shared_ptr<Reporter> reporter) {
  reporters_.push_back(std::move(reporter));
}

void Simulation::Implementation::add(std::unique_ptr<ForceTerm> term) {
  const std::string name(term->name());
  engine_->add(std::move(term));
  program_terms_.insert(name);
  count_degrees_of_freedom();
  if (begun_) changed_ = true;
}

void Simulation::Implementation::change(const std::function<void(ParticleRecord&)>& visitor) {
  begin();
  complete_velocities();
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    ParticleRecord record = particle(particles_, i);
    const std::int64_t id = record.id, type = record.position.type;
    visitor(record);
    if (record.id != id || record.position.type != type) {
      throw std::invalid_argument("Simulation::change: id and type of a particle stay");
    }
    set_particle(particles_, i, record);
  }
  changed_ = true;
}

std::vector<ParticleRecord> Simulation::Implementation::gather(int root) {
  begin();
  complete_velocities();
  std::string mine(particles_.local_count() * sizeof(ParticleRecord), '\0');
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    const ParticleRecord record = particle(particles_, i);
    std::memcpy(mine.data() + i * sizeof(ParticleRecord), &record, sizeof(ParticleRecord));
  }
  std::vector<ParticleRecord> all;
  for (const std::string& part : comm::gather(context_, root, mine)) {
    const std::size_t first = all.size();
    all.resize(first + part.size() / sizeof(ParticleRecord));
    if (!part.empty()) std::memcpy(all.data() + first, part.data(), part.size());
  }
  sort_by(all, &ParticleRecord::id);
  return all;
}

std::unique_ptr<ParticleStore> Simulation::Implementation::release_particles() {
  auto released = std::make_unique<ParticleStore>();
  released->set_rotating(particles_.rotating());
  released->set_ghost_ids(particles_.ghost_ids());
  std::swap(*released, particles_);
  particles_.resize_local(released->local_count());
  for_each_field([&](const auto& field) {
    if (!field.has_array() || !is_kept(field.kept, particles_.kind())) return;
    std::copy_n((*released.*field.array).data(), particles_.local_count(),
                (particles_.*field.array).data());
  });
  changed_ = true;
  return released;
}

std::vector<ObserverReport> Simulation::Implementation::observer_reports() {
  std::vector<ObserverReport> reports;
  const std::int64_t first_step = first_settled_step();
  for (const auto& observer : observers_) {
    reports.push_back(total_report(context_, *observer, first_step));
  }
  return reports;
}

bool Simulation::Implementation::must_write_checkpoint() const {
  // At a rebuild the particles are in the order in which a restart would put them, so that it goes
  // on with the same bits.
  if (!rebuilt_) return false;
  const std::int64_t interval = input_.output.checkpoint_interval;
  const bool wanted =
      interval > 0 && step_ / interval > std::max(last_checkpoint_, first_step_) / interval;
  return wanted || is_near_end() || static_cast<Request>(engine_->others_asked()) != Request::none;
}

bool Simulation::Implementation::is_near_end() const {
  // Lists are kept for about as long as the one before, so more than one rebuild is still to come.
  const std::int64_t near = std::min(3 * list_steps_, longest_list());
  return writes_last_checkpoint_ && options_.files && step_ < last_step_ &&
         last_step_ - step_ <= near &&
         last_checkpoint_ < std::max<std::int64_t>(last_step_ - near, first_step_);
}

void Simulation::Implementation::for_each_part(const MotionStages::Part& move) {
  const std::size_t count = particles_.local_count();
  for (std::size_t begin = 0; begin < count; begin += moved_together) {
    const std::size_t end = std::min(begin + moved_together, count);
    move(begin, end);
    if (!constraints_ && !virtual_sites_) engine_->have_moved(particles_, begin, end);
  }
}

class Simulation::Implementation::Motion final : public MotionStages {
 public:
  explicit Motion(Implementation& run) : run_(run) {}

  void begin_drift() override {
    measured_.emplace(run_.timer_, Phase::integration);
    if (run_.constraints_) run_.constraints_->begin_step(run_.particles_);
  }
  void for_each_part(const Part& move) override {
    run_.engine_->begin_move(run_.step_);
    run_.for_each_part(move);
  }
  void end_drift(double time) override {
    measured_.reset();
    if (!run_.constraints_) return;
    const auto measured = run_.timer_.measure(Phase::constraints);
    const Constraints::Motion motion =
        run_.constraints_->constrain_positions(run_.particles_, time, run_.step_);
    run_.integrator_->account_for(motion.path, motion.gain);
  }
  void apply_thermostats() override {
    // Velocities are projected on constraints between atoms where these are now.
    if (run_.constraints_) run_.engine_->move_ghosts(run_.particles_);
    run_.modify(Moment::between_drifts);
  }
  std::int64_t step() const override { return run_.step_; }

 private:
  Implementation& run_;
  std::optional<PhaseTimer::Scope> measured_;
};

bool Simulation::Implementation::can_move_early() const {
  const auto is_due = [this](const auto& modifier) { return modifier->is_due(step_); };
  return engine_->can_move() && integrator_->moves_in_parts() && !constraints_ && !virtual_sites_ &&
         !hook_ && !must_sample() && !barostat_acts() && !must_write_checkpoint() &&
         std::none_of(modifiers_.begin(), modifiers_.end(), is_due);
}

void Simulation::Implementation::step() {
  ++step_;
  balancer_->begin_step(step_);
  if (barostat_) change_velocities(barostat_->begin_step(step_ - 1));
  advance_positions();
  renew_lists();
  if (!reporters_.empty()) report();
  if (can_move_early()) {
    compute_forces_and_move();
    return;
  }
  const bool sample = must_sample(), barostat_acts = this->barostat_acts();
  EnergyAndVirial sums;
  const bool needs_sums = sample || (barostat_acts && barostat_->reads_pressure(step_));
  compute_forces(needs_sums ? &sums : nullptr);
  if (!ended_) integrator_->finish_step();
  ended_ = false;
  // In every step, so that no bit depends on who looks at them.
  if ((constraints_ || !engine_->impulses().forces.empty()) && !minimizer_) complete_velocities();
  modify(Moment::end_of_step);
  if (barostat_acts) act_barostat(sums, sample);
  if (sample) observe(sums);
}

void Simulation::Implementation::advance_positions() {
  if (!std::exchange(moved_, false)) {
    Motion motion(*this);
    integrator_->advance(particles_, motion);
  }
  for (const auto& modifier : modifiers_) modifier->correct_positions(particles_, box_);
  if (virtual_sites_) advance_virtual_sites();
}

void Simulation::Implementation::renew_lists() {
  const auto largest_step = [this]() -> ForceEngine::LargestStep {
    const double path = integrator_->longest_path(), gain = integrator_->longest_gain();
    // Forces alone do not tell where constrained atoms and virtual sites go, nor those with impulses.
    if (!integrator_->forces_tell_motion() || constraints_ || virtual_sites_ ||
        input_.time_steps.are_used()) {
      return {path, gain};
    }
    return {path, gain, input_.run.timestep, masses_};
  };
  rebuilt_ =
      engine_->must_rebuild(particles_, step_, largest_step, asked()) || balancer_->must_cut(step_);
  for (const auto& modifier : modifiers_) {
    if (modifier->shift_all(particles_, box_, step_)) rebuilt_ = true;
  }
  if (!rebuilt_) return;
  if (engine_->ends_steps_before_rebuild() && !minimizer_) {
    compute_forces(nullptr);
    integrator_->finish_step();
    complete_velocities();
    ended_ = true;
  }
  const auto event = balancer_->before_rebuild(particles_, *engine_, step_, last_step_ - step_);
  if (event && log_) log_->write("balance", *event);
  rebuild();
}

void Simulation::Implementation::rebuild() {
  if (constraints_) constraints_->throw_where_not_converged();
  engine_->rebuild(particles_, step_);
  integrator_->particles_were_sorted();
  if (step_ > built_at_) list_steps_ = step_ - built_at_;
  built_at_ = step_;
  if (centers_) centers_->rebuild(particles_);
  const auto measured = timer_.measure(Phase::constraints);
  if (virtual_sites_) virtual_sites_->rebuild(particles_);
  if (constraints_) {
    constraints_->rebuild(particles_);
    check_constrained_atoms();
  }
  engine_->forget_places();
}

void Simulation::Implementation::complete_velocities() {
  if (!integrator_->complete_velocities(particles_) || !constraints_) return;
  const auto measured = timer_.measure(Phase::constraints);
  constraints_->constrain_velocities(particles_, step_);
}

double Simulation::Implementation::project_velocities() {
  const double before = kinetic_sums(particles_, counted_masses_).energy;
  constraints_->constrain_velocities(particles_, step_);
  return kinetic_sums(particles_, counted_masses_).energy - before;
}

void Simulation::Implementation::compute_forces_and_move() {
  integrator_->finish_step();
  integrator_->begin_move(particles_);
  engine_->begin_move(step_ + 1);
  engine_->compute_forces_and_move(particles_, [this](std::size_t begin, std::size_t end) {
    integrator_->move(particles_, begin, end);
    engine_->have_moved(particles_, begin, end);
  });
  integrator_->end_move(particles_);
  moved_ = true;
}

void Simulation::Implementation::modify(Moment moment) {
  for (const auto& modifier : modifiers_) {
    if (!modifier->is_due(step_) || moment_of(*modifier) != moment) continue;
    const auto measured = timer_.measure(Phase::thermostat);
    complete_velocities();
    const double growth = modifier->apply(particles_, box_, step_);
    if (constraints_ && modifier->violates_constraints()) {
      modifier->add_exchanged_energy(project_velocities());
    }
    if (growth > 1.1) engine_->look_at_speeds();
  }
}

void Simulation::Implementation::compute_forces(EnergyAndVirial* sums) {
  engine_->compute_forces(particles_, step_, sums);
  if (virtual_sites_) spread_forces(sums);
  integrator_->set_impulses(engine_->impulses());
  for (const auto& modifier : modifiers_) {
    if (modifier->is_due(step_)) modifier->limit_forces(particles_, box_);
  }
  if (!minimizer_) return;
  frozen_.clear_forces(particles_);
  // What moves atoms downhill is the force along the constraints.
  if (constraints_) constraint_sums_ = constraints_->constrain_forces(particles_, step_);
}

}  // namespace sterna::md
