#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "md/core/random.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/dielectric.hpp"
#include "md/observe/diffusion.hpp"
#include "md/observe/multi_tau_correlator.hpp"
#include "md/observe/pressure_tensor.hpp"
#include "md/observe/profile.hpp"
#include "md/observe/viscosity.hpp"
#include "sterna/comm/context.hpp"
#include "sterna/comm/reduction_batch.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

const UnitSystem reduced = *UnitSystem::by_name("reduced");

/// A frame of hand-made particles, without pairs but for the virial that a test writes.
class HandMadeFrame {
 public:
  explicit HandMadeFrame(const Box& box, bool rotating = false) : box_(box) {
    state_.temperature = 0.5;
    particles_.set_rotating(rotating);
  }

  void add(const Vec3& position, const Vec3& velocity, std::int64_t type) {
    const std::size_t i = particles_.local_count();
    particles_.resize_local(i + 1);
    particles_.position[i] = {position.x, position.y, position.z, type};
    particles_.velocity[i] = velocity;
  }
  /// Unwrapped; the store has it in the box, and its image.
  void add_at(const Vec3& unwrapped, std::int64_t id, std::int64_t type) {
    int image[3];
    add(box_.wrap(unwrapped, image), {}, type);
    particles_.id[particles_.local_count() - 1] = id;
    particles_.image[particles_.local_count() - 1] = {image[0], image[1], image[2]};
  }
  void add_turned(const Quaternion& orientation, std::int64_t type) {
    add({}, {}, type);
    particles_.orientation[particles_.local_count() - 1] = orientation;
  }
  EnergyAndVirial sums;
  Frame observed() const {
    return {step, 0.0, box_, particles_, masses_, state_, list_, sums, tail_virial, kinetic_factor};
  }
  std::int64_t step = 0;
  double tail_virial = 0.0;
  double kinetic_factor = 1.0;

