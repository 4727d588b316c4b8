#include "md/core/json.hpp"
#include "md/simulation/simulation_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <unordered_set>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/domain/migration.hpp"
#include "md/input/atom_groups.hpp"
#include "md/input/check_box.hpp"
#include "md/input/check_molecules.hpp"
#include "md/input/diagnostics.hpp"
#include "md/input/embedded_atom_input.hpp"
#include "md/input/hydrogen_mass.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/molecule_file.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/input/physics_advice.hpp"
#include "md/input/read_input.hpp"
#include "md/input/tersoff_input.hpp"
#include "md/input/topology_from_input.hpp"
#include "md/observe/observer_table.hpp"
#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/simulation/distinct_ids.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/start_configuration.hpp"
#include "md/simulation/start_orientation.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// Nothing where there is no such file, as of an input that a program made.
std::string text_of_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  const RawFile file(path, RawFile::Mode::read);
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// The same texts on all ranks.
ParameterTexts parameter_texts(const comm::Context& context, const Input& input) {
  ParameterTexts texts;
  on_first_rank(context, [&] {
    if (!input.interaction.parameter_file.empty()) texts.tersoff = tersoff_parameter_text(input);
    if (uses(input, ManyBodyKind::embedded_atom)) texts.embedded_atom = embedded_atom_text(input);
  });
  comm::broadcast(context, 0, texts.tersoff);
  comm::broadcast(context, 0, texts.embedded_atom);
  return texts;
}

/// With the tables of its pairs, which only the first rank may have read, on all ranks.
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

/// With the files of its molecules, which only the first rank may have read, on all ranks.
Input with_molecule_files(const comm::Context& context, Input input) {
  for (std::size_t m = 0; m < input.molecules.size(); ++m) {
    if (input.molecules[m].file.empty()) continue;
    std::string text;
    on_first_rank(context, [&] { text = molecule_file_text(input, input.molecules[m]); });
    comm::broadcast(context, 0, text);
    take_molecule_file(input, m, text);
  }
  // A rank that saw no files knows only now what is bonded to what.
  move_hydrogen_masses(input);
  return input;
}

std::vector<RigidBody> bodies_of(const Interaction& interaction, const FrozenTypes& frozen) {
  const std::vector<Vec3> inertia = frozen.inertia(interaction.inertia());
  return {inertia.begin(), inertia.end()};
}

std::optional<RigidRotor> rotor_of(const Interaction& interaction, const FrozenTypes& frozen,
                                   const Input& input) {
  if (!interaction.rotating()) return std::nullopt;
  return RigidRotor(input.run.timestep, frozen.inertia(interaction.inertia()), input.run.rotation);
}

}  // namespace

