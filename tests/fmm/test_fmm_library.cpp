// sterna::fmm: potentials, fields, energy and virial against sums over pairs and Ewald's sums, with the
// particles on any ranks, and what wrong calls give.

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fmm/sums_over_charges.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/error.hpp"
#include "sterna/comm/reduction_batch.hpp"
#include "sterna/fmm.hpp"

using namespace sterna;
using judge::Charges;
using judge::Edges;
using judge::rms;
using judge::Solution;

namespace {

/// The rank that has charge i, of so many charges.
using Holder = std::function<int(std::size_t i, std::size_t count)>;

Holder in_turn(const comm::Context& context) {
  return [&](std::size_t i, std::size_t) {
    return static_cast<int>(i % static_cast<std::size_t>(context.size()));
  };
}
/// All charges on the last rank, which others lack.
Holder on_the_last(const comm::Context& context) {
  return [&](std::size_t, std::size_t) { return context.size() - 1; };
}
/// Each rank has half of what the ranks before it have left, and rank 1 nothing.
Holder unequal(const comm::Context& context) {
  return [&](std::size_t i, std::size_t count) {
    int rank = 0;
    std::size_t left = count;
    while (rank + 1 < context.size() && i >= count - left + left / 2) {
      left -= left / 2;
      ++rank;
    }
    return rank == 1 ? 0 : rank;
  };
}

struct Computed {
  Solution all;
  fmm::Sums sums;
};

/// Computes with a solver; every rank gets the results of all charges.
Computed compute(const comm::Context& context, fmm::Solver& solver, const Charges& system,
                 const Holder& holder, bool with_fields = true, bool with_virial = false) {
  Charges own;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < system.size(); ++i) {
    if (holder(i, system.size()) != context.rank()) continue;
    own.add(system.at(i), system.charges[i]);
    index.push_back(i);
  }
  std::vector<double> potentials(own.size(), -1.0);
  std::vector<double> fields(with_fields ? 3 * own.size() : 0, -1.0);
  Computed computed{Solution(system.size()), {}};
  computed.sums = solver.compute(own.positions, own.charges, potentials, fields, with_virial);
  for (std::size_t k = 0; k < index.size(); ++k) {
    computed.all.potentials[index[k]] = potentials[k];
    for (std::size_t axis = 0; axis < 3 && with_fields; ++axis) {
      computed.all.fields[3 * index[k] + axis] = fields[3 * k + axis];
    }
  }
  comm::ReductionBatch batch(context, "results");
  batch.sum(computed.all.potentials.data(), computed.all.potentials.size());
  batch.sum(computed.all.fields.data(), computed.all.fields.size());
  batch.run();
  computed.all.energy = computed.sums.energy;
  return computed;
}

double field_error(const Solution& a, const Solution& judge) {
  return rms(a.fields, judge.fields, 3) / rms(judge.fields, 3);
}
double potential_error(const Solution& a, const Solution& judge) {
  return rms(a.potentials, judge.potentials, 1) / rms(judge.potentials, 1);
}

constexpr Edges cube{{{7.0, 0, 0}, {0, 7.0, 0}, {0, 0, 7.0}}};

/// A box with a name, and the shortest edges of its lattice.
struct NamedBox {
  const char* name;
  Edges shortest, edges;
  explicit NamedBox(const char* called, const Edges& given)
      : name(called), shortest(given), edges(given) {}
  /// Adds edges to edges.
  NamedBox(const char* called, const Edges& given, double b_per_a, double c_per_a, double c_per_b)
      : NamedBox(called, given) {
    for (std::size_t k = 0; k < 3; ++k) {
      edges[2][k] += c_per_a * given[0][k] + c_per_b * given[1][k];
      edges[1][k] += b_per_a * given[0][k];
    }
  }
};

const std::vector<NamedBox> boxes{
    NamedBox("cuboid", {{{6.0, 0, 0}, {0, 8.0, 0}, {0, 0, 7.0}}}),
    NamedBox("oblique", {{{7.0, 0, 0}, {2.1, 6.5, 0}, {-1.7, 2.4, 7.5}}}),
    NamedBox("hexagonal, turned", {{{0, 0, 7.0}, {0, 6.0621778264910704, 3.5}, {7.0, 0, 0}}}),
    NamedBox("left-handed", {{{0, 7.0, 0}, {6.5, 0.7, 0.3}, {0.5, 0.2, 7.2}}}),
    NamedBox("far from the shortest edges", {{{7.0, 0, 0}, {1.0, 6.5, 0.5}, {1.0, 0.5, 7.5}}}, 10,
             -5, 9)};

