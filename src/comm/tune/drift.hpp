#pragma once

#include <optional>
#include <string>

namespace sterna::comm {

/// Reports when an exchange differs from the time at which its method was chosen.
class Drift {
 public:
  /// Values that are the same on all ranks: the largest of their medians and means over some
  /// rounds.
  struct Look {
    double us;
    double messages;
    double bytes;
  };

  /// The first look is the one with which later ones are compared.
  Drift() = default;
  explicit Drift(const Look& first) : first_(first) {}

  /// Returns in words why the choice should be made again; empty if it may stay. A single deviating
  /// look is no drift, but two consecutive ones are.
  std::string look(const Look& now);

 private:
  std::optional<Look> first_;
  bool suspect_ = false;
};

}  // namespace sterna::comm
