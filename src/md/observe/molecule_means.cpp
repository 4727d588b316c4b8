#include "md/observe/molecule_means.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

std::vector<std::string> columns_of(const std::vector<AtomGroup>& groups) {
  std::vector<std::string> names;
  for (const AtomGroup& group : groups) {
    names.push_back("mean_" + group.name());
    names.push_back("rms_" + group.name());
  }
  return names;
}

}  // namespace

Vec3 MoleculeAtoms::center_of_mass() const {
  Vec3 sum;
  double mass = 0.0;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    sum += masses[k] * positions[k];
    mass += masses[k];
  }
  // A molecule of virtual sites only has neither mass nor center of mass, so its first atom is
  // used.
  return mass > 0.0 ? (1.0 / mass) * sum : positions.front();
}

MoleculeMeans::MoleculeMeans(std::string name, std::int64_t interval,
                             const ObserverRequest& request, std::vector<AtomGroup> groups,
                             Quantity quantity, Dimension dimension)
    : Observer(std::move(name), interval),
      context_(request.context),
      units_(request.input.units),
      groups_(std::move(groups)),
      quantity_(quantity),
      dimension_(dimension),
      whole_(request.context, request.topology, groups_, this->name()),
      series_(columns_of(groups_)) {}

void MoleculeMeans::sample(const Frame& frame) {
  const double charge_unit = std::sqrt(units_.coulomb());
  std::vector<double> sums(groups_.size() * 3, 0.0);  // of each group: sum of values, of squares,
                                                      // number of molecules
  MoleculeAtoms atoms;
  for (const WholeMolecules::Molecule& molecule : whole_.gather(frame)) {
    const auto& kind = whole_.topology().molecules()[molecule.kind];
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].may_contain_molecule(molecule.kind)) continue;
      atoms.positions.clear(), atoms.masses.clear(), atoms.charges.clear();
      for (std::size_t k = 0; k < kind.atoms.size(); ++k) {
        const std::int64_t type = kind.atoms[k].type;
        if (!groups_[g].contains(molecule.first_id + static_cast<std::int64_t>(k), type)) continue;
        atoms.positions.push_back(molecule.positions[k]);
        atoms.masses.push_back(frame.masses[static_cast<std::size_t>(type)]);
        atoms.charges.push_back(kind.atoms[k].charge / charge_unit);
      }
      if (atoms.positions.empty()) continue;
      const double value = quantity_(atoms);
      sums[3 * g] += value;
      sums[3 * g + 1] += value * value;
      sums[3 * g + 2] += 1.0;
    }
  }
  comm::ReductionBatch batch(context_, name(), comm::ReductionOrder::fixed);
  batch.sum(sums.data(), sums.size()).run();
  std::vector<double> values;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double count = std::max(sums[3 * g + 2], 1.0);
    values.push_back(sums[3 * g] / count);
    values.push_back(std::sqrt(sums[3 * g + 1] / count));
  }
  series_.add(frame.step, frame.time, values);
}

ObserverReport MoleculeMeans::report(std::span<const double>) const {
  ObserverReport report;
  report.text = fmt::format("# {} samples\n", series_.count()) + series_.text(units_, dimension_);
  if (series_.count() == 0) return report;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const SettledMean average = series_.average(2 * g, reported_from());
    report.add_average(fmt::format("{}_{}", name(), groups_[g].name()), average.mean,
                       average.standard_error, units_, dimension_);
  }
  return report;
}

std::vector<AtomGroup> molecule_groups(const ObserverRequest& request,
                                       const std::vector<std::string>& names) {
  return names.empty() ? groups_of_molecules(request.input, request.topology)
                       : groups_from_input(request.input, request.topology, names);
}

void check_molecule_observer(const Input& input, const IsGood& is_good, const Report& report,
                             std::string_view name, const std::vector<std::string>& groups) {
  const std::string interval = fmt::format("{}.interval", name);
  if (!is_good(interval)) return;
  if (input.molecules.empty()) {
    report(Severity::error, interval,
           fmt::format("[{}] observes the atoms of [[molecule]]s, and this input has none", name));
    return;
  }
  check_group_names(input, is_good, report, fmt::format("{}.groups", name), groups, true);
}

}  // namespace sterna::md
