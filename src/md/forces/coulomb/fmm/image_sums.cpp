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

/// The regularized upper incomplete gamma function Q(L + 1/2, x) for L = 0 to highest, by
/// recurrence.
void upper_gamma(double x, std::vector<double>& values) {
  values[0] = std::erfc(std::sqrt(x));
  double term = std::exp(-x) * std::sqrt(x) / std::tgamma(1.5);
  for (std::size_t degree = 1; degree < values.size(); ++degree) {
    values[degree] = values[degree - 1] + term;
    term *= x / (static_cast<double>(degree) + 0.5);
  }
}

/// Minus the lower incomplete gamma function, Q - 1. It is not computed as a difference, because
/// the harmonics that multiply it may be 10^20 times as large as the sums.
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

/// One number for each of the points whose harmonics are computed together.
using Row = std::array<double, points_together>;

/// Adds the terms of the sums.
class Terms {
 public:
  /// kappa divides the sums so that, for grids of a thousand cells, about equally many positions
  /// and points of the reciprocal lattice matter.
  static constexpr double kappa = 0.5, reach_in_space = 6.5 / kappa, highest_wave = 13.0 * kappa;

  Terms(const ImageSums& sums, ImageSums::Kind kind, const FmmInstructionSet& kernels)
      : make_harmonics_(kernels.harmonics),
        parts_(ImageSums::parts(kind)),
        volume_(sums.cell.volume()),
        periodic_(sums.periodic),
        strained_(kind == ImageSums::Kind::strained) {
    const std::size_t most = harmonics_count(sums.order);
    const auto degrees = static_cast<std::size_t>(sums.order + 1);
    harmonics_.resize(most);
    gamma_.resize(degrees);
    weights_.resize(degrees);
    if (!strained_) return;
    slope_weights_.resize(degrees);
    volume_weights_.resize(degrees);
    for (auto& slopes : slopes_) slopes.assign(most, {});
    for (const GradientTerm& term : gradient_terms(sums.order)) {
      Slope& slope = slopes_[static_cast<std::size_t>(term.component)][term.from];
      const std::size_t next = slope.factor[0] == 0.0 ? 0 : 1;
      slope.of[next] = term.to;
      slope.factor[next] = term.factor;
    }
  }

  /// Sets the range of degrees of the following terms: from `first` up to, but without, `end`.
  void set_degrees(int first, int end) {
    first_ = first;
    end_ = end;
    factors_ = HarmonicFactors(end - 1);
    terms_.assign(parts_ * count(), {});
  }

  /// Adds the term of a position. A near cell is not part of the sums, but its smooth part is
  /// contained in the sum over the reciprocal lattice, and is subtracted here.
  void add_position(const Vec3& position, bool near) {
    const std::size_t i = add_point(position);
    const double r2 = dot(position, position), x = kappa * kappa * r2;
    if (!periodic_) {
      std::fill(gamma_.begin(), gamma_.end(), 1.0);
    } else if (near) {
      minus_lower_gamma(x, gamma_);
    } else {
      upper_gamma(x, gamma_);
    }
    const double inverse2 = 1.0 / r2;
    double power = std::sqrt(inverse2);                                  // r^-(2l + 1)
    double slope = periodic_ ? -std::exp(-x) / std::sqrt(pi * x) : 0.0;  // dQ/dx
    for (std::size_t l = 0; l < static_cast<std::size_t>(end_); ++l) {
      const double degree = static_cast<double>(l), weight = gamma_[l];
      if (strained_) {
        slope_weights_[l][i] = power * weight;
        weights_[l][i] =
            power * (2.0 * kappa * kappa * slope - (2.0 * degree + 1.0) * weight * inverse2);
        volume_weights_[l][i] = 0.0;
        slope *= x / (degree + 0.5);
      } else {
        weights_[l][i] = power * weight;
      }
      power *= inverse2;
    }
  }

  /// Subtracts the term of a charge's own cloud.
  void add_own_cloud() {
    if (first_ == 0 && !strained_) terms_[0][0] -= 2.0 * kappa / std::sqrt(pi);
  }

  /// Adds the term of a point of the reciprocal lattice (times 2 pi). The transform of S_lm is 4 pi
  /// (-i)^l R_lm(k) / (k^2 (2l - 1)!!).
  void add_wave(const Vec3& k) {
    const std::size_t i = add_point(k);
    const double k2 = dot(k, k);
    double weight = 4.0 * pi / volume_ * std::exp(-k2 / (4.0 * kappa * kappa)) / k2;
    for (std::size_t l = 0; l < static_cast<std::size_t>(end_); ++l) {
      if (strained_) {
        // Wave vectors shrink when positions grow, and so does 1 / V.
        slope_weights_[l][i] = -weight;
        weights_[l][i] = weight * (2.0 / k2 + 0.5 / (kappa * kappa));
        volume_weights_[l][i] = -weight;
      } else {
        weights_[l][i] = weight;
      }
      weight /= 2.0 * static_cast<double>(l) + 1.0;
    }
  }