/// The judges' sums, which the ranks share out.
Solution on_all(const comm::Context& context, const Charges& system, Solution own) {
  comm::ReductionBatch batch(context, "judge");
  batch.sum(own.potentials.data(), own.potentials.size());
  batch.sum(own.fields.data(), own.fields.size());
  batch.run();
  own.sum_energy(system);
  return own;
}
judge::Part part_of(const comm::Context& context) {
  return {static_cast<std::size_t>(context.rank()), static_cast<std::size_t>(context.size())};
}
Solution by_pairs(const comm::Context& context, const Charges& system) {
  return on_all(context, system, judge::direct(system, part_of(context)));
}
Solution by_ewald(const comm::Context& context, const Charges& system, const Edges& edges,
                  bool in_vacuum = false) {
  return on_all(context, system, judge::ewald(system, edges, in_vacuum, part_of(context)));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const comm::Error& error) {
    return error.what();
  }
  return "no error";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("open: the sums over pairs, to the accuracy and the error that it tells") {
  const comm::Context context;
  const Charges system = judge::random(cube, 2500, 3.0, 1);
  const Solution exact = by_pairs(context, system);
  for (const double accuracy : {1e-3, 1e-6}) {
    CAPTURE(accuracy);
    fmm::Solver solver(context, {.accuracy = accuracy});
    const Computed found = compute(context, solver, system, in_turn(context));
    const double of_fields = field_error(found.all, exact);
    CHECK(solver.errors().field <= accuracy);
    CHECK(of_fields < 1.2 * accuracy);
    CHECK(of_fields > 1e-3 * accuracy);  // there is a far field
    // The error is measured by a computation that has an error, too.
    CHECK(solver.errors().field == doctest::Approx(of_fields).epsilon(0.2));
    CHECK(solver.errors().potential ==
          doctest::Approx(potential_error(found.all, exact)).epsilon(0.2));
    CHECK(std::abs(found.sums.energy - exact.energy) <
          5.0 * solver.errors().absolute_energy + 1e-12 * std::abs(exact.energy));
  }
}

TEST_CASE("open: wherever the charges are, and as flat as they are") {
  const comm::Context context;
  Charges system = judge::random(cube, 300, 0.0, 2);
  for (const double thickness : {1.0, 0.01, 0.0}) {
    CAPTURE(thickness);
    Charges moved = system;
    for (std::size_t i = 0; i < system.size(); ++i) {
      moved.positions[3 * i] -= 1000.0;
      moved.positions[3 * i + 2] = 0.25 + thickness * system.positions[3 * i + 2];
    }
    const Solution exact = by_pairs(context, moved);
    fmm::Solver solver(context, {.accuracy = 1e-5});
    CHECK(field_error(compute(context, solver, moved, unequal(context)).all, exact) < 1.2e-5);
  }
}

TEST_CASE("periodic: Ewald's sums in boxes of all shapes, with a net charge") {
  const comm::Context context;
  constexpr double accuracy = 1e-6;
  for (const NamedBox& box : boxes) {
    CAPTURE(std::string(box.name));
    const Charges system = judge::random(box.shortest, 100, 0.7, 3);
    const Solution exact = by_ewald(context, system, box.shortest);
    fmm::Solver solver(context, box.edges, {.accuracy = accuracy});
    const Computed found = compute(context, solver, system, unequal(context));
    CHECK(solver.errors().field <= accuracy);
    CHECK(field_error(found.all, exact) < 1.2 * accuracy);
    CHECK(potential_error(found.all, exact) < 2.0 * accuracy);
    CHECK(found.sums.energy == doctest::Approx(exact.energy).epsilon(1e-5));
  }
}

