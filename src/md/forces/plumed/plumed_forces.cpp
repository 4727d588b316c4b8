// Idea:    rank 0 has the kernel. Two reductions bring positions there and forces back, so PLUMED needs
//          no MPI, and the bits do not depend on where atoms are.
// Paper:   Tribello, Bonomi, Branduardi, Camilloni and Bussi, Comput. Phys. Commun. 185, 604 (2014).
// Cost:    three reductions a step: of what PLUMED asks for, of positions (while other forces are
//          computed) and of forces. In the first step PLUMED asks for all atoms.
// Hazards: a kernel is code of others. Its errors are those of all ranks, and its files are known only
//          by what the system shows as open. Hills and moving restraints change its energy in time.
//          What they have given is the change of this energy less the work of its forces, by the
//          trapezoidal rule.
#include "md/forces/plumed/plumed_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "md/core/checksum.hpp"
#include "md/core/display_text.hpp"
#include "md/core/file_error.hpp"
#include "sterna/comm/collective.hpp"

namespace sterna::md {
namespace {

constexpr double plumed_state_format = 1.0;
/// Beside the forces, in what rank 0 tells: bias, scale, strain, stop, failure.
constexpr std::size_t other_results = 13;

/// An atom as rank 0 learns of it at the start.
struct AtomOfKernel {
  std::int64_t id;
  double mass, charge;
};

std::array<double, 9> matrix_of(const Box& box) {
  std::array<double, 9> matrix{};
  const std::array<Vec3, 3> edges = box.edges();
  for (std::size_t a = 0; a < 3; ++a) {
    for (int k = 0; k < 3; ++k) matrix[3 * a + static_cast<std::size_t>(k)] = edges[a][k];
  }
  return matrix;
}

/// Coordinates in units of the edges.
Vec3 in_edges(const Box& box, Vec3 position) {
  const std::array<Vec3, 3> edges = box.edges();
  Vec3 fraction;
  for (int axis = 2; axis >= 0; --axis) {
    const auto edge = static_cast<std::size_t>(axis);
    fraction[axis] = position[axis] / box.length[axis];
    position -= fraction[axis] * edges[edge];
  }
  return fraction;
}

Vec3 third(std::span<const double> values, std::size_t n) {
  return {values[3 * n], values[3 * n + 1], values[3 * n + 2]};
}

}  // namespace

PlumedForces::PlumedForces(const comm::Context& context, const Box& box, Options options)
    : context_(context), box_(box), options_(std::move(options)) {
  plan_batch_ = std::make_unique<comm::ReductionBatch>(context_, "what PLUMED asks for");
  plan_batch_->sum(plan_numbers_.data(), plan_numbers_.size());
  energy_batch_ = std::make_unique<comm::ReductionBatch>(context_, "energy for PLUMED");
  energy_batch_->sum(other_energy_);
  text_hash_ =
      xxh64(std::as_bytes(std::span(options_.start.text.data(), options_.start.text.size())));
  texts_.push_back({.ending = ".plumed.log", .head = {}});
}

PlumedForces::~PlumedForces() = default;

std::string PlumedForces::problem_of(const std::function<void()>& work) const {
  if (!is_root()) return {};
  try {
    work();
    return {};
  } catch (const PlumedError& error) {
    const std::string when =
        asked_step_ < 0 ? "at its start" : fmt::format("at step {}", asked_step_);
    return fmt::format("{}: PLUMED reports {}: {}", options_.start.path, when, error.what());
  } catch (const std::exception& error) {
    return error.what();
  }
}

void PlumedForces::fail(std::string problem) const {
  comm::broadcast(context_, 0, problem);
  throw FileError(problem);
}

void PlumedForces::count_atoms(const ParticleStore& particles) {
  std::int64_t largest = 0;
  auto count = static_cast<std::int64_t>(particles.local_count());
  counts_.assign(options_.masses.size(), 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    largest = std::max(largest, particles.id[i]);
    counts_[static_cast<std::size_t>(particles.position[i].type)] += 1.0;
  }
  comm::ReductionBatch(context_, "atoms for PLUMED")
      .max(largest)
      .sum(count)
      .sum(counts_.data(), counts_.size())
      .run();
  if (largest != count) {
    throw FileError(
        fmt::format("PLUMED knows atoms by numbers without gaps, and this run has {} particles "
                    "with ids up to {}",
                    count, largest));
  }
  if (count > std::numeric_limits<int>::max()) {
    throw FileError(fmt::format("PLUMED knows at most {} atoms; this run has {}",
                                std::numeric_limits<int>::max(), count));
  }
  atom_count_ = count;
}

void PlumedForces::gather_atoms(const ParticleStore& particles) {
  std::vector<AtomOfKernel> mine;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const std::int64_t type = particles.position[i].type;
    mine.push_back({particles.id[i], options_.masses[static_cast<std::size_t>(type)],
                    options_.charge(particles.id[i], type)});
  }
  const std::string bytes(reinterpret_cast<const char*>(mine.data()),
                          mine.size() * sizeof(AtomOfKernel));
  const std::vector<std::string> parts = comm::gather(context_, 0, bytes);
  if (!is_root()) return;
  const auto count = static_cast<std::size_t>(atom_count_);
  positions_.assign(3 * count, 0.0);
  forces_.assign(3 * count, 0.0);
  masses_.assign(count, 0.0);
  charges_.assign(count, 0.0);
  for (const std::string& part : parts) {
    for (std::size_t at = 0; at < part.size(); at += sizeof(AtomOfKernel)) {
      AtomOfKernel atom{};
      std::memcpy(&atom, part.data() + at, sizeof atom);
      masses_[static_cast<std::size_t>(atom.id - 1)] = atom.mass;
      charges_[static_cast<std::size_t>(atom.id - 1)] = atom.charge;
    }
  }
}

