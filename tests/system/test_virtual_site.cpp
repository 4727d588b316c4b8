// Kinds of virtual sites by themselves: places by the formulas that GROMACS's manual prints, forces
// by differences of places.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "md/core/cross_product.hpp"
#include "md/core/registry.hpp"
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
  given.weights = {0.6, 1.5, 0.3, 0.9, 0.2};
  if (kind == "local") {
    given.origin_weights = {0.2, 0.7, 0.1};
    given.x_weights = {-1.0, 0.25, 0.75};
    given.y_weights = {0.4, -1.0, 0.6};
    given.position = Vec3{0.2, -0.3, 0.5};
  }
  return given;
}

/// A site of so many atoms that follow each other.
VirtualSite site_of(std::string_view kind) {
  const VirtualSiteRule rule = find_virtual_site_kind(kind)->make(parameters_of(kind));
  GivenVirtualSite given{static_cast<std::int32_t>(rule.count), rule, {}};
  for (std::size_t k = 0; k < rule.count; ++k) given.parts.push_back(static_cast<std::int32_t>(k));
  return resolved_virtual_sites({&given, 1})[0];
}

Vec3 place_of(const VirtualSite& site, const std::vector<Vec3>& places) {
  std::vector<Vec3> points;
  for (const std::int32_t atom : site.atoms) {
    points.push_back(places[static_cast<std::size_t>(atom)] -
                     places[static_cast<std::size_t>(site.atoms[0])]);
  }
  return site.from_first(points);
}

/// On each of its atoms.
std::vector<Vec3> forces_of(const VirtualSite& site, const std::vector<Vec3>& places,
                            const Vec3& force) {
  std::vector<Vec3> points, forces;
  for (const std::int32_t atom : site.atoms) {
    points.push_back(places[static_cast<std::size_t>(atom)] -
                     places[static_cast<std::size_t>(site.atoms[0])]);
  }
  site.from_first(points);
  site.spread(points, force, forces);
  forces.resize(site.atoms.size());
  return forces;
}

std::vector<Vec3> random_places(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Vec3> d(5);
  for (std::size_t k = 1; k < d.size(); ++k) {
    const double x = uniform(engine), y = uniform(engine), z = uniform(engine);
    d[k] = {x, y, z};
  }
  return d;
}

}  // namespace

TEST_CASE("places by the printed formulas") {
  const std::vector<Vec3> d = random_places(1);
  const Vec3 &ij = d[1], &ik = d[2], &il = d[3], jk = ik - ij, jl = il - ij;
  const auto place = [&](std::string_view kind) { return place_of(site_of(kind), d); };
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
  const Vec3 among = ij + 0.35 * jk + 0.8 * jl;
  same(place("4fd"), (0.45 / length(among)) * among);
  same(place("n"), (1.0 / 3.5) * (1.5 * ij + 0.3 * ik + 0.9 * il + 0.2 * d[4]));
}

namespace {

/// Sum, torque and derivatives.
void check_forces(const VirtualSite& site, std::uint64_t seed) {
  const Vec3 force{0.7, -1.1, 0.4};
  std::vector<Vec3> d = random_places(seed);
  const std::vector<Vec3> parts = forces_of(site, d, force);
  const Vec3 first = d[static_cast<std::size_t>(site.atoms[0])];
  Vec3 sum, torque = cross(first + place_of(site, d), force);
  double largest = 1.0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    sum += parts[k];
    torque -= cross(d[static_cast<std::size_t>(site.atoms[k])], parts[k]);
    largest = std::max(largest, length(parts[k]));
  }
  CHECK(length(sum - force) < 1e-12 * largest);
  CHECK(length(torque) < 1e-12 * largest);
  constexpr double h = 1e-6;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto place_after = [&](double by) {
        std::vector<Vec3> moved = d;
        moved[static_cast<std::size_t>(site.atoms[k])][axis] += by;
        return moved[static_cast<std::size_t>(site.atoms[0])] + place_of(site, moved);
      };
      const Vec3 slope = (0.5 / h) * (place_after(h) - place_after(-h));
      CHECK(parts[k][axis] == doctest::Approx(dot(slope, force)).epsilon(1e-6).scale(largest));
    }
  }
}

}  // namespace

