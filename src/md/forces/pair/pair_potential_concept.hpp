#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "md/forces/pair/potentials/pair_potential.hpp"

namespace sterna::md {

template <class P>
concept HasPairTexts = requires {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::sentence } -> std::convertible_to<std::string_view>;
  { P::formula } -> std::convertible_to<std::string_view>;
  { P::source } -> std::convertible_to<std::string_view>;
};

template <class P>
concept HasPairParameters = requires {
  { P::parameters } -> std::convertible_to<std::span<const PairParameter>>;
};

/// A potential that reads a table gets its coefficients from a file.
template <class P>
concept HasPairCoefficients = requires {
  { P::coefficient_count } -> std::convertible_to<int>;
}
&&(
    requires { P::reads_table; } ||
    requires(std::span<const double> parameters, double cutoff, std::span<double> coefficients) {
      P::coefficients(parameters, cutoff, coefficients);
    });

template <class P>
concept EvaluatesPairs = requires(const PairDistance<double>& pair, const double* coefficients) {
  { P::evaluate(pair, coefficients) } -> std::same_as<PairValue<double>>;
};

/// Whether a potential names a rule of mixing at all.
template <class P>
concept NamesMixing = requires {
  &P::mix;
}
|| requires {
  P::mixing;
};

/// What a rule of mixing must have: its sentence, and a function of the run's rule and of the
/// parameters of two types, which gives those of the unlike pair in the same order.
template <class P>
concept MixesPairs = requires(Mixing rule, std::span<const double> like, std::span<double> unlike) {
  { P::mixing } -> std::convertible_to<std::string_view>;
  { P::mix(rule, like, like, unlike) } -> std::same_as<void>;
};

/// The members that a struct of `potentials/` must have. Its optional members are listed in
/// `potentials/pair_potential.hpp`.
template <class P>
concept PairPotential =
    HasPairTexts<P> && HasPairParameters<P> && HasPairCoefficients<P> && EvaluatesPairs<P>;

}  // namespace sterna::md