void PlumedForces::make_kernel(const ParticleStore& particles) {
  count_atoms(particles);
  gather_atoms(particles);
  const std::string problem = problem_of([&] {
    if (kept_ && kept_->atom_count != atom_count_) {
      throw FileError(fmt::format("PLUMED had {} atoms in the checkpoint, and has {} now",
                                  kept_->atom_count, atom_count_));
    }
    if (kept_) PlumedFiles::shorten(kept_->files);
    files_.begin();
    plumed_ = std::make_unique<Plumed>(PlumedKernel::load(options_.kernel));
    PlumedStart start = options_.start;
    start.atom_count = static_cast<int>(atom_count_);
    start.restarts = was_restored_;
    start_plumed(*plumed_, start);
    files_.end();
    plumed_->command("setStopFlag", &stop_flag_);
    texts_.front().lines += plumed_->take_log();
  });
  double failed = problem.empty() ? 0.0 : 1.0;
  comm::ReductionBatch(context_, "start of PLUMED").max(failed).run();
  if (failed > 0.0) fail(problem);
}

void PlumedForces::rebuild(const ParticleStore& particles) {
  if (atom_count_ == 0) make_kernel(particles);
  members_are_known_ = false;
}

void PlumedForces::prepare() {
  const auto step = static_cast<long>(asked_step_);
  plumed_->command("setStepLong", &step);
  plumed_->command("prepareDependencies");
  int count = 0;
  plumed_->command("createFullList", &count);
  const int* atoms = nullptr;
  plumed_->command("getFullList", &atoms);
  std::vector<int> asked;
  if (atoms != nullptr) asked.assign(atoms, atoms + count);
  plumed_->command("clearFullList");
  int needs_energy = 0;
  plumed_->command("isEnergyNeeded", &needs_energy);
  if (needs_energy != 0 && !options_.why_no_energy.empty()) {
    throw FileError(fmt::format("{}: a bias on ENERGY acts on all forces, {}", options_.start.path,
                                options_.why_no_energy));
  }
  plan_numbers_ = {asked == plan_.atoms ? 0.0 : 1.0, needs_energy != 0 ? 1.0 : 0.0, 0.0};
  plan_.atoms = std::move(asked);
}

void PlumedForces::share_plan() {
  plan_numbers_ = {};
  const std::string problem = problem_of([&] { prepare(); });
  if (!problem.empty()) plan_numbers_ = {0.0, 0.0, 1.0};
  plan_batch_->run();
  if (plan_numbers_[2] != 0.0) fail(problem);
  plan_.step = asked_step_;
  plan_.needs_energy = plan_numbers_[1] != 0.0;
  plan_.is_computed = false;
  if (plan_numbers_[0] == 0.0) return;
  std::string bytes(reinterpret_cast<const char*>(plan_.atoms.data()),
                    plan_.atoms.size() * sizeof(int));
  comm::broadcast(context_, 0, bytes);
  plan_.atoms.resize(bytes.size() / sizeof(int));
  if (!bytes.empty()) std::memcpy(plan_.atoms.data(), bytes.data(), bytes.size());
  members_are_known_ = false;
  make_batches();
}

