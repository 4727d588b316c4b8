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
#include "md/forces/neighborhood.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/simulation_implementation.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/comm/synchronized_timing.hpp"

namespace sterna::md {

std::int64_t Simulation::Implementation::highest_request() const {
  // Only the clock of rank 0 is read; its request is sent to all ranks.
  const bool is_time =
      context_.rank() == 0 && files_.checkpoints.is_time(input_.output.checkpoint_time);
  if (options_.leaves_requests_to_caller) return static_cast<std::int64_t>(Request::none);
  if (program_.stop_when && program_.stop_when()) return static_cast<std::int64_t>(Request::stop);
  if (!engine_->reason_to_stop().empty()) return static_cast<std::int64_t>(Request::stop);
  return static_cast<std::int64_t>(
      std::max(requested(), is_time ? Request::checkpoint : Request::none));
}

void Simulation::Implementation::begin() {
  if (loop_.has_begun) return;
  loop_.has_begun = true;
  files_.checkpoints.restart_time();
  dynamics_.minimizes() ? messages_.console.minimization_header()
                        : messages_.console.table_header();
  // Terms that the program has added get their particles by a rebuild.
  if (!program_.terms.empty()) rebuild();
  loop_.rebuilds_at_begin = engine_->rebuilds();
  EnergyAndVirial sums;
  {
    const auto measured = start_.times.measure(StartTimes::forces);
    dynamics_.compute_forces(&sums);
  }
  if (clock_.first_step == 0 && !start_.resumes) warn_of_overlaps();
  check_first_forces();
  dynamics_.reset_pending_kick();
  dynamics_.tell_motion();
  files_.terms.write(*engine_);
  start_barostat(sums);
  log_start_times();
  if (clock_.first_step == 0 && !start_.resumes) {
    report();
    observe(sums);
  }
}

void Simulation::Implementation::log_start_times() {
  if (!options_.files) return;
  auto seconds = start_.times.seconds();
  comm::ReductionBatch batch(context_, "start times");
  for (double& part : seconds) batch.max(part);
  batch.run();
  if (!messages_.log) return;
  Json parts;
  for (std::size_t part = 0; part < seconds.size(); ++part) {
    parts[std::string(StartTimes::names[part])] = seconds[part];
  }
  messages_.log->write("started", {{"step", clock_.step}, {"seconds", parts}});
}

void Simulation::Implementation::restart_from_changes(EnergyAndVirial& sums) {
  dynamics_.complete_velocities();
  if (!dynamics_.minimizes()) system_.frozen.set_velocities(system_.particles);
  Migration anywhere(context_, balancer_->decomposition(), 0.0,
                     {.anywhere = true,
                      .rotating = system_.particles.rotating(),
                      .only_some_rotate = system_.particles.only_some_rotate(),
                      .fields = &system_.fields});
  anywhere.migrate(system_.particles, clock_.step);
  dynamics_.positions_were_changed();
  rebuild();
  if (dynamics_.has_constraints()) project_start();
  put_virtual_sites();
  engine_->check_next_step_closely();
  dynamics_.compute_forces(&sums);
  check_first_forces();
  dynamics_.reset_pending_kick();
  start_barostat(sums);
  program_.has_changed = false;
  thermodynamics_.forget();
}

Outcome Simulation::Implementation::run(std::int64_t steps) {
  if (steps < 0) throw std::invalid_argument("Simulation::run: the number of steps is negative");
  program_.require_terms();
  clock_.last_step = clock_.step + steps;
  begin();
  if (loop_.seconds == 0.0) loop_.timer.reset();
  loop_.outcome = timed_advance();
  if (loop_.outcome == Outcome::interrupted) clear_stop_request();
  return loop_.outcome;
}

Outcome Simulation::Implementation::timed_advance() {
  // Waits are timed in the loop only, because start and end have exchanges of their own.
  std::optional<comm::SynchronizedTiming> synchronized;
  if (input_.output.timing == Input::Output::Timing::synchronized) synchronized.emplace(context_);
  struct Parting {
    PhaseTimer& timer;
    ~Parting() { timer.set_synchronized_timing(nullptr); }
  } const parting{loop_.timer};
  loop_.timer.set_synchronized_timing(synchronized ? &*synchronized : nullptr);
  const auto start = PhaseTimer::Clock::now();
  const Outcome outcome = advance();
  loop_.seconds += std::chrono::duration<double>(PhaseTimer::Clock::now() - start).count();
  return outcome;
}

void Simulation::Implementation::finish() {
  if (!options_.files || loop_.seconds == 0.0) return;
  report_end(loop_.outcome, std::exchange(loop_.seconds, 0.0));
}

Outcome Simulation::Implementation::advance() {
  if (program_.has_changed) {
    EnergyAndVirial sums;
    restart_from_changes(sums);
  }
  Outcome outcome = Outcome::complete;
  while (clock_.step < clock_.last_step && !dynamics_.has_converged()) {
    step();
    files_.terms.write(*engine_);
    if (program_.hook) program_.hook(clock_.step);
    if (must_write_checkpoint()) {
      if (options_.files) write_checkpoint();
      clear_checkpoint_request();
      if (static_cast<Request>(engine_->others_asked()) == Request::stop) {
        outcome = Outcome::interrupted;
        break;
      }
    }
    messages_.console.progress(clock_.step, clock_.first_step, clock_.last_step);
  }
  engine_->complete();
  return outcome;
}

Outcome Simulation::Implementation::run_to_the_end() {
  if (start_.was_complete) return Outcome::complete;
  clock_.last_step = input_.run.steps;
  files_.checkpoints.write_at_end(options_.only_runs_to_the_end && options_.files);
  begin();
  // A short run may end before any list is rebuilt, so its checkpoint is written at the start.
  if (files_.checkpoints.writes_at_end() && clock_.last_step - clock_.step <= lists_.longest() &&
      !files_.checkpoints.has(clock_)) {
    write_checkpoint();
  }

  loop_.timer.reset();
  const Outcome outcome = timed_advance();
  // The table of times covers the loop only, as other programs count.
  const PhaseTimer loop = loop_.timer;
  if (options_.files && outcome == Outcome::complete && !files_.checkpoints.has(clock_)) {
    write_checkpoint();
  }
  loop_.timer = loop;
  report_end(outcome, std::exchange(loop_.seconds, 0.0));
  if (options_.files) files_.folder.list_files();
  return outcome;
}

void Simulation::Implementation::add(std::shared_ptr<Reporter> reporter) {
  sampling_.reporters.push_back(std::move(reporter));
}

void Simulation::Implementation::add(std::unique_ptr<ForceTerm> term) {
  const std::string name(term->name());
  if (reservoirs_) {
    throw std::invalid_argument(
        "Simulation::add: the energy of one more molecule by this term is not known, as "
        "[[grand_canonical]] needs");
  }
  auto* const with_neighborhood = dynamic_cast<SeesNeighborhood*>(term.get());
  engine_->add(std::move(term));
  if (with_neighborhood != nullptr) {
    with_neighborhood->connect(context_, balancer_->decomposition(), lists_.skin());
  }
  program_.terms.insert(name);
  count_degrees_of_freedom();
  if (loop_.has_begun) program_.has_changed = true;
}

void Simulation::Implementation::change(const std::function<void(ParticleRecord&)>& visitor) {
  begin();
  dynamics_.complete_velocities();
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    ParticleRecord record = particle(system_.particles, i);
    const std::int64_t id = record.id, type = record.position.type;
    visitor(record);
    if (record.id != id || record.position.type != type) {
      throw std::invalid_argument("Simulation::change: id and type of a particle stay");
    }
    set_particle(system_.particles, i, record);
  }
  program_.has_changed = true;
}

