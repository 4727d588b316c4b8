#include "md/model/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace sterna::md {
namespace {

struct KnownElement {
  std::string_view symbol;
  double weight;
};

/// Standard atomic weights (IUPAC 2021, u, rounded).
constexpr KnownElement known_elements[] = {
    {"H", 1.008},   {"He", 4.0026}, {"Li", 6.94},   {"Be", 9.0122}, {"B", 10.81},   {"C", 12.011},
    {"N", 14.007},  {"O", 15.999},  {"F", 18.998},  {"Ne", 20.18},  {"Na", 22.99},  {"Mg", 24.305},
    {"Al", 26.982}, {"Si", 28.085}, {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},  {"Ar", 39.95},
    {"K", 39.098},  {"Ca", 40.078}, {"Ti", 47.867}, {"Cr", 51.996}, {"Mn", 54.938}, {"Fe", 55.845},
    {"Co", 58.933}, {"Ni", 58.693}, {"Cu", 63.546}, {"Zn", 65.38},  {"Ga", 69.723}, {"Ge", 72.63},
    {"As", 74.922}, {"Se", 78.971}, {"Br", 79.904}, {"Kr", 83.798}, {"Rb", 85.468}, {"Sr", 87.62},
    {"Mo", 95.95},  {"Pd", 106.42}, {"Ag", 107.87}, {"Cd", 112.41}, {"In", 114.82}, {"Sn", 118.71},
    {"I", 126.9},   {"Xe", 131.29}, {"Cs", 132.91}, {"Ba", 137.33}, {"W", 183.84},  {"Pt", 195.08},
    {"Au", 196.97}, {"Hg", 200.59}, {"Pb", 207.2}};

constexpr double united_atoms[] = {13.019, 14.027, 15.035, 16.043};  // CH to CH4, u
constexpr double same_weight = 0.006;        // u: differences between tables of different years
constexpr double same_weight_by_name = 0.3;  // u: if the name tells the element, too
constexpr double heaviest_hydrogen = 4.5;    // u
/// Elements from which mass is moved to hydrogen atoms, to allow a longer time step.
constexpr std::string_view givers = "CNOPS";

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

const KnownElement* by_symbol(std::string_view symbol) {
  const auto* found = std::ranges::find(known_elements, symbol, &KnownElement::symbol);
  return found == std::end(known_elements) ? nullptr : found;
}

}  // namespace

std::string_view element_of(std::string_view name, std::optional<double> mass) {
  const std::string_view letters(name.begin(), std::ranges::find_if_not(name, is_letter));
  const KnownElement* by_name = by_symbol(letters);
  const std::string_view named = by_name == nullptr ? "" : by_name->symbol;
  if (!mass) return named.size() == 2 ? named : "";
  const char first = letters.empty() ? ' ' : upper(letters.front());
  for (const std::size_t length : {std::size_t{2}, std::size_t{1}}) {
    std::string symbol(letters.substr(0, length));
    std::ranges::transform(symbol, symbol.begin(), lower);
    if (!symbol.empty()) symbol.front() = first;
    const KnownElement* element = by_symbol(symbol);
    if (element != nullptr && std::abs(element->weight - *mass) < same_weight_by_name) {
      return element->symbol;
    }
  }
  const auto is_near = [&](double weight) { return std::abs(weight - *mass) < same_weight; };
  if (std::ranges::any_of(united_atoms, is_near)) return "C";
  if (const auto* found = std::ranges::find_if(known_elements, is_near, &KnownElement::weight);
      found != std::end(known_elements)) {
    return found->symbol;
  }
  // Repartitioning moves mass to a hydrogen atom, up to 4 u, and takes it from its neighbor.
  if (first == 'H' && *mass > 0.0 && *mass < heaviest_hydrogen) return "H";
  if (const std::size_t at = givers.find(first); at != std::string_view::npos) {
    const KnownElement* giver = by_symbol(givers.substr(at, 1));
    if (*mass > heaviest_hydrogen && *mass < giver->weight) return giver->symbol;
  }
  return *mass > 0.0 ? named : "";
}

}  // namespace sterna::md
