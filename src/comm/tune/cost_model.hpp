#pragma once

#include <span>
#include <string>

#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

/// What a method was found to take.
struct Measured {
  CostTerms terms;
  double us;
};

/// "12 puts and notices, 4.8 kB sent".
std::string in_words(const CostTerms& terms);

/// A time for each cost term, fitted to measurements: predicts a round of a method that did not
/// run, and tells which term makes one method slower than another.
class CostModel {
 public:
  /// Times as they are usual in a node, before anything was measured.
  CostModel();
  /// Least squares of the relative errors over `evidence`, no time below zero. Where the evidence
  /// says little about a term, its time stays near the usual one (scaled as all the others are).
  static CostModel fit(std::span<const Measured> evidence);

  double predict(const CostTerms& terms) const;
  /// The term that costs `slower` most beyond what it costs `faster`, in words; empty where the
  /// model knows of none.
  std::string reason(const CostTerms& slower, const CostTerms& faster) const;

 private:
  CostVector us_;
};

}  // namespace sterna::comm
