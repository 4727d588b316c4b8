#include "md/model/embedded_atom.hpp"

#include <algorithm>
#include <cmath>

namespace sterna::md {
namespace {

/// The cubic over one bin with the given values and slopes at its ends; slopes are per bin.
EmbeddedAtomCubic::Bin bin_between(const ValueAndSlope& begin, const ValueAndSlope& end) {
  const double rise = end.value - begin.value;
  return {{begin.value, begin.slope, 3.0 * rise - 2.0 * begin.slope - end.slope,
           begin.slope + end.slope - 2.0 * rise}};
}

}  // namespace

EmbeddedAtomCubic::EmbeddedAtomCubic(std::span<const double> values, double scale) {
  const std::size_t n = values.size();
  std::vector<double> slope(n);
  const auto f = [&](std::size_t k) { return scale * values[k]; };
  slope[0] = f(1) - f(0);
  slope[1] = 0.5 * (f(2) - f(0));
  slope[n - 2] = 0.5 * (f(n - 1) - f(n - 3));
  slope[n - 1] = f(n - 1) - f(n - 2);
  for (std::size_t k = 2; k + 2 < n; ++k) {
    slope[k] = ((f(k - 2) - f(k + 2)) + 8.0 * (f(k + 1) - f(k - 1))) / 12.0;
  }
  for (std::size_t k = 0; k + 1 < n; ++k) {
    bins.push_back(bin_between({f(k), slope[k]}, {f(k + 1), slope[k + 1]}));
  }
}

EmbeddedAtomCubic EmbeddedAtomCubic::with_bins(std::size_t count) const {
  if (count == bins.size()) return *this;
  const double wider = static_cast<double>(bins.size()) / static_cast<double>(count);
  const auto at = [&](std::size_t k) {
    ValueAndSlope here = value_at(*this, wider * static_cast<double>(k));
    here.slope *= wider;
    return here;
  };
  EmbeddedAtomCubic result;
  for (std::size_t k = 0; k < count; ++k) result.bins.push_back(bin_between(at(k), at(k + 1)));
  return result;
}

ValueAndSlope embedding_at(const EmbeddedAtomCubic& function, double x) {
  const double end = static_cast<double>(function.bins.size());
  if (x <= 0.0) return value_in_bin(function.bins.front(), x);
  ValueAndSlope at = value_at(function, x);
  if (x > end) at.value += at.slope * (x - end);
  return at;
}

EmbeddedAtomPotential::EmbeddedAtomPotential(const EmbeddedAtomTables& tables,
                                             std::span<const std::size_t> elements, double length,
                                             double energy)
    : type_count_(static_cast<int>(elements.size())),
      cutoff_(tables.cutoff * length),
      density_spacing_(tables.density_spacing),
      distance_spacing_(tables.distance_spacing * length) {
  const std::size_t count = tables.elements.size();
  for (const std::size_t a : elements) {
    embedding_.emplace_back(tables.embedding[a], energy);
    for (const std::size_t b : elements) {
      density_.emplace_back(tables.density[a * count + b], 1.0);
      pair_.emplace_back(tables.pair[a * count + b], length * energy);
      if (tables.dipole.empty()) continue;
      dipole_.emplace_back(tables.dipole[a * count + b], std::sqrt(energy) / length);
      quadrupole_.emplace_back(tables.quadrupole[a * count + b],
                               std::sqrt(energy) / (length * length));
    }
  }
}

double EmbeddedAtomPotential::dimer_energy(int a, int b, double distance) const {
  const double x = distance / distance_spacing_;
  const auto embedded = [&](int at, int from) {
    return embedding_at(embedding(at), value_at(density(at, from), x).value / density_spacing_)
        .value;
  };
  double energy = embedded(a, b) + embedded(b, a) + value_at(pair(a, b), x).value / distance;
  if (is_angular()) {
    const double u = value_at(dipole(a, b), x).value * distance;
    const double w = value_at(quadrupole(a, b), x).value * distance * distance;
    energy += u * u + 2.0 / 3.0 * w * w;
  }
  return energy;
}

EmbeddedAtomPotential::Dimer EmbeddedAtomPotential::strongest_dimer() const {
  Dimer strongest{cutoff_, 0.0};
  for (int a = 0; a < type_count_; ++a) {
    for (int b = 0; b <= a; ++b) {
      double length = cutoff_, lowest = dimer_energy(a, b, cutoff_);
      const double apart = lowest;
      for (int k = 200; k < 1000; ++k) {
        const double distance = 1e-3 * k * cutoff_, here = dimer_energy(a, b, distance);
        if (here < lowest) lowest = here, length = distance;
      }
      strongest.length = std::min(strongest.length, length);
      strongest.energy = std::max(strongest.energy, apart - lowest);
    }
  }
  return strongest;
}

}  // namespace sterna::md
