// What every row of the table of charge solvers must give: held against sums over pairs and images,
// and against finite differences of its own energy. On several ranks, some of which may be empty.

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "forces/coulomb/crystals.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/forces/coulomb/input/charge_solver_row.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr double accuracy = 1e-6;

/// Molecules with charges in a box, the same on all ranks.
struct System {
  Box box{{6.0, 6.0, 6.0}};
  OwnedCharges all;
  std::vector<Vec3> centers;  ///< by molecule

  /// A molecule, whose charges are relative to its center.
  void add(const Vec3& center, const std::vector<std::pair<Vec3, double>>& charges) {
    for (const auto& [arm, charge] : charges) {
      all.add(center + arm, charge, static_cast<std::int32_t>(centers.size()));
    }
    centers.push_back(center);
  }
};

/// Ions, and molecules of two charges.
System mixture(double total = 0.0, int ions = 22, int molecules = 9) {
  System system;
  const OwnedCharges random =
      random_charges(Lattice::of(system.box), static_cast<std::size_t>(ions + molecules), 0.0, 11);
  double sum = 0.0;
  for (int i = 0; i < ions; ++i) sum += random.charges[static_cast<std::size_t>(i)];
  for (int i = 0; i < ions + molecules; ++i) {
    const auto k = static_cast<std::size_t>(i);
    // Away from the faces of cells, where a small step would change near neighbors.
    Vec3 at = random.positions[k];
    for (int axis = 0; axis < 3; ++axis) at[axis] = 0.1 + 5.8 / 6.0 * at[axis];
    if (i < ions) {
      system.add(at, {{{}, random.charges[k] + (total - sum) / ions}});
    } else {
      system.add(at, {{{0.15, 0.0, 0.1}, 0.8}, {{-0.1, 0.12, 0.0}, -0.8}});
    }
  }
  return system;
}

struct Whole {
  double energy = 0.0;
  std::array<double, 6> virial{};
  std::vector<Vec3> forces, fields;
  std::vector<double> potentials;
};

/// Whether charges that are molecules of their own are in place. All others are listed.
enum class Ions { listed, in_place };
Ions ions = Ions::listed;  ///< of the next systems; `for_each_row_and_place` sets it

/// One solver for a system, on all ranks of a context.
class Solved {
 public:
  Solved(const comm::Context& context, const ChargeSolverRow& row, const System& system,
         Surroundings surroundings = Surroundings::conductor, bool periodic = true,
         std::span<const double> state = {})
      : context_(context), system_(system) {
    DecompositionRequest request;
    request.box = system.box;
    decomposition_ = decomposition_method("grid").make(context_, request);
    for (std::size_t first = 0, end = 0; first < system.all.positions.size(); first = end) {
      const auto of_molecule = system.all.molecules[first];
      while (end < system.all.positions.size() && system.all.molecules[end] == of_molecule) ++end;
      if (is_own(system.centers[static_cast<std::size_t>(of_molecule)])) take(first, end);
    }
    index_.insert(index_.end(), index_in_place_.begin(), index_in_place_.end());
    counts_.molecules = particles_.size();
    counts_.on_all_ranks = system.all.positions.size();
    solver_ = row.make({.context = context_,
                        .decomposition = *decomposition_,
                        .accuracy = accuracy,
                        .periodic = periodic,
                        .surroundings = surroundings,
                        .has_dipoles = !system.all.dipoles.empty(),
                        .molecule_radius = 0.2},
                       input_);
    if (!state.empty()) solver_->restore(state);
    if (!solver_->has_parameters()) solver_->choose_parameters(charges(), counts_);
    solver_->rebuild(charges(), counts_);
  }

  ChargeSolver& solver() { return *solver_; }
  PointCharges charges() const {
    PointCharges charges{own_.positions, own_.charges, own_.molecules, own_centers_, own_.dipoles};
    if (!values_in_place_.empty()) charges.in_place = {particles_, values_in_place_, absent_};
    return charges;
  }
  bool is_own(const Vec3& position) const {
    int image[3];
    const Vec3 inside = system_.box.wrap(position, image);
    return decomposition_->owner(system_.box.shear().unsheared(inside)) == context_.rank();
  }

