#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "forces/coulomb/solid_harmonics.hpp"
#include "md/forces/coulomb/fmm/cell_convolution.hpp"
#include "md/forces/coulomb/fmm/shift_operator.hpp"

using namespace sterna::md;

namespace {

constexpr double pi = std::numbers::pi;

/// Any numbers.
template <class Real>
CellExpansions<Real> multipoles_of(const Cells& grid, int order) {
  CellExpansions<Real> multipoles(CellBox::grid(grid), harmonics_count(order));
  const std::size_t cells = multipoles.box().count();
  for (std::size_t i = 0; i < cells * harmonics_count(order); ++i) {
    multipoles.data()[i / cells * multipoles.stride() + i % cells] =
        static_cast<Real>(std::sin(1.0 + 2.7 * static_cast<double>(i)));
  }
  return multipoles;
}

using Waves = std::vector<std::vector<double>>;

/// All waves of the sums, of one coefficient each; where strained, by strain.
std::vector<Waves> made(const ImageSums& sums, ImageSums::Kind kind) {
  std::vector<Waves> made(ImageSums::parts(kind));
  const std::size_t all = GridTransform<double>(sums.grid).waves().count();
  sums.make(kind, 0, all,
            [&](std::size_t wave, std::size_t strain, int first, std::span<const double> values) {
              Waves& waves = made.at(strain);
              waves.resize(std::max(waves.size(), wave + 1));
              waves[wave].resize(harmonics_count(sums.order));
              std::copy(values.begin(), values.end(), waves[wave].begin() + first * first);
            });
  return made;
}

Waves made(const ImageSums& sums) {
  return made(sums, ImageSums::Kind::plain)[0];
}

}  // namespace

TEST_CASE_TEMPLATE("waves of a grid, and back, with every instruction set", Real, float, double) {
  const double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-13;
  for (const Cells& grid : {Cells{5, 4, 6}, Cells{2, 3, 7}, Cells{3, 2, 2}}) {
    const GridTransform<Real> plan(grid);
    const CellBox cells = CellBox::grid(grid), waves = plan.waves();
    for (const FmmInstructionSet* set : available_fmm_kernels()) {
      CAPTURE(set->name);
      const auto& kernels = set->kernels<Real>();
      const std::size_t lanes = kernels.lanes;
      std::vector<Real> values(cells.count() * lanes), transformed(2 * waves.count() * lanes);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = Real(std::sin(0.9 * double(i)));
      kernels.to_waves(plan, values.data(), transformed.data());
      waves.for_each([&](const Cells& wave) {
        std::complex<double> sum = 0.0;
        cells.for_each([&](const Cells& cell) {
          double turns = 0.0;
          for (int axis = 0; axis < 3; ++axis) {
            turns += static_cast<double>(wave[axis] * cell[axis]) / grid[axis];
          }
          sum += std::polar(1.0, -2.0 * pi * turns) *
                 static_cast<double>(values[cells.index(cell) * lanes + 1]);
        });
        const Real* const found = transformed.data() + 2 * waves.index(wave) * lanes + 1;
        CHECK(std::abs(found[0] - sum.real()) < tolerance * double(cells.count()));
        CHECK(std::abs(found[lanes] - sum.imag()) < tolerance * double(cells.count()));
      });
      std::vector<Real> back(values.size());
      kernels.from_waves(plan, transformed.data(), back.data());
      for (std::size_t i = 0; i < back.size(); ++i) {
        CHECK(std::abs(back[i] / Real(cells.count()) - values[i]) < tolerance);
      }
    }
  }
}