std::vector<ParticleRecord> Simulation::Implementation::gather(int root) {
  begin();
  dynamics_.complete_velocities();
  std::string mine(system_.particles.local_count() * sizeof(ParticleRecord), '\0');
  for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
    const ParticleRecord record = particle(system_.particles, i);
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

AddedField& Simulation::Implementation::add_particle_field(std::string_view name, int components,
                                                           double initial) {
  // Ranks that add different fields would exchange particles of different sizes.
  const std::string mine =
      fmt::format("\"{}\" with {} components, at first {:a}", name, components, initial);
  std::string first = mine;
  comm::broadcast(context_, 0, first);
  std::int64_t differs = mine == first ? 0 : 1;
  comm::ReductionBatch(context_, "added field").max(differs).run();
  if (differs != 0) {
    throw std::invalid_argument(
        fmt::format("ranks add different particle fields: rank 0 adds {}, and another rank adds {}",
                    first, mine == first ? "another one" : mine));
  }
  if (!std::isfinite(initial)) {
    throw std::invalid_argument(fmt::format(
        "the particle field \"{}\" begins with {}, which is not finite", name, initial));
  }
  return system_.fields.add(name, components, initial);
}

std::vector<double> Simulation::Implementation::gather_field(std::string_view name, int root) {
  const AddedField& field = system_.fields.at(name);
  const auto width = static_cast<std::size_t>(field.components());
  const std::size_t count = system_.particles.local_count();
  const auto text_of = [](const auto* values, std::size_t size) {
    return std::string(reinterpret_cast<const char*>(values), size * sizeof(*values));
  };
  const auto ids = comm::gather(context_, root, text_of(system_.particles.id.data(), count));
  const auto rows = comm::gather(context_, root, text_of(field.values().data(), count * width));
  struct Row {
    std::int64_t id;
    const char* numbers;
  };
  std::vector<Row> order;
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    for (std::size_t i = 0; i < ids[rank].size() / sizeof(std::int64_t); ++i) {
      Row row{0, rows[rank].data() + i * width * sizeof(double)};
      std::memcpy(&row.id, ids[rank].data() + i * sizeof(row.id), sizeof(row.id));
      order.push_back(row);
    }
  }
  sort_by(order, &Row::id);
  std::vector<double> all(order.size() * width);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::memcpy(all.data() + i * width, order[i].numbers, width * sizeof(double));
  }
  return all;
}

