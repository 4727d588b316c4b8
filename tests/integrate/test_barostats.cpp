#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "md/core/random.hpp"
#include "md/integrate/barostats/stochastic_cell_rescaling.hpp"

using namespace sterna::md;

namespace {

using Matrix = std::array<Vec3, 3>;  // rows

Matrix matrix_of(const Tensor& t) {
  return {Vec3{t[0], t[3], t[4]}, Vec3{0.0, t[1], t[5]}, Vec3{0.0, 0.0, t[2]}};
}

std::vector<StrainMode> one_factor() {
  Input::Barostat wanted;
  wanted.coupling = Input::Coupling::isotropic;
  return strain_modes(wanted);
}

Tensor in_all_directions(double pressure) {
  return {pressure, pressure, pressure, 0.0, 0.0, 0.0};
}

/// The volume after a step, of what has the pressure pressure_at(volume).
template <class PressureAt>
double next_volume(StochasticCellRescaling& barostat, double volume, double interval, int step,
                   const PressureAt& pressure_at) {
  const Tensor strain =
      barostat.propose(volume, in_all_directions(pressure_at(volume)), interval, step);
  const double changed = volume * std::exp(strain[0] + strain[1] + strain[2]);
  const bool keeps = barostat.accepts(changed, in_all_directions(pressure_at(changed)), step);
  return keeps ? changed : volume;
}

}  // namespace

TEST_CASE("deformations are the upper triangular matrices that they stand for") {
  const Tensor strain{0.02, -0.03, 0.01, 0.025, -0.015, 0.03};
  const Deformation whole = Deformation::exponential(strain);
  Tensor half = strain;
  for (double& part : half) part *= 0.5;
  const Deformation twice = Deformation::exponential(half) * Deformation::exponential(half);
  const Deformation nothing = whole * whole.inverse();
  const Vec3 v{0.3, -1.1, 0.7}, moved = whole(v);
  const Matrix rows = matrix_of(whole.parts);
  Tensor products;
  const Tensor of_v{v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z};
  products = whole.transformed(of_v);
  const Tensor expected{moved.x * moved.x, moved.y * moved.y, moved.z * moved.z,
                        moved.x * moved.y, moved.x * moved.z, moved.y * moved.z};
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(twice.parts[k] == doctest::Approx(whole.parts[k]).epsilon(1e-14));
    CHECK(nothing.parts[k] == doctest::Approx(k < 3 ? 1.0 : 0.0).epsilon(1e-14));
    CHECK(products[k] == doctest::Approx(expected[k]).epsilon(1e-14));
  }
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(moved[axis] == doctest::Approx(dot(rows[static_cast<std::size_t>(axis)], v)));
  }
  CHECK(std::exp(0.02 - 0.03 + 0.01) ==
        doctest::Approx(whole.parts[0] * whole.parts[1] * whole.parts[2]).epsilon(1e-14));
  const Box box{{3.0, 4.0, 5.0}, {0.2, -0.3, 0.4}};
  const Box after = whole(box);
  for (std::size_t edge = 0; edge < 3; ++edge) {
    const Vec3 was = whole(box.edges()[edge]), is = after.edges()[edge];
    CHECK(dot(was - is, was - is) < 1e-28);
  }
}