TEST_CASE("sums over images that converge without Ewald's trick, and all strains of them") {
  const ImageSums sums{9, {{1.1, 0, 0}, {0.2, 0.9, 0}, {-0.1, 0.15, 1.2}}, {3, 2, 4}, true};
  const auto waves = made(sums);
  const CellBox kept = GridTransform<double>(sums.grid).waves();
  REQUIRE(waves.size() == kept.count());
  for (const Cells& wave : {Cells{0, 0, 0}, Cells{1, 0, 2}, Cells{2, 1, 1}}) {
    std::vector<std::complex<double>> direct(harmonics_count(sums.order));
    const int reach = 40;
    CellBox{{-reach, -reach, -reach}, {reach + 1, reach + 1, reach + 1}}.for_each(
        [&](const Cells& n) {
          if (std::abs(n[0]) <= 1 && std::abs(n[1]) <= 1 && std::abs(n[2]) <= 1) return;
          const auto harmonics = irregular_harmonics(
              sums.order, sums.cell.position({double(n[0]), double(n[1]), double(n[2])}));
          double turns = 0.0;
          for (int axis = 0; axis < 3; ++axis) {
            turns += static_cast<double>(wave[axis] * n[axis]) / sums.grid[axis];
          }
          for (std::size_t a = 0; a < direct.size(); ++a) {
            direct[a] += std::polar(1.0, 2.0 * pi * turns) * harmonics[a];
          }
        });
    for (int l = 6; l <= sums.order; ++l) {
      CAPTURE(l);
      for (std::size_t a = harmonics_count(l - 1); a < harmonics_count(l); ++a) {
        const auto found = std::polar(waves[kept.index(wave)][a], 0.5 * pi * l);
        CHECK(std::abs(found - direct[a]) < 1e-7);
      }
    }
  }
  constexpr int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const auto slopes_of = made(sums, ImageSums::Kind::strained);
  for (std::size_t strain = 0; strain < 6; ++strain) {
    CAPTURE(strain);
    const Waves& slopes = slopes_of[strain];
    const auto strained = [&](double by) {
      ImageSums result = sums;
      for (Vec3* edge : {&result.cell.a, &result.cell.b, &result.cell.c}) {
        const Vec3 old = *edge;
        const auto [i, j] = axes[strain];
        (*edge)[i] += 0.5 * by * old[j];
        (*edge)[j] += 0.5 * by * old[i];
      }
      return made(result);
    };
    constexpr double step = 1e-4;
    const auto above = strained(step), below = strained(-step);
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
      for (std::size_t a = 0; a < slopes[wave].size(); ++a) {
        const double slope = (above[wave][a] - below[wave][a]) / (2.0 * step);
        CHECK(slopes[wave][a] == doctest::Approx(slope).epsilon(1e-6).scale(1.0));
      }
    }
  }
}

TEST_CASE_TEMPLATE("in an open grid: as shifts from each cell to each, with every instruction set",
                   Real, float, double) {
  const Lattice cell{{1.2, 0, 0}, {0.1, 1.0, 0}, {0, -0.2, 0.9}};
  const Cells grid{3, 5, 4};
  const double unit = 1.1;
  for (const int order : {3, 8}) {
    const auto multipoles = multipoles_of<Real>(grid, order);
    const auto wide = multipoles_of<double>(grid, order);
    CellExpansions<double> expected(multipoles.box(), harmonics_count(order));
    const std::size_t stride = wide.stride();
    const CellBox box = wide.box();
    box.for_each([&](const Cells& target) {
      box.for_each([&](const Cells& source) {
        Cells by;
        bool near = true;
        for (int axis = 0; axis < 3; ++axis) {
          by[axis] = target[axis] - source[axis];
          near = near && std::abs(by[axis]) <= 1;
        }
        if (near) return;
        const auto shift = make_shift_operator(
            order, Shift::multipole_to_local,
            cell.position({double(by[0]), double(by[1]), double(by[2])}), unit, unit);
        available_fmm_kernels().back()->full.shift(shift, wide.at(source), stride,
                                                   expected.at(target), stride, 1);
      });
    });
    for (const FmmInstructionSet* set : available_fmm_kernels()) {
      CAPTURE(set->name);
      CellExpansions<Real> locals(box, harmonics_count(order));
      CellConvolution<Real> convolution(cell, grid, false, order, unit, set->kernels<Real>(),
                                        nullptr, {box}, {});
      convolution.start(multipoles);
      convolution.to_waves();
      convolution.multiply();
      convolution.from_waves(locals);
      convolution.finish(locals);
      for (std::size_t a = 0; a < harmonics_count(order); ++a) {
        double error = 0.0, size = 0.0;
        for (std::size_t i = 0; i < box.count(); ++i) {
          const double right = expected.data()[a * stride + i];
          error += std::abs(static_cast<double>(locals.data()[a * locals.stride() + i]) - right);
          size += std::abs(right);
        }
        CHECK(error < (sizeof(Real) == 4 ? 2e-5 : 1e-13) * size);
      }
    }
  }
}
