#include "md/model/snap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace sterna::md {

std::vector<SnapTriple> snap_triples(int twice_j) {
  std::vector<SnapTriple> triples;
  for (int j1 = 0; j1 <= twice_j; ++j1) {
    for (int j2 = 0; j2 <= j1; ++j2) {
      for (int j = j1 - j2; j <= std::min(twice_j, j1 + j2); j += 2) {
        if (j >= j1) triples.push_back({j1, j2, j});
      }
    }
  }
  return triples;
}

double clebsch_gordan(int ja, int ka, int jb, int kb, int jc) {
  // Racah's formula; e.g. D. A. Varshalovich, A. N. Moskalev and V. K. Khersonskii, Quantum Theory
  // of Angular Momentum (1988), section 8.2.
  const int beyond = (ja + jb - jc) / 2;
  const int kc = ka + kb - beyond;
  if (kc < 0 || kc > jc) return 0.0;
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  double sum = 0.0;
  const int first = std::max({0, beyond - ka, kb - (jc - ja + jb) / 2});
  const int last = std::min({beyond, ja - ka, kb});
  for (int z = first; z <= last; ++z) {
    const double term = factorial(z) * factorial(beyond - z) * factorial(ja - ka - z) *
                        factorial(kb - z) * factorial(ka - beyond + z) *
                        factorial((jc - ja + jb) / 2 - kb + z);
    sum += (z % 2 == 0 ? 1.0 : -1.0) / term;
  }
  const double triangle = factorial(beyond) * factorial((ja - jb + jc) / 2) *
                          factorial((jb - ja + jc) / 2) / factorial((ja + jb + jc) / 2 + 1);
  return sum * std::sqrt((jc + 1.0) * triangle) *
         std::sqrt(factorial(ka) * factorial(ja - ka) * factorial(kb) * factorial(jb - kb) *
                   factorial(kc) * factorial(jc - kc));
}

std::size_t SnapPotential::coefficient_count(const SnapForm& form, std::size_t elements) {
  std::size_t components = snap_triples(form.twice_j).size();
  if (form.chemical) components *= elements * elements * elements;
  return 1 + components + (form.quadratic ? components * (components + 1) / 2 : 0);
}

SnapPotential::SnapPotential(SnapForm form, std::vector<SnapElement> elements,
                             std::vector<std::size_t> of_type, double length, double energy)
    : form_(form), elements_(std::move(elements)), of_type_(std::move(of_type)) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument(what);
  };
  require(form_.twice_j >= 0 && form_.twice_j <= largest_twice_j,
          fmt::format("twojmax is {}; expected 0 to {}", form_.twice_j, largest_twice_j));
  require(form_.cutoff_factor > 0.0,
          fmt::format("rcutfac is {}; expected more than 0", form_.cutoff_factor));
  require(form_.rfac0 > 0.0 && form_.rfac0 <= 1.0,
          fmt::format("rfac0 is {}; expected more than 0 and at most 1", form_.rfac0));
  require(!form_.chemical || elements_.size() <= most_channels,
          fmt::format("there are {} elements; expected at most {} with chemflag = 1",
                      elements_.size(), most_channels));
  for (const SnapElement& element : elements_) {
    require(element.radius > 0.0, fmt::format("the radius of {} is {}; expected more than 0",
                                              element.name, element.radius));
    const double shortest = 2.0 * form_.cutoff_factor * element.radius;
    require(
        form_.rmin0 >= 0.0 && form_.rmin0 < 0.2 * shortest,
        fmt::format("rmin0 is {}; expected at least 0 and less than a fifth of the cutoff of {}",
                    form_.rmin0, element.name));
    require(!form_.inner_switch || element.inner_half_width > 0.0,
            fmt::format("dinner of {} is {}; expected more than 0", element.name,
                        element.inner_half_width));
    const std::size_t count = coefficient_count(form_, elements_.size());
    require(element.coefficients.size() == count,
            fmt::format("{} has {} coefficients; expected {} with twojmax = {}{}{}", element.name,
                        element.coefficients.size(), count, form_.twice_j,
                        form_.quadratic ? ", quadraticflag = 1" : "",
                        form_.chemical ? ", chemflag = 1" : ""));
  }
  triples_ = snap_triples(form_.twice_j);
  form_.rmin0 *= length;
  for (SnapElement& element : elements_) {
    element.radius *= length;
    element.inner_middle *= length;
    element.inner_half_width *= length;
    for (double& coefficient : element.coefficients) coefficient *= energy;
  }
  for (int a = 0; a < type_count(); ++a) {
    for (int b = 0; b <= a; ++b) cutoff_ = std::max(cutoff_, cutoff(a, b));
  }
}