// A crystal whose free energy is that of an ideal gas and k/2 times the squares of the strains: the
// logarithms of the edges and the slopes xy / ly, xz / lz, yz / lz. With the measure
// V d(ln lx) d(ln ly) d(ln lz) d(slopes) all slopes and differences of logarithms are Gaussian.
TEST_CASE("stochastic cell rescaling samples all six strains of a crystal") {
  const double particles = 20.0, kT = 1.4, pressure = 0.7, k = 60.0;
  Input::Barostat wanted;
  wanted.coupling = Input::Coupling::triclinic;
  CHECK(strain_modes(wanted).size() == 6);
  StochasticCellRescaling barostat(4, kT, pressure, 2.0, 1.0, strain_modes(wanted));
  const double edge = std::cbrt((particles + 1.0) * kT / pressure);
  Box box{{edge, edge, edge}};
  const int steps = 300000, skipped = 1000;
  double logarithm = 0.0, difference = 0.0, skewness = 0.0, slope[3] = {};
  struct Strains {
    Vec3 e;
    double xy, xz, yz;
  };
  const auto strains_of = [&](const Box& of) -> Strains {
    return {
        {std::log(of.length.x / edge), std::log(of.length.y / edge), std::log(of.length.z / edge)},
        of.tilt.xy / of.length.y,
        of.tilt.xz / of.length.z,
        of.tilt.yz / of.length.z};
  };
  const auto tensor_of = [&](const Box& of) {
    const auto [e, xy, xz, yz] = strains_of(of);
    // Derivatives of k/2 (strains squared) by the parts of a strain that acts on the edges.
    const Tensor slopes{k * (e.x + xy * xy + xz * xz),
                        k * (e.y - xy * xy + yz * yz),
                        k * (e.z - xz * xz - yz * yz),
                        k * (xy + xz * yz),
                        k * xz,
                        k * yz};
    Tensor tensor;
    for (std::size_t n = 0; n < 6; ++n) {
      tensor[n] = ((n < 3 ? particles * kT : 0.0) - slopes[n]) / of.volume();
    }
    return tensor;
  };
  // Half of the time constant at once: what a step without corrections samples is far off.
  for (int step = 0; step < steps; ++step) {
    const Tensor strain = barostat.propose(box.volume(), tensor_of(box), 0.5, step);
    const Box changed = Deformation::exponential(strain)(box);
    if (barostat.accepts(changed.volume(), tensor_of(changed), step)) box = changed;
    if (step < skipped) continue;
    const auto [e, xy, xz, yz] = strains_of(box);
    logarithm += e.x + e.y + e.z;
    skewness += e.x - e.z;
    difference += (e.x - e.y) * (e.x - e.y);
    slope[0] += xy * xy;
    slope[1] += xz * xz;
    slope[2] += yz * yz;
  }
  const double samples = steps - skipped;
  CHECK(difference / samples == doctest::Approx(2.0 * kT / k).epsilon(0.03));
  CHECK(std::abs(skewness / samples) < 0.01);
  for (const double sum : slope) CHECK(sum / samples == doctest::Approx(kT / k).epsilon(0.03));
  // The mean of s = ln(V / edge^3) under exp((N + 1) s - p edge^3 e^s / kT - k s^2 / (6 kT)).
  double weight = 0.0, mean = 0.0;
  for (double s = -4.0; s < 4.0; s += 1e-3) {
    const double w = std::exp((particles + 1.0) * (s - std::exp(s) + 1.0) - k * s * s / (6.0 * kT));
    weight += w;
    mean += w * s;
  }
  CHECK(logarithm / samples == doctest::Approx(mean / weight).scale(1.0).epsilon(0.01));
}

TEST_CASE("couplings stretch edges alone or together") {
  Input::Barostat wanted;
  const auto edges = [&](Input::Coupling coupling, Axis axis) {
    wanted.coupling = coupling;
    wanted.axis = axis;
    std::vector<Tensor> directions;
    for (const StrainMode& mode : strain_modes(wanted)) directions.push_back(mode.direction);
    return directions;
  };
  CHECK(edges(Input::Coupling::isotropic, Axis::z) ==
        std::vector<Tensor>{{1.0, 1.0, 1.0, 0.0, 0.0, 0.0}});
  CHECK(edges(Input::Coupling::semi_isotropic, Axis::x) ==
        std::vector<Tensor>{{0.0, 1.0, 1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}});
  CHECK(edges(Input::Coupling::uniaxial, Axis::y) ==
        std::vector<Tensor>{{0.0, 1.0, 0.0, 0.0, 0.0, 0.0}});
  CHECK(edges(Input::Coupling::anisotropic, Axis::z).size() == 3);
}

