#include "md/forces/bonded/bonded_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "md/forces/bonded/terms/list.hpp"

namespace sterna::md {
namespace {

template <class Term>
constexpr BondedEntry entry_of() {
  BondedEntry entry{};
  entry.section = Term::section;
  entry.name = Term::name;
  entry.energy_name = Term::energy_name;
  entry.sentence = Term::sentence;
  entry.formula = Term::formula;
  entry.source = Term::source;
  entry.parameters = Term::parameters;
  entry.atoms = entry.listed_atoms = Term::atoms;
  if constexpr (requires { Term::chosen; }) {
    entry.listed_atoms = Term::listed_atoms;
    entry.chosen = Term::chosen;
  }
  if constexpr (requires { Term::adds_up; }) entry.adds_up = Term::adds_up;
  if constexpr (requires { Term::is_directed; }) entry.is_directed = Term::is_directed;
  if constexpr (requires { Term::may_repeat; }) entry.may_repeat = Term::may_repeat;
  if constexpr (requires { &Term::table; }) {
    entry.table = &Term::table;
  } else {
    entry.coefficient_count = Term::coefficient_count;
    entry.coefficients = &Term::coefficients;
  }
  if constexpr (requires { &Term::contradiction; }) entry.contradiction = &Term::contradiction;
  return entry;
}

template <class... Terms>
constexpr auto entries_of(TermList<Terms...>) {
  return std::array{entry_of<Terms>()...};
}

constexpr auto bonded_rows = entries_of(BondedTerms{});

/// The number of different names of parameters.
constexpr std::size_t names_of_all() {
  std::array<std::string_view, most_bonded_parameters + 1> names{};
  std::size_t count = 0;
  for (const BondedEntry& entry : bonded_rows) {
    for (const BondedParameter& parameter : entry.parameters) {
      const auto end = names.begin() + count;
      if (count < names.size() && std::find(names.begin(), end, parameter.name) == end) {
        names[count++] = parameter.name;
      }
    }
  }
  return count;
}
static_assert(names_of_all() <= most_bonded_parameters);

}  // namespace

std::span<const BondedEntry> bonded_table() {
  return bonded_rows;
}

std::optional<std::uint32_t> find_bonded(std::string_view section, std::string_view name) {
  for (std::uint32_t kind = 0; kind < bonded_rows.size(); ++kind) {
    if (bonded_rows[kind].section == section && bonded_rows[kind].name == name) return kind;
  }
  return std::nullopt;
}

std::span<const std::string_view> bonded_parameter_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const BondedEntry& entry : bonded_rows) {
      for (const BondedParameter& parameter : entry.parameters) {
        if (std::ranges::find(all, parameter.name) == all.end()) all.push_back(parameter.name);
      }
    }
    return all;
  }();
  return names;
}

}  // namespace sterna::md