void PlumedForces::make_batches() {
  up_.assign(3 * plan_.atoms.size(), 0.0);
  down_.assign(3 * plan_.atoms.size() + other_results, 0.0);
  up_batch_ = std::make_unique<comm::ReductionBatch>(context_, "positions for PLUMED");
  up_batch_->sum(up_.data(), up_.size());
  down_batch_ = std::make_unique<comm::ReductionBatch>(context_, "forces of PLUMED");
  down_batch_->sum(down_.data(), down_.size());
}

void PlumedForces::number_members(const ParticleStore& particles) {
  std::unordered_map<std::int64_t, std::size_t> slot_of;
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    slot_of[std::int64_t{plan_.atoms[slot]} + 1] = slot;
  }
  members_.clear();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto found = slot_of.find(particles.id[i]);
    if (found == slot_of.end()) continue;
    members_.push_back({found->second, static_cast<std::uint32_t>(i)});
  }
  members_are_known_ = true;
}

void PlumedForces::start(const ParticleStore& particles) {
  if (plan_.step != asked_step_) share_plan();
  if (!down_batch_) make_batches();
  if (!members_are_known_) number_members(particles);
  if (up_.empty()) return;
  std::ranges::fill(up_, 0.0);
  for (const Member& member : members_) {
    const Position& at = particles.position[member.index];
    up_[3 * member.slot] = at.x;
    up_[3 * member.slot + 1] = at.y;
    up_[3 * member.slot + 2] = at.z;
  }
  up_batch_->start();
}

void PlumedForces::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  if (!up_.empty()) up_batch_->finish();
  EnergyAndVirial tail;
  if (plan_.needs_energy) {
    other_energy_ = others_.energy;
    energy_batch_->run();
    tail = options_.tail(counts_, box_.volume());
    other_energy_ += tail.energy;
  }
  share_results(problem_of([&] { compute(); }));
  const std::size_t local = particles.local_count();
  if (results_.scale != 1.0) {
    for (std::size_t i = 0; i < local; ++i) particles.force[i] *= results_.scale;
    for (Vec3& torque : particles.torque.span()) torque *= results_.scale;
  }
  for (const Member& member : members_) {
    particles.force[member.index] += third(results_.forces, member.slot);
  }
  plan_.is_computed = true;
  if (sums == nullptr) return;
  const double change = results_.scale - 1.0;
  for (std::size_t k = 0; k < 6; ++k) sums->virial[k] += change * others_.virial[k];
  if (!is_root()) return;
  sums->energy += results_.bias;
  // Entry ab of a virial is of a that moves by b; PLUMED's row moves its column.
  static constexpr std::size_t entry[6] = {0, 4, 8, 3, 6, 7};
  for (std::size_t k = 0; k < 6; ++k) {
    sums->virial[k] += change * tail.virial[k] - results_.strain[entry[k]];
  }
}

void PlumedForces::share_results(const std::string& problem) {
  const std::size_t count = 3 * plan_.atoms.size();
  std::ranges::fill(down_, 0.0);
  if (is_root()) {
    std::ranges::copy(results_.forces, down_.begin());
    auto rest = down_.begin() + static_cast<std::ptrdiff_t>(count);
    *rest++ = results_.bias;
    *rest++ = results_.scale;
    rest = std::ranges::copy(results_.strain, rest).out;
    *rest++ = stop_flag_ != 0 ? 1.0 : 0.0;
    *rest = problem.empty() ? 0.0 : 1.0;
  }
  down_batch_->run();
  if (down_.back() != 0.0) fail(problem);
  const auto rest = std::span(down_).subspan(count);
  results_.forces.assign(down_.begin(), down_.begin() + static_cast<std::ptrdiff_t>(count));
  results_.bias = rest[0];
  results_.scale = rest[1];
  std::ranges::copy(rest.subspan(2, 9), results_.strain.begin());
  if (rest[11] != 0.0 && reason_to_stop_.empty()) {
    reason_to_stop_ = fmt::format("PLUMED asked at step {} to end the run", asked_step_);
  }
}

void PlumedForces::take_arguments() {
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    const auto atom = static_cast<std::size_t>(plan_.atoms[slot]);
    for (std::size_t k = 0; k < 3; ++k) positions_[3 * atom + k] = up_[3 * slot + k];
  }
  edges_ = matrix_of(box_);
}

