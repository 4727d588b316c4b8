#include "md/observe/averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "md/core/measured_text.hpp"
#include "md/observe/series_error.hpp"

namespace sterna::md {
namespace {

/// A mean may differ from its target by at most so many standard errors.
constexpr double most_errors = 4.0;

std::string label_of(const Averages::Quantity& quantity) {
  return quantity.per != 1.0 ? quantity.name + "/N" : quantity.name;
}

}  // namespace

Averages::Averages(std::vector<Quantity> quantities, std::optional<std::int64_t> equilibration)
    : quantities_(std::move(quantities)),
      equilibration_(equilibration),
      series_(quantities_.size()) {}

void Averages::add(std::int64_t step, std::span<const double> values) {
  if (step <= equilibration_.value_or(-1)) return;
  if (step <= series_.latest_step()) return;  // a resumed run repeats steps
  series_.add(step, values);
}

Averages::Part Averages::settled_part() const {
  Part part;
  // If the run was resumed with a longer equilibration, batches that it has averaged already may
  // belong to the equilibration now.
  while (part.given < series_.batch_count() &&
         series_.first_step(part.given) <= equilibration_.value_or(-1)) {
    ++part.given;
  }
  part.first = part.given;
  if (equilibration_) return part;
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    if (!quantities_[q].decides) continue;
    const std::size_t settled = settled_from(series_.means(q));
    if (settled <= part.first) continue;
    part.first = settled;
    part.latest = quantities_[q].name;
  }
  return part;
}

std::int64_t Averages::first_step() const {
  if (equilibration_) return *equilibration_ + 1;
  const Part part = settled_part();
  if (part.first == 0) return 0;
  return part.first < series_.batch_count() ? series_.first_step(part.first)
                                            : series_.latest_step() + 1;
}

std::string Averages::shown(const Quantity& quantity, double mean, double error) const {
  const double scale = quantity.factor / quantity.per;
  const std::string text = measured_text(mean * scale, error * scale);
  return quantity.unit.empty() ? text : text + " " + quantity.unit;
}

std::string Averages::why_unsettled(const Quantity& quantity, const SettledMean& found) const {
  const std::string name = label_of(quantity);
  switch (found.unrest) {
    case SettledMean::Unrest::drifts:
      return fmt::format("{} drifts: {} in the first half of the rows, {} in the second", name,
                         shown(quantity, found.first_half, found.error_of_half),
                         shown(quantity, found.second_half, found.error_of_half));
    case SettledMean::Unrest::wanders:
      return fmt::format("{} changes as slowly as the run is long", name);
    case SettledMean::Unrest::few:
      return fmt::format(
          "{} is correlated over so many rows that they tell as much as {:.0f} "
          "independent ones",
          name, found.independent);
    case SettledMean::Unrest::late:
    case SettledMean::Unrest::unknown:
    case SettledMean::Unrest::none:
      break;
  }
  if (quantity.target && found.standard_error > 0.0) {
    const double off = std::abs(found.mean - *quantity.target);
    if (off > most_errors * found.standard_error && off > quantity.tolerance) {
      return fmt::format("{} is {}, {:.0f} errors off the {} of {}", name,
                         shown(quantity, found.mean, found.standard_error),
                         off / found.standard_error, shown(quantity, *quantity.target, 0.0),
                         quantity.kept_by);
    }
  }
  return "";
}

void Averages::add_average(const Quantity& quantity, const SettledMean& mean,
                           std::optional<bool> settled, Report& report) const {
  report.lines.push_back(fmt::format("  {:<20} {}", label_of(quantity),
                                     shown(quantity, mean.mean, mean.standard_error)));
  Json& entry = report.averages[quantity.name];
  entry = {{"mean", quantity.factor * mean.mean},
           {"standard_error", quantity.factor * mean.standard_error},
           {"independent", mean.independent}};
  if (settled) entry["settled"] = *settled;
  if (!quantity.unit.empty()) entry["unit"] = quantity.unit;
}

std::vector<SettledMean> Averages::means_of(const Part& part) const {
  const auto tested =
      static_cast<std::size_t>(std::ranges::count_if(quantities_, &Quantity::tells));
  std::vector<SettledMean> means;
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const std::vector<double> all = series_.means(q);
    const auto behind = std::span(all).subspan(part.given);
    const std::size_t unsettled = part.first - part.given;
    SettledMean& found = means.emplace_back(settled_mean(behind, unsettled, tested));
    take_correlation(found, behind.subspan(unsettled));
    found.mean = series_.mean_from(part.first, q);  // includes the incomplete batch
  }
  return means;
}

Averages::Report Averages::report() const {
  Report report;
  const Part part = settled_part();
  const auto left_out = static_cast<std::int64_t>(part.first) * series_.batch_length();
  const std::int64_t rows = series_.count() - left_out;
  if (rows < 2 || part.first >= series_.batch_count()) return report;
  const std::int64_t first_step = series_.first_step(part.first);

  const std::vector<SettledMean> means = means_of(part);
  std::map<std::string, bool> settled;
  bool unknown = false, late = false;
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const SettledMean& found = means[q];
    if (!quantities_[q].tells) continue;
    unknown = unknown || found.unrest == SettledMean::Unrest::unknown;
    late = late || found.unrest == SettledMean::Unrest::late;
    const std::string why = why_unsettled(quantities_[q], found);
    settled[quantities_[q].name] = why.empty() && found.unrest == SettledMean::Unrest::none;
    if (!why.empty()) report.warnings.push_back(why);
  }
  const double percent = 100.0 * static_cast<double>(left_out) /
                         static_cast<double>(std::max<std::int64_t>(series_.count(), 1));
  if (late) {
    report.warnings.insert(
        report.warnings.begin(),
        fmt::format("only the last {:.0f} % look like an equilibrium", 100.0 - percent));
  }

  std::string line = fmt::format("averages over {} rows of the table", rows);
  std::string reason;
  if (equilibration_) {
    line += fmt::format(" from step {} on (equilibration = {})", first_step, *equilibration_);
  } else if (left_out > 0) {
    reason = fmt::format("the first {:.0f} % were left out, where {} still drifted", percent,
                         part.latest);
    line += fmt::format(" from step {} on: {}", first_step, reason);
  }
  report.lines.push_back(line);
  for (std::size_t q = 0; q < quantities_.size(); ++q) {
    const Quantity& quantity = quantities_[q];
    const auto known = settled.find(quantity.as.empty() ? quantity.name : quantity.as);
    const bool is_told = known != settled.end() && !unknown;
    add_average(quantity, means[q], is_told ? std::optional(known->second) : std::nullopt, report);
  }
  if (unknown && report.warnings.empty()) {
    report.lines.push_back("  so few rows do not tell whether the run has settled");
  }
  report.rows = {{"rows", rows},
                 {"rows_left_out", left_out},
                 {"first_step", first_step},
                 {"last_step", series_.latest_step()}};
  if (!reason.empty()) report.rows["reason"] = reason;
  if (!settled.empty() && (!unknown || !report.warnings.empty())) {
    report.rows["settled"] = report.warnings.empty();
  }
  if (!report.warnings.empty()) report.rows["unsettled"] = report.warnings;
  return report;
}

}  // namespace sterna::md
