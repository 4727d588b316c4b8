#include "md/forces/coulomb/fmm/fmm_solver.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "md/forces/coulomb/fmm/far_field.hpp"
#include "md/forces/coulomb/fmm/leaf_parts.hpp"
#include "md/forces/coulomb/fmm/near_field.hpp"
#include "md/forces/coulomb/force_error.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

class FmmSolver::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void rebuild(const PointCharges& charges) = 0;
  virtual void start(std::span<const Vec3> positions, std::span<const Vec3> dipoles,
                     std::span<const Vec3> centers, bool with_far_field) = 0;
  virtual const CoulombResult& finish(bool with_virial, bool with_energy) = 0;
  virtual const CoulombResult& far_part() = 0;
  virtual std::vector<comm::Verdict> verdicts() const = 0;
  const FmmParameters& parameters() const { return parameters_; }
  FmmTimes& times() { return times_; }

 protected:
  explicit Implementation(const FmmParameters& parameters) : parameters_(parameters) {}
  FmmParameters parameters_;
  FmmTimes times_;
};

namespace {

/// What of a lattice's potential is not harmonic. All of this energy is divided by the volume.
class Background {
 public:
  /// `sums`: as Solver::sums_of_charges, of all ranks.
  template <class Sums>
  Background(const Sums& sums, double volume)
      : scale_(2.0 * std::numbers::pi / (3.0 * volume)),
        total_(sums[0]),
        spread_(sums[4]),
        dipole_{sums[1], sums[2], sums[3]} {}

  struct Effect {
    double potential, energy;
    Vec3 field, force;
    void add_to(VirialProducts& virial, const Vec3& position) const {
      add_product(virial, position, force);
      for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += energy;
    }
  };
  /// `position`: from the center of the box.
  Effect on(double charge, const Vec3& moment, const Vec3& position) const {
    Effect effect;
    effect.potential =
        scale_ * (total_ * dot(position, position) - 2.0 * dot(dipole_, position) + spread_);
    effect.field = (2.0 * scale_) * (dipole_ - total_ * position);
    effect.force = charge * effect.field - (2.0 * scale_ * total_) * moment;
    effect.energy = 0.5 * (charge * effect.potential - dot(moment, effect.field));
    return effect;
  }

 private:
  double scale_, total_, spread_;
  Vec3 dipole_;
};

template <class Near, class Far>
class Solver final : public FmmSolver::Implementation {
 public:
  Solver(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
         const TreePartition& partition, const std::string& exchange)
      : Implementation(parameters),
        lattice_(lattice),
        leaf_parts_(lattice, parameters, partition),
        near_(context, lattice, parameters, partition, exchange),
        far_(context, lattice, parameters, partition, exchange) {}

  void rebuild(const PointCharges& charges) override {
    Stopwatch watch;
    charges_.assign(charges.charges.begin(), charges.charges.end());
    molecules_.assign(charges.molecules.begin(), charges.molecules.end());
    centers_given_ = !charges.centers.empty();
    leaf_parts_.rebuild(charges);
    watch.lap(times_.sort);
    if (overlapping()) {
      near_.reserve(leaf_parts_.most_parts());
      watch.lap(times_.communication);
    } else {
      place_parts();
    }
  }

  void start(std::span<const Vec3> positions, std::span<const Vec3> dipoles,
             std::span<const Vec3> centers, bool with_far_field) override {
    Stopwatch watch;
    with_far_field_ = with_far_field;
    if (in_vacuum()) positions_.assign(positions.begin(), positions.end());
    leaf_parts_.move(positions, centers);
    watch.lap(times_.sort);
    if (overlapping()) place_parts();
    watch = {};
    const auto& offsets = leaf_parts_.offsets();
    if (parameters_.dipoles) take_dipoles(dipoles);
    if (with_far_field_) place_far_sources(offsets);
    watch.lap(times_.sort);
    near_.start(offsets, part_dipoles_, times_);
    if (with_far_field_) far_.start(far_sources_, leaf_parts_.begins(), times_);
  }

