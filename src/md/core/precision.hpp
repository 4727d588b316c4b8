#pragma once

namespace sterna::md {

enum class Precision {
  double_precision,
  mixed,  ///< pair arithmetic in single precision on exact differences, sums in double
};

}  // namespace sterna::md
