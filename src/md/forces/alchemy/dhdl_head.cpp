#include "md/forces/alchemy/dhdl_head.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace sterna::md {

std::string DhdlHead::of_state(std::size_t state) const {
  // Readers compare the texts of the lambdas of several files.
  const bool is_short = std::ranges::all_of(lambdas, [](const std::vector<double>& of) {
    return std::ranges::all_of(
        of, [](double x) { return std::abs(1e4 * x - std::round(1e4 * x)) < 1e-9; });
  });
  const int digits = is_short ? 4 : 10;
  const auto text_of = [&](const std::vector<double>& of) {
    std::vector<std::string> numbers;
    for (const double lambda : of) numbers.push_back(fmt::format("{:.{}f}", lambda, digits));
    return of.size() == 1 ? numbers[0] : fmt::format("({})", fmt::join(numbers, ", "));
  };
  const std::string names =
      parts.size() == 1 ? parts[0] : fmt::format("({})", fmt::join(parts, ", "));
  std::string text = comment;
  if (thermal_energy > 0.0) text += fmt::format("# kT = {:.16g}\n", thermal_energy);
  text +=
      "@    title \"dH/d\\xl\\f{} and \\xD\\f{}H\"\n"
      "@    xaxis  label \"Time (ps)\"\n"
      "@    yaxis  label \"dH/d\\xl\\f{} and \\xD\\f{}H (kJ/mol [\\xl\\f{}]\\S-1\\N)\"\n"
      "@TYPE xy\n";
  text += fmt::format("@ subtitle \"T = {:.10g} (K) \\xl\\f{{}} state {}: {} = {}\"\n", temperature,
                      state, names, text_of(lambdas[state]));
  for (std::size_t part = 0; part < derivatives; ++part) {
    text += fmt::format("@ s{} legend \"dH/d\\xl\\f{{}} {} = {:.{}f}\"\n", part, parts[part],
                        lambdas[state][part], digits);
  }
  for (std::size_t other = 0; other < lambdas.size(); ++other) {
    text += fmt::format("@ s{} legend \"\\xD\\f{{}}H \\xl\\f{{}} to {}\"\n", derivatives + other,
                        text_of(lambdas[other]));
  }
  return text;
}

}  // namespace sterna::md
