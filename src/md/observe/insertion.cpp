// Idea:    test molecules at random places weigh exp(-psi / kT), psi being the energy that each
//          would add; the mean of the weights gives the chemical potential. Places depend on step
//          and number only, and the rank of a place computes its energy.
// Source:  Widom, J. Chem. Phys. 39, 2808 (1963); at constant pressure, with partial molar
//          properties, Sindzingre, Ciccotti, Massobrio, Frenkel, Chem. Phys. Lett. 136, 35 (1987).
// Cost:    pairs of the test molecules only; one reduction in a sample.
// Hazards: in dense liquids a few molecules carry the mean: the report says how many.
// Others:  gradual insertion, where no molecule finds a place.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "md/core/agreement.hpp"
#include "md/core/display_text.hpp"
#include "md/core/random.hpp"
#include "md/forces/external/input/field_section.hpp"
#include "md/forces/external/input/wall_section.hpp"
#include "md/input/check_ensemble.hpp"
#include "md/input/input_schema.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/check_alchemical.hpp"
#include "md/observe/check_inserted.hpp"
#include "md/observe/inserted_molecule.hpp"
#include "md/observe/jackknife.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct InsertionOptions {
  std::int64_t interval = 0;
  std::int64_t insertions = 1000;
  int orientations = 1;
  std::vector<std::string> components{};
};

/// Below this number of insertions that carry the mean, its error is no error.
constexpr double insertion_least_effective = 200.0;
/// A run that is worth so many independent blocks is 50 correlation times long. In a shorter one the
/// error is too small, and fewer blocks do not tell how long the run is.
constexpr double insertion_least_independent = 25.0;

/// The kinds that are inserted, in the order of the input; all that can be, where none is named.
std::vector<std::size_t> inserted_kinds(const Input& input) {
  const auto& wanted = input.section<InsertionOptions>().components;
  const std::vector<std::string> names = inserted_kind_names(input);
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < names.size(); ++kind) {
    const bool is_wanted = wanted.empty() ? why_not_inserted(input, kind).empty()
                                          : std::ranges::find(wanted, names[kind]) != wanted.end();
    if (is_wanted) kinds.push_back(kind);
  }
  return kinds;
}

/// Chemical potentials by Widom's insertion of test molecules.
class Insertion final : public Observer {
 public:
  explicit Insertion(const ObserverRequest& request)
      : Observer("insertion", interval_of<InsertionOptions>(request.input)),
        context_(request.context),
        units_(request.input.units),
        options_(request.input.section<InsertionOptions>()),
        heat_(units_.boltzmann() * insertion_temperature(request.input)),
        unit_of_volume_(units_.is_reduced() ? ""
                                            : fmt::format("{}^3", units_.label(Dimension::length))),
        has_barostat_(request.input.barostat.is_used()),
        pressure_(request.input.barostat.pressure),
        names_(request.names),
        stream_(request.input.run.seed, RandomPurpose::insertion),
        kinds_(inserted_kinds(request.input)),
        molecule_(context_, request.input, request.topology, kinds_, insertion_hard * heat_),
        lowest_(kinds_.size()),
        fallen_(kinds_.size(), 0.0),
        series_(common_quantities + each_quantities * kinds_.size()) {
    for (const std::int64_t count : request.type_counts) {
      counts_.push_back(static_cast<double>(count));
      molecules_ += counts_.back();
    }
    const Topology& topology = request.topology;
    if (!topology.empty()) {
      molecules_ += static_cast<double>(topology.molecule_count() - topology.atom_count());
    }
  }

  void sample(const Frame& frame) override {
    check_box(frame.box);
    molecule_.prepare(frame);  // collective where there are charges
    std::vector<double> sums(each_sums * kinds_.size(), 0.0);
    std::vector<Lowest> lowest(kinds_.size());
    for (std::size_t n = 0; n < kinds_.size(); ++n) {
      insert(frame, kinds_[n], sums.data() + each_sums * n, lowest[n]);
    }
    comm::ReductionBatch batch(context_, name());
    batch.sum(sums.data(), sums.size()).run();
    keep_lowest(lowest);
    add_values(frame, sums);
  }

