#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "md/integrate/barostats/stochastic_cell_rescaling.hpp"

using namespace sterna::md;

namespace {

using Matrix = std::array<Vec3, 3>;  // rows

Matrix matrix_of(const Tensor& t) {
  return {Vec3{t[0], t[3], t[4]}, Vec3{0.0, t[1], t[5]}, Vec3{0.0, 0.0, t[2]}};
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
  const auto modes = strain_modes(wanted);
  CHECK(modes.size() == 6);
  const StochasticCellRescaling barostat(4, kT, pressure, 2.0, 1.0);
  const double edge = std::cbrt((particles + 1.0) * kT / pressure);
  Box box{{edge, edge, edge}};
  const int steps = 300000, skipped = 1000;
  double logarithm = 0.0, difference = 0.0, slope[3] = {};
  for (int step = 0; step < steps; ++step) {
    const double volume = box.volume();
    const Vec3 e{std::log(box.length.x / edge), std::log(box.length.y / edge),
                 std::log(box.length.z / edge)};
    const double xy = box.tilt.xy / box.length.y, xz = box.tilt.xz / box.length.z,
                 yz = box.tilt.yz / box.length.z;
    // Derivatives of k/2 (strains squared) by the parts of a strain that acts on the edges.
    const Tensor slopes{k * (e.x + xy * xy + xz * xz),
                        k * (e.y - xy * xy + yz * yz),
                        k * (e.z - xz * xz - yz * yz),
                        k * (xy + xz * yz),
                        k * xz,
                        k * yz};
    Tensor tensor;
    for (std::size_t n = 0; n < 6; ++n) {
      tensor[n] = ((n < 3 ? particles * kT : 0.0) - slopes[n]) / volume;
    }
    box = Deformation::exponential(barostat.strain(modes, volume, tensor, 0.02, step))(box);
    if (step < skipped) continue;
    logarithm += e.x + e.y + e.z;
    difference += (e.x - e.y) * (e.x - e.y);
    slope[0] += xy * xy;
    slope[1] += xz * xz;
    slope[2] += yz * yz;
  }
  const double samples = steps - skipped;
  CHECK(difference / samples == doctest::Approx(2.0 * kT / k).epsilon(0.06));
  for (const double sum : slope) CHECK(sum / samples == doctest::Approx(kT / k).epsilon(0.06));
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
TEST_CASE("stochastic cell rescaling samples the volume of an ideal gas") {
  const double particles = 20.0, thermal_energy = 1.4, pressure = 0.7;
  const double scale = thermal_energy / pressure;
  const StochasticCellRescaling barostat(9, thermal_energy, pressure, pressure, 1.0);
  double volume = 60.0, sum = 0.0, squares = 0.0;
  const int steps = 400000;
  for (int step = 0; step < steps; ++step) {
    volume *= barostat.volume_ratio(volume, particles * thermal_energy / volume, 0.02, step);
    if (step < 1000) continue;
    sum += volume;
    squares += volume * volume;
  }
  const double mean = sum / (steps - 1000), variance = squares / (steps - 1000) - mean * mean;
  CHECK(mean == doctest::Approx((particles + 1.0) * scale).epsilon(0.02));
  CHECK(variance == doctest::Approx((particles + 1.0) * scale * scale).epsilon(0.1));
}

TEST_CASE("stochastic cell rescaling relaxes with its time constant") {
  // So many particles that noise is small; the bulk modulus of an ideal gas is its pressure.
  const double particles = 1e8;
  const StochasticCellRescaling barostat(1, 1.0, 2.0, 2.0, 5.0);
  double volume = 1.01 * particles / 2.0;
  int step = 0;
  for (; step < 500; ++step) {
    volume *= barostat.volume_ratio(volume, particles / volume, 0.01, step);
  }
  CHECK(volume / (particles / 2.0) - 1.0 == doctest::Approx(0.01 * std::exp(-1.0)).epsilon(0.05));
  // Far away it goes by limited steps.
  CHECK(barostat.volume_ratio(1.0, 1e6, 1.0, 0) == 1.1);
  CHECK(barostat.volume_ratio(1.0, -1e6, 1.0, 0) == 0.9);
}
