#include "md/observe/coordinate_distribution.hpp"
#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct TorsionDistributionOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  int bins = 180;
};

std::unique_ptr<Observer> make_torsion_distribution(const ObserverRequest& request) {
  const auto& options = request.input.section<TorsionDistributionOptions>();
  return std::make_unique<CoordinateDistribution>(
      "torsion_distribution", options.interval, request, molecule_groups(request, options.groups),
      InternalCoordinate::torsion, -180.0, 180.0, options.bins);
}

void check_torsion_distribution(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "torsion_distribution",
                          input.section<TorsionDistributionOptions>().groups);
}

}  // namespace

ObserverRow observer::torsion_distribution() {
  return {
      .schema = {.name = "torsion_distribution",
                 .description = "How often a torsion, of three bonds in a row, has which angle.",
                 .aliases = {"torsions", "dihedral_distribution", "dihedrals"}},
      .keys = coordinate_distribution_keys<TorsionDistributionOptions>(),
      .interval = interval_of<TorsionDistributionOptions>,
      .check = check_torsion_distribution,
      .make = make_torsion_distribution};
}

}  // namespace sterna::md
