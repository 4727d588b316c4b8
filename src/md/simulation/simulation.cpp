#include "md/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "md/io/agreement.hpp"
#include "md/io/checkpoint.hpp"
#include "md/io/checksum.hpp"
#include "md/io/diagnostics.hpp"
#include "md/io/physics_advice.hpp"
#include "md/io/readers/start_file_reader.hpp"
#include "md/simulation/observers.hpp"
#include "md/simulation/signals.hpp"
#include "md/simulation/start_configuration.hpp"
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

double default_skin(const Input& input) {
  double sigma = 0.0;
  for (const auto& type : input.types) sigma = std::max(sigma, type.sigma);
  return 0.3 * sigma;
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
      masses_([&] {
        std::vector<double> masses;
        for (const auto& type : input.types) masses.push_back(type.mass);
        return masses;
      }()),
      skin_(input.neighbor.skin > 0.0 ? input.neighbor.skin : default_skin(input)),
      potential_(make_potential()),
      integrator_(input.run.timestep, masses_) {
  catch_signals();
  on_first_rank(context_, [&] { std::filesystem::create_directories(input_.output.directory); });

  FoundCheckpoint found;
  if (options_.resume) {
    found = find_latest_checkpoint(context_, stem_);
    for (const std::string& refused : found.refused) console_.line("not taken: " + refused);
    if (found.path.empty()) console_.line("no checkpoint of " + stem_ + ": starting anew");
  }
  if (found.path.empty()) {
    start_from_input();
  } else {
    resume_from_checkpoint(found.path);
  }
  first_step_ = step_;

  degrees_of_freedom_ = std::max(1.0, 3.0 * static_cast<double>(particle_count_) - 3.0);
  const double boltzmann = input_.units.boltzmann();
  if (input_.run.integrator == "minimize") {
    double sigma = 1e300, epsilon = 0.0;
    for (const auto& type : input_.types) {
      sigma = std::min(sigma, type.sigma);
      epsilon = std::max(epsilon, type.epsilon);
    }
    const double natural = epsilon > 0.0 ? sigma / std::sqrt(epsilon) : 1.0;
    const double longest = input_.minimize.maximum_displacement > 0.0
                               ? input_.minimize.maximum_displacement
                               : 0.1 * sigma;
    minimizer_.emplace(0.005 * natural, 0.05 * natural, longest);
  } else if (input_.thermostat.kind == "stochastic_velocity_rescaling") {
    thermostat_.emplace(input_.run.seed, boltzmann * input_.thermostat.temperature,
                        input_.thermostat.time_constant, degrees_of_freedom_);
    // Often enough to be smooth on the scale of the time constant, seldom enough to cost nothing.
    const double steps = input_.thermostat.time_constant / (10.0 * input_.run.timestep);
    thermostat_interval_ = static_cast<std::int64_t>(std::clamp(steps, 1.0, 10.0));
  }
  // Tail corrections need how many there are of each type.
  type_counts_.assign(masses_.size(), 0);
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    ++type_counts_[static_cast<std::size_t>(particles_.position[i].type)];
  }
  comm::ReductionBatch counts(context_, "type counts");
  counts.sum(type_counts_.data(), type_counts_.size()).run();
  if (input_.interaction.tail_correction) {
    const std::vector<double> n(type_counts_.begin(), type_counts_.end());
    tail_ = potential_.tail_correction(n, box_.volume());
  }
  const auto before_engine = PhaseTimer::Clock::now();
  observers_ = make_observers(context_, input_, type_counts_);
  make_engine();
  engine_->rebuild(particles_, step_);
  balancer_->start(step_,
                   std::chrono::duration<double>(PhaseTimer::Clock::now() - before_engine).count());
  if (draw_velocities_) draw_velocities();

  if (!found.path.empty()) {
    const CheckpointReader reader(context_, found.path);
    const auto& state = reader.state().state;
    if (thermostat_ && state.contains("exchanged_energy")) {
      thermostat_->set_exchanged_energy(exact_value(state["exchanged_energy"]));
    }
    if (minimizer_ && state.contains("minimizer")) {
      std::vector<double> values;
      for (const auto& value : state["minimizer"]) values.push_back(exact_value(value));
      minimizer_->set_state(values);
    }
    if (state.contains("averages")) {
      for (std::size_t k = 0; k < averages_.size(); ++k) {
        std::vector<double> values;
        for (const auto& value : state["averages"][averaged_names[k]]) {
          values.push_back(exact_value(value));
        }
        averages_[k].set_state(values);
      }
    }
    if (state.contains("observers")) {
      restore_observers(context_, observers_, state["observers"]);
    }
  }
  open_outputs(!found.path.empty());
  // All ranks have taken by now what the start has sent them.
  messenger_->release_unused_memory();
}

Simulation::~Simulation() = default;