TEST_CASE("periodic: the virial is minus the slope of Ewald's energy by strains") {
  const comm::Context context;
  for (const NamedBox& box : {boxes[1], boxes[3]}) {
    CAPTURE(std::string(box.name));
    const Charges system = judge::random(box.shortest, 30, 0.7, 3);
    fmm::Solver solver(context, box.edges, {.accuracy = 1e-6});
    const Computed found = compute(context, solver, system, in_turn(context), true, true);
    const double scale = std::abs(found.sums.energy);
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b) {
        const auto energy = [&](double by) {
          const auto strain = [&](double* vector) {
            const double x = vector[a], y = vector[b];
            vector[a] += 0.5 * by * y;
            vector[b] += 0.5 * by * x;
          };
          Charges strained = system;
          Edges edges = box.shortest;
          for (std::size_t i = 0; i < system.size(); ++i) strain(&strained.positions[3 * i]);
          for (auto& edge : edges) strain(edge.data());
          return by_ewald(context, strained, edges).energy;
        };
        const double slope = (energy(1e-3) - energy(-1e-3)) / 2e-3;
        const auto& virial = found.sums.virial;
        CHECK(virial[3 * a + b] == doctest::Approx(-slope).scale(scale).epsilon(2e-5));
        CHECK(virial[3 * b + a] == doctest::Approx(virial[3 * a + b]).scale(scale).epsilon(1e-12));
      }
  }
}

TEST_CASE("periodic, in vacuum: the dipole term, of positions as they are given") {
  const comm::Context context;
  Charges system = judge::random(cube, 100, 0.0, 4);
  for (std::size_t i = 0; i < system.size(); i += 7) system.positions[3 * i] += 14.0;
  const Solution exact = by_ewald(context, system, cube, true);
  fmm::Options options;
  options.accuracy = 1e-6;
  options.surroundings = fmm::Surroundings::vacuum;
  fmm::Solver solver(context, cube, options);
  const Computed found = compute(context, solver, system, in_turn(context));
  CHECK(field_error(found.all, exact) < 1.2e-6);
  CHECK(found.sums.energy == doctest::Approx(exact.energy).epsilon(1e-6));
}

TEST_CASE("rock salt has Madelung's constant, though its fields are 0") {
  const comm::Context context;
  Charges crystal;
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 8; ++z) {
        crystal.add({x + 0.25, y + 0.25, z + 0.25}, (x + y + z) % 2 == 0 ? 1.0 : -1.0);
      }
  const Edges box{{{8.0, 0, 0}, {0, 8.0, 0}, {0, 0, 8.0}}};
  fmm::Solver solver(context, box, {.accuracy = 1e-9, .tolerance = fmm::Tolerance::potential});
  const Computed found = compute(context, solver, crystal, in_turn(context));
  CHECK(found.sums.energy / 256.0 == doctest::Approx(-1.7475645946332).epsilon(1e-9));
  CHECK(rms(found.all.fields, 3) < 1e-7);
}

TEST_CASE("the same results on whatever rank the charges are") {
  const comm::Context context;
  const Charges system = judge::random(cube, 400, 0.0, 5);
  fmm::Solver solver(context, cube, {.accuracy = 1e-7});
  const Computed first = compute(context, solver, system, in_turn(context));
  for (const Holder& holder : {on_the_last(context), unequal(context)}) {
    const Computed other = compute(context, solver, system, holder);
    CHECK(other.sums.energy == doctest::Approx(first.sums.energy).epsilon(1e-12));
    CHECK(field_error(other.all, first.all) < 1e-12);
  }
  // Without fields and with the virial the potentials have the same bits.
  const Computed again = compute(context, solver, system, in_turn(context));
  const Computed without = compute(context, solver, system, in_turn(context), false, true);
  CHECK(without.all.potentials == again.all.potentials);
}

TEST_CASE("charges in clusters, and regions that follow them") {
  const comm::Context context;
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal(0.0, 0.4);
  Charges system;
  for (int i = 0; i < 400; ++i) {
    const double center = i % 3 == 0 ? 1.0 : 5.5;
    system.add({center + normal(engine), center + normal(engine), 2.0 + normal(engine)},
               i % 2 == 0 ? 1.0 : -0.8);
  }
  const Solution exact = by_pairs(context, system);
  fmm::Solver open(context, {.accuracy = 1e-6});
  fmm::Solver periodic(context, cube, {.accuracy = 1e-6});
  const Solution with_images = by_ewald(context, system, cube);
  for (int repeat = 0; repeat < 3; ++repeat) {
    CHECK(field_error(compute(context, open, system, on_the_last(context)).all, exact) < 1.2e-6);
    CHECK(field_error(compute(context, periodic, system, in_turn(context)).all, with_images) <
          1.2e-6);
  }
}