void PlumedForces::compute() {
  Arguments now{.positions = up_, .box = box_, .energy = plan_.needs_energy ? other_energy_ : 0.0};
  if (plan_.is_computed && now == arguments_) return;
  // The first computation of a step is the one that counts for the kernel's files and hills.
  const bool updates = !plan_.is_computed;
  const bool repeats = kept_ && kept_->step == asked_step_ && updates;
  arguments_ = std::move(now);
  take_arguments();
  // Some actions open their files in their first step.
  if (!before_) files_.begin();
  if (!updates) {
    const auto step = static_cast<long>(asked_step_);
    plumed_->command("setStepLong", &step);
  }
  const int follows = checkpoint_follows_ && updates ? 1 : 0;
  if (follows != 0) plumed_->command("doCheckPoint", &follows);
  checkpoint_follows_ = false;
  if (plan_.needs_energy) {
    call_kernel_with_energy(updates);
  } else {
    results_.scale = 1.0;
    call_kernel(updates);
  }
  take_results();
  if (!before_) files_.end();
  texts_.front().lines += plumed_->take_log();
  if (repeats) take_kept_results();
  require_momentum();
  if (!updates) return;
  if (repeats) {
    before_ = std::move(kept_->before);
  } else {
    if (before_) add_work(*before_);
    before_ = Computed{plan_.atoms, results_, arguments_};
  }
  kept_.reset();
}

/// Calls the kernel for a step whose atoms it has asked for.
void PlumedForces::call_kernel(bool updates, double virial) {
  for (const int atom : plan_.atoms) {
    for (std::size_t k = 0; k < 3; ++k) forces_[3 * static_cast<std::size_t>(atom) + k] = 0.0;
  }
  virial_ = {};
  virial_[1] = virial;
  plumed_->command("setMasses", masses_.data());
  plumed_->command("setCharges", charges_.data());
  plumed_->command("setBox", edges_.data());
  plumed_->command("setPositions", positions_.data());
  plumed_->command("setForces", forces_.data());
  plumed_->command("setVirial", virial_.data());
  if (plan_.needs_energy) plumed_->command("setEnergy", &arguments_.energy);
  plumed_->command("shareData");
  plumed_->command(updates ? "performCalc" : "performCalcNoUpdate");
}

/// The kernel multiplies the forces of all atoms if a bias acts on the energy. It is given a force of 1
/// on an atom on which the bias has no other force, where there is one. Where there is none, an entry of
/// the virial, which the kernel multiplies as well, is computed twice.
void PlumedForces::call_kernel_with_energy(bool updates) {
  std::vector<int> sorted = plan_.atoms;
  std::ranges::sort(sorted);
  std::size_t probe = 0;
  while (probe < sorted.size() && sorted[probe] == static_cast<int>(probe)) ++probe;
  if (probe < masses_.size()) {
    forces_[3 * probe] = 1.0;
    call_kernel(updates);
    results_.scale = std::exchange(forces_[3 * probe], 0.0);
    return;
  }
  call_kernel(false);
  const double without = virial_[1];
  const auto step = static_cast<long>(asked_step_);
  plumed_->command("setStepLong", &step);
  call_kernel(updates, 1.0);
  results_.scale = virial_[1] - without;
  virial_[1] = without;
}

void PlumedForces::take_results() {
  results_.forces.resize(3 * plan_.atoms.size());
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    const auto atom = static_cast<std::size_t>(plan_.atoms[slot]);
    for (std::size_t k = 0; k < 3; ++k) results_.forces[3 * slot + k] = forces_[3 * atom + k];
  }
  results_.strain = virial_;
  plumed_->command("getBias", &results_.bias);
}

/// Takes what the checkpoint has kept of its step, so that a resumed run has the same bits. The kernel
/// has computed the step again, as it must before its next one, and what it has written is dropped.
void PlumedForces::take_kept_results() {
  files_.shorten_open(kept_->files);
  const Computed& kept = kept_->last;
  bool is_same = kept_->text_hash == text_hash_ && kept.arguments.box == arguments_.box;
  std::unordered_map<int, std::size_t> slot_of;
  for (std::size_t slot = 0; slot < kept.atoms.size(); ++slot) {
    const int atom = kept.atoms[slot];
    slot_of[atom] = slot;
    is_same = is_same && third(kept.arguments.positions, slot) ==
                             third(positions_, static_cast<std::size_t>(atom));
  }
  // A program may have moved atoms since.
  if (!is_same) return;
  std::ranges::fill(results_.forces, 0.0);
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    const auto found = slot_of.find(plan_.atoms[slot]);
    if (found == slot_of.end()) continue;
    const Vec3 force = third(kept.results.forces, found->second);
    for (int k = 0; k < 3; ++k) {
      results_.forces[3 * slot + static_cast<std::size_t>(k)] = force[k];
    }
  }
  results_.bias = kept.results.bias;
  results_.scale = kept.results.scale;
  results_.strain = kept.results.strain;
}

