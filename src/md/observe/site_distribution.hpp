#pragma once

#include <string>
#include <vector>

#include "md/model/molecule_model.hpp"
#include "md/observe/observer.hpp"

namespace sterna::md {

/// Radial distribution functions of all pairs of sites of different molecules. A site is a position
/// with a Lennard-Jones site, a charge or both. Sites are named by component and number,
/// Lennard-Jones sites first, then charges elsewhere: "spce:1" is the oxygen. The functions are
/// complete up to the cutoff minus the distances of both sites from their molecules' centers.
class SiteDistribution : public Observer {
 public:
  /// `cutoff`: the distance up to which the list has all pairs of centers. `maximum`: 0 for the
  /// largest distance at which no pair is missed, to which larger values are reduced. `counts`:
  /// molecules of each component.
  SiteDistribution(std::int64_t interval, double cutoff, double maximum, int bins,
                   const MoleculeModel& model, std::vector<std::int64_t> counts,
                   const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return pairs_; }
  std::vector<double> common() const override { return {frames_, volumes_}; }
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

  double maximum() const { return maximum_; }

 protected:
  bool adds_up() const override { return true; }

 private:
  struct Site {
    std::string name;
    std::size_t component;
    Vec3 position;  ///< body frame
  };
  std::size_t index(std::size_t a, std::size_t b, int bin) const {
    return (a * sites_.size() + b) * static_cast<std::size_t>(bins_) +
           static_cast<std::size_t>(bin);
  }

  double cutoff_;
  double maximum_;
  int bins_;
  std::vector<std::int64_t> counts_;
  UnitSystem units_;
  std::vector<Site> sites_;              ///< of component 0, then of component 1 ...
  std::vector<std::size_t> first_site_;  ///< of each component, then the number of all sites
  double frames_ = 0.0;
  double volumes_ = 0.0;       ///< summed over the frames
  std::vector<double> pairs_;  ///< counted; each pair of sites counts twice
};

}  // namespace sterna::md
