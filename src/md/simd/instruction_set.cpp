#include "md/simd/instruction_set.hpp"
#include "sterna/comm/joined.hpp"

#include <fmt/format.h>

#include <stdexcept>

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace sterna::md {

bool processor_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

bool processor_halves_avx512() {
#if defined(__x86_64__)
  // Family 19h is Zen 3 and Zen 4, and Zen 3 has no AVX-512.
  return processor_has_avx512() && __builtin_cpu_is("amdfam19h");
#else
  return false;
#endif
}

bool processor_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool processor_has_sve([[maybe_unused]] int bits) {
#if defined(__aarch64__) && defined(__linux__) && defined(HWCAP_SVE) && defined(PR_SVE_GET_VL)
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return false;
  const int length = prctl(PR_SVE_GET_VL);
  return length >= 0 && (length & PR_SVE_VL_LEN_MASK) * 8 == bits;
#else
  return false;
#endif
}

bool processor_has_neon() {
#if defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

void throw_unknown_kernels(std::string_view name, const std::vector<std::string_view>& names) {
  if (names.empty()) {
    throw std::invalid_argument(
        "this program was built for the instructions of another processor, which this one lacks; "
        "build it with -DSTERNA_KERNELS=all, as ./dev build does");
  }
  throw std::invalid_argument(
      fmt::format("no kernels \"{}\" in this build on this processor; there are: {}", name,
                  comm::joined(names, ", ")));
}

}  // namespace sterna::md
