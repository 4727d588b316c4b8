#include "md/forces/pair/tabulated_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "md/core/display_text.hpp"

namespace sterna::md {
namespace {

constexpr std::size_t most_points = 1u << 20;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Returns the slopes of a cubic spline through the points with "not-a-knot" ends: its third
/// derivative is continuous at the second and at the last but one point.
std::vector<double> spline_slopes(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> lower(n), diagonal(n), upper(n), right(n);
  const auto width = [&](std::size_t k) { return x[k + 1] - x[k]; };
  const auto slope = [&](std::size_t k) { return (y[k + 1] - y[k]) / width(k); };
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double before = width(k - 1), after = width(k);
    lower[k] = after;
    diagonal[k] = 2.0 * (before + after);
    upper[k] = before;
    right[k] = 3.0 * (after * slope(k - 1) + before * slope(k));
  }
  const auto end = [](double near, double far, double slope_near, double slope_far) {
    return ((near + 2.0 * (near + far)) * far * slope_near + near * near * slope_far) /
           (near + far);
  };
  diagonal[0] = width(1);
  upper[0] = width(0) + width(1);
  right[0] = end(width(0), width(1), slope(0), slope(1));
  diagonal[n - 1] = width(n - 3);
  lower[n - 1] = width(n - 2) + width(n - 3);
  right[n - 1] = end(width(n - 2), width(n - 3), slope(n - 2), slope(n - 3));
  for (std::size_t k = 1; k < n; ++k) {
    const double factor = lower[k] / diagonal[k - 1];
    diagonal[k] -= factor * upper[k - 1];
    right[k] -= factor * right[k - 1];
  }
  std::vector<double> slopes(n);
  for (std::size_t k = n; k-- > 0;) {
    const double next = k + 1 < n ? upper[k] * slopes[k + 1] : 0.0;
    slopes[k] = (right[k] - next) / diagonal[k];
  }
  return slopes;
}

/// Returns value, slope and second derivative at a point.
struct Knot {
  double value, slope, bend;
};

/// The polynomial between two knots in t, which runs from 0 to 1.
std::array<double, 6> quintic(const Knot& a, const Knot& b, double width) {
  const double s0 = a.slope * width, s1 = b.slope * width;
  const double c0 = a.bend * width * width, c1 = b.bend * width * width;
  const double rise = b.value - a.value;
  return {a.value,
          s0,
          0.5 * c0,
          10.0 * rise - 6.0 * s0 - 4.0 * s1 - 1.5 * c0 + 0.5 * c1,
          -15.0 * rise + 8.0 * s0 + 7.0 * s1 + 1.5 * c0 - c1,
          6.0 * rise - 3.0 * (s0 + s1) - 0.5 * (c0 - c1)};
}

Knot knot_at(const std::array<double, 6>& c, double t, double width) {
  const double value = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
  const double slope =
      c[1] + t * (2.0 * c[2] + t * (3.0 * c[3] + t * (4.0 * c[4] + t * 5.0 * c[5])));
  const double bend = 2.0 * c[2] + t * (6.0 * c[3] + t * (12.0 * c[4] + t * 20.0 * c[5]));
  return {value, slope / width, bend / (width * width)};
}

/// Throws if the forces differ strongly from the slopes of the energies, because of a wrong sign or
/// unit.
void check_forces(const PairTable& table) {
  double difference = 0.0, change = 0.0;
  for (std::size_t k = 0; k + 1 < table.distance.size(); ++k) {
    const double rise = table.energy[k + 1] - table.energy[k];
    const double work =
        0.5 * (table.force[k] + table.force[k + 1]) * (table.distance[k + 1] - table.distance[k]);
    difference += std::abs(rise + work);
    change += std::abs(rise);
  }
  if (!(difference > 0.5 * change)) return;
  throw PairTableError(1, 1,
                       "the forces in the third column are not -du/dr of the energies in the "
                       "second; is the sign right, and the unit?");
}

/// The distance, the energy and the force of a line of a table.
struct PointOfTable {
  std::array<double, 3> numbers{};
  std::array<int, 3> columns{};  ///< where each of them begins, from 1
};

/// Reads a line without its comment; nothing: there is no word in it.
std::optional<PointOfTable> point_of_row(std::string_view row, int line) {
  PointOfTable point;
  std::size_t count = 0, at_byte = 0;
  while (true) {
    while (at_byte < row.size() && is_blank(row[at_byte])) ++at_byte;
    if (at_byte == row.size()) break;
    std::size_t stop = at_byte;
    while (stop < row.size() && !is_blank(row[stop])) ++stop;
    const std::string_view word = row.substr(at_byte, stop - at_byte);
    const int column = static_cast<int>(at_byte) + 1;
    if (count == 3) {
      throw PairTableError(line, column,
                           fmt::format("{} is too many: expected three numbers in a line: the "
                                       "distance, the energy and the force",
                                       quote(word)));
    }
    double& number = point.numbers[count];
    const auto [last, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc{} || last != word.data() + word.size() || !std::isfinite(number)) {
      constexpr std::array names{"distance", "energy", "force"};
      throw PairTableError(
          line, column, fmt::format("the {} is {}; expected a number", names[count], quote(word)));
    }
    point.columns[count++] = column;
    at_byte = stop;
  }
  if (count == 0) return std::nullopt;
  if (count < 3) {
    throw PairTableError(line, static_cast<int>(row.size()) + 1,
                         fmt::format("there {} {} number{}; expected three in a line: the "
                                     "distance, the energy and the force",
                                     count == 1 ? "is" : "are", count, count == 1 ? "" : "s"));
  }
  return point;
}

}  // namespace

