#include "md/forces/coulomb/electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "md/forces/coulomb/fmm/fmm_choice.hpp"
#include "md/forces/coulomb/force_error.hpp"
#include "md/forces/coulomb/gathered_ewald.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

Electrostatics::Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                               std::span<const Component> components, const Options& options)
    : context_(context), decomposition_(&decomposition), options_(options) {
  const double factor = 1.0 / std::sqrt(options.permittivity);
  options_.charge_unit *= factor;
  for (const Component& component : components) {
    auto& sites = sites_.emplace_back();
    for (const auto& site : component.charges) {
      sites.push_back({site.position, factor * site.charge, {}});
    }
    for (const auto& site : component.dipoles) {
      sites.push_back({site.position, 0.0, factor * site.moment});
    }
    for (const Site& site : sites) {
      molecule_radius_ = std::max(molecule_radius_, std::sqrt(dot(site.position, site.position)));
    }
  }
  if (options_.places) {
    excluded_.emplace(context, options_.places, factor);
    // Charges of atoms are in the topology, whatever the charge of their type is.
    for (std::size_t type = 0; type < options_.atom_types; ++type) sites_[type].assign(1, Site{});
    for (const Topology::Molecule& molecule : options_.places->topology().molecules()) {
      for (const VirtualSite& site : molecule.virtual_sites) {
        const double charge = molecule.atoms[static_cast<std::size_t>(site.atom)].charge;
        leaves_sites_out_ = leaves_sites_out_ || charge == 0.0;
      }
    }
  }
  const double shortest = decomposition.box().least_height();
  if (!options_.ewald && 6.0 * molecule_radius_ > shortest) {
    throw std::invalid_argument(
        fmt::format("the box is {} wide, too small for molecules whose charges lie {} from the "
                    "center: the multipole method needs six times that",
                    shortest, molecule_radius_));
  }
}

void Electrostatics::set_decomposition(const Decomposition& decomposition) {
  decomposition_ = &decomposition;
  solver_.reset();
}

bool Electrostatics::with_dipoles() const {
  for (const auto& sites : sites_) {
    for (const Site& site : sites) {
      if (site.dipole != Vec3{}) return true;
    }
  }
  return false;
}

std::span<const Electrostatics::Site> Electrostatics::sites_of(const ParticleStore& particles,
                                                               std::size_t particle) const {
  if (leaves_sites_out_ && is_charge_[particle] == 0) return {};
  return sites_[static_cast<std::size_t>(particles.position[particle].type)];
}

bool Electrostatics::particles_are_charges(const ParticleStore& particles) const {
  return !particles.rotating() && !leaves_sites_out_ &&
         options_.surroundings == Surroundings::conductor &&
         std::ranges::all_of(sites_, [](const std::vector<Site>& sites) {
           return sites.size() == 1 && sites[0].position == Vec3{} && sites[0].dipole == Vec3{};
         });
}

PointCharges Electrostatics::charges(const ParticleStore& particles) const {
  if (!particles_are_charges(particles)) {
    return {positions_, values_, molecules_, centers_, dipoles_};
  }
  static_assert(sizeof(Position) % sizeof(double) == 0);
  const VectorView positions(&particles.position.data()->x, sizeof(Position) / sizeof(double),
                             particles.local_count());
  return {positions, values_, {}, positions};
}

void Electrostatics::place_charges(const ParticleStore& particles, bool with_centers) {
  positions_.clear();
  dipoles_.clear();
  centers_.clear();
  if (particles_are_charges(particles)) return;
  const bool dipoles = with_dipoles();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& at = particles.position[i];
    const auto sites = sites_of(particles, i);
    if (sites.empty()) continue;
    if (with_centers) centers_.insert(centers_.end(), sites.size(), at.vector());
    if (!particles.rotating()) {
      for (const Site& site : sites) {
        positions_.push_back(at.vector() + site.position);
        if (dipoles) dipoles_.push_back(site.dipole);
      }
      continue;
    }
    const auto rows = particles.orientation[i].matrix();
    const auto turned = [&](const Vec3& v) {
      return Vec3{dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)};
    };
    for (const Site& site : sites) {
      positions_.push_back(at.vector() + turned(site.position));
      if (dipoles) dipoles_.push_back(turned(site.dipole));
    }
  }
  if (options_.surroundings == Surroundings::conductor) return;
  // Unwrapped positions are used, because the dipole of the box must not jump if a particle leaves
  // it on one side and enters on the other.
  const Box& box = decomposition_->box();
  for (std::size_t i = 0, next = 0; i < particles.local_count(); ++i) {
    const Image& image = particles.image[i];
    const Vec3 crossed = box.translation(image.x, image.y, image.z);
    const auto sites = sites_of(particles, i);
    for (std::size_t s = 0; s < sites.size(); ++s) positions_[next++] += crossed;
  }
}

