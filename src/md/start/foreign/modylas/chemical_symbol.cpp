#include "md/start/foreign/modylas/chemical_symbol.hpp"

#include <cmath>
#include <utility>

namespace sterna::md::modylas {

std::string_view symbol_of(double mass) {
  constexpr std::pair<std::string_view, double> elements[] = {
      {"H", 1.008},   {"He", 4.003},  {"Li", 6.94},    {"Be", 9.012},  {"B", 10.81},
      {"C", 12.011},  {"N", 14.007},  {"O", 15.999},   {"F", 18.998},  {"Ne", 20.180},
      {"Na", 22.990}, {"Mg", 24.305}, {"Al", 26.982},  {"Si", 28.085}, {"P", 30.974},
      {"S", 32.06},   {"Cl", 35.45},  {"K", 39.098},   {"Ar", 39.95},  {"Ca", 40.078},
      {"Fe", 55.845}, {"Cu", 63.546}, {"Zn", 65.38},   {"Br", 79.904}, {"Kr", 83.798},
      {"Rb", 85.468}, {"I", 126.904}, {"Xe", 131.293}, {"Cs", 132.905}};
  constexpr double near = 0.05;
  for (const auto& [symbol, standard] : elements) {
    if (std::abs(mass - standard) < near) return symbol;
  }
  return "X";
}

}  // namespace sterna::md::modylas
