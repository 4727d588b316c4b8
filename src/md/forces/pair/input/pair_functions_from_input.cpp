#include "md/forces/pair/input/pair_functions_from_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "md/core/display_text.hpp"
#include "sterna/comm/regular_file.hpp"

namespace sterna::md {

PairFunction::Ending ending_from_input(const Input& input) {
  return {input.interaction.cutoff, input.interaction.truncation, input.interaction.switch_start};
}

PairFunction::Ending ending_of_pair(const Input& input, const Input::Pair& pair) {
  PairFunction::Ending ending = ending_from_input(input);
  if (pair.truncation) ending.truncation = *pair.truncation;
  if (pair.switch_start > 0.0) {
    if (pair.cutoff > 0.0) ending.cutoff = pair.cutoff;
    ending.switch_start = pair.switch_start;
  }
  return ending;
}

PairFunction function_of_pair(const Input& input, const Input::Pair& pair) {
  const PairPotentialRow& potential = *find_pair_potential(pair.potential);
  std::vector<double> parameters;
  for (const PairParameter& parameter : potential.parameters) {
    parameters.push_back(pair_parameter(pair, parameter.name).value_or(parameter.preset));
  }
  if (potential.reads_table && !pair.points) {
    throw std::logic_error("the table of a pair was not read");
  }
  return PairFunction(potential, parameters, pair.cutoff, ending_of_pair(input, pair),
                      pair.points ? &*pair.points : nullptr);
}

PairFunction pair_function_from_input(const Input& input, std::size_t a, std::size_t b) {
  const Input::Pair* pair = pair_of_types(input, a, b);
  const PairFunction::Ending ending =
      pair == nullptr ? ending_from_input(input) : ending_of_pair(input, *pair);
  if (pair == nullptr || pair->is_lennard_jones()) {
    const TypePair mixed = mixed_type_pair(input, a, b);
    const double parameters[] = {mixed.epsilon, mixed.sigma};
    const double cutoff = pair == nullptr ? 0.0 : pair->cutoff;
    return PairFunction(*find_pair_potential("lennard_jones"), parameters, cutoff, ending);
  }
  return function_of_pair(input, *pair);
}

std::vector<PairFunction> added_functions_from_input(const Input& input, std::size_t a,
                                                     std::size_t b) {
  std::vector<PairFunction> added;
  for (const Input::Pair& pair : input.pairs) {
    if (!pair.adds || !is_pair(pair, input.types[a].name, input.types[b].name)) continue;
    added.push_back(function_of_pair(input, pair));
  }
  return added;
}

std::vector<std::vector<PairFunction>> added_layers_from_input(const Input& input) {
  const std::size_t count = input.types.size();
  constexpr double no_parameters[] = {0.0, 1.0};
  const PairFunction nothing(*find_pair_potential("lennard_jones"), no_parameters, 0.0,
                             ending_from_input(input));
  std::vector<std::vector<PairFunction>> layers;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      const std::vector<PairFunction> added = added_functions_from_input(input, a, b);
      if (added.size() > layers.size()) {
        layers.resize(added.size(), std::vector<PairFunction>(count * count, nothing));
      }
      for (std::size_t k = 0; k < added.size(); ++k) {
        layers[k][a * count + b] = layers[k][b * count + a] = added[k];
      }
    }
  }
  return layers;
}

std::vector<PairFunction> pair_functions_from_input(const Input& input) {
  const std::size_t count = input.types.size();
  std::vector<PairFunction> functions;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      // The functions are symmetric in the types, so (b, a) is a copy of (a, b) and shares its
      // curve.
      functions.push_back(b < a ? functions[b * count + a] : pair_function_from_input(input, a, b));
    }
  }
  return functions;
}

std::string pair_table_text(const Input& input, const Input::Pair& pair) {
  constexpr std::size_t largest_file = 64u << 20;  // bytes; a point takes about sixty
  const std::filesystem::path path = std::filesystem::path(input.path).parent_path() / pair.table;
  try {
    return comm::read_regular_file(path.string(), largest_file);
  } catch (const comm::UnreadableFile& error) {
    throw std::runtime_error(fmt::format("the table {} {}", quote_path(pair.table), error.what()));
  }
}

void take_pair_table(const Input& input, Input::Pair& pair, std::string_view text) {
  pair.points = read_pair_table(text, input.units.to_internal(1.0, Dimension::length),
                                input.units.to_internal(1.0, Dimension::energy));
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
