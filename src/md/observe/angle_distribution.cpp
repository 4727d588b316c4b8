#include "md/observe/coordinate_distribution.hpp"
#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct AngleDistributionOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  int bins = 180;
};

std::unique_ptr<Observer> make_angle_distribution(const ObserverRequest& request) {
  const auto& options = request.input.section<AngleDistributionOptions>();
  return std::make_unique<CoordinateDistribution>(
      "angle_distribution", options.interval, request, molecule_groups(request, options.groups),
      InternalCoordinate::angle, 0.0, 180.0, options.bins);
}

void check_angle_distribution(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "angle_distribution",
                          input.section<AngleDistributionOptions>().groups);
}

}  // namespace

ObserverRow observer::angle_distribution() {
  return {
      .schema = {.name = "angle_distribution",
                 .description = "How often an angle between two bonds of an atom has which value.",
                 .aliases = {"angles", "angle_histogram"}},
      .keys = coordinate_distribution_keys<AngleDistributionOptions>(),
      .interval = interval_of<AngleDistributionOptions>,
      .check = check_angle_distribution,
      .make = make_angle_distribution};
}

}  // namespace sterna::md
