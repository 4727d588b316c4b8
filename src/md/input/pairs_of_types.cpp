#include "md/input/pairs_of_types.hpp"

#include <algorithm>

#include "md/forces/pair/pair_potential_table.hpp"
#include "md/input/many_body_input.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {
namespace {

std::size_t number_of(std::string_view name) {
  const auto names = pair_parameter_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

bool is_pair(const Input::Pair& pair, const std::string& a, const std::string& b) {
  return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
}

std::optional<double> pair_parameter(const Input::Pair& pair, std::string_view name) {
  return pair.parameters[number_of(name)];
}

void set_pair_parameter(Input::Pair& pair, std::string_view name, double value) {
  pair.parameters[number_of(name)] = value;
}

const Input::Pair* pair_of_types(const Input& input, std::size_t a, std::size_t b) {
  const auto found = std::ranges::find_if(input.pairs, [&](const Input::Pair& pair) {
    return !pair.adds && is_pair(pair, input.types[a].name, input.types[b].name);
  });
  return found == input.pairs.end() ? nullptr : &*found;
}

bool has_pair_potentials(const Input& input) {
  return std::ranges::any_of(input.pairs, [](const Input::Pair& pair) {
    return !pair.is_lennard_jones() || pair.has_own_end() || pair.adds;
  });
}

TypePair mixed_type_pair(const Input& input, std::size_t a, std::size_t b) {
  const auto& first = input.types[a];
  const auto& second = input.types[b];
  const Input::Pair* const pair = pair_of_types(input, a, b);
  const Mixing rule =
      pair == nullptr ? input.interaction.mixing : pair->mixing.value_or(input.interaction.mixing);
  const auto [epsilon, sigma] =
      mix(rule, {first.epsilon, first.sigma}, {second.epsilon, second.sigma});
  TypePair mixed{epsilon, sigma};
  if (have_many_body_potential(input, a, b)) mixed.epsilon = 0.0;
  if (pair == nullptr) return mixed;
  mixed.epsilon = pair_parameter(*pair, "epsilon").value_or(pair->xi.value_or(1.0) * mixed.epsilon);
  mixed.sigma = pair_parameter(*pair, "sigma").value_or(pair->eta.value_or(1.0) * mixed.sigma);
  return mixed;
}

}  // namespace sterna::md
