#include "python/simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/units.hpp"
#include "md/input/read_input.hpp"
#include "md/start/readers/box_frame.hpp"
#include "python/callbacks.hpp"
#include "python/fields.hpp"
#include "python/models.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::python {
namespace nb = nanobind;
namespace {

/// The interval at which Python can handle its signals during a run.
constexpr std::chrono::milliseconds between_looks(50);
constexpr std::chrono::milliseconds between_reports(100);

std::shared_ptr<comm::Context> context_of(std::uintptr_t communicator) {
  Job& job = Job::of_process();
  return communicator == 0 ? job.world()
                           : job.of_communicator(reinterpret_cast<const void*>(communicator));
}

/// Collective. The message of a rank that has failed; empty if no rank has.
std::string failure_of_any(const comm::Context& context, const std::string& failure) {
  try {
    md::agree(context, failure);
    return {};
  } catch (const md::FileError& error) {
    return error.what();
  }
}

/// Reads an input that has no `System`. Throws InputError on all ranks together; ranks without
/// diagnostics of their own get FileError with the text of another rank's.
md::Input read(const comm::Context& context, const SimulationRequest& request) {
  md::ReadResult result = request.from_file
                              ? md::read_input_text(request.text, request.name, context.rank() == 0)
                              : md::read_program_input(request.text, request.name);
  if (result.ok() && result.input.start.kind == md::StartKind::program) {
    result.diagnostics.push_back(md::diagnose(
        result.input, md::Severity::error, "start.kind",
        "[start] has kind = \"program\", so a System must be given, which has the particles"));
  }
  const bool ok = result.ok();
  const std::string others = failure_of_any(context, ok ? "" : md::render(result.diagnostics));
  if (!ok) throw md::InputError(std::move(result.diagnostics));
  if (!others.empty()) throw md::FileError(others);
  return std::move(result.input);
}

/// Reads the changed settings of a simulation that continues another one, with a box if they have
/// no [start]. Throws as `read`.
md::Input read_changed(const comm::Context& context, const SimulationRequest& request) {
  if (!request.box) return read(context, request);
  const auto& edges = *request.box;
  const md::Box box{{edges[0], edges[1], edges[2]}, {edges[3], edges[4], edges[5]}};
  md::ReadResult result = md::read_program_input(
      request.text + md::System::from_particles(box, {}).input_text(), request.name);
  const bool ok = result.ok();
  const std::string others = failure_of_any(context, ok ? "" : md::render(result.diagnostics));
  if (!ok) throw md::InputError(std::move(result.diagnostics));
  if (!others.empty()) throw md::FileError(others);
  return std::move(result.input);
}

/// The bytes of all ranks in their order, on all ranks or only on `root`.
std::string gather_bytes(const comm::Context& context, std::optional<int> root,
                         const std::string& mine) {
  std::string all;
  for (const std::string& part : comm::gather(context, root.value_or(0), mine)) all += part;
  if (!root) comm::broadcast(context, 0, all);
  return all;
}

template <class Value>
std::string bytes_of(const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Value>
std::vector<Value> values_of(const std::string& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

template <class Value>
nb::object array_of(std::vector<Value> values, std::size_t columns) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  const std::size_t shape[2] = {kept->size() / columns, columns};
  return nb::cast(nb::ndarray<nb::numpy, Value>(kept->data(), columns == 1 ? 1 : 2, shape, owner));
}

/// Sorts rows of `columns` values by the ids that come with them.
template <class Value>
std::vector<Value> sorted_rows(const std::vector<std::int64_t>& ids, const std::vector<Value>& rows,
                               std::size_t columns) {
  std::vector<std::size_t> order(ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return ids[i]; });
  std::vector<Value> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t i : order) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * columns);
    sorted.insert(sorted.end(), row, row + static_cast<std::ptrdiff_t>(columns));
  }
  return sorted;
}

template <class Value>
std::vector<Value> local_rows(const Field& field, const md::ParticleStore& particles,
                              const md::Box& box, double unit) {
  std::vector<Value> rows(particles.local_count() * field.columns);
  write_rows(field, particles, box, rows.data());
  if constexpr (std::is_floating_point_v<Value>) {
    if (unit != 1.0) {
      for (Value& value : rows) value *= unit;
    }
  }
  return rows;
}