Simulation::Implementation::Implementation(const comm::Context& context, const Input& input,
                                           std::string input_text, const System* system,
                                           const SimulationOptions& options,
                                           Implementation* previous, const std::optional<Box>& box)
    : context_(context),
      messenger_(comm::Messenger::shared(context)),
      input_(with_molecule_files(context, with_pair_tables(context, input))),
      input_text_(std::move(input_text)),
      options_(options),
      console_(context.rank() == 0 && !options.quiet, options.progress, input.units),
      stem_((std::filesystem::path(input.output.directory) / input.run.name).string()),
      interaction_(input_, parameter_texts(context, input)),
      topology_(topology_from_input(input_)),
      masses_(interaction_.masses()),
      frozen_(input, interaction_.names(), masses_),
      counted_masses_(frozen_.counted_masses(masses_)),
      bodies_(bodies_of(interaction_, frozen_)),
      skin_(input.neighbor.skin > 0.0 ? input.neighbor.skin : interaction_.usual_skin()) {
  particles_.set_rotating(interaction_.rotating());
  particles_.set_ghost_ids(!topology_.empty() || !input_.section<AtomGroupSections>().all.empty());
  last_step_ = input_.run.steps;
  if (input_text_.empty()) input_text_ = text_of_file(input_.path);
  on_first_rank(context_, [&] { input_record_ = input_record(input_); });
  if (options_.files) take_output_directory();
  std::string checkpoint = options_.checkpoint;
  if (checkpoint.empty() && options_.resume) {
    checkpoint = find_checkpoint();
    // A program that looks at the simulation between its runs finds it where the last one ended.
    if (options_.only_runs_to_the_end && checkpoint == checkpoint_path(stem_)) {
      checkpoint = checkpoint_to_extend(checkpoint);
    }
  }
  resumed_ = options_.resume && !checkpoint.empty();
  const bool resumed = !checkpoint.empty() || previous != nullptr;
  Json taken_over;
  if (previous != nullptr) {
    taken_over = take_over(*previous, box);
  } else if (resumed) {
    resume_from_checkpoint(checkpoint);
    if (finished_) return;
  } else {
    start_from_input(system);
  }
  first_step_ = built_at_ = step_;
  check_molecule_atoms();

  // Tail corrections need how many there are of each type.
  type_counts_.assign(masses_.size(), 0);
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    ++type_counts_[static_cast<std::size_t>(particles_.position[i].type)];
  }
  comm::ReductionBatch counts(context_, "type counts");
  counts.sum(type_counts_.data(), type_counts_.size()).run();
  const std::vector<double> particles_of_type(type_counts_.begin(), type_counts_.end());
  tail_ = interaction_.tail_correction(particles_of_type, box_.volume());
  moving_count_ = particle_count_;
  for (std::size_t type = 0; type < frozen_.flags().size(); ++type) {
    if (frozen_.flags()[type] != 0) moving_count_ -= type_counts_[type];
  }

  make_integrator();
  if (!minimizer_) {
    const std::vector<std::string> names = interaction_.names();
    MoleculeTable molecules{.names = names,
                            .counts = type_counts_,
                            .masses = masses_,
                            .bodies = bodies_,
                            .range = interaction_.range(),
                            .frozen = frozen_.flags()};
    if (topology_.constraint_count() > 0) {
      molecules.degrees_of = [this](std::int64_t id) {
        return topology_.degrees_of(id, frozen_.flags());
      };
      molecules.first_joined_to = [this](std::int64_t id) {
        return constraints_->first_joined_to(id);
      };
    }
    modifiers_ = make_step_modifiers(context_, input_, molecules);
    make_barostat();
  }
  if (!minimizer_) {
    double mass = 0.0;
    for (std::size_t type = 0; type < masses_.size(); ++type) {
      mass += static_cast<double>(type_counts_[type]) * masses_[type];
    }
    averages_.emplace(input_, particle_count_, mass);
  }
  observers_ = make_observers(context_, input_, interaction_.names(), type_counts_, topology_);
  const auto before_engine = PhaseTimer::Clock::now();
  make_engine();
  count_degrees_of_freedom();
  {
    const auto measured = start_times_.measure(StartTimes::lists);
    rebuild();
  }
  balancer_->start(step_,
                   std::chrono::duration<double>(PhaseTimer::Clock::now() - before_engine).count());
  if (draw_velocities_) draw_velocities();
  if (!minimizer_) frozen_.set_velocities(particles_);
  const bool first_step_projects =
      resumed || input_.start.constraints == StartConstraints::first_step;
  if (constraints_ && (!first_step_projects || draw_velocities_)) project_start();
  if (virtual_sites_) report_virtual_sites(put_virtual_sites());
  stop_if_asked();

  if (previous != nullptr) {
    restore_parts(taken_over, previous->rank_data_in_memory());
  } else if (resumed) {
    const CheckpointReader reader(context_, checkpoint);
    restore_parts(reader.state().state, reader.read_rank_data());
  }
  open_outputs(resumed);
  // All ranks have taken by now what the start has sent them.
  messenger_->release_unused_memory();
  if (options_.only_runs_to_the_end) {
    // Of molecules of thousands of atoms these are many, and nobody reads them again.
    std::erase_if(input_.places,
                  [](const auto& place) { return place.first.starts_with("molecule["); });
  }
}

