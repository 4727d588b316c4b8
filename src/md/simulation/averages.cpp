#include "md/simulation/averages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "md/observe/block_average.hpp"
#include "md/observe/equilibration.hpp"

namespace sterna::md {

Averages::Averages(const UnitSystem& units, const Options& options)
    : units_(units), options_(options), series_(options.changes_volume ? 6 : 4) {
  const auto add = [&](const char* name, Dimension dimension, bool per_particle, bool settles) {
    quantities_.push_back({name, std::string(units.label(dimension)),
                           units.from_internal(1.0, dimension), per_particle, settles});
  };
  add("temperature", Dimension::temperature, false, true);
  add("pressure", Dimension::pressure, false, false);
  add("potential_energy", Dimension::energy, true, true);
  add("total_energy", Dimension::energy, true, false);
  if (!options.changes_volume) return;
  const double length = units.from_internal(1.0, Dimension::length);
  const std::string_view unit = units.label(Dimension::length);
  quantities_.push_back({"volume", unit.empty() ? "" : fmt::format("{}^3", unit),
                         length * length * length, false, true});
  // Particles per volume where lengths are those of the particles.
  add("density", units.is_reduced() ? Dimension::number_density : Dimension::mass_density, false,
      false);
}

void Averages::add(std::int64_t step, const ThermodynamicState& state) {
  if (step <= options_.equilibration.value_or(-1)) return;
  if (step <= series_.latest_step()) return;  // the end of a run that is resumed
  std::vector<double> values{state.temperature, state.pressure, state.potential_energy,
                             state.total_energy};
  if (options_.changes_volume) {
    const double amount =
        units_.is_reduced() ? static_cast<double>(options_.particles) : options_.mass;
    values.insert(values.end(), {state.volume, amount / state.volume});
  }
  series_.add(step, values);
}

Averages::Report Averages::report() const {
  Report report;
  std::size_t first = 0;
  if (!options_.equilibration) {
    for (std::size_t q = 0; q < quantities_.size(); ++q) {
      if (!quantities_[q].settles) continue;
      first = std::max(first, equilibration_length(series_.means(q)));
    }
  }
  const std::int64_t left_out = static_cast<std::int64_t>(first) * series_.batch_length();
  const std::int64_t rows = series_.count() - left_out;
  if (rows < 2) return report;
  const std::int64_t first_step = series_.first_step(first);
  std::string line = fmt::format("averages over {} rows of the table", rows);
  if (options_.equilibration) {
    line +=
        fmt::format(" from step {} on (equilibration = {})", first_step, *options_.equilibration);
  } else if (left_out > 0) {
    line += fmt::format(" from step {} on", first_step);
  }
  report.lines.push_back(line + ", with standard errors from blocking:");
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const Quantity& quantity = quantities_[q];
    BlockAverage blocks;
    const std::vector<double> means = series_.means(q);
    for (std::size_t batch = first; batch < means.size(); ++batch) blocks.add(means[batch]);
    const double mean = quantity.factor * series_.mean_from(first, q);
    const double error = quantity.factor * blocks.standard_error();
    const double per = quantity.per_particle ? 1.0 / static_cast<double>(options_.particles) : 1.0;
    std::string text =
        fmt::format("  {:<20} {:>14.8g} +- {:.2g}",
                    fmt::format("{}{}", quantity.name, quantity.per_particle ? "/N" : ""),
                    mean * per, error * per);
    if (!quantity.unit.empty()) text += " " + quantity.unit;
    report.lines.push_back(text);
    report.averages[quantity.name] = {{"mean", mean}, {"standard_error", error}};
    if (!quantity.unit.empty()) report.averages[quantity.name]["unit"] = quantity.unit;
  }
  if (left_out > 0) {
    report.lines.push_back(
        fmt::format("  {} rows before step {} are left out as equilibration, found by Chodera's "
                    "method (2016){}",
                    left_out, first_step, left_out > rows ? "; a longer run would tell more" : ""));
  }
  report.rows = {{"rows", rows}, {"rows_left_out", left_out}, {"first_step", first_step}};
  return report;
}

}  // namespace sterna::md