 private:
  Box box_;
  ParticleStore particles_;
  std::vector<double> masses_{1.0, 4.0};
  ThermodynamicState state_;
  PairList list_{"auto"};
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

TEST_CASE("dipoles that know nothing of each other have Debye's permittivity") {
  // epsilon = 1 + 4 pi density mu^2 / (3 kT) in a conductor (Debye 1929); in vacuum Clausius and
  // Mossotti's (epsilon - 1) / (epsilon + 2) = 4 pi density mu^2 / (9 kT).
  const comm::Context world;
  const Box box{{5.0, 5.0, 5.0}};
  constexpr int molecules = 60, frames = 600;
  const double mu = 0.4, density = molecules / box.volume(), kT = 0.5;
  const Vec3 dipole{0.0, 0.6 * mu, 0.8 * mu};
  const std::vector<Vec3> dipoles{dipole, {}};
  Dielectric conductor(world, 1, dipoles, 1e10, reduced), vacuum(world, 1, dipoles, 1.0, reduced);
  const RandomStream stream(11, RandomPurpose::orientation);
  for (int step = 0; step < frames; ++step) {
    HandMadeFrame frame(box, true);
    for (int id = 0; id < molecules; ++id) {
      if (id % world.size() != world.rank()) continue;
      auto sequence =
          stream.sequence(static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(step));
      Quaternion q;  // normal deviates have no direction
      q = {sequence.normal(), sequence.normal(), sequence.normal(), sequence.normal()};
      frame.add_turned(q.normalized(), 0);
      frame.add_turned({}, 1);  // without a dipole
    }
    conductor.sample(frame.observed());
    vacuum.sample(frame.observed());
  }
  const double y = 4.0 * std::numbers::pi * density * mu * mu / (9.0 * kT);
  const auto of = [](const ObserverReport& report, const std::string& name) {
    for (const auto& average : report.averages) {
      if (average.name == name) return average;
    }
    return ObserverReport::Average{name, 0.0, 0.0, ""};
  };
  const auto check = [&](const ObserverReport& report, const std::string& name, double expected) {
    const auto average = of(report, name);
    INFO(name, ": ", average.mean, " +- ", average.standard_error);
    CHECK(average.standard_error > 0.0);
    CHECK(average.standard_error < 0.1 * expected);
    CHECK(std::abs(average.mean - expected) < 4.0 * average.standard_error);
  };
  check(conductor.report({}), "kirkwood_factor", 1.0);
  check(conductor.report({}), "dipole_fluctuation", y);
  check(conductor.report({}), "permittivity", 1.0 + 3.0 * y);
  check(vacuum.report({}), "permittivity", (1.0 + 2.0 * y) / (1.0 - y));

  // Without a reaction field nobody knows the permittivity; and what was gathered can be kept.
  Dielectric resumed(world, 1, dipoles, std::nullopt, reduced);
  CHECK(resumed.report({}).averages.empty());
  resumed.set_common(conductor.common());
  CHECK(resumed.common() == conductor.common());
  CHECK(of(resumed.report({}), "kirkwood_factor").mean ==
        of(conductor.report({}), "kirkwood_factor").mean);
  CHECK(of(resumed.report({}), "permittivity").mean == 0.0);
}

TEST_CASE("a slab across the boundary of the box is found in the middle of its profile") {
  const comm::Context world;
  const Box box{{2.0, 4.0, 10.0}};
  HandMadeFrame frame(box);
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
  HandMadeFrame frame(Box{{8.0, 2.0, 2.0}});
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
  HandMadeFrame frame(Box{{2.0, 5.0, 10.0}});
  if (world.rank() == world.size() - 1) {
    frame.add({1.0, 1.0, 1.0}, {1.0, 2.0, 3.0}, 0);
    frame.add({1.0, 1.0, 1.0}, {0.0, 1.0, -1.0}, 1);
    for (int k = 0; k < 6; ++k) frame.sums.virial[k] = 10.0 * (k + 1);
  }
  frame.tail_virial = -30.0;
  frame.kinetic_factor = 1.5;
  PressureTensor tensor(world, 1, 2, reduced);
  tensor.sample(frame.observed());
  tensor.sample(frame.observed());
  const double expected[] = {(1.5 * 1.0 + 10.0 - 10.0) / 100.0,  (1.5 * 8.0 + 20.0 - 10.0) / 100.0,
                             (1.5 * 13.0 + 30.0 - 10.0) / 100.0, (1.5 * 2.0 + 40.0) / 100.0,
                             (1.5 * 3.0 + 50.0) / 100.0,         (1.5 * 2.0 + 60.0) / 100.0};
  const auto averages = tensor.report({}).averages;
  for (std::size_t k = 0; k < 6; ++k) {
    CAPTURE(k);
    CHECK(averages[k].mean == doctest::Approx(expected[k]));
  }
  REQUIRE(averages[6].name == "surface_tension");
  CHECK(averages[6].mean ==
        doctest::Approx(5.0 * (expected[2] - 0.5 * (expected[0] + expected[1]))));

  SUBCASE("goes on from what a checkpoint kept") {
    PressureTensor other(world, 1, 2, reduced);
    other.set_common(tensor.common());
    other.sample(frame.observed());
    tensor.sample(frame.observed());
    CHECK(other.report({}).text == tensor.report({}).text);
    CHECK(other.report({}).text.find("# 3 samples") != std::string::npos);
  }
}

TEST_CASE("the correlator against sums over the whole series") {
  // A series with a memory of ten values, from a fixed recurrence.
  std::vector<double> series;
  double value = 0.0;
  std::uint64_t random = 12345;
  for (int i = 0; i < 4096; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    value = 0.9 * value + static_cast<double>(random >> 40) / (1 << 24) - 0.5;
    series.push_back(value);
  }
  MultiTauCorrelator correlator, interrupted;
  for (std::size_t i = 0; i < series.size(); ++i) {
    correlator.add(series[i]);
    interrupted.add(series[i]);
    if (i == 1500) {
      const std::vector<double> state = interrupted.state();
      interrupted = MultiTauCorrelator();
      interrupted.set_state(state);
    }
  }
  const auto points = correlator.points();
  CHECK(interrupted.points().size() == points.size());
  CHECK(points.size() > 40);
  const auto whole = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < series.size(); ++i) sum += series[i] * series[i - lag];
    return sum / static_cast<double>(series.size() - lag);
  };
  for (std::size_t k = 0; k < points.size(); ++k) {
    CAPTURE(points[k].lag);
    CHECK(interrupted.points()[k].correlation == points[k].correlation);
    if (k < 16) {
      CHECK(points[k].lag == static_cast<double>(k));
      CHECK(points[k].correlation == doctest::Approx(whole(k)).epsilon(1e-12));
    } else if (points[k].lag < 100.0) {
      // Averages of neighbors smear the function a little.
      CHECK(std::abs(points[k].correlation - whole(static_cast<std::size_t>(points[k].lag))) <
            0.03 * points[0].correlation);
    }
  }
}

