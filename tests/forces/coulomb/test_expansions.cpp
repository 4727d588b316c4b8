#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "forces/coulomb/crystals.hpp"
#include "forces/coulomb/solid_harmonics.hpp"
#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"

using namespace sterna::md;

namespace {

double norm(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

double sum(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

const Vec3 points[] = {{0.31, -0.12, 0.2}, {-0.2, -0.33, -0.05}, {0.1, 0.25, -0.3}, {0, 0, 0.4}};
const double values[] = {0.7, -1.2, 0.4, 0.9};

std::vector<double> multipole_of(int order, const Vec3& center) {
  std::vector<double> result(harmonics_count(order), 0.0);
  for (int i = 0; i < 4; ++i) {
    const auto harmonics = regular_harmonics(order, points[i] - center);
    for (std::size_t a = 0; a < result.size(); ++a) result[a] += values[i] * harmonics[a];
  }
  return result;
}

double potential_at(const Vec3& point) {
  double total = 0.0;
  for (int i = 0; i < 4; ++i) total += values[i] / norm(point - points[i]);
  return total;
}

std::vector<double> shifted(const ShiftOperator<double>& shift, const std::vector<double>& source) {
  std::vector<double> target(source.size(), 0.0);
  available_fmm_kernels().back()->full.shift(shift, source.data(), 1, target.data(), 1, 1);
  return target;
}

}  // namespace

TEST_CASE("1/r from products of regular and irregular harmonics") {
  const Vec3 near{0.2, -0.3, 0.25}, far{-1.1, 1.9, 2.3};
  CHECK(sum(regular_harmonics(40, near), irregular_harmonics(40, far)) ==
        doctest::Approx(1.0 / norm(far - near)).epsilon(1e-14));
}

TEST_CASE("harmonics of points side by side as of each, with every instruction set") {
  for (const int order : {0, 1, 2, 2 * FmmParameters::highest_order}) {
    const std::size_t count = harmonics_count(order);
    std::vector<double> x, y, z, found(count * points_together);
    for (std::size_t i = 0; i < points_together; ++i) {
      x.push_back(0.5 * std::sin(1.0 + double(i)));
      y.push_back(0.6 * std::cos(2.3 * double(i)));
      z.push_back(0.1 * double(i) - 0.4);
    }
    for (const FmmInstructionSet* set : available_fmm_kernels()) {
      CAPTURE(set->name);
      set->harmonics(HarmonicFactors(order), x.data(), y.data(), z.data(), found.data());
      for (std::size_t i = 0; i < points_together; ++i) {
        const auto expected = regular_harmonics(order, {x[i], y[i], z[i]});
        for (std::size_t a = 0; a < count; ++a) {
          CHECK(std::abs(found[a * points_together + i] - expected[a]) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("the gradient of a local expansion against differences") {
  const int order = 7;
  std::vector<double> local(harmonics_count(order));
  for (std::size_t a = 0; a < local.size(); ++a) local[a] = std::sin(1.0 + 3.0 * double(a));
  std::array<std::vector<double>, 3> gradient;
  for (auto& component : gradient) component.assign(local.size(), 0.0);
  for (const GradientTerm& term : gradient_terms(order)) {
    gradient[static_cast<std::size_t>(term.component)][term.to] += term.factor * local[term.from];
  }
  const Vec3 point{0.3, -0.7, 0.4};
  const auto harmonics = regular_harmonics(order, point);
  for (int axis = 0; axis < 3; ++axis) {
    constexpr double step = 1e-5;
    Vec3 above = point, below = point;
    above[axis] += step, below[axis] -= step;
    const double slope = (sum(local, regular_harmonics(order, above)) -
                          sum(local, regular_harmonics(order, below))) /
                         (2 * step);
    CHECK(sum(gradient[static_cast<std::size_t>(axis)], harmonics) ==
          doctest::Approx(slope).epsilon(1e-8));
  }
}

TEST_CASE("shifts of expansions, in any direction and with any units") {
  for (const Vec3& direction :
       {Vec3{0, 0, 1}, Vec3{0, 0, -1}, Vec3{1, 0, 0}, Vec3{-0.6, 0.8, 0}, Vec3{0.48, -0.6, 0.64}}) {
    CAPTURE(direction.x);
    CAPTURE(direction.y);
    CAPTURE(direction.z);
    // Exact: the multipole about another center has the same coefficients up to the order.
    const int order = 9;
    const Vec3 center = 0.5 * direction;
    const auto moved =
        shifted(make_shift_operator(order, Shift::multipole_to_multipole, center, 1.0, 1.0),
                multipole_of(order, {}));
    const auto direct = multipole_of(order, center);
    for (std::size_t a = 0; a < moved.size(); ++a) {
      CHECK(moved[a] == doctest::Approx(direct[a]).epsilon(1e-12).scale(1.0));
    }

    const int high = 16;
    const Vec3 target = 3.0 * direction, point = target + Vec3{0.1, 0.15, -0.2};
    const double from_unit = 1.5, to_unit = 0.7;
    auto source = multipole_of(high, {});
    for (int l = 0; l <= high; ++l)
      for (int a = l * l; a < (l + 1) * (l + 1); ++a) source[a] /= std::pow(from_unit, l);
    auto local = shifted(
        make_shift_operator(high, Shift::multipole_to_local, target, from_unit, to_unit), source);
    CHECK(sum(local, regular_harmonics(high, (point - target) * (1 / to_unit))) / to_unit ==
          doctest::Approx(potential_at(point)).epsilon(1e-8));

    // Exact again.
    const Vec3 child = target + Vec3{-0.2, 0.1, 0.3};
    const auto finer = shifted(
        make_shift_operator(high, Shift::local_to_local, child - target, to_unit, 0.5), local);
    CHECK(sum(finer, regular_harmonics(high, (point - child) * 2.0)) * 2.0 ==
          doctest::Approx(sum(local, regular_harmonics(high, (point - target) * (1 / to_unit))) /
                          to_unit)
              .epsilon(1e-12));
  }
}

TEST_CASE_TEMPLATE("every instruction set shifts alike, any number of cells", Real, float, double) {
  const int order = 11;
  const auto wide = make_shift_operator(order, Shift::multipole_to_local, {2, -1, 3}, 1.0, 1.0);
  ShiftOperator<Real> shift;
  if constexpr (sizeof(Real) == 4) {
    shift = narrowed(wide);
  } else {
    shift = wide;
  }
  const std::size_t coefficients = harmonics_count(order), stride = 41, count = 39;
  std::vector<Real> source(coefficients * stride);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = Real(std::sin(0.37 * double(i)));
  std::vector<std::vector<Real>> results;
  for (const FmmInstructionSet* set : available_fmm_kernels()) {
    results.emplace_back(source.size(), Real(1));
    set->kernels<Real>().shift(shift, source.data(), stride, results.back().data(), stride, count);
  }
  const double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-13;
  for (const auto& result : results) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      CHECK(result[i] == doctest::Approx(results.back()[i]).epsilon(tolerance).scale(1.0));
      if (i % stride >= count) CHECK(result[i] == Real(1));
    }
  }
}
