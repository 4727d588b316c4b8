#pragma once

#include <string>

#include "md/core/energy_and_virial.hpp"

namespace sterna::md {

/// A force term whose forces may follow from the energy of all others, as those of a bias on the
/// energy do. It is the last to add to the forces of a step. Of all terms of a run at most one is so.
class ActsOnOtherTerms {
 public:
  virtual ~ActsOnOtherTerms() = default;
  /// Whether the next `finish` needs the energy of all others. Is asked after each `start`; the same
  /// on all ranks.
  virtual bool needs_other_sums() const = 0;
  /// This rank's sums of all others, which come before that `finish`. Forces of the others are in
  /// the store.
  virtual void take_other_sums(const EnergyAndVirial& sums) = 0;
};

/// A force term that lets a program write files, which a checkpoint must find complete.
class WritesFilesOfItsOwn {
 public:
  virtual ~WritesFilesOfItsOwn() = default;
  /// Tells on all ranks, before the forces of a step, that a checkpoint follows them.
  virtual void announce_checkpoint() = 0;
  /// Why it asks to end the run, as a sentence without its end; empty: it does not. The same on all
  /// ranks.
  virtual std::string reason_to_stop() const = 0;
};

}  // namespace sterna::md