  std::vector<double> common() const override {
    std::vector<double> all{first_energy_};
    all.insert(all.end(), fallen_.begin(), fallen_.end());
    for (const Lowest& lowest : lowest_) {
      all.push_back(lowest.is_known ? 1.0 : 0.0);
      all.insert(all.end(), lowest.values.begin(), lowest.values.end());
    }
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    const std::size_t each = 1 + lowest_values, begin = 1 + fallen_.size();
    if (values.size() < begin + each * lowest_.size()) return;
    first_energy_ = values[0];
    std::ranges::copy(values.subspan(1, fallen_.size()), fallen_.begin());
    for (std::size_t n = 0; n < lowest_.size(); ++n) {
      const auto mine = values.subspan(begin + each * n, each);
      lowest_[n].is_known = mine[0] != 0.0;
      std::ranges::copy(mine.subspan(1), lowest_[n].values.begin());
    }
    series_.set_state(values.subspan(begin + each * lowest_.size()));
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format(
        "# {} samples of {} insertions of each kind in {} orientations, at constant temperature "
        "and {}\n# errors: from the correlation of blocks of the run\n# l: the unit of length\n",
        series_.count_from(reported_from()), options_.insertions, options_.orientations,
        has_barostat_ ? "pressure" : "volume");
    std::string rows = "# quantity mean standard_error\n";
    for (std::size_t n = 0; n < kinds_.size(); ++n) add_kind(n, report, rows);
    report.text += rows;
    return report;
  }

 private:
  enum Common : std::size_t { one, volume, energy, common_quantities };
  /// Of each kind: with W = V times the mean weight of a sample, W, the mean square of V times the
  /// weight of an insertion, V W, and W times the energy with the inserted molecule.
  enum Each : std::size_t { weight, square, by_volume, by_energy, each_quantities };
  enum Sum : std::size_t { sum_weight, sum_square, sum_energy, sum_fallen, each_sums };
  static constexpr std::size_t lowest_values = 8;
  /// Energy, place and orientation of the best of all insertions.
  struct Lowest {
    bool is_known = false;
    std::array<double, lowest_values> values{};
  };

  void check_box(const Box& box) const {
    std::string failure;
    if (box.least_height() < molecule_.range()) {
      failure = fmt::format(
          "[insertion] needs a box that is wider than the range of the forces, {}: an inserted "
          "molecule would meet its own images; the box is {} wide",
          units_.text(molecule_.range(), Dimension::length),
          units_.text(box.least_height(), Dimension::length));
    }
    agree(context_, failure);
  }

  void insert(const Frame& frame, std::size_t kind, double* sums, Lowest& lowest) {
    const CellGrid& grid = frame.list.grid();
    const Vec3 low = grid.low(), high = grid.high();
    const Shear shear = frame.box.shear();
    const bool turns = molecule_.model().components[kind].rotational_degrees_of_freedom() > 0;
    const int orientations = turns ? options_.orientations : 1;
    const double beyond = molecule_.correction(kind, counts_, frame.box.volume());
    for (std::int64_t k = 0; k < options_.insertions; ++k) {
      RandomSequence numbers =
          stream_.sequence((static_cast<std::uint64_t>(kind) << 32) + static_cast<std::uint64_t>(k),
                           static_cast<std::uint64_t>(frame.step));
      Vec3 at;
      bool is_here = true;
      for (int axis = 0; axis < 3; ++axis) {
        const double edge = frame.box.length[axis];
        at[axis] = std::min(numbers.uniform() * edge, std::nextafter(edge, 0.0));
        is_here = is_here && at[axis] >= low[axis] && at[axis] < high[axis];
      }
      if (!is_here) continue;
      const Vec3 center = shear.position(at);
      if (!molecule_.place(kind, center)) continue;
      double of_place = 0.0;
      for (int turn = 0; turn < orientations; ++turn) {
        const Quaternion orientation = turns ? random_orientation(numbers) : Quaternion{};
        const std::optional<double> pairs = molecule_.energy(orientation);
        if (!pairs) continue;
        const double added = *pairs + beyond;
        if (added < -insertion_hard * heat_) {
          sums[sum_fallen] += 1.0;
          continue;
        }
        const double of_one = std::exp(-added / heat_) / orientations;
        of_place += of_one;
        if (of_one > 0.0) sums[sum_energy] += of_one * added;
        if (lowest.is_known && added >= lowest.values[0]) continue;
        lowest = {true,
                  {added, center.x, center.y, center.z, orientation.w, orientation.x, orientation.y,
                   orientation.z}};
      }
      sums[sum_weight] += of_place;
      sums[sum_square] += of_place * of_place;
    }
  }