TEST_CASE("moving charges, other boxes and other numbers of charges, call after call") {
  const comm::Context context;
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal(0.0, 0.5);
  Charges system = judge::random(cube, 80, 0.0, 8);
  Edges edges = cube;
  fmm::Solver open(context, {.accuracy = 1e-5});
  fmm::Solver periodic(context, edges, {.accuracy = 1e-5});
  for (int step = 0; step < 8; ++step) {
    CAPTURE(step);
    for (double& x : system.positions) x += normal(engine);
    if (step == 3) edges[1] = {3.0, 6.5, 0.0};
    if (step == 5) edges[2] = {0.0, 0.0, 14.0};
    periodic.set_box(edges);
    if (step == 6) {
      const Charges more = judge::random(edges, 170, 0.0, 9);
      for (std::size_t i = 0; i < more.size(); ++i) system.add(more.at(i), more.charges[i]);
    }
    // Those that have left the box are in another image.
    const Holder holder = step % 2 == 0 ? in_turn(context) : unequal(context);
    const Computed in_open = compute(context, open, system, holder);
    CHECK(field_error(in_open.all, by_pairs(context, system)) < 2e-5);
    const Computed in_box = compute(context, periodic, system, holder);
    CHECK(field_error(in_box.all, by_ewald(context, system, edges)) < 2e-5);
  }
}

TEST_CASE("each tolerance is reached") {
  const comm::Context context;
  const Charges system = judge::random(cube, 2000, 0.0, 10);
  const Solution exact = by_pairs(context, system);
  struct Wanted {
    fmm::Tolerance tolerance;
    double accuracy, size;
    double (*error)(const Solution& found, const Solution& exact);
  };
  const auto of_fields = [](const Solution& a, const Solution& b) {
    return rms(a.fields, b.fields, 3);
  };
  const auto of_potentials = [](const Solution& a, const Solution& b) {
    return rms(a.potentials, b.potentials, 1);
  };
  const auto of_energy = [](const Solution& a, const Solution& b) {
    return std::abs(a.energy - b.energy);
  };
  const Wanted all[] = {
      {fmm::Tolerance::field, 1e-7, rms(exact.fields, 3), of_fields},
      {fmm::Tolerance::absolute_field, 1e-7, 1.0, of_fields},
      {fmm::Tolerance::potential, 1e-7, rms(exact.potentials, 1), of_potentials},
      {fmm::Tolerance::absolute_potential, 1e-7, 1.0, of_potentials},
      {fmm::Tolerance::energy, 1e-8, std::abs(exact.energy), of_energy},
      {fmm::Tolerance::absolute_energy, 1e-3, 1.0, of_energy},
  };
  for (const Wanted& wanted : all) {
    CAPTURE(static_cast<int>(wanted.tolerance));
    fmm::Solver solver(context, {.accuracy = wanted.accuracy, .tolerance = wanted.tolerance});
    const Computed found = compute(context, solver, system, in_turn(context));
    CHECK(wanted.error(found.all, exact) < 1.2 * wanted.accuracy * wanted.size);
  }
  // A given order is kept, and its error told.
  fmm::Options options;
  options.order = 5;
  fmm::Solver solver(context, options);
  const Computed found = compute(context, solver, system, in_turn(context));
  CHECK(solver.order() == 5);
  CHECK(solver.errors().field == doctest::Approx(field_error(found.all, exact)).epsilon(0.2));
}

TEST_CASE("charges of 0 are places where potentials and fields are wanted") {
  const comm::Context context;
  Charges system = judge::random(cube, 200, 0.0, 11);
  for (std::size_t i = 0; i < system.size(); i += 2) system.charges[i] = 0.0;
  const Solution exact = by_ewald(context, system, cube);
  fmm::Solver solver(context, cube, {.accuracy = 1e-6});
  const Computed found = compute(context, solver, system, in_turn(context));
  CHECK(field_error(found.all, exact) < 1.2e-6);
  CHECK(potential_error(found.all, exact) < 2e-6);
}

