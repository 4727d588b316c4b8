#pragma once

#include <concepts>
#include <span>
#include <string_view>
#include <vector>

#include "md/forces/bonded/bonded_term.hpp"

namespace sterna::md {

template <class T>
concept HasBondedTexts = requires {
  { T::section } -> std::convertible_to<std::string_view>;
  { T::name } -> std::convertible_to<std::string_view>;
  { T::energy_name } -> std::convertible_to<std::string_view>;
  { T::sentence } -> std::convertible_to<std::string_view>;
  { T::formula } -> std::convertible_to<std::string_view>;
  { T::source } -> std::convertible_to<std::string_view>;
};

template <class T>
concept HasBondedParameters = requires {
  { T::parameters } -> std::convertible_to<std::span<const BondedParameter>>;
};

template <class T>
concept HasAtoms = requires {
  { T::atoms } -> std::convertible_to<int>;
};

template <class T>
concept DescribesBondedTerm = HasBondedTexts<T> && HasBondedParameters<T> && HasAtoms<T>;

/// The members that a struct of `terms/` must have, besides `evaluate`, which the kernels call. Its
/// optional members are listed in `bonded_term.hpp`.
template <class T>
concept BondedTerm = DescribesBondedTerm<T> &&
    requires(std::span<const double> parameters, std::span<double> coefficients) {
  { T::coefficient_count } -> std::convertible_to<int>;
  T::coefficients(parameters, coefficients);
};

/// One whose coefficients are a table of any length.
template <class T>
concept TabulatedBondedTerm = DescribesBondedTerm<T> && requires(std::span<const double> given) {
  { T::table(given, given, given) } -> std::same_as<std::vector<double>>;
};

}  // namespace sterna::md