void PlumedForces::require_momentum() const {
  if (!options_.keeps_momentum) return;
  Vec3 sum;
  double most = 0.0;
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    const Vec3 force = third(results_.forces, slot);
    sum += force;
    most += std::sqrt(dot(force, force));
  }
  constexpr double rounding = 1e-8;
  if (std::sqrt(dot(sum, sum)) <= rounding * most) return;
  throw FileError(fmt::format(
      "{}: the forces of PLUMED at step {} add up to ({:.3g}, {:.3g}, {:.3g}), so they change the "
      "total momentum, and three more degrees of freedom count in the temperature; "
      "\"keeps_momentum = false\" in [plumed] says so",
      options_.start.path, asked_step_, sum.x, sum.y, sum.z));
}

/// What the bias has given because it changes in time: the change of its energy, less what follows
/// from the motion of atoms, box and energy since the step before.
void PlumedForces::add_work(const Computed& before) {
  double by_motion = 0.0;
  std::unordered_map<int, std::size_t> slot_of;
  for (std::size_t slot = 0; slot < before.atoms.size(); ++slot) slot_of[before.atoms[slot]] = slot;
  const Box& box = arguments_.box;
  for (std::size_t slot = 0; slot < plan_.atoms.size(); ++slot) {
    const auto found = slot_of.find(plan_.atoms[slot]);
    if (found == slot_of.end()) continue;
    const Vec3 force = third(results_.forces, slot);
    const Vec3 force_before = third(before.results.forces, found->second);
    if (dot(force, force) + dot(force_before, force_before) == 0.0) continue;
    Vec3 moved = in_edges(box, third(arguments_.positions, slot)) -
                 in_edges(before.arguments.box, third(before.arguments.positions, found->second));
    for (int axis = 0; axis < 3; ++axis) moved[axis] -= std::round(moved[axis]);
    by_motion -=
        0.5 * (dot(force, box.translation(moved.x, moved.y, moved.z)) +
               dot(force_before, before.arguments.box.translation(moved.x, moved.y, moved.z)));
  }
  if (!(box == before.arguments.box)) {
    const std::array<double, 9> now = matrix_of(box), then = matrix_of(before.arguments.box);
    Box between = box;
    between.length = 0.5 * (box.length + before.arguments.box.length);
    between.tilt = {0.5 * (box.tilt.xy + before.arguments.box.tilt.xy),
                    0.5 * (box.tilt.xz + before.arguments.box.tilt.xz),
                    0.5 * (box.tilt.yz + before.arguments.box.tilt.yz)};
    for (std::size_t a = 0; a < 3; ++a) {
      Vec3 unit;
      unit[static_cast<int>(a)] = 1.0;
      const Vec3 fraction = in_edges(between, unit);
      for (std::size_t b = 0; b < 3; ++b) {
        double moved = 0.0;
        for (std::size_t edge = 0; edge < 3; ++edge) {
          moved += fraction[static_cast<int>(edge)] * (now[3 * edge + b] - then[3 * edge + b]);
        }
        by_motion += 0.5 * moved * (results_.strain[3 * a + b] + before.results.strain[3 * a + b]);
      }
    }
  }
  by_motion += 0.5 * (results_.scale + before.results.scale - 2.0) *
               (arguments_.energy - before.arguments.energy);
  given_ += results_.bias - before.results.bias - by_motion;
}

std::string PlumedForces::description() const {
  return fmt::format("forces of PLUMED, input {}, {} atoms", printable(options_.start.path),
                     atom_count_);
}

ForceTerm::Settings PlumedForces::settings() const {
  return {{"plumed_file", options_.start.path}};
}