void Simulation::Implementation::make_integrator() {
  std::vector<double> radii;
  for (std::size_t type = 0; type < bodies_.size(); ++type) {
    const Vec3& inertia = bodies_[type].inertia();
    radii.push_back(std::sqrt(std::max({inertia.x, inertia.y, inertia.z}) / masses_[type]));
  }
  const std::vector<double> masses = frozen_.inertial_masses(masses_);
  integrator_ = md::make_integrator({.context = context_,
                                     .input = input_,
                                     .masses = masses,
                                     .rotor = rotor_of(interaction_, frozen_, input_),
                                     .radii = radii,
                                     .size = interaction_.smallest_sigma(),
                                     .energy = interaction_.largest_epsilon()});
  minimizer_ = integrator_->minimizer();
  thermostats_act_between_drifts_ =
      find_integrator(input_.run.integrator)->thermostats_act_between_drifts;
}

void Simulation::Implementation::count_degrees_of_freedom() {
  degrees_of_freedom_ = translational_degrees();
  for (std::size_t type = 0; type < bodies_.size(); ++type) {
    degrees_of_freedom_ +=
        static_cast<double>(type_counts_[type] * bodies_[type].degrees_of_freedom());
  }
  for (const auto& modifier : modifiers_) modifier->set_degrees_of_freedom(degrees_of_freedom_);
  if (barostat_) barostat_->set_degrees_of_freedom(center_degrees());
}

void Simulation::Implementation::start_from_input(const System* system) {
  if (input_.start.kind == StartKind::program) {
    take_particles(system);
  } else if (input_.start.kind == StartKind::file) {
    read_start_file();
  } else {
    generate_start();
  }
  if (input_.minimizes()) {
    stop_motion();
    draw_velocities_ = false;
  }
  const auto measured = start_times_.measure(StartTimes::distributing);
  balancer_->cut_at_start(particles_, step_);
}

void Simulation::Implementation::generate_start() {
  const auto measured = start_times_.measure(StartTimes::reading);
  const StartConfiguration start = StartConfiguration::from_input(input_);
  box_ = start.box();
  particle_count_ = start.particle_count();
  make_balancer();
  const Region region = balancer_->decomposition().region(context_.rank());
  // Of many particles this takes long, and ranks do not communicate meanwhile.
  const auto visit = [&](const StartConfiguration::Visitor& visitor) {
    std::size_t visited = 0;
    try {
      start.visit(region, [&](const ParticleRecord& record) {
        if (++visited % 65536 == 0 && requested() == Request::stop) throw StartInterrupted();
        visitor(record);
      });
    } catch (const StartInterrupted&) {
      // The others hear of it below.
    }
    stop_if_asked();
  };
  std::size_t count = 0;
  visit([&](const ParticleRecord&) { ++count; });
  particles_.resize_local(count);
  std::size_t next = 0;
  visit([&](const ParticleRecord& record) { set_particle(particles_, next++, record); });
  draw_velocities_ = input_.start.temperature.has_value();
}

