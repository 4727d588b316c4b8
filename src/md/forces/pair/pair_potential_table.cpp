#include "md/forces/pair/pair_potential_table.hpp"

#include <algorithm>
#include <array>

#include "md/forces/pair/pair_potential_concept.hpp"
#include "md/forces/pair/potentials/list.hpp"

namespace sterna::md {
namespace {

template <PairPotential Potential>
constexpr PairPotentialRow pair_row_of() {
  PairPotentialRow row{};
  row.name = Potential::name;
  row.sentence = Potential::sentence;
  row.formula = Potential::formula;
  row.source = Potential::source;
  row.parameters = Potential::parameters;
  row.coefficient_count = Potential::coefficient_count;
  row.evaluate = [](const PairDistance<double>& pair, const double* c) {
    return Potential::evaluate(pair, c);
  };
  if constexpr (requires { &Potential::coefficients; }) {
    row.coefficients = &Potential::coefficients;
  }
  if constexpr (requires { Potential::finite_at_zero; }) {
    row.finite_at_zero = Potential::finite_at_zero;
  }
  if constexpr (requires { Potential::reads_table; }) row.reads_table = Potential::reads_table;
  if constexpr (requires { Potential::powers_12_and_6; }) {
    row.powers_12_and_6 = Potential::powers_12_and_6;
  }
  if constexpr (requires { &Potential::own_end; }) row.own_end = &Potential::own_end;
  if constexpr (requires { &Potential::scale; }) row.scale = &Potential::scale;
  if constexpr (requires { &Potential::contradiction; }) {
    row.contradiction = &Potential::contradiction;
  }
  if constexpr (MixesPairs<Potential>) {
    row.mixing = Potential::mixing;
    row.mix = &Potential::mix;
  }
  if constexpr (requires { &Potential::no_mixing; }) row.no_mixing = &Potential::no_mixing;
  return row;
}

/// If a potential lacks a member, this assertion gives a single error that names it.
template <class Potential>
constexpr PairPotentialRow checked_pair_row_of() {
  static_assert(PairPotential<Potential>,
                "a pair potential has all members that potentials/pair_potential.hpp asks for");
  if constexpr (NamesMixing<Potential>) {
    static_assert(MixesPairs<Potential>,
                  "a pair potential that mixes has \"mix\" and \"mixing\" as "
                  "potentials/pair_potential.hpp says");
  }
  if constexpr (PairPotential<Potential>) {
    return pair_row_of<Potential>();
  } else {
    return {};
  }
}

template <class... Potentials>
constexpr auto pair_rows_of(PotentialList<Potentials...>) {
  return std::array{checked_pair_row_of<Potentials>()...};
}

constexpr auto all_potentials = pair_rows_of(PairPotentials{});

constexpr std::size_t parameters_of_all_pairs() {
  std::size_t count = 0;
  for (const PairPotentialRow& row : all_potentials) count += row.parameters.size();
  return count;
}
static_assert(parameters_of_all_pairs() <= most_pair_parameters);

}  // namespace

const Registry<PairPotentialRow>& pair_potential_table() {
  static const Registry<PairPotentialRow> table("pair potential", std::span(all_potentials));
  return table;
}

const PairPotentialRow* find_pair_potential(std::string_view name) {
  return pair_potential_table().find(name);
}

std::span<const std::string_view> pair_parameter_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const PairPotentialRow& row : all_potentials) {
      for (const PairParameter& parameter : row.parameters) {
        if (std::ranges::find(all, parameter.name) == all.end()) all.push_back(parameter.name);
      }
    }
    return all;
  }();
  return names;
}

}  // namespace sterna::md
