#include "md/forces/coulomb/electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "md/forces/coulomb/rounded_charge.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

Electrostatics::Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                               std::span<const Component> components, const Options& options,
                               const MakeChargeSolver& make_solver)
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
      with_dipoles_ = with_dipoles_ || site.dipole != Vec3{};
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
  whole_sites_ = sites_;
  for (const std::vector<Site>& sites : sites_) {
    // With surroundings, charges are where they would be had they never left the box.
    const bool in_place = options_.surroundings == Surroundings::conductor && sites.size() == 1 &&
                          sites[0].position == Vec3{} && sites[0].dipole == Vec3{};
    in_place_.push_back(in_place ? 1 : 0);
    any_in_place_ = any_in_place_ || in_place;
  }
  solver_ = make_solver({.context = context_,
                         .decomposition = decomposition,
                         .accuracy = options_.accuracy,
                         .periodic = options_.periodic,
                         .surroundings = options_.surroundings,
                         .has_dipoles = with_dipoles(),
                         .molecule_radius = molecule_radius_,
                         .travel = options_.travel});
}

void Electrostatics::set_decomposition(const Decomposition& decomposition) {
  decomposition_ = &decomposition;
  solver_->set_decomposition(decomposition);
}

void Electrostatics::scale_sites(std::size_t component, double factor) {
  for (std::size_t k = 0; k < sites_[component].size(); ++k) {
    const Site& whole = whole_sites_[component][k];
    sites_[component][k].charge = factor * whole.charge;
    sites_[component][k].dipole = factor * whole.dipole;
  }
  charge_count_ = 0.0;  // so that the next `rebuild` counts
}

double Electrostatics::whole_in_potentials(const ParticleStore& particles,
                                           std::span<const std::uint32_t> places) {
  solver_->start(charges(particles), true);
  const CoulombResult& result = solver_->finish({.virial = false, .energy = true});
  double sum = 0.0;
  const auto add = [&](std::size_t i, std::size_t first) {
    const auto& whole = whole_sites_[static_cast<std::size_t>(particles.position[i].type)];
    for (std::size_t k = 0; k < whole.size(); ++k) {
      sum += whole[k].charge * result.potentials[first + k];
      if (result.fields.empty()) continue;
      const Vec3 dipole =
          particles.rotating() ? particles.orientation[i].to_lab(whole[k].dipole) : whole[k].dipole;
      sum -= dot(dipole, result.fields[first + k]);
    }
  };
  for_each_listed(particles, [&](std::uint32_t i, std::span<const Site>, std::size_t first) {
    if (std::ranges::binary_search(places, i)) add(i, first);
  });
  for (const std::uint32_t i : places) {
    if (is_in_place(particles, i)) add(i, values_.size() + i);
  }
  return sum;
}

std::span<const Electrostatics::Site> Electrostatics::sites_of(const ParticleStore& particles,
                                                               std::size_t particle) const {
  if (leaves_sites_out_ && is_charge_[particle] == 0) return {};
  return sites_[static_cast<std::size_t>(particles.position[particle].type)];
}

PointCharges Electrostatics::charges(const ParticleStore& particles) const {
  return {positions_, values_, molecules_, centers_, dipoles_, charges_in_place(particles)};
}

ChargesInPlace Electrostatics::charges_in_place(const ParticleStore& particles) const {
  if (!any_in_place_) return {};
  static_assert(sizeof(Position) % sizeof(double) == 0);
  const VectorView positions(&particles.position.data()->x, sizeof(Position) / sizeof(double),
                             particles.local_count());
  return {positions, values_in_place_, absent_};
}

