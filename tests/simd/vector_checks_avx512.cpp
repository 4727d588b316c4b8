#define STERNA_KERNEL_NAME "avx512"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_avx512() {
  return checks;
}

}  // namespace sterna::md
