#include "md/input/type_pair_from_input.hpp"

#include "md/input/many_body_input.hpp"
#include "md/input/pair_potential_input.hpp"
#include "md/model/lennard_jones.hpp"

namespace sterna::md {

TypePair mixed_type_pair(const Input& input, std::size_t a, std::size_t b) {
  const auto& first = input.types[a];
  const auto& second = input.types[b];
  const auto [epsilon, sigma] =
      mix(input.interaction.mixing, {first.epsilon, first.sigma}, {second.epsilon, second.sigma});
  TypePair mixed{epsilon, sigma};
  if (have_many_body_potential(input, a, b)) mixed.epsilon = 0.0;
  if (const Input::Pair* pair = pair_of_types(input, a, b)) {
    mixed.epsilon = pair_parameter(*pair, "epsilon").value_or(mixed.epsilon);
    mixed.sigma = pair_parameter(*pair, "sigma").value_or(mixed.sigma);
  }
  return mixed;
}

TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b) {
  const Input::Pair* pair = pair_of_types(input, a, b);
  TypePair strongest;
  if (pair == nullptr || pair->is_lennard_jones()) {
    strongest = mixed_type_pair(input, a, b);
  } else {
    const PairScale scale = pair_function_from_input(input, a, b).scale();
    strongest = {scale.energy, scale.size};
  }
  for (const PairFunction& added : added_functions_from_input(input, a, b)) {
    const PairScale scale = added.scale();
    if (scale.energy > strongest.epsilon) strongest = {scale.energy, scale.size};
  }
  return strongest;
}

}  // namespace sterna::md
