#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "md/core/axis.hpp"
#include "md/input/check_box.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/interface_fit.hpp"
#include "md/observe/jackknife.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/pressure_tensor.hpp"
#include "md/observe/sample_blocks.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct LiquidVaporOptions {
  std::int64_t interval = 0;
  Axis axis = Axis::z;
  int bins = 200;
};

/// The densities of a slab of liquid and of the vapor around it, by a fit to the density across it,
/// and the pressure across it, which is that of the vapor.
class LiquidVapor final : public Observer {
 public:
  LiquidVapor(const LiquidVaporOptions& options, const ObserverRequest& request)
      : Observer("liquid_vapor", options.interval),
        context_(request.context),
        units_(request.input.units),
        axis_(index_of(options.axis)),
        bins_(static_cast<std::size_t>(options.bins)),
        sums_(SampleBlocks::usual * stride(), 0.0) {}

  void sample(const Frame& frame) override {
    if (blocks_.begin_sample(frame.step).merges) merge_blocks(sums_, stride());
    double* const sums = sums_.data() + (blocks_.count() - 1) * stride();
    const double length = frame.box.length[axis_];
    const double middle = center(frame);
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const Position& position = frame.particles.position[i];
      const double away = (position.vector()[axis_] - middle) / length;
      const double part = std::min(1.0, 2.0 * std::abs(away - std::round(away)));
      const auto bin =
          std::min(bins_ - 1, static_cast<std::size_t>(part * static_cast<double>(bins_)));
      sums[bin] += weight(frame, position.type);
    }
    if (context_.rank() == 0) {
      sums[bins_] += 1.0;
      sums[bins_ + 1] += length;
      sums[bins_ + 2] += frame.box.volume() / length;
    }
    const double normal = pressure_tensor(context_, frame)[static_cast<std::size_t>(axis_)];
    pressure_.add(frame.step, std::span(&normal, 1));
  }

  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override {
    return joined_lists(std::array{blocks_.state(), pressure_.state()});
  }
  void set_common(std::span<const double> values) override {
    const auto lists = separate_lists(values);
    if (lists.size() != 2 || !blocks_.set_state(lists[0])) return;
    pressure_.set_state(lists[1]);
  }

  ObserverReport report(std::span<const double> all_sums) const override {
    const Dimension density =
        units_.is_reduced() ? Dimension::number_density : Dimension::mass_density;
    const auto unit = [&](Dimension dimension) {
      const std::string label(units_.label(dimension));
      return label.empty() ? "" : "/" + label;
    };
    ObserverReport report;
    const std::size_t first = blocks_.block_from(reported_from());
    report.text = fmt::format(
        "# a slab across {}: density by the distance from its middle\n# distance{} density{} "
        "fit{}\n",
        "xyz"[axis_], unit(Dimension::length), unit(density), unit(density));
    if (blocks_.samples() == 0) return report;
    std::vector<double> sums(stride(), 0.0);
    for (std::size_t b = first; b < blocks_.count(); ++b) {
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += all_sums[b * stride() + k];
    }
    const std::vector<double> profile = densities(sums);
    const double width = bin_width(sums);
    const std::optional<Interface> fitted = fit_interface(profile, width);
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const double distance = (static_cast<double>(bin) + 0.5) * width;
      report.text +=
          fmt::format("{:.8g} {:.8g} {:.8g}\n", units_.from_internal(distance, Dimension::length),
                      units_.from_internal(profile[bin], density),
                      units_.from_internal(fitted ? fitted->density(distance) : 0.0, density));
    }
    const SettledMean pressure = pressure_.average(0, reported_from());
    report.add_average("vapor_pressure", pressure.mean, pressure.standard_error, units_,
                       Dimension::pressure);
    if (!fitted) return report;
    const Jackknife found = jackknife(
        all_sums, stride(), first, blocks_.count(), [&](const std::vector<double>& of_some) {
          const auto fit = fit_interface(densities(of_some), bin_width(of_some)).value_or(*fitted);
          return std::vector<double>{fit.liquid, fit.vapor, fit.thickness, 2.0 * fit.place};
        });
    const std::pair<const char*, Dimension> names[] = {{"liquid_density", density},
                                                       {"vapor_density", density},
                                                       {"interface_width", Dimension::length},
                                                       {"slab_width", Dimension::length}};
    for (std::size_t k = 0; k < std::size(names); ++k) {
      report.add_average(names[k].first, found.values[k], found.errors[k], units_, names[k].second);
    }
    return report;
  }

 private:
  /// Slices, then frames, the box along and across, summed over the frames.
  std::size_t stride() const { return bins_ + 3; }

  /// Returns the weight of a particle.
  double weight(const Frame& frame, std::int64_t type) const {
    return units_.is_reduced() ? 1.0 : frame.masses[static_cast<std::size_t>(type)];
  }

  /// Returns the center of mass along the axis, by the phase of its first Fourier coefficient (see
  /// `Profile`).
  double center(const Frame& frame) const {
    const double wave = 2.0 * std::numbers::pi / frame.box.length[axis_];
    double cosine = 0.0, sine = 0.0;
    for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
      const Position& position = frame.particles.position[i];
      const double mass = frame.masses[static_cast<std::size_t>(position.type)];
      cosine += mass * std::cos(wave * position.vector()[axis_]);
      sine += mass * std::sin(wave * position.vector()[axis_]);
    }
    comm::ReductionBatch batch(context_, "center of a slab", comm::ReductionOrder::fixed);
    batch.sum(cosine).sum(sine).run();
    return std::atan2(sine, cosine) / wave;
  }

  double bin_width(const std::vector<double>& sums) const {
    return 0.5 * sums[bins_ + 1] / std::max(sums[bins_], 1.0) / static_cast<double>(bins_);
  }
  /// Returns densities by the distance from the middle; both sides of the slab count.
  std::vector<double> densities(const std::vector<double>& sums) const {
    const double slices =
        2.0 * bin_width(sums) * std::max(sums[bins_ + 2], 1e-300);  // of all frames
    std::vector<double> values;
    for (std::size_t bin = 0; bin < bins_; ++bin) values.push_back(sums[bin] / slices);
    return values;
  }

  comm::Context context_;
  UnitSystem units_;
  int axis_;
  std::size_t bins_;
  SampleBlocks blocks_;
  std::vector<double> sums_;  ///< of each block
  BatchMeans pressure_{1};    ///< along the axis
};

