#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "md/observe/pressure_tensor.hpp"
#include "md/observe/profile.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const UnitSystem reduced = *UnitSystem::by_name("reduced");

/// A frame of hand-made particles, without pairs but for the virial that a test writes.
class Frame {
 public:
  explicit Frame(const Box& box)
      : box_(box),
        list_(LennardJones(parameters_, 1, 1.0, Truncation::shifted), Precision::double_precision,
              "auto") {}

  void add(const Vec3& position, const Vec3& velocity, std::int64_t type) {
    const std::size_t i = particles_.local_count();
    particles_.resize_local(i + 1);
    particles_.position[i] = {position.x, position.y, position.z, type};
    particles_.velocity[i] = velocity;
  }
  PairSums pairs;
  ObservedFrame observed() const {
    return {0, 0.0, box_, particles_, masses_, list_, pairs, tail_virial, kinetic_factor};
  }
  double tail_virial = 0.0;
  double kinetic_factor = 1.0;

 private:
  std::vector<LennardJones::PairParameters> parameters_{{1.0, 1.0}};
  Box box_;
  ParticleStore particles_;
  std::vector<double> masses_{1.0, 4.0};
  PairList list_;
};

std::vector<double> total(const comm::Context& context, Observer& observer) {
  std::vector<double> sums(observer.sums().begin(), observer.sums().end());
  if (!sums.empty()) {
    comm::ReductionBatch batch(context, "test");
    batch.sum(sums.data(), sums.size()).run();
  }
  return sums;
}

}  // namespace

TEST_CASE("a slab across the boundary of the box is found in the middle of its profile") {
  const comm::Context world;
  const Box box{{2.0, 4.0, 10.0}};
  Frame frame(box);
  // Two layers around z = 9.5, one of them beyond the boundary; a share for each rank.
  for (int k = 0; k < 12; ++k) {
    if (k % world.size() != world.rank()) continue;
    frame.add({0.1 * k, 0.3 * k, k % 2 == 0 ? 8.75 : 0.25}, {3.0, 0.0, 0.0}, 0);
  }
  Profile profile(world, 1, 2, 20, true, {"light", "heavy"}, reduced);
  profile.sample(frame.observed());
  profile.sample(frame.observed());
  const auto sums = total(world, profile);
  for (int bin = 0; bin < 20; ++bin) {
    // The layers lie 0.75 beside the middle; 6 particles in a slice of 2 x 4 x 0.5.
    const double expected = bin == 8 || bin == 11 ? 6.0 / 4.0 : 0.0;
    CAPTURE(bin);
    CHECK(profile.density(sums, 0, bin) == doctest::Approx(expected));
    CHECK(profile.density(sums, 1, bin) == 0.0);
  }
  const std::string text = profile.report(sums).text;
  // m v^2 = 9 for each particle: T = 3.
  CHECK(text.find("4.25 1.5 0 3\n") != std::string::npos);
}

TEST_CASE("a profile that is not centered, along x, of two types") {
  const comm::Context world;
  Frame frame(Box{{8.0, 2.0, 2.0}});
  if (world.rank() == 0) frame.add({7.9, 0.0, 0.0}, {0.0, 1.0, 1.0}, 1);
  Profile profile(world, 1, 0, 4, false, {"light", "heavy"}, reduced);
  profile.sample(frame.observed());
  const auto sums = total(world, profile);
  CHECK(profile.density(sums, 1, 3) == doctest::Approx(1.0 / 8.0));
  CHECK(profile.density(sums, 0, 3) == 0.0);
  CHECK(profile.report(sums).text.find("7 0 0.125 2.6666667\n") != std::string::npos);
}

TEST_CASE("the pressure tensor of known velocities and virials, and the surface tension") {
  const comm::Context world;
  Frame frame(Box{{2.0, 5.0, 10.0}});
  if (world.rank() == world.size() - 1) {
    frame.add({1.0, 1.0, 1.0}, {1.0, 2.0, 3.0}, 0);
    frame.add({1.0, 1.0, 1.0}, {0.0, 1.0, -1.0}, 1);
    for (int k = 0; k < 6; ++k) frame.pairs.virial[k] = 10.0 * (k + 1);
  }
  frame.tail_virial = -30.0;
  frame.kinetic_factor = 1.5;
  PressureTensor tensor(world, 1, 2, reduced);
  tensor.sample(frame.observed());
  tensor.sample(frame.observed());
  const double expected[] = {(1.5 * 1.0 + 10.0 - 10.0) / 100.0,  (1.5 * 8.0 + 20.0 - 10.0) / 100.0,
                             (1.5 * 13.0 + 30.0 - 10.0) / 100.0, (1.5 * 2.0 + 40.0) / 100.0,
                             (1.5 * 3.0 + 50.0) / 100.0,         (1.5 * 2.0 + 60.0) / 100.0};
  for (std::size_t k = 0; k < 6; ++k) {
    CAPTURE(k);
    CHECK(tensor.components()[k].mean() == doctest::Approx(expected[k]));
  }
  CHECK(tensor.surface_tension().mean() ==
        doctest::Approx(5.0 * (expected[2] - 0.5 * (expected[0] + expected[1]))));

  SUBCASE("goes on from what a checkpoint kept") {
    PressureTensor other(world, 1, 2, reduced);
    other.set_common(tensor.common());
    other.sample(frame.observed());
    tensor.sample(frame.observed());
    CHECK(other.report({}).text == tensor.report({}).text);
    CHECK(other.components()[0].count() == 3);
  }
}
