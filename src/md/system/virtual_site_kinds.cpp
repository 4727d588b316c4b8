#include "md/system/virtual_site_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "md/core/registry.hpp"

namespace sterna::md {
namespace {

using Parameters = VirtualSiteParameters;
using Names = std::span<const std::string_view>;

constexpr std::string_view of_2[] = {"a"};
constexpr std::string_view of_2fd[] = {"distance"};
constexpr std::string_view of_3[] = {"a", "b"};
constexpr std::string_view of_3fd[] = {"a", "distance"};
constexpr std::string_view of_3fad[] = {"angle", "distance"};
constexpr std::string_view of_3out[] = {"a", "b", "c"};
constexpr std::string_view of_4fdn[] = {"a", "b", "distance"};
constexpr std::string_view of_4fd[] = {"a", "b", "distance"};
constexpr std::string_view of_n[] = {"weights"};
constexpr std::string_view of_local[] = {"origin_weights", "x_weights", "y_weights", "position"};

VirtualSiteRule make_2(const Parameters& given) {
  return {.count = 2, .weights = {*given.a}};
}

VirtualSiteRule make_2fd(const Parameters& given) {
  return {.count = 2, .x_weights = {1.0}, .local = {*given.distance, 0.0, 0.0}};
}

VirtualSiteRule make_3(const Parameters& given) {
  return {.count = 3, .weights = {*given.a, *given.b}};
}

VirtualSiteRule make_3fd(const Parameters& given) {
  const double a = *given.a;
  return {.count = 3, .x_weights = {1.0 - a, a}, .local = {*given.distance, 0.0, 0.0}};
}

VirtualSiteRule make_3fad(const Parameters& given) {
  const double theta = *given.angle * std::numbers::pi / 180.0, d = *given.distance;
  return {.count = 3,
          .x_weights = {1.0, 0.0},
          .y_weights = {-1.0, 1.0},
          .local = {d * std::cos(theta), d * std::sin(theta), 0.0}};
}

VirtualSiteRule make_3out(const Parameters& given) {
  return {.count = 3, .weights = {*given.a, *given.b}, .product = *given.c};
}

VirtualSiteRule make_4fdn(const Parameters& given) {
  return {.count = 4,
          .x_weights = {-1.0, *given.a, 0.0},
          .y_weights = {-1.0, 0.0, *given.b},
          .local = {0.0, 0.0, *given.distance}};
}

VirtualSiteRule make_4fd(const Parameters& given) {
  const double a = *given.a, b = *given.b;
  return {.count = 4, .x_weights = {1.0 - a - b, a, b}, .local = {*given.distance, 0.0, 0.0}};
}

VirtualSiteRule make_n(const Parameters& given) {
  const double sum = std::accumulate(given.weights.begin(), given.weights.end(), 0.0);
  VirtualSiteRule rule{.count = given.weights.size()};
  for (std::size_t k = 1; k < given.weights.size(); ++k) {
    rule.weights.push_back(given.weights[k] / sum);
  }
  return rule;
}

VirtualSiteRule make_local(const Parameters& given) {
  const auto in_axes = [](const std::vector<double>& all) {
    VirtualSiteRule::AxisWeights weights{};
    std::copy(all.begin() + 1, all.end(), weights.begin());
    return weights;
  };
  return {.count = 3,
          .weights = {given.origin_weights.begin() + 1, given.origin_weights.end()},
          .x_weights = in_axes(given.x_weights),
          .y_weights = in_axes(given.y_weights),
          .local = *given.position};
}

std::string nothing_wrong(const Parameters&) {
  return {};
}

std::string mean_contradiction(const Parameters& given) {
  const double sum = std::accumulate(given.weights.begin(), given.weights.end(), 0.0);
  double largest = 0.0;
  for (const double weight : given.weights) largest = std::max(largest, std::abs(weight));
  if (sum > 1e-6 * largest) return {};
  return fmt::format(
      "\"weights\" in [[molecule.virtual_site]] add up to {}; expected a sum above 0", sum);
}

std::string local_contradiction(const Parameters& given) {
  struct GivenWeights {
    std::string_view name;
    const std::vector<double>& values;
    double sum;
  };
  for (const auto& [name, values, sum] : {GivenWeights{"origin_weights", given.origin_weights, 1.0},
                                          GivenWeights{"x_weights", given.x_weights, 0.0},
                                          GivenWeights{"y_weights", given.y_weights, 0.0}}) {
    if (values.size() != 3) {
      return fmt::format(
          "\"{}\" in [[molecule.virtual_site]] has {} number{}; expected 3, one for "
          "each atom that the site is made of",
          name, values.size(), values.size() == 1 ? "" : "s");
    }
    const double found = std::accumulate(values.begin(), values.end(), 0.0);
    if (!(std::abs(found - sum) <= 1e-6)) {
      return fmt::format("\"{}\" in [[molecule.virtual_site]] add up to {}; expected {}", name,
                         found, sum);
    }
  }
  return {};
}

constexpr VirtualSiteRow all_virtual_sites[] = {
    {.name = "2",
     .atoms = 2,
     .sentence = "on the line through two atoms, at a part of their distance",
     .formula = "r_i + a r_ij",
     .parameters = of_2,
     .make = make_2,
     .contradiction = nothing_wrong},
    {.name = "2fd",
     .atoms = 2,
     .sentence = "on the line through two atoms, at a fixed distance from the first",
     .formula = "r_i + distance r_ij / |r_ij|",
     .parameters = of_2fd,
     .make = make_2fd,
     .contradiction = nothing_wrong},
    {.name = "3",
     .atoms = 3,
     .sentence = "in the plane of three atoms, a linear combination of their positions",
     .formula = "r_i + a r_ij + b r_ik",
     .parameters = of_3,
     .make = make_3,
     .contradiction = nothing_wrong},
    {.name = "3fd",
     .atoms = 3,
     .sentence = "in the plane of three atoms, at a fixed distance from the first",
     .formula = "r_i + distance (r_ij + a r_jk) / |r_ij + a r_jk|",
     .parameters = of_3fd,
     .make = make_3fd,
     .contradiction = nothing_wrong},
    {.name = "3fad",
     .atoms = 3,
     .sentence =
         "in the plane of three atoms, at a fixed distance from the first and a fixed angle "
         "to the second",
     .formula = "r_i + distance (cos(angle) r_ij / |r_ij| + sin(angle) s / |s|), "
                "s = r_jk - r_ij (r_ij . r_jk) / r_ij^2",
     .parameters = of_3fad,
     .make = make_3fad,
     .contradiction = nothing_wrong},
    {.name = "3out",
     .atoms = 3,
     .sentence = "outside of the plane of three atoms",
     .formula = "r_i + a r_ij + b r_ik + c (r_ij x r_ik)",
     .parameters = of_3out,
     .make = make_3out,
     .contradiction = nothing_wrong},
    {.name = "4fdn",
     .atoms = 4,
     .sentence = "at a fixed distance from an atom that has three others around it",
     .formula = "r_i + distance n / |n|, n = (a r_ik - r_ij) x (b r_il - r_ij)",
     .parameters = of_4fdn,
     .make = make_4fdn,
     .contradiction = nothing_wrong},
    {.name = "4fd",
     .atoms = 4,
     .sentence =
         "at a fixed distance from the first of four atoms, towards a point among the others",
     .formula = "r_i + distance (r_ij + a r_jk + b r_jl) / |r_ij + a r_jk + b r_jl|",
     .parameters = of_4fd,
     .make = make_4fd,
     .contradiction = nothing_wrong},
    {.name = "n",
     .atoms = 0,
     .sentence = "the mean of any number of atoms by weights",
     .formula = "sum_n weights_n r_n / sum_n weights_n",
     .parameters = of_n,
     .make = make_n,
     .contradiction = mean_contradiction},
    {.name = "local",
     .atoms = 3,
     .sentence = "at a fixed place in axes that three atoms span",
     .formula = "sum_n origin_weights_n r_n + position . (e_x, e_y, e_z), with e_x along X = sum_n "
                "x_weights_n r_n, e_z along X x sum_n y_weights_n r_n, and e_y = e_z x e_x",
     .parameters = of_local,
     .make = make_local,
     .contradiction = local_contradiction},
};

}  // namespace

const Registry<VirtualSiteRow>& virtual_site_kinds() {
  static const Registry<VirtualSiteRow> table("virtual site", std::span(all_virtual_sites));
  return table;
}

const VirtualSiteRow* find_virtual_site_kind(std::string_view name) {
  return virtual_site_kinds().find(name);
}

}  // namespace sterna::md
