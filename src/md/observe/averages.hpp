#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/observe/batch_means.hpp"
#include "md/observe/settling.hpp"

namespace sterna::md {

/// Averages of quantities over the settled part of a run. Its first step is given, or it is the
/// latest of the steps at which the deciding quantities have settled (settled_from). If a telling
/// quantity has not settled, the report says why.
class Averages {
 public:
  struct Quantity {
    std::string name;
    std::string unit{};            ///< of the input; empty if dimensionless
    double factor = 1.0;           ///< from the unit of added values to that unit
    double per = 1.0;              ///< printed values are divided by it if it is not 1: "NAME/N"
    bool decides = false;          ///< whether it decides where averages begin
    bool tells = false;            ///< whether it tells if the run has settled
    std::string as{};              ///< the quantity with which it settles
    std::optional<double> target;  ///< in the unit of added values; nothing: none
    std::string kept_by{};         ///< "the thermostat"
    double tolerance = 0.0;        ///< accepted difference from the target
  };
  /// `equilibration`: the number of steps that are left out; nothing: found from the series.
  Averages(std::vector<Quantity> quantities, std::optional<std::int64_t> equilibration);

  /// Adds one value of each quantity.
  void add(std::int64_t step, std::span<const double> values);

  struct Report {
    std::vector<std::string> lines;     ///< for the user; empty with fewer than two rows
    std::vector<std::string> warnings;  ///< why the run has not settled
    Json averages;                      ///< name: mean, standard_error, settled, unit
    Json rows;                          ///< number, range, and whether the run has settled
  };
  Report report() const;
  /// The first step of the averages; samples of earlier steps must be left out.
  std::int64_t first_step() const;

  std::vector<double> state() const { return series_.state(); }
  void set_state(const std::vector<double>& state) { series_.set_state(state); }

 private:
  /// The range of batches that are averaged.
  struct Part {
    std::size_t given = 0;  ///< the first batch behind the given equilibration
    std::size_t first = 0;  ///< first batch of the average
    std::string latest;     ///< the name of the quantity that settles last
  };
  Part settled_part() const;
  /// The means of all quantities over a part.
  std::vector<SettledMean> means_of(const Part& part) const;
  /// Adds the line and the entry of a quantity.
  void add_average(const Quantity& quantity, const SettledMean& mean, std::optional<bool> settled,
                   Report& report) const;
  std::string shown(const Quantity& quantity, double mean, double error) const;
  /// The reason why a quantity has not settled; empty if it has.
  std::string why_unsettled(const Quantity& quantity, const SettledMean& found) const;

  std::vector<Quantity> quantities_;
  std::optional<std::int64_t> equilibration_;
  BatchMeans series_;
};

}  // namespace sterna::md
