// Idea:    the bonds among the neighbors that an atom shares with each of its neighbors tell which
//          crystal is around it. The signature of a pair has three numbers: common neighbors, bonds
//          among these, and bonds in the longest chain of them. An atom of fcc has 12 pairs 421, of
//          hcp 6 pairs 421 and 6 pairs 422, in an icosahedron 12 pairs 555, of bcc 6 pairs 444 and
//          8 pairs 666.
// Source:  Honeycutt and Andersen, J. Phys. Chem. 91, 4950 (1987); Faken and Jonsson, Comput.
//          Mater. Sci. 2, 279 (1994). Without a cutoff the length of a bond follows from the nearest
//          12 or 14 neighbors of each atom: Stukowski, Modelling Simul. Mater. Sci. Eng. 20, 045021
//          (2012), section 2.2.
// Hazards: atoms at surfaces and in a liquid are of no crystal. In a hot crystal vibrations leave
//          out some atoms; a minimized one shows all.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/atom_field.hpp"
#include "md/observe/check_reach.hpp"
#include "md/observe/nearest_neighbors.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/quantity_series.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct CommonNeighborsOptions {
  std::int64_t interval = 0;
  std::optional<double> cutoff;
  std::string group;
  std::string field;
};

using Neighbors = std::span<const NearestNeighbors::Neighbor>;
enum Structure : std::size_t { fcc, hcp, bcc, icosahedral, other, structure_count };

/// The neighbors of an atom that are bonded to each other, as bits.
class Bonds {
 public:
  Bonds(Neighbors neighbors, double cutoff) : count_(neighbors.size()) {
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Vec3 apart = neighbors[a].away - neighbors[b].away;
        if (!(dot(apart, apart) < cutoff * cutoff)) continue;
        bonded_[a] |= 1U << b;
        bonded_[b] |= 1U << a;
      }
    }
  }

  /// The three digits of the signature of the atom and its neighbor `n`; 0 if there are more than
  /// nine common neighbors or bonds.
  int signature(std::size_t n) const {
    const std::uint32_t common = bonded_[n];
    int bonds = 0, longest = 0;
    for (std::uint32_t left = common; left != 0;) {
      const int chain = bonds_of_chain(common, left);
      bonds += chain;
      longest = std::max(longest, chain);
    }
    const int shared = std::popcount(common);
    return shared < 10 && bonds < 10 ? 100 * shared + 10 * bonds + longest : 0;
  }

  std::size_t count(int wanted) const {
    std::size_t found = 0;
    for (std::size_t n = 0; n < count_; ++n) found += signature(n) == wanted ? 1 : 0;
    return found;
  }

 private:
  /// Takes a neighbor of `left`, and all that bonds among `common` lead to. Returns the number of
  /// these bonds.
  int bonds_of_chain(std::uint32_t common, std::uint32_t& left) const {
    int ends = 0;
    std::uint32_t reached = left & (~left + 1);
    while (reached != 0) {
      const auto n = static_cast<std::size_t>(std::countr_zero(reached));
      left &= ~(1U << n);
      ends += std::popcount(bonded_[n] & common);
      reached = (reached | (bonded_[n] & common)) & left;
    }
    return ends / 2;
  }

  std::size_t count_;
  std::array<std::uint32_t, 14> bonded_{};
};

Structure structure_of_twelve(const Bonds& bonds) {
  const std::size_t cubic = bonds.count(421);
  if (cubic == 12) return fcc;
  if (cubic == 6 && bonds.count(422) == 6) return hcp;
  return bonds.count(555) == 12 ? icosahedral : other;
}

Structure structure_of_fourteen(const Bonds& bonds) {
  return bonds.count(444) == 6 && bonds.count(666) == 8 ? bcc : other;
}

double mean_distance(Neighbors neighbors) {
  return std::accumulate(neighbors.begin(), neighbors.end(), 0.0,
                         [](double sum, const auto& neighbor) {
                           return sum + std::sqrt(neighbor.squared_distance);
                         }) /
         static_cast<double>(neighbors.size());
}

/// A bond is as long as the mean of the distances of the first two shells, which are √2 apart in
/// fcc. In bcc the two shells are 2/√3 apart and count as one; both give the edge of a cell, and a
/// bond is halfway from there to the third shell.
Structure adaptive_structure(Neighbors neighbors) {
  constexpr double halfway = 0.5 * (1.0 + std::numbers::sqrt2);
  if (neighbors.size() < 12) return other;
  const Neighbors twelve = neighbors.first(12);
  const Structure found = structure_of_twelve({twelve, halfway * mean_distance(twelve)});
  if (found != other || neighbors.size() < 14) return found;
  const double edge = 0.5 * (2.0 * std::numbers::inv_sqrt3 * mean_distance(neighbors.first(8)) +
                             mean_distance(neighbors.subspan(8, 6)));
  return structure_of_fourteen({neighbors.first(14), halfway * edge});
}

Structure structure_by_cutoff(Neighbors neighbors, std::size_t count, double cutoff) {
  if (count == 12) return structure_of_twelve({neighbors, cutoff});
  return count == 14 ? structure_of_fourteen({neighbors, cutoff}) : other;
}

class CommonNeighbors final : public Observer {
 public:
  CommonNeighbors(const CommonNeighborsOptions& options, const ObserverRequest& request)
      : Observer("common_neighbors", options.interval),
        context_(request.context),
        units_(request.input.units),
        cutoff_(options.cutoff),
        range_(request.input.interaction.cutoff),
        class_(request, options.field) {
    if (!options.group.empty()) {
      group_ = groups_from_input(request.input, request.topology, {options.group});
    }
  }

