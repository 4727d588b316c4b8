#include "md/simulation/simulation.hpp"

#include <exception>
#include <utility>

#include "md/ensemble/states_from_input.hpp"
#include "md/input/read_input.hpp"
#include "md/simulation/simulation_implementation.hpp"

namespace sterna::md {

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}

Simulation::Simulation(const comm::Context& context, const Input& input,
                       const SimulationOptions& options)
    : implementation_(
          std::make_unique<Implementation>(context, input, std::string(), nullptr, options)) {}

Simulation::Simulation(const comm::Context& context, std::string_view settings,
                       const System& system, const SimulationOptions& options) {
  std::string text = std::string(settings) + system.input_text();
  ReadResult read = read_program_input(text, "settings");
  if (!read.ok()) throw InputError(std::move(read.diagnostics));
  implementation_ =
      std::make_unique<Implementation>(context, read.input, std::move(text), &system, options);
}

Simulation::Simulation(const comm::Context& context, const Input& input, Simulation& previous,
                       const std::optional<Box>& box, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>(
          context, input, std::string(), nullptr, options, previous.implementation_.get(), box)) {}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

namespace {

/// Runs `run`; the error that ends a run is also written to its log, for later readers.
template <class Run, class Log>
Outcome logged(Run&& run, Log&& log) {
  try {
    return run();
  } catch (const std::exception& error) {
    log(error.what());
    throw;
  }
}

}  // namespace

Outcome Simulation::run(std::int64_t steps) {
  return logged([&] { return implementation_->run(steps); },
                [&](const std::string& text) { implementation_->log_failure(text); });
}
Outcome Simulation::run() {
  return logged([&] { return implementation_->run_to_the_end(); },
                [&](const std::string& text) { implementation_->log_failure(text); });
}

void Simulation::add(std::shared_ptr<Reporter> reporter) {
  implementation_->add(std::move(reporter));
}
void Simulation::add(std::unique_ptr<ForceTerm> term) {
  implementation_->add(std::move(term));
}
void Simulation::on_step(std::function<void(std::int64_t step)> hook) {
  implementation_->program_.hook = std::move(hook);
}

void Simulation::stop_when(std::function<bool()> asked) {
  implementation_->program_.stop_when = std::move(asked);
}

const ParticleStore& Simulation::particles() const {
  return implementation_->system_.particles;
}
ParticleStore& Simulation::writable_particles() {
  return implementation_->system_.particles;
}
std::vector<ParticleRecord> Simulation::gather(int root) const {
  return implementation_->gather(root);
}
void Simulation::change(const std::function<void(ParticleRecord&)>& visitor) {
  implementation_->change(visitor);
}

AddedField& Simulation::add_particle_field(std::string_view name, int components, double initial) {
  return implementation_->add_particle_field(name, components, initial);
}
std::vector<double> Simulation::gather_field(std::string_view name, int root) const {
  return implementation_->gather_field(name, root);
}
AddedFields& Simulation::particle_fields() {
  return implementation_->system_.fields;
}
const AddedFields& Simulation::particle_fields() const {
  return implementation_->system_.fields;
}

std::unique_ptr<ParticleStore> Simulation::release_particles() {
  return implementation_->release_particles();
}

std::vector<std::string> Simulation::take_warnings() {
  return std::exchange(implementation_->messages_.warnings, {});
}

bool Simulation::was_complete() const {
  return implementation_->start_.was_complete;
}
const Box& Simulation::box() const {
  return implementation_->system_.box;
}
std::int64_t Simulation::step_number() const {
  return implementation_->clock_.step;
}
double Simulation::time() const {
  return implementation_->clock_.time();
}
std::int64_t Simulation::particle_count() const {
  return implementation_->system_.particle_count;
}
std::vector<std::string> Simulation::type_names() const {
  return implementation_->system_.interaction.names();
}
const ThermodynamicState& Simulation::last_state() const {
  return implementation_->thermodynamics_.state();
}
std::vector<std::pair<std::string, double>> Simulation::last_values() const {
  std::vector<std::pair<std::string, double>> values;
  for (const LoggedScalar& scalar : implementation_->thermodynamics_.logged()) {
    values.emplace_back(scalar.name, scalar.value);
  }
  return values;
}
const Input& Simulation::input() const {
  return implementation_->input_;
}
void Simulation::measure() {
  implementation_->measure_now();
}
std::array<double, 6> Simulation::virial_tensor() const {
  return implementation_->thermodynamics_.virial_tensor();
}
std::vector<ObserverReport> Simulation::observer_reports() {
  return implementation_->observer_reports();
}
void Simulation::set_state(const RunState& state) {
  implementation_->set_state(state);
}
std::vector<double> Simulation::potential_energies(std::span<const RunState> states) {
  return implementation_->potential_energies(states);
}
StateParameters Simulation::state_derivatives() const {
  return implementation_->state_derivatives();
}
std::size_t Simulation::state_count() const {
  return count_of_states(implementation_->input_);
}
double Simulation::energy(std::size_t state) {
  const RunState of{.number = static_cast<int>(state),
                    .temperature = {},
                    .pressure = {},
                    .parameters = parameters_of_state(implementation_->input_, state)};
  return implementation_->potential_energies(std::span(&of, 1)).front();
}
void Simulation::save(const std::string& path) {
  implementation_->save(path);
}
void Simulation::finish() {
  implementation_->finish();
}
std::string Simulation::report_path() const {
  return implementation_->files_.folder.report_path();
}

std::vector<std::string> Simulation::export_paths() const {
  return implementation_->files_.folder.export_paths();
}
const Decomposition& Simulation::decomposition() const {
  return implementation_->balancer_->decomposition();
}
Simulation::TailCorrection Simulation::tail_correction() const {
  return {implementation_->system_.tail.energy, implementation_->system_.tail.virial};
}

}  // namespace sterna::md
