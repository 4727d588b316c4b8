#include "comm/tune/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sterna::comm {
namespace {

/// The usual times in microseconds, in the order of as_vector, for a node of 2020 or later with as
/// many cores as ranks.
constexpr CostVector usual = {0.8, 0.25, 0.15, 1.0, 1.5, 0.1, 0.1};

/// The weight of a deviation of a term's time from the usual one by a factor of two, relative to a
/// deviation of one measurement by the same factor. It is small, so that it decides only if the
/// measurements do not.
constexpr double pull = 1e-3;

double dot(const CostVector& a, const CostVector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::string plural(double count, std::string_view one, std::string_view more) {
  return fmt::format("{:.3g} {}", count, count == 1.0 ? one : more);
}

std::string in_words(std::size_t term, double amount) {
  switch (term) {
    case 0:
      return plural(amount, "message matched by software", "messages matched by software");
    case 1:
      return plural(amount, "put or notice", "puts and notices");
    case 2:
      return plural(amount, "notice in shared memory", "notices in shared memory");
    case 3:
      return plural(amount, "wait for an answer", "waits for an answer");
    case 4:
      return plural(amount, "step of global synchronization", "steps of global synchronization");
    case 5:
      return fmt::format("{:.3g} kB sent", amount);
    default:
      return fmt::format("{:.3g} kB copied", amount);
  }
}

}  // namespace

std::string in_words(const CostTerms& terms) {
  const CostVector amounts = as_vector(terms);
  std::string text;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    if (amounts[i] > 0.0) text += (text.empty() ? "" : ", ") + in_words(i, amounts[i]);
  }
  return text;
}

CostModel::CostModel() : us_(usual) {}

CostModel CostModel::fit(std::span<const Measured> evidence) {
  CostModel model;
  // The factor by which the machine is slower than usual in all terms alike: the mean of the
  // logarithms.
  double logarithms = 0.0;
  int count = 0;
  for (const Measured& m : evidence) {
    const double predicted = model.predict(m.terms);
    if (m.us <= 0.0 || predicted <= 0.0) continue;
    logarithms += std::log(m.us / predicted);
    ++count;
  }
  if (count == 0) return model;
  const double scale = std::exp(logarithms / count);

  // The unknowns are the terms' times divided by the usual ones; the prior value of each is 1.
  // Coordinate descent on the normal equations solves for them. Each of its steps is exact, so zero
  // as the lower bound is simple.
  constexpr std::size_t n = cost_term_count;
  std::array<std::array<double, n>, n> matrix{};
  CostVector right{};
  for (std::size_t i = 0; i < n; ++i) matrix[i][i] = right[i] = pull * count;
  for (const Measured& m : evidence) {
    if (m.us <= 0.0) continue;
    CostVector row = as_vector(m.terms);
    for (std::size_t i = 0; i < n; ++i) row[i] *= scale * usual[i] / m.us;
    for (std::size_t i = 0; i < n; ++i) {
      right[i] += row[i];
      for (std::size_t j = 0; j < n; ++j) matrix[i][j] += row[i] * row[j];
    }
  }
  CostVector factor;
  factor.fill(1.0);
  for (int sweep = 0; sweep < 1000; ++sweep) {
    double change = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double others = dot(matrix[i], factor) - matrix[i][i] * factor[i];
      const double better = std::max(0.0, (right[i] - others) / matrix[i][i]);
      change = std::max(change, std::abs(better - factor[i]));
      factor[i] = better;
    }
    if (change < 1e-9) break;
  }
  for (std::size_t i = 0; i < n; ++i) model.us_[i] = scale * usual[i] * factor[i];
  return model;
}

double CostModel::predict(const CostTerms& terms) const {
  return dot(us_, as_vector(terms));
}

std::string CostModel::reason(const CostTerms& slower, const CostTerms& faster) const {
  const CostVector more = as_vector(slower);
  const CostVector less = as_vector(faster);
  std::size_t deciding = 0;
  double largest = 0.0;
  for (std::size_t i = 0; i < cost_term_count; ++i) {
    const double difference = us_[i] * (more[i] - less[i]);
    if (difference <= largest) continue;
    largest = difference;
    deciding = i;
  }
  return largest > 0.0 ? in_words(deciding, more[deciding]) : std::string();
}

}  // namespace sterna::comm