void Electrostatics::place_charges(const ParticleStore& particles, bool with_centers) {
  positions_.clear();
  dipoles_.clear();
  centers_.clear();
  const bool dipoles = with_dipoles();
  for (const std::uint32_t i : listed_) {
    const Position& at = particles.position[i];
    const auto sites = sites_of(particles, i);
    if (with_centers) centers_.insert(centers_.end(), sites.size(), at.vector());
    const std::size_t rotor = particles.rotating() ? particles.rotor_number(i) : RotorPlaces::none;
    if (rotor == RotorPlaces::none) {
      for (const Site& site : sites) {
        positions_.push_back(at.vector() + site.position);
        if (dipoles) dipoles_.push_back(site.dipole);
      }
      continue;
    }
    const auto rows = particles.orientation.data()[rotor].matrix();
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
  for_each_listed(particles, [&](std::size_t i, std::span<const Site> sites, std::size_t first) {
    const Image& image = particles.image[i];
    const Vec3 crossed = box.translation(image.x, image.y, image.z);
    for (std::size_t s = 0; s < sites.size(); ++s) positions_[first + s] += crossed;
  });
}

std::vector<Vec3> Electrostatics::forces_of_excluded(const ParticleStore& particles) {
  std::vector<Vec3> forces;
  if (!excluded_) return forces;
  forces.resize(particle_count_);
  excluded_->subtract(particles, forces, nullptr);
  std::vector<Vec3> of_charges;
  of_charges.reserve(values_.size() + values_in_place_.size());
  const auto of_particle = [&](std::size_t i) {
    return is_atom(particles, i) ? forces[i] : Vec3{};
  };
  for_each_listed(particles, [&](std::size_t i, std::span<const Site> sites, std::size_t) {
    of_charges.insert(of_charges.end(), sites.size(), of_particle(i));
  });
  for (std::size_t i = 0; i < values_in_place_.size(); ++i) of_charges.push_back(of_particle(i));
  return of_charges;
}

void Electrostatics::find_charges(const ParticleStore& particles) {
  values_.clear();
  molecules_.clear();
  listed_.clear();
  absent_.clear();
  if (leaves_sites_out_) {
    is_charge_.resize(particles.local_count());
    for (std::size_t i = 0; i < is_charge_.size(); ++i) {
      const bool is_charge = !is_atom(particles, i) || excluded_->charge(particles, i) != 0.0;
      is_charge_[i] = is_charge ? 1 : 0;
    }
  }
  particle_count_ = particles.local_count();
  values_in_place_.assign(any_in_place_ ? particle_count_ : 0, 0.0);
  for (std::uint32_t i = 0; i < particle_count_; ++i) {
    const auto sites = sites_of(particles, i);
    const auto value = [&](const Site& site) {
      return is_atom(particles, i) ? excluded_->charge(particles, i) : site.charge;
    };
    if (sites.empty()) {
      if (any_in_place_) absent_.push_back(i);
    } else if (is_in_place(particles, i)) {
      values_in_place_[i] = value(sites[0]);
    } else {
      listed_.push_back(i);
      for (const Site& site : sites) {
        values_.push_back(value(site));
        molecules_.push_back(static_cast<std::int32_t>(i));
      }
    }
  }
}

void Electrostatics::count_charges(std::int64_t changes) {
  charge_changes_ = changes;
  total_charge_ = largest_charge_ = 0.0;
  for (const auto& values : {std::span(values_), std::span(values_in_place_)}) {
    for (const double value : values) {
      total_charge_ += value;
      largest_charge_ = std::max(largest_charge_, std::abs(value));
    }
  }
  std::size_t in_place = values_in_place_.size();
  if (any_in_place_) in_place -= listed_.size() + absent_.size();
  charge_count_ = static_cast<double>(values_.size() + in_place);
  comm::ReductionBatch batch(context_, "charges");
  batch.sum(charge_count_).sum(total_charge_).max(largest_charge_).run();
}

void Electrostatics::rebuild(const ParticleStore& particles) {
  find_charges(particles);
  place_charges(particles, true);
  // Choosing the parameters computes forces outside of a step, when no forces are returned to other
  // ranks.
  const bool looks_at_accuracy = !solver_->has_parameters();
  if (excluded_) excluded_->rebuild(particles, looks_at_accuracy);
  if (!options_.periodic) check_open_box(particles);
  const std::int64_t changes = options_.places ? options_.places->topology().charge_changes() : 0;
  if (charge_count_ == 0.0 || changes != charge_changes_) count_charges(changes);
  const ChargeCounts counts{particle_count_, static_cast<std::size_t>(charge_count_)};
  if (looks_at_accuracy) {
    solver_->choose_parameters(charges(particles), counts,
                               [&] { return forces_of_excluded(particles); });
    if (excluded_) excluded_->rebuild(particles, false);
  }
  solver_->rebuild(charges(particles), counts);
  // Some solvers need centers again in each step.
  if (!solver_->needs_centers()) centers_ = std::vector<Vec3>();
}

std::vector<double> Electrostatics::potentials_of_others(
    const ParticleStore& particles, std::span<const std::uint32_t> places) const {
  const bool dipoles = with_dipoles();
  std::vector<Vec3> points, positions, centers, moments;
  std::vector<double> values;
  std::vector<std::int32_t> molecules;
  for (const std::uint32_t i : places) points.push_back(particles.position[i].vector());
  for_each_listed(particles, [&](std::uint32_t i, std::span<const Site> sites, std::size_t first) {
    if (std::ranges::binary_search(places, i)) return;
    const Vec3 at = particles.position[i].vector();
    const bool turns = particles.turns(i);
    const auto turned = [&](const Vec3& v) {
      return turns ? particles.orientation[i].to_lab(v) : v;
    };
    for (std::size_t s = 0; s < sites.size(); ++s) {
      positions.push_back(at + turned(sites[s].position));
      if (dipoles) moments.push_back(turned(sites[s].dipole));
      centers.push_back(at);
      values.push_back(values_[first + s]);
      molecules.push_back(static_cast<std::int32_t>(i));
    }
  });
  ChargesInPlace in_place = charges_in_place(particles);
  std::vector<std::uint32_t> absent;
  if (any_in_place_) {
    std::ranges::set_union(absent_, places, std::back_inserter(absent));
    // Listed molecules that are left out are absent, too, since `places` has them.
    in_place.absent = absent;
  }
  const ChargeCounts counts{particle_count_, static_cast<std::size_t>(charge_count_)};
  return solver_->potentials_at(points, {positions, values, molecules, centers, moments, in_place},
                                counts);
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
  place_charges(particles, solver_->needs_centers());
  solver_->start(charges(particles), with_slow_part_);
}

void Electrostatics::include_slow_part(bool included) {
  if (!slow_part_apart_) solver_->keep_slow_part();
  slow_part_apart_ = true;
  with_slow_part_ = included;
}

void Electrostatics::compute_spanning(SpanningMolecules& molecules, bool with_sums) {
  if (excluded_) excluded_->subtract_of_spanning(molecules, with_sums);
}

ForceTerm::SlowForces Electrostatics::slow_forces() const {
  return {slow_forces_, slow_torques_};
}

void Electrostatics::add_forces(const ParticleStore& particles, const CoulombResult& result,
                                std::span<Vec3> forces, std::span<Vec3> torques) const {
  for_each_listed(particles, [&](std::size_t i, std::span<const Site> sites, std::size_t next) {
    const std::size_t rotor = particles.rotating() ? particles.rotor_number(i) : RotorPlaces::none;
    for (const Site& site : sites) {
      const Vec3& force = result.forces[next];
      const Vec3 field = result.fields.empty() ? Vec3{} : result.fields[next];
      forces[i] += force;
      if (!result.center_forces.empty()) forces[i] += result.center_forces[next];
      ++next;
      if (rotor == RotorPlaces::none) continue;
      const Quaternion& turn = particles.orientation.data()[rotor];
      torques[rotor] += cross(turn.to_lab(site.position), force);
      if (!result.fields.empty()) {
        torques[rotor] += cross(turn.to_lab(site.dipole), field);
      }
    }
  });
  // The solver may have added those in place itself.
  const std::size_t listed = values_.size();
  for (std::size_t k = listed; k < result.forces.size(); ++k) {
    forces[k - listed] += result.forces[k];
    if (!result.center_forces.empty()) forces[k - listed] += result.center_forces[k];
  }
}

void Electrostatics::finish(ParticleStore& particles, EnergyAndVirial* sums) {
  const bool with_tensor = sums != nullptr && options_.virial_tensor;
  const bool adds_forces = any_in_place_ && solver_->adds_forces();
  const CoulombResult& result =
      solver_->finish({.virial = with_tensor,
                       .energy = sums != nullptr,
                       .forces = adds_forces ? particles.force.span() : std::span<Vec3>()});
  add_forces(particles, result, particles.force.span(), particles.torque.span());
  if (excluded_) excluded_->subtract(particles, particles.force.span(), sums);
  slow_forces_.clear();
  slow_torques_.clear();
  const CoulombResult* const slow_part =
      slow_part_apart_ && with_slow_part_ ? solver_->slow_part() : nullptr;
  if (slow_part != nullptr) {
    slow_forces_.resize(particles.local_count());
    if (particles.rotating()) slow_torques_.resize(particles.local_rotors());
    add_forces(particles, *slow_part, slow_forces_, slow_torques_);
  }
  if (sums == nullptr) return;
  VirialProducts inside{};  // positions within molecules times forces
  for_each_listed(particles, [&](std::size_t i, std::span<const Site> sites, std::size_t first) {
    for (std::size_t s = 0; particles.turns(i) && s < sites.size(); ++s) {
      add_product(inside, particles.orientation[i].to_lab(sites[s].position),
                  result.forces[first + s]);
    }
  });
  sums->energy += result.energy;
  const auto of_arms = symmetric_part(inside);
  // The solver gives the symmetric part of the virial tensor. The antisymmetric part is half of the
  // torques, which is added here.
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

std::string Electrostatics::description() const {
  return fmt::format(
      "electrostatics {}: relative error of the forces {:.2g} at the start, {:.2g} asked for",
      solver_->description(), solver_->error(), options_.accuracy);
}

std::vector<std::string> Electrostatics::warnings() const {
  std::vector<std::string> warnings;
  const std::string_view subject = solver_->subject_of_error();
  if (solver_->error() > options_.accuracy && !subject.empty()) {
    warnings.push_back(
        fmt::format("{} not reach the accuracy asked for in [electrostatics]", subject));
  }
  const double total = total_charge_ / options_.charge_unit;
  if (std::abs(total_charge_) > rounded_charge * largest_charge_ && options_.periodic) {
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
  return {{"kind", std::string(solver_->name())},    {"method", solver_->description()},
          {"order", std::int64_t{solver_->order()}}, {"surroundings", surroundings},
          {"accuracy", options_.accuracy},           {"measured_error", solver_->error()}};
}

}  // namespace sterna::md
