#include "md/observe/group_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "md/neighbors/pair_list.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

GroupDistribution::GroupDistribution(const comm::Context& context, std::int64_t interval,
                                     double maximum, int bins, std::vector<AtomGroup> groups,
                                     const UnitSystem& units)
    : Observer("rdf", interval),
      context_(context),
      maximum_(maximum),
      bins_(bins),
      groups_(std::move(groups)),
      units_(units),
      ideal_(groups_.size() * (groups_.size() + 1) / 2, 0.0),
      pairs_(ideal_.size() * static_cast<std::size_t>(bins), 0.0) {}

void GroupDistribution::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  const std::size_t groups = groups_.size();
  std::vector<char> member(particles.total_count() * groups);
  for (std::size_t i = 0; i < particles.total_count(); ++i) {
    for (std::size_t g = 0; g < groups; ++g) {
      member[i * groups + g] =
          groups_[g].contains(particles.id[i], particles.position[i], frame.box);
    }
  }
  // The numbers of atoms that are in both groups of a pair. For a group paired with itself this is
  // its number of atoms.
  std::vector<double> shared(ideal_.size(), 0.0);
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    for (std::size_t b = 0; b < groups; ++b) {
      if (member[i * groups + b] == 0) continue;
      for (std::size_t a = 0; a <= b; ++a) shared[pair_index(a, b)] += member[i * groups + a];
    }
  }
  comm::ReductionBatch batch(context_, "rdf groups");
  batch.sum(shared.data(), shared.size()).run();

  frame.list.for_each_neighbor(
      particles, maximum_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
        const int bin =
            std::min(bins_ - 1, static_cast<int>(std::sqrt(r_squared) / maximum_ * bins_));
        for (std::size_t b = 0; b < groups; ++b) {
          for (std::size_t a = 0; a <= b; ++a) {
            const char* const of_i = member.data() + i * groups;
            const char* const of_j = member.data() + j * groups;
            const int found = (of_i[a] & of_j[b]) + (of_i[b] & of_j[a]);
            if (found == 0) continue;
            pairs_[pair_index(a, b) * static_cast<std::size_t>(bins_) +
                   static_cast<std::size_t>(bin)] += found;
          }
        }
      });
  const double volume = frame.box.volume();
  for (std::size_t b = 0; b < groups; ++b) {
    for (std::size_t a = 0; a <= b; ++a) {
      const double of_a = shared[pair_index(a, a)], of_b = shared[pair_index(b, b)];
      // The factor is 2 because the list visits each pair of atoms from both ends.
      ideal_[pair_index(a, b)] += 2.0 * (of_a * of_b - shared[pair_index(a, b)]) / volume;
    }
  }
  frames_ += 1.0;
}

std::vector<double> GroupDistribution::common() const {
  std::vector<double> all{frames_};
  all.insert(all.end(), ideal_.begin(), ideal_.end());
  return all;
}

void GroupDistribution::set_common(std::span<const double> values) {
  if (values.size() != ideal_.size() + 1) return;
  frames_ = values[0];
  std::copy(values.begin() + 1, values.end(), ideal_.begin());
}

ObserverReport GroupDistribution::report(std::span<const double> all_sums) const {
  const std::string length(units_.label(Dimension::length));
  std::string text =
      fmt::format("# g(r), {:.0f} frames\n# r{}", frames_, length.empty() ? "" : "/" + length);
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    for (std::size_t b = a; b < groups_.size(); ++b) {
      text += fmt::format(" {}-{}", groups_[a].name(), groups_[b].name());
    }
  }
  text += "\n";
  for (int bin = 0; bin < bins_; ++bin) {
    const double inner = bin * maximum_ / bins_, outer = (bin + 1) * maximum_ / bins_;
    const double shell =
        4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
    text += fmt::format("{:.8g}", units_.from_internal(0.5 * (inner + outer), Dimension::length));
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      for (std::size_t b = a; b < groups_.size(); ++b) {
        const std::size_t pair = pair_index(a, b);
        const double counted =
            all_sums[pair * static_cast<std::size_t>(bins_) + static_cast<std::size_t>(bin)];
        const double ideal = ideal_[pair] * shell;
        text += fmt::format(" {:.8g}", ideal > 0.0 ? counted / ideal : 0.0);
      }
    }
    text += "\n";
  }
  return {.text = text};
}

}  // namespace sterna::md
