// What every kind of bias must do: derivatives, work, state.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "forces/bias/bias_support.hpp"
#include "sterna/comm/context.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr double pi = std::numbers::pi;

BiasOptions options_of(const std::string& kind) {
  BiasOptions options;
  options.name = "b";
  options.kind = kind;
  options.variables = {{.index = 0, .name = "phi", .period = 2.0 * pi, .least = -pi}};
  options.center = 3.0;
  options.end_center = 8.0;
  options.start_step = 2;
  options.stop_step = 12;
  options.stiffness = 5.0;
  options.force = 1.5;
  options.is_above = true;
  options.height = 0.7;
  options.widths = {0.4};
  options.interval = 2;
  return options;
}

double energy_of(const Bias& bias, double value) {
  double slope = 0.0;
  return bias.energy(std::span(&value, 1), std::span(&slope, 1));
}
double slope_of(const Bias& bias, double value) {
  double slope = 0.0;
  bias.energy(std::span(&value, 1), std::span(&slope, 1));
  return slope;
}

/// A hill by its definition, as PLUMED's are: they end at a squared distance of 12.5 widths.
double hill(double height, double away, double width) {
  const double half = 0.5 * away * away / (width * width);
  if (half >= 6.25) return 0.0;
  const double edge = std::exp(-6.25);
  return height * (std::exp(-half) - edge) / (1.0 - edge);
}

double nearest(double away) {
  return away - 2.0 * pi * std::round(away / (2.0 * pi));
}

}  // namespace

TEST_CASE("slopes are derivatives, changes are differences, for each kind of bias") {
  for (const BiasRow& row : bias_table()) {
    CAPTURE(std::string(row.name));
    const auto bias = row.make(options_of(std::string(row.name)));
    const auto earlier = row.make(options_of(std::string(row.name)));
    for (std::int64_t step = 0; step <= 7; ++step) {
      bias->go_to(step);
      if (step <= 6) earlier->go_to(step);
      const double value = 2.7 + 0.1 * static_cast<double>(step);
      bias->take(step, 0.5 * static_cast<double>(step), std::span(&value, 1));
      if (step <= 6) earlier->take(step, 0.5 * static_cast<double>(step), std::span(&value, 1));
    }
    const double h = 1e-5;
    for (const double value : {-3.0, -0.4, 0.1, 2.9, 3.1}) {
      CAPTURE(value);
      const double up = energy_of(*bias, value + h), down = energy_of(*bias, value - h);
      CHECK(slope_of(*bias, value) == doctest::Approx((up - down) / (2.0 * h)).epsilon(1e-7));
      const double change = energy_of(*bias, value) - energy_of(*earlier, value);
      CHECK(bias->change(std::span(&value, 1)) == doctest::Approx(change).epsilon(1e-11));
    }
    CHECK(bias->changes() == (bias->change(std::vector{3.1}) != 0.0));
  }
}