std::vector<double> PlumedForces::state() const {
  std::vector<double> state;
  if (!is_root() || !before_) return state;
  state = {plumed_state_format,
           static_cast<double>(text_hash_ >> 32U),  // a double has no 64 bits
           static_cast<double>(text_hash_ & 0xFFFFFFFFU),
           static_cast<double>(atom_count_),
           static_cast<double>(plan_.step),
           given_};
  append(state, *before_);
  append(state, {plan_.atoms, results_, arguments_});
  const std::vector<PlumedFiles::File> files = files_.sizes();
  state.push_back(static_cast<double>(files.size()));
  for (const PlumedFiles::File& file : files) {
    state.push_back(static_cast<double>(file.bytes));
    state.push_back(static_cast<double>(file.path.size()));
    for (const char byte : file.path) state.push_back(static_cast<unsigned char>(byte));
  }
  return state;
}

void PlumedForces::append(std::vector<double>& state, const Computed& computed) const {
  const Results& results = computed.results;
  const Arguments& arguments = computed.arguments;
  state.insert(state.end(), {results.bias, results.scale, arguments.energy});
  state.insert(state.end(), results.strain.begin(), results.strain.end());
  const Box& box = arguments.box;
  state.insert(state.end(),
               {box.length.x, box.length.y, box.length.z, box.tilt.xy, box.tilt.xz, box.tilt.yz});
  // In its first step the kernel asks for all atoms, most of which it needs for no force.
  const bool keeps_all = computed.atoms.size() < static_cast<std::size_t>(atom_count_);
  const std::size_t place_of_count = state.size();
  state.push_back(0.0);
  for (std::size_t slot = 0; slot < computed.atoms.size(); ++slot) {
    const Vec3 force = third(results.forces, slot), at = third(arguments.positions, slot);
    if (!keeps_all && dot(force, force) == 0.0) continue;
    state.insert(state.end(), {static_cast<double>(computed.atoms[slot]), force.x, force.y, force.z,
                               at.x, at.y, at.z});
    state[place_of_count] += 1.0;
  }
}

/// The numbers of a state, from the first to the last.
class PlumedForces::StateReader {
 public:
  explicit StateReader(std::span<const double> state) : left_(state) {}
  double next() {
    if (left_.empty()) throw std::invalid_argument("the state of PLUMED is incomplete");
    const double value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  /// A number of things that take at least so many numbers each.
  std::size_t count(std::size_t size) {
    const double value = next();
    if (!(value >= 0.0 && value <= static_cast<double>(left_.size() / size))) {
      throw std::invalid_argument("the state of PLUMED has an impossible count");
    }
    return static_cast<std::size_t>(value);
  }
  Computed computed() {
    Computed read;
    read.results.bias = next();
    read.results.scale = next();
    read.arguments.energy = next();
    for (double& value : read.results.strain) value = next();
    Box& box = read.arguments.box;
    for (int axis = 0; axis < 3; ++axis) box.length[axis] = next();
    for (double* const tilt : {&box.tilt.xy, &box.tilt.xz, &box.tilt.yz}) *tilt = next();
    const std::size_t atoms = count(7);
    for (std::size_t n = 0; n < atoms; ++n) {
      read.atoms.push_back(static_cast<int>(next()));
      for (int k = 0; k < 3; ++k) read.results.forces.push_back(next());
      for (int k = 0; k < 3; ++k) read.arguments.positions.push_back(next());
    }
    return read;
  }

 private:
  std::span<const double> left_;
};

void PlumedForces::restore(std::span<const double> state) {
  StateReader reader(state);
  if (reader.next() != plumed_state_format) {
    throw std::invalid_argument("the state of PLUMED is of another version");
  }
  Kept kept;
  const auto high = static_cast<std::uint64_t>(reader.next());
  kept.text_hash = (high << 32U) | static_cast<std::uint64_t>(reader.next());
  kept.atom_count = static_cast<std::int64_t>(reader.next());
  kept.step = static_cast<std::int64_t>(reader.next());
  given_ = reader.next();
  kept.before = reader.computed();
  kept.last = reader.computed();
  const std::size_t files = reader.count(2);
  for (std::size_t n = 0; n < files; ++n) {
    PlumedFiles::File& file = kept.files.emplace_back();
    file.bytes = static_cast<std::uint64_t>(reader.next());
    const std::size_t length = reader.count(1);
    for (std::size_t k = 0; k < length; ++k) file.path += static_cast<char>(reader.next());
  }
  kept_ = std::move(kept);
  was_restored_ = true;
}

}  // namespace sterna::md
