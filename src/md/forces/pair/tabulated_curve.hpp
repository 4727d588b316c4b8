#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sterna::md {

/// A table of a pair potential that cannot be used; its line and column, from 1, and the reason.
class PairTableError : public std::runtime_error {
 public:
  PairTableError(int at_line, int at_column, const std::string& message)
      : std::runtime_error(message), line(at_line), column(at_column) {}
  int line, column;
};

/// Energy and force of a pair at given distances.
struct PairTable {
  std::vector<double> distance;  ///< ascending
  std::vector<double> energy;
  std::vector<double> force;  ///< -u'
};

/// Reads lines of three numbers: r, u, -u'. Empty lines and text behind a '#' are skipped. Numbers
/// are multiplied by `length` (r), `energy` (u) and energy / length. Throws PairTableError for
/// anything else, for distances that do not ascend, for fewer than four points and for forces that
/// differ strongly from the slope of the energies.
PairTable read_pair_table(std::string_view text, double length, double energy);

/// Polynomials of fifth order on equal intervals that have the energies and forces of a table at
/// its points. If the table's distances are not equally spaced, the intervals are at most half of
/// the smallest spacing, and are sampled from polynomials between the table's points.
class TabulatedCurve {
 public:
  explicit TabulatedCurve(const PairTable& table);

  double first() const { return first_; }
  double last() const { return last_; }
  double intervals_per_length() const { return intervals_per_length_; }
  int intervals() const { return static_cast<int>(polynomials_.size()) / 6; }
  /// For each interval six coefficients, lowest first, in the fraction of the interval.
  std::span<const double> polynomials() const { return polynomials_; }

 private:
  double first_, last_, intervals_per_length_ = 0.0;
  std::vector<double> polynomials_;
};

}  // namespace sterna::md