void Electrostatics::set_options(FmmParameters& parameters) const {
  parameters.surroundings = options_.surroundings;
  parameters.dipoles = with_dipoles();
  parameters.overlap = options_.smoothing;
  parameters.travel = options_.smoothing > 0.0 ? options_.travel : 0.0;
}

std::vector<Vec3> Electrostatics::forces_of_excluded(const ParticleStore& particles) {
  std::vector<Vec3> forces;
  if (!excluded_) return forces;
  forces.resize(particle_count_);
  excluded_->subtract(particles, forces, nullptr);
  std::vector<Vec3> of_charges;
  of_charges.reserve(values_.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const std::size_t charges = sites_of(particles, i).size();
    of_charges.insert(of_charges.end(), charges, is_atom(particles, i) ? forces[i] : Vec3{});
  }
  return of_charges;
}

void Electrostatics::choose_parameters(const ParticleStore& particles) {
  const Lattice lattice = Lattice::of(decomposition_->box());
  // A molecule must reach at most half a leaf from its center. If leaves overlap, its parts may be
  // one leaf from their position when the leaves were filled.
  const double least_width =
      std::max(2.5 * molecule_radius_, options_.smoothing > 0.0 ? 1.5 * options_.travel : 0.0);
  constexpr std::size_t timed_trees = 6;
  std::vector<FmmParameters> trials = FmmParameters::candidates(
      lattice, options_.periodic, static_cast<std::size_t>(charge_count_), options_.accuracy,
      least_width, options_.levels, context_.size(), options_.measured_tree ? timed_trees : 1);
  for (FmmParameters& trial : trials) {
    set_options(trial);
    if (options_.precision) trial.precision = *options_.precision;
    if (options_.order > 0) trial.order = options_.order;
  }
  const double accuracy = options_.order > 0 ? HUGE_VAL : options_.accuracy;
  const auto excluded = [&] { return forces_of_excluded(particles); };
  const bool keep_precision = options_.precision.has_value();
  const auto checked =
      trials.size() > 1
          ? fastest_fmm_parameters(context_, *decomposition_, trials, charges(particles), accuracy,
                                   options_.exchange_method, excluded, keep_precision)
          : checked_fmm_parameters(context_, *decomposition_, trials.front(), charges(particles),
                                   accuracy, options_.exchange_method, excluded, keep_precision);
  parameters_ = checked.parameters;
  error_ = checked.error;
}

void Electrostatics::rebuild(const ParticleStore& particles) {
  values_.clear();
  molecules_.clear();
  const bool with_molecules = !particles_are_charges(particles);
  if (leaves_sites_out_) {
    is_charge_.resize(particles.local_count());
    for (std::size_t i = 0; i < is_charge_.size(); ++i) {
      const bool is_charge = !is_atom(particles, i) || excluded_->charge(particles, i) != 0.0;
      is_charge_[i] = is_charge ? 1 : 0;
    }
  }
  if (!with_molecules) values_.reserve(particles.local_count());
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (const Site& site : sites_of(particles, i)) {
      values_.push_back(is_atom(particles, i) ? excluded_->charge(particles, i) : site.charge);
      if (with_molecules) molecules_.push_back(static_cast<std::int32_t>(i));
    }
  }
  place_charges(particles, true);
  particle_count_ = particles.local_count();
  // Choosing the accuracy computes forces outside of a step, when no forces are returned to other
  // ranks.
  const bool looks_at_accuracy = options_.ewald ? !ewald_accuracy_ : !parameters_;
  if (excluded_) excluded_->rebuild(particles, looks_at_accuracy);
  if (!options_.periodic) check_open_box(particles);
  if (charge_count_ == 0.0) {
    charge_count_ = static_cast<double>(values_.size());
    for (const double value : values_) {
      total_charge_ += value;
      largest_charge_ = std::max(largest_charge_, std::abs(value));
    }
    comm::ReductionBatch batch(context_, "charges");
    batch.sum(charge_count_).sum(total_charge_).max(largest_charge_).run();
  }
  if (looks_at_accuracy) {
    options_.ewald ? choose_ewald_accuracy(particles) : choose_parameters(particles);
    if (excluded_) excluded_->rebuild(particles, false);
  }
  if (options_.ewald) return;
  if (!solver_) {
    solver_ = std::make_unique<FmmSolver>(context_, *decomposition_, *parameters_,
                                          options_.exchange_method);
  }
  solver_->rebuild(charges(particles));
  // If leaves overlap, centers are needed again in each step.
  if (options_.smoothing == 0.0) centers_ = std::vector<Vec3>();
}

