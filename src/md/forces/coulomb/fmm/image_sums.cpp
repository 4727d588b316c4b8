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

/// The terms of the sums. Harmonics are made of as many points at once as a vector has lanes.
class Terms {
 public:
  /// kappa divides the sums: about as many positions as points of the reciprocal lattice matter for
  /// grids of a thousand cells.
  static constexpr double kappa = 0.5, reach_in_space = 6.5 / kappa, highest_wave = 13.0 * kappa;

  Terms(const ImageSums& sums, ImageSums::Strain strain, const FmmKernels<double>& kernels)
      : kernels_(kernels),
        lanes_(kernels.lanes),
        volume_(sums.cell.volume()),
        periodic_(sums.periodic),
        strain_(strain),
        targets_(lanes_) {
    for (auto& axis : points_) axis.resize(lanes_);
    const std::size_t most = harmonics_count(sums.order);
    harmonics_.resize(most * lanes_);
    terms_.resize(most * lanes_);
    for (auto* weights : {&weights_, &slope_weights_}) {
      weights->resize(static_cast<std::size_t>(sums.order + 1) * lanes_);
    }
    gamma_.resize(static_cast<std::size_t>(sums.order + 1));
    if (!strain) return;
    for (const int axis : strain_axes[*strain]) slopes_[axis].assign(most, {});
    for (const GradientTerm& term : gradient_terms(sums.order)) {
      auto& slopes = slopes_[term.component];
      if (slopes.empty()) continue;
      Slope& slope = slopes[term.from];
      const std::size_t next = slope.factor[0] == 0.0 ? 0 : 1;
      slope.of[next] = term.to;
      slope.factor[next] = term.factor;
    }
  }

  /// Terms added from now on are those of degrees `first` up to, not with, `end`. From where they
  /// are added, those of as many harmonics as there are lanes lie together, the next `block`
  /// further; odd degrees lie `odd` behind even ones.
  void set_degrees(int first, int end, std::size_t block, std::size_t odd) {
    first_ = first;
    end_ = end;
    factors_ = HarmonicFactors(end - 1);
    offsets_.clear();
    for (int l = first; l < end; ++l) {
      for (int i = 0; i < 2 * l + 1; ++i) {
        const std::size_t a = offsets_.size();
        offsets_.push_back(a / lanes_ * block + a % lanes_ + (l % 2 == 0 ? 0 : odd));
      }
    }
  }

  /// Of a position and, at `to_opposite`, of the one opposite to it. That of a near cell is not part
  /// of the sums, but its smooth part is in those over the reciprocal lattice.
  void add_position(const Vec3& position, bool near, double* to, double* to_opposite) {
    const std::size_t lane = add_point(position, to, to_opposite);
    const double r2 = dot(position, position), x = kappa * kappa * r2;
    if (!periodic_) {
      std::fill(gamma_.begin(), gamma_.end(), 1.0);
    } else if (near) {
      minus_lower_gamma(x, gamma_);
    } else {
      upper_gamma(x, gamma_);
    }
    double power = 1.0 / std::sqrt(r2);  // r^-(2l + 1)
    double slope = periodic_ ? -std::exp(-x) / std::sqrt(x) / std::tgamma(0.5) : 0.0;  // dQ/dx
    for (int l = 0; l < end_; ++l) {
      const double weight = gamma_[static_cast<std::size_t>(l)];
      if (strain_) {
        set_strained(l, lane, position, power, weight,
                     2.0 * kappa * kappa * slope - (2 * l + 1) * weight / r2);
      } else {
        weights_[index(l, lane)] = power * weight;
      }
      power /= r2;
      slope *= x / (l + 0.5);
    }
  }

  /// Of a charge's own cloud, where degree 0 is among those that are added.
  void add_own_cloud(double* to) const {
    if (first_ == 0 && !strain_) *to -= 2.0 * kappa / std::sqrt(pi);
  }