  void keep_lowest(const std::vector<Lowest>& here) {
    std::vector<double> energies;
    for (const Lowest& lowest : here) {
      energies.push_back(lowest.is_known ? lowest.values[0]
                                         : std::numeric_limits<double>::infinity());
    }
    const std::vector<double> own = energies;
    comm::ReductionBatch least(context_, name());
    for (double& found_energy : energies) least.min(found_energy);
    least.run();
    std::vector<double> found(here.size() * lowest_values, 0.0), ranks(here.size(), 0.0);
    for (std::size_t n = 0; n < here.size(); ++n) {
      if (!here[n].is_known || own[n] != energies[n]) continue;
      ranks[n] = 1.0;
      std::ranges::copy(here[n].values,
                        found.begin() + static_cast<std::ptrdiff_t>(n * lowest_values));
    }
    comm::ReductionBatch batch(context_, name());
    batch.sum(found.data(), found.size()).sum(ranks.data(), ranks.size()).run();
    for (std::size_t n = 0; n < here.size(); ++n) {
      // Two ranks never have the same energy but by the same place, which is one rank's.
      if (ranks[n] != 1.0) continue;
      if (lowest_[n].is_known && lowest_[n].values[0] <= energies[n]) continue;
      lowest_[n].is_known = true;
      std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(n * lowest_values), lowest_values,
                  lowest_[n].values.begin());
    }
  }

  void add_values(const Frame& frame, const std::vector<double>& sums) {
    const double size = frame.box.volume();
    const double enthalpy = frame.state.potential_energy + (has_barostat_ ? pressure_ * size : 0.0);
    // Beside the first one, so that products lose no digits.
    if (series_.count() == 0) first_energy_ = enthalpy;
    const double excess = enthalpy - first_energy_;
    std::vector<double> values{1.0, size, excess};
    const auto insertions = static_cast<double>(options_.insertions);
    for (std::size_t n = 0; n < kinds_.size(); ++n) {
      const double* const of_kind = sums.data() + each_sums * n;
      const double mean = size * of_kind[sum_weight] / insertions;
      fallen_[n] += of_kind[sum_fallen];
      values.push_back(mean);
      values.push_back(size * size * of_kind[sum_square] / insertions);
      values.push_back(size * mean);
      values.push_back(excess * mean + size * of_kind[sum_energy] / insertions);
    }
    series_.add(frame.step, values);
  }

  struct Result {
    std::string name;
    double value, error;
    std::string_view unit;
  };

  void add_kind(std::size_t n, ObserverReport& report, std::string& rows) const {
    const std::string& name = names_[kinds_[n]];
    const std::size_t first = series_.batch_from(reported_from());
    const auto mean = [&](std::size_t quantity) { return series_.mean_from(first, quantity); };
    const std::size_t begin = common_quantities + each_quantities * n;
    const double count = counts_[kinds_[n]];
    report.text += fmt::format("# {}: {:.0f} molecules in the box\n", name, count);
    if (series_.count() == 0) return;
    if (fallen_[n] > 0.0) {
      report.warnings.push_back(
          fmt::format("[insertion]: {:.0f} insertions of {} met charges or multipoles that no "
                      "repulsion covers; "
                      "they count as overlaps",
                      fallen_[n], quote(name)));
    }
    const double carrying = mean(begin + weight) * mean(begin + weight) / mean(begin + square);
    if (!(mean(begin + weight) > 0.0) || !std::isfinite(carrying)) {
      report.text += fmt::format("# {}: every insertion overlaps\n", name);
      report.warnings.push_back(fmt::format(
          "[insertion]: every insertion of {} overlaps, so its chemical potential is unknown",
          quote(name)));
      return;
    }
    const double insertions = static_cast<double>(series_.count_from(reported_from())) *
                              static_cast<double>(options_.insertions);
    const double effective = carrying * insertions;
    report.text += fmt::format("# {}: {:.4g} of {:.0f} insertions carry the mean\n", name,
                               effective, insertions);
    if (effective < insertion_least_effective) {
      report.warnings.push_back(fmt::format(
          "[insertion]: {:.3g} of {:.0f} insertions of {} carry the mean, so that its error is "
          "not known; at least {:.0f} are needed",
          effective, insertions, quote(name), insertion_least_effective));
    }
    add_lowest(n, name, report.text);
    std::vector<Result> all = results(n);
    add_errors(n, all, report);
    for (const Result& result : all) {
      rows += fmt::format("{} {:.13g} {:.3g}\n", result.name, result.value, result.error);
      report.averages.push_back({result.name, result.value, result.error, result.unit});
    }
  }

  void add_lowest(std::size_t n, const std::string& name, std::string& text) const {
    if (!lowest_[n].is_known) return;
    const auto& values = lowest_[n].values;
    const auto place = [&](std::size_t k) {
      return units_.from_internal(values[k], Dimension::length);
    };
    text += fmt::format(
        "# {}: lowest energy {:.15g} at {:.17g} {:.17g} {:.17g}, quaternion {:.17g} {:.17g} "
        "{:.17g} {:.17g}\n",
        name, units_.from_internal(values[0], Dimension::energy), place(1), place(2), place(3),
        values[4], values[5], values[6], values[7]);
  }

  /// The results of kind n from means (or sums) of all quantities.
  std::vector<Result> results_from(std::size_t n, std::span<const double> of) const {
    const std::string& name = names_[kinds_[n]];
    const double* const mine = of.data() + common_quantities + each_quantities * n;
    const double size = of[volume] / of[one];
    const double mean = mine[weight] / of[one];
    const double excess = -heat_ * std::log(mean / size);
    const double count = counts_[kinds_[n]];
    std::vector<Result> found;
    const auto add = [&](std::string_view quantity, double value, Dimension dimension) {
      found.push_back({fmt::format("{}_{}", quantity, name), units_.from_internal(value, dimension),
                       0.0, units_.label(dimension)});
    };
    add("excess_chemical_potential", excess, Dimension::energy);
    add("excess_chemical_potential_by_kT", excess / heat_, Dimension::none);
    if (count > 0.0) {
      add("density", count / size, Dimension::number_density);
      const double unit = units_.to_internal(1.0, Dimension::length);
      add("reduced_chemical_potential",
          std::log(count / size * unit * unit * unit) + excess / heat_, Dimension::none);
      add("fugacity", count * heat_ / mean, Dimension::pressure);
    }
    if (molecules_ > count) {
      add("henry_constant", (molecules_ - count) * heat_ / mean, Dimension::pressure);
    }
    const double with = mine[by_energy] / mine[weight] - of[energy] / of[one];
    if (has_barostat_) {
      const double unit = units_.from_internal(1.0, Dimension::length);
      found.push_back({fmt::format("partial_molar_volume_{}", name),
                       (mine[by_volume] / mine[weight] - size) * unit * unit * unit, 0.0,
                       unit_of_volume_});
      add("partial_residual_enthalpy", with - heat_, Dimension::energy);
    } else {
      add("partial_residual_energy", with, Dimension::energy);
    }
    return found;
  }

  std::vector<Result> results(std::size_t n) const {
    std::vector<double> means;
    const std::size_t first = series_.batch_from(reported_from());
    for (std::size_t q = 0; q < quantities(); ++q) means.push_back(series_.mean_from(first, q));
    return results_from(n, means);
  }

  void add_errors(std::size_t n, std::vector<Result>& all, ObserverReport& report) const {
    const std::size_t first = series_.batch_from(reported_from());
    const std::size_t batches = series_.batch_count();
    if (batches < first + 2) {
      warn_of_few_blocks(n, batches - std::min(first, batches), report);
      return;
    }
    std::vector<double> sums(batches * quantities());
    for (std::size_t q = 0; q < quantities(); ++q) {
      const std::vector<double> means = series_.means(q);
      for (std::size_t b = 0; b < means.size(); ++b) sums[b * quantities() + q] = means[b];
    }
    const Jackknife found =
        jackknife(sums, quantities(), first, batches, [&](const std::vector<double>& part) {
          std::vector<double> values;
          for (const Result& result : results_from(n, part)) values.push_back(result.value);
          return values;
        });
    for (std::size_t k = 0; k < all.size(); ++k) {
      // Where only one block had insertions without overlap, there is none without it.
      all[k].error = std::isfinite(found.errors[k]) ? found.errors[k] : std::abs(all[k].value);
    }
    add_independent(n, batches - first, found, report);
  }

  /// Tells how many of the blocks are independent, and why their error is not to be trusted.
  void add_independent(std::size_t n, std::size_t blocks, const Jackknife& found,
                       ObserverReport& report) const {
    const std::string& name = names_[kinds_[n]];
    const double independent = found.independent.front();
    if (!std::isfinite(found.errors.front())) {
      report.warnings.push_back(
          fmt::format("[insertion]: one block of {} samples has all the weight of the insertions "
                      "of {}, so that the variance of blocks is not finite; the error that is "
                      "given is the value itself",
                      series_.batch_length(), quote(name)));
      return;
    }
    report.text += fmt::format("# {}: worth {:.3g} independent blocks of {}, each {} samples\n",
                               name, independent, blocks, series_.batch_length());
    if (static_cast<double>(blocks) < insertion_least_independent) {
      warn_of_few_blocks(n, blocks, report);
      return;
    }
    const bool is_slow = found.are_correlated.front() != 0;
    if (!is_slow || independent >= insertion_least_independent) return;
    report.warnings.push_back(fmt::format(
        "[insertion]: the chemical potential of {} changes so slowly that the run is worth {:.2g} "
        "independent blocks, and its error is too small; at least {:.0f} are needed: 50 "
        "correlation times",
        quote(name), independent, insertion_least_independent));
  }

  void warn_of_few_blocks(std::size_t n, std::size_t blocks, ObserverReport& report) const {
    report.warnings.push_back(
        fmt::format("[insertion]: {} block{} of {} sample{} cannot tell how slowly the chemical "
                    "potential of {} "
                    "changes, so that its error may be too small; at least {:.0f} are needed",
                    blocks, blocks == 1 ? "" : "s", series_.batch_length(),
                    series_.batch_length() == 1 ? "" : "s", quote(names_[kinds_[n]]),
                    insertion_least_independent));
  }

  std::size_t quantities() const { return common_quantities + each_quantities * kinds_.size(); }

  comm::Context context_;
  UnitSystem units_;
  InsertionOptions options_;
  double heat_;  ///< kT
  std::string unit_of_volume_;
  bool has_barostat_;
  double pressure_;  ///< that the barostat keeps
  std::vector<std::string> names_;
  RandomStream stream_;
  std::vector<std::size_t> kinds_;  ///< that are inserted
  InsertedMolecule molecule_;
  std::vector<double> counts_;  ///< of each kind in the box
  double molecules_ = 0.0;      ///< in the box; a flexible one counts once
  std::vector<Lowest> lowest_;
  std::vector<double> fallen_;  ///< of each kind, insertions into charges that nothing covers
  double first_energy_ = 0.0;   ///< of the first sample
  BatchMeans series_;
};

