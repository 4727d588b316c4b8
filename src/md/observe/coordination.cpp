#include <fmt/format.h>

#include <array>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/check_reach.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/quantity_series.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct CoordinationOptions {
  std::int64_t interval = 0;
  std::string of, with;
  double distance = 0.0;
};

/// How many particles of one group are near those of another: for each particle on average, and how
/// many of these have any. The pairs come from the neighbor list, which lacks those that a molecule
/// excludes.
class Coordination final : public Observer {
 public:
  Coordination(const CoordinationOptions& options, const ObserverRequest& request)
      : Observer("coordination", options.interval),
        context_(request.context),
        units_(request.input.units),
        groups_(groups_from_input(request.input, request.topology, {options.of, options.with})),
        distance_(options.distance) {}

  void sample(const Frame& frame) override {
    std::array<double, 3> sums{};  // particles, contacts, particles with a contact
    const ParticleStore& particles = frame.particles;
    const auto is_in = [&](std::size_t group, std::uint32_t i) {
      return groups_[group].contains(particles.id[i], particles.position[i], frame.box);
    };
    std::vector<double> contacts(particles.local_count(), 0.0);
    frame.list.for_each_neighbor(particles, distance_,
                                 [&](std::uint32_t i, std::uint32_t j, double) {
                                   if (is_in(0, i) && is_in(1, j)) contacts[i] += 1.0;
                                 });
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!is_in(0, static_cast<std::uint32_t>(i))) continue;
      sums[0] += 1.0;
      sums[1] += contacts[i];
      if (contacts[i] > 0.0) sums[2] += 1.0;
    }
    comm::ReductionBatch batch(context_, name());
    batch.sum(sums.data(), sums.size()).run();
    const double count = std::max(sums[0], 1.0);
    series_.add(frame.step, frame.time, std::array{sums[1] / count, sums[1], sums[2] / count});
  }

  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text =
        fmt::format("# {} samples\n", series_.count()) + series_.text(units_, Dimension::none);
    if (series_.count() == 0) return report;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const SettledMean average = series_.average(k, reported_from());
      report.add_average(names[k], average.mean, average.standard_error, units_, Dimension::none);
    }
    return report;
  }

 private:
  inline static const std::vector<std::string> names{"coordination_number", "contacts",
                                                     "part_in_contact"};

  comm::Context context_;
  UnitSystem units_;
  std::vector<AtomGroup> groups_;  ///< of, with
  double distance_;
  QuantitySeries series_{names};
};

std::unique_ptr<Observer> make_coordination(const ObserverRequest& request) {
  return std::make_unique<Coordination>(request.input.section<CoordinationOptions>(), request);
}

void check_coordination(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("coordination.interval")) return;
  const auto& options = input.section<CoordinationOptions>();
  check_group_names(input, is_good, report, "coordination.of", {options.of}, false);
  check_group_names(input, is_good, report, "coordination.with", {options.with}, false);
  check_reach(input, is_good, report, "coordination.distance", options.distance);
}

}  // namespace

ObserverRow observer::coordination() {
  return {.schema = {.name = "coordination",
                     .description = "How many particles of one group are near those of another: "
                                    "coordination numbers and contacts.",
                     .aliases = {"coordination_number", "contacts", "contact"}},
          .keys = {interval_key<CoordinationOptions>(),
                   {.name = "of",
                    .target = option<&CoordinationOptions::of>,
                    .description = "Name of the `[[group]]` whose neighbors are counted.",
                    .need = Need::required,
                    .aliases = {"group", "from"}},
                   {.name = "with",
                    .target = option<&CoordinationOptions::with>,
                    .description = "Name of the `[[group]]` of the neighbors; it may be the same.",
                    .need = Need::required,
                    .aliases = {"to", "neighbors"}},
                   {.name = "distance",
                    .target = option<&CoordinationOptions::distance>,
                    .description = "The greatest distance of a neighbor, such as that of the first "
                                   "minimum of [rdf]. At most the cutoff.",
                    .need = Need::required,
                    .dimension = Dimension::length,
                    .range = {.minimum = 0.0, .exclusive_minimum = true},
                    .aliases = {"cutoff", "radius", "maximum"}}},
          .interval = interval_of<CoordinationOptions>,
          .check = check_coordination,
          .make = make_coordination,
          .needs_all_pairs = true,
          .needs_full_shell = true};
}

}  // namespace sterna::md
