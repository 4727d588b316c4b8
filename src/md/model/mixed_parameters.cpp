#include "md/model/mixed_parameters.hpp"

#include "md/model/lennard_jones.hpp"

namespace sterna::md {

double mixed_length(Mixing rule, double a, double b) {
  if (a == b) return a;
  if (rule == Mixing::geometric) return std::sqrt(a * b);
  if (rule == Mixing::waldman_hagler) {
    return std::pow(0.5 * (std::pow(a, 6) + std::pow(b, 6)), 1.0 / 6.0);
  }
  return 0.5 * (a + b);
}

LennardJones::PairParameters mix(Mixing rule, LennardJones::PairParameters a,
                                 LennardJones::PairParameters b) {
  // Like types are not mixed, so that the table holds exactly the numbers of the input.
  if (a.epsilon == b.epsilon && a.sigma == b.sigma) return a;
  const double sigma = mixed_length(rule, a.sigma, b.sigma);
  // No rule lets a particle interact that has no depth.
  if (a.epsilon == 0.0 || b.epsilon == 0.0) return {0.0, sigma};
  const double epsilon = mixed_energy(a.epsilon, b.epsilon);
  const double a6 = std::pow(a.sigma, 6), b6 = std::pow(b.sigma, 6);
  switch (rule) {
    case Mixing::lorentz_berthelot:
    case Mixing::geometric:
      break;
    case Mixing::waldman_hagler:
      return {epsilon * 2.0 * std::sqrt(a6 * b6) / (a6 + b6), sigma};
    case Mixing::kong: {
      const double c6 = epsilon * std::sqrt(a6 * b6);
      const double c12 = std::pow(0.5 * (std::pow(a.epsilon * a6 * a6, 1.0 / 13.0) +
                                         std::pow(b.epsilon * b6 * b6, 1.0 / 13.0)),
                                  13);
      return {c6 * c6 / c12, std::pow(c12 / c6, 1.0 / 6.0)};
    }
    case Mixing::fender_halsey:
      return {2.0 * a.epsilon * b.epsilon / (a.epsilon + b.epsilon), sigma};
  }
  return {epsilon, sigma};
}

void mix_wells(Mixing rule, std::span<const double> a, std::span<const double> b,
               std::span<double> unlike) {
  const auto [epsilon, sigma] = mix(rule, {a[0], a[1]}, {b[0], b[1]});
  unlike[0] = epsilon;
  unlike[1] = sigma;
}

}  // namespace sterna::md
