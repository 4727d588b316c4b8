#include "md/forces/coulomb/charge_solver.hpp"

namespace sterna::md {

ProbedCharges::ProbedCharges(const PointCharges& charges, const ChargeCounts& counts,
                             std::span<const Vec3> points)
    : points_(points.size()), counts_(counts) {
  const auto append = [&](std::vector<Vec3>& to, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[i]);
  };
  append(positions_, charges.positions);
  append(positions_, points);
  values_.assign(charges.charges.begin(), charges.charges.end());
  values_.resize(positions_.size(), 0.0);
  if (!charges.molecules.empty()) {
    molecules_.assign(charges.molecules.begin(), charges.molecules.end());
    for (std::size_t i = 0; i < points_; ++i) {
      molecules_.push_back(static_cast<std::int32_t>(counts.molecules + i));
    }
  }
  if (!charges.centers.empty()) {
    append(centers_, charges.centers);
    append(centers_, points);
  }
  if (!charges.dipoles.empty()) {
    append(dipoles_, charges.dipoles);
    dipoles_.resize(positions_.size());
  }
  counts_.molecules += points_;
}

std::vector<double> ProbedCharges::of_points(const std::vector<double>& potentials) const {
  return {potentials.end() - static_cast<std::ptrdiff_t>(points_), potentials.end()};
}

}  // namespace sterna::md
