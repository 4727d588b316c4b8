#include "md/forces/bonded/bonded_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "md/forces/bonded/bonded_term_concept.hpp"
#include "md/forces/bonded/terms/list.hpp"

namespace sterna::md {
namespace {

template <class Term>
constexpr BondedRow bonded_row_of() {
  BondedRow row{};
  row.section = Term::section;
  row.name = Term::name;
  row.energy_name = Term::energy_name;
  row.sentence = Term::sentence;
  row.formula = Term::formula;
  row.source = Term::source;
  row.parameters = Term::parameters;
  row.atoms = row.listed_atoms = Term::atoms;
  if constexpr (requires { Term::chosen; }) {
    row.listed_atoms = Term::listed_atoms;
    row.chosen = Term::chosen;
  }
  if constexpr (requires { Term::adds_up; }) row.adds_up = Term::adds_up;
  if constexpr (requires { Term::is_directed; }) row.is_directed = Term::is_directed;
  if constexpr (requires { Term::may_repeat; }) row.may_repeat = Term::may_repeat;
  if constexpr (requires { &Term::table; }) {
    row.table = &Term::table;
  } else {
    row.coefficient_count = Term::coefficient_count;
    row.coefficients = &Term::coefficients;
  }
  if constexpr (requires { &Term::contradiction; }) row.contradiction = &Term::contradiction;
  return row;
}

/// If a term lacks a member, this assertion gives a single error that names it.
template <class Term>
constexpr BondedRow checked_bonded_row_of() {
  if constexpr (requires { &Term::table; }) {
    static_assert(TabulatedBondedTerm<Term>,
                  "a bonded term has all members that bonded_term.hpp asks for");
  } else {
    static_assert(BondedTerm<Term>, "a bonded term has all members that bonded_term.hpp asks for");
  }
  if constexpr (TabulatedBondedTerm<Term> || BondedTerm<Term>) {
    return bonded_row_of<Term>();
  } else {
    return {};
  }
}

template <class... Terms>
constexpr auto bonded_rows_of(TermList<Terms...>) {
  return std::array{checked_bonded_row_of<Terms>()...};
}

constexpr auto bonded_rows = bonded_rows_of(BondedTerms{});

/// The number of different names of parameters.
constexpr std::size_t names_of_all() {
  std::array<std::string_view, most_bonded_parameters + 1> names{};
  std::size_t count = 0;
  for (const BondedRow& row : bonded_rows) {
    for (const BondedParameter& parameter : row.parameters) {
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

const Registry<BondedRow>& bonded_table() {
  static const Registry<BondedRow> table("bonded term", std::span(bonded_rows));
  return table;
}

std::optional<std::uint32_t> find_bonded(std::string_view section, std::string_view name) {
  const BondedRow* const row = bonded_table().find(section, name);
  if (row == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(bonded_table().number_of(*row));
}

std::span<const std::string_view> bonded_parameter_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const BondedRow& row : bonded_rows) {
      for (const BondedParameter& parameter : row.parameters) {
        if (std::ranges::find(all, parameter.name) == all.end()) all.push_back(parameter.name);
      }
    }
    return all;
  }();
  return names;
}

}  // namespace sterna::md
