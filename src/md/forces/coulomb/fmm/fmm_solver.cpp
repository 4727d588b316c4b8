#include "md/forces/coulomb/fmm/fmm_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "md/forces/coulomb/fmm/far_field.hpp"
#include "md/forces/coulomb/fmm/leaf_parts.hpp"
#include "md/forces/coulomb/fmm/near_field.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

class FmmSolver::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void rebuild(const PointCharges& charges) = 0;
  virtual void start(const PointCharges& charges, bool with_far_field) = 0;
  struct Wanted {
    bool virial = false, energy = false, fields = false;
    /// The array to which forces on charges in place are added, by particle; empty: all forces are
    /// part of the result.
    std::span<Vec3> forces = {};
  };
  virtual const CoulombResult& finish(const Wanted& wanted) = 0;
  void keep_far_part(bool kept) { keeps_far_part_ = kept; }
  void set_last() { last_ = true; }
  const CoulombResult& far_part() const { return far_result_; }
  CoulombResult take_result() { return std::move(result_); }
  virtual std::vector<comm::Verdict> verdicts() const = 0;
  const FmmParameters& parameters() const { return parameters_; }
  FmmTimes& times() { return times_; }

 protected:
  explicit Implementation(const FmmParameters& parameters) : parameters_(parameters) {}
  FmmParameters parameters_;
  FmmTimes times_;
  bool keeps_far_part_ = false;
  bool last_ = false;  ///< the next computation is the last
  CoulombResult result_, far_result_;
};

namespace {

/// The part of a lattice's potential that is not harmonic. Its whole energy is divided by the
/// volume.
class Background {
 public:
  /// `sums`: as Solver::sums_of_charges_, over all ranks.
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
  /// The field at `position`, from the center of the box.
  Vec3 field(const Vec3& position) const { return (2.0 * scale_) * (dipole_ - total_ * position); }
  Effect on(double charge, const Vec3& moment, const Vec3& position) const {
    Effect effect;
    effect.potential =
        scale_ * (total_ * dot(position, position) - 2.0 * dot(dipole_, position) + spread_);
    effect.field = field(position);
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
         const TreePartition& partition, const std::string& exchange_method)
      : Implementation(parameters),
        lattice_(lattice),
        leaf_parts_(lattice, parameters, partition),
        near_(context, lattice, parameters, partition, exchange_method),
        far_(context, lattice, parameters, partition, exchange_method) {}

  void rebuild(const PointCharges& charges) override {
    Stopwatch watch;
    charges_ = charges;
    leaf_parts_.rebuild(charges);
    watch.lap(times_.sort);
    if (overlapping()) {
      near_.reserve(leaf_parts_.most_parts());
      watch.lap(times_.communication);
    } else {
      near_.rebuild(leaf_parts_, charges_, times_);
    }
  }

  void start(const PointCharges& charges, bool with_far_field) override {
    Stopwatch watch;
    with_far_field_ = with_far_field;
    charges_.positions = charges.positions;
    charges_.centers = charges.centers;
    charges_.in_place.positions = charges.in_place.positions;
    leaf_parts_.move(charges_);
    watch.lap(times_.sort);
    if (overlapping()) near_.rebuild(leaf_parts_, charges_, times_);
    watch = {};
    if (parameters_.dipoles) take_dipoles(charges.dipoles);
    watch.lap(times_.sort);
    near_.start(leaf_parts_, charges_, part_dipoles_, times_);
    if (!with_far_field_) return;
    watch = {};
    far_.clear();
    sums_of_charges_ = {};
    for_each_leaf([&](const Leaf& leaf) {
      if (parameters_.dipoles) take_moments(leaf);
      far_.add_multipole(leaf.index, far_sources_);
      add_to_sums(leaf);
    });
    watch.lap(times_.charges_to_multipoles);
    far_.start(sums_of_charges_, last_, times_);
  }

