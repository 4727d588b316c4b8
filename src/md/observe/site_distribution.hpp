#pragma once

#include <string>
#include <vector>

#include "md/model/molecule_model.hpp"
#include "md/observe/observer.hpp"

namespace sterna::md {

/// Radial distribution functions of all pairs of sites of different molecules. Sites are the places
/// that hold a Lennard-Jones site, a charge or both; they are named by component and number, in the
/// order Lennard-Jones sites, then charges elsewhere: "spce:1" is the oxygen. Complete up to the
/// cutoff less the distances of two molecules' sites from their centers.
class SiteDistribution : public Observer {
 public:
  /// `cutoff`: to which the list has all pairs of centers. `maximum`: 0 for the largest distance
  /// at which all pairs are met; longer ones are cut to it. `counts`: molecules of each component.
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
  std::vector<Site> sites_;              ///< component after component
  std::vector<std::size_t> first_site_;  ///< of each component, and the number of all
  double frames_ = 0.0;
  double volumes_ = 0.0;       ///< summed over the frames
  std::vector<double> pairs_;  ///< counted, each pair of sites twice
};

}  // namespace sterna::md
