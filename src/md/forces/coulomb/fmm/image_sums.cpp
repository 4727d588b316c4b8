#include "md/forces/coulomb/fmm/image_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "md/forces/coulomb/fmm/kernels/fmm_kernels.hpp"
#include "md/forces/coulomb/fmm/solid_harmonics.hpp"

namespace sterna::md {
namespace {

using std::numbers::pi;
constexpr int strain_axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

/// Regularized upper incomplete gamma function Q(L + 1/2, x) for L = 0 to highest, by recurrence.
void upper_gamma(double x, std::vector<double>& values) {
  values[0] = std::erfc(std::sqrt(x));
  double term = std::exp(-x) * std::sqrt(x) / std::tgamma(1.5);
  for (std::size_t degree = 1; degree < values.size(); ++degree) {
    values[degree] = values[degree - 1] + term;
    term *= x / (static_cast<double>(degree) + 0.5);
  }
}

/// Minus the lower one, Q - 1: not as a difference, as harmonics that are multiplied with it may be
/// 10^20 times as large as the sums.
void minus_lower_gamma(double x, std::vector<double>& values) {
  const auto highest = static_cast<int>(values.size()) - 1;
  const auto factor = [x](int degree) {  // x^(degree + 1/2) exp(-x) / Gamma(degree + 3/2)
    return std::exp((degree + 0.5) * std::log(x) - x - std::lgamma(degree + 1.5));
  };
  double term = factor(highest), sum = 0.0;
  for (int n = 1; term > 1e-18 * sum; ++n) {
    sum += term;
    term *= x / (highest + 0.5 + n);
  }
  values.back() = -sum;
  for (int degree = highest - 1; degree >= 0; --degree) {
    values[static_cast<std::size_t>(degree)] =
        values[static_cast<std::size_t>(degree) + 1] - factor(degree);
  }
}

/// The terms of the sums, one position or one point of the reciprocal lattice at a time.
class Terms {
 public:
  /// kappa divides the sums: about as many positions as points of the reciprocal lattice matter for
  /// grids of a thousand cells.
  static constexpr double kappa = 0.5, reach_in_space = 6.5 / kappa, highest_wave = 13.0 * kappa;

  Terms(const ImageSums& sums, ImageSums::Strain strain)
      : order_(sums.order),
        volume_(sums.cell.volume()),
        periodic_(sums.periodic),
        strain_(strain),
        factors_(order_),
        harmonics_(harmonics_count(order_)),
        values_(harmonics_.size()),
        weights_(static_cast<std::size_t>(order_) + 1) {
    if (!strain) return;
    for (const int axis : strain_axes[*strain]) {
      slopes_[static_cast<std::size_t>(axis)].assign(harmonics_.size(), {});
      gradient_[static_cast<std::size_t>(axis)].resize(harmonics_.size());
    }
    for (const GradientTerm& term : gradient_terms(order_)) {
      auto& slopes = slopes_[static_cast<std::size_t>(term.component)];
      if (slopes.empty()) continue;
      Slope& slope = slopes[term.from];
      const std::size_t next = slope.factor[0] == 0.0 ? 0 : 1;
      slope.of[next] = term.to;
      slope.factor[next] = term.factor;
    }
  }

  /// Of a position; that of a near cell is not part of the sums, but its smooth part is in those
  /// over the reciprocal lattice.
  std::span<const double> at(const Vec3& position, bool near) {
    const double r2 = dot(position, position), x = kappa * kappa * r2;
    std::fill(values_.begin(), values_.end(), 0.0);
    if (r2 == 0.0) {
      // The charge's own cloud.
      if (!strain_) values_[0] = -2.0 * kappa / std::sqrt(pi);
      return values_;
    }
    if (!periodic_) {
      std::fill(weights_.begin(), weights_.end(), 1.0);
    } else if (near) {
      minus_lower_gamma(x, weights_);
    } else {
      upper_gamma(x, weights_);
    }
    set_harmonics(position);
    double power = 1.0 / std::sqrt(r2);  // r^-(2l + 1)
    double slope = periodic_ ? -std::exp(-x) / std::sqrt(x) / std::tgamma(0.5) : 0.0;  // dQ/dx
    for (int l = 0; l <= order_; ++l) {
      const double weight = weights_[static_cast<std::size_t>(l)];
      if (strain_) {
        add_strained(l, position, power, weight,
                     2.0 * kappa * kappa * slope - (2 * l + 1) * weight / r2);
      } else {
        add(l, power * weight);
      }
      power /= r2;
      slope *= x / (l + 0.5);
    }
    return values_;
  }

