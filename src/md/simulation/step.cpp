// The step loop: a run as data flow (ARCHITECTURE.md, "A step").

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "md/core/unstable_run.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/logged_scalars.hpp"
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
  EnergyAndVirial sums;
  compute_forces(&sums);
  integrator_.forces_are_those_of_a_start();
  start_barostat(sums);
  if (first_step_ == 0) {
    report();
    observe(sums);
  }
}

void Simulation::Implementation::begin_anew(EnergyAndVirial& sums) {
  complete_velocities();
  if (!minimizer_) frozen_.set_velocities(particles_);
  Migration anywhere(context_, balancer_->decomposition(), 0.0,
                     {.anywhere = true, .rotating = particles_.rotating()});
  anywhere.migrate(particles_, step_);
  rebuild();
  if (constraints_) project_start();
  if (virtual_sites_) put_virtual_sites();
  engine_->look_at_speeds();
  compute_forces(&sums);
  integrator_.forces_are_those_of_a_start();
  start_barostat(sums);
  changed_ = false;
  measured_step_ = -1;
}

void Simulation::Implementation::measure_now() {
  require_program_terms();
  begin();
  if (!changed_ && measured_step_ == step_) return;
  EnergyAndVirial sums;
  changed_ ? begin_anew(sums) : compute_forces(&sums);
  keep_state(sums);
}

void Simulation::Implementation::keep_state(const EnergyAndVirial& sums) {
  complete_velocities();
  last_state_ = measure(sums);
  if (sees_tensor()) {
    last_state_.center_pressure = center_pressure(pressure_state(last_state_, sums));
  }
  last_sums_ = sums;
  last_sums_ += constraint_sums_;
  measured_step_ = step_;
}

std::array<double, 6> Simulation::Implementation::virial_tensor() const {
  std::array<double, 6> tensor{};
  std::copy_n(last_sums_.virial, tensor.size(), tensor.begin());
  comm::ReductionBatch(context_, "virial").sum(tensor.data(), tensor.size()).run();
  for (std::size_t axis = 0; axis < 3; ++axis) tensor[axis] += tail_.virial / 3.0;
  return tensor;
}

