#include <fmt/format.h>

#include <cmath>

#include "md/forces/bias/collective_variable.hpp"

namespace sterna::md {
namespace {

/// The smaller group has at most this many atoms, because all ranks get their positions.
constexpr std::int64_t most_gathered = 4096;

/// s(r) = (1 - (r/r0)^n) / (1 - (r/r0)^m), shifted and stretched so that it is 1 at 0 and ends at
/// the cutoff.
class SwitchingFunction {
 public:
  explicit SwitchingFunction(const VariableOptions& options)
      : radius_(options.radius), upper_(options.power), lower_(options.lower_power) {
    if (options.cutoff <= 0.0) return;
    squared_cutoff_ = options.cutoff * options.cutoff;
    double slope;
    shift_ = plain(options.cutoff, slope);
    stretch_ = 1.0 / (1.0 - shift_);
  }
  /// The value, and its derivative by r divided by r.
  double operator()(double squared, double& slope_over_r) const {
    slope_over_r = 0.0;
    if (squared_cutoff_ > 0.0 && squared >= squared_cutoff_) return 0.0;
    const double r = std::sqrt(squared);
    double slope;
    const double value = stretch_ * (plain(r, slope) - shift_);
    if (r > 0.0) slope_over_r = stretch_ * slope / r;
    return value;
  }

 private:
  double plain(double r, double& slope) const {
    const double x = r / radius_, y = x - 1.0, n = upper_, m = lower_;
    slope = 0.0;
    if (!(x > 0.0)) return 1.0;
    // Near r0 numerator and denominator vanish: there the series about x = 1 counts.
    if (std::abs(y) < 1e-6) {
      const double first = 0.5 * n * (n - m) / m;
      const double second = n * (n - m) * (2.0 * n - m - 3.0) / (12.0 * m);
      slope = (first + 2.0 * second * y) / radius_;
      return n / m + first * y + second * y * y;
    }
    const double logarithm = std::abs(y) < 0.5 ? std::log1p(y) : std::log(x);
    const double above = -std::expm1(n * logarithm), below = -std::expm1(m * logarithm);
    slope = (m * (1.0 - below) * above - n * (1.0 - above) * below) / (below * below * x * radius_);
    return above / below;
  }

  double radius_;
  int upper_, lower_;
  double squared_cutoff_ = 0.0, shift_ = 0.0, stretch_ = 1.0;
};

class CoordinationVariable final : public CollectiveVariable {
 public:
  explicit CoordinationVariable(const VariableOptions& options) : switch_(options) {}

  bool needs_numbers() const override { return true; }
  std::string problem_of(Groups groups) const override {
    const std::int64_t count = groups[small(groups)].count;
    if (count <= most_gathered) return {};
    return fmt::format("the smaller of its groups has {} atoms; expected at most {}", count,
                       most_gathered);
  }

  /// The positions of the smaller group and their ids.
  std::size_t sum_count(Groups groups) const override { return 4 * size(groups); }
  void add_sums(Groups groups, std::span<double> sums) override {
    const GroupMembers& group = groups[small(groups)];
    for (std::size_t k = 0; k < group.here.size(); ++k) {
      const std::size_t at = 4 * group.here[k].number;
      for (int axis = 0; axis < 3; ++axis) {
        sums[at + static_cast<std::size_t>(axis)] += group.from_point[k][axis];
      }
      sums[at + 3] += static_cast<double>(group.here[k].id);
    }
  }
  /// The value, its derivatives by a strain and by the positions of the smaller group.
  std::size_t second_sum_count(Groups groups) const override { return 7 + 3 * size(groups); }
  void add_second_sums(Groups groups, std::span<const double> sums, const Box& box,
                       std::span<double> second) override {
    const GroupMembers& gathered = groups[small(groups)];
    const GroupMembers& other = groups[1 - small(groups)];
    gradients_.assign(other.here.size(), Vec3{});
    StrainDerivatives strain{};
    double value = 0.0;
    const Vec3 between = other.point - gathered.point;
    for (std::size_t i = 0; i < other.here.size(); ++i) {
      const Vec3 place = between + other.from_point[i];
      for (std::size_t k = 0; k < size(groups); ++k) {
        if (sums[4 * k + 3] == static_cast<double>(other.here[i].id)) continue;
        const Vec3 away =
            box.nearest_image(place - Vec3{sums[4 * k], sums[4 * k + 1], sums[4 * k + 2]});
        double slope_over_r;
        value += switch_(dot(away, away), slope_over_r);
        const Vec3 gradient = slope_over_r * away;
        gradients_[i] += gradient;
        add_product(strain, gradient, away);
        for (int axis = 0; axis < 3; ++axis) {
          second[7 + 3 * k + static_cast<std::size_t>(axis)] -= gradient[axis];
        }
      }
    }
    second[0] += value;
    for (std::size_t k = 0; k < 6; ++k) second[1 + k] += strain[k];
  }
  double evaluate(Groups, std::span<const double>, std::span<const double> second,
                  const Box&) override {
    for (std::size_t k = 0; k < 6; ++k) strain_[k] = second[1 + k];
    of_gathered_.assign(second.begin() + 7, second.end());
    return second[0];
  }
  StrainDerivatives strain() const override { return strain_; }
  void add_forces(double factor, Groups groups, std::span<Vec3> forces) const override {
    const GroupMembers& gathered = groups[small(groups)];
    const GroupMembers& other = groups[1 - small(groups)];
    for (std::size_t i = 0; i < other.here.size(); ++i) {
      forces[other.here[i].index] += factor * gradients_[i];
    }
    for (const GroupMembers::Member& member : gathered.here) {
      const double* const gradient = of_gathered_.data() + 3 * member.number;
      forces[member.index] += factor * Vec3{gradient[0], gradient[1], gradient[2]};
    }
  }

 private:
  static std::size_t small(Groups groups) { return groups[0].count < groups[1].count ? 0 : 1; }
  static std::size_t size(Groups groups) {
    return static_cast<std::size_t>(groups[small(groups)].count);
  }

  SwitchingFunction switch_;
  std::vector<Vec3> gradients_;  ///< of the atoms of the larger group that are here
  std::vector<double> of_gathered_;
  StrainDerivatives strain_{};
};

}  // namespace

VariableRow variable::coordination() {
  return {.name = "coordination",
          .sentence =
              "How many pairs of atoms of two groups are near each other: the sum of "
              "(1 - (r/radius)^power) / (1 - (r/radius)^lower_power) over all pairs, with "
              "nearest images. An atom of both groups makes no pair with itself.",
          .least_groups = 2,
          .most_groups = 2,
          .unit = VariableUnit::number,
          .keys = {"radius", "power", "lower_power", "cutoff"},
          .aliases = {"coordination_number", "contacts"},
          .narrow_axes =
              [](const VariableOptions&) {
                return std::array{false, false, false};
              },
          .make = [](const VariableOptions& options) -> std::unique_ptr<CollectiveVariable> {
            return std::make_unique<CoordinationVariable>(options);
          }};
}

}  // namespace sterna::md
