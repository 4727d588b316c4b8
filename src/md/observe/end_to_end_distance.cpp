#include <cmath>

#include "md/observe/molecule_means.hpp"

namespace sterna::md {
namespace {

struct EndToEndOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

double end_to_end_distance(const MoleculeAtoms& atoms) {
  const Vec3 apart = atoms.positions.back() - atoms.positions.front();
  return std::sqrt(dot(apart, apart));
}

std::unique_ptr<Observer> make_end_to_end_distance(const ObserverRequest& request) {
  const auto& options = request.input.section<EndToEndOptions>();
  return std::make_unique<MoleculeMeans>("end_to_end_distance", options.interval, request,
                                         molecule_groups(request, options.groups),
                                         end_to_end_distance, Dimension::length);
}

void check_end_to_end_distance(const Input& input, const IsGood& is_good, const Report& report) {
  check_molecule_observer(input, is_good, report, "end_to_end_distance",
                          input.section<EndToEndOptions>().groups);
}

}  // namespace

ObserverRow observer::end_to_end_distance() {
  return molecule_row<EndToEndOptions>(
      {.name = "end_to_end_distance",
       .description = "The distance from the first to the last atom of each flexible molecule, or "
                      "of those of its atoms that are in a group.",
       .aliases = {"end_to_end", "polystat"}},
      check_end_to_end_distance, make_end_to_end_distance);
}

}  // namespace sterna::md
