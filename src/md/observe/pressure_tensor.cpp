#include "md/observe/pressure_tensor.hpp"

#include <fmt/format.h>

#include "md/core/display_text.hpp"
#include "md/input/check_box.hpp"
#include "md/observe/observer_table.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {
constexpr int first_axis[] = {0, 1, 2, 0, 0, 1};
constexpr int second_axis[] = {0, 1, 2, 1, 2, 2};
}  // namespace

std::array<double, 6> pressure_tensor(const comm::Context& context, const Frame& frame) {
  std::array<double, 6> tensor{};
  for (std::size_t i = 0; i < frame.particles.local_count(); ++i) {
    const auto type = static_cast<std::size_t>(frame.particles.position[i].type);
    const Vec3& velocity = frame.particles.velocity[i];
    for (std::size_t k = 0; k < 6; ++k) {
      tensor[k] += frame.masses[type] * velocity[first_axis[k]] * velocity[second_axis[k]];
    }
  }
  for (std::size_t k = 0; k < 6; ++k) {
    tensor[k] = tensor[k] * frame.kinetic_factor + frame.sums.virial[k];
  }
  comm::ReductionBatch batch(context, "pressure tensor");
  batch.sum(tensor.data(), tensor.size()).run();
  for (std::size_t k = 0; k < 6; ++k) {
    if (k < 3) tensor[k] += frame.tail_virial / 3.0;
    tensor[k] /= frame.box.volume();
  }
  return tensor;
}

PressureTensor::PressureTensor(const comm::Context& context, std::int64_t interval,
                               std::optional<int> surface_normal, const UnitSystem& units)
    : Observer("pressure_tensor", interval),
      context_(context),
      surface_normal_(surface_normal),
      units_(units),
      series_(surface_normal ? 7 : 6) {}

void PressureTensor::sample(const Frame& frame) {
  const std::array<double, 6> tensor = pressure_tensor(context_, frame);
  std::vector<double> values(tensor.begin(), tensor.end());
  if (surface_normal_) {
    const auto normal = static_cast<std::size_t>(*surface_normal_);
    const double tangential = 0.5 * (tensor[(normal + 1) % 3] + tensor[(normal + 2) % 3]);
    values.push_back(0.5 * frame.box.length[*surface_normal_] * (tensor[normal] - tangential));
  }
  series_.add(frame.step, values);
}

ObserverReport PressureTensor::report(std::span<const double>) const {
  static constexpr const char* names[] = {"pressure_xx", "pressure_yy", "pressure_zz",
                                          "pressure_xy", "pressure_xz", "pressure_yz"};
  ObserverReport report;
  const auto add = [&](const std::string& name, std::size_t quantity, Dimension dimension) {
    const SettledMean average = series_.average(quantity, reported_from());
    report.add_average(name, average.mean, average.standard_error, units_, dimension);
  };
  for (std::size_t k = 0; k < 6; ++k) add(names[k], k, Dimension::pressure);
  if (surface_normal_) add("surface_tension", 6, Dimension::surface_tension);
  report.text = fmt::format("# {} samples\n# component mean standard_error\n",
                            series_.count_from(reported_from()));
  for (const auto& average : report.averages) {
    report.text +=
        fmt::format("{} {:.10g} {:.3g}\n", average.name, average.mean, average.standard_error);
  }
  return report;
}

namespace {

std::unique_ptr<Observer> make_pressure_tensor(const ObserverRequest& request) {
  const auto& options = request.input.section<PressureTensorOptions>();
  std::optional<int> normal;
  if (const auto axis = options.normal()) normal = index_of(*axis);
  return std::make_unique<PressureTensor>(request.context, options.interval, normal,
                                          request.input.units);
}

void check_pressure_tensor_in_box(const Input& input, const Box& box, const Report& report) {
  const auto normal = input.section<PressureTensorOptions>().normal();
  if (!normal) return;
  check_planes(box, *normal, "pressure_tensor.surface_normal", "the tension of surfaces", report);
}

void advise_pressure_tensor(const Input& input, const Report& report) {
  const auto& interaction = input.interaction;
  const auto normal = input.section<PressureTensorOptions>().normal();
  if (!normal || interaction.tail_correction == TailCorrection::none) return;
  if (interaction.tail_correction == TailCorrection::homogeneous) {
    report(Severity::advice, "interaction.tail_correction",
           "a slab is not homogeneous: its surface tension stays that of the potential that is cut "
           "off, which is much less; \"planar\" corrects both the slab and its surface tension");
  } else if (interaction.tail_normal != *normal) {
    report(Severity::warning, "interaction.tail_normal",
           fmt::format("the correction has its layers across {}, but the surface tension in "
                       "[pressure_tensor] is that of surfaces across \"{}\"",
                       quote(choice_name(interaction.tail_normal)), name_of(*normal)));
  }
}

}  // namespace

ObserverRow observer::pressure_tensor() {
  return {.schema = {.name = "pressure_tensor",
                     .description =
                         "The pressure in all directions, and the surface tension of a slab.",
                     .aliases = {"stress", "surface_tension", "virial"}},
          .keys = {interval_key<PressureTensorOptions>(),
                   {.name = "surface_normal",
                    .target = option<&PressureTensorOptions::surface_normal>,
                    .description = "The axis across which a slab's two surfaces lie: gives their "
                                   "surface tension.",
                    .aliases = {"normal", "axis"}}},
          .interval = interval_of<PressureTensorOptions>,
          .check_in_box = check_pressure_tensor_in_box,
          .advise = advise_pressure_tensor,
          .make = make_pressure_tensor,
          .needs_virial_tensor = true,
          .has_changing_numbers = true};
}

}  // namespace sterna::md
