#pragma once

#include <string>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Radial distribution functions of all pairs of groups, which may have atoms in common, from the
/// pair list: counted pairs over those of an ideal gas, (N_a N_b - N_ab) / V for each volume, where
/// N_ab atoms are in both groups. Pairs that a molecule excludes are not in the list.
class GroupDistribution : public Observer {
 public:
  /// `maximum` distance, at most the cutoff of the list.
  GroupDistribution(const comm::Context& context, std::int64_t interval, double maximum, int bins,
                    std::vector<AtomGroup> groups, const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return pairs_; }
  std::vector<double> common() const override;
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

 protected:
  bool adds_up() const override { return true; }

 private:
  /// Of two groups, the first at most the second, among all such pairs.
  std::size_t pair_index(std::size_t a, std::size_t b) const { return b * (b + 1) / 2 + a; }

  comm::Context context_;
  double maximum_;
  int bins_;
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  double frames_ = 0.0;
  /// Of each pair of groups: pairs of an ideal gas per volume, summed over the frames.
  std::vector<double> ideal_;
  std::vector<double> pairs_;  ///< of each pair of groups, its bins; each pair of atoms twice
};

}  // namespace sterna::md
