#include "md/model/stillinger_weber.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace sterna::md {
namespace {

constexpr double kcal_per_mol = 4.184 / (1.602176634e-22 * 6.02214076e23);  // in eV

constexpr std::array<StillingerWeberElement, 2> published_elements{{
    {"Si",
     "F. H. Stillinger and T. A. Weber, Phys. Rev. B 31, 5262 (1985)",
     {.epsilon = 2.1683,
      .sigma = 2.0951,
      .a = 1.8,
      .lambda = 21.0,
      .gamma = 1.2,
      .cos_theta0 = -1.0 / 3.0,
      .A = 7.049556277,
      .B = 0.6022245584,
      .p = 4.0,
      .q = 0.0}},
    {"mW",
     "V. Molinero and E. B. Moore, J. Phys. Chem. B 113, 4008 (2009)",
     {.epsilon = 6.189 * kcal_per_mol,
      .sigma = 2.3925,
      .a = 1.8,
      .lambda = 23.15,
      .gamma = 1.2,
      .cos_theta0 = -1.0 / 3.0,
      .A = 7.049556277,
      .B = 0.6022245584,
      .p = 4.0,
      .q = 0.0}},
}};

void require(bool holds, std::string what) {
  if (!holds) throw std::invalid_argument(std::move(what));
}

bool nearly_equal(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace

StillingerWeberParameters StillingerWeberParameters::scaled(double length, double energy) const {
  StillingerWeberParameters scaled = *this;
  scaled.sigma *= length;
  scaled.epsilon *= energy;
  return scaled;
}

double StillingerWeberParameters::cutoff() const {
  if (tolerance <= 0.0) return a * sigma;
  // As in LAMMPS: the exponential with the smaller factor falls to the tolerance.
  return a * sigma + std::min(gamma, 1.0) * sigma / std::log(std::min(tolerance, 0.01));
}

std::span<const StillingerWeberElement> stillinger_weber_elements() {
  return published_elements;
}

const StillingerWeberElement* find_stillinger_weber_element(std::string_view name) {
  const auto found = std::ranges::find(published_elements, name, &StillingerWeberElement::name);
  return found == published_elements.end() ? nullptr : &*found;
}

StillingerWeberPotential::StillingerWeberPotential(std::vector<StillingerWeberParameters> triples,
                                                   int type_count)
    : type_count_(type_count), triples_(std::move(triples)) {
  const auto types = static_cast<std::size_t>(std::max(type_count, 0));
  require(types > 0 && triples_.size() == types * types * types,
          fmt::format("the potential of Stillinger and Weber of {} types needs {} sets of "
                      "parameters, not {}",
                      type_count, types * types * types, triples_.size()));
  for (int i = 0; i < type_count; ++i) {
    for (int j = 0; j < type_count; ++j) {
      check_pair(i, j);
      cutoff_ = std::max(cutoff_, pair(i, j).cutoff());
      for (int k = 0; k < type_count; ++k) check_angle(i, j, k);
    }
  }
}

void StillingerWeberPotential::check_pair(int i, int j) const {
  const StillingerWeberParameters &one = pair(i, j), &other = pair(j, i);
  for (const double value : {one.epsilon, one.sigma, one.a, one.lambda, one.gamma, one.cos_theta0,
                             one.A, one.B, one.p, one.q, one.tolerance}) {
    require(std::isfinite(value),
            "a parameter of the potential of Stillinger and Weber is not finite");
  }
  const auto positive = [](double value, std::string_view name) {
    require(value > 0.0, fmt::format("{} of a pair must be positive, not {}", name, value));
  };
  const auto not_negative = [](double value, std::string_view name) {
    require(value >= 0.0, fmt::format("{} of a pair must not be negative, as {} is", name, value));
  };
  positive(one.sigma, "sigma");
  positive(one.a, "a");
  not_negative(one.epsilon, "epsilon");
  not_negative(one.gamma, "gamma");
  not_negative(one.p, "p");
  not_negative(one.q, "q");
  not_negative(one.tolerance, "tol");
  require(one.cutoff() > 0.0,
          fmt::format("with tol = {} no distance is left to a pair", one.tolerance));
  const auto same = [&](double a, double b, std::string_view name) {
    require(a == b, fmt::format("{} of a pair must not depend on which of its atoms is the center; "
                                "it is {} and {}",
                                name, a, b));
  };
  same(one.epsilon, other.epsilon, "epsilon");
  same(one.sigma, other.sigma, "sigma");
  same(one.a, other.a, "a");
  same(one.A, other.A, "A");
  same(one.B, other.B, "B");
  same(one.p, other.p, "p");
  same(one.q, other.q, "q");
  same(one.cutoff(), other.cutoff(), "the cutoff, which follows from tol,");
}

void StillingerWeberPotential::check_angle(int i, int j, int k) const {
  const StillingerWeberParameters &one = triple(i, j, k), &other = triple(i, k, j);
  for (const double value : {one.epsilon, one.lambda, one.cos_theta0}) {
    require(std::isfinite(value),
            "a parameter of the potential of Stillinger and Weber is not finite");
  }
  const double a = one.lambda * one.epsilon, b = other.lambda * other.epsilon;
  require(nearly_equal(a, b, 1e-5),
          fmt::format("lambda epsilon of an angle must not depend on the order of its ends; it is "
                      "{} and {}",
                      a, b));
  require(one.cos_theta0 == other.cos_theta0,
          fmt::format("costheta0 of an angle must not depend on the order of its ends; it is {} "
                      "and {}",
                      one.cos_theta0, other.cos_theta0));
}

double StillingerWeberPotential::strength(int i, int j, int k) const {
  const StillingerWeberParameters &one = triple(i, j, k), &other = triple(i, k, j);
  return 0.5 * (one.lambda * one.epsilon + other.lambda * other.epsilon);
}

StillingerWeberPotential::Dimer StillingerWeberPotential::strongest_dimer() const {
  Dimer strongest{cutoff_, 0.0};
  for (int i = 0; i < type_count_; ++i) {
    for (int j = 0; j < type_count_; ++j) {
      const StillingerWeberParameters& p = pair(i, j);
      constexpr int steps = 200;
      double length = p.cutoff(), energy = 0.0;
      for (int k = steps / 4; k < steps; ++k) {
        const double r = p.a * p.sigma * k / steps, s = p.sigma / r;
        const double here = -p.A * p.epsilon * (p.B * std::pow(s, p.p) - std::pow(s, p.q)) *
                            std::exp(p.sigma / (r - p.a * p.sigma));
        if (here > energy) length = r, energy = here;
      }
      strongest = {std::min(strongest.length, length), std::max(strongest.energy, energy)};
    }
  }
  return strongest;
}

}  // namespace sterna::md