template <class Value>
nb::object gather_field(const md::Simulation& engine, const comm::Context& context,
                        const Field& field, std::optional<int> root) {
  std::vector<Value> rows;
  {
    const nb::gil_scoped_release free;
    const md::ParticleStore& particles = engine.particles();
    const std::size_t count = particles.local_count();
    rows = local_rows<Value>(field, particles, engine.box(),
                             engine.input().units.from_internal(1.0, field.dimension));
    const std::vector<std::int64_t> mine(particles.id.data(), particles.id.data() + count);
    const auto ids = values_of<std::int64_t>(gather_bytes(context, root, bytes_of(mine)));
    rows = sorted_rows(ids, values_of<Value>(gather_bytes(context, root, bytes_of(rows))),
                       field.columns);
  }
  if (root && *root != context.rank()) return nb::none();
  return array_of(std::move(rows), field.columns);
}

}  // namespace

Simulation::Simulation(const SimulationRequest& request, const md::System* system) {
  md::SimulationOptions options = md::SimulationOptions::inside_a_program();
  options.files = request.files;
  options.resume = request.resume;
  options.overwrite = request.overwrite;
  options.checkpoint = request.checkpoint;
  {
    const nb::gil_scoped_release free;
    context_ = context_of(request.communicator);
    if (system != nullptr) {
      engine_ = std::make_unique<md::Simulation>(*context_, request.text, *system, options);
    } else {
      engine_ = std::make_unique<md::Simulation>(*context_, read(*context_, request), options);
    }
  }
  engine_->stop_when([this] { return wants_stop(); });
  Job::of_process().add(*this);
}

Simulation::Simulation(const SimulationRequest& request, Simulation& previous) {
  make_from(request, previous);
  engine_->stop_when([this] { return wants_stop(); });
  Job::of_process().add(*this);
}

void Simulation::make_from(const SimulationRequest& request, Simulation& previous) {
  const nb::gil_scoped_release free;
  context_ = previous.context_;
  const md::Input input = read_changed(*context_, request);
  std::optional<md::Box> box;
  if (request.stretches) {
    md::Box& to = box.emplace();
    const double unit = input.units.to_internal(1.0, md::Dimension::length);
    const auto& edges = *request.box;
    to.length = md::Vec3{edges[0], edges[1], edges[2]} * unit;
    to.tilt = {edges[3] * unit, edges[4] * unit, edges[5] * unit};
  }
  engine_ = std::make_unique<md::Simulation>(*context_, input, previous.engine(), box);
}

Simulation::~Simulation() {
  Job& job = Job::of_process();
  job.remove(*this);
  if (engine_ && job.is_used_elsewhere()) {
    job.keep_until_unused(std::move(engine_));
    job.keep_until_unused(std::move(context_));
  }
}

md::Simulation& Simulation::engine() const {
  if (!engine_) throw comm::Error("this simulation is closed");
  return *engine_;
}

double Simulation::unit(md::Dimension dimension) const {
  return engine().input().units.from_internal(1.0, dimension);
}

bool Simulation::wants_stop() {
  if (failure_ || Job::of_process().ends()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < between_looks) return false;
  last_look_ = now;
  const bool reports =
      progress_.is_valid() && context_->rank() == 0 && now - last_progress_ >= between_reports;
  if (reports) last_progress_ = now;
  call_python([&] {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (reports) progress_(engine_->step_number());
  });
  return failure_ != nullptr;
}

void Simulation::call_python(const std::function<void()>& call) {
  if (failure_) return;
  const nb::gil_scoped_acquire held;
  try {
    call();
  } catch (nb::python_error& error) {
    // An error that was caused by another rank's failure is reported by that rank.
    if (!error.matches(nb::module_::import_("sterna.errors").attr("RemoteError"))) {
      failure_text_ = fmt::format("{}: {}", nb::str(error.type().attr("__name__")).c_str(),
                                  nb::str(error.value()).c_str());
    }
    failure_ = std::current_exception();
  } catch (const std::exception& error) {
    failure_text_ = error.what();
    failure_ = std::current_exception();
  }
}

