#include "md/integrate/constraint_rotor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "md/core/cross_product.hpp"
#include "md/model/body_frame.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

/// Smallest moment of inertia of a body that is not linear, relative to the largest.
constexpr double least_moment = 1e-3;
/// A fit gains digits as the start is near the body: some ten turns do.
constexpr int most_turns = 100;

/// About the direction of `angle`, by its length.
Vec3 turned(const Vec3& v, const Vec3& angle) {
  const double size = std::sqrt(dot(angle, angle));
  if (size == 0.0) return v;
  const Vec3 axis = (1.0 / size) * angle;
  return std::cos(size) * v + std::sin(size) * cross(axis, v) +
         ((1.0 - std::cos(size)) * dot(axis, v)) * axis;
}

}  // namespace

std::vector<const RotorKernels*> available_rotor_kernels() {
  return available_kernels<RotorKernels>({STERNA_WIDE_KERNELS(rotor_kernels_avx512),
                                          STERNA_WIDE_KERNELS(rotor_kernels_avx2),
                                          rotor_kernels_baseline});
}

std::optional<ConstraintRotor> ConstraintRotor::of(const RigidShape& shape,
                                                   std::span<const double> inverse_masses,
                                                   std::string_view kernels) {
  const auto moves = [](double inverse_mass) { return inverse_mass > 0.0; };
  if (inverse_masses.size() > most_atoms_of_rotor || !std::ranges::all_of(inverse_masses, moves)) {
    return std::nullopt;
  }
  std::vector<PointMass> masses;
  double whole = 0.0;
  for (std::size_t k = 0; k < inverse_masses.size(); ++k) {
    masses.push_back({shape.points[k], 1.0 / inverse_masses[k]});
    whole += masses.back().mass;
  }
  const BodyFrame frame = body_frame(masses, 0.0);
  // The axis of a linear body, and otherwise that of the smallest moment, is the first.
  std::array<int, 3> order{0, 1, 2};
  std::ranges::stable_sort(order, {}, [&](int axis) { return frame.inertia[axis]; });
  const double smallest = frame.inertia[order[0]], largest = frame.inertia[order[2]];
  const bool is_linear = shape.dimension == 1;
  if (!is_linear && smallest < least_moment * largest) return std::nullopt;
  // A mirror image would do as well.
  RotorShape rotor{};
  rotor.atoms = masses.size();
  rotor.dimension = shape.dimension;
  for (std::size_t k = 0; k < masses.size(); ++k) {
    rotor.mass[k] = masses[k].mass / whole;
    const Vec3 place = frame.from_points(masses[k].position);
    for (std::size_t a = 0; a < 3; ++a) {
      const bool is_used = static_cast<int>(a) < shape.dimension;
      rotor.place[k][a] = is_used ? place[order[a]] : 0.0;
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const double moment = frame.inertia[order[a]] / whole;
    rotor.inverse_inertia[a] = is_linear && a == 0 ? 0.0 : 1.0 / moment;
  }
  return ConstraintRotor(select_kernels(available_rotor_kernels(), kernels), rotor, whole);
}

std::vector<Vec3> ConstraintRotor::fit(std::span<const Vec3> places) const {
  const std::size_t count = shape_.atoms;
  Vec3 center;
  for (std::size_t k = 0; k < count; ++k) center += shape_.mass[k] * places[k];
  // The kernel finds axes that are near.
  RotorWork work{};
  for (std::size_t k = 0; k < count; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      std::ranges::fill(work.place[k][axis], (places[k] - center)[axis]);
    }
  }
  project(work);
  std::vector<Vec3> fitted(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (int axis = 0; axis < 3; ++axis) fitted[k][axis] = work.place[k][axis][0];
  }
  for (int turn = 0; turn < most_turns; ++turn) {
    // Velocities from the body to the places: the rigid part of them is left to be turned by.
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 to_place = places[k] - center - fitted[k];
      for (int axis = 0; axis < 3; ++axis) {
        std::ranges::fill(work.place[k][axis], fitted[k][axis]);
        std::ranges::fill(work.velocity[k][axis], to_place[axis]);
      }
    }
    project(work);
    Vec3 angle;
    for (int axis = 0; axis < 3; ++axis) angle[axis] = work.angular_velocity[axis][0];
    for (Vec3& place : fitted) place = turned(place, angle);
    if (!(dot(angle, angle) > 1e-30)) break;
  }
  for (Vec3& place : fitted) place += center;
  return fitted;
}

}  // namespace sterna::md
