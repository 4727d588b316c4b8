#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "forces/coulomb/crystals.hpp"
#include "forces/coulomb/spce_configuration.hpp"
#include "md/domain/decomposition_method.hpp"
#include "md/forces/coulomb/ewald.hpp"
#include "md/forces/coulomb/fmm/fmm_choice.hpp"
#include "md/forces/coulomb/fmm/fmm_solver.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// The charges of one rank, and where they are among all.
struct Share {
  OwnedCharges charges;
  std::vector<std::size_t> index;
};

/// A molecule is where its center is.
Share share_of(const Decomposition& decomposition, int rank, const OwnedCharges& all) {
  Share share;
  share.charges.lattice = all.lattice;
  for (std::size_t first = 0, end = 0; first < all.positions.size(); first = end) {
    Vec3 center;
    while (end < all.positions.size() && all.molecules[end] == all.molecules[first]) {
      center += all.positions[end++];
    }
    center *= 1.0 / static_cast<double>(end - first);
    int image[3];
    const Box& box = decomposition.box();
    if (decomposition.owner(box.shear().unsheared(box.wrap(center, image))) != rank) continue;
    for (std::size_t i = first; i < end; ++i) {
      share.charges.add(all.positions[i], all.charges[i], all.molecules[i]);
      share.index.push_back(i);
    }
  }
  return share;
}

struct Total {
  std::vector<Vec3> forces;
  double energy = 0.0;
  std::array<double, 6> virial{};
};

/// Of all ranks, on all.
Total together(const comm::Context& context, const Share& share, const CoulombResult& result,
               std::size_t count) {
  Total total{std::vector<Vec3>(count), result.energy, result.virial};
  for (std::size_t k = 0; k < share.index.size(); ++k) {
    total.forces[share.index[k]] = result.forces[k];
  }
  comm::ReductionBatch batch(context, "test");
  batch.sum(total.energy).sum(total.virial.data(), 6).sum(&total.forces.data()->x, 3 * count).run();
  return total;
}

/// Energy, virial and forces that `solve` finds on the first rank, on all.
template <class Solve>
CoulombResult on_first_rank(const comm::Context& context, std::size_t count, Solve solve) {
  CoulombResult result;
  if (context.rank() == 0) {
    result = solve();
  } else {
    result.forces.resize(count);
  }
  comm::ReductionBatch batch(context, "one process");
  batch.sum(result.energy)
      .sum(result.virial.data(), 6)
      .sum(&result.forces.data()->x, 3 * count)
      .run();
  return result;
}

std::unique_ptr<Decomposition> make_decomposition(const comm::Context& context,
                                                  std::string_view method,
                                                  const OwnedCharges& system) {
  DecompositionRequest request;
  const Lattice& lattice = system.lattice;
  request.box = {{lattice.a.x, lattice.b.y, lattice.c.z}, {lattice.b.x, lattice.c.x, lattice.c.y}};
  std::vector<Vec3> points;
  std::vector<double> weights;
  for (std::size_t i = 0; i < system.positions.size(); ++i) {
    if (i % static_cast<std::size_t>(context.size()) != static_cast<std::size_t>(context.rank())) {
      continue;
    }
    int image[3];
    points.push_back(request.box.shear().unsheared(request.box.wrap(system.positions[i], image)));
    weights.push_back(1.0);
  }
  request.points = points;
  request.weights = weights;
  return decomposition_method(method).make(context, request);
}

/// Dipoles of charges 0.9 apart with their centers in a part of the box: all, a slab, a ball.
OwnedCharges molecules_in(const Vec3& length, std::string_view shape, int count,
                          const Tilt& tilt = {}) {
  std::mt19937_64 engine(17);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  OwnedCharges system;
  system.lattice = Lattice::of(Box{length, tilt});
  for (int molecule = 0; molecule < count;) {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    const double u = uniform(engine), v = uniform(engine);
    if (shape == "slab" && std::abs(z - 0.3) > 0.1) continue;
    const Vec3 from_center{x - 0.4, y - 0.6, z - 0.9};
    if (shape == "droplet" && dot(from_center, from_center) > 0.04) continue;
    const Vec3 at = system.lattice.position({x, y, z});
    const double polar = std::acos(2 * u - 1), azimuth = 6.283 * v;
    const Vec3 axis{std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
                    std::cos(polar)};
    system.add(at, 1.0, molecule);
    system.add(at + 0.9 * axis, -0.8, molecule);
    ++molecule;
  }
  return system;
}

