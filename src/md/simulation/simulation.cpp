#include "md/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "md/io/agreement.hpp"
#include "md/io/check_box.hpp"
#include "md/io/checkpoint.hpp"
#include "md/io/checksum.hpp"
#include "md/io/diagnostics.hpp"
#include "md/io/file_error.hpp"
#include "md/io/model_list.hpp"
#include "md/io/physics_advice.hpp"
#include "md/io/read_input.hpp"
#include "md/io/readers/start_file_reader.hpp"
#include "md/io/tersoff_input.hpp"
#include "md/simulation/force_term_table.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/start_configuration.hpp"
#include "md/simulation/start_orientation.hpp"
#include "md/simulation/start_velocity.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/version.hpp"

namespace sterna::md {

namespace {

/// Records that rank 0 reads before they go to their owners: 10 MB or so.
constexpr std::size_t records_per_chunk = 100000;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The same text on all ranks.
std::string tersoff_parameters(const comm::Context& context, const Input& input) {
  if (input.interaction.parameter_file.empty()) return {};
  std::string text;
  on_first_rank(context, [&] { text = tersoff_parameter_text(input); });
  comm::broadcast(context, 0, text);
  return text;
}

std::vector<double> exact_values(const nlohmann::json& array) {
  std::vector<double> values;
  for (const auto& value : array) values.push_back(exact_value(value));
  return values;
}

std::vector<RigidBody> bodies_of(const Interaction& interaction, const FrozenTypes& frozen) {
  const std::vector<Vec3> inertia = frozen.inertia(interaction.inertia());
  return {inertia.begin(), inertia.end()};
}

std::optional<RigidRotor> rotor_of(const Interaction& interaction, const FrozenTypes& frozen,
                                   const Input& input) {
  if (!interaction.rotating()) return std::nullopt;
  return RigidRotor(input.run.timestep, frozen.inertia(interaction.inertia()),
                    rotation_method_by_name(input.run.rotation));
}

}  // namespace

Simulation::Simulation(const comm::Context& context, const Input& input,
                       const SimulationOptions& options)
    : context_(context),
      messenger_(comm::Messenger::shared(context)),
      input_(input),
      options_(options),
      console_(context.rank() == 0 && !options.quiet, options.progress, input.units),
      stem_((std::filesystem::path(input.output.directory) / input.run.name).string()),
      interaction_(input, tersoff_parameters(context, input)),
      frozen_(input, interaction_.names()),
      masses_(interaction_.masses()),
      counted_masses_(frozen_.counted_masses(masses_)),
      bodies_(bodies_of(interaction_, frozen_)),
      skin_(input.neighbor.skin > 0.0 ? input.neighbor.skin : interaction_.usual_skin()),
      integrator_(input.run.timestep, frozen_.inertial_masses(masses_),
                  rotor_of(interaction_, frozen_, input)) {
  particles_.set_rotating(interaction_.rotating());
  catch_signals();
  take_output_directory();
  const std::string checkpoint = options_.resume ? find_checkpoint() : std::string();
  const bool resumed = !checkpoint.empty();
  if (resumed) {
    resume_from_checkpoint(checkpoint);
    if (finished_) return;
  } else {
    start_from_input();
  }
  first_step_ = step_;

  // Tail corrections and degrees of freedom need how many there are of each type.
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
  degrees_of_freedom_ = translational_degrees();
  for (std::size_t type = 0; type < bodies_.size(); ++type) {
    degrees_of_freedom_ +=
        static_cast<double>(type_counts_[type] * bodies_[type].degrees_of_freedom());
  }

  if (input_.run.integrator == "minimize") {
    const double sigma = interaction_.smallest_sigma();
    const double epsilon = interaction_.largest_epsilon();
    const double natural = epsilon > 0.0 ? sigma / std::sqrt(epsilon) : 1.0;
    const double longest = input_.minimize.maximum_displacement > 0.0
                               ? input_.minimize.maximum_displacement
                               : 0.1 * sigma;
    std::vector<double> radii;
    for (std::size_t type = 0; type < bodies_.size(); ++type) {
      const Vec3& inertia = bodies_[type].inertia();
      radii.push_back(std::sqrt(std::max({inertia.x, inertia.y, inertia.z}) / masses_[type]));
    }
    minimizer_.emplace(0.005 * natural, 0.05 * natural, longest, radii);
  } else {
    const std::vector<std::string> names = interaction_.names();
    modifiers_ = make_step_modifiers(context_, input_,
                                     {.names = names,
                                      .counts = type_counts_,
                                      .masses = masses_,
                                      .bodies = bodies_,
                                      .degrees_of_freedom = degrees_of_freedom_,
                                      .reach = interaction_.reach(),
                                      .frozen = frozen_.flags()});
    const auto& barostat = input_.barostat;
    if (barostat.kind == "stochastic_cell_rescaling") {
      const double temperature =
          input_.thermostats.empty() ? 0.0 : input_.thermostats[0].temperature;
      barostat_.emplace(input_.run.seed, input_.units.boltzmann() * temperature, barostat.pressure,
                        barostat.bulk_modulus, barostat.time_constant);
    }
  }
  if (!minimizer_) {
    Averages::Options averages;
    averages.changes_volume = barostat_.has_value();
    averages.particles = particle_count_;
    if (input_.output.equilibration >= 0) averages.equilibration = input_.output.equilibration;
    for (std::size_t type = 0; type < masses_.size(); ++type) {
      averages.mass += static_cast<double>(type_counts_[type]) * masses_[type];
    }
    averages_.emplace(input_.units, averages);
  }
  observers_ = make_observers(context_, input_, interaction_.names(), type_counts_);
  const auto before_engine = PhaseTimer::Clock::now();
  make_engine();
  engine_->rebuild(particles_, step_);
  balancer_->start(step_,
                   std::chrono::duration<double>(PhaseTimer::Clock::now() - before_engine).count());
  if (draw_velocities_) draw_velocities();
  if (!minimizer_) frozen_.set_velocities(particles_);
  stop_if_asked();

  if (resumed) {
    const CheckpointReader reader(context_, checkpoint);
    const auto& state = reader.state().state;
    if (state.contains("thermostats") && state["thermostats"].size() == modifiers_.size()) {
      for (std::size_t k = 0; k < modifiers_.size(); ++k) {
        const auto& kept = state["thermostats"][k];
        modifiers_[k]->set_exchanged_energy(exact_value(kept["exchanged_energy"]));
        // Of another kind of thermostat it is of no use.
        if (kept.contains("state") && kept["state"].size() == modifiers_[k]->state().size()) {
          modifiers_[k]->set_state(exact_values(kept["state"]));
        }
      }
    }
    if (barostat_ && state.contains("volume_work")) {
      volume_work_ = exact_value(state["volume_work"]);
    }
    if (minimizer_ && state.contains("minimizer")) {
      minimizer_->set_state(exact_values(state["minimizer"]));
    }
    if (state.contains("pace")) {
      engine_->set_pace({exact_value(state["pace"][0]), exact_value(state["pace"][1])});
    }
    if (averages_ && state.contains("averages") && state["averages"].is_array() &&
        !changes_.other_state) {
      averages_->set_state(exact_values(state["averages"]));
    }
    if (state.contains("observers") && !changes_.other_state) {
      nlohmann::json unchanged = state["observers"];
      for (const std::string& section : changes_.sections) unchanged.erase(section);
      restore_observers(context_, observers_, unchanged);
    }
  }
  open_outputs(resumed);
  // All ranks have taken by now what the start has sent them.
  messenger_->release_unused_memory();
}

Simulation::~Simulation() = default;

void Simulation::start_from_input() {
  if (input_.start.kind == "file") {
    read_start_file();
  } else {
    generate_start();
  }
  if (input_.run.integrator == "minimize") {
    stop_motion();
    draw_velocities_ = false;
  }
  balancer_->cut_at_start(particles_, step_);
}

void Simulation::generate_start() {
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

void Simulation::stop_motion() {
  std::fill(particles_.velocity.begin(), particles_.velocity.end(), Vec3{});
  std::fill(particles_.angular_momentum.begin(), particles_.angular_momentum.end(), Vec3{});
}

void Simulation::make_balancer() {
  check_box(input_, box_, [&](Severity severity, std::string_view place, std::string message) {
    if (severity != Severity::error) return;
    throw FileError(render(diagnose(input_, severity, place, std::move(message))));
  });
  require_memory();
  balancer_ =
      std::make_unique<Balancer>(context_, input_, box_, interaction_.reach() + skin_, timer_);
}

void Simulation::read_start_file() {
  // Rank 0 reads and hands out chunks; what it finds wrong is an error on all ranks.
  std::unique_ptr<StartFileReader> reader;
  on_first_rank(context_, [&] { reader = StartFileReader::open(input_); });
  nlohmann::json header;
  if (context_.rank() == 0) {
    const StartFileHeader& h = reader->header();
    header = {
        {"count", h.particle_count},
        {"box",
         {exact_text(h.box.length.x), exact_text(h.box.length.y), exact_text(h.box.length.z)}},
        {"tilt", {exact_text(h.box.tilt.xy), exact_text(h.box.tilt.xz), exact_text(h.box.tilt.yz)}},
        {"has_velocities", h.has_velocities},
        {"has_orientations", h.has_orientations}};
    for (const Diagnostic& warning : h.warnings) console_.line(render(warning));
  }
  std::string text = header.dump();
  comm::broadcast(context_, 0, text);
  header = nlohmann::json::parse(text);
  particle_count_ = header["count"].get<std::int64_t>();
  for (int axis = 0; axis < 3; ++axis) {
    box_.length[axis] = exact_value(header["box"][static_cast<std::size_t>(axis)]);
  }
  const auto& tilt = header["tilt"];
  box_.tilt = {exact_value(tilt[0]), exact_value(tilt[1]), exact_value(tilt[2])};
  draw_velocities_ = input_.start.temperature.has_value();
  make_balancer();
  Distribution distribution(context_, balancer_->decomposition(),
                            {.rotating = particles_.rotating()});
  const auto total = static_cast<std::size_t>(particle_count_);
  for (std::size_t done = 0; done < total; done += records_per_chunk) {
    std::span<const ParticleRecord> records;
    on_first_rank(context_, [&] { records = reader->read_chunk(records_per_chunk); });
    distribution.append(records, particles_);
    stop_if_asked();
  }
  if (particles_.rotating() && !header["has_orientations"].get<bool>()) {
    const StartOrientation orientation(input_.run.seed);
    for (std::size_t i = 0; i < particles_.local_count(); ++i) {
      particles_.orientation[i] = orientation.draw(particles_.id[i]);
    }
  }
}

void Simulation::draw_velocities() {
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  StartVelocity start(input_.run.seed, *std::max_element(masses_.begin(), masses_.end()),
                      thermal_energy);
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    const auto type = static_cast<std::size_t>(particles_.position[i].type);
    if (!frozen_.flags().empty() && frozen_.flags()[type] != 0) continue;
    particles_.velocity[i] = start.draw(particles_.id[i], masses_[type]);
    start.add(particles_.velocity[i], masses_[type]);
    if (!particles_.rotating()) continue;
    const RigidBody& body = bodies_[type];
    const Quaternion& orientation = particles_.orientation[i];
    Vec3& angular_momentum = particles_.angular_momentum[i];
    angular_momentum = orientation.to_lab(start.draw_rotation(particles_.id[i], body.inertia()));
    start.add_rotation(body.kinetic_energy(orientation, angular_momentum),
                       body.degrees_of_freedom());
  }
  comm::ReductionBatch batch(context_, "start velocities");
  batch.sum(start.sums().data(), start.sums().size()).run();
  const auto adjust = start.adjustment();
  for (Vec3& velocity : particles_.velocity) velocity = adjust(velocity);
  for (Vec3& l : particles_.angular_momentum) l *= adjust.rotation_scale;
}

void Simulation::resume_from_checkpoint(const std::string& path) {
  CheckpointReader reader(context_, path);
  reader.require_types(interaction_.names());
  const CheckpointState& state = reader.state();
  compare_with_checkpoint(state.state, state.particles, state.box);
  step_ = state.step;
  first_step_ = step_;
  box_ = state.box;
  particle_count_ = state.particles;
  finished_ = is_finished(state.state);
  if (const auto offset = state.state.find("time_offset"); offset != state.state.end()) {
    time_offset_ = exact_value(*offset);
  }
  if (changes_.timestep) time_offset_ += state.time - elapsed_time();
  make_balancer();
  reader.read_particles(particles_);
  stop_if_asked();
  const bool minimizes = input_.run.integrator == "minimize";
  if (minimizes != state.state.contains("minimizer")) {
    // What moves a minimization on is no motion, and none becomes one.
    stop_motion();
    draw_velocities_ = !minimizes && input_.start.temperature.has_value();
  }
  state_of_terms_ = state.state.value("terms", nlohmann::json::object());
  // Where checkpoints of versions up to 0.1 have the only term with a state.
  if (const auto found = state.state.find("electrostatics"); found != state.state.end()) {
    state_of_terms_["electrostatics"] = *found;
  }
  // Blocks of as many ranks with the very same regions are where they belong.
  const auto regions = state.state.find("regions");
  const bool of_grid = regions == state.state.end();
  if (of_grid || !reader.has_block_per_rank() || !balancer_->restore(*regions)) {
    if (!of_grid || !reader.has_block_per_rank() || state.grid != balancer_->grid()->grid()) {
      Migration anywhere(context_, balancer_->decomposition(), 0.0,
                         {.anywhere = true, .rotating = particles_.rotating()});
      anywhere.migrate(particles_, step_);
    }
    balancer_->cut_at_start(particles_, step_);
  }
  if (finished_) {
    console_.line(
        fmt::format("{}: step {} of {} is done, nothing is left to do; to go on, give "
                    "more \"steps\" in [run]",
                    path, step_, input_.run.steps));
    return;
  }
  console_.line(fmt::format("resuming {} at step {}", path, step_));
  for (const std::string& change : changes_.settings) console_.line("changed: " + change);
  if (changes_.other_state) {
    console_.line("averages and observers begin anew, as settings of the sampled state changed");
  }
}

void Simulation::make_engine() {
  ForceEngine::Options options;
  options.kernels = input_.interaction.kernel;
  options.skin = skin_;
  options.maximum_interval = input_.neighbor.maximum_interval;
  options.rotating = particles_.rotating();
  options.halo = {.method = input_.domain.halo, .exchange = input_.communication.halo};
  options.migration_exchange = input_.communication.migration;
  const TermRequest request{.context = context_,
                            .input = input_,
                            .interaction = interaction_,
                            .decomposition = balancer_->decomposition(),
                            .box = box_,
                            .skin = skin_};
  engine_ = std::make_unique<ForceEngine>(context_, balancer_->decomposition(),
                                          interaction_.take_forces(), make_force_terms(request),
                                          options, timer_);
  for (ForceTerm* term : engine_->terms()) {
    const auto kept = state_of_terms_.find(std::string(term->name()));
    if (kept != state_of_terms_.end()) term->restore(exact_values(*kept));
  }
}

void Simulation::report_terms() {
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    if (const std::string line = term->description(); !line.empty()) console_.line(line);
    for (const std::string& warning : term->warnings()) {
      console_.line("warning: " + warning);
      log_->warning(step_, warning);
    }
  }
  if (input_.electrostatics.kind != "none") return;
  double charge = 0.0;
  for (std::size_t type = 0; type < interaction_.components().size(); ++type) {
    for (const auto& site : interaction_.components()[type].charges) {
      charge += static_cast<double>(type_counts_[type]) * site.charge;
    }
  }
  charge /= std::sqrt(input_.units.coulomb());
  if (std::abs(charge) > 1e-6) {
    const std::string warning = fmt::format(
        "the system has a charge of {:.6g}, which nothing neutralizes: energies and "
        "pressures depend on the cutoff",
        charge);
    console_.line("warning: " + warning);
    log_->warning(step_, warning);
  }
}

