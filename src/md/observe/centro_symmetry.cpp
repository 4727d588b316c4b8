// Idea:    in a crystal with inversion symmetry each neighbor of an atom has another one on the
//          opposite side, and the two vectors add up to zero. What is left is the measure of a
//          defect: P = sum |r_i + r_j|^2 over the N/2 pairs of neighbors whose sums are smallest.
// Source:  Kelchner, Plimpton and Hamilton, Phys. Rev. B 58, 11085 (1998); the choice of pairs as
//          in LAMMPS's compute centro/atom.
// Hazards: hcp has no inversion symmetry; its perfect atoms have a value of their own.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/input/sections/section.hpp"
#include "md/observe/atom_field.hpp"
#include "md/observe/nearest_neighbors.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/quantity_series.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct CentroSymmetryOptions {
  std::int64_t interval = 0;
  std::int64_t neighbors = 12;
  std::optional<double> threshold;
  std::string group;
  std::string field;
};

std::vector<std::string> names_of(const CentroSymmetryOptions& options) {
  std::vector<std::string> names{"centro_symmetry", "largest", "part_incomplete"};
  if (options.threshold) names.emplace_back("part_above");
  return names;
}

class CentroSymmetry final : public Observer {
 public:
  CentroSymmetry(const CentroSymmetryOptions& options, const ObserverRequest& request)
      : Observer("centro_symmetry", options.interval),
        context_(request.context),
        units_(request.input.units),
        range_(request.input.interaction.cutoff),
        needed_(static_cast<std::size_t>(options.neighbors)),
        threshold_(options.threshold),
        neighbors_(needed_),
        names_(names_of(options)),
        series_(names_),
        parameters_(request, options.field) {
    if (!options.group.empty()) {
      group_ = groups_from_input(request.input, request.topology, {options.group});
    }
    const std::string label(units_.label(Dimension::length));
    area_ = section::kept(label.empty() ? "" : label + "^2");
  }

  void sample(const Frame& frame) override {
    const ParticleStore& particles = frame.particles;
    const auto is_in = [&](std::uint32_t i) {
      return group_.empty() ||
             group_[0].contains(particles.id[i], particles.position[i], frame.box);
    };
    neighbors_.gather(frame, range_, is_in);
    const double area = std::pow(units_.from_internal(1.0, Dimension::length), 2);
    std::array<double, 4> sums{};  // atoms, with all neighbors, of their parameters, above
    double largest = 0.0;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      parameters_.set(i, AtomField::not_observed);
      if (!is_in(static_cast<std::uint32_t>(i))) continue;
      sums[0] += 1.0;
      const auto neighbors = neighbors_.of(i);
      if (neighbors.size() < needed_) continue;
      const double value = parameter(neighbors);
      parameters_.set(i, area * value);
      sums[1] += 1.0;
      sums[2] += value;
      if (threshold_ && value > *threshold_ * *threshold_) sums[3] += 1.0;
      largest = std::max(largest, value);
    }
    comm::ReductionBatch batch(context_, name());
    batch.sum(sums.data(), sums.size()).max(largest).run();
    const double atoms = std::max(sums[0], 1.0), complete = std::max(sums[1], 1.0);
    std::vector<double> values{area * sums[2] / complete, area * largest,
                               (sums[0] - sums[1]) / atoms};
    if (threshold_) values.push_back(sums[3] / complete);
    series_.add(frame.step, frame.time, values);
  }

  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format("# {} samples, lengths in {}\n", series_.count(),
                              area_.empty() ? "reduced units" : units_.label(Dimension::length)) +
                  series_.text(units_, Dimension::none);
    if (series_.count() == 0) return report;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const SettledMean average = series_.average(k, reported_from());
      const std::string quantity = k == 1 ? "largest_centro_symmetry" : names_[k];
      report.averages.push_back(
          {quantity, average.mean, average.standard_error, k < 2 ? area_ : std::string_view()});
    }
    if (series_.average(2, 0).mean == 1.0) {
      report.warnings.push_back(fmt::format(
          "[centro_symmetry] found no atom with {} neighbors within the cutoff, which is {}",
          needed_, units_.text(range_, Dimension::length)));
    }
    return report;
  }

 private:
  double parameter(std::span<const NearestNeighbors::Neighbor> neighbors) {
    sums_of_pairs_.clear();
    for (std::size_t a = 0; a < needed_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Vec3 sum = neighbors[a].away + neighbors[b].away;
        sums_of_pairs_.push_back(dot(sum, sum));
      }
    }
    const auto end = sums_of_pairs_.begin() + static_cast<std::ptrdiff_t>(needed_ / 2);
    std::partial_sort(sums_of_pairs_.begin(), end, sums_of_pairs_.end());
    double parameter = 0.0;
    for (auto it = sums_of_pairs_.begin(); it != end; ++it) parameter += *it;
    return parameter;
  }

  comm::Context context_;
  UnitSystem units_;
  double range_;                     ///< within which pairs are known
  std::size_t needed_;               ///< neighbors
  std::optional<double> threshold_;  ///< a length; the root of a parameter
  NearestNeighbors neighbors_;
  std::vector<std::string> names_;
  QuantitySeries series_;
  std::vector<AtomGroup> group_;  ///< empty: all atoms
  std::string_view area_;         ///< the unit of a parameter
  std::vector<double> sums_of_pairs_;
  AtomField parameters_;
};

