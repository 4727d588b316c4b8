#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "md/observe/best_fit.hpp"
#include "md/observe/molecule_means.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct RmsdOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  bool mass_weighted = false;
};

/// The root mean square deviation of each group's atoms from their positions in the first sample,
/// after the translation and rotation that minimize it. The atoms of a molecule are made whole; if
/// a group has several molecules, each is where it has moved without jumps.
class Rmsd final : public Observer {
 public:
  Rmsd(const RmsdOptions& options, const ObserverRequest& request)
      : Observer("rmsd", options.interval),
        context_(request.context),
        units_(request.input.units),
        mass_weighted_(options.mass_weighted),
        groups_(groups_from_input(request.input, request.topology, options.groups)),
        whole_(request.context, request.topology, groups_, "rmsd"),
        series_(names_of(groups_)) {
    for (const AtomGroup& group : groups_) {
      std::vector<std::int64_t>& ids = ids_.emplace_back();
      for (std::int64_t id = 1; id <= request.topology.atom_count(); ++id) {
        if (group.contains(id, 0)) ids.push_back(id);
      }
    }
  }

  void sample(const Frame& frame) override {
    const auto molecules = whole_.gather(frame);
    std::vector<double> values;
    const bool first = reference_.empty();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      place_atoms(molecules, g, frame.masses);
      if (first) keep_reference(g);
      values.push_back(deviation(reference_[g]));
    }
    series_.add(frame.step, frame.time, values);
  }

  /// The number of groups, for each group its number of atoms and their reference, then the series.
  std::vector<double> common() const override {
    std::vector<double> all{static_cast<double>(reference_.size())};
    for (const auto& of_group : reference_) {
      all.push_back(static_cast<double>(of_group.size()));
      for (const Vec3& at : of_group) all.insert(all.end(), {at.x, at.y, at.z});
    }
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }

  void set_common(std::span<const double> values) override {
    if (values.empty()) return;
    const bool has_reference = values[0] > 0.0;
    if (has_reference && values[0] != static_cast<double>(groups_.size())) return;
    std::size_t at = 1;
    std::vector<std::vector<Vec3>> reference;
    for (std::size_t g = 0; has_reference && g < groups_.size(); ++g) {
      const std::size_t size = ids_[g].size();
      if (at >= values.size() || values[at] != static_cast<double>(size)) return;
      ++at;
      if (values.size() - at < 3 * size) return;
      std::vector<Vec3>& of_group = reference.emplace_back();
      for (std::size_t k = 0; k < size; ++k, at += 3) {
        of_group.push_back({values[at], values[at + 1], values[at + 2]});
      }
    }
    reference_ = std::move(reference);
    series_.set_state(values.subspan(at));
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format("# {} samples, deviation from the first one\n", series_.count()) +
                  series_.text(units_, Dimension::length);
    if (series_.count() == 0) return report;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const SettledMean average = series_.average(g, reported_from());
      report.add_average(fmt::format("rmsd_{}", groups_[g].name()), average.mean,
                         average.standard_error, units_, Dimension::length);
    }
    return report;
  }

 private:
  static std::vector<std::string> names_of(const std::vector<AtomGroup>& groups) {
    std::vector<std::string> names;
    for (const AtomGroup& group : groups) names.push_back(group.name());
    return names;
  }

  /// Finds this rank's atoms of a group, with their indices among the group's ids.
  void place_atoms(std::span<const WholeMolecules::Molecule> molecules, std::size_t g,
                   std::span<const double> masses) {
    places_.clear(), positions_.clear(), weights_.clear();
    for (const WholeMolecules::Molecule& molecule : molecules) {
      const auto& atoms = whole_.topology().molecules()[molecule.kind].atoms;
      const auto end = molecule.first_id + static_cast<std::int64_t>(atoms.size());
      for (auto id = std::ranges::lower_bound(ids_[g], molecule.first_id);
           id != ids_[g].end() && *id < end; ++id) {
        const auto k = static_cast<std::size_t>(*id - molecule.first_id);
        places_.push_back(static_cast<std::size_t>(id - ids_[g].begin()));
        positions_.push_back(molecule.positions[k]);
        weights_.push_back(mass_weighted_ ? masses[static_cast<std::size_t>(atoms[k].type)] : 1.0);
      }
    }
  }

  /// Collective. Keeps the positions about their center as the reference.
  void keep_reference(std::size_t g) {
    const Vec3 center = center_of(positions_);
    std::vector<double> all(3 * ids_[g].size(), 0.0);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Vec3 from_center = positions_[k] - center;
      for (int axis = 0; axis < 3; ++axis) {
        all[3 * places_[k] + static_cast<std::size_t>(axis)] = from_center[axis];
      }
    }
    comm::ReductionBatch batch(context_, "rmsd reference", comm::ReductionOrder::fixed);
    batch.sum(all.data(), all.size()).run();
    std::vector<Vec3>& of_group = reference_.emplace_back();
    for (std::size_t k = 0; k < all.size(); k += 3) {
      of_group.push_back({all[k], all[k + 1], all[k + 2]});
    }
  }

  Vec3 center_of(std::span<const Vec3> positions) {
    double sums[4] = {};
    for (std::size_t k = 0; k < positions.size(); ++k) {
      for (int axis = 0; axis < 3; ++axis) sums[axis] += weights_[k] * positions[k][axis];
      sums[3] += weights_[k];
    }
    comm::ReductionBatch batch(context_, "rmsd center", comm::ReductionOrder::fixed);
    batch.sum(sums, 4).run();
    weight_ = sums[3];
    return weight_ > 0.0 ? (1.0 / weight_) * Vec3{sums[0], sums[1], sums[2]} : Vec3{};
  }

  double deviation(const std::vector<Vec3>& reference) {
    const Vec3 center = center_of(positions_);
    if (!(weight_ > 0.0)) return 0.0;
    std::array<double, 10> sums{};  // the matrix of products, then the sum of squares
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const Vec3 here = positions_[k] - center, there = reference[places_[k]];
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
          sums[static_cast<std::size_t>(3 * a + b)] += weights_[k] * here[a] * there[b];
        }
      }
      sums[9] += weights_[k] * (dot(here, here) + dot(there, there));
    }
    comm::ReductionBatch batch(context_, "rmsd", comm::ReductionOrder::fixed);
    batch.sum(sums.data(), sums.size()).run();
    const double overlap = greatest_overlap(std::span(sums).first<9>());
    return std::sqrt(std::max(0.0, (sums[9] - 2.0 * overlap) / weight_));
  }

  comm::Context context_;
  UnitSystem units_;
  bool mass_weighted_;
  std::vector<AtomGroup> groups_;
  WholeMolecules whole_;
  QuantitySeries series_;
  std::vector<std::vector<std::int64_t>> ids_;  ///< of each group, ascending
  std::vector<std::vector<Vec3>> reference_;    ///< by group: about its center; empty: not yet
                                                ///< sampled
  std::vector<std::size_t> places_;             ///< of this rank's atoms of one group, as the next
                                                ///< two
  std::vector<Vec3> positions_;
  std::vector<double> weights_;
  double weight_ = 0.0;  ///< of the whole group
};

std::unique_ptr<Observer> make_rmsd(const ObserverRequest& request) {
  return std::make_unique<Rmsd>(request.input.section<RmsdOptions>(), request);
}

void check_rmsd(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "rmsd", input.section<RmsdOptions>().groups);
}

}  // namespace

ObserverRow observer::rmsd() {
  KeySchema groups =
      groups_key<RmsdOptions>("Names of `[[group]]`s; the atoms of each are fitted together.", "");
  groups.need = Need::required;
  return {.schema = {.name = "rmsd",
                     .description = "The root mean square deviation of atoms from where they were "
                                    "in the first sample, after the best fit.",
                     .aliases = {"root_mean_square_deviation", "rms"}},
          .keys = {interval_key<RmsdOptions>(),
                   std::move(groups),
                   {.name = "mass_weighted",
                    .target = option<&RmsdOptions::mass_weighted>,
                    .description = "Fit and deviation weigh atoms by their masses.",
                    .aliases = {"weights", "mass"}}},
          .interval = interval_of<RmsdOptions>,
          .check = check_rmsd,
          .make = make_rmsd};
}

}  // namespace sterna::md
