#pragma once

namespace sterna::md {

enum class Precision {
  double_precision,
  mixed,  ///< pair arithmetic in single precision on exact differences, sums in double
};

/// Potential energy (of the pairs; half of a pair's energy where one partner is a ghost) and
/// virial tensor sum r_a f_b over pairs: xx yy zz xy xz yz. Of molecules r is the distance of the
/// centers of mass and f the whole force between the two.
struct PairSums {
  double energy = 0.0;
  double virial[6] = {};
  double virial_trace() const { return virial[0] + virial[1] + virial[2]; }
};

}  // namespace sterna::md