  /// Of the points of the reciprocal lattice (times 2 pi) behind a wave. The transform of S_lm is
  /// 4 pi (-i)^l R_lm(k) / (k^2 (2l - 1)!!).
  std::span<const double> of_wave(std::span<const Vec3> points, bool zero) {
    std::fill(values_.begin(), values_.end(), 0.0);
    for (const Vec3& k : points) {
      const double k2 = dot(k, k);
      double weight = 4.0 * pi / volume_ * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
      set_harmonics(k);
      for (int l = 0; l <= order_; ++l) {
        if (strain_) {
          // Waves shrink where positions grow, and so does 1 / V.
          add_strained(l, k, -weight, 1.0, -2.0 / k2 - 0.5 / (kappa * kappa));
          if (*strain_ < 3) add(l, -weight);
        } else {
          add(l, weight);
        }
        weight /= 2.0 * l + 1.0;
      }
    }
    if (zero) {
      const double background = pi / (kappa * kappa * volume_);
      if (!strain_) values_[0] -= background;
      if (strain_ && *strain_ < 3) values_[0] += background;
    }
    return values_;
  }

 private:
  void set_harmonics(const Vec3& point) {
    regular_harmonics(factors_, point, harmonics_.data());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < slopes_[axis].size(); ++i) {
        const Slope& slope = slopes_[axis][i];
        gradient_[axis][i] =
            slope.factor[0] * harmonics_[slope.of[0]] + slope.factor[1] * harmonics_[slope.of[1]];
      }
    }
  }

  void add(int l, double factor) {
    for (std::size_t i = harmonics_count(l - 1); i < harmonics_count(l); ++i) {
      values_[i] += factor * harmonics_[i];
    }
  }

  /// The symmetric part of factor vector_a (weight dR/dx_b + along vector_b R).
  void add_strained(int l, const Vec3& vector, double factor, double weight, double along) {
    const auto [a, b] = strain_axes[*strain_];
    const auto& slope_a = gradient_[static_cast<std::size_t>(a)];
    const auto& slope_b = gradient_[static_cast<std::size_t>(b)];
    for (std::size_t i = harmonics_count(l - 1); i < harmonics_count(l); ++i) {
      const double slopes = 0.5 * (vector[a] * slope_b[i] + vector[b] * slope_a[i]);
      values_[i] += factor * (weight * slopes + along * vector[a] * vector[b] * harmonics_[i]);
    }
  }

  int order_;
  double volume_;
  bool periodic_;
  ImageSums::Strain strain_;
  HarmonicFactors factors_;
  /// Of one harmonic along one axis: no more than two others.
  struct Slope {
    std::array<std::size_t, 2> of{};
    std::array<double, 2> factor{};
  };
  std::array<std::vector<Slope>, 3> slopes_;  ///< along the axes of the strain
  std::vector<double> harmonics_, values_;
  std::array<std::vector<double>, 3> gradient_;
  std::vector<double> weights_;
};

/// Calls function(cell, its position) for the cells that are summed over in space.
template <class Function>
void for_each_position(const ImageSums& sums, Function function) {
  Cells reach;
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] =
        sums.periodic
            ? std::max(1, static_cast<int>(Terms::reach_in_space / sums.cell.width(axis)) + 1)
            : sums.grid[axis] / 2 - 1;
  }
  CellBox{{-reach[0], -reach[1], -reach[2]}, {reach[0] + 1, reach[1] + 1, reach[2] + 1}}.for_each(
      [&](const Cells& n) {
        const Vec3 at = sums.cell.position({double(n[0]), double(n[1]), double(n[2])});
        const bool near = std::abs(n[0]) <= 1 && std::abs(n[1]) <= 1 && std::abs(n[2]) <= 1;
        if (sums.periodic ? near || dot(at, at) < Terms::reach_in_space * Terms::reach_in_space
                          : !near) {
          function(n, at, near);
        }
      });
}