std::unique_ptr<Observer> make_insertion(const ObserverRequest& request) {
  return std::make_unique<Insertion>(request);
}

/// Whether the input has anything that acts on molecules but pairs and bonds.
std::string what_else_acts_on_inserted(const Input& input) {
  if (!input.tables<WallSection>().empty()) return "[[wall]]s act on all molecules";
  if (!input.tables<FieldSection>().empty()) return "[[field]]s act on molecules by their places";
  if (input.interaction.tail_correction == TailCorrection::planar) {
    return "tail_correction = \"planar\" depends on the place";
  }
  return {};
}

void check_inserted_names(const Input& input, const Report& report) {
  constexpr std::string_view place = "insertion.components";
  const auto& wanted = input.section<InsertionOptions>().components;
  const std::vector<std::string> names = inserted_kind_names(input);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto error = [&](const std::string& message) { report(Severity::error, place, message); };
    const std::string& name = wanted[k];
    if (std::find(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        wanted.begin() + static_cast<std::ptrdiff_t>(k)) {
      error(fmt::format("{} is in \"components\" twice", quote(name)));
      continue;
    }
    const std::string why = why_name_is_not_inserted(input, name);
    if (!why.empty()) error(why);
  }
  if (!wanted.empty() || names.empty() || !inserted_kinds(input).empty()) return;
  report(Severity::error, "insertion.interval",
         fmt::format("[insertion] has nothing to insert: {} {}", quote(names[0]),
                     why_not_inserted(input, 0)));
}