// Of an ideal gas the pressure at volume V is N kT / V, and the volume is distributed as
// V^N exp(-p V / kT): mean (N + 1) kT / p, variance (N + 1) (kT / p)^2.
TEST_CASE(
    "stochastic cell rescaling samples the volume of an ideal gas, whatever the interval is") {
  const double particles = 20.0, thermal_energy = 1.4, pressure = 0.7;
  const double scale = thermal_energy / pressure;
  for (const double interval : {0.05, 0.3, 1.0}) {
    CAPTURE(interval);
    StochasticCellRescaling barostat(9, thermal_energy, pressure, pressure, 1.0, one_factor());
    double volume = 60.0, sum = 0.0, squares = 0.0;
    const int steps = 400000;
    for (int step = 0; step < steps; ++step) {
      volume = next_volume(barostat, volume, interval, step,
                           [&](double v) { return particles * thermal_energy / v; });
      if (step < 1000) continue;
      sum += volume;
      squares += volume * volume;
    }
    const double mean = sum / (steps - 1000), variance = squares / (steps - 1000) - mean * mean;
    CHECK(mean == doctest::Approx((particles + 1.0) * scale).epsilon(0.01));
    CHECK(variance == doctest::Approx((particles + 1.0) * scale * scale).epsilon(0.04));
  }
}

// A medium whose inner coordinate y follows the volume between two changes, as particles do: stiff
// at once, soft later. Energy a/2 (s - y)^2 + b/2 y^2 with s = ln(V / V0), beside an ideal gas.
// Without y the energy of s is k/2 s^2, k = a b / (a + b).
TEST_CASE("stochastic cell rescaling samples what is stiffer at first than later") {
  const double particles = 20.0, kT = 1.0, a = 400.0, b = 60.0, k = a * b / (a + b);
  const double pressure = 1.0, middle = (particles + 1.0) * kT / pressure;
  const double bulk_modulus = pressure + k / middle;
  StochasticCellRescaling barostat(5, kT, pressure, bulk_modulus, 1.0, one_factor());
  const RandomStream noise(3, RandomPurpose::velocity);
  double volume = middle, sum = 0.0, squares = 0.0, weight = 0.0, w_sum = 0.0, w_squares = 0.0;
  const int steps = 200000;
  for (int step = 0; step < steps; ++step) {
    const double s = std::log(volume / middle);
    RandomSequence random = noise.sequence(1, static_cast<std::uint64_t>(step));
    const double y = a / (a + b) * s + std::sqrt(kT / (a + b)) * random.normal();
    volume = next_volume(barostat, volume, 0.25, step, [&](double v) {
      return (particles * kT - a * (std::log(v / middle) - y)) / v;
    });
    const double now = std::log(volume / middle);
    sum += now;
    squares += now * now;
  }
  for (double s = -3.0; s < 3.0; s += 1e-3) {
    const double w = std::exp((particles + 1.0) * (s - std::exp(s) + 1.0) - 0.5 * k * s * s / kT);
    weight += w;
    w_sum += w * s;
    w_squares += w * s * s;
  }
  const double mean = sum / steps, expected = w_sum / weight;
  CHECK(std::abs(mean - expected) < 0.005);
  CHECK(squares / steps - mean * mean ==
        doctest::Approx(w_squares / weight - expected * expected).epsilon(0.03));
}

TEST_CASE("stochastic cell rescaling relaxes with its time constant") {
  // So many particles that noise is small; the bulk modulus of an ideal gas is its pressure.
  const double particles = 1e8;
  StochasticCellRescaling barostat(1, 1.0, 2.0, 2.0, 5.0, one_factor());
  double volume = 1.01 * particles / 2.0;
  for (int step = 0; step < 500; ++step) {
    volume = next_volume(barostat, volume, 0.01, step, [&](double v) { return particles / v; });
  }
  CHECK(volume / (particles / 2.0) - 1.0 == doctest::Approx(0.01 * std::exp(-1.0)).epsilon(0.05));
  // Far away it goes by limited steps, none of which is refused.
  volume = 1e8;
  for (const double far : {1e6, -1e6}) {
    const Tensor strain = barostat.propose(volume, in_all_directions(far), 1.0, 0);
    CHECK(strain[0] == doctest::Approx(far > 0.0 ? 0.03 : -0.03).epsilon(0.01));
    CHECK(barostat.accepts(volume * std::exp(3.0 * strain[0]), in_all_directions(0.9 * far), 0));
  }
}
