#include "md/forces/pair/input/check_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "md/core/display_text.hpp"
#include "md/forces/pair/input/pair_functions_from_input.hpp"

namespace sterna::md {
namespace {

/// Whether a number that is not 0 is 0, infinite or short of digits in single precision.
bool is_lost(double number) {
  using Single = std::numeric_limits<float>;
  const double size = std::abs(number);
  return size > 0.0 && !(size >= Single::min() && size <= Single::max());
}

bool loses_lennard_jones(const TypePair& pair, double cutoff) {
  const double c6 = 4.0 * pair.epsilon * std::pow(pair.sigma, 6),
               c12 = c6 * std::pow(pair.sigma, 6);
  // An attraction that is nothing beside the repulsion even at the cutoff may go.
  const bool attracts = std::pow(cutoff / pair.sigma, 6) > std::numeric_limits<float>::epsilon();
  return is_lost(12.0 * c12) || (attracts && is_lost(6.0 * c6));
}

bool loses(const Input& input, std::size_t a, std::size_t b) {
  const Input::Pair* pair = pair_of_types(input, a, b);
  if (pair == nullptr || pair->is_lennard_jones()) {
    return loses_lennard_jones(mixed_type_pair(input, a, b), input.interaction.cutoff);
  }
  if (find_pair_potential(pair->potential)->reads_table) return false;
  return std::ranges::any_of(pair_function_from_input(input, a, b).coefficients(), is_lost);
}

}  // namespace

void check_precision(const Input& input, const Report& report) {
  if (input.run.precision != Precision::mixed) return;
  for (std::size_t a = 0; a < input.types.size(); ++a) {
    for (std::size_t b = a; b < input.types.size(); ++b) {
      if (!loses(input, a, b)) continue;
      report(Severity::error, "run.precision",
             fmt::format("the interaction of {} and {} has numbers that single precision has no "
                         "place for (below 1.2e-38 or above 3.4e+38), so that \"mixed\" would lose "
                         "a part of it; expected \"double\", or units in which lengths and "
                         "energies are nearer to 1",
                         quote(input.types[a].name), quote(input.types[b].name)));
      return;
    }
  }
}

}  // namespace sterna::md
