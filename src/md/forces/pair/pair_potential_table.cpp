#include "md/forces/pair/pair_potential_table.hpp"

#include <algorithm>
#include <array>

#include "md/forces/pair/potentials/list.hpp"

namespace sterna::md {
namespace {

template <class Potential>
constexpr PairPotentialEntry pair_entry_of() {
  PairPotentialEntry entry{};
  entry.name = Potential::name;
  entry.sentence = Potential::sentence;
  entry.formula = Potential::formula;
  entry.source = Potential::source;
  entry.parameters = Potential::parameters;
  entry.coefficient_count = Potential::coefficient_count;
  entry.evaluate = [](const PairDistance<double>& pair, const double* c) {
    return Potential::evaluate(pair, c);
  };
  if constexpr (requires { &Potential::coefficients; }) {
    entry.coefficients = &Potential::coefficients;
  }
  if constexpr (requires { Potential::finite_at_zero; }) {
    entry.finite_at_zero = Potential::finite_at_zero;
  }
  if constexpr (requires { Potential::reads_table; }) entry.reads_table = Potential::reads_table;
  if constexpr (requires { Potential::powers_12_and_6; }) {
    entry.powers_12_and_6 = Potential::powers_12_and_6;
  }
  if constexpr (requires { &Potential::own_end; }) entry.own_end = &Potential::own_end;
  if constexpr (requires { &Potential::scale; }) entry.scale = &Potential::scale;
  if constexpr (requires { &Potential::contradiction; }) {
    entry.contradiction = &Potential::contradiction;
  }
  return entry;
}

template <class... Potentials>
constexpr auto pair_entries_of(PotentialList<Potentials...>) {
  return std::array{pair_entry_of<Potentials>()...};
}

constexpr auto all_potentials = pair_entries_of(PairPotentials{});

constexpr std::size_t parameters_of_all_pairs() {
  std::size_t count = 0;
  for (const PairPotentialEntry& entry : all_potentials) count += entry.parameters.size();
  return count;
}
static_assert(parameters_of_all_pairs() <= most_pair_parameters);

}  // namespace

std::span<const PairPotentialEntry> pair_potential_table() {
  return all_potentials;
}

const PairPotentialEntry* find_pair_potential(std::string_view name) {
  const auto found = std::ranges::find(all_potentials, name, &PairPotentialEntry::name);
  return found == all_potentials.end() ? nullptr : &*found;
}

std::span<const std::string_view> pair_parameter_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const PairPotentialEntry& entry : all_potentials) {
      for (const PairParameter& parameter : entry.parameters) {
        if (std::ranges::find(all, parameter.name) == all.end()) all.push_back(parameter.name);
      }
    }
    return all;
  }();
  return names;
}

}  // namespace sterna::md