std::unique_ptr<Observer> make_liquid_vapor(const ObserverRequest& request) {
  return std::make_unique<LiquidVapor>(request.input.section<LiquidVaporOptions>(), request);
}

void check_liquid_vapor_in_box(const Input& input, const Box& box, const Report& report) {
  check_planes(box, input.section<LiquidVaporOptions>().axis, "liquid_vapor.axis", "a slab",
               report);
}

}  // namespace

ObserverRow observer::liquid_vapor() {
  return {.schema = {.name = "liquid_vapor",
                     .description = "Densities of a slab of liquid and of the vapor around it, the "
                                    "width of the interface and the vapor pressure.",
                     .aliases = {"coexistence", "interface", "vle", "vapor_liquid"}},
          .keys = {interval_key<LiquidVaporOptions>(),
                   {.name = "axis",
                    .target = option<&LiquidVaporOptions::axis>,
                    .description = "The slab lies across this axis.",
                    .aliases = {"direction", "normal", "surface_normal"}},
                   {.name = "bins",
                    .target = option<&LiquidVaporOptions::bins>,
                    .description = "Slices of equal thickness from the middle of the slab to that "
                                   "of the vapor.",
                    .range = {.minimum = 8.0, .maximum = 1e5},
                    .aliases = {"nbins", "slices"}}},
          .interval = interval_of<LiquidVaporOptions>,
          .check_in_box = check_liquid_vapor_in_box,
          .make = make_liquid_vapor,
          .needs_virial_tensor = true};
}

}  // namespace sterna::md
