#define STERNA_KERNEL_NAME "sve512"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_sve512() {
  return checks;
}

}  // namespace sterna::md