void Simulation::Implementation::take_particles(const System* system) {
  const System::Particles* const given = system == nullptr ? nullptr : system->particles();
  if (given == nullptr) throw std::logic_error("[start] has kind \"program\" without a System");
  const std::size_t count = given->position.size();
  agree(context_, what_is_wrong(*given));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(context_.size()), 0);
  const auto rank = static_cast<std::size_t>(context_.rank());
  counts[rank] = static_cast<std::int64_t>(count);
  comm::ReductionBatch(context_, "particles of a program").sum(counts.data(), counts.size()).run();
  particle_count_ = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto before = counts.begin() + static_cast<std::ptrdiff_t>(rank);
  const std::int64_t first = 1 + std::accumulate(counts.begin(), before, std::int64_t{0});
  box_ = {*input_.start.box, input_.start.tilt_of_box()};
  draw_velocities_ = input_.start.temperature.has_value();
  make_balancer();

  const auto length = [&](const Vec3& v) {
    return v * input_.units.to_internal(1.0, Dimension::length);
  };
  std::vector<ParticleRecord> records(count);
  const StartOrientation orientation(input_.run.seed);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 position = length(given->position[i]);
    ParticleRecord& record = records[i];
    const std::int64_t type = given->type.empty() ? 0 : given->type[i];
    record.position = {position.x, position.y, position.z, type};
    record.id = given->id.empty() ? first + static_cast<std::int64_t>(i) : given->id[i];
    record.image = {0, 0, 0};
    record.velocity = given->velocity.empty()
                          ? Vec3{}
                          : given->velocity[i] * input_.units.to_internal(1.0, Dimension::velocity);
    if (!particles_.rotating()) continue;
    record.orientation = given->orientation.empty() ? orientation.draw(record.id)
                                                    : given->orientation[i].normalized();
  }
  std::int64_t anybody_gives_ids = given->id.empty() ? 0 : 1;
  comm::ReductionBatch(context_, "particles of a program").max(anybody_gives_ids).run();
  if (anybody_gives_ids != 0) {
    const bool are_distinct = DistinctIds(context_).insert(records);
    agree(context_, are_distinct ? "" : "System: particles of two ranks have the same id");
  }
  Distribution distribution(context_, balancer_->decomposition(),
                            {.rotating = particles_.rotating()});
  distribution.append(records, particles_);
}

std::string Simulation::Implementation::what_is_wrong(const System::Particles& given) const {
  const std::size_t count = given.position.size();
  const auto wrong = [count](std::string_view name, std::size_t size) {
    return fmt::format("System: {} has {} items, expected one for each of {} positions", name, size,
                       count);
  };
  if (!given.type.empty() && given.type.size() != count) return wrong("type", given.type.size());
  if (!given.velocity.empty() && given.velocity.size() != count) {
    return wrong("velocity", given.velocity.size());
  }
  if (!given.id.empty() && given.id.size() != count) return wrong("id", given.id.size());
  if (!given.orientation.empty() && given.orientation.size() != count) {
    return wrong("orientation", given.orientation.size());
  }
  const auto not_finite = [](std::string_view name, const std::vector<Vec3>& rows) {
    const auto row =
        std::ranges::find_if(rows, [](const Vec3& v) { return !std::isfinite(v.x + v.y + v.z); });
    return row == rows.end()
               ? std::string()
               : fmt::format("System: row {} of {} is not finite", row - rows.begin(), name);
  };
  if (std::string text = not_finite("position", given.position); !text.empty()) return text;
  if (std::string text = not_finite("velocity", given.velocity); !text.empty()) return text;
  const Vec3& edges = *input_.start.box;
  const double farthest = BoxFrame::farthest * std::min({edges.x, edges.y, edges.z}) /
                          input_.units.to_internal(1.0, Dimension::length);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3& p = given.position[i];
    if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) <= farthest) continue;
    return fmt::format("System: row {} of position is more than {:g} boxes away", i,
                       BoxFrame::farthest);
  }
  for (std::size_t i = 0; i < given.orientation.size(); ++i) {
    const double norm = given.orientation[i].norm_squared();
    if (norm > 0.0 && std::isfinite(norm)) continue;
    return fmt::format("System: row {} of orientation is no quaternion of finite length above 0",
                       i);
  }
  const auto types = static_cast<int>(masses_.size());
  for (std::size_t i = 0; i < given.type.size(); ++i) {
    if (given.type[i] < 0 || given.type[i] >= types) {
      return fmt::format("System: particle {} has type {}, expected 0 to {}", i, given.type[i],
                         types - 1);
    }
  }
  std::unordered_set<std::int64_t> ids;
  for (const std::int64_t id : given.id) {
    if (id < 1 || id > largest_id) {
      return fmt::format("System: an id is {}, expected 1 to {}", id, largest_id);
    }
    if (!ids.insert(id).second) return fmt::format("System: two particles have the id {}", id);
  }
  return {};
}

