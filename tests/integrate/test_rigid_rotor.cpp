#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "free_motion.hpp"
#include "md/integrate/integrators/velocity_verlet.hpp"
#include "md/integrate/rigid_rotor.hpp"

using namespace sterna::md;

namespace {

/// The free asymmetric top with I1 < I2 < I3 and L^2 > 2 E I2: Landau and Lifshitz, Mechanics,
/// section 37. At time 0 the angular velocity has no component 2. The elliptic functions are the
/// standard library's.
class FreeTop {
 public:
  FreeTop(const Vec3& inertia, double omega1, double omega3) : i_(inertia) {
    energy2_ = i_.x * omega1 * omega1 + i_.z * omega3 * omega3;
    l2_ = i_.x * i_.x * omega1 * omega1 + i_.z * i_.z * omega3 * omega3;
    const double a = energy2_ * i_.z - l2_, b = l2_ - energy2_ * i_.x;
    amplitude_ = {std::sqrt(a / (i_.x * (i_.z - i_.x))), std::sqrt(a / (i_.y * (i_.z - i_.y))),
                  std::sqrt(b / (i_.z * (i_.z - i_.x)))};
    rate_ = std::sqrt((i_.z - i_.y) * b / (i_.x * i_.y * i_.z));
    modulus_ = std::sqrt((i_.y - i_.x) * a / ((i_.z - i_.y) * b));
  }
  double l() const { return std::sqrt(l2_); }
  double energy() const { return 0.5 * energy2_; }

  /// Angular velocity in the body frame.
  Vec3 omega(double time) const {
    const double u = rate_ * time;
    // The amplitude: F(modulus, phi) = u by Newton's method.
    double phi = u;
    for (int k = 0; k < 50; ++k) {
      const double s = modulus_ * std::sin(phi);
      phi -= (std::ellint_1(modulus_, phi) - u) * std::sqrt(1.0 - s * s);
    }
    const double s = modulus_ * std::sin(phi);
    return {amplitude_.x * std::cos(phi), amplitude_.y * std::sin(phi),
            amplitude_.z * std::sqrt(1.0 - s * s)};
  }

