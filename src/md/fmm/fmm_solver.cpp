#include "md/fmm/fmm_solver.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "md/fmm/far_field.hpp"
#include "md/fmm/near_field.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

class FmmSolver::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void rebuild(const PointCharges& charges) = 0;
  virtual void start(std::span<const Vec3> positions, std::span<const Vec3> dipoles) = 0;
  virtual const CoulombResult& finish(bool with_virial) = 0;
  virtual std::vector<comm::Verdict> verdicts() const = 0;
  const FmmParameters& parameters() const { return parameters_; }
  FmmTimes& times() { return times_; }

 protected:
  explicit Implementation(const FmmParameters& parameters) : parameters_(parameters) {}
  FmmParameters parameters_;
  FmmTimes times_;
};

namespace {

template <class Near, class Far>
class Solver final : public FmmSolver::Implementation {
 public:
  Solver(const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
         const TreePartition& partition, const std::string& exchange)
      : Implementation(parameters),
        lattice_(lattice),
        reciprocal_(lattice.reciprocal()),
        grid_(partition.grid(partition.leaf_depth())),
        leaves_(partition.touched_leaves(partition.rank())),
        near_(context, lattice, parameters, partition, exchange),
        far_(context, lattice, parameters, partition, exchange) {}

  void rebuild(const PointCharges& charges) override {
    Stopwatch watch;
    const std::size_t count = charges.size();
    charges_.assign(charges.charges.begin(), charges.charges.end());
    origins_.resize(count);
    wraps_.resize(count);
    std::vector<std::size_t> leaf_of(count);
    begins_.assign(leaves_.count() + 1, 0);
    for (std::size_t first = 0, end = 0; first < count; first = end) {
      while (end < count && charges.molecules[end] == charges.molecules[first]) ++end;
      place_molecule(charges, first, end, leaf_of);
    }
    for (std::size_t leaf = 0; leaf < leaves_.count(); ++leaf) begins_[leaf + 1] += begins_[leaf];
    place_of_.resize(count);
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    std::vector<double> sorted(count);
    std::vector<std::int32_t> molecules(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = place_of_[i] = next[leaf_of[i]]++;
      sorted[place] = charges.charges[i];
      molecules[place] = charges.molecules[i];
    }
    far_sources_.charges.charge.assign(sorted.begin(), sorted.end());
    offsets_.resize(count);
    watch.lap(times_.sort);
    near_.rebuild(begins_, sorted, molecules, times_);
  }

  void start(std::span<const Vec3> positions, std::span<const Vec3> dipoles) override {
    Stopwatch watch;
    positions_.assign(positions.begin(), positions.end());
    const std::size_t count = positions_.size();
    reset(far_sources_.charges);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec3 offset = positions_[i] - origins_[i];
      const std::size_t place = place_of_[i];
      offsets_[place] = offset;
      far_sources_.charges.x[place] = static_cast<Far>(offset.x);
      far_sources_.charges.y[place] = static_cast<Far>(offset.y);
      far_sources_.charges.z[place] = static_cast<Far>(offset.z);
    }
    if (parameters_.dipoles) place_dipoles(dipoles);
    watch.lap(times_.sort);
    near_.start(offsets_, sorted_dipoles_, times_);
    far_.start(far_sources_, begins_, times_);
  }

  const CoulombResult& finish(bool with_virial) override {
    near_.compute_interior(with_virial, times_);
    far_.climb(sums_of_charges(), with_virial, times_);
    near_.finish(with_virial, times_);
    far_.finish(far_sources_, begins_, times_);
    Stopwatch watch;
    assemble(with_virial);
    watch.lap(times_.sort);
    return result_;
  }

  std::vector<comm::Verdict> verdicts() const override {
    std::vector<comm::Verdict> verdicts = far_.verdicts();
    if (const auto verdict = near_.verdict()) verdicts.insert(verdicts.begin(), *verdict);
    return verdicts;
  }

