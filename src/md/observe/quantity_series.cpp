#include "md/observe/quantity_series.hpp"

#include <fmt/format.h>

#include <utility>

namespace sterna::md {

void QuantitySeries::add(std::int64_t step, double time, std::span<const double> values) {
  std::vector<double> all{time};
  all.insert(all.end(), values.begin(), values.end());
  means_.add(step, all);
}

std::string QuantitySeries::text(const UnitSystem& units, Dimension dimension) const {
  const auto unit = [&](Dimension of) {
    const std::string label(units.label(of));
    return label.empty() ? "" : "/" + label;
  };
  std::string text = fmt::format("# time{}", unit(Dimension::time));
  for (const std::string& name : names_) text += fmt::format(" {}{}", name, unit(dimension));
  text += "\n";
  std::vector<std::vector<double>> columns;
  for (std::size_t q = 0; q <= names_.size(); ++q) columns.push_back(means_.means(q));
  for (std::size_t row = 0; row < means_.batch_count(); ++row) {
    text += fmt::format("{:.8g}", units.from_internal(columns[0][row], Dimension::time));
    for (std::size_t q = 1; q <= names_.size(); ++q) {
      text += fmt::format(" {:.8g}", units.from_internal(columns[q][row], dimension));
    }
    text += "\n";
  }
  return text;
}

}  // namespace sterna::md
