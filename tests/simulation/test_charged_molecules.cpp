#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "md/domain/decomposition_method.hpp"
#include "md/simulation/electrostatics.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// Rigid molecules in a box of three lengths, denser where x is small.
struct Molecules {
  Vec3 box{10, 10.3, 9.8};
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

struct Result {
  PairSums sums;
  std::vector<Vec3> forces, torques;
};

/// Of all ranks, on all.
Result compute(const comm::Context& context, const Molecules& molecules,
               const Electrostatics::Options& options) {
  DecompositionRequest request;
  request.box = {molecules.box};
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
    store.force[k] = store.torque[k] = {};
  }
  Electrostatics electrostatics(context, *decomposition, molecules.components, options);
  // Order 18, double precision, one level below 2 x 2 x 2 cells, without a search for them.
  electrostatics.restore(std::vector<double>{18, 2, 1, 2, 2, 2, 0});
  electrostatics.rebuild(store);
  electrostatics.start(store);
  Result result;
  electrostatics.finish(store, &result.sums);
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

Component ion(double charge) {
  Component component;
  component.name = "ion";
  component.charges = {{{0.1, 0.0, -0.2}, charge}};
  component.inertia = {1, 1, 1};
  return component;
}

}  // namespace

TEST_CASE("the virial tensor: slopes of the energy when centers are strained with the box") {
  const comm::Context context;
  const Molecules molecules = random_molecules({water(), ion(0.6), ion(-0.5)}, 150);
  for (const auto surroundings : {Surroundings::conductor, Surroundings::vacuum}) {
    Electrostatics::Options options;
    options.surroundings = surroundings;
    options.virial_tensor = true;
    const Result result = compute(context, molecules, options);
    for (int axis = 0; axis < 3; ++axis) {
      CAPTURE(axis);
      const auto energy = [&](double stretch) {
        Molecules strained = molecules;
        strained.box[axis] *= 1.0 + stretch;
        for (Vec3& center : strained.centers) center[axis] *= 1.0 + stretch;
        return compute(context, strained, options).sums.energy;
      };
      constexpr double step = 1e-4;
      const double slope = (energy(step) - energy(-step)) / (2.0 * step);
      CHECK(result.sums.virial[axis] ==
            doctest::Approx(-slope).scale(std::abs(result.sums.energy)).epsilon(1e-4));
    }
    // Without the tensor the same trace.
    options.virial_tensor = false;
    CHECK(compute(context, molecules, options).sums.virial_trace() ==
          doctest::Approx(result.sums.virial_trace()).epsilon(1e-12));
  }
}
