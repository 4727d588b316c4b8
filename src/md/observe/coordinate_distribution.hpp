#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "md/input/atom_groups.hpp"
#include "md/observe/observer.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/whole_molecules.hpp"

namespace sterna::md {

/// Internal coordinates of bonded atoms: lengths of bonds, angles of two bonds, torsions of three.
enum class InternalCoordinate { bond, angle, torsion };

/// The distribution of a bond length, angle or torsion: for each group over the coordinates whose
/// atoms are all in the group, normalized to an integral of 1. Angles and torsions are all that the
/// bonds of a molecule define, whether or not a term acts on them. Torsions are in (-180, 180]
/// degrees by the convention of IUPAC, trans at 180.
class CoordinateDistribution : public Observer {
 public:
  /// The histogram goes from `minimum` to `maximum`, in internal length or degrees. Values outside
  /// count for the norm only.
  CoordinateDistribution(std::string name, std::int64_t interval, const ObserverRequest& request,
                         std::vector<AtomGroup> groups, InternalCoordinate coordinate,
                         double minimum, double maximum, int bins);

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return {frames_}; }
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

 protected:
  bool adds_up() const override { return true; }

 private:
  /// Indices of atoms in their molecule, as many as the coordinate has.
  using Atoms = std::array<std::uint32_t, 4>;
  std::size_t stride() const { return bins_ + 1; }

  UnitSystem units_;
  std::vector<AtomGroup> groups_;
  InternalCoordinate coordinate_;
  double minimum_, maximum_;
  std::size_t bins_;
  WholeMolecules whole_;
  std::vector<std::vector<Atoms>> coordinates_;  ///< by kind of molecule
  double frames_ = 0.0;
  std::vector<double> sums_;  ///< for each group its bins, then the count of values
};

/// The keys that all three kinds of coordinates share. `Options` must have members of these names.
template <class Options>
std::vector<KeySchema> coordinate_distribution_keys() {
  return {interval_key<Options>(),
          groups_key<Options>("Names of `[[group]]`s. All atoms of what is counted are in the "
                              "group.",
                              "each kind of molecule"),
          {.name = "bins",
           .target = option<&Options::bins>,
           .description = "Number of equal intervals.",
           .range = {.minimum = 1.0, .maximum = 1e6},
           .aliases = {"nbins"}}};
}

}  // namespace sterna::md