  const CoulombResult& finish(bool with_virial, bool with_energy) override {
    // Weights of parts of molecules pull by potentials.
    const typename NearField<Near>::Wanted wanted{.potentials = with_energy || overlapping(),
                                                  .virial = with_virial};
    near_.compute_local(wanted, times_);
    if (with_far_field_) far_.climb(sums_of_charges(), with_virial, times_);
    near_.finish(wanted, times_);
    if (with_far_field_) far_.finish(far_sources_, leaf_parts_.begins(), times_);
    Stopwatch watch;
    with_far_field_ ? assemble<true, true>(with_virial, with_energy, result_)
                    : assemble<true, false>(with_virial, with_energy, result_);
    watch.lap(times_.sort);
    return result_;
  }

  const CoulombResult& far_part() override {
    Stopwatch watch;
    assemble<false, true>(false, false, far_result_);
    watch.lap(times_.sort);
    return far_result_;
  }

  std::vector<comm::Verdict> verdicts() const override {
    std::vector<comm::Verdict> verdicts = far_.verdicts();
    if (const auto verdict = near_.verdict()) verdicts.insert(verdicts.begin(), *verdict);
    return verdicts;
  }

 private:
  using Part = LeafParts::Part;

  bool overlapping() const { return parameters_.overlap > 0.0; }
  bool in_vacuum() const {
    return parameters_.periodic && parameters_.surroundings == Surroundings::vacuum;
  }

  /// Charges by leaf, to both fields.
  void place_parts() {
    Stopwatch watch;
    std::vector<double> charges;
    std::vector<std::int32_t> molecules;
    charges.reserve(leaf_parts_.parts().size());
    molecules.reserve(leaf_parts_.parts().size());
    for (const Part& part : leaf_parts_.parts()) {
      charges.push_back(part.weight * charges_[part.charge]);
      molecules.push_back(molecules_[part.charge]);
    }
    far_sources_.charges.charge.assign(charges.begin(), charges.end());
    watch.lap(times_.sort);
    near_.rebuild(leaf_parts_.begins(), charges, molecules, times_);
  }

  void reset(FarCharges<Far>& charges) const {
    const std::size_t count = leaf_parts_.parts().size();
    for (auto* array : {&charges.x, &charges.y, &charges.z}) array->resize(count);
    for (auto* array : {&charges.potential, &charges.field_x, &charges.field_y, &charges.field_z}) {
      array->assign(count, Far(0));
    }
  }

  void place_far_sources(std::span<const Vec3> offsets) {
    reset(far_sources_.charges);
    for (std::size_t p = 0; p < offsets.size(); ++p) {
      far_sources_.charges.x[p] = static_cast<Far>(offsets[p].x);
      far_sources_.charges.y[p] = static_cast<Far>(offsets[p].y);
      far_sources_.charges.z[p] = static_cast<Far>(offsets[p].z);
    }
    if (parameters_.dipoles) place_far_dipoles();
  }

  void take_dipoles(std::span<const Vec3> dipoles) {
    if (dipoles.size() != charges_.size()) {
      throw std::invalid_argument("dipoles of all charges are needed where some have one");
    }
    dipoles_.assign(dipoles.begin(), dipoles.end());
    part_dipoles_.clear();
    for (const Part& part : leaf_parts_.parts()) {
      part_dipoles_.push_back(part.weight * dipoles_[part.charge]);
    }
  }

  void place_far_dipoles() {
    const double scale = 1.0 / far_.leaf_unit();
    for (int axis = 0; axis < 3; ++axis) {
      FarCharges<Far>& moments = far_sources_.moments[static_cast<std::size_t>(axis)];
      reset(moments);
      moments.x = far_sources_.charges.x;
      moments.y = far_sources_.charges.y;
      moments.z = far_sources_.charges.z;
      moments.charge.clear();
      for (const Vec3& dipole : part_dipoles_) {
        moments.charge.push_back(static_cast<Far>(scale * dipole[axis]));
      }
    }
  }

  Vec3 dipole_of(std::size_t i) const { return parameters_.dipoles ? dipoles_[i] : Vec3{}; }