void Simulation::run(std::int64_t steps) {
  md::Outcome outcome{};
  {
    const nb::gil_scoped_release free;
    outcome = engine().run(steps);
    if (outcome == md::Outcome::interrupted) engine_->measure();
  }
  raise_failure(outcome == md::Outcome::interrupted);
}

void Simulation::raise_failure(bool interrupted) {
  const std::string text = std::exchange(failure_text_, {});
  std::string others;
  {
    const nb::gil_scoped_release free;
    others = failure_of_any(*context_, text);
  }
  const bool own = !text.empty() || others.empty();
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  if (failure && own) std::rethrow_exception(failure);
  if (others.empty() && !interrupted) return;
  if (others.empty() || others.find("KeyboardInterrupt") != std::string::npos) {
    // If a signal has also reached this rank since the last check, it is the same interruption.
    if (PyErr_CheckSignals() == 0) PyErr_SetString(PyExc_KeyboardInterrupt, "on another rank");
    nb::raise_python_error();
  }
  throw RemoteError(others);
}

void Simulation::measure() {
  {
    const nb::gil_scoped_release free;
    engine().measure();
  }
  raise_failure(false);
}

std::int64_t Simulation::steps_of(const std::string& time) const {
  const md::Input& input = engine().input();
  const auto quantity = input.units.parse(time, md::Dimension::time);
  if (!quantity.error.empty()) {
    throw std::invalid_argument(fmt::format("run(\"{}\"): {}", time, quantity.error));
  }
  const double steps = quantity.value / input.run.timestep;
  const double whole = std::round(steps);
  if (!(whole >= 0.0 && whole < 9e15) || std::abs(steps - whole) > 1e-6 * std::max(1.0, whole)) {
    throw std::invalid_argument(
        fmt::format("run(\"{}\"): expected a whole number of steps of {}, got {:.6g}", time,
                    input.units.text(input.run.timestep, md::Dimension::time), steps));
  }
  return static_cast<std::int64_t>(whole);
}

nb::object Simulation::gather(const std::string& name, std::optional<int> root) {
  const Field field = this->field(name);
  if (root && (*root < 0 || *root >= context_->size())) {
    throw std::invalid_argument(fmt::format("gather: root is {}, expected a rank from 0 to {}",
                                            *root, context_->size() - 1));
  }
  measure();
  return field.whole_numbers ? gather_field<std::int64_t>(*engine_, *context_, field, root)
                             : gather_field<double>(*engine_, *context_, field, root);
}

std::vector<std::int64_t> Simulation::sorted_ids() const {
  const md::ParticleStore& particles = engine_->particles();
  const std::vector<std::int64_t> mine(particles.id.data(),
                                       particles.id.data() + particles.local_count());
  auto ids = values_of<std::int64_t>(gather_bytes(*context_, std::nullopt, bytes_of(mine)));
  std::ranges::sort(ids);
  return ids;
}

Field Simulation::field(const std::string& name) const {
  return field_by_name(name, engine().particles().kind(), engine_->particle_fields());
}

void Simulation::add_particle_field(const std::string& name, int components, double initial) {
  const nb::gil_scoped_release free;
  engine().add_particle_field(name, components, initial);
}

void Simulation::set_added(md::AddedField& field, const Rows& values) {
  const nb::gil_scoped_release free;
  const std::vector<std::int64_t> ids = sorted_ids();
  for (std::size_t i = 0; i < engine_->particles().local_count(); ++i) {
    const auto place = std::ranges::lower_bound(ids, engine_->particles().id[i]) - ids.begin();
    std::copy_n(values.data() + static_cast<std::size_t>(place) * field.of(i).size(),
                field.of(i).size(), field.of(i).data());
  }
  // Forces may depend on it, so they are computed again.
  engine_->change([](md::ParticleRecord&) {});
}

void Simulation::set_local(const std::string& name, const Values& values) {
  const auto numbers = engine().particle_fields().at(name).values();
  if (values.size() != numbers.size()) {
    throw std::invalid_argument(fmt::format("particle_field(\"{}\"): {} numbers, expected {}", name,
                                            values.size(), numbers.size()));
  }
  std::copy_n(values.data(), values.size(), numbers.data());
}

