#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "md/domain/decomposition_method.hpp"
#include "md/forces/coulomb/electrostatics.hpp"
#include "md/forces/coulomb/ewald_charge_solver.hpp"
#include "md/forces/coulomb/fmm/fmm_charge_solver.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Rigid molecules in a box of three lengths, denser where x is small.
struct Molecules {
  Vec3 box{10, 10.3, 9.8};
  Tilt tilt;
  std::vector<Component> components;
  std::vector<Vec3> centers;
  std::vector<Quaternion> orientations;
  std::vector<int> types;
};

Molecules random_molecules(std::vector<Component> components, int count) {
  Molecules molecules;
  molecules.components = std::move(components);
  std::mt19937_64 engine(29);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  for (int i = 0; i < count; ++i) {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    molecules.centers.push_back({0.6 * x * 10, y * 10.3, z * 9.8});
    const double a = normal(engine), b = normal(engine), c = normal(engine), d = normal(engine);
    molecules.orientations.push_back(Quaternion{a, b, c, d}.normalized());
    molecules.types.push_back(i % static_cast<int>(molecules.components.size()));
  }
  return molecules;
}

/// The options of the term, and of its solver.
struct Options : Electrostatics::Options {
  bool ewald = false;
  FmmOptions fmm;

  std::unique_ptr<ChargeSolver> make_solver(const ChargeSolverRequest& request) const {
    if (ewald) return std::make_unique<EwaldChargeSolver>(request);
    return std::make_unique<FmmChargeSolver>(request, fmm);
  }
};

struct Result {
  EnergyAndVirial sums;
  std::vector<Vec3> forces, torques;
  double measured_error = 0.0;
};

/// Of all ranks, on all; expansions are of `order`.
Result compute(const comm::Context& context, const Molecules& molecules, const Options& options,
               double order = 12) {
  DecompositionRequest request;
  request.box = {molecules.box, molecules.tilt};
  const auto decomposition = decomposition_method("grid").make(context, request);
  ParticleStore store;
  store.set_rotating(true);
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < molecules.centers.size(); ++i) {
    int image[3];
    const Vec3 at = request.box.wrap(molecules.centers[i], image);
    if (decomposition->owner(at) == context.rank()) index.push_back(i);
  }
  store.resize_local(index.size());
  for (std::size_t k = 0; k < index.size(); ++k) {
    int image[3];
    const Vec3 at = request.box.wrap(molecules.centers[index[k]], image);
    store.position[k] = {at.x, at.y, at.z, molecules.types[index[k]]};
    store.image[k] = {image[0], image[1], image[2]};
    store.orientation[k] = molecules.orientations[index[k]];
    store.id[k] = static_cast<std::int64_t>(index[k]) + 1;
    store.force[k] = store.torque[k] = {};
  }
  Electrostatics electrostatics(
      context, *decomposition, molecules.components, options,
      [&](const ChargeSolverRequest& asked) { return options.make_solver(asked); });
  // Double precision, one level of 4 x 4 x 4 cells, without a search for them.
  if (!options.ewald) electrostatics.restore(std::vector<double>{order, 2, 0, 4, 4, 4, 0});
  electrostatics.rebuild(store);
  electrostatics.start(store);
  Result result;
  electrostatics.finish(store, &result.sums);
  result.measured_error = electrostatics.measured_error();
  result.forces.resize(molecules.centers.size());
  result.torques.resize(molecules.centers.size());
  for (std::size_t k = 0; k < index.size(); ++k) {
    result.forces[index[k]] = store.force[k];
    result.torques[index[k]] = store.torque[k];
  }
  comm::ReductionBatch batch(context, "test");
  batch.sum(result.sums.energy)
      .sum(result.sums.virial, 6)
      .sum(&result.forces.data()->x, 3 * result.forces.size())
      .sum(&result.torques.data()->x, 3 * result.torques.size())
      .run();
  return result;
}

Component water() {
  Component component;
  component.name = "water";
  component.charges = {{{0.0, -0.1, 0.05}, -0.8}, {{0.8, 0.5, 0.0}, 0.4}, {{-0.8, 0.5, 0.0}, 0.4}};
  component.inertia = {1, 1, 2};
  return component;
}

Component polar(double moment) {
  Component component;
  component.name = "polar";
  component.charges = {{{0.0, 0.3, 0.0}, 0.5}, {{0.0, -0.3, 0.0}, -0.5}};
  component.dipoles = {{{0.2, 0.0, 0.1}, {0.0, 0.4 * moment, 0.9 * moment}}};
  component.inertia = {1, 1, 2};
  return component;
}

Component ion(double charge) {
  Component component;
  component.name = "ion";
  component.charges = {{{0.1, 0.0, -0.2}, charge}};
  component.inertia = {1, 1, 1};
  return component;
}