void Simulation::open_outputs(bool resumed) {
  const std::optional<std::int64_t> resume_step =
      resumed ? std::optional<std::int64_t>(step_) : std::nullopt;
  if (!resumed) clear_for_new_run();
  // A trajectory that the run cannot go on with is found before anything is changed.
  open_trajectory(resumed);
  log_ = std::make_unique<JsonLog>(context_, stem_ + ".log.jsonl", resume_step);
  nlohmann::ordered_json units = nlohmann::ordered_json::object();
  units["system"] = std::string(input_.units.name());
  units["time"] = std::string(input_.units.label(Dimension::time));
  units["energy"] = std::string(input_.units.label(Dimension::energy));
  units["temperature"] = std::string(input_.units.label(Dimension::temperature));
  units["pressure"] = std::string(input_.units.label(Dimension::pressure));
  const auto energy = [&](double value) {
    return input_.units.from_internal(value, Dimension::energy);
  };
  nlohmann::ordered_json terms = nlohmann::ordered_json::object();
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    terms[std::string(term->name())] = term->settings();
  }
  log_->start({.program = fmt::format("sterna {}", version),
               .communication = context_.description(),
               .input_path = input_.path,
               .input_text = text_of_file(input_.path),
               .settings = {{"particles", particle_count_},
                            {"ranks", context_.size()},
                            {"regions", balancer_->description()},
                            {"kernels", std::string(engine_->forces().kernels())},
                            {"precision", input_.run.precision},
                            {"skin", input_.units.from_internal(skin_, Dimension::length)},
                            {"terms", terms},
                            {"tail_energy", energy(tail_.energy)},
                            {"tail_virial", energy(tail_.virial)},
                            {"units", units},
                            {"changed_settings", changes_.settings}},
               .resumed_from = resume_step});

  cite_models();
  const auto in_unit = [&](double x) { return input_.units.from_internal(x, Dimension::length); };
  std::string box_text = fmt::format("{:.6g} x {:.6g} x {:.6g}", in_unit(box_.length.x),
                                     in_unit(box_.length.y), in_unit(box_.length.z));
  if (!input_.units.is_reduced()) {
    box_text += fmt::format(" {}", input_.units.label(Dimension::length));
  }
  if (!box_.tilt.none()) {
    box_text += fmt::format(" with tilt [{:.6g}, {:.6g}, {:.6g}]", in_unit(box_.tilt.xy),
                            in_unit(box_.tilt.xz), in_unit(box_.tilt.yz));
  }
  console_.line(fmt::format("sterna {}: {} particles, box {}, {} rank{} ({})", version,
                            particle_count_, box_text, context_.size(),
                            context_.size() == 1 ? "" : "s", context_.description()));
  console_.line(fmt::format("kernels {} in {} precision, ranks {}, cutoff {:.4g} + skin {:.4g}",
                            engine_->forces().kernels(), input_.run.precision,
                            balancer_->description(),
                            input_.units.from_internal(interaction_.reach(), Dimension::length),
                            input_.units.from_internal(skin_, Dimension::length)));
  report_terms();
}