  /// By how much axis 3 has gone around the angular momentum: the integral of
  /// L (I1 w1^2 + I2 w2^2) / (I1^2 w1^2 + I2^2 w2^2), by Simpson's rule.
  double precession(double time) const {
    const auto rate = [&](double t) {
      const Vec3 w = omega(t);
      return l() * (i_.x * w.x * w.x + i_.y * w.y * w.y) /
             (i_.x * i_.x * w.x * w.x + i_.y * i_.y * w.y * w.y);
    };
    constexpr int intervals = 2000;
    const double h = time / intervals;
    double sum = rate(0.0) + rate(time);
    for (int k = 1; k < intervals; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * rate(k * h);
    return sum * h / 3.0;
  }

 private:
  Vec3 i_, amplitude_;
  double energy2_, l2_, rate_, modulus_;
};

struct Deviation {
  double omega, precession, energy;
};

/// After `time` in steps of `dt`, from the analytic solution.
Deviation deviation(const FreeTop& top, const Vec3& inertia, double time, double dt) {
  const RigidBody body(inertia);
  // The angular momentum along z of the laboratory: turned there from its direction in the body.
  const Vec3 w0 = top.omega(0.0);
  const Vec3 in_body{inertia.x * w0.x, inertia.y * w0.y, inertia.z * w0.z};
  const double angle = std::atan2(in_body.x, in_body.z);
  Quaternion q{std::cos(-0.5 * angle), 0.0, std::sin(-0.5 * angle), 0.0};
  Vec3 l = q.to_lab(in_body);
  REQUIRE(std::fabs(l.z - top.l()) < 1e-12);
  const auto azimuth = [&] {
    const Vec3 axis = q.to_lab({0.0, 0.0, 1.0});
    return std::atan2(axis.y, axis.x);
  };
  const double start = azimuth();
  const auto steps = static_cast<int>(std::lround(time / dt));
  for (int step = 0; step < steps; ++step) body.turn(q, l, dt);
  const double turned = azimuth() - start - top.precession(time);
  return {length(body.angular_velocity(q, l) - top.omega(time)),
          std::fabs(std::remainder(turned, 2.0 * std::acos(-1.0))),
          std::fabs(body.kinetic_energy(q, l) - top.energy()) / top.energy()};
}

}  // namespace

TEST_CASE("a free asymmetric top follows the analytic solution, to second order") {
  const Vec3 inertia{0.7, 1.1, 1.9};
  const FreeTop top(inertia, 0.9, 0.8);
  for (const double time : {1.0, 7.0, 40.0}) {
    CAPTURE(time);
    const Deviation coarse = deviation(top, inertia, time, 0.02);
    const Deviation fine = deviation(top, inertia, time, 0.01);
    const Deviation finest = deviation(top, inertia, time, 0.0005);
    CHECK(coarse.omega / fine.omega == doctest::Approx(4.0).epsilon(0.02));
    CHECK(coarse.precession / fine.precession == doctest::Approx(4.0).epsilon(0.02));
    CHECK(finest.omega < 2e-6);
    CHECK(finest.precession < 2e-6);
    CHECK(coarse.energy < 1e-3);
  }
}

TEST_CASE("the splitting keeps angular momentum, norm and direction of time") {
  const RigidBody body({0.4, 1.3, 1.0});
  Quaternion q = Quaternion{0.3, -0.5, 0.7, 0.2}.normalized();
  const Quaternion q0 = q;
  Vec3 l{0.4, -0.9, 1.2};
  const Vec3 l0 = l;
  const double energy = body.kinetic_energy(q, l);
  double lowest = energy, highest = energy;
  for (int step = 0; step < 100000; ++step) {
    body.turn(q, l, 0.02);
    lowest = std::min(lowest, body.kinetic_energy(q, l));
    highest = std::max(highest, body.kinetic_energy(q, l));
  }
  CHECK(l == l0);
  CHECK(std::fabs(q.norm_squared() - 1.0) < 1e-14);
  CHECK((highest - lowest) / energy < 2e-3);
  for (int step = 0; step < 100000; ++step) body.turn(q, l, -0.02);
  const double back = std::fabs(q.w * q0.w + q.x * q0.x + q.y * q0.y + q.z * q0.z);
  CHECK(std::fabs(back - 1.0) < 1e-12);
}

TEST_CASE("linear bodies turn exactly, however long the step and along whichever axis they lie") {
  for (int axis = 0; axis < 3; ++axis) {
    CAPTURE(axis);
    Vec3 inertia{2.0, 2.0, 2.0};
    inertia[axis] = 0.0;
    const RigidBody body(inertia);
    CHECK(body.degrees_of_freedom() == 2);
    Quaternion q = Quaternion{0.8, 0.1, -0.4, 0.3}.normalized();
    Vec3 along_body{};
    along_body[axis] = 1.0;
    const Vec3 start = q.to_lab(along_body);
    // Perpendicular to the molecule, and a part along it that must not matter.
    const Vec3 across = Vec3{0.3, -1.1, 0.6} - dot(Vec3{0.3, -1.1, 0.6}, start) * start;
    Vec3 l = across + 0.25 * start;
    for (int step = 0; step < 10; ++step) body.turn(q, l, 1.7);
    CHECK(length(l - across) < 1e-13);
    const double angle = 17.0 * length(across) / 2.0;
    // Rodrigues's formula for a rotation about the angular momentum.
    const Vec3 n = (1.0 / length(across)) * across;
    const Vec3 turned_from{n.y * start.z - n.z * start.y, n.z * start.x - n.x * start.z,
                           n.x * start.y - n.y * start.x};
    const Vec3 expected = std::cos(angle) * start + std::sin(angle) * turned_from;
    CHECK(length(q.to_lab(along_body) - expected) < 1e-12);
    CHECK(body.kinetic_energy(q, l) == doctest::Approx(0.25 * dot(across, across)).epsilon(1e-13));
  }
}

TEST_CASE("bodies without moments stay as they are, and one moment turns about its axis") {
  const RigidBody still({0.0, 0.0, 0.0});
  CHECK(!still.rotates());
  Quaternion q = Quaternion{1.0, 2.0, 3.0, 4.0}.normalized();
  const Quaternion before = q;
  Vec3 l{1.0, 2.0, 3.0};
  still.turn(q, l, 1.0);
  CHECK(q == before);
  CHECK(still.kinetic_energy(q, l) == 0.0);

  const RigidBody rod({0.0, 0.5, 0.0});
  CHECK(rod.degrees_of_freedom() == 1);
  q = Quaternion{};
  l = {0.0, 0.25, 0.0};
  rod.turn(q, l, 0.6);
  CHECK(q.w == doctest::Approx(std::cos(0.15)).epsilon(1e-15));
  CHECK(q.y == doctest::Approx(std::sin(0.15)).epsilon(1e-15));
}

namespace {

/// One molecule with a dipole along its axis z in a homogeneous field along x; the energy at the
/// end of each of `steps` steps, relative to that of the start.
std::pair<double, double> extremes_in_field(const Vec3& inertia, RotationMethod method, double dt,
                                            int steps) {
  ParticleStore particles;
  particles.set_rotating(true);
  particles.resize_local(1);
  particles.position[0] = {0, 0, 0, 0};
  particles.velocity[0] = particles.force[0] = {};
  particles.orientation[0] = Quaternion{0.9, 0.3, -0.2, 0.1}.normalized();
  particles.angular_momentum[0] = {0.2, 0.5, -0.4};
  const RigidBody body(inertia);
  const double strength = 1.3;
  const auto potential_and_torque = [&] {
    const Vec3 mu = particles.orientation[0].to_lab({0.0, 0.0, strength});
    particles.torque[0] = {0.0, mu.z, -mu.y};
    return -mu.x;
  };
  const double masses[] = {1.0};
  const Vec3 moments[] = {inertia};
  test::FreeMotion motion(particles);
  VelocityVerlet integrator(dt, masses, RigidRotor(dt, moments, method));
  double u = potential_and_torque();
  const double start =
      u + body.kinetic_energy(particles.orientation[0], particles.angular_momentum[0]);
  std::pair<double, double> extremes{0.0, 0.0};
  for (int step = 0; step < steps; ++step) {
    integrator.advance(particles, motion);
    u = potential_and_torque();
    integrator.finish_step();
    // Every third step somebody looks, so both ways of the second half kick are taken.
    if (step % 3 != 0) continue;
    integrator.complete_velocities(particles);
    const double e =
        u + body.kinetic_energy(particles.orientation[0], particles.angular_momentum[0]) - start;
    extremes = {std::min(extremes.first, e), std::max(extremes.second, e)};
  }
  return extremes;
}

}  // namespace

TEST_CASE("energy of a dipole in a field: bounded by the square of the step, without drift") {
  for (const Vec3& inertia : {Vec3{0.6, 1.0, 1.5}, Vec3{1.0, 1.0, 0.0}, Vec3{0.8, 0.8, 0.8}}) {
    CAPTURE(inertia.z);
    const auto coarse = extremes_in_field(inertia, RotationMethod::no_squish, 0.04, 5000);
    const auto longer = extremes_in_field(inertia, RotationMethod::no_squish, 0.04, 100000);
    const auto fine = extremes_in_field(inertia, RotationMethod::no_squish, 0.02, 10000);
    const double width = coarse.second - coarse.first;
    CHECK(width < 4e-3);
    CHECK(longer.second - longer.first < 1.3 * width);
    CHECK(width / (fine.second - fine.first) == doctest::Approx(4.0).epsilon(0.1));
    // Fincham's rotator is of second order as well.
    const auto leap = extremes_in_field(inertia, RotationMethod::leapfrog, 0.02, 2000);
    const auto finer = extremes_in_field(inertia, RotationMethod::leapfrog, 0.01, 4000);
    CHECK(leap.second - leap.first < 5e-3);
    CHECK((leap.second - leap.first) / (finer.second - finer.first) > 3.0);
  }
}

TEST_CASE("bodies that turn together turn as each alone, to the bit") {
  // Three shapes, one of them linear, and some that turn too far for the series.
  const std::vector<Vec3> inertia{{0.6, 1.0, 1.5}, {1.0, 1.0, 0.0}, {0.5, 0.5, 0.5}};
  constexpr double timestep = 0.1;
  for (const TurnKernels* kernels : available_turn_kernels()) {
    CAPTURE(kernels->name);
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal;
    ParticleStore particles;
    particles.set_rotating(true);
    particles.resize_local(203);
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      particles.position[i] = {0.0, 0.0, 0.0, static_cast<std::int64_t>(i / 20 % 3)};
      const Quaternion q{normal(engine), normal(engine), normal(engine), normal(engine)};
      particles.orientation[i] = q.normalized();
      const double size = i % 50 == 7 ? 20.0 : 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        particles.angular_momentum[i][axis] = size * normal(engine);
        particles.torque[i][axis] = 0.0;
      }
    }
    std::vector<Quaternion> expected;
    for (std::size_t i = 0; i < particles.local_count(); ++i) {
      Quaternion q = particles.orientation[i];
      Vec3 l = particles.angular_momentum[i];
      RigidBody(inertia[static_cast<std::size_t>(particles.position[i].type)]).turn(q, l, timestep);
      expected.push_back(q);
    }
    RigidRotor(timestep, inertia, RotationMethod::no_squish, kernels->name)
        .kick_and_turn(particles, false, timestep);
    CHECK(std::ranges::equal(particles.orientation, expected));
  }
}
