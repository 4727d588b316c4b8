#pragma once

// Potentials of the atomic cluster expansion with coefficients at random, which do not depend on
// directions: angular momenta of the factors are coupled one after another to 0.

#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "md/model/ace.hpp"
#include "md/model/snap.hpp"  // clebsch_gordan

namespace sterna::md::test {

struct AceKind {
  std::string name;
  AceRadialBasis basis = AceRadialBasis::chebyshev_exponential;
  AceInnerCutoff inner_cutoff = AceInnerCutoff::density;
  std::vector<std::string> elements{"Cu"};
  int functions = 2, basis_functions = 4, largest_l = 2;
  std::size_t densities = 2, largest_rank = 4;
  bool shifted_scaled = true;
};

/// Appends the sets of m of a function of these l, coupled one after another to `coupled`, and the
/// coefficients of each.
inline void couple(const std::vector<int>& l, const std::vector<int>& coupled,
                   AceFunction& function, const std::vector<double>& of_density) {
  const std::size_t rank = l.size();
  std::vector<int> m(rank);
  const std::function<void(std::size_t, int, double)> add = [&](std::size_t t, int sum,
                                                                double weight) {
    if (weight == 0.0) return;
    if (t == rank) {
      function.m.insert(function.m.end(), m.begin(), m.end());
      for (const double c : of_density) function.coefficients.push_back(weight * c);
      return;
    }
    for (m[t] = -l[t]; m[t] <= l[t]; ++m[t]) {
      const int before = t == 0 ? 0 : coupled[t - 1], here = coupled[t];
      if (std::abs(sum + m[t]) > here) continue;
      add(t + 1, sum + m[t],
          weight * clebsch_gordan(2 * before, sum + before, 2 * l[t], m[t] + l[t], 2 * here));
    }
  };
  add(0, 0, 1.0);
}

inline AceTables ace_tables(const AceKind& kind, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto choose = [&](int below) {
    return static_cast<int>(engine() % static_cast<std::uint64_t>(below));
  };
  AceTables tables;
  tables.spacing = 0.002;
  const auto elements = static_cast<int>(kind.elements.size());
  for (int a = 0; a < elements; ++a) {
    for (int b = 0; b < elements; ++b) {
      AceBond bond{.basis = kind.basis,
                   .inner_cutoff = kind.inner_cutoff,
                   .functions = kind.functions,
                   .largest_l = kind.largest_l,
                   .basis_functions = kind.basis_functions,
                   .scale = 3.0 + 0.2 * (a + 2 * b),
                   .core_strength = 20.0,
                   .core_decay = 0.6,
                   .cutoff = 4.2 - 0.2 * a + 0.1 * b,
                   .cutoff_width = kind.inner_cutoff == AceInnerCutoff::zbl ? 0.8 : 0.02,
                   .inner_begin = 2.3 + 0.05 * (a + 2 * b),
                   .inner_width = 0.4};
      if (kind.inner_cutoff == AceInnerCutoff::zbl) bond.core_strength = 1.0;
      if (kind.inner_cutoff == AceInnerCutoff::density) bond.inner_begin = bond.inner_width = 0.0;
      const int count = kind.functions * (kind.largest_l + 1) * kind.basis_functions;
      for (int k = 0; k < count; ++k) bond.coefficients.push_back(uniform(engine));
      tables.bonds.push_back(std::move(bond));
    }
  }
  for (int a = 0; a < elements; ++a) {
    AceElement element{.name = kind.elements[static_cast<std::size_t>(a)],
                       .lone_energy = 0.0,
                       .shifted_scaled = kind.shifted_scaled,
                       .core_limit = 8.0,
                       .core_limit_width = 6.0};
    for (std::size_t p = 0; p < kind.densities; ++p)
      element.embedding.push_back(
          {1.0 + 0.2 * static_cast<double>(p), 1.0 - 0.25 * static_cast<double>(p % 3)});
    const auto random_densities = [&](double scale) {
      std::vector<double> values;
      for (std::size_t p = 0; p < kind.densities; ++p) values.push_back(scale * uniform(engine));
      return values;
    };
    for (int other = 0; other < elements; ++other) {
      for (int k = 0; k < kind.basis_functions; ++k)
        element.functions.push_back({{other}, {k}, {0}, {0}, random_densities(0.1)});
    }
    for (std::size_t rank = 2; rank <= kind.largest_rank; ++rank) {
      for (int k = 0; k < 12;) {
        AceFunction function;
        int sum = 0;
        for (std::size_t t = 0; t < rank; ++t) {
          function.elements.push_back(choose(elements));
          function.n.push_back(choose(kind.functions));
          function.l.push_back(choose(kind.largest_l + 1));
          sum += function.l.back();
        }
        // Mirror images must have the same energy.
        if (sum % 2 != 0) continue;
        std::vector<int> coupled{function.l[0]};
        for (std::size_t t = 1; t < rank; ++t) {
          const int low = std::abs(coupled.back() - function.l[t]);
          const int high = coupled.back() + function.l[t];
          coupled.push_back(t + 1 == rank ? 0 : low + choose(high - low + 1));
        }
        if (coupled[rank - 2] != function.l[rank - 1]) continue;
        couple(function.l, coupled, function, random_densities(0.3 * std::pow(0.3, rank)));
        if (function.m.empty()) continue;
        element.functions.push_back(std::move(function));
        ++k;
      }
    }
    tables.elements.push_back(std::move(element));
  }
  return tables;
}

/// Kinds that differ in all that a file can say.
inline std::vector<AceKind> ace_kinds() {
  return {{.name = "ACE"},
          {.name = "ACE of an alloy",
           .basis = AceRadialBasis::chebyshev_power,
           .inner_cutoff = AceInnerCutoff::distance,
           .elements = {"Al", "Ni"},
           .densities = 1,
           .shifted_scaled = false},
          {.name = "ACE beside nuclei",
           .basis = AceRadialBasis::bessel,
           .inner_cutoff = AceInnerCutoff::zbl,
           .elements = {"H", "He"},
           .functions = 1,
           .basis_functions = 9,
           .largest_l = 3,
           .densities = 3},
          {.name = "ACE of rank 6", .largest_l = 1, .largest_rank = 6}};
}

inline AcePotential ace_potential(const AceKind& kind, unsigned seed = 3) {
  std::vector<std::size_t> types;
  for (std::size_t n = 0; n < kind.elements.size(); ++n) types.push_back(n);
  return {ace_tables(kind, seed), types, 1.0, 1.0};
}

}  // namespace sterna::md::test
