#define STERNA_KERNEL_NAME "baseline"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_baseline() {
  return checks;
}

}  // namespace sterna::md