EwaldSolver Electrostatics::ewald_solver(double accuracy) const {
  const Lattice lattice = Lattice::of(decomposition_->box());
  auto parameters = EwaldSolver::parameters(lattice, accuracy,
                                            static_cast<std::size_t>(std::max(1.0, charge_count_)));
  parameters.surroundings = options_.surroundings;
  return {lattice, parameters};
}

void Electrostatics::choose_ewald_accuracy(const ParticleStore& particles) {
  const auto forces = [&](double accuracy) {
    return gathered_ewald(context_, ewald_solver(accuracy), charges(particles), particle_count_)
        .forces;
  };
  const auto reference = forces(1e-6 * options_.accuracy);
  ewald_accuracy_ = options_.accuracy;
  // The truncation needed for an error depends on the charges, so it is found by trial.
  for (;;) {
    ForceError error;
    error.add(forces(*ewald_accuracy_), reference, charges(particles),
              forces_of_excluded(particles));
    comm::ReductionBatch batch(context_, "accuracy of the Ewald sums");
    batch.sum(error.sums().data(), error.sums().size()).run();
    error_ = error.relative(decomposition_->box().volume());
    if (error_ <= options_.accuracy || *ewald_accuracy_ <= 1e-4 * options_.accuracy) return;
    *ewald_accuracy_ *= 0.5 * options_.accuracy / error_;
  }
}

void Electrostatics::check_open_box(const ParticleStore& particles) const {
  const Vec3& length = decomposition_->box().length;
  const Shear shear = decomposition_->box().shear();
  const Vec3 margin = shear.extent(options_.margin);
  std::int64_t outside = -1;  // the largest id of a particle outside
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Image& image = particles.image[i];
    bool inside = image.x == 0 && image.y == 0 && image.z == 0;
    const Vec3 at = shear.unsheared(particles.position[i].vector());
    for (int axis = 0; axis < 3; ++axis) {
      inside = inside && at[axis] >= margin[axis] && at[axis] <= length[axis] - margin[axis];
    }
    if (!inside) outside = std::max(outside, particles.id[i]);
  }
  comm::ReductionBatch batch(context_, "particles in the open box");
  batch.max(outside).run();
  if (outside < 0) return;
  throw std::runtime_error(fmt::format(
      "particle {} has left the open box, or comes nearer to one of its faces than half "
      "of the cutoff: a larger box keeps it away from them for longer",
      outside));
}

void Electrostatics::start(const ParticleStore& particles) {
  // The method needs the centers again only if cells overlap.
  place_charges(particles, options_.smoothing > 0.0);
  if (!solver_) return;
  const PointCharges charges = this->charges(particles);
  solver_->keep_far_part(far_field_apart_);
  solver_->start(charges.positions, charges.dipoles, charges.centers, with_far_field_);
}

void Electrostatics::include_slow_part(bool included) {
  far_field_apart_ = true;
  with_far_field_ = included;
}

void Electrostatics::compute_spanning(SpanningMolecules& molecules, bool with_sums) {
  if (excluded_) excluded_->subtract_of_spanning(molecules, with_sums);
}

ForceTerm::SlowForces Electrostatics::slow_forces() const {
  return {slow_forces_, slow_torques_};
}

