#include "md/model/tersoff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace sterna::md {
namespace {

constexpr std::string_view si_b = "J. Tersoff, Phys. Rev. B 37, 6991 (1988)";
constexpr std::string_view si_c = "J. Tersoff, Phys. Rev. B 38, 9902 (1988)";
constexpr std::string_view mixtures = "J. Tersoff, Phys. Rev. B 39, 5566 (1989)";

// The papers give the two ends of the cutoff's window; R is their mean, D half their difference.
constexpr std::array<TersoffElement, 5> elements{{
    {"Si(B)",
     "Si",
     si_b,
     {.lambda3 = 1.3258,
      .c = 4.8381,
      .d = 2.0417,
      .cos_theta0 = 0.0,
      .n = 22.956,
      .beta = 0.33675,
      .lambda2 = 1.3258,
      .B = 95.373,
      .R = 3.0,
      .D = 0.2,
      .lambda1 = 3.2394,
      .A = 3264.7}},
    {"Si(C)",
     "Si",
     si_c,
     {.lambda3 = 1.7322,
      .c = 1.0039e5,
      .d = 16.218,
      .cos_theta0 = -0.59826,
      .n = 0.78734,
      .beta = 1.0999e-6,
      .lambda2 = 1.7322,
      .B = 471.18,
      .R = 2.85,
      .D = 0.15,
      .lambda1 = 2.4799,
      .A = 1830.8}},
    {"Si(D)",
     "Si",
     mixtures,
     {.c = 1.0039e5,
      .d = 16.217,
      .cos_theta0 = -0.59825,
      .n = 0.78734,
      .beta = 1.1000e-6,
      .lambda2 = 1.7322,
      .B = 471.18,
      .R = 2.85,
      .D = 0.15,
      .lambda1 = 2.4799,
      .A = 1830.8}},
    {"C",
     "C",
     mixtures,
     {.c = 3.8049e4,
      .d = 4.3484,
      .cos_theta0 = -0.57058,
      .n = 0.72751,
      .beta = 1.5724e-7,
      .lambda2 = 2.2119,
      .B = 346.74,
      .R = 1.95,
      .D = 0.15,
      .lambda1 = 3.4879,
      .A = 1393.6}},
    {"Ge",
     "Ge",
     mixtures,
     {.c = 1.0643e5,
      .d = 15.652,
      .cos_theta0 = -0.43884,
      .n = 0.75627,
      .beta = 9.0166e-7,
      .lambda2 = 1.7047,
      .B = 419.23,
      .R = 2.95,
      .D = 0.15,
      .lambda1 = 2.4451,
      .A = 1769.0}},
}};

/// `bond`: these are parameters of a bond with itself as third atom, which give the two-body terms.
void check(const TersoffParameters& p, bool bond, TersoffForm form) {
  const auto require = [](bool holds, std::string what) {
    if (!holds) throw std::invalid_argument(std::move(what));
  };
  for (const double value : {p.m, p.gamma, p.lambda3, p.c, p.d, p.cos_theta0, p.n, p.beta,
                             p.lambda2, p.B, p.R, p.D, p.lambda1, p.A}) {
    require(std::isfinite(value), "a parameter of Tersoff's potential is not finite");
  }
  for (const double value : {p.nucleus_i, p.nucleus_j, p.fermi_center, p.fermi_steepness, p.eta,
                             p.c1, p.c2, p.c3, p.c4, p.c5}) {
    require(std::isfinite(value), "a parameter of Tersoff's potential is not finite");
  }
  for (const double nucleus : {p.nucleus_i, p.nucleus_j}) {
    require(
        form != TersoffForm::nuclei || (nucleus > 0.0 && nucleus <= 118.0),
        fmt::format("an atomic number is {}; expected 1 to 118, as in a file of tersoff/zbl, whose "
                    "entries have 18 numbers",
                    nucleus));
  }
  require(
      form != TersoffForm::modified || (p.c3 > 0.0 && p.c5 >= 0.0 && (p.eta > 0.0 || !bond)),
      fmt::format("the modified potential's c3, c5 and eta are {}, {} and {}; expected c3 and eta "
                  "above 0, and c5 of at least 0",
                  p.c3, p.c5, p.eta));
  require(p.m == 1.0 || p.m == 3.0, fmt::format("Tersoff's m is 1 or 3, not {}", p.m));
  require(p.n > 0.0 || !bond, fmt::format("Tersoff's n must be positive, not {}", p.n));
  require(p.d != 0.0, "Tersoff's d must not be 0");
  require(p.beta >= 0.0, fmt::format("Tersoff's beta must not be negative, as {} is", p.beta));
  require(p.D > 0.0 && p.R > p.D,
          fmt::format("Tersoff's cutoff from R - D to R + D needs 0 < D < R, not R = {}, D = {}",
                      p.R, p.D));
}

}  // namespace

TersoffParameters TersoffParameters::completed(TersoffForm form) const {
  TersoffParameters p = *this;
  if (form != TersoffForm::nuclei) return p;
  // Permittivity and Bohr radius are rounded as in the programs for which such files are made.
  constexpr double permittivity = 0.00552635, bohr = 0.529;  // e^2 / (eV angstrom), angstrom
  p.nuclear_strength = nucleus_i * nucleus_j / (4.0 * std::numbers::pi * permittivity);
  p.screening_length = 0.8854 * bohr / (std::pow(nucleus_i, 0.23) + std::pow(nucleus_j, 0.23));
  return p;
}

