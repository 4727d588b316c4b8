#include "md/forces/pair/input/mixed_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/forces/pair/pair_potential_table.hpp"
#include "md/input/many_body_input.hpp"
#include "md/input/pairs_of_types.hpp"

namespace sterna::md {
namespace {

/// The [[pair]] of a type with itself, if it has another potential than the Lennard-Jones one.
const Input::Pair* own_potential(const Input& input, std::size_t type) {
  const Input::Pair* pair = pair_of_types(input, type, type);
  return pair == nullptr || pair->is_lennard_jones() ? nullptr : pair;
}

/// Whether there is a type or a component of this name.
bool is_known(const Input& input, const std::string& name) {
  return std::ranges::find(input.types, name, &Input::Type::name) != input.types.end() ||
         std::ranges::find(input.components, name, &Input::Component::name) !=
             input.components.end();
}

bool gives_lennard_jones(const Input& input, std::size_t type) {
  return input.places.contains(fmt::format("type[{}].epsilon", type)) ||
         input.places.contains(fmt::format("type[{}].sigma", type));
}

/// Whether two unlike types without a [[pair]] are no Lennard-Jones pair.
bool leave_lennard_jones(const Input& input, std::size_t a, std::size_t b) {
  return own_potential(input, a) != nullptr && own_potential(input, b) != nullptr &&
         !(gives_lennard_jones(input, a) && gives_lennard_jones(input, b));
}

std::vector<double> parameters_of(const Input::Pair& pair, const PairPotentialRow& potential) {
  std::vector<double> values;
  for (const PairParameter& parameter : potential.parameters) {
    values.push_back(pair_parameter(pair, parameter.name).value_or(parameter.preset));
  }
  return values;
}

/// Why no rule gives the pair of two unlike types; empty if one does.
std::string reason_to_be_missing(Mixing rule, const Input::Pair& first, const Input::Pair& second) {
  if (first.potential != second.potential) {
    return fmt::format("they have the potentials {} and {} with themselves", quote(first.potential),
                       quote(second.potential));
  }
  const PairPotentialRow& potential = *find_pair_potential(first.potential);
  if (potential.mix == nullptr) {
    return fmt::format("the potential {}, which both have with themselves, has no rule of mixing",
                       quote(first.potential));
  }
  if (potential.no_mixing != nullptr) {
    const std::string_view why = potential.no_mixing(rule, parameters_of(first, potential),
                                                     parameters_of(second, potential));
    if (!why.empty()) {
      return fmt::format("mixing = {} gives none for their potential {}: {}",
                         quote(choice_name(rule)), quote(first.potential), why);
    }
  }
  if (first.cutoff != second.cutoff || first.truncation != second.truncation ||
      first.switch_start != second.switch_start) {
    return "their [[pair]]s with themselves end in different ways";
  }
  return {};
}

Input::Pair mixed_pair(const Input& input, const Input::Pair& first, const Input::Pair& second) {
  const PairPotentialRow& potential = *find_pair_potential(first.potential);
  std::vector<double> unlike(potential.parameters.size());
  potential.mix(input.interaction.mixing, parameters_of(first, potential),
                parameters_of(second, potential), unlike);
  Input::Pair pair = first;
  pair.second = second.first;
  for (std::size_t n = 0; n < unlike.size(); ++n) {
    set_pair_parameter(pair, potential.parameters[n].name, unlike[n]);
  }
  return pair;
}

}  // namespace

bool type_is_mixed(const Input& input, std::size_t type) {
  if (!input.components.empty()) return true;
  for (std::size_t other = 0; other < input.types.size(); ++other) {
    if (have_many_body_potential(input, type, other)) continue;
    const Input::Pair* pair = pair_of_types(input, type, other);
    if (pair == nullptr) {
      if (leave_lennard_jones(input, type, other)) continue;
      return true;
    }
    if (pair->is_lennard_jones() &&
        !(pair_parameter(*pair, "epsilon") && pair_parameter(*pair, "sigma"))) {
      return true;
    }
  }
  return false;
}

void add_mixed_pairs(Input& input, const IsGood& is_good, const Report& report) {
  if (!has_value(input, is_good, "interaction.mixing")) return;
  std::set<std::pair<std::string, std::string>> given;
  for (const Input::Pair& pair : input.pairs) {
    if (!is_known(input, pair.first) || !is_known(input, pair.second)) return;
    if (pair.adds) continue;
    given.emplace(pair.first, pair.second);
    given.emplace(pair.second, pair.first);
  }
  std::vector<Input::Pair> added;
  for (std::size_t b = 0; b < input.types.size(); ++b) {
    const Input::Pair* const second = own_potential(input, b);
    if (second == nullptr) continue;
    for (std::size_t a = 0; a < b; ++a) {
      if (given.contains({input.types[a].name, input.types[b].name})) continue;
      const Input::Pair* const first = own_potential(input, a);
      if (first == nullptr || have_many_body_potential(input, a, b)) continue;
      const std::string place = fmt::format("pair[{}]", second - input.pairs.data());
      const std::string reason = reason_to_be_missing(input.interaction.mixing, *first, *second);
      if (!leave_lennard_jones(input, a, b)) {
        if (reason.empty()) {
          report(Severity::advice, place,
                 fmt::format("{} and {} are a Lennard-Jones pair, as both have \"epsilon\" or "
                             "\"sigma\" in [[type]]; without these they mix by the potential {}",
                             quote(input.types[a].name), quote(input.types[b].name),
                             quote(second->potential)));
        }
        continue;
      }
      if (!reason.empty()) {
        report(Severity::error, place,
               fmt::format("there is no [[pair]] of {0} and {1}, and {2}; expected one with first "
                           "= {0} and second = {1}",
                           quote(input.types[a].name), quote(input.types[b].name), reason));
        continue;
      }
      added.push_back(mixed_pair(input, *first, *second));
    }
  }
  input.pairs.insert(input.pairs.end(), added.begin(), added.end());
}

}  // namespace sterna::md
