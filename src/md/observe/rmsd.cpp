#include <fmt/format.h>

#include "md/observe/group_fit.hpp"
#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct RmsdOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  bool mass_weighted = false;
};

/// The root mean square deviation of each group's atoms from where they were in the first sample,
/// after the best fit.
class Rmsd final : public Observer {
 public:
  Rmsd(const RmsdOptions& options, const ObserverRequest& request)
      : Observer("rmsd", options.interval),
        units_(request.input.units),
        fit_(request, options.groups, options.mass_weighted, "rmsd"),
        series_(options.groups) {}

  void sample(const Frame& frame) override {
    fit_.gather(frame);
    std::vector<double> values;
    for (std::size_t g = 0; g < fit_.group_count(); ++g) values.push_back(fit_.fit(g).deviation);
    series_.add(frame.step, frame.time, values);
  }

  /// The reference, then the series.
  std::vector<double> common() const override {
    std::vector<double> all = fit_.reference();
    const std::vector<double> series = series_.state();
    all.insert(all.end(), series.begin(), series.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    const std::size_t taken = fit_.set_reference(values);
    if (taken > 0) series_.set_state(values.subspan(taken));
  }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text = fmt::format("# {} samples, deviation from the first one\n", series_.count()) +
                  series_.text(units_, Dimension::length);
    if (series_.count() == 0) return report;
    for (std::size_t g = 0; g < fit_.group_count(); ++g) {
      const SettledMean average = series_.average(g, reported_from());
      report.add_average(fmt::format("rmsd_{}", fit_.name_of(g)), average.mean,
                         average.standard_error, units_, Dimension::length);
    }
    return report;
  }

 private:
  UnitSystem units_;
  GroupFit fit_;
  QuantitySeries series_;
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