LennardJones Simulation::make_potential() const {
  const std::size_t count = input_.types.size();
  const Mixing rule =
      input_.interaction.mixing == "geometric" ? Mixing::geometric : Mixing::lorentz_berthelot;
  std::vector<LennardJones::PairParameters> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      pairs[a * count + b] = mix(rule, {input_.types[a].epsilon, input_.types[a].sigma},
                                 {input_.types[b].epsilon, input_.types[b].sigma});
    }
  }
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(input_.types.begin(), input_.types.end(),
                     [&](const auto& type) { return type.name == name; }) -
        input_.types.begin());
  };
  for (const auto& pair : input_.pairs) {
    const std::size_t a = index(pair.first), b = index(pair.second);
    for (const std::size_t place : {a * count + b, b * count + a}) {
      if (pair.epsilon) pairs[place].epsilon = *pair.epsilon;
      if (pair.sigma) pairs[place].sigma = *pair.sigma;
    }
  }
  return LennardJones(pairs, static_cast<int>(count), input_.interaction.cutoff,
                      truncation_by_name(input_.interaction.truncation),
                      input_.interaction.switch_start);
}

void Simulation::start_from_input() {
  if (input_.start.kind == "file") {
    read_start_file();
  } else {
    const StartConfiguration start = StartConfiguration::from_input(input_);
    box_ = start.box();
    particle_count_ = start.particle_count();
    make_balancer();
    const Region region = balancer_->decomposition().region(context_.rank());
    particles_.resize_local(static_cast<std::size_t>(start.count_in(region)));
    std::size_t next = 0;
    start.visit(region, [&](const ParticleRecord& record) {
      particles_.position[next] = record.position;
      particles_.velocity[next] = record.velocity;
      particles_.id[next] = record.id;
      particles_.image[next] = record.image;
      ++next;
    });
    draw_velocities_ = input_.start.temperature.has_value();
  }
  if (input_.run.integrator == "minimize") {
    std::fill(particles_.velocity.begin(), particles_.velocity.end(), Vec3{});
    draw_velocities_ = false;
  }
  balancer_->cut_at_start(particles_, step_);
}

void Simulation::make_balancer() {
  balancer_ =
      std::make_unique<Balancer>(context_, input_, box_, potential_.cutoff() + skin_, timer_);
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
        {"has_velocities", h.has_velocities}};
    for (const Diagnostic& warning : h.warnings) console_.line(render(warning));
  }
  std::string text = header.dump();
  comm::broadcast(context_, 0, text);
  header = nlohmann::json::parse(text);
  particle_count_ = header["count"].get<std::int64_t>();
  for (int axis = 0; axis < 3; ++axis) {
    box_.length[axis] = exact_value(header["box"][static_cast<std::size_t>(axis)]);
  }
  draw_velocities_ = input_.start.temperature.has_value();
  make_balancer();
  Distribution distribution(context_, balancer_->decomposition());
  const auto total = static_cast<std::size_t>(particle_count_);
  for (std::size_t done = 0; done < total; done += records_per_chunk) {
    std::span<const ParticleRecord> records;
    on_first_rank(context_, [&] { records = reader->read_chunk(records_per_chunk); });
    distribution.append(records, particles_);
  }
}

void Simulation::draw_velocities() {
  const double thermal_energy = input_.units.boltzmann() * *input_.start.temperature;
  StartVelocity start(input_.run.seed, *std::max_element(masses_.begin(), masses_.end()),
                      thermal_energy);
  for (std::size_t i = 0; i < particles_.local_count(); ++i) {
    const double mass = masses_[static_cast<std::size_t>(particles_.position[i].type)];
    particles_.velocity[i] = start.draw(particles_.id[i], mass);
    start.add(particles_.velocity[i], mass);
  }
  comm::ReductionBatch batch(context_, "start velocities");
  batch.sum(start.sums().data(), start.sums().size()).run();
  const auto adjust = start.adjustment();
  for (Vec3& velocity : particles_.velocity) velocity = adjust(velocity);
}

void Simulation::resume_from_checkpoint(const std::string& path) {
  CheckpointReader reader(context_, path);
  std::vector<std::string> types;
  for (const auto& type : input_.types) types.push_back(type.name);
  reader.require_types(types);
  const CheckpointState& state = reader.state();
  step_ = state.step;
  box_ = state.box;
  particle_count_ = state.particles;
  make_balancer();
  reader.read_particles(particles_);
  // Blocks of as many ranks with the very same regions are where they belong.
  const auto regions = state.state.find("regions");
  const bool of_grid = regions == state.state.end();
  if (of_grid || !reader.has_block_per_rank() || !balancer_->restore(*regions)) {
    if (!of_grid || !reader.has_block_per_rank() || state.grid != balancer_->grid()->grid()) {
      Migration anywhere(context_, balancer_->decomposition(), 0.0,
                         {.exchange = "auto", .anywhere = true});
      anywhere.migrate(particles_, step_);
    }
    balancer_->cut_at_start(particles_, step_);
  }
  console_.line(fmt::format("resuming {} at step {}", path, step_));
}

