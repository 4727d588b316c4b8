#define STERNA_KERNEL_NAME "avx2"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_avx2() {
  return checks;
}

}  // namespace sterna::md
