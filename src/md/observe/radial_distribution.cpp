#include "md/observe/radial_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sterna::md {

RadialDistribution::RadialDistribution(double maximum, int bins, int type_count)
    : maximum_(maximum),
      bins_(bins),
      type_count_(type_count),
      counts_(static_cast<std::size_t>(type_count) * static_cast<std::size_t>(type_count) *
                  static_cast<std::size_t>(bins),
              0) {}

void RadialDistribution::add_frame(const PairList& list, const ParticleStore& particles) {
  list.for_each_neighbor(
      particles, maximum_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
        const int bin =
            std::min(bins_ - 1, static_cast<int>(std::sqrt(r_squared) / maximum_ * bins_));
        ++counts_[index(static_cast<int>(particles.position[i].type),
                        static_cast<int>(particles.position[j].type), bin)];
      });
  ++frames_;
}

double RadialDistribution::value(std::span<const std::int64_t> all_counts, int a, int b, int bin,
                                 std::span<const std::int64_t> particles_of_type,
                                 const Box& box) const {
  const double inner = bin * maximum_ / bins_;
  const double outer = (bin + 1) * maximum_ / bins_;
  const double shell =
      4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
  const auto of_a = static_cast<double>(particles_of_type[static_cast<std::size_t>(a)]);
  const auto of_b =
      static_cast<double>(particles_of_type[static_cast<std::size_t>(b)]) - (a == b ? 1.0 : 0.0);
  const double ideal = static_cast<double>(frames_) * of_a * of_b * shell / box.volume();
  return ideal > 0.0 ? static_cast<double>(all_counts[index(a, b, bin)]) / ideal : 0.0;
}

}  // namespace sterna::md
