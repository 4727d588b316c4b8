#pragma once

#include <string>
#include <vector>

#include "md/core/json.hpp"
#include "md/simulation/ending/loop_account.hpp"

namespace sterna::md {

/// Times of a run's loop: tables for the user, and the same for the log. Rank 0 makes them from the
/// measurements of all ranks.
class LoopReport {
 public:
  /// `account` must have at least one rank and must outlive the report.
  explicit LoopReport(const LoopAccount& account);

  /// A line with the number of steps and the seconds that they took.
  std::string speed() const;
  /// A line with the share of communication.
  std::string communication() const;
  /// The table of times.
  std::vector<std::string> times() const;
  /// Particles of the ranks, list rebuilds, load balance and exchange methods.
  std::vector<std::string> work() const;
  /// Adds the tables to the log's event of the run's end.
  void add_to(Json& log) const;

 private:
  struct Spread {
    double least = 1e300, sum = 0.0, most = 0.0;
    void add(double value);
  };
  struct Row {
    std::string label, name;  ///< for the user; for the log
    Spread seconds;
  };

  template <typename Value>
  Spread over_ranks(const Value& value) const;
  void add_row(std::string label, std::string name, const Spread& seconds);
  double mean(const Spread& spread) const;
  double share(double seconds) const;
  Json exchange_methods() const;
  void add_tables_of_ranks(Json& log) const;

  const LoopAccount& account_;
  std::vector<Row> rows_;
  double communication_ = 0.0;  ///< mean over ranks, with exchanges within phases
  Spread waiting_, particles_, ghosts_;
};

}  // namespace sterna::md