void Simulation::make_engine() {
  ForceEngine::Options options;
  options.precision =
      input_.run.precision == "mixed" ? Precision::mixed : Precision::double_precision;
  options.kernels = input_.interaction.kernel;
  options.skin = skin_;
  options.maximum_interval = input_.neighbor.maximum_interval;
  options.halo = {.method = input_.domain.halo, .exchange = input_.communication.halo};
  options.migration_exchange = input_.communication.migration;
  engine_ = std::make_unique<ForceEngine>(context_, balancer_->decomposition(), potential_, options,
                                          timer_);
}

void Simulation::open_outputs(bool resumed) {
  const std::optional<std::int64_t> resume_step =
      resumed ? std::optional<std::int64_t>(step_) : std::nullopt;
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
  log_->start({.program = fmt::format("sterna {}", version),
               .communication = context_.description(),
               .input_path = input_.path,
               .input_text = text_of_file(input_.path),
               .settings = {{"particles", particle_count_},
                            {"ranks", context_.size()},
                            {"regions", balancer_->description()},
                            {"kernels", std::string(engine_->list().kernels())},
                            {"precision", input_.run.precision},
                            {"skin", input_.units.from_internal(skin_, Dimension::length)},
                            {"tail_energy", energy(tail_.energy)},
                            {"tail_virial", energy(tail_.virial)},
                            {"units", units}},
               .resumed_from = resume_step});

  if (input_.output.trajectory_interval > 0) {
    H5mdOptions options;
    options.fields = input_.output.trajectory_fields;
    options.reduced_units = input_.units.is_reduced();
    for (const auto& type : input_.types) {
      options.type_names.push_back(type.name);
      options.type_masses.push_back(type.mass);
    }
    const std::string energy_unit = input_.units.is_reduced() ? "" : "kJ mol-1";
    options.observables = {{"temperature", input_.units.is_reduced() ? "" : "K"},
                           {"pressure", input_.units.is_reduced() ? "" : "kJ mol-1 nm-3"},
                           {"potential_energy", energy_unit},
                           {"kinetic_energy", energy_unit}};
    options.creator_version = version;
    const std::string path = stem_ + ".h5md";
    trajectory_.emplace(resumed
                            ? H5mdWriter::resume(context_, path, particle_count_, options, step_)
                            : H5mdWriter::create(context_, path, particle_count_, options));
  }

  console_.line(fmt::format(
      "sterna {}: {} particles, box {:.6g} x {:.6g} x {:.6g}{}, {} rank{} ({})", version,
      particle_count_, input_.units.from_internal(box_.length.x, Dimension::length),
      input_.units.from_internal(box_.length.y, Dimension::length),
      input_.units.from_internal(box_.length.z, Dimension::length),
      input_.units.is_reduced() ? "" : fmt::format(" {}", input_.units.label(Dimension::length)),
      context_.size(), context_.size() == 1 ? "" : "s", context_.description()));
  console_.line(fmt::format("kernels {} in {} precision, ranks {}, cutoff {:.4g} + skin {:.4g}",
                            engine_->list().kernels(), input_.run.precision,
                            balancer_->description(),
                            input_.units.from_internal(potential_.cutoff(), Dimension::length),
                            input_.units.from_internal(skin_, Dimension::length)));
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
  for (const auto& type : input_.types) state.types.push_back(type.name);
  const std::string input_text = text_of_file(input_.path);
  state.input_hash = xxh64(std::as_bytes(std::span(input_text.data(), input_text.size())));
  state.program = fmt::format("sterna {}", version);
  state.state = nlohmann::json::object();
  if (balancer_->grid() == nullptr) state.state["regions"] = balancer_->state();
  if (thermostat_) state.state["exchanged_energy"] = exact_text(thermostat_->exchanged_energy());
  const auto exact_array = [](const std::vector<double>& values) {
    nlohmann::json array = nlohmann::json::array();
    for (const double value : values) array.push_back(exact_text(value));
    return array;
  };
  if (minimizer_) state.state["minimizer"] = exact_array(minimizer_->state());
  for (std::size_t k = 0; k < averages_.size(); ++k) {
    state.state["averages"][averaged_names[k]] = exact_array(averages_[k].state());
  }
  if (!observers_.empty()) state.state["observers"] = state_of_observers(context_, observers_);
  const CheckpointReport report = sterna::md::write_checkpoint(context_, stem_, state, particles_);
  last_checkpoint_ = step_;
  log_->checkpoint(step_, checkpoint_path(stem_), report.bytes, report.seconds);
}

}  // namespace sterna::md
