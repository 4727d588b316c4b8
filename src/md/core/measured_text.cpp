#include "md/core/measured_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sterna::md {

std::string measured_text(double value, double error) {
  error = std::abs(error);
  if (!std::isfinite(value) || !std::isfinite(error) || error == 0.0) {
    return fmt::format("{:.6g}", value);
  }
  const auto exponent_of = [](double x) { return static_cast<int>(std::floor(std::log10(x))); };
  const int largest = exponent_of(std::max(std::abs(value), error));
  const int scale = largest < -4 || largest > 6 ? largest : 0;
  const double power = std::pow(10.0, scale);
  const double shown = value / power, shown_error = error / power;
  // The number of decimals that shows two digits of the error; rounding may make them three.
  int decimals = 1 - exponent_of(shown_error);
  const auto digits_with = [&](int d) { return std::round(shown_error * std::pow(10.0, d)); };
  if (digits_with(decimals) >= 100.0) --decimals;
  const double unit = std::pow(10.0, -decimals);
  const double rounded = decimals < 0 ? std::round(shown / unit) * unit : shown;
  const double digits = digits_with(decimals) * (decimals < 0 ? unit : 1.0);
  std::string text = fmt::format("{:.{}f}({:.0f})", rounded, std::max(decimals, 0), digits);
  if (scale != 0) text += fmt::format("e{:+03d}", scale);
  return text;
}

}  // namespace sterna::md