std::unique_ptr<Observer> make_centro_symmetry(const ObserverRequest& request) {
  return std::make_unique<CentroSymmetry>(request.input.section<CentroSymmetryOptions>(), request);
}

void check_centro_symmetry(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("centro_symmetry.interval")) return;
  const auto& options = input.section<CentroSymmetryOptions>();
  if (!options.group.empty()) {
    check_group_names(input, is_good, report, "centro_symmetry.group", {options.group}, false);
  }
  check_field(input, is_good, report, "centro_symmetry");
  if (is_good("centro_symmetry.neighbors") && options.neighbors % 2 != 0) {
    report(Severity::error, "centro_symmetry.neighbors",
           fmt::format("{} neighbors are no pairs; expected an even number, such as 12 (fcc) or 8 "
                       "(bcc)",
                       options.neighbors));
  }
}

}  // namespace

ObserverRow observer::centro_symmetry() {
  return {.schema = {.name = "centro_symmetry",
                     .description = "How far the neighbors of atoms are from being opposite to "
                                    "each other: near defects and surfaces, they are.",
                     .aliases = {"csp", "centro", "centrosymmetry"}},
          .keys = {interval_key<CentroSymmetryOptions>(),
                   {.name = "neighbors",
                    .target = option<&CentroSymmetryOptions::neighbors>,
                    .description = "How many of the nearest neighbors are looked at: 12 in fcc, 8 "
                                   "in bcc. An even number.",
                    .range = {.minimum = 2.0, .maximum = 64.0},
                    .aliases = {"number_of_neighbors", "num_neighbors"}},
                   {.name = "threshold",
                    .target = option<&CentroSymmetryOptions::threshold>,
                    .description = "A length: atoms whose parameter is above its square are "
                                   "counted, as those of a defect.",
                    .default_text = "no atoms are counted",
                    .dimension = Dimension::length,
                    .range = {.minimum = 0.0, .exclusive_minimum = true},
                    .aliases = {"above"}},
                   {.name = "group",
                    .target = option<&CentroSymmetryOptions::group>,
                    .description = "Name of the `[[group]]` whose atoms are looked at. Others are "
                                   "no neighbors.",
                    .default_text = "all atoms",
                    .aliases = {"groups", "of"}},
                   field_key<CentroSymmetryOptions>(
                       "Name of a particle field with the parameter of each atom at the last "
                       "sample, which trajectories and checkpoints have, in the square of the "
                       "input's unit of length. It is -1 where neighbors are missing, and outside "
                       "the group.")},
          .interval = interval_of<CentroSymmetryOptions>,
          .check = check_centro_symmetry,
          .bytes_per_particle = bytes_of_field<CentroSymmetryOptions>,
          .field = field_of<CentroSymmetryOptions>,
          .make = make_centro_symmetry,
          .needs_all_pairs = true,
          .needs_full_shell = true};
}

}  // namespace sterna::md