  const CoulombResult& finish(const Wanted& wanted) override {
    // If leaves overlap, potentials are needed for the forces by the gradients of weights.
    const typename NearField<Near>::Wanted of_near{.potentials = wanted.energy || overlapping(),
                                                   .virial = wanted.virial};
    int stages = with_far_field_ ? far_.stage_count() : 0;
    const auto go_on = [&](int until_left) {
      for (; stages > until_left; --stages) far_.next_stage(wanted.virial, times_);
    };
    // In the last computation the far field is finished first, so that it releases memory before
    // the near field's results need some.
    if (last_) go_on(0);
    near_.compute_arrived(of_near, times_);
    const int parts = std::max(stages - 1, 1);
    for (int part = 0; part < parts; ++part) {
      // After the last stage no messages are on their way that further work could hide.
      go_on(parts - part);
      near_.compute_local(of_near, part, parts, times_);
    }
    near_.finish(of_near, times_);
    go_on(0);
    Stopwatch watch;
    Sums whole(*this, wanted, result_);
    std::optional<Sums> far_part;
    if (with_far_field_ && keeps_far_part_) far_part.emplace(*this, Wanted{}, far_result_);
    for_each_leaf([&](const Leaf& leaf) {
      if (!with_far_field_) return assemble<true, false>(leaf, whole);
      if (parameters_.dipoles) take_moments(leaf);
      far_.evaluate(leaf.index, far_sources_);
      assemble<true, true>(leaf, whole);
      if (far_part) assemble<false, true>(leaf, *far_part);
    });
    complete(whole, true);
    if (far_part) complete(*far_part, false);
    watch.lap(times_.locals_to_charges);
    return result_;
  }

  std::vector<comm::Verdict> verdicts() const override {
    std::vector<comm::Verdict> verdicts = near_.verdicts();
    const std::vector<comm::Verdict> of_far = far_.verdicts();
    verdicts.insert(verdicts.end(), of_far.begin(), of_far.end());
    return verdicts;
  }

 private:
  /// A leaf with its range of parts.
  struct Leaf {
    std::size_t index, begin, end;
    Vec3 center;  ///< from the center of the box
  };
  /// Sums over the leaves.
  struct Sums {
    /// Clears `result`. If `wanted.forces` is empty, all forces are part of the result.
    Sums(const Solver& solver, const Wanted& what, CoulombResult& given)
        : result(given),
          background(solver.with_far_field_ ? solver.far_.sums() : decltype(solver.far_.sums()){},
                     solver.lattice_.volume()),
          wanted(what) {
      const std::size_t count = solver.charges_.size();
      const bool own_forces = wanted.forces.empty();
      listed = solver.charges_.listed();
      result.potentials.assign(wanted.energy && own_forces ? count : 0, 0.0);
      result.forces.assign(own_forces ? count : listed, {});
      const bool with_fields = solver.parameters_.dipoles || wanted.fields;
      result.fields.assign(with_fields ? count : 0, {});
      result.center_forces.assign(solver.overlapping() ? count : 0, {});
      result.energy = 0.0;
      in_place = own_forces ? std::span(result.forces).subspan(listed) : wanted.forces;
    }
    Vec3& force(std::size_t number) {
      return number < listed ? result.forces[number] : in_place[number - listed];
    }
    CoulombResult& result;
    Background background;
    Wanted wanted;
    std::size_t listed;        ///< number of listed charges
    std::span<Vec3> in_place;  ///< forces on charges in place, by particle
    VirialProducts virial{};
  };

  bool overlapping() const { return parameters_.overlap > 0.0; }
  bool in_vacuum() const {
    return parameters_.periodic && parameters_.surroundings == Surroundings::vacuum;
  }

  /// Calls `function` for each leaf that is not empty; `far_sources_` has the charges of its parts.
  template <class Function>
  void for_each_leaf(Function function) {
    const auto& begins = leaf_parts_.begins();
    for (std::size_t index = 0; index + 1 < begins.size(); ++index) {
      if (begins[index] == begins[index + 1]) continue;
      const Leaf leaf{index, begins[index], begins[index + 1],
                      leaf_parts_.from_box_center(leaf_parts_.leaves().cell(index))};
      take_charges(leaf);
      function(leaf);
    }
  }

  /// The position of a part of the present leaf, from its center.
  Vec3 offset(std::size_t k) const {
    const FarCharges<Far>& charges = far_sources_.charges;
    return {static_cast<double>(charges.x[k]), static_cast<double>(charges.y[k]),
            static_cast<double>(charges.z[k])};
  }
  double charge(std::size_t k) const { return static_cast<double>(far_sources_.charges.charge[k]); }
  Vec3 dipole_of(std::size_t part) const {
    return parameters_.dipoles ? part_dipoles_[part] : Vec3{};
  }
  Vec3 dipole_of_charge(std::size_t i) const { return i < dipoles_.size() ? dipoles_[i] : Vec3{}; }

