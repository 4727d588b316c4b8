#include "md/forces/coulomb/charge_solver.hpp"

namespace sterna::md {

ProbedCharges::ProbedCharges(const PointCharges& charges, const ChargeCounts& counts,
                             std::span<const Vec3> points)
    : first_(charges.listed()),
      points_(points.size()),
      counts_(counts),
      in_place_(charges.in_place) {
  const auto append = [&](std::vector<Vec3>& to, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[i]);
  };
  append(positions_, charges.positions);
  append(positions_, points);
  values_.assign(charges.charges.begin(), charges.charges.end());
  values_.resize(positions_.size(), 0.0);
  if (!charges.molecules.empty() || !in_place_.charges.empty()) {
    molecules_.assign(charges.molecules.begin(), charges.molecules.end());
    for (std::size_t i = 0; i < points_; ++i) {
      molecules_.push_back(static_cast<std::int32_t>(counts.molecules + i));
    }
  }
  if (!charges.centers.empty() || first_ == 0) {
    append(centers_, charges.centers);
    append(centers_, points);
  }
  append(dipoles_, charges.dipoles);
  dipoles_.resize(positions_.size());
  counts_.molecules += points_;
}

std::vector<double> ProbedCharges::of_points(const std::vector<double>& potentials) const {
  const auto begin = potentials.begin() + static_cast<std::ptrdiff_t>(first_);
  return {begin, begin + static_cast<std::ptrdiff_t>(points_)};
}

}  // namespace sterna::md