  Whole compute(bool with_slow_part = true) {
    solver_->start(charges(), with_slow_part);
    return on_all(solver_->finish({.virial = true, .energy = true}));
  }
  Whole slow_part() { return on_all(*solver_->slow_part()); }
  /// The forces as `finish` adds them to an array.
  std::vector<Vec3> added(const Vec3& before) {
    std::vector<Vec3> in_place(particles_.size(), before);
    solver_->start(charges());
    const CoulombResult& result = solver_->finish({.forces = in_place});
    REQUIRE(result.forces.size() == own_.charges.size());
    std::vector<Vec3> forces;
    for (const Vec3& force : result.forces) forces.push_back(before + force);
    if (!values_in_place_.empty()) forces.insert(forces.end(), in_place.begin(), in_place.end());
    return on_all(forces);
  }
  /// The potentials at points, in this order.
  std::vector<double> potentials_at(const std::vector<Vec3>& points) {
    std::vector<Vec3> own;
    std::vector<std::size_t> index;
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!is_own(points[k])) continue;
      own.push_back(points[k]);
      index.push_back(k);
    }
    const std::vector<double> of_own = solver_->potentials_at(own, charges(), counts_);
    REQUIRE(of_own.size() == own.size());
    std::vector<double> of_all(points.size(), 0.0);
    for (std::size_t k = 0; k < own.size(); ++k) of_all[index[k]] = of_own[k];
    comm::ReductionBatch batch(context_, "potentials");
    batch.sum(of_all.data(), of_all.size()).run();
    return of_all;
  }

 private:
  /// Takes the charges of a molecule. Where ions are in place, there are particles that have none.
  void take(std::size_t first, std::size_t end) {
    const Vec3 center = system_.centers[static_cast<std::size_t>(system_.all.molecules[first])];
    const bool has_dipole = !system_.all.dipoles.empty();
    const bool is_ion = end - first == 1 && system_.all.positions[first] == center && !has_dipole;
    const bool is_listed = ions == Ions::listed || !is_ion;
    const auto add_particle = [&](double value, std::size_t index) {
      particles_.push_back(center);
      if (ions == Ions::listed) return;
      values_in_place_.push_back(value);
      index_in_place_.push_back(index);
    };
    if (ions == Ions::in_place && particles_.size() % 3 == 1) {
      absent_.push_back(static_cast<std::uint32_t>(particles_.size()));
      add_particle(1e3, no_charge);
    }
    for (std::size_t i = first; i < end && is_listed; ++i) {
      index_.push_back(i);
      own_.add(system_.all.positions[i], system_.all.charges[i],
               static_cast<std::int32_t>(particles_.size()));
      own_centers_.push_back(center);
      if (has_dipole) own_.dipoles.push_back(system_.all.dipoles[i]);
    }
    add_particle(is_listed ? 0.0 : system_.all.charges[first], is_listed ? no_charge : first);
  }
  std::vector<Vec3> on_all(const std::vector<Vec3>& own) const {
    std::vector<Vec3> all(system_.all.positions.size());
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (index_[k] != no_charge) all[index_[k]] = own[k];
    }
    comm::ReductionBatch batch(context_, "vectors");
    batch.sum(&all.data()->x, 3 * all.size()).run();
    return all;
  }
  Whole on_all(const CoulombResult& result) const {
    std::vector<Vec3> forces = result.forces;
    for (std::size_t k = 0; k < result.center_forces.size(); ++k) {
      forces[k] += result.center_forces[k];
    }
    Whole whole;
    whole.energy = result.energy;
    whole.virial = result.virial;
    whole.forces = on_all(forces);
    whole.fields = on_all(result.fields);
    whole.potentials.resize(system_.all.positions.size());
    for (std::size_t k = 0; k < result.potentials.size(); ++k) {
      if (index_[k] != no_charge) whole.potentials[index_[k]] = result.potentials[k];
    }
    comm::ReductionBatch batch(context_, "sums");
    batch.sum(whole.energy)
        .sum(whole.virial.data(), 6)
        .sum(whole.potentials.data(), whole.potentials.size())
        .run();
    return whole;
  }

  const comm::Context& context_;
  System system_;
  Input input_;
  std::unique_ptr<Decomposition> decomposition_;
  OwnedCharges own_;
  std::vector<Vec3> own_centers_;
  std::vector<Vec3> particles_;          ///< positions
  std::vector<double> values_in_place_;  ///< by particle, if ions are in place
  std::vector<std::uint32_t> absent_;
  static constexpr auto no_charge = static_cast<std::size_t>(-1);
  /// Of each number of a charge here, and of each particle: the charge in the system.
  std::vector<std::size_t> index_, index_in_place_;
  ChargeCounts counts_;
  std::unique_ptr<ChargeSolver> solver_;
};