 private:
  /// A molecule belongs as a whole to the cell of its center, though some of its charges may lie
  /// beyond: its halves would have charges and large multipoles, where the whole has none.
  void place_molecule(const PointCharges& charges, std::size_t first, std::size_t end,
                      std::vector<std::size_t>& leaf_of) {
    Vec3 center;  // in fractions of the box, from the first charge on
    for (std::size_t i = first; i < end; ++i) {
      center += origins_[i] = nearest_fraction(charges.positions[i] - charges.positions[first]);
    }
    center *= 1.0 / static_cast<double>(end - first);
    if (!charges.centers.empty()) {
      center = nearest_fraction(charges.centers[first] - charges.positions[first]);
    }
    Cells cell;
    Vec3 in_cell, cell_center;
    for (int axis = 0; axis < 3; ++axis) {
      const int n = grid_[axis];
      double fraction = dot(reciprocal_[axis], charges.positions[first]) + center[axis];
      if (parameters_.periodic) {
        // The image that is nearest to the region.
        const double middle = 0.5 * (leaves_.lower[axis] + leaves_.upper[axis]) / n;
        fraction -= std::round(fraction - middle);
      } else if (!(fraction >= 0.0 && fraction <= 1.0)) {
        throw std::invalid_argument(fmt::format("charge {} lies outside of the open box", first));
      }
      cell[axis] = std::clamp(static_cast<int>(std::floor(fraction * n)), leaves_.lower[axis],
                              leaves_.upper[axis] - 1);
      cell_center[axis] = (cell[axis] + 0.5) / n - 0.5;
      in_cell[axis] = fraction - 0.5 - cell_center[axis] - center[axis];
    }
    const Vec3 from_box_center = lattice_.position(cell_center);
    const std::size_t leaf = leaves_.index(cell);
    for (std::size_t i = first; i < end; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        if (std::abs(origins_[i][axis] - center[axis]) * grid_[axis] > 0.5) {
          throw std::invalid_argument(
              fmt::format("molecule {} reaches farther from its center than half a cell of the "
                          "multipole method; fewer levels have larger cells",
                          charges.molecules[i]));
        }
      }
      origins_[i] = charges.positions[i] - lattice_.position(origins_[i] + in_cell);
      wraps_[i] = from_box_center - origins_[i];
      leaf_of[i] = leaf;
    }
    begins_[leaf + 1] += end - first;
  }

  Vec3 nearest_fraction(const Vec3& connection) const {
    Vec3 fraction;
    for (int axis = 0; axis < 3; ++axis) {
      fraction[axis] = dot(reciprocal_[axis], connection);
      if (parameters_.periodic) fraction[axis] -= std::round(fraction[axis]);
    }
    return fraction;
  }

  void reset(FarCharges<Far>& charges) const {
    const std::size_t count = positions_.size();
    for (auto* array : {&charges.x, &charges.y, &charges.z}) array->resize(count);
    for (auto* array : {&charges.potential, &charges.field_x, &charges.field_y, &charges.field_z}) {
      array->assign(count, Far(0));
    }
  }

  void place_dipoles(std::span<const Vec3> dipoles) {
    if (dipoles.size() != positions_.size()) {
      throw std::invalid_argument("dipoles of all charges are needed where some have one");
    }
    dipoles_.assign(dipoles.begin(), dipoles.end());
    sorted_dipoles_.resize(dipoles_.size());
    for (std::size_t i = 0; i < dipoles_.size(); ++i) sorted_dipoles_[place_of_[i]] = dipoles_[i];
    const double scale = 1.0 / far_.leaf_unit();
    for (int axis = 0; axis < 3; ++axis) {
      FarCharges<Far>& moments = far_sources_.moments[static_cast<std::size_t>(axis)];
      reset(moments);
      moments.x = far_sources_.charges.x;
      moments.y = far_sources_.charges.y;
      moments.z = far_sources_.charges.z;
      moments.charge.clear();
      for (const Vec3& dipole : sorted_dipoles_) {
        moments.charge.push_back(static_cast<Far>(scale * dipole[axis]));
      }
    }
  }

  Vec3 dipole_of(std::size_t i) const { return parameters_.dipoles ? dipoles_[i] : Vec3{}; }

  /// On the dipole of charge i.
  Vec3 dipole_force(std::size_t i) const {
    const std::size_t at = place_of_[i];
    const auto& near = near_.charges();
    Vec3 force{near.dipole_force_x[at], near.dipole_force_y[at], near.dipole_force_z[at]};
    for (const FarCharges<Far>& moments : far_sources_.moments) {
      force +=
          static_cast<double>(moments.charge[at]) * Vec3{static_cast<double>(moments.field_x[at]),
                                                         static_cast<double>(moments.field_y[at]),
                                                         static_cast<double>(moments.field_z[at])};
    }
    return force;
  }

  Vec3 from_center(std::size_t i) const { return positions_[i] + wraps_[i]; }

  /// Charge, dipole and spread about the center of the box, dipole of the positions as given.
  std::array<double, FarField<Far>::sum_count> sums_of_charges() const {
    double total = 0.0, spread = 0.0;
    Vec3 dipole, given_dipole;
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      const Vec3 position = from_center(i);
      total += charges_[i];
      dipole += charges_[i] * position;
      spread += charges_[i] * dot(position, position);
      given_dipole += charges_[i] * positions_[i] + dipole_of(i);
      dipole += dipole_of(i);
      spread += 2.0 * dot(dipole_of(i), position);
    }
    return {total,  dipole.x,       dipole.y,       dipole.z,
            spread, given_dipole.x, given_dipole.y, given_dipole.z};
  }

  void assemble(bool with_virial) {
    const auto& near = near_.charges();
    const std::size_t count = charges_.size();
    result_.potentials.resize(count);
    result_.forces.resize(count);
    result_.fields.resize(parameters_.dipoles ? count : 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = place_of_[i];
      const auto& far = far_sources_.charges;
      result_.potentials[i] = near.potential[at] + static_cast<double>(far.potential[at]);
      const Vec3 field{near.field_x[at] + static_cast<double>(far.field_x[at]),
                       near.field_y[at] + static_cast<double>(far.field_y[at]),
                       near.field_z[at] + static_cast<double>(far.field_z[at])};
      result_.forces[i] = charges_[i] * field;
      if (!parameters_.dipoles) continue;
      result_.fields[i] = field;
      result_.forces[i] += dipole_force(i);
    }
    VirialProducts virial{};
    if (with_virial) {
      for (std::size_t i = 0; i < count; ++i) {
        add_product(virial, offsets_[place_of_[i]], result_.forces[i]);
      }
      for (std::size_t k = 0; k < 9; ++k) virial[k] += near_.virial()[k] + far_.virial()[k];
    }
    if (parameters_.periodic) add_background(virial);
    result_.virial = with_virial ? symmetric_part(virial) : std::array<double, 6>{};
    result_.energy = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      result_.energy += 0.5 * charges_[i] * result_.potentials[i];
      if (parameters_.dipoles) result_.energy -= 0.5 * dot(dipoles_[i], result_.fields[i]);
    }
  }

  /// What of the lattice's potential is not harmonic, and the dipole term with vacuum around.
  void add_background(VirialProducts& virial) {
    const auto sums = far_.sums();
    const double total = sums[0], spread = sums[4];
    const Vec3 dipole{sums[1], sums[2], sums[3]}, given_dipole{sums[5], sums[6], sums[7]};
    const double scale = 2.0 * std::numbers::pi / (3.0 * lattice_.volume());
    const bool vacuum = parameters_.surroundings == Surroundings::vacuum;
    for (std::size_t i = 0; i < charges_.size(); ++i) {
      const Vec3 position = from_center(i);
      double potential =
          scale * (total * dot(position, position) - 2.0 * dot(dipole, position) + spread);
      Vec3 field = (2.0 * scale) * (dipole - total * position);
      const Vec3 force = charges_[i] * field - (2.0 * scale * total) * dipole_of(i);
      result_.forces[i] += force;
      add_product(virial, position, force);
      if (vacuum) {
        const Vec3 surface = (-2.0 * scale * charges_[i]) * given_dipole;
        potential += 2.0 * scale * dot(given_dipole, positions_[i]);
        field -= (2.0 * scale) * given_dipole;
        result_.forces[i] += surface;
        add_product(virial, positions_[i], surface);
      }
      result_.potentials[i] += potential;
      if (parameters_.dipoles) result_.fields[i] += field;
      // All of this energy is divided by the volume.
      const double energy = 0.5 * (charges_[i] * potential - dot(dipole_of(i), field));
      for (const std::size_t diagonal : {0, 4, 8}) virial[diagonal] += energy;
    }
  }

  Lattice lattice_, reciprocal_;
  Cells grid_;      ///< leaves of the box
  CellBox leaves_;  ///< that the region touches
  NearField<Near> near_;
  FarField<Far> far_;

  // Of each charge as given.
  std::vector<double> charges_;
  std::vector<Vec3> positions_, dipoles_;
  std::vector<Vec3> origins_;  ///< center of its cell, or of the image of it that is near
  std::vector<Vec3> wraps_;    ///< from there to that center as seen from the center of the box
  std::vector<std::size_t> place_of_;
  // Sorted by leaf.
  std::vector<std::size_t> begins_;
  std::vector<Vec3> offsets_;
  std::vector<Vec3> sorted_dipoles_;
  FarSources<Far> far_sources_;
  CoulombResult result_;
};