  /// On the dipole of a part.
  template <bool with_near, bool with_far>
  Vec3 dipole_force(std::size_t at) const {
    Vec3 force;
    if constexpr (with_near) {
      const auto& near = near_.charges();
      force = {near.dipole_force_x[at], near.dipole_force_y[at], near.dipole_force_z[at]};
    }
    if constexpr (!with_far) return force;
    for (const FarCharges<Far>& moments : far_sources_.moments) {
      force +=
          static_cast<double>(moments.charge[at]) * Vec3{static_cast<double>(moments.field_x[at]),
                                                         static_cast<double>(moments.field_y[at]),
                                                         static_cast<double>(moments.field_z[at])};
    }
    return force;
  }

  /// `function(part, its place, its position from the center of the box)`.
  template <class Function>
  void for_each_part(Function function) const {
    const auto& begins = leaf_parts_.begins();
    std::size_t leaf = 0;
    leaf_parts_.leaves().for_each([&](const Cells& cell) {
      const Vec3 center = leaf_parts_.from_box_center(cell);
      for (std::size_t at = begins[leaf]; at < begins[leaf + 1]; ++at) {
        function(leaf_parts_.parts()[at], at, center + leaf_parts_.offsets()[at]);
      }
      ++leaf;
    });
  }

  /// Charge, dipole and spread about the center of the box; in vacuum also the dipole of the
  /// positions as given.
  std::array<double, FarField<Far>::sum_count> sums_of_charges() const {
    double total = 0.0, spread = 0.0;
    Vec3 dipole, given_dipole;
    for_each_part([&](const Part& part, std::size_t, const Vec3& position) {
      const double charge = part.weight * charges_[part.charge];
      const Vec3 moment = part.weight * dipole_of(part.charge);
      total += charge;
      dipole += charge * position + moment;
      spread += charge * dot(position, position) + 2.0 * dot(moment, position);
    });
    for (std::size_t i = 0; in_vacuum() && i < charges_.size(); ++i) {
      given_dipole += charges_[i] * positions_[i] + dipole_of(i);
    }
    return {total,  dipole.x,       dipole.y,       dipole.z,
            spread, given_dipole.x, given_dipole.y, given_dipole.z};
  }

  template <bool with_near, bool with_far>
  void assemble(bool with_virial, bool with_energy, CoulombResult& result) {
    const auto& near = near_.charges();
    const auto& far = far_sources_.charges;
    const std::size_t count = charges_.size();
    result.potentials.assign(with_energy ? count : 0, 0.0);
    result.forces.assign(count, {});
    result.fields.assign(parameters_.dipoles ? count : 0, {});
    result.center_forces.assign(overlapping() ? count : 0, {});
    VirialProducts virial{};
    const Background background(with_far ? far_.sums() : decltype(far_.sums()){},
                                lattice_.volume());
    for_each_part([&](const Part& part, std::size_t at, const Vec3& position) {
      Vec3 field;
      double potential = 0.0;
      if constexpr (with_near) {
        field = {near.field_x[at], near.field_y[at], near.field_z[at]};
        potential = near.potential[at];
      }
      if constexpr (with_far) {
        field += Vec3{static_cast<double>(far.field_x[at]), static_cast<double>(far.field_y[at]),
                      static_cast<double>(far.field_z[at])};
        potential += static_cast<double>(far.potential[at]);
      }
      Vec3 force = (part.weight * charges_[part.charge]) * field;
      if (parameters_.dipoles) force += dipole_force<with_near, with_far>(at);
      if (with_virial) add_product(virial, leaf_parts_.offsets()[at], force);
      if (with_far && parameters_.periodic) {
        const Background::Effect effect = background.on(
            part.weight * charges_[part.charge], part.weight * dipole_of(part.charge), position);
        potential += effect.potential;
        field += effect.field;
        force += effect.force;
        if (with_virial) effect.add_to(virial, position);
      }
      add_to_result(part, at, potential, field, force, result);
    });
    for (std::size_t k = 0; k < 9 && with_virial; ++k) {
      virial[k] += near_.virial()[k] + far_.virial()[k];
    }
    if (with_far && in_vacuum()) add_surface(virial, result);
    result.virial = with_virial ? symmetric_part(virial) : std::array<double, 6>{};
    result.energy = 0.0;
    for (std::size_t i = 0; with_energy && i < count; ++i) {
      result.energy += 0.5 * charges_[i] * result.potentials[i];
      if (parameters_.dipoles) result.energy -= 0.5 * dot(dipoles_[i], result.fields[i]);
    }
    if (overlapping() && !centers_given_) share_center_forces(result);
  }

