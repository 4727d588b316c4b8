#include "md/simulation/dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "md/integrate/integrators/integrator_table.hpp"
#include "md/integrate/kinetic.hpp"
#include "md/simulation/step_modifier_table.hpp"

namespace sterna::md {

Dynamics::Dynamics(const comm::Context& context, const Input& input, SimulatedSystem& system,
                   const RunClock& clock, PhaseTimer& timer)
    : context_(context), input_(input), system_(system), clock_(clock), timer_(timer) {
  make_integrator();
}

Dynamics::~Dynamics() = default;

void Dynamics::make_integrator() {
  std::optional<RigidRotor> rotor;
  if (system_.interaction.rotating()) {
    rotor.emplace(input_.run.timestep, system_.frozen.inertia(system_.interaction.inertia()),
                  input_.run.rotation);
  }
  std::vector<double> radii;
  for (std::size_t type = 0; type < system_.bodies.size(); ++type) {
    const Vec3& inertia = system_.bodies[type].inertia();
    const double largest = std::max({inertia.x, inertia.y, inertia.z});
    radii.push_back(largest > 0.0 ? std::sqrt(largest / system_.masses[type]) : 0.0);
  }
  const std::vector<double> masses = system_.frozen.inertial_masses(system_.masses);
  integrator_ = sterna::md::make_integrator({.context = context_,
                                             .input = input_,
                                             .masses = masses,
                                             .rotor = std::move(rotor),
                                             .radii = radii,
                                             .size = system_.interaction.smallest_sigma(),
                                             .energy = system_.interaction.largest_epsilon()});
  minimizer_ = integrator_->minimizer();
  thermostats_act_between_drifts_ =
      integrator_table().get(input_.run.integrator).thermostats_act_between_drifts;
}

void Dynamics::make_modifiers() {
  if (minimizes()) return;
  const std::vector<std::string> names = system_.interaction.names();
  // Energies are rounded by the number of particles, which a resumed run must have alike.
  std::vector<std::int64_t> counts = system_.type_counts;
  if (system_.is_open) {
    std::ranges::fill(counts, 0);
    counts.front() = static_cast<std::int64_t>(system_.steady_count());
  }
  MoleculeTable molecules{.names = names,
                          .counts = counts,
                          .masses = system_.masses,
                          .bodies = system_.bodies,
                          .range = system_.interaction.range(),
                          .frozen = system_.frozen.flags(),
                          .topology = &system_.topology};
  if (system_.topology.constraint_count() > 0) {
    molecules.degrees_of = [this](std::int64_t id) {
      return system_.topology.degrees_of(id, system_.frozen.flags());
    };
    molecules.first_joined_to = [this](std::int64_t id) {
      return constraints_->first_joined_to(id);
    };
  }
  modifiers_ = make_step_modifiers(context_, input_, molecules);
}

std::vector<double> Dynamics::inverse_masses() const {
  // A minimization moves all atoms as if they had the same mass.
  std::vector<double> inverse = system_.frozen.inertial_masses(
      minimizes() ? std::vector<double>(system_.masses.size(), 1.0) : system_.masses);
  for (double& mass : inverse) mass = 1.0 / mass;
  return inverse;
}

void Dynamics::connect(ForceEngine& engine, std::shared_ptr<MoleculePlaces> places,
                       ConstraintGroups groups) {
  engine_ = &engine;
  for (ForceTerm* const term : engine.terms()) {
    auto* const sees = dynamic_cast<SeesMotion*>(term);
    if (sees != nullptr && !minimizes()) terms_that_see_motion_.push_back(sees);
  }
  if (system_.topology.constraint_count() > 0) {
    Constraints::GhostVectors ghost_vectors;
    ghost_vectors.start = [&engine](std::span<const Vec3> local, std::span<Vec3> ghosts) {
      engine.start_selected_vectors(local, ghosts);
    };
    ghost_vectors.finish = [&engine](std::span<const Vec3> local, std::span<Vec3> ghosts) {
      engine.finish_selected_vectors(local, ghosts);
    };
    constraints_ = std::make_unique<Constraints>(
        context_, places, std::move(groups), inverse_masses(),
        minimizes() ? minimizer_->largest_timestep() : input_.run.timestep,
        input_.run.constraint_tolerance,
        [this](std::span<const std::uint32_t> atoms) {
          engine_->select_ghosts(system_.particles, atoms);
        },
        std::move(ghost_vectors));
  }
  if (system_.topology.has_virtual_sites()) {
    virtual_sites_ = std::make_unique<VirtualSites>(
        context_, places, [&engine](std::span<const Vec3> local, std::span<Vec3> ghosts) {
          engine.exchange_vectors(local, ghosts);
        });
  }
}

double Dynamics::unconstrained_degrees() const {
  return static_cast<double>(3 * system_.moving_count -
                             system_.topology.constraint_count(system_.frozen.flags()));
}

void Dynamics::count_degrees_of_freedom() {
  // New particles bring a momentum.
  degrees_.keeps_momentum =
      !system_.is_open && engine_->keeps_momentum() && system_.frozen.keep_momentum() &&
      std::ranges::all_of(modifiers_,
                          [](const auto& modifier) { return modifier->keeps_momentum(); });
  // If the total momentum is conserved, the motion of the center of mass has no thermal energy.
  const double fixed = degrees_.keeps_momentum ? 3.0 : 0.0;
  degrees_.translational = std::max(1.0, unconstrained_degrees() - fixed);
  degrees_.kinetic_factor = std::max(1.0, unconstrained_degrees()) / degrees_.translational;
  degrees_.all = degrees_.translational;
  for (std::size_t type = 0; type < system_.bodies.size(); ++type) {
    degrees_.all +=
        static_cast<double>(system_.type_counts[type] * system_.bodies[type].degrees_of_freedom());
  }
  for (const auto& modifier : modifiers_) modifier->set_degrees_of_freedom(degrees_.all);
}

class Dynamics::Stages final : public MotionStages {
 public:
  explicit Stages(Dynamics& dynamics) : dynamics_(dynamics) {}

