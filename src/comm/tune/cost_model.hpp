#pragma once

#include <span>
#include <string>

#include "comm/tune/cost_terms.hpp"

namespace sterna::comm {

/// The measured time of a method with its cost terms.
struct Measured {
  CostTerms terms;
  double us;
};

/// Says cost terms in words: "12 puts and notices, 4.8 kB sent".
std::string in_words(const CostTerms& terms);

/// A time for each cost term, fitted to measurements. The model predicts a round of a method that
/// did not run, and tells which term makes one method slower than another.
class CostModel {
 public:
  /// Makes a model with the usual times within a node, before anything was measured.
  CostModel();
  /// Fits the times by least squares of the relative errors over `evidence`, with no time below
  /// zero. If the evidence says little about a term, its time stays near the usual one (scaled like
  /// all others).
  static CostModel fit(std::span<const Measured> evidence);

  double predict(const CostTerms& terms) const;
  /// Returns in words the term by which `slower` costs most more than `faster`; empty if the model
  /// finds none.
  std::string reason(const CostTerms& slower, const CostTerms& faster) const;

 private:
  CostVector us_;
};

}  // namespace sterna::comm
