#include "md/core/json.hpp"
#include "md/simulation/simulation_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/domain/migration.hpp"
#include "md/ensemble/state_sections.hpp"
#include "md/forces/bonded/input/check_molecules.hpp"
#include "md/forces/manybody/input/many_body_table.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/check_box.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/molecule_file.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/integrate/moving_targets.hpp"
#include "md/observe/observer_table.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/alchemical_system.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/starting/start_loader.hpp"
#include "md/start/readers/formats.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// The text of a file; empty if there is no such file, as for an input that a program made.
std::string text_of_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  const RawFile file(path, RawFile::Mode::read);
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// The texts of the parameter files, the same on all ranks.
ParameterTexts parameter_texts(const comm::Context& context, const Input& input) {
  ParameterTexts texts;
  for (const ManyBodyRow& row : many_body_rows()) {
    std::string text;
    on_first_rank(context, [&] { text = row.file.text(input); });
    comm::broadcast(context, 0, text);
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Gives all ranks the tables of the input's pairs, which only rank 0 may have read.
Input with_pair_tables(const comm::Context& context, Input input) {
  for (Input::Pair& pair : input.pairs) {
    if (pair.table.empty()) continue;
    std::string text;
    on_first_rank(context, [&] { text = pair_table_text(input, pair); });
    comm::broadcast(context, 0, text);
    take_pair_table(input, pair, text);
  }
  return input;
}

/// Gives all ranks the cutoff. A parameter file may set it, which only rank 0 may have read.
Input with_cutoff(const comm::Context& context, Input input) {
  comm::ReductionBatch(context, "cutoff").max(input.interaction.cutoff).run();
  return input;
}

/// Gives all ranks the files of the input's molecules, which only rank 0 may have read.
Input with_molecule_files(const comm::Context& context, Input input) {
  for (std::size_t m = 0; m < input.molecules.size(); ++m) {
    if (input.molecules[m].file.empty()) continue;
    std::string text;
    on_first_rank(context, [&] { text = molecule_file_text(input, input.molecules[m]); });
    comm::broadcast(context, 0, text);
    take_molecule_file(input, m, text);
  }
  // A rank that read no files knows only now which atoms are bonded, as this function needs.
  move_hydrogen_masses(input);
  return input;
}

}  // namespace

Simulation::Implementation::Implementation(const comm::Context& context, const Input& input,
                                           std::string input_text, const System* system,
                                           const SimulationOptions& options,
                                           Implementation* previous, const std::optional<Box>& box)
    : context_(context),
      messenger_(comm::Messenger::shared(context)),
      input_(with_molecule_files(context, with_cutoff(context, with_pair_tables(context, input)))),
      options_(options),
      messages_{Console(context.rank() == 0 && !options.quiet, options.progress, input.units)},
      system_(input_, parameter_texts(context, input)),
      dynamics_(context_, input_, system_, clock_, loop_.timer),
      box_control_(context_, input_, system_, clock_),
      thermodynamics_(context_, input_, system_, clock_, dynamics_, box_control_),
      lists_(input_, system_),
      files_(context_, input_, std::move(input_text), options_, system_, messages_.console),
      sampling_{input_.output.equilibration} {
  if (input_.section<ReplicasSection>().are_used() && !input_.section<MovingTargets>().by_states) {
    throw InputError({diagnose(input_, Severity::error, "replicas",
                               "a single simulation has no replicas; \"sterna run\" runs them")});
  }
  clock_.timestep = input_.run.timestep;
  clock_.last_step = input_.run.steps;
  if (files_.input_text.empty()) files_.input_text = text_of_file(input_.path);
  if (options_.files) files_.folder.take();
  const Beginning beginning = begin_run(system, previous, box);
  if (start_.was_complete) return;
  make_parts();
  prepare_motion(beginning.goes_on);
  stop_start_if_asked(context_);

  if (previous != nullptr) {
    restore_parts(beginning.taken_over, previous->rank_data_in_memory());
  } else if (beginning.goes_on) {
    const CheckpointReader reader(context_, beginning.checkpoint);
    restore_parts(reader.state().state, reader.read_rank_data());
  }
  open_outputs(beginning.goes_on);
  // The memory is free now, because all ranks have received the particles of the start.
  messenger_->release_unused_memory();
  if (options_.only_runs_to_the_end) {
    // Molecules of thousands of atoms have many such places, and no later function reads them.
    std::erase_if(input_.places,
                  [](const auto& place) { return place.first.starts_with("molecule["); });
  }
}

Simulation::Implementation::Beginning Simulation::Implementation::begin_run(
    const System* system, Implementation* previous, const std::optional<Box>& box) {
  Beginning beginning{.checkpoint = options_.checkpoint, .taken_over = {}};
  if (beginning.checkpoint.empty() && options_.resume) {
    const auto measured = start_.times.measure(StartTimes::reading);
    beginning.checkpoint = files_.continuation.find_checkpoint();
  }
  const bool has_checkpoint = !beginning.checkpoint.empty();
  start_.resumes = options_.resume && has_checkpoint;
  beginning.goes_on = has_checkpoint || previous != nullptr;
  if (previous != nullptr) {
    beginning.taken_over = take_over(*previous, box);
  } else if (has_checkpoint) {
    resume_from_checkpoint(beginning.checkpoint);
    if (start_.was_complete) return beginning;
  } else {
    start_from_input(system);
  }
  clock_.first_step = clock_.step;
  lists_.begin_at(clock_.step);
  check_molecule_atoms();
  check_group_members();
  return beginning;
}

void Simulation::Implementation::make_parts() {
  system_.count_particles(context_);
  dynamics_.make_modifiers();
  if (!dynamics_.minimizes()) {
    box_control_.make_barostat();
    sampling_.averages.emplace(input_, system_.particle_count, system_.total_mass());
  }
  const auto before_engine = PhaseTimer::Clock::now();
  make_engine();
  count_degrees_of_freedom();
  {
    const auto measured = start_.times.measure(StartTimes::lists);
    rebuild();
  }
  balancer_->start(clock_.step,
                   std::chrono::duration<double>(PhaseTimer::Clock::now() - before_engine).count());
  // Particles are on their ranks now, so that fields begin with the numbers that observers give them.
  sampling_.observers = make_observers(context_, input_, system_.interaction.names(),
                                       system_.type_counts, system_.topology, system_.fields);
}

void Simulation::Implementation::prepare_motion(bool goes_on) {
  if (start_.draws_velocities) draw_velocities();
  if (!dynamics_.minimizes()) system_.frozen.set_velocities(system_.particles);
  const bool first_step_projects =
      goes_on || input_.start.constraints == StartConstraints::first_step;
  if (dynamics_.has_constraints() && (!first_step_projects || start_.draws_velocities)) {
    project_start();
  }
  put_virtual_sites_of_start();
}

void Simulation::Implementation::count_degrees_of_freedom() {
  dynamics_.count_degrees_of_freedom();
  box_control_.set_motion(dynamics_.degrees_of_freedom().keeps_momentum,
                          dynamics_.has_constraints());
}

void Simulation::Implementation::start_from_input(const System* system) {
  StartLoader loader({.context = context_,
                      .input = input_,
                      .system = system_,
                      .times = start_.times,
                      .decompose = [this]() -> const Decomposition& {
                        make_balancer();
                        return balancer_->decomposition();
                      },
                      .warn =
                          [this](const std::string& text) {
                            messages_.console.line(text);
                            messages_.warnings.push_back(text);
                          }});
  loader.load(system);
  start_.draws_velocities = input_.start.temperature.has_value();
  if (input_.minimizes()) {
    stop_motion();
    start_.draws_velocities = false;
  }
  const auto measured = start_.times.measure(StartTimes::distributing);
  balancer_->cut_at_start(system_.particles, clock_.step);
}

void Simulation::Implementation::check_molecule_atoms() {
  if (system_.topology.empty()) return;
  const auto found = [&](std::string message) {
    return render(diagnose(input_, Severity::error, "molecule[0]", std::move(message)));
  };
  const std::string wrong = wrong_particle_count(input_, system_.particle_count);
  if (!wrong.empty()) throw FileError(found(wrong));
  std::string problem;
  const std::vector<std::string> names = system_.interaction.names();
  for (std::size_t i = 0; i < system_.particles.local_count() && problem.empty(); ++i) {
    const std::int64_t id = system_.particles.id[i];
    if (id > system_.particle_count) {
      problem = found(fmt::format(
          "the start has a particle with the id {}; expected 1 to {}, as the atoms of molecules "
          "are known by their ids",
          id, system_.particle_count));
      continue;
    }
    const std::int64_t type = system_.particles.position[i].type;
    const std::int64_t expected = system_.topology.atom_of(id).type;
    if (type == expected) continue;
    problem =
        found(fmt::format("{} is of type \"{}\" at the start, and of \"{}\" in its molecule",
                          system_.topology.description(id), names[static_cast<std::size_t>(type)],
                          names[static_cast<std::size_t>(expected)]));
  }
  agree(context_, problem);
}

void Simulation::Implementation::check_group_members() {
  // The ids of molecules are known before a run. A type may have no particles, as at the end of a
  // series of mixtures, but ids that no particle has are a mistake.
  std::vector<std::string> names;
  for (const AtomGroupOptions& of : input_.section<AtomGroupSections>().all) {
    names.push_back(of.name);
  }
  if (!system_.topology.empty() || names.empty()) return;
  std::vector<AtomGroup> groups = groups_from_input(input_, system_.topology, names);
  std::erase_if(groups, [](const AtomGroup& group) {
    return group.depends_on_position() || group.depends_on_row_only();
  });
  std::vector<std::int64_t> members(groups.size(), 0);
  for (std::size_t n = 0; n < groups.size(); ++n) {
    for (std::size_t i = 0; i < system_.particles.local_count(); ++i) {
      const std::int64_t type = system_.particles.position[i].type;
      members[n] += groups[n].contains(system_.particles.id[i], type) ? 1 : 0;
    }
  }
  comm::ReductionBatch(context_, "members of groups").sum(members.data(), members.size()).run();
  const auto empty = std::ranges::find(members, 0);
  if (empty == members.end()) return;
  const AtomGroup& group = groups[static_cast<std::size_t>(empty - members.begin())];
  throw FileError(empty_group_message(input_, group.name()));
}

void Simulation::Implementation::make_balancer(const std::array<int, 3>& grid, const Json& state) {
  check_box(input_, system_.box,
            [&](Severity severity, std::string_view place, std::string message) {
              if (severity != Severity::error) return;
              throw FileError(render(diagnose(input_, severity, place, std::move(message))));
            });
  const auto lists = state.find("list_buffer");
  lists_.choose(lists != state.end() ? *lists : Json());
  require_memory();
  // If the box changes its shape, another grid might be chosen now. The checkpoint's grid is kept.
  Input input = input_;
  const bool fits = std::ranges::equal(
      grid, input.domain.grid, [](int cuts, int asked) { return asked == 0 || asked == cuts; });
  if (fits && grid[0] * grid[1] * grid[2] == context_.size()) input.domain.grid = grid;
  balancer_ = std::make_unique<Balancer>(context_, input, system_.box,
                                         system_.interaction.range() + lists_.skin(), loop_.timer,
                                         system_.fields);
}

void Simulation::Implementation::resume_from_checkpoint(const std::string& path) {
  CheckpointReader reader(context_, path);
  reader.require_types(system_.interaction.names());
  const CheckpointState& state = reader.state();
  files_.continuation.compare_with_checkpoint(state.state, state.particles, state.box);
  clock_.step = state.step;
  clock_.first_step = clock_.step;
  system_.box = state.box;
  system_.particle_count = state.particles;
  start_.was_complete =
      options_.only_runs_to_the_end && files_.continuation.is_finished(state.state, clock_.step);
  const InputChanges& changes = files_.continuation.changes();
  if (options_.files && !start_.was_complete) files_.folder.require_usable_files(changes);
  if (const auto offset = state.state.find("time_offset"); offset != state.state.end()) {
    clock_.offset = exact_value(*offset);
  }
  if (changes.timestep) clock_.offset += state.time - clock_.time();
  const bool keeps_shape =
      !input_.barostat.is_used() || input_.barostat.coupling == Input::Coupling::isotropic;
  make_balancer(keeps_shape ? std::array{0, 0, 0} : state.grid, state.state);
  {
    const auto measured = start_.times.measure(StartTimes::reading);
    reader.read_particles(system_.particles, &system_.fields);
  }
  stop_start_if_asked(context_);
  const bool minimizes = input_.minimizes();
  if (minimizes != state.state.contains("minimizer")) {
    // A minimizer's velocities are no thermal motion, so neither kind of run can use the other's.
    stop_motion();
    start_.draws_velocities = !minimizes && input_.start.temperature.has_value();
  }
  start_.state_of_terms = state.state.value("terms", Json::object());
  // Checkpoints of versions up to 0.1 keep the state of the only term with a state under this key.
  if (const auto found = state.state.find("electrostatics"); found != state.state.end()) {
    start_.state_of_terms["electrostatics"] = *found;
  }
  // If as many ranks with identical regions wrote the blocks, each block belongs to its rank.
  const auto regions = state.state.find("regions");
  const bool of_grid = regions == state.state.end();
  if (!reader.has_block_per_rank() ||
      !(of_grid ? balancer_->restore(state.grid) : balancer_->restore(*regions))) {
    const auto measured = start_.times.measure(StartTimes::distributing);
    Migration anywhere(context_, balancer_->decomposition(), 0.0,
                       {.anywhere = true,
                        .rotating = system_.particles.rotating(),
                        .only_some_rotate = system_.particles.only_some_rotate(),
                        .fields = &system_.fields});
    anywhere.migrate(system_.particles, clock_.step);
    balancer_->cut_at_start(system_.particles, clock_.step);
  }
  tell_of_resumption(path);
}

void Simulation::Implementation::tell_of_resumption(const std::string& path) {
  if (start_.was_complete) {
    messages_.console.line(
        fmt::format("{}: step {} of {} is done, nothing is left to do; to go on, give "
                    "more \"steps\" in [run], or with --steps",
                    path, clock_.step, input_.run.steps));
    return;
  }
  messages_.console.line(fmt::format("resuming {} at step {}", path, clock_.step));
  const InputChanges& changes = files_.continuation.changes();
  for (const std::string& change : changes.settings) messages_.console.line("changed: " + change);
  if (changes.other_state) {
    messages_.console.line(
        "averages and observers begin anew, as settings of the sampled state changed");
  }
}

void Simulation::Implementation::make_engine() {
  ForceEngine::Options options;
  options.kernels = input_.interaction.kernel;
  options.skin = lists_.skin();
  options.maximum_interval = lists_.maximum_interval();
  options.may_miss_pairs = lists_.buffer().has_value();
  options.rotating = system_.particles.rotating();
  options.only_some_rotate = system_.particles.only_some_rotate();
  options.type_count = static_cast<int>(system_.masses.size());
  options.particles_per_rank = system_.steady_count() / static_cast<double>(context_.size());
  options.lists_all_pairs = observers_need_all_pairs(input_) || system_.is_open;
  options.lists_full_shell = observers_need_full_shell(input_) || system_.is_open;
  if (!dynamics_.minimizes()) {
    const Input::TimeSteps& steps = input_.time_steps;
    options.time_steps = MultipleTimeSteps(steps.pairs, steps.longest());
  }
  options.halo = {.route = input_.domain.halo_route, .method = input_.communication.halo};
  options.migration_method = input_.communication.migration;
  options.fields = &system_.fields;
  system_.fields.resize(system_.particles.local_count());
  // A barostat moves the center of each constraint group, so one rank must know the whole group.
  const double widest = !input_.barostat.is_used()
                            ? std::max(molecule_extent(input_), system_.interaction.range())
                            : std::numeric_limits<double>::infinity();
  ConstraintGroups groups(system_.topology, dynamics_.inverse_masses(),
                          input_.run.constraint_algorithm, input_.run.constraint_tolerance, widest,
                          changing_constraints(input_));
  if (!system_.topology.empty()) {
    options.places = std::make_shared<MoleculePlaces>(system_.topology, system_.box);
    options.molecule_extent = std::max(molecule_extent(input_), groups.extent()) + lists_.skin();
    options.molecule_extent_is_certain = molecule_extent_is_certain(input_);
  }
  const TermRequest request{.context = context_,
                            .input = input_,
                            .interaction = system_.interaction,
                            .decomposition = balancer_->decomposition(),
                            .box = system_.box,
                            .skin = lists_.skin(),
                            .places = options.places,
                            .fields = &system_.fields};
  engine_ = std::make_unique<ForceEngine>(context_, balancer_->decomposition(),
                                          system_.interaction.take_forces(system_.topology),
                                          make_force_terms(request), options, loop_.timer);
  dynamics_.connect(*engine_, options.places, std::move(groups));
  begin_state();
  box_control_.connect(options.places, [this](std::span<const Vec3> local, std::span<Vec3> ghosts) {
    engine_->exchange_vectors(local, ghosts);
  });
  restore_terms();
  take_charges_of_state();
  make_reservoirs();
}

}  // namespace sterna::md
