#pragma once

#include <optional>
#include <string>

namespace sterna::comm {

/// Says when an exchange is no longer what it was when its method was chosen.
class Drift {
 public:
  /// The same on all ranks: the largest of their medians and means over some rounds.
  struct Look {
    double us;
    double messages;
    double bytes;
  };

  /// The first look is what later ones are compared with.
  Drift() = default;
  explicit Drift(const Look& first) : first_(first) {}

  /// Why the choice should be made again, in words; empty where it may stay. A single odd
  /// look is no drift: it takes two, one after the other.
  std::string look(const Look& now);

 private:
  std::optional<Look> first_;
  bool suspect_ = false;
};

}  // namespace sterna::comm