  /// Weights depend on positions in units of the box, so that what they pull at a center has no
  /// part in the virial, the derivative over a strain of the box.
  void add_to_result(const Part& part, std::size_t at, double potential, const Vec3& field,
                     const Vec3& force, CoulombResult& result) const {
    const std::size_t i = part.charge;
    if (!result.potentials.empty()) result.potentials[i] += part.weight * potential;
    result.forces[i] += force;
    if (parameters_.dipoles) result.fields[i] += part.weight * field;
    if (!overlapping()) return;
    result.center_forces[i] -=
        (charges_[i] * potential - dot(dipole_of(i), field)) * leaf_parts_.slopes()[at];
  }

  /// The center is the mean position of a molecule's charges.
  void share_center_forces(CoulombResult& result) {
    for (std::size_t first = 0, end = 0; first < charges_.size(); first = end) {
      Vec3 sum;
      while (end < charges_.size() && molecules_[end] == molecules_[first]) {
        sum += result.center_forces[end++];
      }
      sum *= 1.0 / static_cast<double>(end - first);
      for (std::size_t i = first; i < end; ++i) result.forces[i] += sum;
    }
    result.center_forces.clear();
  }

  /// The dipole term with vacuum around; it, too, is divided by the volume.
  void add_surface(VirialProducts& virial, CoulombResult& result) {
    const auto sums = far_.sums();
    const double scale = 4.0 * std::numbers::pi / (3.0 * lattice_.volume());
    const Vec3 field = -scale * Vec3{sums[5], sums[6], sums[7]};
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      const double potential = -dot(field, positions_[i]);
      const Vec3 force = charges_[i] * field;
      if (!result.potentials.empty()) result.potentials[i] += potential;
      result.forces[i] += force;
      if (parameters_.dipoles) result.fields[i] += field;
      add_product(virial, positions_[i], force);
      const double energy = 0.5 * (charges_[i] * potential - dot(dipole_of(i), field));
      for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += energy;
    }
  }

  Lattice lattice_;
  LeafParts leaf_parts_;
  NearField<Near> near_;
  FarField<Far> far_;

  // Of each charge as given.
  std::vector<double> charges_;
  std::vector<std::int32_t> molecules_;
  bool centers_given_ = false;
  std::vector<Vec3> positions_, dipoles_;
  // Of each part.
  std::vector<Vec3> part_dipoles_;
  FarSources<Far> far_sources_;
  bool with_far_field_ = true;  ///< in the present computation
  CoulombResult result_, far_result_;
};

std::unique_ptr<FmmSolver::Implementation> make_solver(
    const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
    std::vector<TreePartition::FractionRegion> regions, const std::string& exchange) {
  parameters.check();
  Vec3 reach;
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] = parameters.reach(lattice, axis);
    const int leaves = parameters.top_cells[static_cast<std::size_t>(axis)] << parameters.levels;
    if (reach[axis] * leaves <= 1.0) continue;
    throw std::invalid_argument(fmt::format(
        "cells of the multipole method that overlap must be wider than {}: molecules may move so "
        "far before the cells are filled again; fewer levels have larger cells",
        parameters.travel));
  }
  const TreePartition partition(parameters.top_cells, parameters.levels, parameters.periodic,
                                std::move(regions), context == nullptr ? 0 : context->rank(),
                                reach);
  const auto make = [&]<class Near, class Far>(Near, Far) {
    return std::make_unique<Solver<Near, Far>>(context, lattice, parameters, partition, exchange);
  };
  switch (parameters.precision) {
    case FmmPrecision::single:
      return make(0.0f, 0.0f);
    case FmmPrecision::mixed:
      return make(0.0f, 0.0);
    default:
      return make(0.0, 0.0);
  }
}