TEST_CASE("the displacement of particles that fly straight, across boundaries and ranks") {
  const comm::Context world;
  const double timestep = 0.1;
  const Vec3 velocity{0.5, -1.5, 4.0};
  Diffusion diffusion(world, 2, timestep, {"light", "heavy"}, reduced);
  const std::int64_t samples = 60;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    HandMadeFrame frame(Box{{2.0, 2.0, 2.0}});
    const double time = 0.2 * static_cast<double>(sample);
    for (std::int64_t id = 0; id < 7; ++id) {
      // Particles wander over the ranks, whoever keeps their past.
      if ((id + sample) % world.size() != world.rank()) continue;
      const double speed = static_cast<double>(id % 2 + 1);
      frame.add_at(velocity * (speed * time), 100 * id - 3, id % 2);
    }
    diffusion.sample(frame.observed());
  }
  const auto sums = total(world, diffusion);
  const std::string text = diffusion.report(sums).text;
  const double square = dot(velocity, velocity);
  for (const double time : {0.2, 1.8, 2.0, 10.0}) {
    const std::string line = fmt::format("\n{:.8g} {:.8g} {:.8g}\n", time, square * time * time,
                                         4 * square * time * time);
    CAPTURE(line);
    CAPTURE(text);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("the past of particles takes the memory that is forecast") {
  const comm::Context world;
  constexpr std::int64_t particles = 23;
  Diffusion diffusion(world, 1, 0.1, {"all"}, reduced);
  for (std::int64_t sample = 1; sample <= 1210; ++sample) {
    HandMadeFrame frame(Box{{2.0, 2.0, 2.0}});
    for (std::int64_t id = 0; id < particles; ++id) {
      if ((id + sample) % world.size() == world.rank()) frame.add_at({0.5, 1.0, 1.5}, 7 * id, 0);
    }
    diffusion.sample(frame.observed());
    if (sample > 12 && sample % 55 != 0) continue;
    CAPTURE(sample);
    double bytes = 0.0;
    for (const std::span<const std::byte> part : diffusion.history()) {
      bytes += static_cast<double>(part.size());
    }
    comm::ReductionBatch batch(world, "test");
    batch.sum(&bytes, 1).run();
    CHECK(bytes == static_cast<double>(particles) * Diffusion::bytes_per_particle(sample));
  }
}

TEST_CASE("the viscosity of a pressure that is known") {
  const comm::Context world;
  // P_xy alone, +1 and -1 in turn over four samples each: the integral of its triangular
  // correlation from lag 0 to its zero at 2 is 1 - by the trapezoidal rule exactly.
  Viscosity viscosity(world, 1, 0.5, reduced);
  for (int sample = 0; sample < 3200; ++sample) {
    HandMadeFrame frame(Box{{2.0, 1.0, 1.0}});
    if (world.rank() == 0) frame.sums.virial[3] = (sample / 4) % 2 == 0 ? 2.0 : -2.0;
    viscosity.sample(frame.observed());
  }
  const std::string text = viscosity.report({}).text;
  // V = 2, T = 0.5, five components of which one is not zero; time 0.5 a sample: at lag 2 samples
  // the integral is 4 * 0.5 * (0.5 + 0.5 + 0) / 5 = 0.4.
  CHECK(text.find("\n0 0.2 0\n") != std::string::npos);
  const auto line = text.find("\n1 ");
  REQUIRE(line != std::string::npos);
  double time = 0.0, correlation = 0.0, integral = 0.0;
  CHECK(std::sscanf(text.c_str() + line, "%lf %lf %lf", &time, &correlation, &integral) == 3);
  CHECK(std::abs(correlation) < 1e-2);
  CHECK(integral == doctest::Approx(0.4).epsilon(1e-2));
}

TEST_CASE("what a run had before it settled can be left out afterwards") {
  const comm::Context world;
  const Box box{{2.0, 2.0, 2.0}};
  Profile profile(world, 1, 2, 1, false, {"A", "B"}, reduced);
  Diffusion diffusion(world, 1, 1.0, {"A", "B"}, reduced);
  Viscosity viscosity(world, 1, 0.5, reduced);
  PressureTensor tensor(world, 1, std::nullopt, reduced);
  Observer* const observers[] = {&profile, &diffusion, &viscosity, &tensor};
  double place = 0.0;
  for (int step = 0; step < 100; ++step) {
    const bool early = step < 40;
    HandMadeFrame frame(box);
    frame.step = step;
    // Until then particles fly faster, under more pressure, and there are more.
    place += early ? 5.0 : 1.0;
    if (world.rank() == step % world.size()) {
      frame.add_at({place, 0.0, 0.0}, 1, 0);
      for (int k = 0; early && k < 4; ++k) frame.add_at({0.0, 0.0, 0.0}, 2 + k, 1);
    }
    if (world.rank() == 0) {
      for (double& virial : frame.sums.virial) virial = early ? 400.0 : 8.0;
    }
    for (Observer* observer : observers) {
      if (observer == &diffusion && early) {
        // It keeps the past of the same particles.
        HandMadeFrame one(box);
        one.step = step;
        if (world.rank() == step % world.size()) one.add_at({place, 0.0, 0.0}, 1, 0);
        observer->sample_once(one.observed());
      } else {
        observer->sample_once(frame.observed());
      }
    }
  }
  const auto report = [&](Observer& observer, std::int64_t first_step) {
    std::vector<double> sums = observer.sums_from(first_step);
    if (!sums.empty()) {
      comm::ReductionBatch batch(world, "test");
      batch.sum(sums.data(), sums.size()).run();
    }
    return observer.report_from(first_step, sums);
  };
  CHECK(report(profile, 0).text.find("100 frames") != std::string::npos);
  const std::string settled = report(profile, 40).text;
  CAPTURE(settled);
  CHECK(settled.find("60 frames") != std::string::npos);
  CHECK(settled.find("\n1 0.125 0 ") != std::string::npos);
  // What was left out is there for who asks for all of it afterwards.
  CHECK(report(profile, 0).text.find("100 frames") != std::string::npos);

  const std::string moved = report(diffusion, 40).text;
  CAPTURE(moved);
  CHECK(moved.find("\n1 1 0\n2 4 0\n3 9 0\n") != std::string::npos);
  CHECK(report(diffusion, 0).text.find("\n1 1 0\n") == std::string::npos);
  for (const auto& average : report(tensor, 40).averages) {
    CAPTURE(average.name);
    CHECK(average.mean == doctest::Approx(1.0).epsilon(0.2));
  }
  CHECK(report(tensor, 0).averages[0].mean > 10.0);
  CHECK(report(viscosity, 40).text.find("60 samples") != std::string::npos);
  // Of five components three are not zero, each 1.
  CHECK(report(viscosity, 40).text.find("\n0 0.6 0\n") != std::string::npos);
}
