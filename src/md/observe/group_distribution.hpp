#pragma once

#include <string>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/system/atom_group.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::md {

/// Radial distribution functions of all pairs of groups, which may share atoms, from the pair list.
/// The counted pairs are divided by their number in an ideal gas: (N_a N_b - N_ab) / V per volume,
/// where N_ab atoms are in both groups. The list lacks pairs that a molecule excludes.
class GroupDistribution : public Observer {
 public:
  /// `maximum`: the largest distance, at most the cutoff of the list.
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
  /// The index of the pair of groups a <= b.
  std::size_t pair_index(std::size_t a, std::size_t b) const { return b * (b + 1) / 2 + a; }

  comm::Context context_;
  double maximum_;
  int bins_;
  std::vector<AtomGroup> groups_;
  UnitSystem units_;
  double frames_ = 0.0;
  /// For each pair of groups: the pairs per volume of an ideal gas, summed over the frames.
  std::vector<double> ideal_;
  std::vector<double> pairs_;  ///< bins of each pair of groups; each pair of atoms counts twice
};

}  // namespace sterna::md