void Simulation::open_trajectory(bool resumed) {
  if (input_.output.trajectory_interval == 0) return;
  H5mdOptions options;
  options.fields = input_.output.trajectory_fields;
  options.reduced_units = input_.units.is_reduced();
  options.type_names = interaction_.names();
  options.type_masses = masses_;
  const std::string energy_unit = input_.units.is_reduced() ? "" : "kJ mol-1";
  options.observables = {{"temperature", input_.units.is_reduced() ? "" : "K"},
                         {"pressure", input_.units.is_reduced() ? "" : "kJ mol-1 nm-3"},
                         {"potential_energy", energy_unit},
                         {"kinetic_energy", energy_unit}};
  options.creator_version = version;
  options.triclinic = !box_.tilt.none();
  const std::string path = stem_ + ".h5md";
  trajectory_.emplace(resumed ? H5mdWriter::resume(context_, path, particle_count_, options, step_)
                              : H5mdWriter::create(context_, path, particle_count_, options));
}

void Simulation::cite_models() {
  const std::string entries = bibliography(input_);
  if (entries.empty()) return;
  std::string citations = citation_lines(input_);
  citations.pop_back();  // the end of the last line
  console_.line(citations);
  on_first_rank(context_, [&] {
    std::ofstream file(stem_ + ".bib");
    file << entries;
    if (!file.flush()) throw FileError(stem_ + ".bib: cannot be written");
  });
}