  void sample(const Frame& frame) override {
    const ParticleStore& particles = frame.particles;
    const auto is_in = [&](std::uint32_t i) {
      return group_.empty() ||
             group_[0].contains(particles.id[i], particles.position[i], frame.box);
    };
    neighbors_.gather(frame, cutoff_.value_or(range_), is_in);
    std::array<double, structure_count + 2> sums{};  // then atoms, and those with 12 neighbors
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      if (!is_in(static_cast<std::uint32_t>(i))) {
        class_.set(i, AtomField::not_observed);
        continue;
      }
      const Neighbors neighbors = neighbors_.of(i);
      const Structure structure =
          cutoff_ ? structure_by_cutoff(neighbors, neighbors_.count(i), *cutoff_)
                  : adaptive_structure(neighbors);
      sums[structure] += 1.0;
      class_.set(i, numbers[structure]);
      sums[structure_count] += 1.0;
      if (neighbors.size() >= 12) sums[structure_count + 1] += 1.0;
    }
    comm::ReductionBatch(context_, name()).sum(sums.data(), sums.size()).run();
    const double atoms = std::max(sums[structure_count], 1.0);
    for (std::size_t k = 0; k < structure_count; ++k) sums[k] /= atoms;
    largest_part_ = std::max(largest_part_, sums[structure_count + 1] / atoms);
    series_.add(frame.step, frame.time, std::span(sums).first(structure_count));
  }

  /// The largest part of the atoms with 12 neighbors, then the series.
  std::vector<double> common() const override {
    std::vector<double> all{largest_part_};
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    if (values.empty()) return;
    largest_part_ = values[0];
    series_.set_state(values.subspan(1));
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text =
        fmt::format("# {} samples\n", series_.count()) + series_.text(units_, Dimension::none);
    if (series_.count() == 0) return report;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const SettledMean average = series_.average(k, reported_from());
      report.add_average("part_" + names[k], average.mean, average.standard_error, units_,
                         Dimension::none);
    }
    if (largest_part_ == 0.0) {
      report.warnings.push_back(fmt::format(
          "[common_neighbors] found no atom with 12 neighbors within {}, so that none can be of a "
          "crystal that it knows",
          units_.text(cutoff_.value_or(range_), Dimension::length)));
    }
    return report;
  }

 private:
  inline static const std::vector<std::string> names{"fcc", "hcp", "bcc", "icosahedral", "other"};
  /// Of the classes in the field, as OVITO has them.
  static constexpr std::array<double, structure_count> numbers{1.0, 2.0, 3.0, 4.0, 0.0};

  comm::Context context_;
  UnitSystem units_;
  std::optional<double> cutoff_;  ///< of bonds; none: from the nearest neighbors
  double range_;                  ///< within which pairs are known
  AtomField class_;
  std::vector<AtomGroup> group_;  ///< empty: all atoms
  NearestNeighbors neighbors_{14};
  double largest_part_ = 0.0;  ///< in any sample
  QuantitySeries series_{names};
};

std::unique_ptr<Observer> make_common_neighbors(const ObserverRequest& request) {
  return std::make_unique<CommonNeighbors>(request.input.section<CommonNeighborsOptions>(),
                                           request);
}

void check_common_neighbors(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("common_neighbors.interval")) return;
  const auto& options = input.section<CommonNeighborsOptions>();
  if (!options.group.empty()) {
    check_group_names(input, is_good, report, "common_neighbors.group", {options.group}, false);
  }
  check_field(input, is_good, report, "common_neighbors");
  check_reach(input, is_good, report, "common_neighbors.cutoff", options.cutoff.value_or(0.0));
}

}  // namespace

ObserverRow observer::common_neighbors() {
  return {.schema = {.name = "common_neighbors",
                     .description = "Which crystal is around how many atoms: common neighbor "
                                    "analysis.",
                     .aliases = {"cna", "common_neighbor_analysis", "structure_identification"}},
          .keys = {interval_key<CommonNeighborsOptions>(),
                   {.name = "cutoff",
                    .target = option<&CommonNeighborsOptions::cutoff>,
                    .description =
                        "The length up to which two atoms are bonded: halfway from the first shell "
                        "to the second in fcc and hcp, from the second to the third in bcc. At "
                        "most the cutoff of `[interaction]`.",
                    .default_text = "of each atom from its nearest neighbors (adaptive)",
                    .dimension = Dimension::length,
                    .range = {.minimum = 0.0, .exclusive_minimum = true},
                    .aliases = {"distance", "radius"}},
                   {.name = "group",
                    .target = option<&CommonNeighborsOptions::group>,
                    .description = "Name of the `[[group]]` whose atoms are looked at. Others are "
                                   "no neighbors.",
                    .default_text = "all atoms",
                    .aliases = {"groups", "of"}},
                   field_key<CommonNeighborsOptions>(
                       "Name of a particle field with the class of each atom at the last sample, "
                       "which trajectories and checkpoints have: 0 other, 1 fcc, 2 hcp, 3 bcc, 4 "
                       "icosahedral, -1 not in the group. The numbers are those of OVITO.")},
          .interval = interval_of<CommonNeighborsOptions>,
          .check = check_common_neighbors,
          .bytes_per_particle = bytes_of_field<CommonNeighborsOptions>,
          .field = field_of<CommonNeighborsOptions>,
          .make = make_common_neighbors,
          .needs_all_pairs = true,
          .needs_full_shell = true};
}

}  // namespace sterna::md