/// Energy and forces by the sum over all pairs of charges with all images in cubes around the box, for
/// a cubic box: those of a large cube in vacuum, whose surface term is that of a sphere. Of two cubes
/// the next term of the expansion in the edge is eliminated.
Whole by_images(const System& system, int reach) {
  const auto of_cube = [&](int cells) {
    Whole whole;
    const std::size_t count = system.all.positions.size();
    whole.forces.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        const double product = system.all.charges[i] * system.all.charges[j];
        for (int x = -cells; x <= cells; ++x)
          for (int y = -cells; y <= cells; ++y)
            for (int z = -cells; z <= cells; ++z) {
              const bool is_image = x != 0 || y != 0 || z != 0;
              if (!is_image && system.all.molecules[i] == system.all.molecules[j]) continue;
              const Vec3 d = system.all.positions[i] - system.all.positions[j] -
                             system.box.translation(x, y, z);
              const double r2 = dot(d, d), energy = product / std::sqrt(r2);
              whole.energy += 0.5 * energy;
              whole.forces[i] += d * (energy / r2);
            }
      }
    }
    return whole;
  };
  if (reach == 0) return of_cube(0);
  const Whole small = of_cube(reach / 2), large = of_cube(reach);
  const double edge = 2.0 * reach + 1.0, smaller = 2.0 * (reach / 2) + 1.0;
  const double ratio = edge * edge / (smaller * smaller);
  const auto limit = [&](const auto& a, const auto& b) {
    return b + (b - a) * (1.0 / (ratio - 1.0));
  };
  Whole whole;
  whole.energy = limit(small.energy, large.energy);
  for (std::size_t i = 0; i < large.forces.size(); ++i) {
    whole.forces.push_back(limit(small.forces[i], large.forces[i]));
  }
  return whole;
}

/// Runs the check for each row, with its name shown where it fails.
void for_each_row(const std::function<void(const ChargeSolverRow&)>& check) {
  REQUIRE(charge_solver_table().size() >= 2);
  for (const ChargeSolverRow& row : charge_solver_table()) {
    CAPTURE(std::string(row.name));
    check(row);
  }
}

/// As above, with ions that are listed and with ions in place.
void for_each_row_and_place(const std::function<void(const ChargeSolverRow&)>& check) {
  for (const Ions kept : {Ions::listed, Ions::in_place}) {
    CAPTURE(static_cast<int>(kept));
    ions = kept;
    for_each_row(check);
  }
  ions = Ions::listed;
}

double largest(const std::vector<Vec3>& vectors) {
  double most = 0.0;
  for (const Vec3& v : vectors) most = std::max(most, std::sqrt(dot(v, v)));
  return most;
}

}  // namespace

TEST_CASE("energy and forces are those of the sum over pairs and images, as exact as measured") {
  const comm::Context context;
  const System system = mixture(0.0, 10, 4);
  const Whole direct = by_images(system, 12);
  for_each_row_and_place([&](const ChargeSolverRow& row) {
    Solved solved(context, row, system, Surroundings::vacuum);
    const Whole result = solved.compute();
    CHECK(solved.solver().error() <= accuracy);
    // The sum itself is good to this.
    CHECK(result.energy == doctest::Approx(direct.energy).epsilon(2e-5));
    CHECK(relative_rms(result.forces, direct.forces) < 2e-5);
  });
}

TEST_CASE("a box without images: the sum over pairs") {
  const comm::Context context;
  const System system = mixture(0.4);
  const Whole direct = by_images(system, 0);
  for_each_row_and_place([&](const ChargeSolverRow& row) {
    if (!row.not_in_open_box.empty()) return;
    Solved solved(context, row, system, Surroundings::conductor, false);
    const Whole result = solved.compute();
    CHECK(result.energy == doctest::Approx(direct.energy).epsilon(3 * accuracy));
    CHECK(relative_rms(result.forces, direct.forces) < 3 * accuracy);
  });
}

