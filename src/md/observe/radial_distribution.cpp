#include "md/observe/radial_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "md/input/atom_groups.hpp"
#include "md/input/many_body_input.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/group_distribution.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/site_distribution.hpp"

namespace sterna::md {

RadialDistribution::RadialDistribution(std::int64_t interval, double maximum, int bins,
                                       std::vector<std::string> type_names,
                                       std::vector<std::int64_t> counts, const UnitSystem& units)
    : Observer("rdf", interval),
      maximum_(maximum),
      bins_(bins),
      type_names_(std::move(type_names)),
      counts_(std::move(counts)),
      units_(units),
      pairs_(counts_.size() * counts_.size() * static_cast<std::size_t>(bins), 0.0) {}

void RadialDistribution::sample(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  frame.list.for_each_neighbor(
      particles, maximum_, [&](std::uint32_t i, std::uint32_t j, double r_squared) {
        const int bin =
            std::min(bins_ - 1, static_cast<int>(std::sqrt(r_squared) / maximum_ * bins_));
        pairs_[index(static_cast<std::size_t>(particles.position[i].type),
                     static_cast<std::size_t>(particles.position[j].type), bin)] += 1.0;
      });
  frames_ += 1.0;
  volumes_ += frame.box.volume();
}

void RadialDistribution::set_common(std::span<const double> values) {
  if (values.size() != 2) return;
  frames_ = values[0];
  volumes_ = values[1];
}

double RadialDistribution::value(std::span<const double> all_sums, std::size_t a, std::size_t b,
                                 int bin) const {
  const double inner = bin * maximum_ / bins_;
  const double outer = (bin + 1) * maximum_ / bins_;
  const double shell =
      4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
  const auto of_a = static_cast<double>(counts_[a]);
  const auto of_b = static_cast<double>(counts_[b]) - (a == b ? 1.0 : 0.0);
  const double ideal = volumes_ > 0.0 ? frames_ * of_a * of_b * shell / (volumes_ / frames_) : 0.0;
  return ideal > 0.0 ? all_sums[index(a, b, bin)] / ideal : 0.0;
}

ObserverReport RadialDistribution::report(std::span<const double> all_sums) const {
  const std::string length(units_.label(Dimension::length));
  std::string text =
      fmt::format("# g(r), {:.0f} frames\n# r{}", frames_, length.empty() ? "" : "/" + length);
  const std::size_t types = counts_.size();
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = a; b < types; ++b) {
      text += fmt::format(" {}-{}", type_names_[a], type_names_[b]);
    }
  }
  text += "\n";
  for (int bin = 0; bin < bins_; ++bin) {
    text += fmt::format("{:.8g}",
                        units_.from_internal((bin + 0.5) * maximum_ / bins_, Dimension::length));
    for (std::size_t a = 0; a < types; ++a) {
      for (std::size_t b = a; b < types; ++b) {
        text += fmt::format(" {:.8g}", value(all_sums, a, b, bin));
      }
    }
    text += "\n";
  }
  return {.text = text};
}

namespace {

std::unique_ptr<Observer> make_rdf(const ObserverRequest& request) {
  const Input& input = request.input;
  const auto& options = input.section<RdfOptions>();
  std::vector<std::int64_t> counts(request.type_counts.begin(), request.type_counts.end());
  const double cutoff = input.interaction.cutoff;
  if (!options.groups.empty()) {
    return std::make_unique<GroupDistribution>(
        request.context, options.interval, options.maximum > 0.0 ? options.maximum : cutoff,
        options.bins, groups_from_input(input, request.topology, options.groups), input.units);
  }
  if (request.rotating && options.sites) {
    return std::make_unique<SiteDistribution>(options.interval, cutoff, options.maximum,
                                              options.bins, request.molecules, std::move(counts),
                                              input.units);
  }
  return std::make_unique<RadialDistribution>(
      options.interval, options.maximum > 0.0 ? options.maximum : cutoff, options.bins,
      request.names, std::move(counts), input.units);
}

void check_rdf(const Input& input, const IsGood& is_good, const Report& report) {
  check_group_names(input, is_good, report, "rdf.groups", input.section<RdfOptions>().groups,
                    false);
  const double maximum = input.section<RdfOptions>().maximum, cutoff = input.interaction.cutoff;
  const bool known_cutoff = !has_pairs_besides(input) || is_good("interaction.cutoff");
  if (!is_good("rdf.maximum") || !known_cutoff || !(cutoff > 0.0) || maximum <= cutoff) return;
  report(Severity::error, "rdf.maximum",
         fmt::format("\"maximum\" in [rdf] is {}; expected at most the cutoff, which is {}: pairs "
                     "beyond it are not visited",
                     input.units.text(maximum, Dimension::length),
                     input.units.text(cutoff, Dimension::length)));
}

void advise_rdf(const Input& input, const Report& report) {
  const std::int64_t interval = interval_of<RdfOptions>(input);
  if (interval <= input.run.steps) return;
  report(Severity::advice, "rdf.interval",
         fmt::format("a sample every {} steps in a run of {}: there will be one", interval,
                     input.run.steps));
}

}  // namespace

ObserverRow observer::rdf() {
  return {.schema = {.name = "rdf",
                     .description = "The radial distribution function, averaged over the run.",
                     .aliases = {"radial_distribution", "radial_distribution_function", "gofr"}},
          .keys = {interval_key<RdfOptions>(),
                   {.name = "maximum",
                    .target = option<&RdfOptions::maximum>,
                    .description = "Largest distance; at most the cutoff.",
                    .default_text = "the cutoff",
                    .dimension = Dimension::length,
                    .range = {.minimum = 0.0},
                    .aliases = {"range", "rmax", "cutoff"}},
                   {.name = "bins",
                    .target = option<&RdfOptions::bins>,
                    .description = "Number of equal intervals of distance.",
                    .range = {.minimum = 1.0, .maximum = 1e6},
                    .aliases = {"nbins"}},
                   {.name = "sites",
                    .target = option<&RdfOptions::sites>,
                    .description =
                        "Of molecules: between all sites of different molecules, up to the cutoff "
                        "less twice the radius of a molecule. false: between centers."},
                   groups_key<RdfOptions>("Names of `[[group]]`s: all pairs of these, and of the "
                                          "centers of rigid molecules, not of their sites.",
                                          "pairs of types or sites")},
          .interval = interval_of<RdfOptions>,
          .check = check_rdf,
          .advise = advise_rdf,
          .make = make_rdf,
          .needs_all_pairs = true};
}

}  // namespace sterna::md