void Simulation::set(const std::string& name, const Rows& values) {
  md::AddedField* const added = find_settable(name);
  const Field field = this->field(name);
  check_rows(name, field, values);
  if (added != nullptr) return set_added(*added, values);
  const double* const data = values.data();
  const double unit = 1.0 / this->unit(field.dimension);
  md::Simulation& simulation = engine();
  const nb::gil_scoped_release free;
  const std::vector<std::int64_t> ids = sorted_ids();
  simulation.change([&](md::ParticleRecord& record) {
    const auto place = std::ranges::lower_bound(ids, record.id) - ids.begin();
    const double* const row = data + static_cast<std::size_t>(place) * field.columns;
    const md::Vec3 value{row[0] * unit, row[1] * unit, row[2] * unit};
    if (name == "velocity") {
      record.velocity = value;
    } else if (name == "angular_momentum") {
      record.angular_momentum = value;
    } else if (name == "orientation") {
      record.orientation = md::Quaternion{row[0], row[1], row[2], row[3]}.normalized();
    } else {
      int crossings[3] = {};
      const md::Vec3 inside = simulation.box().wrap(value, crossings);
      record.position = {inside.x, inside.y, inside.z, record.position.type};
      record.image = {crossings[0], crossings[1], crossings[2]};
    }
  });
}

md::AddedField* Simulation::find_settable(const std::string& name) {
  constexpr std::array<std::string_view, 4> settable = {"position", "velocity", "orientation",
                                                        "angular_momentum"};
  md::AddedFields& fields = engine().particle_fields();
  md::AddedField* const added = fields.find(name);
  if (added != nullptr || std::ranges::find(settable, name) != settable.end()) return added;
  std::string names = fmt::format("{}", fmt::join(settable, ", "));
  for (const md::AddedFieldLayout& layout : fields.layouts()) names += ", " + layout.name;
  throw std::invalid_argument(fmt::format("set: \"{}\" cannot be set, only {}", name, names));
}

void Simulation::check_rows(const std::string& name, const Field& field, const Rows& values) {
  if (values.shape(0) != static_cast<std::size_t>(engine().particle_count())) {
    throw std::invalid_argument(fmt::format(
        "set(\"{}\"): the array has {} rows, expected one for each of {} particles, by ascending "
        "id",
        name, values.shape(0), engine().particle_count()));
  }
  const auto refuse = [&](std::size_t row, const std::string& what) {
    throw std::invalid_argument(fmt::format("set(\"{}\"): row {} is {}", name, row, what));
  };
  const double* const data = values.data();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(data[k])) refuse(k / field.columns, "not finite");
  }
  if (name == "orientation") {
    for (std::size_t k = 0; k < values.shape(0); ++k) {
      const auto is_zero = [](double x) { return x == 0.0; };
      if (!std::all_of(data + 4 * k, data + 4 * k + 4, is_zero)) continue;
      refuse(k, "no quaternion: all of it is 0");
    }
  } else if (name == "position") {
    const double unit = 1.0 / this->unit(field.dimension);
    const md::Vec3& edges = engine().box().length;
    const double farthest = md::BoxFrame::farthest * std::min({edges.x, edges.y, edges.z});
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::abs(data[k] * unit) <= farthest) continue;
      refuse(k / field.columns, fmt::format("more than {:g} boxes away", md::BoxFrame::farthest));
    }
  }
}

nb::object Simulation::local(const std::string& name) const {
  const md::ParticleStore& particles = engine().particles();
  const Field field = this->field(name);
  const md::Box& box = engine_->box();
  return field.whole_numbers
             ? array_of(local_rows<std::int64_t>(field, particles, box, 1.0), field.columns)
             : array_of(local_rows<double>(field, particles, box, unit(field.dimension)),
                        field.columns);
}

void Simulation::observe(std::int64_t interval, std::vector<std::int64_t> at, bool needs_state,
                         nb::object owner, int number) {
  engine().add(
      std::make_shared<Observer>(interval, std::move(at), needs_state, *this, owner, number));
}

void Simulation::add_force(const std::string& name, bool keeps_momentum, nb::object owner,
                           int number) {
  engine().add(std::make_unique<PythonForce>(name, keeps_momentum, *this, owner, number));
}