/// A point dipole away from the center, and nothing else.
Component dipole(double moment) {
  Component component;
  component.name = "dipole";
  component.dipoles = {{{0.1, 0.2, 0.0}, {0.6 * moment, 0.0, 0.8 * moment}}};
  component.inertia = {1, 1, 1};
  return component;
}

double relative(const std::vector<Vec3>& values, const std::vector<Vec3>& reference) {
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Vec3 d = values[i] - reference[i];
    difference += dot(d, d);
    size += dot(reference[i], reference[i]);
  }
  return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE("the virial tensor: slopes of the energy when centers are strained with the box") {
  const comm::Context context;
  const Molecules molecules = random_molecules({water(), ion(0.6), ion(-0.5)}, 150);
  constexpr double order = 7;  // slopes are those of the expansions, whatever their error
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    Options options;
    options.surroundings = surroundings;
    options.virial_tensor = true;
    const Result result = compute(context, molecules, options, order);
    for (int axis = 0; axis < 3; ++axis) {
      CAPTURE(axis);
      const auto energy = [&](double stretch) {
        Molecules strained = molecules;
        strained.box[axis] *= 1.0 + stretch;
        for (Vec3& center : strained.centers) center[axis] *= 1.0 + stretch;
        return compute(context, strained, options, order).sums.energy;
      };
      constexpr double step = 1e-4;
      const double slope = (energy(step) - energy(-step)) / (2.0 * step);
      // Exact where there is one level: below it each cell's virial lacks the degree behind the
      // last.
      CHECK(result.sums.virial[axis] ==
            doctest::Approx(-slope).scale(std::abs(result.sums.energy)).epsilon(1e-6));
    }
    // Without the tensor the same trace.
    options.virial_tensor = false;
    CHECK(compute(context, molecules, options, order).sums.virial_trace() ==
          doctest::Approx(result.sums.virial_trace()).epsilon(1e-12));
  }
}

TEST_CASE("charges, dipoles and both: the trace of the virial is minus the slope over the scale") {
  const comm::Context context;
  const std::vector<std::vector<Component>> mixtures{
      {water(), ion(0.6)}, {dipole(0.8), dipole(-0.5)}, {polar(0.7), ion(0.4), dipole(0.8)}};
  struct Case {
    const char* boundary;
    bool ewald;
  };
  for (std::size_t mixture = 0; mixture < mixtures.size(); ++mixture) {
    for (const bool oblique : {false, true}) {
      for (const auto& [boundary, ewald] :
           {Case{"conductor", false}, Case{"conductor", true}, Case{"vacuum", false},
            Case{"vacuum", true}, Case{"open", false}}) {
        CAPTURE(mixture);
        CAPTURE(oblique);
        CAPTURE(boundary);
        CAPTURE(ewald);
        Molecules molecules = random_molecules(mixtures[mixture], 40);
        // Away from the faces, for the open box.
        for (Vec3& center : molecules.centers) center = 0.7 * center + Vec3{2, 1.5, 1.5};
        if (oblique) molecules.tilt = {2.0, -1.0, 1.5};
        Options options;
        options.ewald = ewald;
        options.accuracy = 1e-7;
        options.periodic = boundary != std::string_view("open");
        if (boundary == std::string_view("vacuum")) options.surroundings = Surroundings::vacuum;
        constexpr double order = 7;
        const auto energy = [&](double stretch) {
          Molecules scaled = molecules;
          const double factor = 1.0 + stretch;
          scaled.box *= factor;
          for (double* tilt : {&scaled.tilt.xy, &scaled.tilt.xz, &scaled.tilt.yz}) *tilt *= factor;
          for (Vec3& center : scaled.centers) center *= factor;
          return compute(context, scaled, options, order).sums.energy;
        };
        constexpr double step = 1e-4;
        const double slope = (energy(step) - energy(-step)) / (2.0 * step);
        for (const bool tensor : {false, true}) {
          options.virial_tensor = tensor;
          const Result result = compute(context, molecules, options, order);
          CHECK(result.sums.virial_trace() ==
                doctest::Approx(-slope).scale(std::abs(result.sums.energy)).epsilon(1e-5));
        }
      }
    }
  }
}

