#include "md/observe/quantity_series.hpp"

#include <fmt/format.h>

#include <utility>

namespace sterna::md {

void QuantitySeries::add(std::int64_t step, double time, std::span<const double> values) {
  std::vector<double> all{time};
  all.insert(all.end(), values.begin(), values.end());
  means_.add(step, all);
  for (std::size_t q = 0; q < averages_.size(); ++q) averages_[q].add(values[q]);
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

std::vector<double> QuantitySeries::state() const {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& part) {
    all.push_back(static_cast<double>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  };
  add(means_.state());
  for (const BlockAverage& average : averages_) add(average.state());
  return all;
}

void QuantitySeries::set_state(std::span<const double> state) {
  std::vector<std::vector<double>> parts;
  for (std::size_t begin = 0; begin < state.size();) {
    const auto size = static_cast<std::size_t>(state[begin++]);
    if (size > state.size() - begin) return;
    const auto part = state.subspan(begin, size);
    parts.emplace_back(part.begin(), part.end());
    begin += size;
  }
  if (parts.size() != averages_.size() + 1) return;
  means_.set_state(parts[0]);
  for (std::size_t q = 0; q < averages_.size(); ++q) averages_[q].set_state(parts[q + 1]);
}

}  // namespace sterna::md
