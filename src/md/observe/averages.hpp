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

/// Averages of quantities over the part of a run where it has settled. Where that begins is given,
/// or found from the quantities that decide (settled_from): the latest of what each of them says.
/// Those that tell whether the run has settled say what is the matter where it has not.
class Averages {
 public:
  struct Quantity {
    std::string name;
    std::string unit{};    ///< of the input; empty where it has none
    double factor = 1.0;   ///< to that unit from the one that it is added in
    double per = 1.0;      ///< what is printed is divided by it, where it is not 1: "NAME/N"
    bool decides = false;  ///< where the averages begin
    bool tells = false;    ///< whether the run has settled
    std::string as{};      ///< has settled where this one has
    std::optional<double> target;  ///< that is kept, in the unit that it is added in
    std::string kept_by{};         ///< "the thermostat"
    double tolerance = 0.0;        ///< what it may always be off the target
  };
  /// `equilibration`: steps that are left out; nothing: found.
  Averages(std::vector<Quantity> quantities, std::optional<std::int64_t> equilibration);

  /// One value of each quantity.
  void add(std::int64_t step, std::span<const double> values);

  struct Report {
    std::vector<std::string> lines;     ///< for people; empty where there are no two rows
    std::vector<std::string> warnings;  ///< why the run has not settled
    Json averages;                      ///< name: mean, standard_error, settled, unit
    Json rows;                          ///< how many, which, and whether the run has settled
  };
  Report report() const;
  /// Where the averages begin; samples of earlier steps are to be left out.
  std::int64_t first_step() const;

  std::vector<double> state() const { return series_.state(); }
  void set_state(const std::vector<double>& state) { series_.set_state(state); }

 private:
  /// Batches that are averaged.
  struct Part {
    std::size_t given = 0;  ///< the first one behind the equilibration that was given
    std::size_t first = 0;  ///< of them
    std::string latest;     ///< the quantity that settles last
  };
  Part settled_part() const;
  std::string shown(const Quantity& quantity, double mean, double error) const;
  /// Why a quantity has not settled; empty where it has.
  std::string why_unsettled(const Quantity& quantity, const SettledMean& found) const;

  std::vector<Quantity> quantities_;
  std::optional<std::int64_t> equilibration_;
  BatchMeans series_;
};

}  // namespace sterna::md
