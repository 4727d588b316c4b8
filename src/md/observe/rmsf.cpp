#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "md/observe/group_fit.hpp"
#include "md/observe/jackknife.hpp"
#include "md/observe/molecule_means.hpp"
#include "md/observe/sample_blocks.hpp"

namespace sterna::md {
namespace {

struct RmsfOptions {
  std::int64_t interval = 0;
  std::string group;
  bool mass_weighted = false;
};

/// How far each atom of a group moves about its mean place, after the group was brought to where it
/// was in the first sample: the root of the mean square of that.
class Rmsf final : public Observer {
 public:
  Rmsf(const RmsfOptions& options, const ObserverRequest& request)
      : Observer("rmsf", options.interval),
        units_(request.input.units),
        fit_(request, {options.group}, options.mass_weighted, "rmsf"),
        sums_(SampleBlocks::usual * stride(), 0.0) {}

  void sample(const Frame& frame) override {
    if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
    fit_.gather(frame);
    const GroupFit::Fit fit = fit_.fit(0);
    double* const sums = sums_.data() + (blocks_.count() - 1) * stride();
    for (std::size_t k = 0; k < fit.places.size(); ++k) {
      const Vec3& move = fit.moves[k];
      double* const of_atom = sums + fit.places[k] * values_of_atom;
      for (int axis = 0; axis < 3; ++axis) of_atom[axis] += move[axis];
      of_atom[3] += dot(move, move);
      of_atom[4] += 1.0;
    }
  }
  std::span<double> sums() override { return sums_; }

  /// The reference, then the blocks.
  std::vector<double> common() const override {
    std::vector<double> all = fit_.reference();
    const std::vector<double> blocks = blocks_.state();
    all.insert(all.end(), blocks.begin(), blocks.end());
    return all;
  }
  void set_common(std::span<const double> values) override {
    const std::size_t taken = fit_.set_reference(values);
    if (taken > 0) blocks_.set_state(values.subspan(taken));
  }

  ObserverReport report(std::span<const double> all_sums) const override {
    const std::string label(units_.label(Dimension::length));
    const std::string unit = label.empty() ? "" : "/" + label;
    const std::size_t first = blocks_.block_from(reported_from());
    const std::int64_t samples =
        blocks_.samples() - static_cast<std::int64_t>(first) * blocks_.length();
    ObserverReport report;
    report.text = fmt::format("# {} samples of {}\n# atom rmsf{} error{}\n",
                              std::max(samples, std::int64_t{0}), fit_.name_of(0), unit, unit);
    if (samples < 2) return report;
    const Jackknife found =
        jackknife(all_sums, stride(), first, blocks_.count(),
                  [this](const std::vector<double>& sums) { return fluctuations(sums); });
    const std::span<const std::int64_t> ids = fit_.ids_of(0);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      report.text += fmt::format("{} {:.8g} {:.3g}\n", ids[k],
                                 units_.from_internal(found.values[k], Dimension::length),
                                 units_.from_internal(found.errors[k], Dimension::length));
    }
    report.add_average(fmt::format("rmsf_{}", fit_.name_of(0)), found.values.back(),
                       found.errors.back(), units_, Dimension::length);
    return report;
  }

 private:
  static constexpr std::size_t values_of_atom = 5;  // sums of x y z, of squares, how many
  std::size_t stride() const { return fit_.ids_of(0).size() * values_of_atom; }

  /// Returns the fluctuation of each atom, and the root of the mean of their squares.
  std::vector<double> fluctuations(const std::vector<double>& sums) const {
    std::vector<double> all;
    double squares = 0.0;
    for (std::size_t at = 0; at < sums.size(); at += values_of_atom) {
      const double count = std::max(sums[at + 4], 1.0);
      const Vec3 mean = (1.0 / count) * Vec3{sums[at], sums[at + 1], sums[at + 2]};
      const double square = std::max(0.0, sums[at + 3] / count - dot(mean, mean));
      all.push_back(std::sqrt(square));
      squares += square;
    }
    all.push_back(std::sqrt(squares / std::max<double>(static_cast<double>(all.size()), 1.0)));
    return all;
  }

  UnitSystem units_;
  GroupFit fit_;
  SampleBlocks blocks_;
  std::vector<double> sums_;  ///< of each block: of each atom of the group
};

std::unique_ptr<Observer> make_rmsf(const ObserverRequest& request) {
  return std::make_unique<Rmsf>(request.input.section<RmsfOptions>(), request);
}

void check_rmsf(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("rmsf.interval")) return;
  if (input.molecules.empty()) {
    report(Severity::error, "rmsf.interval",
           "[rmsf] observes the atoms of [[molecule]]s, and this input has none");
    return;
  }
  check_group_names(input, is_good, report, "rmsf.group", {input.section<RmsfOptions>().group},
                    true);
}

}  // namespace

ObserverRow observer::rmsf() {
  return {
      .schema = {.name = "rmsf",
                 .description = "The root mean square fluctuation of each atom of a group about "
                                "its mean place, after the group was fitted to its first "
                                "sample.",
                 .aliases = {"root_mean_square_fluctuation", "b_factor"}},
      .keys = {interval_key<RmsfOptions>(),
               {.name = "group",
                .target = option<&RmsfOptions::group>,
                .description = "Name of a `[[group]]`, the atoms of which are fitted together.",
                .need = Need::required,
                .aliases = {"groups", "selection", "select"}},
               {.name = "mass_weighted",
                .target = option<&RmsfOptions::mass_weighted>,
                .description = "The fit weighs atoms by their masses.",
                .aliases = {"weights", "mass"}}},
      .interval = interval_of<RmsfOptions>,
      .check = check_rmsf,
      .make = make_rmsf};
}

}  // namespace sterna::md