  /// Adds the term of the neutralizing background.
  void add_background() {
    if (first_ > 0) return;
    const double background = pi / (kappa * kappa * volume_);
    if (!strained_) terms_[0][0] -= background;
    for (std::size_t strain = 0; strained_ && strain < 3; ++strain) {
      terms_[strain * count()][0] += background;
    }
  }

  /// Calls function(part; harmonic, counted from the first degree; its degree; the sum of its
  /// terms), and begins new sums.
  template <class Function>
  void take(Function function) {
    make_terms();
    Row* term = terms_.data();
    for (std::size_t part = 0; part < parts_; ++part) {
      std::size_t a = 0;
      for (int l = first_; l < end_; ++l) {
        for (int i = 0; i < 2 * l + 1; ++i, ++a, ++term) {
          double sum = 0.0;
          for (double& value : *term) sum += value, value = 0.0;
          function(part, a, l, sum);
        }
      }
    }
  }

 private:
  std::size_t count() const { return harmonics_count(end_ - 1) - harmonics_count(first_ - 1); }

  /// Adds a point to those that wait; returns its index among them.
  std::size_t add_point(const Vec3& point) {
    if (waiting_ == points_together) make_terms();
    const std::size_t i = waiting_++;
    for (int axis = 0; axis < 3; ++axis) point_[static_cast<std::size_t>(axis)][i] = point[axis];
    return i;
  }

  /// Adds the terms of the waiting points.
  void make_terms() {
    if (waiting_ == 0) return;
    for (std::size_t i = waiting_; i < points_together; ++i) {
      for (Row& axis : point_) axis[i] = 0.0;
      for (auto* weights : {&weights_, &slope_weights_, &volume_weights_}) {
        for (Row& weight : *weights) weight[i] = 0.0;
      }
    }
    waiting_ = 0;
    make_harmonics_(factors_, point_[0].data(), point_[1].data(), point_[2].data(),
                    harmonics_[0].data());
    Row* term = terms_.data();
    for (int l = first_; l < end_; ++l) {
      const std::size_t begin = harmonics_count(l - 1), end = harmonics_count(l);
      if (strained_) {
        add_strained(static_cast<std::size_t>(l), begin, end, term);
        term += end - begin;
        continue;
      }
      const Row weight = weights_[static_cast<std::size_t>(l)];
      for (std::size_t a = begin; a < end; ++a, ++term) {
        for (std::size_t i = 0; i < points_together; ++i)
          (*term)[i] += weight[i] * harmonics_[a][i];
      }
    }
  }

  /// Adds the terms of one degree for all strains, which lie `count()` rows apart: the symmetric
  /// part of
  ///   slope weight vector_a dR/dx_b + weight vector_a vector_b R
  /// and, for strains that change the volume, volume weight times R.
  void add_strained(std::size_t l, std::size_t begin, std::size_t end, Row* term) const {
    std::array<Row, 3> of_slope;
    std::array<Row, 6> of_harmonic;
    for (std::size_t i = 0; i < points_together; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        of_slope[axis][i] = 0.5 * slope_weights_[l][i] * point_[axis][i];
      }
      for (std::size_t strain = 0; strain < 6; ++strain) {
        const auto [a, b] = strain_axes[strain];
        of_harmonic[strain][i] = weights_[l][i] * point_[a][i] * point_[b][i] +
                                 (strain < 3 ? volume_weights_[l][i] : 0.0);
      }
    }
    for (std::size_t harmonic = begin; harmonic < end; ++harmonic, ++term) {
      std::array<Row, 3> gradient;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Slope& slope = slopes_[axis][harmonic];
        const Row &one = harmonics_[slope.of[0]], &other = harmonics_[slope.of[1]];
        for (std::size_t i = 0; i < points_together; ++i) {
          gradient[axis][i] = slope.factor[0] * one[i] + slope.factor[1] * other[i];
        }
      }
      for (std::size_t strain = 0; strain < 6; ++strain) {
        const auto [a, b] = strain_axes[strain];
        Row& sum = term[strain * count()];
        for (std::size_t i = 0; i < points_together; ++i) {
          sum[i] += of_slope[a][i] * gradient[b][i] + of_slope[b][i] * gradient[a][i] +
                    of_harmonic[strain][i] * harmonics_[harmonic][i];
        }
      }
    }
  }

  decltype(FmmInstructionSet::harmonics) make_harmonics_;
  std::size_t parts_;
  double volume_;
  bool periodic_, strained_;
  /// The derivative of a harmonic along an axis: at most two other harmonics with their factors.
  struct Slope {
    std::array<std::size_t, 2> of{};
    std::array<double, 2> factor{};
  };
  std::array<std::vector<Slope>, 3> slopes_;
  int first_ = 0, end_ = 0;
  HarmonicFactors factors_{0};
  std::vector<double> gamma_;
  // The points that wait until a row is full:
  std::size_t waiting_ = 0;
  std::array<Row, 3> point_{};
  std::vector<Row> harmonics_;
  std::vector<Row> weights_, slope_weights_, volume_weights_;  ///< by degree
  /// Sums over all completed points, by part and harmonic.
  std::vector<Row> terms_;
};