TEST_CASE("what was chosen is kept, of earlier versions too, and chosen again for other wishes") {
  const comm::Context context;
  const std::vector<Component> components{ion(1.0), ion(-1.0)};
  DecompositionRequest request;
  request.box = {{10.0, 10.0, 10.0}};
  const auto decomposition = decomposition_method("grid").make(context, request);
  for (const bool ewald : {false, true}) {
    CAPTURE(ewald);
    Options options;
    options.ewald = ewald;
    const auto restored = [&](std::vector<double> state, bool measured) {
      options.fmm.tree = measured ? FmmTree::measured : FmmTree::modeled;
      Electrostatics electrostatics(
          context, *decomposition, components, options,
          [&](const ChargeSolverRequest& asked) { return options.make_solver(asked); });
      electrostatics.restore(state);
      return electrostatics.measured_error();
    };
    // Order, precision, levels and cells, or the accuracy of the sums, and the error; what was
    // wished.
    std::vector<double> state =
        ewald ? std::vector<double>{1e-5, 0.5} : std::vector<double>{9, 2, 0, 4, 4, 4, 0.5};
    CHECK(restored(state, false) == 0.5);
    state.insert(state.end(), {ewald ? 1.0 : 0.0, options.accuracy, 0, 0, -1, 0});
    CHECK(restored(state, false) == 0.5);
    // Ewald sums have no tree.
    CHECK(restored(state, true) == (ewald ? 0.5 : 0.0));
    state.push_back(1.0);
    CHECK(restored(state, true) == 0.5);
    CHECK(restored(state, false) == (ewald ? 0.5 : 0.0));
    // Numbers that are no state of the solver are not taken for one.
    state.push_back(0.0);
    CHECK(restored(state, true) == 0.0);
    options.ewald = !ewald;
    state.pop_back();
    CHECK(restored(state, true) == 0.0);
    options.ewald = ewald;
    options.accuracy *= 0.5;
    CHECK(restored(state, true) == 0.0);
  }
}

TEST_CASE("Ewald sums are as accurate as asked for, whatever the charges") {
  const comm::Context context;
  for (const auto& components : {std::vector{ion(1.0), ion(-1.0)}, std::vector{water()},
                                 std::vector{dipole(1.0)}, std::vector{polar(0.7), ion(0.4)}}) {
    for (const int count : {12, 40}) {
      for (const double accuracy : {1e-2, 1e-4, 1e-6}) {
        CAPTURE(components[0].name);
        CAPTURE(count);
        CAPTURE(accuracy);
        const Molecules molecules = random_molecules(components, count);
        Options options;
        options.ewald = true;
        options.accuracy = 1e-10;
        const Result exact = compute(context, molecules, options);
        options.accuracy = accuracy;
        const Result result = compute(context, molecules, options);
        CHECK(result.measured_error <= accuracy);
        // Of molecules, whose sites' forces cancel in part.
        CHECK(relative(result.forces, exact.forces) < 3 * accuracy);
      }
    }
  }
}

TEST_CASE("Ewald sums over the charges of all ranks, dipoles too") {
  const comm::Context context;
  const Molecules molecules = random_molecules({water(), ion(0.6), polar(0.7)}, 150);
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    Options options;
    options.surroundings = surroundings;
    options.virial_tensor = true;
    const Result expansions = compute(context, molecules, options);
    options.ewald = true;
    options.accuracy = 1e-8;
    const Result sums = compute(context, molecules, options);
    CHECK(sums.sums.energy == doctest::Approx(expansions.sums.energy).epsilon(1e-4));
    CHECK(relative(sums.forces, expansions.forces) < 1e-4);
    CHECK(relative(sums.torques, expansions.torques) < 1e-4);
    for (std::size_t s = 0; s < 6; ++s) {
      CHECK(sums.sums.virial[s] == doctest::Approx(expansions.sums.virial[s])
                                       .scale(std::abs(sums.sums.energy))
                                       .epsilon(1e-3));
    }
  }
}

TEST_CASE("an open box: the direct sum over all pairs, and an error for what leaves it") {
  const comm::Context context;
  Molecules molecules = random_molecules({water(), ion(0.6), ion(-0.5)}, 100);
  for (Vec3& center : molecules.centers) center = 0.7 * center + Vec3{2, 1.5, 1.5};
  std::vector<Vec3> positions, arms, forces(molecules.centers.size()), torques(forces.size());
  std::vector<double> charges;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < molecules.centers.size(); ++i) {
    for (const auto& site : molecules.components[std::size_t(molecules.types[i])].charges) {
      arms.push_back(molecules.orientations[i].to_lab(site.position));
      positions.push_back(molecules.centers[i] + arms.back());
      charges.push_back(site.charge);
      owners.push_back(i);
    }
  }
  double energy = 0.0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < positions.size(); ++j) {
      if (owners[i] == owners[j]) continue;
      const Vec3 d = positions[i] - positions[j];
      const double r2 = dot(d, d), pair = charges[i] * charges[j] / std::sqrt(r2);
      energy += 0.5 * pair;
      forces[owners[i]] += d * (pair / r2);
      torques[owners[i]] += cross(arms[i], d * (pair / r2));
    }
  }
  Options options;
  options.periodic = false;
  options.margin = 0.5;
  const Result result = compute(context, molecules, options);
  CHECK(result.sums.energy == doctest::Approx(energy).epsilon(1e-4));
  CHECK(relative(result.forces, forces) < 1e-4);
  CHECK(relative(result.torques, torques) < 1e-4);

  molecules.centers[7].y = 0.4;
  CHECK_THROWS_AS(compute(context, molecules, options), std::runtime_error);
  molecules.centers[7].y = molecules.box.y + 1.0;  // on the other side by now
  CHECK_THROWS_AS(compute(context, molecules, options), std::runtime_error);
}