  void take_charges(const Leaf& leaf) {
    FarCharges<Far>& charges = far_sources_.charges;
    const std::size_t count = leaf.end - leaf.begin;
    charges.resize(count);
    if constexpr (std::is_same_v<Near, Far>) {
      // The near field has the same numbers in arrays.
      const NearCharges<Near>& near = near_.charges();
      const auto copy = [&](const StaggeredArray<Near>& from, std::vector<Far>& to) {
        std::copy_n(from.data() + leaf.begin, count, to.data());
      };
      copy(near.x, charges.x), copy(near.y, charges.y), copy(near.z, charges.z);
      copy(near.charge, charges.charge);
    } else {
      leaf_parts_.offsets(leaf.index, charges_, offsets_);
      for (std::size_t k = 0; k < count; ++k) {
        charges.x[k] = static_cast<Far>(offsets_[k].x);
        charges.y[k] = static_cast<Far>(offsets_[k].y);
        charges.z[k] = static_cast<Far>(offsets_[k].z);
        const std::size_t part = leaf.begin + k;
        charges.charge[k] =
            static_cast<Far>(leaf_parts_.weight(part) * charges_.charge(leaf_parts_.charge(part)));
      }
    }
  }

  void take_moments(const Leaf& leaf) {
    const FarCharges<Far>& charges = far_sources_.charges;
    const double scale = 1.0 / far_.leaf_unit();
    for (int axis = 0; axis < 3; ++axis) {
      FarCharges<Far>& moments = far_sources_.moments[static_cast<std::size_t>(axis)];
      moments.resize(charges.count);
      moments.x = charges.x;
      moments.y = charges.y;
      moments.z = charges.z;
      for (std::size_t k = 0; k < charges.count; ++k) {
        moments.charge[k] = static_cast<Far>(scale * part_dipoles_[leaf.begin + k][axis]);
      }
    }
  }

  void take_dipoles(std::span<const Vec3> dipoles) {
    if (dipoles.size() != charges_.listed()) {
      throw std::invalid_argument("dipoles of all listed charges are needed where some have one");
    }
    dipoles_.assign(dipoles.begin(), dipoles.end());
    part_dipoles_.clear();
    for (std::size_t part = 0; part < leaf_parts_.count(); ++part) {
      part_dipoles_.push_back(leaf_parts_.weight(part) *
                              dipole_of_charge(leaf_parts_.charge(part)));
    }
  }

  /// The force on the dipole of a part, the k-th of the present leaf.
  template <bool with_near, bool with_far>
  Vec3 dipole_force(std::size_t part, std::size_t k) const {
    Vec3 force;
    if constexpr (with_near) {
      const auto& near = near_.charges();
      force = {static_cast<double>(near.dipole_force_x[part]),
               static_cast<double>(near.dipole_force_y[part]),
               static_cast<double>(near.dipole_force_z[part])};
    }
    if constexpr (!with_far) return force;
    for (const FarCharges<Far>& moments : far_sources_.moments) {
      force +=
          static_cast<double>(moments.charge[k]) * Vec3{static_cast<double>(moments.field_x[k]),
                                                        static_cast<double>(moments.field_y[k]),
                                                        static_cast<double>(moments.field_z[k])};
    }
    return force;
  }

  void add_to_sums(const Leaf& leaf) {
    double total = 0.0, spread = 0.0;
    Vec3 dipole, given_dipole;
    for (std::size_t part = leaf.begin; part < leaf.end; ++part) {
      const Vec3 position = leaf.center + offset(part - leaf.begin);
      const double charge = this->charge(part - leaf.begin);
      const Vec3 moment = dipole_of(part);
      total += charge;
      dipole += charge * position + moment;
      spread += charge * dot(position, position) + 2.0 * dot(moment, position);
      if (in_vacuum()) {
        given_dipole += charge * charges_.position(leaf_parts_.charge(part)) + moment;
      }
    }
    const double sums[] = {total,  dipole.x,       dipole.y,       dipole.z,
                           spread, given_dipole.x, given_dipole.y, given_dipole.z};
    for (std::size_t k = 0; k < sums_of_charges_.size(); ++k) sums_of_charges_[k] += sums[k];
  }

  template <bool with_near, bool with_far>
  void assemble(const Leaf& leaf, Sums& sums) const {
    const Wanted& wanted = sums.wanted;
    if (parameters_.dipoles || overlapping() || wanted.virial || wanted.energy || wanted.fields) {
      assemble<with_near, with_far, false>(leaf, sums);
    } else {
      assemble<with_near, with_far, true>(leaf, sums);
    }
  }