/// Adds the terms of a cell of the grid and of its images.
void add_images(const ImageSums& sums, const Cells& cell, Terms& terms) {
  constexpr double reach = Terms::reach_in_space;
  // The images are the grids in `box`, in units of the grid.
  CellBox box;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = sums.grid[axis], here = cell[axis];
    const int most = sums.periodic
                         ? std::max(1, static_cast<int>(reach / sums.cell.width(axis)) + 1)
                         : n / 2 - 1;
    box.lower[axis] = -((most + here) / n);
    box.upper[axis] = most < here ? 0 : (most - here) / n + 1;
  }
  box.for_each([&](const Cells& image) {
    Cells n;
    for (int axis = 0; axis < 3; ++axis) n[axis] = cell[axis] + sums.grid[axis] * image[axis];
    if (n == Cells{0, 0, 0}) {
      if (sums.periodic) terms.add_own_cloud();
      return;
    }
    const Vec3 at = sums.cell.position({double(n[0]), double(n[1]), double(n[2])});
    const bool near = std::abs(n[0]) <= 1 && std::abs(n[1]) <= 1 && std::abs(n[2]) <= 1;
    if (sums.periodic ? near || dot(at, at) < reach * reach : !near) terms.add_position(at, near);
  });
}

/// Finds the points of the reciprocal lattice whose waves are the same on the grid as `wave`.
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

void ImageSums::make(Kind kind, std::size_t first_wave, std::size_t end_wave,
                     const Visit& visit) const {
  const FmmInstructionSet& set = select_fmm_kernels("auto");
  const FmmKernels<double>& kernels = set.full;
  const GridTransform<double> plan(grid);
  const CellBox all = CellBox::grid(grid), waves = plan.waves();
  const std::size_t lanes = kernels.lanes;
  const std::size_t block = all.count() * lanes;
  // Positions are treated in groups of harmonics, because the terms of all harmonics at once would
  // need many times the memory of the result.
  constexpr std::size_t most_bytes = std::size_t{16} << 20;
  const std::size_t parts = ImageSums::parts(kind);
  const std::size_t together =
      std::max<std::size_t>(1, most_bytes / (parts * block * sizeof(double)));
  Terms terms(*this, kind, set);
  const Lattice reciprocal = cell.reciprocal();
  std::vector<double> values, wave_values;
  std::vector<Vec3> points;
  for (int first = 0, end = 0; first <= order; first = end) {
    // A group consists of whole degrees.
    const std::size_t begin = harmonics_count(first - 1);
    for (end = first + 1; end <= order; ++end) {
      if (harmonics_count(end) - begin > together * lanes) break;
    }
    const std::size_t here = harmonics_count(end - 1) - begin;
    const std::size_t blocks = (here + lanes - 1) / lanes;
    values.assign(parts * blocks * block, 0.0);
    terms.set_degrees(first, end);
    all.for_each([&](const Cells& n) {
      Cells opposite;
      for (int axis = 0; axis < 3; ++axis) opposite[axis] = (grid[axis] - n[axis]) % grid[axis];
      if (all.index(opposite) < all.index(n)) return;
      add_images(*this, n, terms);
      double* const to = values.data() + all.index(n) * lanes;
      double* const to_opposite = values.data() + all.index(opposite) * lanes;
      terms.take([&](std::size_t part, std::size_t a, int degree, double sum) {
        const std::size_t at = (part * blocks + a / lanes) * block + a % lanes;
        to[at] = sum;
        to_opposite[at] = degree % 2 == 0 ? sum : -sum;
      });
    });
    const std::size_t wave_block = 2 * waves.count() * lanes;
    wave_values.resize(parts * blocks * wave_block);
    for (std::size_t b = 0; b < parts * blocks; ++b) {
      kernels.to_waves(plan, values.data() + b * block, wave_values.data() + b * wave_block);
    }
    std::vector<double> sums(parts * here);
    waves.for_each([&](const Cells& wave) {
      const std::size_t index = waves.index(wave);
      if (index < first_wave || index >= end_wave) return;
      if (periodic) {
        if (index == 0) terms.add_background();
        find_points(*this, reciprocal, wave, points);
        for (const Vec3& point : points) terms.add_wave(point);
      }
      // The result is (-1)^(l / 2) times the real part or, for odd degrees, times minus the
      // imaginary part.
      const double* const from = wave_values.data() + 2 * index * lanes;
      terms.take([&](std::size_t part, std::size_t a, int degree, double sum) {
        const double sign = (degree + 1) / 2 % 2 == 0 ? 1.0 : -1.0;
        const std::size_t turned = degree % 2 == 0 ? 0 : lanes;
        sums[part * here + a] =
            sum + sign * from[(part * blocks + a / lanes) * wave_block + turned + a % lanes];
      });
      for (std::size_t part = 0; part < parts; ++part) {
        visit(index, part, first, std::span(sums).subspan(part * here, here));
      }
    });
  }
}

}  // namespace sterna::md
