// Kinds of virtual sites by themselves: places by the formulas that GROMACS's manual prints, forces
// by differences of places.

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "md/core/cross_product.hpp"
#include "md/system/virtual_site_kinds.hpp"

using namespace sterna::md;

namespace {

VirtualSiteParameters parameters_of(std::string_view kind) {
  VirtualSiteParameters given;
  given.a = 0.35;
  given.b = 0.8;
  given.c = -1.7;
  given.distance = 0.45;
  given.angle = 112.0;
  if (kind == "local") {
    given.origin_weights = {0.2, 0.7, 0.1};
    given.x_weights = {-1.0, 0.25, 0.75};
    given.y_weights = {0.4, -1.0, 0.6};
    given.position = Vec3{0.2, -0.3, 0.5};
  }
  return given;
}

VirtualSite::Vectors random_places(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  VirtualSite::Vectors d{};
  for (std::size_t k = 1; k < d.size(); ++k) {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    d[k] = {x, y, z};
  }
  return d;
}

}  // namespace

TEST_CASE("places by the printed formulas") {
  const VirtualSite::Vectors d = random_places(1);
  const Vec3 &ij = d[1], &ik = d[2], &il = d[3], jk = ik - ij;
  const auto place = [&](std::string_view kind) {
    return find_virtual_site_kind(kind)->make(parameters_of(kind)).from_first(d);
  };
  const auto same = [](const Vec3& a, const Vec3& b) { CHECK(length(a - b) < 1e-14); };
  same(place("2"), 0.35 * ij);
  same(place("2fd"), (0.45 / length(ij)) * ij);
  same(place("3"), 0.35 * ij + 0.8 * ik);
  const Vec3 within = ij + 0.35 * jk;
  same(place("3fd"), (0.45 / length(within)) * within);
  const double angle = 112.0 * std::numbers::pi / 180.0;
  const Vec3 up = jk - (dot(ij, jk) / dot(ij, ij)) * ij;
  same(place("3fad"),
       0.45 * ((std::cos(angle) / length(ij)) * ij + (std::sin(angle) / length(up)) * up));
  same(place("3out"), 0.35 * ij + 0.8 * ik - 1.7 * cross(ij, ik));
  const Vec3 normal = cross(0.35 * ik - ij, 0.8 * il - ij);
  same(place("4fdn"), (0.45 / length(normal)) * normal);
}

TEST_CASE("what a force on a site does to its atoms is the transpose of its derivatives") {
  const Vec3 force{0.7, -1.1, 0.4};
  for (const VirtualSiteKind& kind : virtual_site_kinds()) {
    const VirtualSite site = kind.make(parameters_of(kind.name));
    CHECK(site.count == kind.atoms);
    CHECK(site.is_linear() == (kind.name == "2" || kind.name == "3"));
    for (std::uint64_t seed = 2; seed < 12; ++seed) {
      const VirtualSite::Vectors d = random_places(seed);
      const VirtualSite::Vectors parts = site.spread(d, force);
      CAPTURE(std::string(kind.name));
      Vec3 sum, torque = cross(site.from_first(d), force);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        sum += parts[k];
        torque -= cross(d[k], parts[k]);
      }
      CHECK(length(sum - force) < 1e-13);
      CHECK(length(torque) < 1e-12 * (1.0 + length(parts[1])));
      constexpr double h = 1e-6;
      for (std::size_t k = 1; k < kind.atoms; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
          VirtualSite::Vectors above = d, below = d;
          above[k][axis] += h;
          below[k][axis] -= h;
          const Vec3 slope = (0.5 / h) * (site.from_first(above) - site.from_first(below));
          CHECK(parts[k][axis] == doctest::Approx(dot(slope, force)).epsilon(1e-6).scale(1.0));
        }
      }
      for (std::size_t k = kind.atoms; k < parts.size(); ++k) CHECK(parts[k] == Vec3{});
    }
  }
}

TEST_CASE("weights must have their sums") {
  const VirtualSiteKind& local = *find_virtual_site_kind("local");
  VirtualSiteParameters given = parameters_of("local");
  CHECK(local.contradiction(given).empty());
  given.x_weights[0] = -0.5;
  CHECK(local.contradiction(given) ==
        "\"x_weights\" in [[molecule.virtual_site]] add up to 0.5; expected 0");
  given.origin_weights.pop_back();
  CHECK(local.contradiction(given) ==
        "\"origin_weights\" in [[molecule.virtual_site]] has 2 numbers; expected 3, one for each "
        "atom that the site is made of");
  CHECK(find_virtual_site_kind("5") == nullptr);
}