  void begin_drift() override {
    measured_.emplace(dynamics_.timer_, Phase::integration);
    if (dynamics_.constraints_) dynamics_.constraints_->begin_step(dynamics_.system_.particles);
  }
  void for_each_part(const Part& move) override {
    dynamics_.engine_->begin_move(step());
    dynamics_.for_each_part(move);
  }
  void end_drift(double time) override {
    measured_.reset();
    if (!dynamics_.constraints_) return;
    const auto measured = dynamics_.timer_.measure(Phase::constraints);
    const Constraints::Motion motion =
        dynamics_.constraints_->constrain_positions(dynamics_.system_.particles, time, step());
    dynamics_.integrator_->account_for(motion.path, motion.gain);
  }
  void apply_thermostats() override {
    // The projection of velocities needs the constraint directions at the present positions, so
    // ghosts must be up to date.
    if (dynamics_.constraints_) dynamics_.engine_->move_ghosts(dynamics_.system_.particles);
    dynamics_.modify(Moment::between_drifts);
  }
  std::int64_t step() const override { return dynamics_.clock_.step; }

 private:
  Dynamics& dynamics_;
  std::optional<PhaseTimer::Scope> measured_;
};

void Dynamics::advance_positions() {
  if (!std::exchange(moved_, false)) {
    Stages stages(*this);
    integrator_->advance(system_.particles, stages);
  }
  for (const auto& modifier : modifiers_) {
    modifier->correct_positions(system_.particles, now());
  }
  if (virtual_sites_) advance_virtual_sites();
}

void Dynamics::for_each_part(const MotionStages::Part& move) {
  const std::size_t count = system_.particles.local_count();
  for (std::size_t begin = 0; begin < count; begin += moved_together) {
    const std::size_t end = std::min(begin + moved_together, count);
    move(begin, end);
    if (!constraints_ && !virtual_sites_)
      engine_->measure_displacements(system_.particles, begin, end);
  }
}

ForceEngine::LargestStep Dynamics::largest_step() const {
  const double path = integrator_->longest_path(), gain = integrator_->longest_gain();
  // If there are constraints, virtual sites or impulses, the forces alone do not determine the next
  // positions.
  if (!integrator_->forces_tell_motion() || constraints_ || virtual_sites_ ||
      input_.time_steps.are_used()) {
    return {path, gain};
  }
  return {path, gain, input_.run.timestep, system_.masses};
}

bool Dynamics::shift_all() {
  bool shifted = false;
  for (const auto& modifier : modifiers_) {
    if (modifier->shift_all(system_.particles, now())) shifted = true;
  }
  return shifted;
}

void Dynamics::end_step_before_rebuild() {
  if (!engine_->ends_steps_before_rebuild() || minimizes()) return;
  compute_forces(nullptr);
  integrator_->finish_step();
  complete_velocities();
  ended_ = true;
}

void Dynamics::particles_were_sorted() {
  integrator_->particles_were_sorted();
  const auto measured = timer_.measure(Phase::constraints);
  if (virtual_sites_) virtual_sites_->rebuild(system_.particles);
  if (constraints_) {
    constraints_->rebuild(system_.particles);
    check_constrained_atoms();
  }
}

void Dynamics::compute_forces(EnergyAndVirial* sums) {
  engine_->compute_forces(system_.particles, now(), sums);
  if (virtual_sites_) spread_forces(sums);
  integrator_->set_impulses(engine_->impulses());
  for (const auto& modifier : modifiers_) {
    if (modifier->is_due(clock_.step)) modifier->limit_forces(system_.particles, now());
  }
  if (!minimizes()) return;
  system_.frozen.clear_forces(system_.particles);
  // The minimizer must move atoms along the constraints, so the forces are projected on them.
  if (constraints_) {
    constraint_sums_ = constraints_->constrain_forces(system_.particles, clock_.step);
  }
}

void Dynamics::finish_step() {
  if (!std::exchange(ended_, false)) integrator_->finish_step();
  // Velocities are completed in every step, so that no bit depends on whether the step is observed.
  if ((constraints_ || !engine_->impulses().forces.empty()) && !minimizes()) complete_velocities();
}

bool Dynamics::must_tell_motion() const {
  return std::ranges::any_of(terms_that_see_motion_, [this](const SeesMotion* term) {
    return term->needs_motion(clock_.step);
  });
}

void Dynamics::tell_motion() {
  if (!must_tell_motion()) return;
  complete_velocities();
  double by_lengths = 0.0;
  if (constraints_ && constraints_->lengths_change()) {
    measure_constraints();
    by_lengths = constraints_->derivative_by_lengths();
  }
  for (SeesMotion* const term : terms_that_see_motion_) {
    if (term->needs_motion(clock_.step)) term->see_motion(system_.particles, by_lengths);
  }
}

bool Dynamics::can_move_early() const {
  return engine_->can_move() && !must_tell_motion() && integrator_->moves_in_parts() &&
         !constraints_ && !virtual_sites_ &&
         std::ranges::none_of(
             modifiers_, [this](const auto& modifier) { return modifier->is_due(clock_.step); });
}

void Dynamics::compute_forces_and_move() {
  integrator_->finish_step();
  integrator_->begin_move(system_.particles);
  engine_->begin_move(clock_.step + 1);
  engine_->compute_forces_and_move(system_.particles, now(),
                                   [this](std::size_t begin, std::size_t end) {
                                     integrator_->move(system_.particles, begin, end);
                                     engine_->measure_displacements(system_.particles, begin, end);
                                   });
  integrator_->end_move(system_.particles);
  moved_ = true;
}

void Dynamics::modify(Moment moment) {
  for (const auto& modifier : modifiers_) {
    if (!modifier->is_due(clock_.step) || moment_of(*modifier) != moment) continue;
    const auto measured = timer_.measure(Phase::thermostat);
    complete_velocities();
    const double growth = modifier->apply(system_.particles, now());
    if (constraints_ && modifier->violates_constraints()) {
      const auto kinetic_energy = [this] {
        return kinetic_sums(system_.particles, system_.counted_masses).energy;
      };
      const double before = kinetic_energy();
      project_velocities();
      modifier->add_exchanged_energy(kinetic_energy() - before);
    }
    if (growth > 1.1) engine_->check_next_step_closely();
  }
}

void Dynamics::complete_velocities() {
  if (!integrator_->complete_velocities(system_.particles) || !constraints_) return;
  const auto measured = timer_.measure(Phase::constraints);
  project_velocities();
}

void Dynamics::advance_virtual_sites() {
  const auto measured = timer_.measure(Phase::constraints);
  engine_->move_ghosts(system_.particles);
  const auto motion =
      virtual_sites_->follow(system_.particles, minimizes() ? 0.0 : input_.run.timestep);
  integrator_->account_for(motion.path, motion.gain);
}

void Dynamics::spread_forces(EnergyAndVirial* sums) {
  const auto measured = timer_.measure(Phase::constraints);
  virtual_site_sums_ = {};
  virtual_sites_->spread(system_.particles,
                         {system_.particles.force.data(), system_.particles.local_count()},
                         sums == nullptr ? nullptr : &virtual_site_sums_);
  if (engine_->gives_impulses(clock_.step)) {
    virtual_sites_->spread(system_.particles, engine_->impulse_forces(), nullptr);
  }
  if (sums != nullptr) *sums += virtual_site_sums_;
}

double Dynamics::put_virtual_sites() {
  // Wrapping an atom into the box rounds its position by about so much.
  const Vec3& edges = system_.box.length;
  return virtual_sites_->put(system_.particles, 1e-13 * (edges.x + edges.y + edges.z));
}

Constraints::Violation Dynamics::project_positions() {
  return constraints_->project_positions(system_.particles, clock_.step);
}

double Dynamics::project_start_velocities() {
  const double along = constraints_->constrain_start_velocities(system_.particles, clock_.step);
  constraints_->throw_where_not_converged();
  return along;
}

const EnergyAndVirial& Dynamics::measure_constraints() {
  if (constraints_ && !minimizes()) {
    constraint_sums_ = constraints_->virial(system_.particles, clock_.step);
  }
  return constraint_sums_;
}

StepContext Dynamics::now() const {
  return {clock_.step, clock_.time(), minimizes() ? 0.0 : clock_.timestep, system_.box};
}

double Dynamics::exchanged_energy() const {
  double sum = 0.0;
  for (const auto& modifier : modifiers_) sum += modifier->exchanged_energy();
  return sum;
}

}  // namespace sterna::md