  /// Of a point of the reciprocal lattice (times 2 pi), in the form of a transform over positions.
  /// That of S_lm is 4 pi (-i)^l R_lm(k) / (k^2 (2l - 1)!!).
  void add_wave(const Vec3& k, double* to) {
    const std::size_t lane = add_point(k, to, nullptr);
    const double k2 = dot(k, k);
    double weight = 4.0 * pi / volume_ * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
    for (int l = 0; l < end_; ++l) {
      const double signed_weight = wave_sign(l) * weight;
      if (strain_) {
        // Waves shrink where positions grow, and so does 1 / V.
        set_strained(l, lane, k, -signed_weight, 1.0, -2.0 / k2 - 0.5 / (kappa * kappa));
        if (*strain_ < 3) weights_[index(l, lane)] -= signed_weight;
      } else {
        weights_[index(l, lane)] = signed_weight;
      }
      weight /= 2.0 * l + 1.0;
    }
  }

  /// Of the neutralizing background, where degree 0 is among those that are added.
  void add_background(double* to) const {
    const double background = pi / (kappa * kappa * volume_);
    if (first_ == 0 && !strain_) *to -= background;
    if (first_ == 0 && strain_ && *strain_ < 3) *to += background;
  }

  /// Of a transform over positions the sums are this times the real part or, of odd degrees, times
  /// the imaginary one.
  static double wave_sign(int l) { return (l + 1) / 2 % 2 == 0 ? 1.0 : -1.0; }

  /// Terms are where they belong only after this.
  void finish() {
    if (points_held_ == 0) return;
    kernels_.harmonics(factors_, points_[0].data(), points_[1].data(), points_[2].data(),
                       harmonics_.data());
    for (int l = first_; l < end_; ++l) {
      for (std::size_t a = harmonics_count(l - 1); a < harmonics_count(l); ++a) make_terms(l, a);
    }
    for (std::size_t lane = 0; lane < points_held_; ++lane) scatter(lane);
    points_held_ = 0;
  }

 private:
  std::size_t index(int l, std::size_t lane) const {
    return static_cast<std::size_t>(l) * lanes_ + lane;
  }

  /// Its lane.
  std::size_t add_point(const Vec3& point, double* to, double* to_opposite) {
    if (points_held_ == lanes_) finish();
    const std::size_t lane = points_held_++;
    for (int axis = 0; axis < 3; ++axis) points_[axis][lane] = point[axis];
    targets_[lane] = {to, to_opposite};
    return lane;
  }

  /// The symmetric part of factor vector_a (weight dR/dx_b + along vector_b R).
  void set_strained(int l, std::size_t lane, const Vec3& vector, double factor, double weight,
                    double along) {
    const auto [a, b] = strain_axes[*strain_];
    weights_[index(l, lane)] = factor * along * vector[a] * vector[b];
    slope_weights_[index(l, lane)] = factor * weight;
  }

  void make_terms(int l, std::size_t a) {
    const double* const harmonic = harmonics_.data() + a * lanes_;
    const double* const weight = weights_.data() + index(l, 0);
    double* const term = terms_.data() + a * lanes_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) term[lane] = weight[lane] * harmonic[lane];
    if (!strain_) return;
    const auto [first, second] = strain_axes[*strain_];
    const double* const slope_weight = slope_weights_.data() + index(l, 0);
    for (const auto& [along, of] : {std::array{first, second}, std::array{second, first}}) {
      const Slope& slope = slopes_[of][a];
      const double* const one = harmonics_.data() + slope.of[0] * lanes_;
      const double* const other = harmonics_.data() + slope.of[1] * lanes_;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        term[lane] += 0.5 * slope_weight[lane] * points_[along][lane] *
                      (slope.factor[0] * one[lane] + slope.factor[1] * other[lane]);
      }
    }
  }

  void scatter(std::size_t lane) const {
    const std::size_t begin = harmonics_count(first_ - 1);
    const double* const term = terms_.data() + begin * lanes_ + lane;
    const auto [to, to_opposite] = targets_[lane];
    for (std::size_t i = 0; i < offsets_.size(); ++i) to[offsets_[i]] += term[i * lanes_];
    if (to_opposite == nullptr) return;
    // Harmonics of odd degrees change their sign.
    for (int l = first_; l < end_; ++l) {
      const double sign = l % 2 == 0 ? 1.0 : -1.0;
      for (std::size_t a = harmonics_count(l - 1); a < harmonics_count(l); ++a) {
        to_opposite[offsets_[a - begin]] += sign * term[(a - begin) * lanes_];
      }
    }
  }

  const FmmKernels<double>& kernels_;
  std::size_t lanes_;
  double volume_;
  bool periodic_;
  ImageSums::Strain strain_;
  /// Of one harmonic along one axis: no more than two others.
  struct Slope {
    std::array<std::size_t, 2> of{};
    std::array<double, 2> factor{};
  };
  std::array<std::vector<Slope>, 3> slopes_;  ///< along the axes of the strain
  int first_ = 0, end_ = 0;
  HarmonicFactors factors_{0};
  std::vector<std::size_t> offsets_;
  std::vector<double> gamma_;
  // Of points that wait until there is one for each lane; `lanes_` numbers of each degree or
  // harmonic.
  struct Targets {
    double *to, *to_opposite;
  };
  std::size_t points_held_ = 0;
  std::array<std::vector<double>, 3> points_;
  std::vector<Targets> targets_;
  std::vector<double> weights_, slope_weights_, harmonics_, terms_;
};