  /// `forces_only`: only forces are wanted, and there are no dipoles.
  template <bool with_near, bool with_far, bool forces_only>
  void assemble(const Leaf& leaf, Sums& sums) const {
    const auto& near = near_.charges();
    const auto& far = far_sources_.charges;
    const bool with_near_potential = with_near && !near.potential.empty();
    const bool periodic = parameters_.periodic;
    const Background background = sums.background;
    for (std::size_t part = leaf.begin; part < leaf.end; ++part) {
      const std::size_t k = part - leaf.begin;
      const double charge = this->charge(k);
      const Vec3 offset = this->offset(k);
      Vec3 field;
      double potential = 0.0;
      if constexpr (with_near) {
        field = {static_cast<double>(near.field_x[part]), static_cast<double>(near.field_y[part]),
                 static_cast<double>(near.field_z[part])};
        if (with_near_potential) potential = static_cast<double>(near.potential[part]);
      }
      if constexpr (with_far) {
        field += Vec3{static_cast<double>(far.field_x[k]), static_cast<double>(far.field_y[k]),
                      static_cast<double>(far.field_z[k])};
        potential += static_cast<double>(far.potential[k]);
      }
      Vec3 force = charge * field;
      if constexpr (forces_only) {
        // The forces have the same bits as those of the general case below.
        if (with_far && periodic) force += charge * background.field(leaf.center + offset);
        sums.force(leaf_parts_.charge(part)) += force;
        continue;
      }
      if (parameters_.dipoles) force += dipole_force<with_near, with_far>(part, k);
      if (sums.wanted.virial) add_product(sums.virial, offset, force);
      if (with_far && periodic) {
        const Vec3 position = leaf.center + offset;
        const auto effect = background.on(charge, dipole_of(part), position);
        potential += effect.potential;
        field += effect.field;
        force += effect.force;
        if (sums.wanted.virial) effect.add_to(sums.virial, position);
      }
      add_to_result(part, charge, potential, field, force, sums);
    }
  }

  /// The virial is the derivative with respect to a strain of the box. Weights depend on positions
  /// in units of the box, so the forces by their gradients have no part in it.
  void add_to_result(std::size_t part, double charge, double potential, const Vec3& field,
                     const Vec3& force, Sums& sums) const {
    CoulombResult& result = sums.result;
    const std::size_t i = leaf_parts_.charge(part);
    const double weight = leaf_parts_.weight(part);
    sums.force(i) += force;
    if (!result.potentials.empty()) {
      result.potentials[i] += weight * potential;
    } else if (sums.wanted.energy) {
      result.energy += 0.5 * charge * potential;
    }
    if (!result.fields.empty()) result.fields[i] += weight * field;
    if (!overlapping()) return;
    result.center_forces[i] -= (charges_.charge(i) * potential - dot(dipole_of_charge(i), field)) *
                               leaf_parts_.slope(part);
  }

  /// Completes the sums after all leaves.
  void complete(Sums& sums, bool with_near) {
    CoulombResult& result = sums.result;
    VirialProducts& virial = sums.virial;
    for (std::size_t k = 0; k < 9 && sums.wanted.virial; ++k) {
      virial[k] += (with_near ? near_.virial()[k] : 0.0) + far_.virial()[k];
    }
    if (with_far_field_ && in_vacuum()) add_surface(sums);
    result.virial = sums.wanted.virial ? symmetric_part(virial) : std::array<double, 6>{};
    for (std::size_t i = 0; i < result.potentials.size(); ++i) {
      result.energy += 0.5 * charges_.charge(i) * result.potentials[i];
      if (parameters_.dipoles) result.energy -= 0.5 * dot(dipole_of_charge(i), result.fields[i]);
    }
    if (overlapping() && !leaf_parts_.centers_given()) share_center_forces(result);
  }

  /// Distributes the forces on centers to the charges, because a center is the mean position of its
  /// molecule's charges.
  void share_center_forces(CoulombResult& result) {
    charges_.for_each_molecule([&](std::size_t first, std::size_t end) {
      Vec3 sum;
      for (std::size_t i = first; i < end; ++i) sum += result.center_forces[i];
      sum *= 1.0 / static_cast<double>(end - first);
      for (std::size_t i = first; i < end; ++i) result.forces[i] += sum;
    });
    result.center_forces.clear();
  }

