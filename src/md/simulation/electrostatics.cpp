#include "md/simulation/electrostatics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

Electrostatics::Electrostatics(const comm::Context& context, const Decomposition& decomposition,
                               std::span<const Component> components, const Options& options)
    : context_(context),
      decomposition_(&decomposition),
      components_(components.begin(), components.end()),
      options_(options) {
  for (const Component& component : components_) {
    for (const auto& site : component.charges) {
      reach_ = std::max(reach_, std::sqrt(dot(site.position, site.position)));
    }
  }
  const Vec3& length = decomposition.box().length;
  const double shortest = std::min({length.x, length.y, length.z});
  if (6.0 * reach_ > shortest) {
    throw std::invalid_argument(
        fmt::format("the box is {} long, too small for molecules whose charges lie {} from the "
                    "center: the multipole method needs six times that",
                    shortest, reach_));
  }
}

void Electrostatics::set_decomposition(const Decomposition& decomposition) {
  decomposition_ = &decomposition;
  solver_.reset();
}

void Electrostatics::place_charges(const ParticleStore& particles) {
  positions_.clear();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Position& at = particles.position[i];
    const Component& component = components_[static_cast<std::size_t>(at.type)];
    if (component.charges.empty()) continue;
    if (!particles.rotating()) {
      for (const auto& site : component.charges) positions_.push_back(at.vector() + site.position);
      continue;
    }
    const auto rows = particles.orientation[i].matrix();
    for (const auto& site : component.charges) {
      const Vec3& r = site.position;
      positions_.push_back(at.vector() + Vec3{dot(rows[0], r), dot(rows[1], r), dot(rows[2], r)});
    }
  }
  if (options_.surroundings == Surroundings::conductor) return;
  // The dipole of the box must not jump where a particle enters it at the other side.
  const Vec3& length = decomposition_->box().length;
  for (std::size_t i = 0, next = 0; i < particles.local_count(); ++i) {
    const Image& image = particles.image[i];
    const Vec3 crossed{image.x * length.x, image.y * length.y, image.z * length.z};
    const auto& sites = components_[static_cast<std::size_t>(particles.position[i].type)].charges;
    for (std::size_t s = 0; s < sites.size(); ++s) positions_[next++] += crossed;
  }
}

void Electrostatics::choose_parameters() {
  double count = static_cast<double>(values_.size());
  comm::ReductionBatch batch(context_, "number of charges");
  batch.sum(count).run();
  const Lattice lattice = Lattice::orthorhombic(decomposition_->box().length);
  // A molecule reaches at most half a leaf from its center.
  FmmParameters trial = FmmParameters::choose(lattice, true, static_cast<std::size_t>(count),
                                              options_.accuracy, 2.5 * reach_);
  trial.surroundings = options_.surroundings;
  if (options_.precision) trial.precision = *options_.precision;
  double accuracy = options_.accuracy;
  if (options_.order > 0) {
    trial.order = options_.order;
    accuracy = HUGE_VAL;
  }
  const auto checked = checked_fmm_parameters(context_, *decomposition_, trial, charges(), accuracy,
                                              options_.exchange);
  parameters_ = checked.parameters;
  error_ = checked.error;
}

void Electrostatics::rebuild(const ParticleStore& particles) {
  values_.clear();
  molecules_.clear();
  centers_.clear();
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const auto& sites = components_[static_cast<std::size_t>(particles.position[i].type)].charges;
    for (const auto& site : sites) {
      values_.push_back(site.charge);
      molecules_.push_back(static_cast<std::int32_t>(i));
      centers_.push_back(particles.position[i].vector());
    }
  }
  place_charges(particles);
  if (!parameters_) choose_parameters();
  if (!solver_) {
    total_charge_ = 0.0;
    for (const double value : values_) total_charge_ += value;
    comm::ReductionBatch batch(context_, "total charge");
    batch.sum(total_charge_).run();
    solver_ =
        std::make_unique<FmmSolver>(context_, *decomposition_, *parameters_, options_.exchange);
  }
  solver_->rebuild(charges());
}

void Electrostatics::start(const ParticleStore& particles) {
  place_charges(particles);
  solver_->start(positions_);
}

void Electrostatics::finish(ParticleStore& particles, PairSums* sums) {
  const bool with_tensor = sums != nullptr && options_.virial_tensor;
  const CoulombResult& result = solver_->finish(with_tensor);
  VirialProducts inside{};  // of the sites' positions in their molecules
  for (std::size_t i = 0, next = 0; i < particles.local_count(); ++i) {
    const Position& at = particles.position[i];
    const auto& sites = components_[static_cast<std::size_t>(at.type)].charges;
    for (const auto& site : sites) {
      const Vec3& force = result.forces[next++];
      particles.force[i] += force;
      if (!particles.rotating()) continue;
      const Vec3 arm = particles.orientation[i].to_lab(site.position);
      particles.torque[i] += Lattice::cross(arm, force);
      if (sums != nullptr) add_product(inside, arm, force);
    }
  }
  if (sums == nullptr) return;
  sums->energy += result.energy;
  const auto of_arms = symmetric_part(inside);
  // The trace follows from the energy, which is of degree -1 in all distances, so that it is the
  // same with and without the tensor.
  const double tensor_trace = result.virial[0] + result.virial[1] + result.virial[2];
  for (std::size_t k = 0; k < 6; ++k) {
    const double third = k < 3 ? (result.energy - tensor_trace) / 3.0 : 0.0;
    if (with_tensor || k < 3) sums->virial[k] += result.virial[k] + third - of_arms[k];
  }
}

std::string Electrostatics::description() const {
  const FmmParameters& p = solver_->parameters();
  return fmt::format("order {}, {} precision, {} x {} x {} leaves", p.order, name_of(p.precision),
                     p.top_cells[0] << p.levels, p.top_cells[1] << p.levels,
                     p.top_cells[2] << p.levels);
}

std::vector<double> Electrostatics::state() const {
  const FmmParameters& p = *parameters_;
  return {static_cast<double>(p.order),
          static_cast<double>(p.precision),
          static_cast<double>(p.levels),
          static_cast<double>(p.top_cells[0]),
          static_cast<double>(p.top_cells[1]),
          static_cast<double>(p.top_cells[2]),
          error_};
}

void Electrostatics::restore(std::span<const double> state) {
  if (state.size() != 7) throw std::invalid_argument("not a state of the electrostatics");
  FmmParameters p;
  p.order = static_cast<int>(state[0]);
  p.precision = static_cast<FmmPrecision>(static_cast<int>(state[1]));
  p.levels = static_cast<int>(state[2]);
  for (int axis = 0; axis < 3; ++axis) p.top_cells[axis] = static_cast<int>(state[3 + axis]);
  p.surroundings = options_.surroundings;
  p.check();
  parameters_ = p;
  error_ = state[6];
}

}  // namespace sterna::md