TEST_CASE("energies are those of the formulas, of nearest images") {
  const auto umbrella = bias_table().get("harmonic").make(options_of("harmonic"));
  CHECK(energy_of(*umbrella, 3.2) == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(energy_of(*umbrella, 3.2 - 2.0 * pi) == doctest::Approx(0.1).epsilon(1e-12));
  const auto force = bias_table().get("constant_force").make(options_of("constant_force"));
  CHECK(energy_of(*force, 2.0) == doctest::Approx(-3.0).epsilon(1e-12));
  auto below = options_of("wall");
  const auto wall = bias_table().get("wall").make(below);
  CHECK(energy_of(*wall, 2.9) == 0.0);
  CHECK(energy_of(*wall, 3.1) == doctest::Approx(0.025).epsilon(1e-12));
  below.is_above = false;
  const auto lower = bias_table().get("wall").make(below);
  CHECK(energy_of(*lower, 3.1) == 0.0);
  CHECK(energy_of(*lower, 2.9) == doctest::Approx(0.025).epsilon(1e-12));
  const auto moving = bias_table().get("moving").make(options_of("moving"));
  for (const auto& [step, center] : {std::pair{0, 3.0}, {2, 3.0}, {7, 5.5}, {12, 8.0}, {20, 8.0}}) {
    moving->go_to(step);
    CHECK(moving->columns()[0].second == doctest::Approx(center).epsilon(1e-14));
    CHECK(energy_of(*moving, center) == doctest::Approx(0.0));
  }
}

TEST_CASE(
    "metadynamics sums hills that act from the step after theirs on; tempered ones are lower") {
  for (const double factor : {0.0, 4.0}) {
    auto options = options_of("metadynamics");
    options.bias_factor = factor;
    options.thermal_energy = 1.2;
    const auto bias = bias_table().get("metadynamics").make(options);
    const std::vector<double> path{0.0, 2.8, 3.0, 3.1, -3.1, -3.0, 2.9, 2.9, 2.5};
    std::vector<double> centers, heights;
    const auto sum = [&](double value) {
      double all = 0.0;
      for (std::size_t k = 0; k < centers.size(); ++k) {
        all += hill(heights[k], nearest(value - centers[k]), 0.4);
      }
      return all;
    };
    for (std::size_t step = 0; step < path.size(); ++step) {
      bias->go_to(static_cast<std::int64_t>(step));
      for (const double value : {-3.1, 0.3, 2.0, 3.0}) {
        CHECK(energy_of(*bias, value) == doctest::Approx(sum(value)).epsilon(1e-12));
      }
      const double here = path[step];
      bias->take(static_cast<std::int64_t>(step), 0.5 * static_cast<double>(step),
                 std::span(&here, 1));
      // It does not act yet.
      CHECK(energy_of(*bias, here) == doctest::Approx(sum(here)).epsilon(1e-12));
      if (step == 0 || step % 2 != 0) continue;
      heights.push_back(0.7 * (factor > 0.0 ? std::exp(-sum(here) / ((factor - 1.0) * 1.2)) : 1.0));
      centers.push_back(here);
    }
    CHECK(bias->hill_count() == 4);
    // Their file: heights times factor / (factor - 1), so that the sum is minus the free energy.
    CHECK(bias->hills_head() ==
          "#! FIELDS time phi sigma_phi height biasf\n#! SET multivariate false\n"
          "#! SET kerneltype stretched-gaussian\n#! SET min_phi -pi\n#! SET max_phi pi\n");
    const double scale = factor > 0.0 ? factor / (factor - 1.0) : 1.0;
    double time = 0.0, phi = 0.0, sigma = 0.0, height = 0.0, biasf = 0.0;
    const std::string line = bias->hills_text(3);
    CHECK(std::sscanf(line.c_str(), "%lf %lf %lf %lf %lf", &time, &phi, &sigma, &height, &biasf) ==
          5);
    CHECK(time == 4.0);
    CHECK(phi == 2.5);
    CHECK(sigma == 0.4);
    CHECK(height == doctest::Approx(scale * heights[3]).epsilon(1e-14));
    CHECK(biasf == (factor > 0.0 ? factor : 1.0));
    // A bias that goes on from its state in the last step has the same bits.
    const auto resumed = bias_table().get("metadynamics").make(options);
    resumed->restore(bias->state());
    for (const std::int64_t step : {std::int64_t{8}, std::int64_t{9}}) {
      bias->go_to(step), resumed->go_to(step);
      for (const double value : {-3.1, 0.3, 2.0, 3.0}) {
        CHECK(energy_of(*resumed, value) == energy_of(*bias, value));
        if (step == 8) continue;
        CHECK(resumed->change(std::span(&value, 1)) == bias->change(std::span(&value, 1)));
      }
    }
    CHECK_THROWS_AS(resumed->restore(std::vector{1.0, 2.0}), std::invalid_argument);
  }
}

TEST_CASE("hills of two variables are products") {
  auto options = options_of("metadynamics");
  options.variables.push_back({.index = 1, .name = "d"});
  options.widths = {0.4, 0.2};
  const auto bias = bias_table().get("metadynamics").make(options);
  bias->go_to(2);
  bias->take(2, 1.0, std::vector{3.0, 1.0});
  bias->go_to(3);
  const std::vector<double> at{-3.1, 1.1};
  std::vector<double> slopes(2);
  const double away = nearest(-6.1);
  const double half = 0.5 * (away * away / 0.16 + 0.01 / 0.04);
  const double edge = std::exp(-6.25);
  const double top = 0.7 * std::exp(-half) / (1.0 - edge);
  CHECK(bias->energy(at, slopes) ==
        doctest::Approx(top - 0.7 * edge / (1.0 - edge)).epsilon(1e-12));
  CHECK(slopes[0] == doctest::Approx(-top * away / 0.16).epsilon(1e-12));
  CHECK(slopes[1] == doctest::Approx(-top * 0.1 / 0.04).epsilon(1e-12));
}

TEST_CASE("the work is the trapezoidal integral, and a resumed term goes on with the same bits") {
  const comm::Context world;
  auto pull = options_of("moving");
  pull.variables = {{.index = 0, .name = {}}};
  pull.center = 1.0, pull.end_center = 2.0;
  auto metad = options_of("metadynamics");
  metad.variables = {{.index = 1, .name = {}}};
  const std::vector<BiasForces::Variable> variables{test::variable_of("distance", 2),
                                                    test::variable_of("rmsd", 1)};
  const auto move = [](test::Atoms& atoms, std::int64_t step) {
    atoms.places[3] += Vec3{0.1, -0.07, 0.03 * static_cast<double>(step % 3)};
    atoms.places[8] += Vec3{-0.02, 0.03, 0.1};
  };
  test::BiasedAtoms biased(world, test::four_groups(), variables, {pull, metad},
                           {.interval = 3, .thermal_energy = 2.5, .standard_volume = {}});
  biased.at_step(0);
  double work = 0.0, before = 0.0, center_before = 1.0;
  std::vector<double> state;
  test::Atoms kept = biased.atoms;
  for (std::int64_t step = 1; step <= 14; ++step) {
    before = biased.term->values()[0];
    move(biased.atoms, step);
    const auto whole = biased.at_step(step);
    const double center = 1.0 + 0.1 * std::clamp(static_cast<double>(step) - 2.0, 0.0, 10.0);
    const double middle =
        0.5 * (before + biased.term->values()[0]) - 0.5 * (center + center_before);
    work -= 5.0 * middle * (center - center_before);
    center_before = center;
    CHECK(biased.term->work()[0] == doctest::Approx(work).epsilon(1e-11));
    // Forces of the same step that are computed again are the same, and nothing is counted twice.
    const auto again = biased.at_step(step);
    CHECK(again.energy == whole.energy);
    CHECK(again.forces == whole.forces);
    CHECK(biased.term->work()[0] == doctest::Approx(work).epsilon(1e-11));
    if (step == 6) {
      state = biased.term->state();
      kept = biased.atoms;
    }
  }
  CHECK(std::abs(work) > 0.1);
  test::BiasedAtoms resumed(world, kept, variables, {pull, metad},
                            {.interval = 3, .thermal_energy = 2.5, .standard_volume = {}});
  resumed.term->restore(state);
  resumed.at_step(6);
  test::Whole whole;
  for (std::int64_t step = 7; step <= 14; ++step) {
    move(resumed.atoms, step);
    whole = resumed.at_step(step);
  }
  const auto wanted = biased.at_step(14);
  CHECK(whole.energy == wanted.energy);
  CHECK(whole.forces == wanted.forces);
  CHECK(resumed.term->work()[0] == biased.term->work()[0]);
  CHECK(resumed.term->work()[1] == biased.term->work()[1]);
  CHECK(resumed.term->state() == biased.term->state());
  if (world.rank() == 0) {
    const std::string& lines = resumed.term->texts()[0].lines;
    const std::string& all = biased.term->texts()[0].lines;
    // Rows of the steps 0, 3, ... 12; of a resumed run those behind step 6.
    CHECK(std::count(all.begin(), all.end(), '\n') == 5);
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
    CHECK(all.ends_with(lines));
    CHECK(biased.term->texts()[1].lines.ends_with(resumed.term->texts()[1].lines));
  }
  // A state of other biases is refused.
  test::BiasedAtoms other(world, kept, variables, {pull});
  CHECK_THROWS_AS(other.term->restore(state), std::invalid_argument);
}