std::unique_ptr<FmmSolver::Implementation> make_solver(
    const comm::Context* context, const Lattice& lattice, const FmmParameters& parameters,
    std::vector<TreePartition::FractionRegion> regions, const std::string& exchange) {
  parameters.check();
  const TreePartition partition(parameters.top_cells, parameters.levels, parameters.periodic,
                                std::move(regions), context == nullptr ? 0 : context->rank());
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

/// Sums of squares of differences, of the reference, and of charges; number of charges.
std::array<double, 4> squares(const std::vector<Vec3>& forces, const std::vector<Vec3>& reference,
                              const PointCharges& charges) {
  std::array<double, 4> sums{};
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const Vec3 d = forces[i] - reference[i];
    sums[0] += dot(d, d);
    sums[1] += dot(reference[i], reference[i]);
    sums[2] += charges.charges[i] * charges.charges[i];
  }
  sums[3] = static_cast<double>(forces.size());
  return sums;
}

/// Forces in a perfect crystal are 0, and so errors relative to them have no meaning: at least a
/// tenth of the force of two charges at their mean distance is what they are compared with.
double relative(const std::array<double, 4>& sums, double volume) {
  if (sums[3] == 0.0) return 0.0;
  const double least = 0.1 * sums[2] / sums[3] * std::pow(sums[3] / volume, 2.0 / 3.0);
  const double size = std::max(sums[1], sums[3] * least * least);
  return size > 0.0 ? std::sqrt(sums[0] / size) : 0.0;
}

}  // namespace

