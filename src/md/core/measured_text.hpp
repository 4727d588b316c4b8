#pragma once

#include <string>

namespace sterna::md {

/// A measured value as scientists write it: "0.8442(17)" is 0.8442 +- 0.0017. The error has two
/// digits, and the value has as many decimals as the error. Very large and small values have a
/// power of ten, "1.234(56)e-09". If the error is 0 or not finite, only the value is written, with
/// six digits.
std::string measured_text(double value, double error);

}  // namespace sterna::md