std::size_t SnapPotential::component_count() const {
  const auto channels = static_cast<std::size_t>(this->channels());
  return triples_.size() * channels * channels * channels;
}

double SnapPotential::lone_component(int center, std::size_t component) const {
  const auto channels = static_cast<std::size_t>(this->channels());
  const SnapTriple& triple = triples_[component % triples_.size()];
  std::size_t rest = component / triples_.size();
  for (int k = 0; k < 3; ++k, rest /= channels) {
    if (!form_.self_of_all && rest % channels != static_cast<std::size_t>(channel(center)))
      return 0.0;
  }
  return form_.normalized ? 1.0 : triple.j + 1.0;
}

double SnapPotential::weight_of(int center, const Neighbor& neighbor) const {
  const double r = length(neighbor.vector), end = cutoff(center, neighbor.type);
  if (r >= end) return 0.0;
  double weight = element(neighbor.type).weight;
  if (form_.switched && r > form_.rmin0) {
    weight *= 0.5 + 0.5 * std::cos(std::numbers::pi * (r - form_.rmin0) / (end - form_.rmin0));
  }
  if (form_.inner_switch) {
    const SnapElement &a = element(center), &b = element(neighbor.type);
    const double off = (r - 0.5 * (a.inner_middle + b.inner_middle)) /
                       (0.5 * (a.inner_half_width + b.inner_half_width));
    weight *= 0.5 + 0.5 * std::sin(0.5 * std::numbers::pi * std::clamp(off, -1.0, 1.0));
  }
  return weight;
}

SnapPotential::Harmonics SnapPotential::harmonics_of(const Neighbor& neighbor, double end) const {
  const double r = length(neighbor.vector);
  const double angle = form_.rfac0 * std::numbers::pi * (r - form_.rmin0) / (end - form_.rmin0);
  const Vec3 along = neighbor.vector * (std::sin(angle) / r);
  // The parameters of Cayley and Klein of the rotation.
  const std::complex<double> a(std::cos(angle), -along.z), b(along.y, -along.x);
  Harmonics u{{1.0}};
  for (int j = 1; j <= form_.twice_j; ++j) {
    const auto side = static_cast<std::size_t>(j) + 1;
    const std::vector<std::complex<double>>& before = u.back();
    std::vector<std::complex<double>> here(side * side);
    for (int kb = 0; kb <= j; ++kb) {
      for (int ka = 0; ka <= j; ++ka) {
        std::complex<double>& value =
            here[static_cast<std::size_t>(kb) * side + static_cast<std::size_t>(ka)];
        const auto at = [&](int column, int row) {
          return before[static_cast<std::size_t>(row * j + column)];
        };
        if (kb < j) {
          if (ka < j) value += std::sqrt((j - ka) / double(j - kb)) * std::conj(a) * at(ka, kb);
          if (ka > 0) value -= std::sqrt(ka / double(j - kb)) * std::conj(b) * at(ka - 1, kb);
        } else {
          if (ka < j) value += std::sqrt((j - ka) / double(kb)) * b * at(ka, kb - 1);
          if (ka > 0) value += std::sqrt(ka / double(kb)) * a * at(ka - 1, kb - 1);
        }
      }
    }
    u.push_back(std::move(here));
  }
  return u;
}

double SnapPotential::energy(int center, std::span<const Neighbor> neighbors) const {
  std::vector<double> components = bispectrum(sums_of_harmonics(center, neighbors));
  if (form_.subtract_lone) {
    for (std::size_t k = 0; k < components.size(); ++k) components[k] -= lone_component(center, k);
  }
  const double* coefficient = element(center).coefficients.data();
  double energy = *coefficient++;
  for (const double value : components) energy += *coefficient++ * value;
  if (!form_.quadratic) return energy;
  for (std::size_t k = 0; k < components.size(); ++k) {
    energy += 0.5 * *coefficient++ * components[k] * components[k];
    for (std::size_t l = k + 1; l < components.size(); ++l)
      energy += *coefficient++ * components[k] * components[l];
  }
  return energy;
}