TEST_CASE("what a force on a site does to its atoms is the transpose of its derivatives") {
  for (const VirtualSiteRow& kind : virtual_site_kinds()) {
    const VirtualSite site = site_of(kind.name);
    CHECK(site.atoms.size() == (kind.atoms > 0 ? kind.atoms : 5));
    CHECK(site.is_linear() == (kind.name == "2" || kind.name == "3" || kind.name == "n"));
    CAPTURE(std::string(kind.name));
    for (std::uint64_t seed = 2; seed < 12; ++seed) check_forces(site, seed);
  }
}

TEST_CASE("sites that are made of sites, in any order, follow from their atoms") {
  const auto rule = [](std::string_view kind) {
    return find_virtual_site_kind(kind)->make(parameters_of(kind));
  };
  // Atoms are 0 to 4; the site 5 is made of 6 and 7, and 6 of 7.
  const std::vector<GivenVirtualSite> given{{5, rule("3out"), {6, 3, 7}},
                                            {6, rule("3fd"), {2, 7, 4}},
                                            {7, rule("2"), {0, 1}},
                                            {8, rule("n"), {5, 6, 7, 0, 3}}};
  const std::vector<VirtualSite> sites = resolved_virtual_sites(given);
  CHECK(sites[0].atoms == std::vector<std::int32_t>{2, 0, 1, 4, 3});
  CHECK(sites[0].parts == std::vector<std::int32_t>{6, 3, 7});
  CHECK(sites[2].atoms == std::vector<std::int32_t>{0, 1});
  CHECK(!sites[3].is_linear());
  for (const VirtualSite& site : sites) {
    CAPTURE(site.atom);
    for (std::uint64_t seed = 20; seed < 30; ++seed) check_forces(site, seed);
  }
  const std::vector<Vec3> d = random_places(4);
  const auto whole = [&](std::size_t n) {
    return d[static_cast<std::size_t>(sites[n].atoms[0])] + place_of(sites[n], d);
  };
  const Vec3 seven = d[0] + 0.35 * (d[1] - d[0]);
  CHECK(length(whole(2) - seven) < 1e-14);
  const Vec3 within = seven - d[2] + 0.35 * (d[4] - seven);
  const Vec3 six = d[2] + (0.45 / length(within)) * within;
  CHECK(length(whole(1) - six) < 1e-14);
  const Vec3 five =
      six + 0.35 * (d[3] - six) + 0.8 * (seven - six) - 1.7 * cross(d[3] - six, seven - six);
  CHECK(length(whole(0) - five) < 1e-14);
  CHECK(length(whole(3) - (1.0 / 3.5) * (0.6 * five + 1.5 * six + 0.3 * seven + 0.9 * d[0] +
                                         0.2 * d[3])) < 1e-14);
  const std::vector<GivenVirtualSite> circle{{5, rule("2"), {6, 0}}, {6, rule("2"), {1, 5}}};
  CHECK_THROWS_AS(resolved_virtual_sites(circle), CircularVirtualSite);
}

TEST_CASE("weights must have their sums") {
  const VirtualSiteRow& local = *find_virtual_site_kind("local");
  VirtualSiteParameters given = parameters_of("local");
  CHECK(local.contradiction(given).empty());
  given.x_weights[0] = -0.5;
  CHECK(local.contradiction(given) ==
        "\"x_weights\" in [[molecule.virtual_site]] add up to 0.5; expected 0");
  given.origin_weights.pop_back();
  CHECK(local.contradiction(given) ==
        "\"origin_weights\" in [[molecule.virtual_site]] has 2 numbers; expected 3, one for each "
        "atom that the site is made of");
  const VirtualSiteRow& mean = *find_virtual_site_kind("n");
  CHECK(mean.contradiction(given).empty());
  given.weights = {1.0, -1.0};
  CHECK(mean.contradiction(given) ==
        "\"weights\" in [[molecule.virtual_site]] add up to 0; expected a sum above 0");
  CHECK(find_virtual_site_kind("5") == nullptr);
}
