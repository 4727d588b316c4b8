#define STERNA_NEON
#define STERNA_KERNEL_NAME "neon"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_neon() {
  return checks;
}

}  // namespace sterna::md
