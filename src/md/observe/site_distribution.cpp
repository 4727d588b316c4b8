#include "md/observe/site_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/neighbors/pair_list.hpp"

namespace sterna::md {

SiteDistribution::SiteDistribution(std::int64_t interval, double cutoff, double maximum, int bins,
                                   const MoleculeModel& model, std::vector<std::int64_t> counts,
                                   const UnitSystem& units)
    : Observer("rdf", interval),
      cutoff_(cutoff),
      bins_(bins),
      counts_(std::move(counts)),
      units_(units) {
  double radius = 0.0;
  for (std::size_t c = 0; c < model.components.size(); ++c) {
    const Component& component = model.components[c];
    first_site_.push_back(sites_.size());
    double size = 0.0;
    for (const auto& site : component.lennard_jones) size = std::max(size, length(site.position));
    for (const auto& site : component.charges) size = std::max(size, length(site.position));
    const auto add = [&](const Vec3& position) {
      for (std::size_t s = first_site_[c]; s < sites_.size(); ++s) {
        if (length(sites_[s].position - position) <= 1e-10 * size) return;
      }
      sites_.push_back(
          {fmt::format("{}:{}", component.name, sites_.size() - first_site_[c] + 1), c, position});
      radius = std::max(radius, std::sqrt(dot(position, position)));
    };
    for (const auto& site : component.lennard_jones) add(site.position);
    for (const auto& site : component.charges) add(site.position);
  }
  first_site_.push_back(sites_.size());
  const double complete = cutoff - 2.0 * radius;
  maximum_ = maximum > 0.0 ? std::min(maximum, complete) : complete;
  pairs_.assign(sites_.size() * sites_.size() * static_cast<std::size_t>(bins), 0.0);
}

void SiteDistribution::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  const auto places = [&](std::size_t molecule, std::vector<Vec3>& out) {
    const auto component = static_cast<std::size_t>(particles.position[molecule].type);
    const Quaternion& orientation = particles.orientation[molecule];
    out.clear();
    for (std::size_t s = first_site_[component]; s < first_site_[component + 1]; ++s) {
      out.push_back(particles.position[molecule].vector() + orientation.to_lab(sites_[s].position));
    }
  };
  std::vector<Vec3> here, there;
  std::uint32_t last = ~0u;
  frame.list.for_each_neighbor(particles, cutoff_, [&](std::uint32_t i, std::uint32_t j, double) {
    if (i != last) places(i, here);
    last = i;
    places(j, there);
    const std::size_t first_i = first_site_[static_cast<std::size_t>(particles.position[i].type)];
    const std::size_t first_j = first_site_[static_cast<std::size_t>(particles.position[j].type)];
    for (std::size_t a = 0; a < here.size(); ++a) {
      for (std::size_t b = 0; b < there.size(); ++b) {
        const Vec3 apart = here[a] - there[b];
        const double distance = std::sqrt(dot(apart, apart));
        if (distance >= maximum_) continue;
        const int bin = std::min(bins_ - 1, static_cast<int>(distance / maximum_ * bins_));
        pairs_[index(first_i + a, first_j + b, bin)] += 1.0;
      }
    }
  });
  frames_ += 1.0;
  volumes_ += frame.box.volume();
}

void SiteDistribution::set_common(std::span<const double> values) {
  if (values.size() != 2) return;
  frames_ = values[0];
  volumes_ = values[1];
}

ObserverReport SiteDistribution::report(std::span<const double> all_sums) const {
  const std::string length(units_.label(Dimension::length));
  ObserverReport report;
  report.text = fmt::format("# g(r) of sites, {:.0f} frames\n# r{}", frames_,
                            length.empty() ? "" : "/" + length);
  for (std::size_t a = 0; a < sites_.size(); ++a) {
    for (std::size_t b = a; b < sites_.size(); ++b) {
      report.text += fmt::format(" {}-{}", sites_[a].name, sites_[b].name);
    }
  }
  report.text += "\n";
  const double volume = frames_ > 0.0 ? volumes_ / frames_ : 1.0;
  for (int bin = 0; bin < bins_; ++bin) {
    const double inner = bin * maximum_ / bins_, outer = (bin + 1) * maximum_ / bins_;
    const double shell =
        4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
    report.text +=
        fmt::format("{:.8g}", units_.from_internal(0.5 * (inner + outer), Dimension::length));
    for (std::size_t a = 0; a < sites_.size(); ++a) {
      for (std::size_t b = a; b < sites_.size(); ++b) {
        const std::size_t first = sites_[a].component, second = sites_[b].component;
        const auto of_a = static_cast<double>(counts_[first]);
        const auto of_b = static_cast<double>(counts_[second]) - (first == second ? 1.0 : 0.0);
        const double ideal = frames_ * of_a * of_b * shell / volume;
        report.text +=
            fmt::format(" {:.8g}", ideal > 0.0 ? all_sums[index(a, b, bin)] / ideal : 0.0);
      }
    }
    report.text += "\n";
  }
  return report;
}

}  // namespace sterna::md