/// The points of the reciprocal lattice whose waves the grid cannot tell from `wave`.
void find_points(const ImageSums& sums, const Lattice& reciprocal, const Cells& wave,
                 std::vector<Vec3>& points) {
  points.clear();
  Cells lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3& edge = sums.cell[axis];
    const double most = Terms::highest_wave * std::sqrt(dot(edge, edge)) / (2.0 * pi);
    const double share = static_cast<double>(wave[axis]) / sums.grid[axis];
    lower[axis] = static_cast<int>(std::ceil(-most - share));
    upper[axis] = static_cast<int>(std::floor(most - share)) + 1;
  }
  CellBox{lower, upper}.for_each([&](const Cells& alias) {
    Vec3 at;
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = alias[axis] + static_cast<double>(wave[axis]) / sums.grid[axis];
    }
    const Vec3 k = 2.0 * pi * reciprocal.position(at);
    const double k2 = dot(k, k);
    if (k2 > 0.0 && k2 < Terms::highest_wave * Terms::highest_wave) points.push_back(k);
  });
}

}  // namespace

void ImageSums::make(Strain strain, std::size_t first_wave, std::size_t end_wave,
                     const Visit& visit) const {
  const FmmKernels<double>& kernels = select_fmm_kernels("auto").full;
  const GridTransform<double> plan(grid);
  const CellBox all = CellBox::grid(grid), waves = plan.waves();
  const std::size_t lanes = kernels.lanes;
  const std::size_t block = all.count() * lanes;
  // The positions' terms of all harmonics at once would be many times as large as what becomes of
  // them.
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  const std::size_t together = std::max<std::size_t>(1, most_bytes / (block * sizeof(double)));
  Terms terms(*this, strain);
  const Lattice reciprocal = cell.reciprocal();
  std::vector<double> values, wave_values;
  std::vector<Vec3> points;
  for (int first = 0, end = 0; first <= order; first = end) {
    // Whole degrees.
    const std::size_t begin = harmonics_count(first - 1);
    for (end = first + 1; end <= order; ++end) {
      if (harmonics_count(end) - begin > together * lanes) break;
    }
    const std::size_t here = harmonics_count(end - 1) - begin;
    const std::size_t blocks = (here + lanes - 1) / lanes;
    values.assign(blocks * block, 0.0);
    for_each_position(*this, [&](const Cells& n, const Vec3& at, bool near) {
      Cells place;
      for (int axis = 0; axis < 3; ++axis) {
        place[axis] = ((n[axis] % grid[axis]) + grid[axis]) % grid[axis];
      }
      const auto added = terms.at(at, near).subspan(begin, here);
      double* to = values.data() + all.index(place) * lanes;
      for (std::size_t a = 0; a < here; a += lanes, to += block) {
        const std::size_t count = std::min(lanes, here - a);
        for (std::size_t lane = 0; lane < count; ++lane) to[lane] += added[a + lane];
      }
    });
    const std::size_t wave_block = 2 * waves.count() * lanes;
    wave_values.resize(blocks * wave_block);
    for (std::size_t b = 0; b < blocks; ++b) {
      kernels.to_waves(plan, values.data() + b * block, wave_values.data() + b * wave_block);
    }
    std::vector<double> sums(here);
    waves.for_each([&](const Cells& wave) {
      const std::size_t index = waves.index(wave);
      if (index < first_wave || index >= end_wave) return;
      std::fill(sums.begin(), sums.end(), 0.0);
      if (periodic) {
        find_points(*this, reciprocal, wave, points);
        const auto added = terms.of_wave(points, index == 0).subspan(begin, here);
        std::copy(added.begin(), added.end(), sums.begin());
      }
      // (-1)^(l / 2) times the real part, or minus the imaginary one of odd degrees.
      const double* from = wave_values.data() + 2 * index * lanes;
      for (int l = first; l < end; ++l) {
        const double sign = (l / 2 % 2 == 0 ? 1.0 : -1.0) * (l % 2 == 0 ? 1.0 : -1.0);
        const std::size_t part = l % 2 == 0 ? 0 : lanes;
        for (std::size_t a = harmonics_count(l - 1) - begin; a < harmonics_count(l) - begin; ++a) {
          sums[a] += sign * from[a / lanes * wave_block + part + a % lanes];
        }
      }
      visit(index, first, sums);
    });
  }
}

}  // namespace sterna::md