TersoffParameters TersoffParameters::scaled(double length, double energy) const {
  TersoffParameters p = *this;
  p.lambda1 /= length;
  p.lambda2 /= length;
  p.lambda3 /= length;
  p.A *= energy;
  p.B *= energy;
  p.R *= length;
  p.D *= length;
  p.fermi_center *= length;
  p.fermi_steepness /= length;
  p.nuclear_strength *= energy * length;
  p.screening_length *= length;
  return p;
}

std::span<const TersoffElement> tersoff_elements() {
  return elements;
}

const TersoffElement* find_tersoff_element(std::string_view name) {
  if (name == "Si") name = "Si(D)";
  const auto found = std::ranges::find(elements, name, &TersoffElement::name);
  return found == elements.end() ? nullptr : &*found;
}

double tersoff_chi(const TersoffElement& a, const TersoffElement& b) {
  if (a.name == b.name) return 1.0;
  const auto are = [&](std::string_view x, std::string_view y) {
    return (a.name == x && b.name == y) || (a.name == y && b.name == x);
  };
  if (are("Si(D)", "C")) return 0.9776;
  if (are("Si(D)", "Ge")) return 1.00061;
  return -1.0;
}

TersoffPotential::TersoffPotential(std::vector<TersoffParameters> triples, int type_count,
                                   TersoffForm form)
    : form_(form), type_count_(type_count), triples_(std::move(triples)) {
  const auto types = static_cast<std::size_t>(std::max(type_count, 0));
  if (types == 0 || triples_.size() != types * types * types) {
    throw std::invalid_argument(
        fmt::format("Tersoff's potential of {} types needs {} sets of parameters, not {}",
                    type_count, types * types * types, triples_.size()));
  }
  for (int i = 0; i < type_count; ++i) {
    const TersoffParameters& own = triple(i, i, i);
    for (int j = 0; j < type_count; ++j) {
      for (int k = 0; k < type_count; ++k) {
        const TersoffParameters& p = triple(i, j, k);
        check(p, j == k, form);
        cutoff_ = std::max(cutoff_, p.R + p.D);
        distance_term_ = distance_term_ || p.lambda3 != 0.0;
        simple_ = simple_ && p.m == own.m && p.gamma == own.gamma && p.lambda3 == own.lambda3 &&
                  p.c1 == own.c1 && p.c2 == own.c2 && p.c3 == own.c3 && p.c4 == own.c4 &&
                  p.c5 == own.c5 && p.c == own.c && p.d == own.d &&
                  p.cos_theta0 == own.cos_theta0 && p.R == pair(i, k).R && p.D == pair(i, k).D;
      }
    }
  }
}

TersoffPotential::Dimer TersoffPotential::strongest_dimer() const {
  Dimer strongest{cutoff_, 0.0};
  for (int i = 0; i < type_count_; ++i) {
    for (int j = 0; j < type_count_; ++j) {
      const TersoffParameters& p = pair(i, j);
      constexpr int steps = 200;
      double length = p.R, energy = 0.0;
      for (int k = steps / 5; k < steps; ++k) {
        const double r = (p.R - p.D) * k / steps;
        const double here = p.B * std::exp(-p.lambda2 * r) - p.A * std::exp(-p.lambda1 * r);
        if (here > energy) length = r, energy = here;
      }
      strongest = {std::min(strongest.length, length), std::max(strongest.energy, energy)};
    }
  }
  return strongest;
}

TersoffPotential TersoffPotential::of_elements(std::span<const TersoffElement* const> types,
                                               double length, double energy) {
  const std::size_t count = types.size();
  std::vector<TersoffParameters> triples;
  const auto window = [&](std::size_t a, std::size_t b, TersoffParameters& p) {
    const TersoffParameters& x = types[a]->parameters;
    const TersoffParameters& y = types[b]->parameters;
    if (types[a] == types[b]) {
      p.R = x.R, p.D = x.D;
      return;
    }
    const double inner = std::sqrt((x.R - x.D) * (y.R - y.D));
    const double outer = std::sqrt((x.R + x.D) * (y.R + y.D));
    p.R = 0.5 * (inner + outer);
    p.D = 0.5 * (outer - inner);
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const double chi = tersoff_chi(*types[i], *types[j]);
      if (chi < 0.0) {
        throw std::invalid_argument(
            fmt::format("no chi, the strength of the mixed bond, is published for {} with {}",
                        types[i]->name, types[j]->name));
      }
      for (std::size_t k = 0; k < count; ++k) {
        TersoffParameters p = types[i]->parameters;
        const TersoffParameters& other = types[j]->parameters;
        if (i != j) {
          p.lambda1 = 0.5 * (p.lambda1 + other.lambda1);
          p.lambda2 = 0.5 * (p.lambda2 + other.lambda2);
          p.A = std::sqrt(p.A * other.A);
          p.B = chi * std::sqrt(p.B * other.B);
        }
        window(i, k, p);
        triples.push_back(p.scaled(length, energy));
      }
    }
  }
  return {std::move(triples), static_cast<int>(count)};
}

}  // namespace sterna::md
