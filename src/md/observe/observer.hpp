#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "md/core/box.hpp"
#include "md/core/units.hpp"
#include "md/particles/particle_store.hpp"
#include "md/shortrange/pair_list.hpp"

namespace sterna::md {

/// The state of a step as observers see it: positions, velocities and forces of the same time.
struct ObservedFrame {
  std::int64_t step;
  double time;
  const Box& box;
  const ParticleStore& particles;  ///< those of this rank
  std::span<const double> masses;  ///< by type
  const PairList& list;
  const EnergyAndVirial& pairs;  ///< this rank's part
  double tail_virial;            ///< of the correction beyond the cutoff, whole system; trace
  /// By which the kinetic part of the pressure is scaled, so that it counts every particle though
  /// the momentum is fixed: 3 N over the degrees of freedom.
  double kinetic_factor;
  double temperature;  ///< kinetic
};

/// What an observer found, at the end of a run.
struct ObserverReport {
  std::string suffix;  ///< of the file: "rdf.txt"
  std::string text;    ///< its content
  struct Average {
    std::string name;
    double mean, standard_error;  ///< in the units of the input
  };
  std::vector<Average> averages;
};

/// Watches a run: takes a sample every `interval` steps, and has the result at the end. What it
/// gathers stands in two parts: `sums`, of this rank alone, which add up over the ranks, and
/// `common`, the same on all. A checkpoint keeps both, so that a resumed run goes on with them.
class Observer {
 public:
  explicit Observer(std::string name, std::int64_t interval)
      : name_(std::move(name)), interval_(interval) {}
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  /// Of the section of the input file.
  const std::string& name() const { return name_; }
  bool is_due(std::int64_t step) const { return step % interval_ == 0; }

  /// Collective.
  virtual void sample(const ObservedFrame& frame) = 0;
  virtual std::span<double> sums() { return {}; }
  virtual std::vector<double> common() const = 0;
  /// With what `common` gave; the number of values may differ where the input was changed, and
  /// then nothing is taken.
  virtual void set_common(std::span<const double> values) = 0;
  /// From `sums` added up over all ranks.
  virtual ObserverReport report(std::span<const double> all_sums) const = 0;

 private:
  std::string name_;
  std::int64_t interval_;
};

}  // namespace sterna::md