std::vector<LoggedScalar> Simulation::Implementation::logged_state() const {
  return logged_scalars(last_state_, input_.units,
                        {.moves = !minimizer_,
                         .rotating = particles_.rotating(),
                         .changes_volume = barostat_ != nullptr,
                         .changes_shape = changes_shape()});
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
  while (step_ < last_step_ && !converged_) {
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
  begin();

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
  std::ranges::sort(all, {}, &ParticleRecord::id);
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
  for (const auto& observer : observers_) {
    reports.push_back(total_report(context_, *observer));
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
  return wanted || static_cast<Request>(engine_->others_asked()) != Request::none;
}

void Simulation::Implementation::move_all() {
  const std::size_t count = particles_.local_count();
  integrator_.begin_move(particles_);
  engine_->begin_move(step_);
  for (std::size_t begin = 0; begin < count; begin += moved_together) {
    move(begin, std::min(begin + moved_together, count));
  }
  integrator_.end_move(particles_);
}

void Simulation::Implementation::move(std::size_t begin, std::size_t end) {
  integrator_.move(particles_, begin, end);
  if (!constraints_ && !virtual_sites_) engine_->have_moved(particles_, begin, end);
}

bool Simulation::Implementation::can_move_early() const {
  const auto is_due = [this](const auto& modifier) { return modifier->is_due(step_); };
  return engine_->can_move() && !constraints_ && !virtual_sites_ && !minimizer_ && !hook_ &&
         !must_sample() && !barostat_acts() && !must_write_checkpoint() &&
         std::none_of(modifiers_.begin(), modifiers_.end(), is_due);
}

void Simulation::Implementation::step() {
  ++step_;
  balancer_->begin_step(step_);
  if (barostat_) {
    const Deformation velocities = barostat_->begin_step(step_ - 1);
    if (!velocities.is_identity()) centers_->change_velocities(particles_, velocities);
  }
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
  if (!minimizer_ && !ended_) integrator_.finish_step();
  ended_ = false;
  // In every step, so that no bit depends on who looks at them.
  if ((constraints_ || !engine_->impulses().forces.empty()) && !minimizer_) complete_velocities();
  modify();
  if (barostat_acts) act_barostat(sums, sample);
  if (sample) observe(sums);
}

void Simulation::Implementation::advance_positions() {
  if (!moved_) {
    const auto measured = timer_.measure(Phase::integration);
    if (constraints_) constraints_->begin_step(particles_);
    minimizer_ ? minimize_step() : move_all();
  }
  constrained_path_ = 0.0;
  if (constraints_) {
    const auto measured = timer_.measure(Phase::constraints);
    const double timestep = minimizer_ ? minimizer_->timestep() : input_.run.timestep;
    const Constraints::Motion motion =
        constraints_->constrain_positions(particles_, timestep, step_);
    constrained_path_ = motion.path;
    integrator_.account_for(motion.path, motion.gain);
  }
  moved_ = false;
  for (const auto& modifier : modifiers_) modifier->correct_positions(particles_, box_);
  if (virtual_sites_) advance_virtual_sites();
}

void Simulation::Implementation::renew_lists() {
  const auto largest_step = [this]() -> ForceEngine::LargestStep {
    if (minimizer_) {
      return {std::max(minimizer_->maximum_displacement(), constrained_path_), 0.0};
    }
    // Forces alone do not tell where constrained atoms and virtual sites go, nor those with impulses.
    if (constraints_ || virtual_sites_ || input_.time_steps.are_used())
      return {integrator_.longest_path(), integrator_.longest_gain()};
    return {integrator_.longest_path(), integrator_.longest_gain(), integrator_.timestep(),
            masses_};
  };
  rebuilt_ =
      engine_->must_rebuild(particles_, step_, largest_step, asked()) || balancer_->must_cut(step_);
  for (const auto& modifier : modifiers_) {
    if (modifier->shift_all(particles_, box_, step_)) rebuilt_ = true;
  }
  if (!rebuilt_) return;
  if (engine_->ends_steps_before_rebuild() && !minimizer_) {
    compute_forces(nullptr);
    integrator_.finish_step();
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
  if (centers_) centers_->rebuild(particles_);
  const auto measured = timer_.measure(Phase::constraints);
  if (virtual_sites_) virtual_sites_->rebuild(particles_);
  if (constraints_) constraints_->rebuild(particles_);
}

void Simulation::Implementation::complete_velocities() {
  if (!integrator_.complete_velocities(particles_) || !constraints_) return;
  const auto measured = timer_.measure(Phase::constraints);
  constraints_->constrain_velocities(particles_, step_);
}

double Simulation::Implementation::project_velocities() {
  const double before = kinetic_sums(particles_, counted_masses_).energy;
  constraints_->constrain_velocities(particles_, step_);
  return kinetic_sums(particles_, counted_masses_).energy - before;
}

void Simulation::Implementation::compute_forces_and_move() {
  integrator_.finish_step();
  integrator_.begin_move(particles_);
  engine_->begin_move(step_ + 1);
  engine_->compute_forces_and_move(
      particles_, [this](std::size_t begin, std::size_t end) { move(begin, end); });
  integrator_.end_move(particles_);
  moved_ = true;
}

void Simulation::Implementation::modify() {
  for (const auto& modifier : modifiers_) {
    if (!modifier->is_due(step_)) continue;
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
  integrator_.set_impulses(engine_->impulses());
  for (const auto& modifier : modifiers_) {
    if (modifier->is_due(step_)) modifier->limit_forces(particles_, box_);
  }
  if (!minimizer_) return;
  frozen_.clear_forces(particles_);
  // What moves atoms downhill is the force along the constraints.
  if (constraints_) constraint_sums_ = constraints_->constrain_forces(particles_, step_);
}

void Simulation::Implementation::minimize_step() {
  FireMinimizer::Sums sums = minimizer_->local_sums(particles_);
  comm::ReductionBatch batch(context_, "minimization");
  batch.sum(sums.power)
      .sum(sums.velocity_squared)
      .sum(sums.force_squared)
      .max(sums.largest_force)
      .run();
  if (!std::isfinite(sums.force_squared)) {
    throw UnstableRun(fmt::format(
        "step {}: a force is not finite: two particles of the start lie at the same place", step_));
  }
  if (sums.largest_force <= input_.minimize.force_tolerance) {
    converged_ = true;
    stop_motion();
    return;
  }
  minimizer_->step(particles_, sums);
}

bool Simulation::Implementation::must_sample() const {
  return is_due(input_.output.thermo_interval) || is_due(input_.output.trajectory_interval) ||
         is_due(input_.output.xtc_interval) || step_ == last_step_ ||
         std::any_of(frame_files_.begin(), frame_files_.end(),
                     [&](const FrameFile& file) { return file.is_due(step_); }) ||
         std::any_of(observers_.begin(), observers_.end(),
                     [&](const auto& observer) { return is_due(*observer); }) ||
         std::any_of(reporters_.begin(), reporters_.end(),
                     [&](const auto& r) { return r->is_due(step_) && r->needs_state(); });
}

ThermodynamicState Simulation::Implementation::measure(const EnergyAndVirial& sums) {
  // What moves a minimization on is no motion: it has no temperature.
  KineticSums kinetic = minimizer_ ? KineticSums{} : kinetic_sums(particles_, counted_masses_);
  ThermodynamicState state;
  state.pair_energy = sums.energy;
  if (constraints_ && !minimizer_) constraint_sums_ = constraints_->virial(particles_, step_);
  double constraint_virial = constraint_sums_.virial_trace();
  state.virial = sums.virial_trace() + constraint_virial;
  if (particles_.rotating() && !minimizer_) {
    state.rotational_energy = rotational_energy(particles_, bodies_);
  }
  if (minimizer_) state.largest_force = minimizer_->local_sums(particles_).largest_force;
  double virtual_site_virial = virtual_site_sums_.virial_trace();
  double exchanged_energy = 0.0;
  for (const auto& modifier : modifiers_) exchanged_energy += modifier->exchanged_energy();
  const auto terms = std::as_const(*engine_).terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const EnergyAndVirial& part = engine_->sums_by_term()[k];
    const std::string name(terms[k]->name());
    state.terms.push_back({name, part.energy, part.virial_trace(), {}});
    for (const ForceTerm::Part& of_term : terms[k]->parts()) {
      state.terms.back().parts.push_back(
          {fmt::format("{}_{}", name, of_term.name), of_term.energy, of_term.virial});
    }
  }
  comm::ReductionBatch batch(context_, "thermodynamics");
  for (ThermodynamicState::Term& term : state.terms) {
    batch.sum(term.energy).sum(term.virial);
    for (auto& part : term.parts) {
      batch.sum(part.energy);
      if (part.virial) batch.sum(*part.virial);
    }
  }
  batch.sum(state.pair_energy)
      .sum(state.virial)
      .sum(constraint_virial)
      .sum(virtual_site_virial)
      .sum(kinetic.energy)
      .sum(state.rotational_energy)
      .sum(kinetic.momentum.x)
      .sum(kinetic.momentum.y)
      .sum(kinetic.momentum.z)
      .sum(exchanged_energy)
      .max(state.largest_force)
      .run();
  if (tail_.energy != 0.0 || tail_.virial != 0.0) {
    state.terms.push_back({"tail_correction", tail_.energy, tail_.virial, {}});
  }
  if (constraints_) state.terms.push_back({"constraints", 0.0, constraint_virial, {}});
  if (virtual_sites_ && virtual_sites_->change_virial()) {
    state.terms.push_back({"virtual_sites", 0.0, virtual_site_virial, {}});
  }
  state.volume = box_.volume();
  state.box = {box_.length.x, box_.length.y, box_.length.z};
  state.tilt = {box_.tilt.xy, box_.tilt.xz, box_.tilt.yz};
  state.kinetic_energy = kinetic.energy + state.rotational_energy;
  for (int axis = 0; axis < 3; ++axis) state.momentum[axis] = kinetic.momentum[axis];
  state.potential_energy = state.pair_energy + tail_.energy;
  state.total_energy = state.kinetic_energy + state.potential_energy;
  state.conserved_energy = state.total_energy - exchanged_energy;
  if (barostat_) state.conserved_energy += barostat_->energy(box_);
  state.temperature = 2.0 * state.kinetic_energy / (degrees_of_freedom_ * input_.units.boltzmann());
  state.pressure = (2.0 * kinetic_factor() * kinetic.energy + state.virial + tail_.virial) /
                   (3.0 * box_.volume());
  return state;
}

double Simulation::Implementation::lightest_mass() const {
  double lightest = std::numeric_limits<double>::infinity();
  for (const double mass : masses_) {
    if (mass > 0.0) lightest = std::min(lightest, mass);
  }
  return lightest;
}

void Simulation::Implementation::check_temperature() {
  // Ten thousand times as hot as asked for, as at the beginning and as the deepest well, or thermal
  // flights beyond the cutoff in a step: no force was followed on the way there.
  const double thermal = input_.units.boltzmann() * last_state_.temperature;
  if (!first_temperature_) first_temperature_ = last_state_.temperature;
  double asked = std::max(*first_temperature_, input_.start.temperature.value_or(0.0));
  for (const auto& thermostat : input_.thermostats) {
    if (thermostat.is_used()) asked = std::max(asked, thermostat.temperature);
  }
  const double reference =
      std::max(input_.units.boltzmann() * asked, interaction_.largest_epsilon());
  const double flight = std::sqrt(thermal / lightest_mass()) * input_.run.timestep;
  if (flight < interaction_.reach() && (reference <= 0.0 || thermal < 1e4 * reference)) return;
  const std::string temperature =
      input_.units.text(last_state_.temperature, Dimension::temperature);
  if (log_) log_->warning(step_, fmt::format("the temperature is {}", temperature));
  throw UnstableRun(
      fmt::format("step {}: the temperature is {}: the run has left all that its forces describe. "
                  "The timestep is too long for them, or particles of the start overlap (minimize "
                  "first)",
                  step_, temperature));
}

void Simulation::Implementation::observe(const EnergyAndVirial& sums) {
  {
    const auto measured = timer_.measure(Phase::observers);
    keep_state(sums);
  }
  if (!std::isfinite(last_state_.total_energy)) {
    if (log_) log_->warning(step_, "the energy is not finite");
    throw UnstableRun(
        fmt::format("step {}: the energy is not finite (potential {}, kinetic {}): the timestep is "
                    "too long for these forces, or particles of the start overlap (minimize first)",
                    step_, last_state_.potential_energy, last_state_.kinetic_energy));
  }
  if (!minimizer_) check_temperature();
  if (is_due(input_.output.thermo_interval) || step_ == last_step_ || step_ == 0) {
    const auto measured = timer_.measure(Phase::output);
    if (log_) {
      log_->thermo(step_, input_.units.from_internal(elapsed_time(), Dimension::time),
                   logged_state());
    }
    minimizer_ ? console_.minimization_row(step_, particle_count_, last_state_)
               : console_.table_row(step_, elapsed_time(), particle_count_, last_state_);
    if (averages_) averages_->add(step_, last_state_);
  }
  if (trajectory_ && is_due(input_.output.trajectory_interval)) {
    const auto measured = timer_.measure(Phase::output);
    const double observables[] = {last_state_.temperature, last_state_.pressure,
                                  last_state_.potential_energy, last_state_.kinetic_energy};
    trajectory_->write_frame(step_, elapsed_time(), box_, particles_, observables);
  }
  if (xtc_ && is_due(input_.output.xtc_interval)) {
    const auto measured = timer_.measure(Phase::output);
    xtc_->write_frame(step_, elapsed_time(), box_, particles_);
  }
  for (FrameFile& file : frame_files_) {
    if (!file.is_due(step_)) continue;
    const auto measured = timer_.measure(Phase::output);
    file.write_frame(step_, elapsed_time(), last_state_.potential_energy, box_, particles_);
  }
  report();
}

void Simulation::Implementation::report() {
  const Frame frame{
      .step = step_,
      .time = elapsed_time(),
      .box = box_,
      .particles = particles_,
      .masses = masses_,
      .state = last_state_,
      .list = engine_->list(),
      .sums = last_sums_,
      .tail_virial = tail_.virial,
      .kinetic_factor = kinetic_factor(),
  };
  const bool has_state = measured_step_ == step_;
  const auto measured = timer_.measure(Phase::observers);
  for (const auto& observer : observers_) {
    if (has_state && is_due(*observer)) observer->sample(frame);
  }
  for (const auto& reporter : reporters_) {
    if (reporter->needs_state() == has_state && reporter->is_due(step_)) reporter->report(frame);
  }
}

}  // namespace sterna::md