/// Molecules, some of them across the borders of ranks.
struct AcrossBorders {
  OwnedCharges system;
  CoulombResult exact;  ///< by Ewald sums
  std::unique_ptr<const Decomposition> decomposition;
  Share share;  ///< of this rank
};
AcrossBorders molecules_across_borders(const comm::Context& context) {
  OwnedCharges system = molecules_in({9, 9, 10}, "uniform", 250);
  CoulombResult exact =
      EwaldSolver(system.lattice, EwaldSolver::parameters(system.lattice, 1e-12, 500))
          .solve(system.view());
  auto decomposition = make_decomposition(context, "sampling", system);
  Share share = share_of(*decomposition, context.rank(), system);
  return {std::move(system), std::move(exact), std::move(decomposition), std::move(share)};
}

}  // namespace

TEST_CASE("any decomposition, any distribution: as in one process") {
  const comm::Context context;
  struct Case {
    Vec3 length;
    std::array<int, 3> top;
    int levels;
    Tilt tilt = {};
    int most_shared_cells = 64;
  };
  // Two hold a hexagonal lattice and, about, a rhombic dodecahedron. The last two share out levels
  // of fewer cells than there may be ranks.
  const Case cases[] = {{{12, 12, 12}, {2, 2, 2}, 2},
                        {{9, 10, 24}, {2, 2, 5}, 1},
                        {{9, 9, 9}, {3, 3, 3}, 0},
                        {{9, 9, 9}, {2, 2, 2}, 0},
                        {{12, 10.4, 12}, {4, 4, 4}, 0, {6, 0, 0}},
                        {{12, 10.4, 9.8}, {4, 4, 4}, 0, {6, 6, 3.5}},
                        {{12, 12, 12}, {2, 2, 2}, 2, {}, 1},
                        {{9, 9, 9}, {2, 2, 2}, 0, {}, 1}};
  for (const Case& c : cases) {
    for (const std::string shape : {"uniform", "slab", "droplet"}) {
      const OwnedCharges system = molecules_in(c.length, shape, 300, c.tilt);
      FmmParameters parameters;
      parameters.order = 5, parameters.top_cells = c.top, parameters.levels = c.levels;
      parameters.most_shared_cells = c.most_shared_cells;
      const CoulombResult serial = on_first_rank(context, system.positions.size(), [&] {
        return FmmSolver(system.lattice, parameters).solve(system.view(), true);
      });
      for (const std::string method : {"grid", "bisection", "sampling"}) {
        CAPTURE(c.length.z);
        CAPTURE(c.tilt.xy);
        CAPTURE(shape);
        CAPTURE(method);
        const auto decomposition = make_decomposition(context, method, system);
        const Share share = share_of(*decomposition, context.rank(), system);
        FmmSolver solver(context, *decomposition, parameters);
        const Total total = together(context, share, solver.solve(share.charges.view(), true),
                                     system.positions.size());
        CHECK(relative_rms(total.forces, serial.forces) < 1e-13);
        CHECK(total.energy == doctest::Approx(serial.energy).epsilon(1e-12));
        for (std::size_t s = 0; s < 6; ++s) {
          CHECK(total.virial[s] ==
                doctest::Approx(serial.virial[s]).scale(std::abs(serial.energy)).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("charges that move after the cells were made; open and charged boxes; precisions") {
  const comm::Context context;
  OwnedCharges system = molecules_in({10, 11, 12}, "uniform", 400);
  for (Vec3& position : system.positions) position = 0.8 * position + Vec3{1, 1, 1};
  for (const bool periodic : {true, false}) {
    for (const FmmPrecision precision :
         {FmmPrecision::full, FmmPrecision::mixed, FmmPrecision::single}) {
      CAPTURE(periodic);
      FmmParameters parameters;
      parameters.order = 6, parameters.levels = 2, parameters.periodic = periodic;
      parameters.precision = precision;
      const auto decomposition = make_decomposition(context, "bisection", system);
      Share share = share_of(*decomposition, context.rank(), system);
      FmmSolver serial(system.lattice, parameters);
      FmmSolver distributed(context, *decomposition, parameters);
      serial.rebuild(system.view());
      distributed.rebuild(share.charges.view());
      std::vector<Vec3> moved = system.positions, own_moved;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i] += 0.1 * Vec3{std::sin(double(i)), std::cos(3.0 * double(i)), 0.7};
      }
      for (const std::size_t i : share.index) own_moved.push_back(moved[i]);
      serial.start({.positions = moved});
      const CoulombResult expected = serial.finish();
      distributed.start({.positions = own_moved});
      const Total total = together(context, share, distributed.finish(), system.positions.size());
      const double tolerance = precision == FmmPrecision::full ? 1e-13 : 1e-6;
      CHECK(relative_rms(total.forces, expected.forces) < tolerance);
      CHECK(total.energy == doctest::Approx(expected.energy).epsilon(10 * tolerance));

      const CoulombResult anew =
          FmmSolver(system.lattice, parameters).solve({moved, system.charges, system.molecules});
      CHECK(relative_rms(total.forces, anew.forces) < 0.02);  // other cells, another truncation
    }
  }
}

TEST_CASE("against Ewald sums at the accuracy that was asked for, with molecules across borders") {
  const comm::Context context;
  const auto [system, exact, decomposition, share] = molecules_across_borders(context);
  for (const double accuracy : {1e-3, 1e-4}) {
    CAPTURE(accuracy);
    const auto checked = checked_fmm_parameters(
        context, *decomposition,
        FmmParameters::choose(system.lattice, true, system.positions.size(), accuracy, 2.0),
        share.charges.view(), accuracy);
    const Total total =
        together(context, share,
                 FmmSolver(context, *decomposition, checked.parameters).solve(share.charges.view()),
                 system.positions.size());
    const double error = relative_rms(total.forces, exact.forces);
    CHECK(error < accuracy);
    CHECK(error < 2.0 * checked.error);
    CHECK(total.energy == doctest::Approx(exact.energy).epsilon(accuracy));
  }
}

TEST_CASE("the fastest tree is accurate, and the same on all ranks") {
  const comm::Context context;
  const auto [system, exact, decomposition, share] = molecules_across_borders(context);
  constexpr double accuracy = 1e-3;
  // Of many ranks, messages alone would take the time, with few of the trees in question.
  const auto trials = FmmParameters::candidates(system.lattice, true, system.positions.size(),
                                                accuracy, 1.0, 0, 1, 4);
  REQUIRE(trials.size() > 1);
  const auto choose = [&](std::span<const FmmParameters> of, double wanted) {
    return fastest_fmm_parameters(context, *decomposition, of, share.charges.view(), wanted, "auto",
                                  {});
  };
  const auto fastest = choose(trials, accuracy);
  CHECK(fastest.error <= accuracy);
  const auto is_fastest = [&](const FmmParameters& trial) {
    return trial.top_cells == fastest.parameters.top_cells &&
           trial.levels == fastest.parameters.levels && trial.order <= fastest.parameters.order;
  };
  CHECK(std::ranges::any_of(trials, is_fastest));
  double cells[2] = {};  // the most and, with the other sign, the fewest of a rank
  for (const int along : fastest.parameters.top_cells) cells[0] = 65.0 * cells[0] + along;
  cells[1] = -cells[0];
  comm::ReductionBatch batch(context, "trees");
  batch.max(cells[0]).max(cells[1]).run();
  CHECK(cells[0] == -cells[1]);
  const Total total =
      together(context, share,
               FmmSolver(context, *decomposition, fastest.parameters).solve(share.charges.view()),
               system.positions.size());
  CHECK(relative_rms(total.forces, exact.forces) < accuracy);

  // What no tree reaches is left to the most accurate.
  double least = HUGE_VAL;
  constexpr double beyond = 1e-17;
  const auto two = std::span(trials).first(2);
  for (const FmmParameters& trial : two) {
    least = std::min(least, choose(std::span(&trial, 1), beyond).error);
  }
  CHECK(choose(two, beyond).error == doctest::Approx(least));
}

TEST_CASE("dipoles with charges, on any number of ranks as in one process") {
  const comm::Context context;
  OwnedCharges system = molecules_in({12, 12, 12}, "uniform", 300);
  add_dipoles(system, 0.3, 6);
  FmmParameters parameters;
  parameters.order = 5, parameters.levels = 2, parameters.dipoles = true;
  for (const FmmPrecision precision :
       {FmmPrecision::full, FmmPrecision::mixed, FmmPrecision::single}) {
    parameters.precision = precision;
    const CoulombResult serial = FmmSolver(system.lattice, parameters).solve(system.view(), true);
    const auto decomposition = make_decomposition(context, "bisection", system);
    Share share = share_of(*decomposition, context.rank(), system);
    for (const std::size_t i : share.index) share.charges.dipoles.push_back(system.dipoles[i]);
    FmmSolver solver(context, *decomposition, parameters);
    const CoulombResult result = solver.solve(share.charges.view(), true);
    const Total total = together(context, share, result, system.positions.size());
    const double tolerance = precision == FmmPrecision::full ? 1e-12 : 1e-5;
    CHECK(relative_rms(total.forces, serial.forces) < tolerance);
    CHECK(total.energy == doctest::Approx(serial.energy).epsilon(tolerance));
    for (std::size_t s = 0; s < 6; ++s) {
      CHECK(total.virial[s] ==
            doctest::Approx(serial.virial[s]).scale(std::abs(serial.energy)).epsilon(tolerance));
    }
    for (std::size_t k = 0; k < share.index.size(); ++k) {
      const Vec3 difference = result.fields[k] - serial.fields[share.index[k]];
      CHECK(std::sqrt(dot(difference, difference)) < 10.0 * tolerance);
    }
  }
}

TEST_CASE("overlapping leaves: as in one process, also when charges move; the accuracy is kept") {
  const comm::Context context;
  struct Case {
    Vec3 length;
    std::array<int, 3> top;
    int levels;
    bool periodic;
  };
  for (const Case& c :
       {Case{{12, 12, 12}, {2, 2, 2}, 2, true}, Case{{9, 10, 24}, {2, 2, 5}, 1, false},
        Case{{12, 12, 12}, {2, 2, 2}, 2, false}, Case{{9, 9, 9}, {2, 2, 2}, 0, true}}) {
    OwnedCharges system = molecules_in(c.length, "uniform", 300);
    for (Vec3& position : system.positions) {
      if (!c.periodic) position = 0.8 * position + Vec3{1, 1, 1};
    }
    add_dipoles(system, 0.3, 6);
    FmmParameters parameters;
    parameters.order = 5, parameters.top_cells = c.top, parameters.levels = c.levels;
    parameters.periodic = c.periodic, parameters.dipoles = true;
    parameters.overlap = 0.2, parameters.travel = 0.4;
    std::vector<Vec3> moved = system.positions;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const auto phase = static_cast<double>(i / 2);
      moved[i] += 0.25 * Vec3{std::sin(phase), std::cos(3.0 * phase), 0.7};
    }
    FmmSolver serial(system.lattice, parameters);
    serial.rebuild(system.view());
    serial.start({.positions = moved, .dipoles = system.dipoles});
    const CoulombResult expected = serial.finish(true);
    for (const std::string method : {"grid", "bisection"}) {
      CAPTURE(c.length.z);
      CAPTURE(c.levels);
      CAPTURE(method);
      const auto decomposition = make_decomposition(context, method, system);
      Share share = share_of(*decomposition, context.rank(), system);
      std::vector<Vec3> own_moved;
      for (const std::size_t i : share.index) {
        share.charges.dipoles.push_back(system.dipoles[i]);
        own_moved.push_back(moved[i]);
      }
      FmmSolver solver(context, *decomposition, parameters);
      solver.rebuild(share.charges.view());
      solver.start({.positions = own_moved, .dipoles = share.charges.dipoles});
      const Total total = together(context, share, solver.finish(true), system.positions.size());
      CHECK(relative_rms(total.forces, expected.forces) < 1e-12);
      CHECK(total.energy == doctest::Approx(expected.energy).epsilon(1e-12));
      for (std::size_t s = 0; s < 6; ++s) {
        CHECK(total.virial[s] ==
              doctest::Approx(expected.virial[s]).scale(std::abs(expected.energy)).epsilon(1e-12));
      }
    }
  }

  const auto [system, exact, decomposition, share] = molecules_across_borders(context);
  for (const double accuracy : {1e-2, 1e-4}) {
    CAPTURE(accuracy);
    FmmParameters trial =
        FmmParameters::choose(system.lattice, true, system.positions.size(), accuracy, 2.0);
    trial.overlap = 0.1;
    const auto checked =
        checked_fmm_parameters(context, *decomposition, trial, share.charges.view(), accuracy);
    CHECK(checked.parameters.overlap == 0.1);
    const Total total =
        together(context, share,
                 FmmSolver(context, *decomposition, checked.parameters).solve(share.charges.view()),
                 system.positions.size());
    const double error = relative_rms(total.forces, exact.forces);
    CHECK(error < accuracy);
    CHECK(error < 2.0 * checked.error);
  }
}

TEST_CASE("SPC/E configurations of NIST on all ranks: converged energy and forces") {
  // Energies by Ewald sums that are converged to 1e-14, e^2 per angstrom.
  constexpr double energies[] = {-3.514744864168, -7.518297319145};
  const comm::Context context;
  for (int number = 1; number <= 2; ++number) {
    CAPTURE(number);
    // Molecules of the files are cut at the border of the box: put together first.
    OwnedCharges whole = read_spce_configuration(number);
    if (whole.positions.empty()) {
      MESSAGE("skipped: ../shared/data/nist is not there");
      return;
    }
    const double length = whole.lattice.a.x;
    for (std::size_t i = 0; i < whole.positions.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const double first = whole.positions[i / 3 * 3][axis];
        double& x = whole.positions[i][axis];
        x -= length * std::round((x - first) / length);
      }
    }
    const auto reference = read_spce_forces(number);
    const auto decomposition = make_decomposition(context, "bisection", whole);
    const Share share = share_of(*decomposition, context.rank(), whole);
    for (const double accuracy : {1e-3, 1e-4, 1e-6, 1e-8}) {
      CAPTURE(accuracy);
      const auto checked = checked_fmm_parameters(
          context, *decomposition,
          FmmParameters::choose(whole.lattice, true, whole.positions.size(), accuracy, 2.0),
          share.charges.view(), accuracy);
      const Total total = together(
          context, share,
          FmmSolver(context, *decomposition, checked.parameters).solve(share.charges.view()),
          whole.positions.size());
      CHECK(relative_rms(total.forces, reference) < accuracy);
      CHECK(total.energy == doctest::Approx(energies[number - 1]).epsilon(accuracy));
    }
  }
}

TEST_CASE("what rounding takes from the accuracy is seen") {
  // Pairs of opposite charges close to each other, whose own force is taken off: of single precision
  // its rounding is left, more the farther the pairs are apart.
  const comm::Context context;
  for (const bool dilute : {false, true}) {
    CAPTURE(dilute);
    const double spacing = dilute ? 30.0 : 2.0, edge = 10.0 * spacing;
    OwnedCharges system;
    system.lattice = Lattice::orthorhombic({edge, edge, edge});
    for (int pair = 0; pair < 1000; ++pair) {
      const Vec3 at{0.5 + pair % 10, 0.5 + pair / 10 % 10, 0.5 + pair / 100};
      // Neither along one axis, nor all alike.
      const Vec3 half = (pair % 3 == 0 ? 1.0 : -1.0) * Vec3{0.3, 0.0, -0.4};
      system.add(spacing * at + half, 1.0);
      system.add(spacing * at - half, -1.0);
    }
    const auto decomposition = make_decomposition(context, "bisection", system);
    const Share share = share_of(*decomposition, context.rank(), system);
    const auto of_pairs = [&] {
      std::vector<Vec3> forces;
      for (std::size_t i = 0; i < share.index.size(); ++i) {
        const Vec3 apart = system.positions[share.index[i]] - system.positions[share.index[i] ^ 1];
        forces.push_back(apart);  // opposite unit charges at distance 1 pull
      }
      return forces;
    };
    FmmParameters trial =
        FmmParameters::choose(system.lattice, true, system.positions.size(), 1e-3, 3.0);
    REQUIRE(trial.precision == FmmPrecision::single);
    const auto checked = [&](bool keep_precision) {
      return checked_fmm_parameters(context, *decomposition, trial, share.charges.view(), 1e-3,
                                    "auto", of_pairs, keep_precision);
    };
    const CheckedFmmParameters chosen = checked(false), kept = checked(true);
    CHECK(chosen.parameters.precision == (dilute ? FmmPrecision::full : FmmPrecision::single));
    CHECK(chosen.error < 1e-3);
    CHECK(kept.parameters.precision == FmmPrecision::single);
    CHECK((kept.error > 1e-3) == dilute);
  }
}

TEST_CASE("the same bits with every method of exchange") {
  const comm::Context context;
  const OwnedCharges system = molecules_in({24, 24, 24}, "slab", 200);
  const auto decomposition = make_decomposition(context, "bisection", system);
  const Share share = share_of(*decomposition, context.rank(), system);
  FmmParameters parameters;
  parameters.order = 4, parameters.levels = 3, parameters.precision = FmmPrecision::single;
  const CoulombResult first =
      FmmSolver(context, *decomposition, parameters, "p2p").solve(share.charges.view());
  for (const auto& method : comm::neighbor_methods()) {
    if (!comm::why_neighbor_method_unavailable(context, method.name).empty()) continue;
    CAPTURE(method.name);
    FmmSolver solver(context, *decomposition, parameters, std::string(method.name));
    for (int round = 0; round < 3; ++round) {
      const CoulombResult result = solver.solve(share.charges.view());
      CHECK(result.energy == first.energy);
      CHECK(result.forces == first.forces);
    }
    for (const auto& verdict : solver.verdicts()) CHECK(verdict.method == method.name);
  }
}

TEST_CASE("the same bits of forces with energy and virial and without") {
  const comm::Context context;
  const OwnedCharges system = molecules_in({24, 24, 24}, "slab", 200);
  const auto decomposition = make_decomposition(context, "bisection", system);
  const Share share = share_of(*decomposition, context.rank(), system);
  const PointCharges charges = share.charges.view();
  FmmParameters parameters;
  parameters.order = 4, parameters.levels = 2;
  for (const FmmInstructionSet* set : available_fmm_kernels()) {
    for (const FmmPrecision precision : {FmmPrecision::single, FmmPrecision::full}) {
      CAPTURE(set->name);
      CAPTURE(name_of(precision));
      parameters.instruction_set = set->name, parameters.precision = precision;
      FmmSolver solver(context, *decomposition, parameters);
      solver.rebuild(charges);
      solver.start(charges);
      const CoulombResult whole = solver.finish(true, true);
      for (const bool with_virial : {false, true}) {
        solver.start(charges);
        CHECK(solver.finish(with_virial, false).forces == whole.forces);
        solver.start(charges);
        CHECK(solver.finish(with_virial, true).energy == whole.energy);
      }
    }
  }
}

TEST_CASE("Madelung constants on all ranks") {
  const comm::Context context;
  for (const Crystal& crystal : madelung_crystals()) {
    CAPTURE(crystal.name);
    const OwnedCharges system = repeated(crystal, 4, 0.1);
    const auto decomposition = make_decomposition(context, "grid", system);
    const Share share = share_of(*decomposition, context.rank(), system);
    FmmParameters parameters;
    parameters.order = 16, parameters.levels = 1;
    const Total total = together(
        context, share, FmmSolver(context, *decomposition, parameters).solve(share.charges.view()),
        system.positions.size());
    CHECK(total.energy / (0.5 * double(system.positions.size())) * crystal.nearest ==
          doctest::Approx(crystal.madelung).epsilon(1e-5));
  }
}