TEST_CASE("forces, torques and potentials are derivatives of the energy") {
  const comm::Context context;
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    // With a net charge, for which there is a background.
    System system = mixture(surroundings == Surroundings::conductor ? 0.5 : 0.0);
    add_dipoles(system.all, 0.3, 5);
    for_each_row_and_place([&](const ChargeSolverRow& row) {
      Solved reference(context, row, system, surroundings);
      const Whole result = reference.compute();
      const std::vector<double> state = reference.solver().state();
      const auto slope = [&](double step, auto change) {
        const auto energy = [&](double by) {
          System changed = system;
          change(changed, by);
          return Solved(context, row, changed, surroundings, true, state).compute().energy;
        };
        return (energy(step) - energy(-step)) / (2.0 * step);
      };
      const double force = largest(result.forces);
      const std::size_t last = system.all.positions.size() - 1;  // a charge of a molecule
      // Slopes along one line, which lies along no axis.
      const Vec3 line{0.6, -0.64, 0.48};
      for (const std::size_t i : {std::size_t{3}, last}) {
        CAPTURE(i);
        const double along = slope(1e-3, [&](System& changed, double by) {
          changed.all.positions[i] += by * line;
          // An ion is its own center.
          if (i == last) return;
          changed.centers[static_cast<std::size_t>(system.all.molecules[i])] += by * line;
        });
        CHECK(dot(result.forces[i], line) == doctest::Approx(-along).scale(force).epsilon(1e-4));
        const double by_dipole =
            slope(1e-2, [&](System& changed, double by) { changed.all.dipoles[i] += by * line; });
        CHECK(dot(result.fields[i], line) ==
              doctest::Approx(-by_dipole).scale(force).epsilon(1e-4));
        const double by_charge =
            slope(1e-2, [&](System& changed, double by) { changed.all.charges[i] += by; });
        CHECK(result.potentials[i] == doctest::Approx(by_charge).scale(1.0).epsilon(1e-4));
      }
    });
  }
}

TEST_CASE("potentials at points are the slope of the energy by a charge there") {
  const comm::Context context;
  System system = mixture(0.5);
  add_dipoles(system.all, 0.3, 5);
  const std::vector<Vec3> points{{1.0, 2.0, 3.0}, {4.4, 4.1, 5.1}};
  for_each_row_and_place([&](const ChargeSolverRow& row) {
    Solved solved(context, row, system);
    const Whole before = solved.compute();
    const std::vector<double> potentials = solved.potentials_at(points);
    for (std::size_t k = 0; k < points.size(); ++k) {
      CAPTURE(k);
      const auto energy = [&](double charge) {
        System more = system;
        more.add(points[k], {{{}, charge}});
        more.all.dipoles.push_back({});
        return Solved(context, row, more, Surroundings::conductor, true, solved.solver().state())
            .compute()
            .energy;
      };
      constexpr double step = 0.1;  // the energy is a parabola
      CHECK(
          potentials[k] ==
          doctest::Approx((energy(step) - energy(-step)) / (2.0 * step)).scale(1.0).epsilon(1e-5));
    }
    // The run's own computation was not disturbed.
    const Whole after = solved.compute();
    CHECK(after.energy == before.energy);
    CHECK(after.forces == before.forces);
  });
}

TEST_CASE("the virial tensor is minus the slope of the energy by strains of the box") {
  const comm::Context context;
  const System system = mixture(0.5);
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    System neutral = surroundings == Surroundings::conductor ? system : mixture();
    for_each_row_and_place([&](const ChargeSolverRow& row) {
      Solved solved(context, row, neutral, surroundings);
      const Whole result = solved.compute();
      const std::vector<double> state = solved.solver().state();
      // A strain of the box as it is kept: edges along x, in the plane of x and y, and any.
      constexpr int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
      for (std::size_t k = 0; k < 6; ++k) {
        CAPTURE(k);
        // What is around the images changes the virial by one tensor.
        if (surroundings == Surroundings::vacuum && k != 1 && k != 4) continue;
        const auto [a, b] = axes[k];
        const auto energy = [&](double by) {
          System strained = neutral;
          Box& box = strained.box;
          if (a == b) box.length[a] *= 1.0 + by;
          if (k == 3) box.tilt.xy = by * box.length.y;
          if (k == 4) box.tilt.xz = by * box.length.z;
          if (k == 5) box.tilt.yz = by * box.length.z;
          for (Vec3& position : strained.all.positions) position[a] += by * position[b];
          for (Vec3& center : strained.centers) center[a] += by * center[b];
          return Solved(context, row, strained, surroundings, true, state).compute().energy;
        };
        constexpr double step = 1e-3;
        CHECK(result.virial[k] == doctest::Approx(-(energy(step) - energy(-step)) / (2.0 * step))
                                      .scale(std::abs(result.energy))
                                      .epsilon(1e-4));
      }
    });
  }
}