void check_insertion(const Input& input, const IsGood& is_good, const Report& report) {
  constexpr std::string_view place = "insertion.interval";
  if (!is_good(place) || interval_of<InsertionOptions>(input) == 0) return;
  const auto error = [&](const std::string& message) { report(Severity::error, place, message); };
  const std::string why = why_no_ensemble(input);
  if (!why.empty()) {
    error("[insertion] needs an ensemble, but " + why);
  } else if (!input.has_thermostat()) {
    error("[insertion] weighs energies by a temperature; expected a [thermostat]");
  } else if (has_several_temperatures(input)) {
    error("[insertion] needs one temperature, but the thermostats keep several");
  }
  check_alchemical_are_whole(input, report, place, "[insertion] computes energies");
  const std::string acting = what_else_acts_on_inserted(input);
  if (!acting.empty()) {
    error(fmt::format("{}, which insertions do not compute; expected a homogeneous fluid", acting));
  }
  if (is_good("insertion.components") || !input.places.contains("insertion.components")) {
    check_inserted_names(input, report);
  }
}

}  // namespace

ObserverRow observer::insertion() {
  return {.schema = {.name = "insertion",
                     .description =
                         "Chemical potentials and Henry constants by inserting test molecules "
                         "(Widom); at constant pressure also partial molar properties.",
                     .aliases = {"widom", "chemical_potential", "test_particle"}},
          .keys = {interval_key<InsertionOptions>(),
                   {.name = "insertions",
                    .target = option<&InsertionOptions::insertions>,
                    .description = "Number of random places of each kind in a sample.",
                    .range = {.minimum = 1.0, .maximum = 1e9},
                    .aliases = {"ntest", "ninsertions", "points"}},
                   {.name = "orientations",
                    .target = option<&InsertionOptions::orientations>,
                    .description = "Number of random orientations at each place, of molecules that "
                                   "turn.",
                    .range = {.minimum = 1.0, .maximum = 1e6}},
                   {.name = "components",
                    .target = option<&InsertionOptions::components>,
                    .description = "Names of the `[[component]]`s or `[[type]]`s to insert, also "
                                   "of those without molecules in the box.",
                    .default_text = "all that can be inserted",
                    .aliases = {"component", "types", "type", "names"}}},
          .interval = interval_of<InsertionOptions>,
          .check = check_insertion,
          .make = make_insertion,
          .needs_all_pairs = true,
          .needs_full_shell = true};
}

}  // namespace sterna::md