std::vector<SnapPotential::Harmonics> SnapPotential::sums_of_harmonics(
    int center, std::span<const Neighbor> neighbors) const {
  std::vector<Harmonics> sums;
  for (int e = 0; e < channels(); ++e) {
    Harmonics sum;
    const double self = form_.self_of_all || e == channel(center) ? 1.0 : 0.0;
    for (int j = 0; j <= form_.twice_j; ++j) {
      auto& level = sum.emplace_back(static_cast<std::size_t>((j + 1) * (j + 1)));
      for (int k = 0; k <= j; ++k) level[static_cast<std::size_t>(k * (j + 2))] = self;
    }
    sums.push_back(std::move(sum));
  }
  for (const Neighbor& neighbor : neighbors) {
    const double weight = weight_of(center, neighbor);
    if (weight == 0.0) continue;
    const Harmonics u = harmonics_of(neighbor, cutoff(center, neighbor.type));
    Harmonics& sum = sums[static_cast<std::size_t>(channel(neighbor.type))];
    for (std::size_t j = 0; j < u.size(); ++j) {
      for (std::size_t k = 0; k < u[j].size(); ++k) sum[j][k] += weight * u[j][k];
    }
  }
  return sums;
}

namespace {

/// The sum over rows and columns of the conjugate of U_j of the third channel times the product of
/// U_j1 of the first and U_j2 of the second, coupled to j.
double coupled(const SnapTriple& t, const std::vector<double>& coupling,
               const SnapPotential::Harmonics& first, const SnapPotential::Harmonics& second,
               const SnapPotential::Harmonics& third) {
  std::complex<double> total = 0.0;
  const int beyond = (t.j1 + t.j2 - t.j) / 2;
  const auto factor = [&](int k1, int k2) {
    return coupling[static_cast<std::size_t>(k1 * (t.j2 + 1) + k2)];
  };
  const auto at = [](const SnapPotential::Harmonics& u, int j, int row, int column) {
    return u[static_cast<std::size_t>(j)][static_cast<std::size_t>(row * (j + 1) + column)];
  };
  for (int b1 = 0; b1 <= t.j1; ++b1) {
    for (int b2 = 0; b2 <= t.j2; ++b2) {
      const int b = b1 + b2 - beyond;
      if (b < 0 || b > t.j) continue;
      for (int a1 = 0; a1 <= t.j1; ++a1) {
        for (int a2 = 0; a2 <= t.j2; ++a2) {
          const int a = a1 + a2 - beyond;
          if (a < 0 || a > t.j) continue;
          total += std::conj(at(third, t.j, b, a)) * factor(b1, b2) * factor(a1, a2) *
                   at(first, t.j1, b1, a1) * at(second, t.j2, b2, a2);
        }
      }
    }
  }
  return total.real();
}

}  // namespace

std::vector<double> SnapPotential::bispectrum(const std::vector<Harmonics>& sums) const {
  std::vector<std::vector<double>> couplings;
  for (const SnapTriple& t : triples_) {
    std::vector<double>& coupling = couplings.emplace_back();
    for (int k1 = 0; k1 <= t.j1; ++k1) {
      for (int k2 = 0; k2 <= t.j2; ++k2)
        coupling.push_back(clebsch_gordan(t.j1, k1, t.j2, k2, t.j));
    }
  }
  std::vector<double> components;
  for (const Harmonics& first : sums) {
    for (const Harmonics& second : sums) {
      for (const Harmonics& third : sums) {
        for (std::size_t n = 0; n < triples_.size(); ++n) {
          const double norm = form_.normalized ? triples_[n].j + 1.0 : 1.0;
          components.push_back(coupled(triples_[n], couplings[n], first, second, third) / norm);
        }
      }
    }
  }
  return components;
}

SnapPotential::Dimer SnapPotential::strongest_dimer() const {
  Dimer strongest{cutoff_, 0.0};
  for (int a = 0; a < type_count(); ++a) {
    for (int b = 0; b <= a; ++b) {
      if (a != b && (&element(a) == &element(b))) continue;
      const double end = cutoff(a, b), apart = energy(a, {}) + energy(b, {});
      constexpr int steps = 24;
      double length = end, lowest = apart;
      // Data for a fit have no atoms nearer than this, where the energy may have any value.
      for (int k = 2 * steps / 5; k < steps; ++k) {
        const double r = end * k / steps;
        const Neighbor of_a{{0.0, 0.0, r}, b}, of_b{{0.0, 0.0, -r}, a};
        const double here = energy(a, {&of_a, 1}) + energy(b, {&of_b, 1});
        if (here < lowest) lowest = here, length = r;
      }
      strongest.length = std::min(strongest.length, length);
      strongest.energy = std::max(strongest.energy, apart - lowest);
    }
  }
  return strongest;
}

}  // namespace sterna::md