  /// Adds the dipole term for surrounding vacuum. Its whole energy is divided by the volume.
  void add_surface(Sums& all) {
    CoulombResult& result = all.result;
    const auto sums = far_.sums();
    const double scale = 4.0 * std::numbers::pi / (3.0 * lattice_.volume());
    const Vec3 field = -scale * Vec3{sums[5], sums[6], sums[7]};
    const auto add_to = [&](std::size_t i) {
      const double charge = charges_.charge(i);
      const Vec3 position = charges_.position(i);
      const double potential = -dot(field, position);
      const Vec3 force = charge * field;
      const double energy = 0.5 * (charge * potential - dot(dipole_of_charge(i), field));
      all.force(i) += force;
      if (!result.potentials.empty()) {
        result.potentials[i] += potential;
      } else if (all.wanted.energy) {
        result.energy += energy;
      }
      if (!result.fields.empty()) result.fields[i] += field;
      add_product(all.virial, position, force);
      for (const std::size_t diagonal : {0, 4, 8}) all.virial[diagonal] += energy;
    };
    charges_.for_each_molecule([&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) add_to(i);
    });
  }

  Lattice lattice_;
  LeafParts leaf_parts_;
  NearField<Near> near_;
  FarField<Far> far_;

  // Data of the charges as given, which the caller keeps:
  PointCharges charges_;  ///< positions, centers and dipoles are valid from `start` to `finish`
  std::vector<Vec3> dipoles_;

  std::vector<Vec3> part_dipoles_;  ///< by part
  /// Charge, dipole and spread about the center of the box; in vacuum also the dipole of the
  /// unwrapped positions.
  std::array<double, FarField<Far>::sum_count> sums_of_charges_{};
  // Data of the present leaf:
  std::vector<Vec3> offsets_;  ///< if near and far field differ in precision
  FarSources<Far> far_sources_;
  bool with_far_field_ = true;  ///< of the present computation
};

std::unique_ptr<FmmSolver::Implementation> make_solver(
    const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
    std::vector<TreePartition::FractionRegion> regions, const std::string& exchange_method) {
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
                                static_cast<std::size_t>(parameters.most_shared_cells), reach);
  const auto make = [&]<class Near, class Far>(Near, Far) {
    return std::make_unique<Solver<Near, Far>>(context, lattice, parameters, partition,
                                               exchange_method);
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
                                                       const std::string& exchange_method) {
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
                     exchange_method);
}

}  // namespace

FmmSolver::FmmSolver(const Lattice& lattice, const FmmParameters& parameters)
    : implementation_(make_solver(nullptr, lattice, parameters, {{}}, {})) {}
FmmSolver::FmmSolver(const comm::Context& context, const Decomposition& decomposition,
                     const FmmParameters& parameters, const std::string& exchange_method)
    : implementation_(make_solver(context, decomposition, parameters, exchange_method)) {}
FmmSolver::~FmmSolver() = default;
FmmSolver::FmmSolver(FmmSolver&&) noexcept = default;
FmmSolver& FmmSolver::operator=(FmmSolver&&) noexcept = default;

void FmmSolver::rebuild(const PointCharges& charges) {
  implementation_->rebuild(charges);
}

void FmmSolver::start(const PointCharges& charges, bool with_far_field) {
  implementation_->start(charges, with_far_field);
}

const CoulombResult& FmmSolver::finish(bool with_virial, bool with_energy, bool with_fields) {
  return implementation_->finish(
      {.virial = with_virial, .energy = with_energy, .fields = with_fields});
}

const CoulombResult& FmmSolver::finish_into(std::span<Vec3> forces, bool with_virial,
                                            bool with_energy) {
  if (!adds_forces()) throw std::logic_error("forces of parts, and of dipoles, cannot be added");
  return implementation_->finish({.virial = with_virial, .energy = with_energy, .forces = forces});
}

bool FmmSolver::adds_forces() const {
  return parameters().overlap == 0.0 && !parameters().dipoles;
}

void FmmSolver::keep_far_part(bool kept) {
  implementation_->keep_far_part(kept);
}

std::vector<Vec3> FmmSolver::last_forces(const PointCharges& charges) {
  implementation_->set_last();
  rebuild(charges);
  start(charges);
  finish(false, false);
  CoulombResult result = implementation_->take_result();
  for (std::size_t i = 0; i < result.center_forces.size(); ++i) {
    result.forces[i] += result.center_forces[i];
  }
  return std::move(result.forces);
}

const CoulombResult& FmmSolver::far_part() const {
  return implementation_->far_part();
}

CoulombResult FmmSolver::solve(const PointCharges& charges, bool with_virial) {
  rebuild(charges);
  start(charges);
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
