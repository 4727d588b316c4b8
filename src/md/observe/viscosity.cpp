#include "md/observe/viscosity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "md/observe/observer_table.hpp"
#include "md/observe/pressure_tensor.hpp"

namespace sterna::md {

Viscosity::Viscosity(const comm::Context& context, std::int64_t interval, double timestep,
                     const UnitSystem& units)
    : Observer("viscosity", interval),
      context_(context),
      sample_time_(static_cast<double>(interval) * timestep),
      units_(units) {}

void Viscosity::sample(const Frame& frame) {
  const std::array<double, 6> p = pressure_tensor(context_, frame);
  const double shear[] = {p[3], p[4], p[5], 0.5 * (p[0] - p[1]), 0.5 * (p[1] - p[2])};
  const SampleBlocks::Change change = blocks_.begin_sample(frame.step);
  if (change.merges) {
    for (MultiTauCorrelator& component : shear_) component.merge_blocks();
    for (std::vector<double>* sums : {&temperatures_, &volumes_}) {
      merge_blocks(*sums, 1);
      sums->resize(sums->size() / 2);
    }
  }
  if (change.begins) {
    temperatures_.push_back(0.0);
    volumes_.push_back(0.0);
  }
  for (std::size_t k = 0; k < shear_.size(); ++k) shear_[k].add(shear[k], blocks_.length());
  temperatures_.back() += frame.state.temperature;
  volumes_.back() += frame.box.volume();
}

std::vector<double> Viscosity::common() const {
  std::vector<std::vector<double>> lists{blocks_.state(), temperatures_, volumes_};
  for (const MultiTauCorrelator& component : shear_) lists.push_back(component.state());
  return joined_lists(lists);
}

void Viscosity::set_common(std::span<const double> values) {
  const auto lists = separate_lists(values);
  if (lists.size() != 3 + shear_.size()) return;
  SampleBlocks blocks;
  if (!blocks.set_state(lists[0])) return;
  if (lists[1].size() != blocks.count() || lists[2].size() != blocks.count()) return;
  blocks_ = blocks;
  temperatures_ = lists[1];
  volumes_ = lists[2];
  for (std::size_t k = 0; k < shear_.size(); ++k) shear_[k].set_state(lists[3 + k]);
}

ObserverReport Viscosity::report(std::span<const double>) const {
  const auto unit = [&](Dimension dimension) {
    const std::string label(units_.label(dimension));
    return label.empty() ? "" : "/" + label;
  };
  const std::size_t first = blocks_.block_from(reported_from());
  const auto frames =
      static_cast<double>(blocks_.samples() - static_cast<std::int64_t>(first) * blocks_.length());
  double temperatures = 0.0, volumes = 0.0;
  for (std::size_t b = first; b < blocks_.count(); ++b) {
    temperatures += temperatures_[b];
    volumes += volumes_[b];
  }
  ObserverReport report;
  report.text = fmt::format(
      "# shear viscosity by Green and Kubo, {:.0f} samples\n"
      "# time{} correlation{}^2 viscosity{}\n",
      frames, unit(Dimension::time), unit(Dimension::pressure), unit(Dimension::viscosity));
  if (frames == 0.0) return report;
  const double factor = volumes / frames / (units_.boltzmann() * temperatures / frames);

  std::array<std::vector<MultiTauCorrelator::Point>, 5> points;
  for (std::size_t k = 0; k < 5; ++k) points[k] = shear_[k].points(first);
  std::array<double, 5> integral{}, plateau{};
  double zero_at = 0.0, plateau_points = 0.0;
  for (std::size_t i = 0; i < points[0].size(); ++i) {
    const double lag = points[0][i].lag * sample_time_;
    double correlation = 0.0, mean = 0.0;
    for (std::size_t k = 0; k < 5; ++k) {
      correlation += points[k][i].correlation / 5.0;
      if (i > 0) {
        const auto& before = points[k][i - 1];
        integral[k] += factor * 0.5 * (before.correlation + points[k][i].correlation) *
                       (points[k][i].lag - before.lag) * sample_time_;
      }
      mean += integral[k] / 5.0;
    }
    if (zero_at == 0.0 && correlation <= 0.0) zero_at = lag;
    if (zero_at > 0.0 && lag <= 2.0 * zero_at) {
      for (std::size_t k = 0; k < 5; ++k) plateau[k] += integral[k];
      plateau_points += 1.0;
    }
    const double pressure = units_.from_internal(1.0, Dimension::pressure);
    report.text += fmt::format("{:.8g} {:.8g} {:.8g}\n", units_.from_internal(lag, Dimension::time),
                               correlation * pressure * pressure,
                               units_.from_internal(mean, Dimension::viscosity));
  }
  if (plateau_points > 0.0) {
    double mean = 0.0, squares = 0.0;
    for (const double sum : plateau) mean += sum / plateau_points / 5.0;
    for (const double sum : plateau) squares += std::pow(sum / plateau_points - mean, 2);
    report.add_average("viscosity", mean, std::sqrt(squares / 20.0), units_, Dimension::viscosity);
  }
  return report;
}

namespace {

struct ViscosityOptions {
  std::int64_t interval = 0;
};

std::unique_ptr<Observer> make_viscosity(const ObserverRequest& request) {
  return std::make_unique<Viscosity>(request.context, interval_of<ViscosityOptions>(request.input),
                                     request.input.run.timestep, request.input.units);
}

}  // namespace

ObserverRow observer::viscosity() {
  return {.schema = {.name = "viscosity",
                     .description = "The shear viscosity, from the fluctuations of the pressure "
                                    "tensor (Green and Kubo).",
                     .aliases = {"green_kubo"}},
          .keys = {interval_key<ViscosityOptions>(
              "Steps between two samples, a few: the pressure changes fast. 0: none.")},
          .interval = interval_of<ViscosityOptions>,
          .make = make_viscosity,
          .needs_virial_tensor = true};
}

}  // namespace sterna::md