/// Calls function(cell, its position, whether it is near) for one of each two opposite cells that
/// are summed over in space.
template <class Function>
void for_each_position(const ImageSums& sums, Function function) {
  Cells reach;
  for (int axis = 0; axis < 3; ++axis) {
    reach[axis] =
        sums.periodic
            ? std::max(1, static_cast<int>(Terms::reach_in_space / sums.cell.width(axis)) + 1)
            : sums.grid[axis] / 2 - 1;
  }
  CellBox{{-reach[0], -reach[1], 0}, {reach[0] + 1, reach[1] + 1, reach[2] + 1}}.for_each(
      [&](const Cells& n) {
        if (n[2] == 0 && (n[1] < 0 || (n[1] == 0 && n[0] <= 0))) return;
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
  Terms terms(*this, strain, kernels);
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
    const auto at_cell = [&](const Cells& n, int sign) {
      Cells place;
      for (int axis = 0; axis < 3; ++axis) {
        place[axis] = ((sign * n[axis] % grid[axis]) + grid[axis]) % grid[axis];
      }
      return values.data() + all.index(place) * lanes;
    };
    terms.set_degrees(first, end, block, 0);
    for_each_position(*this, [&](const Cells& n, const Vec3& at, bool near) {
      terms.add_position(at, near, at_cell(n, 1), at_cell(n, -1));
    });
    terms.finish();
    if (periodic) terms.add_own_cloud(values.data());
    const std::size_t wave_block = 2 * waves.count() * lanes;
    wave_values.resize(blocks * wave_block);
    for (std::size_t b = 0; b < blocks; ++b) {
      kernels.to_waves(plan, values.data() + b * block, wave_values.data() + b * wave_block);
    }
    const auto for_each_wave = [&](auto function) {
      waves.for_each([&](const Cells& wave) {
        const std::size_t index = waves.index(wave);
        if (index < first_wave || index >= end_wave) return;
        function(wave, index, wave_values.data() + 2 * index * lanes);
      });
    };
    if (periodic) {
      terms.set_degrees(first, end, wave_block, lanes);
      for_each_wave([&](const Cells& wave, std::size_t index, double* to) {
        if (index == 0) terms.add_background(to);
        find_points(*this, reciprocal, wave, points);
        for (const Vec3& point : points) terms.add_wave(point, to);
      });
      terms.finish();
    }
    std::vector<double> sums(here);
    for_each_wave([&](const Cells&, std::size_t index, const double* from) {
      for (int l = first; l < end; ++l) {
        const std::size_t part = l % 2 == 0 ? 0 : lanes;
        for (std::size_t a = harmonics_count(l - 1) - begin; a < harmonics_count(l) - begin; ++a) {
          sums[a] = Terms::wave_sign(l) * from[a / lanes * wave_block + part + a % lanes];
        }
      }
      visit(index, first, sums);
    });
  }
}

}  // namespace sterna::md
