#pragma once

#include <string>
#include <vector>

#include "md/observe/observer.hpp"

namespace sterna::md {

struct RdfOptions {           ///< [rdf]
  std::int64_t interval = 0;  ///< 0: none
  double maximum = 0.0;       ///< at most the cutoff; 0: the cutoff
  int bins = 200;
  bool sites = true;                  ///< of molecules: of sites instead of centers
  std::vector<std::string> groups{};  ///< empty: by types, or by sites
};

/// Radial distribution functions g_ab(r) of all pairs of types, from the pair list (so up to its
/// cutoff), averaged over frames: the counted pairs divided by those of an ideal gas with as many
/// particles.
class RadialDistribution : public Observer {
 public:
  /// `maximum`: the largest distance, at most the cutoff of the list. `counts`: particles of each
  /// type.
  RadialDistribution(std::int64_t interval, double maximum, int bins,
                     std::vector<std::string> type_names, std::vector<std::int64_t> counts,
                     const UnitSystem& units);

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return pairs_; }
  std::vector<double> common() const override { return {frames_, volumes_}; }
  void set_common(std::span<const double> values) override;
  ObserverReport report(std::span<const double> all_sums) const override;

  /// The function of types a and b in a bin.
  double value(std::span<const double> all_sums, std::size_t a, std::size_t b, int bin) const;

 protected:
  bool adds_up() const override { return true; }

 private:
  std::size_t index(std::size_t a, std::size_t b, int bin) const {
    return (a * counts_.size() + b) * static_cast<std::size_t>(bins_) +
           static_cast<std::size_t>(bin);
  }
  double maximum_;
  int bins_;
  std::vector<std::string> type_names_;
  std::vector<std::int64_t> counts_;
  UnitSystem units_;
  double frames_ = 0.0;
  double volumes_ = 0.0;       ///< summed over the frames
  std::vector<double> pairs_;  ///< counted; a pair of the same type counts twice
};

}  // namespace sterna::md