void Simulation::add_model(const std::string& name, bool keeps_momentum, const std::string& how,
                           double cutoff, int layers, nb::object owner, int number) {
  if (how == "gathers") {
    engine().add(std::make_unique<GatheredModel>(name, keeps_momentum, *this, owner, number));
    return;
  }
  const PythonModel::Options options{.cutoff = cutoff / unit(md::Dimension::length),
                                     .layers = layers,
                                     .of_pairs = how == "pairs",
                                     .keeps_momentum = keeps_momentum};
  engine().add(std::make_unique<PythonModel>(name, options, *this, owner, number));
}

nb::object Simulation::reduce(const std::string& kind, const Values& values) {
  constexpr std::array<std::string_view, 5> kinds = {"end", "sum", "min", "max", "failure"};
  const auto place = std::ranges::find(kinds, kind) - kinds.begin();
  std::vector<double> sums(values.data(), values.data() + values.size());
  {
    const nb::gil_scoped_release free;
    const std::int64_t mine[2] = {place, static_cast<std::int64_t>(sums.size())};
    std::int64_t most[2] = {mine[0], mine[1]}, least[2] = {mine[0], mine[1]};
    comm::ReductionBatch(*context_, "calls of an observer")
        .max(most[0])
        .max(most[1])
        .min(least[0])
        .min(least[1])
        .run();
    if (kind != "failure" && most[0] == 4)
      throw RemoteError("an observer has failed on another rank");
    if (kind != "failure" && (most[0] != least[0] || most[1] != least[1])) {
      throw std::runtime_error(
          "an observer makes other calls on this rank than on others: sum, min and max are "
          "collective, with as many values on each rank");
    }
    comm::ReductionBatch batch(*context_, "observer");
    for (double& value : sums) {
      kind == "min" ? batch.min(value) : kind == "max" ? batch.max(value) : batch.sum(value);
    }
    if (!sums.empty() && kind != "failure") batch.run();
  }
  return array_of(std::move(sums), 1);
}

std::unique_ptr<md::ParticleStore> Simulation::end_view(bool kept, bool written) {
  const nb::gil_scoped_release free;
  std::int64_t anybody_keeps = kept ? 1 : 0, anybody_wrote = written ? 1 : 0;
  comm::ReductionBatch(*context_, "end of a view").max(anybody_keeps).max(anybody_wrote).run();
  if (anybody_wrote != 0) engine().change([](md::ParticleRecord&) {});
  return anybody_keeps != 0 ? engine().release_particles() : nullptr;
}

void Simulation::raise_where_any(const std::string& failure) const {
  std::string others;
  {
    const nb::gil_scoped_release free;
    others = failure_of_any(*context_, failure);
  }
  if (!failure.empty()) throw std::invalid_argument(failure);
  if (!others.empty()) throw RemoteError(others);
}

void Simulation::save(const std::string& path) {
  const nb::gil_scoped_release free;
  engine().save(path);
}

void Simulation::finish() {
  const nb::gil_scoped_release free;
  engine().finish();
}

std::string Simulation::report_path() const {
  return engine().report_path();
}

std::vector<std::string> Simulation::export_paths() const {
  return engine().export_paths();
}

void Simulation::set_progress(nb::object callback) {
  last_progress_ = std::chrono::steady_clock::now();
  if (callback.is_none()) {
    progress_.reset();
  } else {
    progress_ = std::move(callback);
  }
}

void Simulation::compare_call(const std::string& call) {
  const nb::gil_scoped_release free;
  engine();
  std::string difference;
  const std::vector<std::string> calls = comm::gather(*context_, 0, call);
  for (std::size_t rank = 1; rank < calls.size() && difference.empty(); ++rank) {
    if (calls[rank] == calls[0]) continue;
    difference = fmt::format("ranks make different collective calls: rank 0 {}, rank {} {}",
                             calls[0], rank, calls[rank]);
  }
  comm::broadcast(*context_, 0, difference);
  if (!difference.empty()) throw comm::Error(difference);
}

void Simulation::close() {
  engine_.reset();
  context_.reset();
}

}  // namespace sterna::python