void Simulation::Implementation::check_molecule_atoms() {
  if (topology_.empty()) return;
  const auto found = [&](std::string message) {
    return render(diagnose(input_, Severity::error, "molecule[0]", std::move(message)));
  };
  const std::string wrong = wrong_particle_count(input_, particle_count_);
  if (!wrong.empty()) throw FileError(found(wrong));
  std::string problem;
  const std::vector<std::string> names = interaction_.names();
  for (std::size_t i = 0; i < particles_.local_count() && problem.empty(); ++i) {
    const std::int64_t id = particles_.id[i];
    if (id > particle_count_) {
      problem = found(fmt::format(
          "the start has a particle with the id {}; expected 1 to {}, as the atoms of molecules "
          "are known by their ids",
          id, particle_count_));
      continue;
    }
    const std::int64_t type = particles_.position[i].type;
    const std::int64_t expected = topology_.atom_of(id).type;
    if (type == expected) continue;
    problem = found(fmt::format("{} is of type \"{}\" at the start, and of \"{}\" in its molecule",
                                topology_.description(id), names[static_cast<std::size_t>(type)],
                                names[static_cast<std::size_t>(expected)]));
  }
  agree(context_, problem);
}

void Simulation::Implementation::make_balancer(const std::array<int, 3>& grid, const Json& state) {
  check_box(input_, box_, [&](Severity severity, std::string_view place, std::string message) {
    if (severity != Severity::error) return;
    throw FileError(render(diagnose(input_, severity, place, std::move(message))));
  });
  choose_list_buffer(state);
  require_memory();
  // A box that has another shape now might be cut along other axes.
  Input input = input_;
  const bool fits = std::ranges::equal(
      grid, input.domain.grid, [](int cuts, int asked) { return asked == 0 || asked == cuts; });
  if (fits && grid[0] * grid[1] * grid[2] == context_.size()) input.domain.grid = grid;
  balancer_ =
      std::make_unique<Balancer>(context_, input, box_, interaction_.range() + skin_, timer_);
}

void Simulation::Implementation::resume_from_checkpoint(const std::string& path) {
  CheckpointReader reader(context_, path);
  reader.require_types(interaction_.names());
  const CheckpointState& state = reader.state();
  compare_with_checkpoint(state.state, state.particles, state.box);
  step_ = state.step;
  first_step_ = step_;
  box_ = state.box;
  particle_count_ = state.particles;
  finished_ = options_.only_runs_to_the_end && is_finished(state.state);
  if (options_.files && !finished_) require_usable_files();
  if (const auto offset = state.state.find("time_offset"); offset != state.state.end()) {
    time_offset_ = exact_value(*offset);
  }
  if (changes_.timestep) time_offset_ += state.time - elapsed_time();
  const bool keeps_shape =
      !input_.barostat.is_used() || input_.barostat.coupling == Input::Coupling::isotropic;
  make_balancer(keeps_shape ? std::array{0, 0, 0} : state.grid, state.state);
  {
    const auto measured = start_times_.measure(StartTimes::reading);
    reader.read_particles(particles_);
  }
  stop_if_asked();
  const bool minimizes = input_.minimizes();
  if (minimizes != state.state.contains("minimizer")) {
    // What moves a minimization on is no motion, and none becomes one.
    stop_motion();
    draw_velocities_ = !minimizes && input_.start.temperature.has_value();
  }
  state_of_terms_ = state.state.value("terms", Json::object());
  // Where checkpoints of versions up to 0.1 have the only term with a state.
  if (const auto found = state.state.find("electrostatics"); found != state.state.end()) {
    state_of_terms_["electrostatics"] = *found;
  }
  // Blocks of as many ranks with the very same regions are where they belong.
  const auto regions = state.state.find("regions");
  const bool of_grid = regions == state.state.end();
  if (!reader.has_block_per_rank() ||
      !(of_grid ? balancer_->restore(state.grid) : balancer_->restore(*regions))) {
    const auto measured = start_times_.measure(StartTimes::distributing);
    Migration anywhere(context_, balancer_->decomposition(), 0.0,
                       {.anywhere = true, .rotating = particles_.rotating()});
    anywhere.migrate(particles_, step_);
    balancer_->cut_at_start(particles_, step_);
  }
  if (finished_) {
    console_.line(
        fmt::format("{}: step {} of {} is done, nothing is left to do; to go on, give "
                    "more \"steps\" in [run], or with --steps",
                    path, step_, input_.run.steps));
    return;
  }
  console_.line(fmt::format("resuming {} at step {}", path, step_));
  for (const std::string& change : changes_.settings) console_.line("changed: " + change);
  if (changes_.other_state) {
    console_.line("averages and observers begin anew, as settings of the sampled state changed");
  }
}