void Electrostatics::add_forces(const ParticleStore& particles, const CoulombResult& result,
                                std::span<Vec3> forces, std::span<Vec3> torques) const {
  for (std::size_t i = 0, next = 0; i < particles.local_count(); ++i) {
    for (const Site& site : sites_of(particles, i)) {
      const Vec3& force = result.forces[next];
      const Vec3 field = result.fields.empty() ? Vec3{} : result.fields[next];
      forces[i] += force;
      if (!result.center_forces.empty()) forces[i] += result.center_forces[next];
      ++next;
      if (!particles.rotating()) continue;
      torques[i] += cross(particles.orientation[i].to_lab(site.position), force);
      if (!result.fields.empty()) {
        torques[i] += cross(particles.orientation[i].to_lab(site.dipole), field);
      }
    }
  }
}

void Electrostatics::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  const bool with_tensor = sums != nullptr && options_.virial_tensor;
  if (options_.ewald) {
    ewald_result_ = gathered_ewald(context_, ewald_solver(*ewald_accuracy_), charges(particles),
                                   particle_count_);
  }
  const bool with_energy = sums != nullptr;
  const bool adds_forces =
      !options_.ewald && solver_->adds_forces() && particles_are_charges(particles);
  const CoulombResult& result =
      options_.ewald ? ewald_result_
      : adds_forces  ? solver_->finish_into(particles.force.span(), with_tensor, with_energy)
                     : solver_->finish(with_tensor, with_energy);
  if (!adds_forces) add_forces(particles, result, particles.force.span(), particles.torque.span());
  if (excluded_) excluded_->subtract(particles, particles.force.span(), sums);
  slow_forces_.clear();
  slow_torques_.clear();
  if (far_field_apart_ && with_far_field_ && solver_) {
    slow_forces_.resize(particles.local_count());
    if (particles.rotating()) slow_torques_.resize(particles.local_count());
    add_forces(particles, solver_->far_part(), slow_forces_, slow_torques_);
  }
  if (sums == nullptr) return;
  VirialProducts inside{};  // positions within molecules times forces
  for (std::size_t i = 0, next = 0; particles.rotating() && i < particles.local_count(); ++i) {
    for (const Site& site : sites_of(particles, i)) {
      add_product(inside, particles.orientation[i].to_lab(site.position), result.forces[next++]);
    }
  }
  sums->energy += result.energy;
  const auto of_arms = symmetric_part(inside);
  // The solver's tensor is symmetric. Of r_b f_a it lacks half of the torques.
  Vec3 torque{inside[5] - inside[7], inside[6] - inside[2], inside[1] - inside[3]};
  for (std::size_t i = 0; i < dipoles_.size(); ++i) torque += cross(dipoles_[i], result.fields[i]);
  const double of_torques[6] = {0.0, 0.0, 0.0, 0.5 * torque.z, -0.5 * torque.y, 0.5 * torque.x};
  // The trace follows from the energies, so that it is the same with and without the tensor. As
  // functions of all distances, the energies U_qq of charges, U_qd of charges with dipoles and U_dd
  // of dipoles are homogeneous of degrees -1, -2 and -3, so the trace is U_qq + 2 U_qd + 3 U_dd.
  // The sum of dipoles times fields is -(U_qd + 2 U_dd).
  double trace = result.energy;
  for (std::size_t i = 0; i < dipoles_.size(); ++i) trace -= dot(dipoles_[i], result.fields[i]);
  const double tensor_trace = result.virial[0] + result.virial[1] + result.virial[2];
  for (std::size_t k = 0; k < 6; ++k) {
    const double third = k < 3 ? (trace - tensor_trace) / 3.0 : 0.0;
    if (with_tensor || k < 3) {
      sums->virial[k] += result.virial[k] + third - of_arms[k] + of_torques[k];
    }
  }
}

std::string Electrostatics::method() const {
  if (options_.ewald) return "by Ewald sums";
  const FmmParameters& p = solver_->parameters();
  return fmt::format("order {}, {} precision, {} x {} x {} leaves{}", p.order, name_of(p.precision),
                     p.top_cells[0] << p.levels, p.top_cells[1] << p.levels,
                     p.top_cells[2] << p.levels,
                     p.overlap > 0.0 ? fmt::format(" that overlap by {}", p.overlap) : "");
}