PairTable read_pair_table(std::string_view text, double length, double energy) {
  PairTable table;
  int line = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    const auto point = point_of_row(whole.substr(0, whole.find('#')), line);
    if (!point) continue;
    const auto& [numbers, columns] = *point;
    if (!(numbers[0] > 0.0)) {
      throw PairTableError(line, columns[0], "a distance must be greater than 0");
    }
    if (!table.distance.empty() && !(length * numbers[0] > table.distance.back())) {
      throw PairTableError(line, columns[0],
                           "distances must ascend: this one is not greater than that before it");
    }
    if (table.distance.size() == most_points) {
      throw PairTableError(line, 1, fmt::format("there are more than {} points", most_points));
    }
    table.distance.push_back(length * numbers[0]);
    table.energy.push_back(energy * numbers[1]);
    table.force.push_back(energy / length * numbers[2]);
  }
  if (table.distance.size() < 4) {
    throw PairTableError(std::max(line, 1), 1,
                         fmt::format("there {} {} point{}; expected at least four lines of "
                                     "distance, energy and force",
                                     table.distance.size() == 1 ? "is" : "are",
                                     table.distance.size(), table.distance.size() == 1 ? "" : "s"));
  }
  check_forces(table);
  return table;
}

TabulatedCurve::TabulatedCurve(const PairTable& table)
    : first_(table.distance.front()), last_(table.distance.back()) {
  const std::vector<double> bend_of_force = spline_slopes(table.distance, table.force);
  const std::size_t points = table.distance.size();
  const auto knot = [&](std::size_t k) {
    return Knot{table.energy[k], -table.force[k], -bend_of_force[k]};
  };
  const auto add = [&](const std::array<double, 6>& polynomial) {
    polynomials_.insert(polynomials_.end(), polynomial.begin(), polynomial.end());
  };
  const double mean = (last_ - first_) / static_cast<double>(points - 1);
  double smallest = mean, unevenness = 0.0;
  for (std::size_t k = 0; k + 1 < points; ++k) {
    smallest = std::min(smallest, table.distance[k + 1] - table.distance[k]);
    unevenness =
        std::max(unevenness, std::abs(table.distance[k] - first_ - static_cast<double>(k) * mean));
  }
  // Distances in files have only a few digits, so small differences of spacing are due to rounding.
  if (unevenness < 1e-4 * mean) {
    intervals_per_length_ = 1.0 / mean;
    for (std::size_t k = 0; k + 1 < points; ++k) add(quintic(knot(k), knot(k + 1), mean));
    return;
  }
  const double wanted = std::ceil(2.0 * (last_ - first_) / smallest);
  const auto count = static_cast<std::size_t>(std::min(wanted, static_cast<double>(most_points)));
  const double width = (last_ - first_) / static_cast<double>(count);
  intervals_per_length_ = 1.0 / width;
  std::size_t k = 0;
  const auto look = [&](double r) {
    while (k + 2 < points && r >= table.distance[k + 1]) ++k;
    const double spacing = table.distance[k + 1] - table.distance[k];
    return knot_at(quintic(knot(k), knot(k + 1), spacing), (r - table.distance[k]) / spacing,
                   spacing);
  };
  Knot before = look(first_);
  for (std::size_t i = 1; i <= count; ++i) {
    const Knot after = look(first_ + static_cast<double>(i) * width);
    add(quintic(before, after, width));
    before = after;
  }
}

}  // namespace sterna::md
