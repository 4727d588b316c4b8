#include "md/io/type_pair_from_input.hpp"

#include <cmath>

namespace sterna::md {

TypePair type_pair_from_input(const Input& input, std::size_t a, std::size_t b) {
  const auto& first = input.types[a];
  const auto& second = input.types[b];
  TypePair mixed{std::sqrt(first.epsilon * second.epsilon),
                 input.interaction.mixing == "geometric" ? std::sqrt(first.sigma * second.sigma)
                                                         : 0.5 * (first.sigma + second.sigma)};
  for (const auto& pair : input.pairs) {
    if (!((pair.first == first.name && pair.second == second.name) ||
          (pair.first == second.name && pair.second == first.name))) {
      continue;
    }
    mixed.epsilon = pair.epsilon.value_or(mixed.epsilon);
    mixed.sigma = pair.sigma.value_or(mixed.sigma);
  }
  return mixed;
}

}  // namespace sterna::md