CheckedFmmParameters checked_fmm_parameters(const Lattice& lattice, bool periodic,
                                            const PointCharges& charges, double accuracy) {
  std::vector<Vec3> reference;
  int order = 0;  // of the reference
  return check_parameters(FmmParameters::choose(lattice, periodic, charges.size(), accuracy),
                          accuracy, [&](const FmmParameters& a, const FmmParameters& b) {
                            if (order != b.order) {
                              reference = FmmSolver(lattice, b).solve(charges).forces;
                              order = b.order;
                            }
                            const auto forces = FmmSolver(lattice, a).solve(charges).forces;
                            return relative(squares(forces, reference, charges), lattice.volume());
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
      return FmmSolver(context, decomposition, parameters, exchange).solve(charges).forces;
    };
    if (order != b.order) reference = forces(b);
    order = b.order;
    std::array<double, 4> sums = squares(forces(a), reference, charges);
    comm::ReductionBatch batch(context, "accuracy of the multipole method");
    batch.sum(sums.data(), sums.size()).run();
    return relative(sums, decomposition.box().volume());
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

void FmmSolver::start(std::span<const Vec3> positions, std::span<const Vec3> dipoles) {
  implementation_->start(positions, dipoles);
}

const CoulombResult& FmmSolver::finish(bool with_virial) {
  return implementation_->finish(with_virial);
}

CoulombResult FmmSolver::solve(const PointCharges& charges, bool with_virial) {
  rebuild(charges);
  start(charges.positions, charges.dipoles);
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
