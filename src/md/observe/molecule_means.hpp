#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/quantity_series.hpp"
#include "md/observe/whole_molecules.hpp"

namespace sterna::md {

/// The atoms of a molecule that are in a group, from which a quantity is computed.
struct MoleculeAtoms {
  std::vector<Vec3> positions;  ///< of the molecule made whole, in any image
  std::vector<double> masses;
  std::vector<double> charges;  ///< in units of e; reduced charges as in the input

  Vec3 center_of_mass() const;
};

/// A quantity that each molecule has. For each group: the mean over the molecules and the root of
/// the mean square, as series and as averages.
class MoleculeMeans : public Observer {
 public:
  /// Computes the quantity from at least one atom.
  using Quantity = double (*)(const MoleculeAtoms& atoms);

  MoleculeMeans(std::string name, std::int64_t interval, const ObserverRequest& request,
                std::vector<AtomGroup> groups, Quantity quantity, Dimension dimension);

  void sample(const Frame& frame) override;
  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }
  ObserverReport report(std::span<const double> all_sums) const override;

 private:
  comm::Context context_;
  UnitSystem units_;
  std::vector<AtomGroup> groups_;
  Quantity quantity_;
  Dimension dimension_;
  WholeMolecules whole_;
  QuantitySeries series_;  ///< mean and root mean square of each group
};

/// The groups that the options name, or one group for each kind of molecule.
std::vector<AtomGroup> molecule_groups(const ObserverRequest& request,
                                       const std::vector<std::string>& names);

/// Checks that there are flexible molecules if the observer of section `name` is on, and that the
/// members of its groups do not change.
void check_molecule_observer(const Input& input, const IsGood& is_good, const Report& report,
                             std::string_view name, const std::vector<std::string>& groups);

/// The row of an observer of such a quantity.
template <class Options>
ObserverRow molecule_row(SectionSchema schema,
                         void (*check)(const Input&, const IsGood&, const Report&),
                         std::unique_ptr<Observer> (*make)(const ObserverRequest& request)) {
  return {.schema = std::move(schema),
          .keys = {interval_key<Options>(),
                   groups_key<Options>("Names of `[[group]]`s. Of each molecule those atoms count "
                                       "that are in the group; molecules without any are left out.",
                                       "each kind of molecule")},
          .interval = interval_of<Options>,
          .check = check,
          .make = make};
}

}  // namespace sterna::md