void Simulation::write_checkpoint() {
  const auto measured = timer_.measure(Phase::checkpoint);
  integrator_.complete_velocities(particles_);
  // What the checkpoint stands after must be on the disk before it.
  log_->sync();
  if (trajectory_) trajectory_->sync();

  CheckpointState state;
  state.step = step_;
  state.time = elapsed_time();
  state.box = box_;
  if (const RegularGrid* grid = balancer_->grid()) state.grid = grid->grid();
  state.types = interaction_.names();
  const std::string input_text = text_of_file(input_.path);
  state.input_hash = xxh64(std::as_bytes(std::span(input_text.data(), input_text.size())));
  state.program = fmt::format("sterna {}", version);
  state.state = nlohmann::json::object();
  state.state["input"] = input_record_;
  if (time_offset_ != 0.0) state.state["time_offset"] = exact_text(time_offset_);
  if (converged_) state.state["converged"] = exact_text(input_.minimize.force_tolerance);
  if (balancer_->grid() == nullptr) state.state["regions"] = balancer_->state();
  const auto exact_array = [](const std::vector<double>& values) {
    nlohmann::json array = nlohmann::json::array();
    for (const double value : values) array.push_back(exact_text(value));
    return array;
  };
  for (const auto& modifier : modifiers_) {
    double exchanged = modifier->exchanged_energy();
    comm::ReductionBatch batch(context_, "exchanged energy");
    batch.sum(exchanged).run();
    nlohmann::json kept = {{"exchanged_energy", exact_text(exchanged)}};
    if (!modifier->state().empty()) kept["state"] = exact_array(modifier->state());
    state.state["thermostats"].push_back(kept);
  }
  if (barostat_) state.state["volume_work"] = exact_text(volume_work_);
  if (minimizer_) state.state["minimizer"] = exact_array(minimizer_->state());
  const RebuildDecision::Pace pace = engine_->pace();
  state.state["pace"] = exact_array({pace.step, pace.growth});
  for (const ForceTerm* term : std::as_const(*engine_).terms()) {
    const std::vector<double> kept = term->state();
    if (!kept.empty()) state.state["terms"][std::string(term->name())] = exact_array(kept);
  }
  if (averages_) state.state["averages"] = exact_array(averages_->state());
  if (!observers_.empty()) state.state["observers"] = state_of_observers(context_, observers_);
  const CheckpointReport report = sterna::md::write_checkpoint(context_, stem_, state, particles_);
  last_checkpoint_ = step_;
  last_checkpoint_time_ = std::chrono::steady_clock::now();
  log_->checkpoint(step_, checkpoint_path(stem_), report.bytes, report.seconds);
}

}  // namespace sterna::md