TEST_CASE("none, one and two charges") {
  const comm::Context context;
  Charges system;
  fmm::Solver open(context), periodic(context, cube, {.accuracy = 1e-8});
  for (fmm::Solver* const solver : {&open, &periodic}) {
    CHECK(compute(context, *solver, system, in_turn(context)).sums.energy == 0.0);
  }
  system.add({1.0, 2.0, 3.0}, 2.0);
  // Many ranks have a deep tree, whose transforms round.
  const double lone = compute(context, open, system, in_turn(context)).all.potentials[0];
  CHECK(std::abs(lone) < 1e-12);
  // A charge among its images, in the background: Wigner's constant.
  const double alone = compute(context, periodic, system, in_turn(context)).all.potentials[0];
  CHECK(alone == doctest::Approx(-2.837297479 * 2.0 / 7.0).epsilon(1e-8));
  system.add({1.0, 2.0, 5.0}, -1.0);
  const Computed pair = compute(context, open, system, in_turn(context));
  CHECK(pair.sums.energy == doctest::Approx(-1.0).epsilon(1e-5));
  CHECK(pair.all.fields[2] == doctest::Approx(0.25).epsilon(1e-5));
  CHECK(pair.all.fields[5] == doctest::Approx(0.5).epsilon(1e-5));
}

TEST_CASE("a solver that is moved") {
  const comm::Context world;
  const Charges system = judge::random(cube, 200, 0.0, 12);
  fmm::Solver solver(world, cube);
  fmm::Solver moved(std::move(solver));
  CHECK(field_error(compute(world, moved, system, in_turn(world)).all,
                    by_ewald(world, system, cube)) < 1.2e-5);
  CHECK(!moved.verdicts().empty());
  CHECK(holds(moved.description(), "order " + std::to_string(moved.order())));
}

TEST_CASE("what is wrong on one rank is an error on all, and the solver goes on") {
  const comm::Context context;
  const Charges system = judge::random(cube, 60, 0.0, 13);
  fmm::Solver solver(context, cube);
  const bool last = context.rank() + 1 == context.size();
  const auto compute_with = [&](std::vector<double> positions, std::vector<double> charges,
                                std::size_t potentials, std::size_t fields) {
    return message_of([&] {
      std::vector<double> phi(potentials), field(fields);
      solver.compute(positions, charges, phi, field);
    });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(holds(compute_with({1, 2, last ? nan : 3}, {1}, 1, 3), "a coordinate is not finite"));
  CHECK(holds(compute_with({1, 2, 3}, {last ? HUGE_VAL : 1}, 1, 3), "a charge is not finite"));
  CHECK(holds(compute_with({1, 2, 3}, std::vector<double>(last ? 2 : 1, 1.0), 1, 3),
              "3 coordinates for 2 charges, expected three for each"));
  CHECK(holds(compute_with({1, 2, 3}, {1}, last ? 0 : 1, 3), "0 potentials for 1 charges"));
  CHECK(holds(compute_with({1, 2, 3}, {1}, 1, last ? 1 : 3), "1 components of fields"));
  // Two charges in one place, on two ranks if there are.
  CHECK(holds(compute_with({1, 2, 3, 1, 2, 3}, {1, 1}, 2, 6), "two charges lie in one place"));
  if (context.size() > 1) {
    CHECK(holds(compute_with({1, 2, 3}, {1}, 1, 3), "two charges lie in one place"));
  }
  CHECK(field_error(compute(context, solver, system, in_turn(context)).all,
                    by_ewald(context, system, cube)) < 1.2e-5);

  CHECK(holds(message_of([&] { fmm::Solver bad(context, {.accuracy = 0.0}); }), "accuracy of 0"));
  fmm::Options order;
  order.order = 33;
  CHECK(holds(message_of([&] { fmm::Solver bad(context, order); }), "an order of 33"));
  CHECK(holds(message_of([&] {
                fmm::Solver bad(context, Edges{{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}});
              }),
              "do not lie in one plane"));
  CHECK(holds(message_of([&] {
                solver.set_box(Edges{{{1, 0, 0}, {0, nan, 0}, {0, 0, 1}}});
              }),
              "finite vectors"));
  fmm::Solver open(context);
  CHECK(holds(message_of([&] { open.set_box(cube); }), "no box"));
  fmm::Solver demanding(context, cube, {.accuracy = 1e-18});
  CHECK(holds(message_of([&] { compute(context, demanding, system, in_turn(context)); }),
              "cannot be had"));
  fmm::Options exchange;
  exchange.exchange = "p2pp";
  fmm::Solver misspelled(context, cube, exchange);
  CHECK(holds(message_of([&] { compute(context, misspelled, system, in_turn(context)); }), "p2p"));
}