std::string Electrostatics::description() const {
  return fmt::format(
      "electrostatics {}: relative error of the forces {:.2g} at the start, {:.2g} asked for",
      method(), error_, options_.accuracy);
}

std::vector<std::string> Electrostatics::warnings() const {
  std::vector<std::string> warnings;
  if (options_.order == 0 && error_ > options_.accuracy) {
    const bool rounded = parameters_ && parameters_->precision != FmmPrecision::full;
    warnings.push_back(fmt::format("{} not reach the accuracy asked for in [electrostatics]",
                                   options_.ewald ? "the Ewald sums do"
                                   : rounded      ? "the precision that is asked for does"
                                                  : "the highest order does"));
  }
  const double total = total_charge_ / options_.charge_unit;
  if (std::abs(total_charge_) > 1e-6 * largest_charge_ && options_.periodic) {
    warnings.push_back(
        fmt::format("the system has a charge of {:.6g}, which a homogeneous background "
                    "neutralizes: pressures depend on it",
                    total));
  }
  return warnings;
}

ForceTerm::Settings Electrostatics::settings() const {
  const char* surroundings = !options_.periodic                              ? "open"
                             : options_.surroundings == Surroundings::vacuum ? "vacuum"
                                                                             : "conductor";
  return {{"kind", options_.ewald ? "ewald" : "fmm"},
          {"method", method()},
          {"order", std::int64_t{parameters_ ? parameters_->order : 0}},
          {"surroundings", surroundings},
          {"accuracy", options_.accuracy},
          {"measured_error", error_}};
}

std::array<double, 7> Electrostatics::wishes() const {
  return {options_.ewald ? 1.0 : 0.0,
          options_.accuracy,
          static_cast<double>(options_.order),
          static_cast<double>(options_.levels),
          options_.precision ? static_cast<double>(*options_.precision) : -1.0,
          options_.smoothing,
          options_.measured_tree ? 1.0 : 0.0};
}

std::vector<double> Electrostatics::state() const {
  std::vector<double> chosen;
  if (options_.ewald) {
    chosen = {*ewald_accuracy_, error_};
  } else {
    const FmmParameters& p = *parameters_;
    chosen = {static_cast<double>(p.order),
              static_cast<double>(p.precision),
              static_cast<double>(p.levels),
              static_cast<double>(p.top_cells[0]),
              static_cast<double>(p.top_cells[1]),
              static_cast<double>(p.top_cells[2]),
              error_};
  }
  const auto wished = wishes();
  chosen.insert(chosen.end(), wished.begin(), wished.end());
  return chosen;
}

void Electrostatics::restore(std::span<const double> state) {
  const auto wished = wishes();
  constexpr std::size_t of_ewald = 2, of_fmm = 7;
  // States of versions up to 0.1 have no wishes at the end; those of version 0.2 lack the last
  // wish, which was added later. The sizes of all variants differ.
  std::optional<std::size_t> known;  // number of wishes in the state
  for (const std::size_t chosen : {of_ewald, of_fmm}) {
    for (const std::size_t count : {std::size_t{0}, wished.size() - 1, wished.size()}) {
      if (state.size() == chosen + count) known = count;
    }
  }
  if (!known) throw std::invalid_argument("not a state of the electrostatics");
  if (!std::ranges::equal(state.last(*known), std::span(wished).first(*known))) return;
  if (*known == wished.size() - 1 && options_.measured_tree) return;
  state = state.first(state.size() - *known);
  if (options_.ewald != (state.size() == of_ewald)) return;  // of the other method
  if (options_.ewald) {
    ewald_accuracy_ = state[0];
    error_ = state[1];
    return;
  }
  FmmParameters p;
  p.order = static_cast<int>(state[0]);
  p.precision = static_cast<FmmPrecision>(static_cast<int>(state[1]));
  p.levels = static_cast<int>(state[2]);
  for (int axis = 0; axis < 3; ++axis) p.top_cells[axis] = static_cast<int>(state[3 + axis]);
  p.periodic = options_.periodic;
  set_options(p);
  p.check();
  parameters_ = p;
  error_ = state[6];
}

}  // namespace sterna::md
