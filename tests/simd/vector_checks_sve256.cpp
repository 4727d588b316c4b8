#define STERNA_KERNEL_NAME "sve256"
#include "simd/vector_checks.inl"

namespace sterna::md {

const VectorChecks& vector_checks_sve256() {
  return checks;
}

}  // namespace sterna::md
