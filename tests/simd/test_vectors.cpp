// Every operation of the vector layer, in every instruction set of this processor and for every type,
// against the same of plain numbers, lane by lane.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "md/simd/instruction_set.hpp"
#include "simd/vector_checks.hpp"

namespace sterna::md {
namespace {

constexpr KernelFamily<VectorChecks> family = STERNA_KERNEL_FAMILY(vector_checks);

int numbers_reported = 0;

void report(const char* what, int lane, double value, double expected, double tolerance) {
  ++numbers_reported;
  const bool right = std::isnan(expected)
                         ? std::isnan(value)
                         : value == expected || std::abs(value - expected) <= tolerance;
  if (right) return;
  INFO(std::string(what) << ", lane " << lane << ": " << value << " instead of " << expected
                         << ", at most " << tolerance << " beside it");
  CHECK(right);
}

void run(const char* name, void (*checks)(ReportNumber)) {
  CAPTURE(std::string(name));
  numbers_reported = 0;
  checks(report);
  CHECK(numbers_reported > 100);
}

TEST_CASE("an instruction set fills its registers") {
  for (const VectorChecks* set : available_kernels(family)) {
    const std::string_view name = set->name;
    CAPTURE(std::string(name));
    const int bits = name.ends_with("512") ? 512 : name == "avx2" || name == "sve256" ? 256 : 128;
    CHECK(set->vector_bytes == bits / 8);
  }
}

TEST_CASE("vectors do in each lane what numbers do") {
  for (const VectorChecks* set : available_kernels(family)) {
    CAPTURE(std::string(set->name));
    run("double", set->vectors_of_double);
    run("float", set->vectors_of_float);
  }
}

TEST_CASE("packs do in each lane what numbers do") {
  for (const VectorChecks* set : available_kernels(family)) {
    CAPTURE(std::string(set->name));
    run("double", set->double_packs);
    run("float", set->float_packs);
  }
}

}  // namespace
}  // namespace sterna::md