std::unique_ptr<FmmSolver::Implementation> make_solver(const comm::Context& context,
                                                       const Decomposition& decomposition,
                                                       const FmmParameters& parameters,
                                                       const std::string& exchange) {
  const Vec3 length = decomposition.box().length;
  std::vector<TreePartition::FractionRegion> regions;
  for (int rank = 0; rank < decomposition.rank_count(); ++rank) {
    const Region region = decomposition.region(rank);
    auto& fractions = regions.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      fractions.lower[axis] = region.lower[axis] / length[axis];
      fractions.upper[axis] = region.upper[axis] / length[axis];
    }
  }
  return make_solver(&context, Lattice::of(decomposition.box()), parameters, std::move(regions),
                     exchange);
}

/// With what acts on the centers of molecules.
std::vector<Vec3> all_forces(const CoulombResult& result) {
  std::vector<Vec3> forces = result.forces;
  for (std::size_t i = 0; i < result.center_forces.size(); ++i) {
    forces[i] += result.center_forces[i];
  }
  return forces;
}

}  // namespace

CheckedFmmParameters checked_fmm_parameters(const Lattice& lattice, bool periodic,
                                            const PointCharges& charges, double accuracy) {
  std::vector<Vec3> reference;
  int order = 0;  // of the reference
  return check_parameters(FmmParameters::choose(lattice, periodic, charges.size(), accuracy),
                          accuracy, [&](const FmmParameters& a, const FmmParameters& b) {
                            if (order != b.order) {
                              reference = all_forces(FmmSolver(lattice, b).solve(charges));
                              order = b.order;
                            }
                            ForceError error;
                            error.add(all_forces(FmmSolver(lattice, a).solve(charges)), reference,
                                      charges);
                            return error.relative(lattice.volume());
                          });
}

CheckedFmmParameters checked_fmm_parameters(const comm::Context& context,
                                            const Decomposition& decomposition,
                                            const FmmParameters& trial, const PointCharges& charges,
                                            double accuracy, const std::string& exchange) {
  std::vector<Vec3> reference;
  int order = 0;  // of the reference
  return check_parameters(trial, accuracy, [&](const FmmParameters& a, const FmmParameters& b) {
    const auto forces = [&](const FmmParameters& parameters) {
      return all_forces(FmmSolver(context, decomposition, parameters, exchange).solve(charges));
    };
    if (order != b.order) reference = forces(b);
    order = b.order;
    ForceError error;
    error.add(forces(a), reference, charges);
    comm::ReductionBatch batch(context, "accuracy of the multipole method");
    batch.sum(error.sums().data(), error.sums().size()).run();
    return error.relative(decomposition.box().volume());
  });
}

FmmSolver::FmmSolver(const Lattice& lattice, const FmmParameters& parameters)
    : implementation_(make_solver(nullptr, lattice, parameters, {{}}, {})) {}
FmmSolver::FmmSolver(const comm::Context& context, const Decomposition& decomposition,
                     const FmmParameters& parameters, const std::string& exchange)
    : implementation_(make_solver(context, decomposition, parameters, exchange)) {}
FmmSolver::~FmmSolver() = default;
FmmSolver::FmmSolver(FmmSolver&&) noexcept = default;
FmmSolver& FmmSolver::operator=(FmmSolver&&) noexcept = default;

void FmmSolver::rebuild(const PointCharges& charges) {
  implementation_->rebuild(charges);
}

void FmmSolver::start(std::span<const Vec3> positions, std::span<const Vec3> dipoles,
                      std::span<const Vec3> centers, bool with_far_field) {
  implementation_->start(positions, dipoles, centers, with_far_field);
}

const CoulombResult& FmmSolver::finish(bool with_virial, bool with_energy) {
  return implementation_->finish(with_virial, with_energy);
}

const CoulombResult& FmmSolver::far_part() {
  return implementation_->far_part();
}

CoulombResult FmmSolver::solve(const PointCharges& charges, bool with_virial) {
  rebuild(charges);
  start(charges.positions, charges.dipoles, charges.centers);
  return finish(with_virial);
}

const FmmParameters& FmmSolver::parameters() const {
  return implementation_->parameters();
}

const FmmTimes& FmmSolver::times() const {
  return implementation_->times();
}

void FmmSolver::reset_times() {
  implementation_->times() = {};
}

std::vector<comm::Verdict> FmmSolver::verdicts() const {
  return implementation_->verdicts();
}

}  // namespace sterna::md