std::unique_ptr<ParticleStore> Simulation::Implementation::release_particles() {
  auto released = std::make_unique<ParticleStore>();
  released->set_turning_types(system_.particles.turning_types());
  released->set_ghost_ids(system_.particles.ghost_ids());
  std::swap(*released, system_.particles);
  system_.particles.resize_local(released->local_count());
  const auto copy = [&](Kept kept, std::size_t count) {
    for_each_field([&](const auto& field) {
      if (!field.has_array() || field.kept != kept) return;
      std::copy_n((*released.*field.array).data(), count, (system_.particles.*field.array).data());
    });
  };
  copy(Kept::always, released->local_count());
  system_.particles.place_rotors();
  copy(Kept::rotating, released->local_rotors());
  program_.has_changed = true;
  return released;
}

std::vector<ObserverReport> Simulation::Implementation::observer_reports() {
  std::vector<ObserverReport> reports;
  const std::int64_t first_step = first_settled_step();
  for (const auto& observer : sampling_.observers) {
    reports.push_back(total_report(context_, *observer, first_step));
  }
  return reports;
}

bool Simulation::Implementation::must_write_checkpoint() const {
  return loop_.rebuilt &&
         (files_.checkpoints.is_due(clock_, input_.output.checkpoint_interval, lists_) ||
          static_cast<Request>(engine_->others_asked()) != Request::none);
}

bool Simulation::Implementation::can_move_early() const {
  return dynamics_.can_move_early() && !program_.hook && !must_sample() && !box_control_.acts() &&
         !box_control_.deforms(clock_.step + 1) && !exchanges_particles(clock_.step) &&
         !must_write_checkpoint();
}

void Simulation::Implementation::step() {
  ++clock_.step;
  balancer_->begin_step(clock_.step);
  if (box_control_.is_used()) {
    box_control_.change_velocities(box_control_.barostat()->begin_step(clock_.step - 1));
    if (box_control_.deforms(clock_.step)) box_control_.deform();
  }
  dynamics_.advance_positions();
  renew_lists();
  // A complete run ends with a checkpoint, whether or not lists are renewed in its last step.
  const bool ends = options_.files && clock_.step == clock_.last_step;
  if (must_write_checkpoint() || ends) engine_->announce_checkpoint();
  if (!sampling_.reporters.empty()) report();
  if (can_move_early()) {
    dynamics_.compute_forces_and_move();
    return;
  }
  const bool sample = must_sample(), barostat_acts = box_control_.acts();
  const bool exchanges = exchanges_particles(clock_.step);
  EnergyAndVirial sums;
  dynamics_.compute_forces(sample || exchanges || box_control_.reads_pressure() ? &sums : nullptr);
  dynamics_.finish_step();
  dynamics_.modify();
  dynamics_.tell_motion();
  if (exchanges) exchange_particles(sums);
  if (barostat_acts) act_barostat(sums, sample);
  if (sample) observe(sums);
}

void Simulation::Implementation::renew_lists() {
  loop_.rebuilt = engine_->must_rebuild(
                      system_.particles, clock_.step, [this] { return dynamics_.largest_step(); },
                      highest_request()) ||
                  balancer_->must_cut(clock_.step) || exchanges_particles(clock_.step);
  if (dynamics_.shift_all()) loop_.rebuilt = true;
  if (box_control_.deforms(clock_.step)) {
    balancer_->set_box(system_.box, *engine_);
    loop_.rebuilt = true;
  }
  if (!loop_.rebuilt) return;
  dynamics_.end_step_before_rebuild();
  const auto event = balancer_->before_rebuild(system_.particles, *engine_, clock_.step,
                                               clock_.last_step - clock_.step);
  if (event && messages_.log) messages_.log->write("balance", *event);
  rebuild();
}

void Simulation::Implementation::rebuild() {
  dynamics_.check_constraints();
  engine_->rebuild(system_.particles, clock_.step);
  lists_.was_built(clock_.step);
  box_control_.particles_were_sorted();
  dynamics_.particles_were_sorted();
  engine_->release_lookup_tables();
}

}  // namespace sterna::md
