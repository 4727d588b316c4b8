#include "md/integrate/constraint_rotor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "md/core/cross_product.hpp"
#include "md/model/body_frame.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {
namespace {

/// The smallest moment of inertia of a nonlinear rotor, relative to the largest.
constexpr double least_moment = 1e-3;
/// Each iteration of a fit gains digits if the start is near the body; some ten are enough.
constexpr int most_turns = 100;

/// Rotates `v` about the direction of `angle` by its length.
Vec3 turned(const Vec3& v, const Vec3& angle) {
  const double size = std::sqrt(dot(angle, angle));
  if (size == 0.0) return v;
  const Vec3 axis = (1.0 / size) * angle;
  return std::cos(size) * v + std::sin(size) * cross(axis, v) +
         ((1.0 - std::cos(size)) * dot(axis, v)) * axis;
}

}  // namespace

std::vector<const RotorKernels*> available_rotor_kernels() {
  return available_kernels<RotorKernels>(STERNA_KERNEL_FAMILY(rotor_kernels));
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
  // The first axis is the axis of a linear body, or otherwise that of the smallest moment.
  std::array<int, 3> order{0, 1, 2};
  std::ranges::stable_sort(order, {}, [&](int axis) { return frame.inertia[axis]; });
  const double smallest = frame.inertia[order[0]], largest = frame.inertia[order[2]];
  const bool is_linear = shape.dimension == 1;
  if (!is_linear && smallest < least_moment * largest) return std::nullopt;
  // The order of axes may give a mirror image, which is equally good.
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

void ConstraintRotor::fit(RotorWork& work) const {
  const auto vector_in = [](const RotorWork::Numbers(&rows)[3], std::size_t lane) {
    return Vec3{rows[0][lane], rows[1][lane], rows[2][lane]};
  };
  const auto put_into = [](RotorWork::Numbers(&rows)[3], std::size_t lane, const Vec3& v) {
    for (int axis = 0; axis < 3; ++axis) rows[axis][lane] = v[axis];
  };
  const auto for_each_atom = [&](auto&& use) {
    for (std::size_t k = 0; k < shape_.atoms; ++k) {
      for (std::size_t lane = 0; lane < rotors_together; ++lane) use(k, lane);
    }
  };
  // Until the end, `path` holds the atoms' places relative to the center of mass.
  Vec3 center[rotors_together];
  for_each_atom([&](std::size_t k, std::size_t lane) {
    center[lane] += shape_.mass[k] * vector_in(work.place[k], lane);
  });
  for_each_atom([&](std::size_t k, std::size_t lane) {
    put_into(work.path[k], lane, vector_in(work.place[k], lane) - center[lane]);
    put_into(work.velocity[k], lane, Vec3{});
  });
  // Gives axes near those of the best fit.
  project(work);
  double largest = 1.0;
  for (int turn = 0; turn < most_turns && largest > 1e-30; ++turn) {
    // Velocities are differences from the fitted body to the places; their rigid part is the
    // remaining rotation.
    for_each_atom([&](std::size_t k, std::size_t lane) {
      put_into(work.velocity[k], lane,
               vector_in(work.path[k], lane) - vector_in(work.place[k], lane));
    });
    project(work);
    largest = 0.0;
    for_each_atom([&](std::size_t k, std::size_t lane) {
      const Vec3 angle = vector_in(work.angular_velocity, lane);
      largest = std::max(largest, dot(angle, angle));
      put_into(work.place[k], lane, turned(vector_in(work.place[k], lane), angle));
    });
  }
  for_each_atom([&](std::size_t k, std::size_t lane) {
    put_into(work.path[k], lane, vector_in(work.place[k], lane) - vector_in(work.path[k], lane));
  });
}

}  // namespace sterna::md
