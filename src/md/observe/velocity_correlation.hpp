#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "md/observe/observer.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/particle_past.hpp"
#include "md/observe/sample_blocks.hpp"

namespace sterna::md {

/// The common part of observers of the autocorrelation of velocities: sums of v(0).v(t) of each
/// type or group, over times of up to `length`, with each sample as a beginning.
class VelocityCorrelation : public Observer {
 public:
  struct Options {
    std::int64_t interval = 0;
    double length = 0.0;  ///< the longest time
    std::vector<std::string> groups{};
  };

  void sample(const Frame& frame) override;
  std::span<double> sums() override { return sums_; }
  std::vector<double> common() const override { return blocks_.state(); }
  void set_common(std::span<const double> values) override { blocks_.set_state(values); }
  std::vector<std::span<const std::byte>> history() const override { return past_.history(); }
  void set_history(std::span<History> parts) override {
    past_.set_history(parts, blocks_.samples());
  }

  /// Times that a correlation has, the time 0 among them.
  static std::size_t lags_of(const Options& options, double timestep);

 protected:
  /// `weighs_by_mass`: whether each product counts with the mass of its particle.
  VelocityCorrelation(std::string name, const Options& options, const ObserverRequest& request,
                      bool weighs_by_mass);

  std::size_t lags() const { return lags_; }
  double sample_time() const { return sample_time_; }
  const std::vector<std::string>& names() const { return names_; }
  const UnitSystem& units() const { return units_; }
  /// The number of sums in a block.
  std::size_t stride() const { return names_.size() * lags_ * 2; }
  const SampleBlocks& blocks() const { return blocks_; }
  /// The correlation of a type or group, by time; of as many times as there were samples of.
  std::vector<double> correlation(const std::vector<double>& sums, std::size_t column) const;
  std::string unit(Dimension dimension) const;

 private:
  std::vector<std::string> names_;  ///< of the groups, or of the types where there are none
  UnitSystem units_;
  bool weighs_by_mass_;
  double sample_time_;
  std::size_t lags_;
  ParticlePast past_;
  SampleBlocks blocks_;       ///< of products, by their beginnings
  std::vector<double> sums_;  ///< of each block, column and time: products, how many
};

/// The section of an observer `Of` of this kind.
template <class Of>
struct VelocityCorrelationSection {
  std::int64_t interval = 0;
  double length = 0.0;
  std::vector<std::string> groups{};

  static VelocityCorrelation::Options of(const Input& input) {
    const auto& found = input.section<VelocityCorrelationSection>();
    return {found.interval, found.length, found.groups};
  }
};

template <class Of>
std::vector<KeySchema> velocity_correlation_keys() {
  using Section = VelocityCorrelationSection<Of>;
  return {
      interval_key<Section>("Steps between two samples, a few: velocities change fast. 0: none."),
      {.name = "length",
       .target = option<&Section::length>,
       .description = "The longest time. Memory, checkpoints and time grow with its number of "
                      "samples.",
       .need = Need::required,
       .dimension = Dimension::time,
       .range = {.minimum = 0.0, .exclusive_minimum = true},
       .aliases = {"maximum", "max_lag", "time", "correlation_time"}},
      groups_key<Section>("Names of `[[group]]`s whose velocities are taken in place of those of "
                          "the types.",
                          "types")};
}

/// Checks a section `name` of this kind.
void check_velocity_correlation(const Input& input, const IsGood& is_good, const Report& report,
                                std::string_view name, const VelocityCorrelation::Options& options);

}  // namespace sterna::md