TEST_CASE("a slow part and the rest are the whole; forces may be added to others") {
  const comm::Context context;
  const System system = mixture();
  for_each_row_and_place([&](const ChargeSolverRow& row) {
    Solved solved(context, row, system);
    const Whole whole = solved.compute();
    if (solved.solver().adds_forces()) {
      const std::vector<Vec3> added = solved.added({1.0, 2.0, 3.0});
      for (std::size_t i = 0; i < added.size(); ++i) {
        const Vec3 rest = added[i] - Vec3{1.0, 2.0, 3.0} - whole.forces[i];
        CHECK(std::sqrt(dot(rest, rest)) < 1e-12 * largest(whole.forces));
      }
    }
    solved.solver().keep_slow_part();
    solved.compute();
    CHECK((solved.solver().slow_part() != nullptr) == row.has_slow_part);
    if (!row.has_slow_part) return;
    const Whole slow = solved.slow_part(), fast = solved.compute(false);
    for (std::size_t i = 0; i < whole.forces.size(); ++i) {
      const Vec3 rest = whole.forces[i] - slow.forces[i] - fast.forces[i];
      CHECK(std::sqrt(dot(rest, rest)) < 1e-5 * largest(whole.forces));
    }
    CHECK(largest(slow.forces) > 1e-3 * largest(whole.forces));
  });
}

TEST_CASE("charges in place and listed ones have the same bits") {
  const comm::Context context;
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    const System system = mixture();
    for_each_row([&](const ChargeSolverRow& row) {
      Solved listed(context, row, system, surroundings);
      ions = Ions::in_place;
      Solved in_place(context, row, system, surroundings);
      ions = Ions::listed;
      CHECK(in_place.solver().state() == listed.solver().state());
      const Whole a = listed.compute(), b = in_place.compute();
      CHECK(a.forces == b.forces);
      CHECK(a.potentials == b.potentials);
      CHECK(a.virial == b.virial);
      // The sum over charges has another order.
      CHECK(a.energy == doctest::Approx(b.energy).epsilon(1e-14));
    });
  }
}

TEST_CASE("a state brings back the same bits, and is that of its solver alone") {
  const comm::Context context;
  const System system = mixture();
  std::vector<std::vector<double>> states;
  for_each_row([&](const ChargeSolverRow& row) {
    Solved first(context, row, system);
    states.push_back(first.solver().state());
    CHECK(first.solver().name() == row.name);
    CHECK_FALSE(first.solver().description().empty());
    Solved second(context, row, system, Surroundings::conductor, true, states.back());
    CHECK(second.solver().state() == states.back());
    CHECK(second.solver().error() == first.solver().error());
    const Whole a = first.compute(), b = second.compute();
    CHECK(a.energy == b.energy);
    CHECK(a.forces == b.forces);
  });
  Input input;
  DecompositionRequest request;
  request.box = system.box;
  const auto decomposition = decomposition_method("grid").make(context, request);
  for (std::size_t a = 0; a < states.size(); ++a) {
    for (std::size_t b = 0; b < states.size(); ++b) {
      const auto solver = charge_solver_table()[a].make(
          {.context = context, .decomposition = *decomposition, .accuracy = accuracy}, input);
      CHECK_FALSE(solver->has_parameters());
      solver->restore(states[b]);
      CHECK(solver->has_parameters() == (a == b));
    }
  }
}

TEST_CASE("each row is described, and only rows say what solvers are called") {
  for_each_row([](const ChargeSolverRow& row) {
    CHECK(row.sentence.ends_with("."));
    CHECK(static_cast<bool>(row.make));
    for (const KeySchema& key : row.keys) {
      CAPTURE(std::string(key.name));
      CHECK(key.description.ends_with("."));
      CHECK(find_key("electrostatics", key.name) != nullptr);
    }
  });
}
