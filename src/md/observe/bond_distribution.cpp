#include <fmt/format.h>

#include "md/observe/coordinate_distribution.hpp"
#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct BondDistributionOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  int bins = 180;
  double minimum = 0.0, maximum = 0.0;
};

std::unique_ptr<Observer> make_bond_distribution(const ObserverRequest& request) {
  const auto& options = request.input.section<BondDistributionOptions>();
  return std::make_unique<CoordinateDistribution>(
      "bond_distribution", options.interval, request, molecule_groups(request, options.groups),
      InternalCoordinate::bond, options.minimum, options.maximum, options.bins);
}

void check_bond_distribution(const Input& input, const IsGood& is_good, const Report& report) {
  const auto& options = input.section<BondDistributionOptions>();
  check_molecule_observer(input, is_good, report, "bond_distribution", options.groups);
  if (!is_good("bond_distribution.maximum") || options.minimum < options.maximum) return;
  report(Severity::error, "bond_distribution.maximum",
         fmt::format("the largest length must be beyond the smallest one, {}",
                     input.units.text(options.minimum, Dimension::length)));
}

}  // namespace

ObserverRow observer::bond_distribution() {
  std::vector<KeySchema> keys = coordinate_distribution_keys<BondDistributionOptions>();
  keys.push_back({.name = "minimum",
                  .target = option<&BondDistributionOptions::minimum>,
                  .description = "The smallest length.",
                  .dimension = Dimension::length,
                  .range = {.minimum = 0.0},
                  .aliases = {"min"}});
  keys.push_back({.name = "maximum",
                  .target = option<&BondDistributionOptions::maximum>,
                  .description = "The largest length.",
                  .need = Need::required,
                  .dimension = Dimension::length,
                  .range = {.minimum = 0.0, .exclusive_minimum = true},
                  .aliases = {"max"}});
  return {.schema = {.name = "bond_distribution",
                     .description = "How often a bond of flexible molecules has which length.",
                     .aliases = {"bonds", "bond_histogram"}},
          .keys = std::move(keys),
          .interval = interval_of<BondDistributionOptions>,
          .check = check_bond_distribution,
          .make = make_bond_distribution};
}

}  // namespace sterna::md