void Simulation::Implementation::make_engine() {
  ForceEngine::Options options;
  options.kernels = input_.interaction.kernel;
  options.skin = skin_;
  options.maximum_interval =
      list_buffer_ ? list_buffer_->interval : input_.neighbor.maximum_interval;
  options.may_miss_pairs = list_buffer_.has_value();
  options.rotating = particles_.rotating();
  options.type_count = static_cast<int>(masses_.size());
  options.particles_per_rank =
      static_cast<double>(particle_count_) / static_cast<double>(context_.size());
  options.lists_all_pairs = observers_need_all_pairs(input_);
  options.lists_full_shell = observers_need_full_shell(input_);
  if (!minimizer_) {
    const Input::TimeSteps& steps = input_.time_steps;
    options.time_steps = MultipleTimeSteps(steps.pairs, steps.longest());
  }
  options.halo = {.method = input_.domain.halo, .exchange_method = input_.communication.halo};
  options.migration_method = input_.communication.migration;
  // A minimization moves all atoms as if they had the same mass.
  std::vector<double> inverse_masses =
      frozen_.inertial_masses(minimizer_ ? std::vector<double>(masses_.size(), 1.0) : masses_);
  for (double& mass : inverse_masses) mass = 1.0 / mass;
  // A barostat moves the center of each group, all of which one rank must know then.
  const double widest = !input_.barostat.is_used()
                            ? std::max(molecule_extent(input_), interaction_.range())
                            : std::numeric_limits<double>::infinity();
  ConstraintGroups groups(topology_, inverse_masses, input_.run.constraint_algorithm,
                          input_.run.constraint_tolerance, widest);
  if (!topology_.empty()) {
    options.places = std::make_shared<MoleculePlaces>(topology_, box_);
    options.molecule_extent = std::max(molecule_extent(input_), groups.extent()) + skin_;
    options.molecule_extent_is_certain = molecule_extent_is_certain(input_);
  }
  const TermRequest request{.context = context_,
                            .input = input_,
                            .interaction = interaction_,
                            .decomposition = balancer_->decomposition(),
                            .box = box_,
                            .skin = skin_,
                            .places = options.places};
  engine_ = std::make_unique<ForceEngine>(context_, balancer_->decomposition(),
                                          interaction_.take_forces(topology_),
                                          make_force_terms(request), options, timer_);
  const auto exchange_vectors = [this](std::span<const Vec3> local, std::span<Vec3> ghosts) {
    engine_->exchange_vectors(local, ghosts);
  };
  if (topology_.constraint_count() > 0) {
    const double timestep = minimizer_ ? minimizer_->largest_timestep() : input_.run.timestep;
    constraints_ = std::make_unique<Constraints>(
        context_, options.places, std::move(groups), std::move(inverse_masses), timestep,
        input_.run.constraint_tolerance,
        [this](std::span<const std::uint32_t> places) {
          engine_->select_ghosts(particles_, places);
        },
        Constraints::GhostVectors{.start =
                                      [this](std::span<const Vec3> local, std::span<Vec3> ghosts) {
                                        engine_->start_selected_vectors(local, ghosts);
                                      },
                                  .finish =
                                      [this](std::span<const Vec3> local, std::span<Vec3> ghosts) {
                                        engine_->finish_selected_vectors(local, ghosts);
                                      }});
  }
  if (barostat_) {
    centers_ = std::make_unique<Centers>(context_, options.places, masses_, exchange_vectors);
  }
  if (topology_.has_virtual_sites()) {
    virtual_sites_ = std::make_unique<VirtualSites>(context_, options.places, exchange_vectors);
  }
  restore_terms();
}

}  // namespace sterna::md
